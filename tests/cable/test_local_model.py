"""Link construction with a real small model: what it judges is not tested, only that the questions can be answered."""

from __future__ import annotations

from functools import partial

import pytest

from integrations.openai_model import OpenAIModel
from memory_evidence.cable.construct import LinkOptions, link_steps
from memory_evidence.cable.host import Memory
from memory_evidence.cable.priors import by_search
from memory_evidence.models import UsageMeter, run
from tests.cable.hosts import NumpyHost, numbered


@pytest.mark.parametrize("direct_k", [0, 2])
def test_a_real_model_answers_in_the_forms_that_are_asked_for(local_model_url, direct_k):
    host = NumpyHost(
        numbered(
            "Bo: The new manager shouted at everybody in the meeting.",
            "Emma: My salary was cut and the benefits are gone.",
            "Emma: I keep an old resignation letter in a drawer.",
        )
    )
    memory = Memory("4", "Emma: I submitted my resignation letter to the office.")
    meter = UsageMeter()
    find = partial(by_search, host, memory.id, is_prior=set, later=0)
    steps = link_steps(memory, find, options=LinkOptions(direct_k=direct_k), use_model=True)
    linking = run(steps, OpenAIModel("local", base_url=local_model_url, timeout_s=120), meter=meter, concurrency=1)
    assert linking.memory_type in ("opinion", "event", "plan", "state_change")
    assert 1 <= len(linking.queries) <= 3
    assert meter.total.calls == 2 + len(linking.candidates)
    assert meter.stages["classify"].unreadable == 0
    assert len(linking.accepted) + linking.rejected == len(linking.candidates)
    assert all(accepted.reason for accepted in linking.accepted)
