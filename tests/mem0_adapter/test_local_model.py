"""mem0's own language model, a real one on this machine, judges links: badly, but it is really asked."""

from __future__ import annotations

from typing import Any

import pytest

from mem0_adapter import AsyncCableMemory, CableMemory
from mem0_adapter.model import mem0_model
from memory_evidence.cable.construct import LinkOptions
from memory_evidence.errors import ConfigError, ModelError
from memory_evidence.models import Message
from tests.mem0_adapter.memories import CAUSE, EFFECT, NEAR, remember


def test_memories_are_linked_by_mem0s_model_and_none_is_left_over(make: Any, links: str, local_model_url: str) -> None:
    memory = make("chroma", llm_url=local_model_url)
    with CableMemory(memory, store=links, linking="deferred", link_options=LinkOptions(direct_k=1)) as cable:
        for text in (CAUSE, *NEAR[:2], EFFECT):
            remember(cable, text)
        report = cable.link_pending()
        assert (report.pending, report.failed) == (0, 0)
        assert report.usage["classify"].calls == report.linked == 4
        judged = report.usage["verify"].calls if "verify" in report.usage else 0
        assert sum(usage.calls for usage in report.usage.values()) <= 2 * report.linked + judged
        assert report.links <= judged


async def test_the_async_memory_is_linked_while_the_loop_goes_on(make: Any, links: str, local_model_url: str) -> None:
    memory = make("chroma", asynchronous=True, llm_url=local_model_url)
    async with AsyncCableMemory(memory, store=links, linking="deferred") as cable:
        await cable.add(CAUSE, user_id="ann", infer=False)
        assert (await cable.link_pending()).pending == 0


async def test_settings_of_a_call_are_not_left_in_mem0s_own(make: Any, local_model_url: str) -> None:
    memory = make("chroma", llm_url=local_model_url)
    before = dict(vars(memory.llm.config))
    model = mem0_model(memory.llm)
    for answer in (
        model.complete([Message("user", "Say yes.")], temperature=0.7, max_tokens=4),
        await model.acomplete([Message("user", "Say yes.")], temperature=0.0, max_tokens=100_000),
    ):
        assert 0 < len(answer.text.split()) < 100
    assert dict(vars(memory.llm.config)) == before


def test_a_model_that_is_away_leaves_the_memories_pending(make: Any, links: str) -> None:
    memory = make("chroma")  # nothing listens there
    with CableMemory(memory, store=links, linking="deferred") as cable:
        remember(cable, EFFECT)
        report = cable.link_pending()
        assert (report.linked, report.pending) == (0, 1)
        assert "OpenAILLM" in (report.error or "")
    with pytest.raises(ModelError):
        mem0_model(memory.llm).complete([Message("user", "Hello")])
    with pytest.raises(ConfigError):
        mem0_model(object())
