"""A-MEM's own client on a real model of this machine judges links: badly, but it is really asked."""

from __future__ import annotations

import importlib
from functools import partial

import pytest

from amem_adapter import CableAgenticMemory
from memory_evidence.cable.construct import LinkOptions
from memory_evidence.testing_cable import CAUSE, EFFECT, OTHERS
from tests.amem_adapter import systems

pytestmark = [
    pytest.mark.skipif(systems.fork_missing() is not None, reason=systems.fork_missing() or ""),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning"),
]


def test_notes_are_linked_by_amems_model_and_none_is_left_over(tmp_path, monkeypatch, local_model_url):
    system = systems.new_system(systems.fork(), storage_path=str(tmp_path / "notes"))
    settings = {"scope": ("ann",), "store": "sqlite://", "linking": "deferred", "link_options": LinkOptions(direct_k=1)}
    with CableAgenticMemory(system, **settings) as cable:
        for text in (CAUSE, OTHERS[0], EFFECT):
            cable.add_note(text)  # with the scripted model: a small one analyses a note for minutes
        monkeypatch.setenv("OPENAI_BASE_URL", local_model_url)  # A-MEM has no argument for it
        controller = importlib.import_module("agentic_memory.llm_controller").OpenAIController
        own = system.llm_controller.llm = controller(model="smol", api_key="none")
        monkeypatch.setattr(own, "get_completion", partial(own.get_completion, max_tokens=48))  # it would never end
        report = cable.link_pending()
        assert (report.linked, report.pending, report.failed) == (3, 0, 0)
        assert report.usage["classify"].calls == 3
        own.client.close()
