"""A memory that reads with a model: what was read once is kept, and what could not be read waits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from memory_evidence.cmc import ContractMemory
from memory_evidence.cmc.facts import Extraction, Fact, Label, Slot
from memory_evidence.cmc.frontends.coding import decode, encode, record_hash
from memory_evidence.cmc.frontends.llm import LLMFrontend
from memory_evidence.errors import ConfigError
from memory_evidence.models import Completion, Message, Usage
from memory_evidence.records import Draft, Record
from memory_evidence.store import open_log
from memory_evidence.testing import ScriptedModel, ScriptEndedError
from tests.cmc.frontends.scripts import (
    DOWN,
    NESTS,
    OSLO,
    ROME,
    SAME,
    SCOPE,
    asked,
    open_memory,
    reader,
    reads,
)
from tests.cmc.histories import timeless

# The cache


spans = st.none() | st.tuples(st.integers(0, 9), st.integers(0, 9))
any_text = st.text(st.characters(exclude_categories=()), max_size=6)
facts = st.builds(
    Fact, any_text, any_text, any_text, spans, spans, st.booleans(), st.none() | st.builds(Slot, any_text, any_text)
)


@given(st.builds(Extraction, st.sampled_from(Label), st.lists(facts, max_size=3).map(tuple), any_text))
def test_an_extraction_is_kept_as_it_is(extraction: Extraction) -> None:
    assert decode(encode(extraction)) == extraction


@given(any_text, any_text, any_text, any_text)
def test_only_records_of_one_text_and_speaker_share_a_reading(
    text: str, speaker: str, other_text: str, other_speaker: str
) -> None:
    same = (text, speaker) == (other_text, other_speaker)
    one, other = Record(1, text, speaker, "2024", "k"), Record(2, other_text, other_speaker)
    if "\x00" not in speaker + other_speaker:
        assert (record_hash(one) == record_hash(other)) is same


# A memory that reads with a model


def test_an_update_in_other_words_supersedes() -> None:
    memory = open_memory(reader(NESTS, SAME))
    added = memory.add([OSLO, ROME])
    assert (added.facts, added.unresolved, added.pending, added.usage.calls) == (2, 0, 0, 2)
    assert [edge.object for edge in memory.current("user")] == ["Rome"]
    assert memory.read("Where do I live?").text == f"2. {ROME}"
    memory.add("Hm.")
    assert [(p.value, p.until) for p in memory.history("user", "home")] == [("Oslo", 2), ("Rome", None)]


def test_an_update_in_other_words_supersedes_across_calls() -> None:
    memory = open_memory(reader(NESTS, SAME))
    memory.add(OSLO)
    memory.add(ROME)
    assert [edge.object for edge in memory.current("user")] == ["Rome"]


def test_the_value_superseded_in_other_words_is_marked() -> None:  # report 13
    facts = {OSLO: [*NESTS[OSLO], ("user", "mood", "Finally settled")], ROME: NESTS[ROME]}
    memory = open_memory(reader(facts, SAME))
    memory.add([OSLO, ROME])
    assert memory.read("How am I?").text.split("\n") == [
        "1. Finally settled down in [superseded by 2: Oslo]!",
        f"2. {ROME}",
    ]


def test_what_was_read_once_is_not_asked_again(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    model = reader(NESTS, SAME)
    with open_memory(model, url) as memory:
        memory.add([OSLO, ROME])
        assert len(model.calls) == 2
        memory.add([OSLO, "Hm."])  # the first of them is known by its text
        assert asked(model) == [[OSLO, ROME], ["Hm."]]
        answer = timeless(memory.read("Where do I live?"))
    with open_memory(ScriptedModel([]), url) as again:
        assert timeless(again.read("Where do I live?")) == answer
        assert again.compile() == Usage()


def test_one_text_of_two_speakers_is_read_for_each() -> None:
    facts = {"I live in Oslo.": [("I", "home", "Oslo")]}
    memory = open_memory(reader(facts))
    memory.add([Draft("I live in Oslo.", "Ann"), Draft("I live in Oslo.", "Bo")])
    assert [memory.current(name)[0].object for name in ("Ann", "Bo")] == ["Oslo", "Oslo"]


def test_equal_texts_of_one_call_are_one_reading() -> None:
    memory = open_memory(reader(NESTS))
    memory.add([OSLO, OSLO])
    assert memory.current("user")[0].position == 2


def test_while_the_model_cannot_be_reached_records_wait_and_nothing_is_lost() -> None:
    model = ScriptedModel([DOWN, DOWN, reads(NESTS, SAME), reads(NESTS, SAME), reads({})])
    memory = open_memory(model)
    added = memory.add([OSLO, "Hm."])
    assert (added.facts, added.pending, added.unresolved, added.usage.calls) == (0, 2, 2, 1)
    found = memory.read("Where do I live?")
    assert (found.positions, found.receipt.fallback, found.receipt.pending) == ((1, 2), "history", 2)
    assert memory.compile() == Usage(calls=1)
    added = memory.add(ROME)  # asks about all three, in order
    assert asked(model)[-1] == [OSLO, "Hm.", ROME]
    assert (added.facts, added.pending) == (1, 0)
    assert memory.read("Where do I live?").positions == (3,)


@pytest.mark.parametrize("failure", [TimeoutError("slow"), ValueError("bad"), KeyError("k"), None, Completion(None)])  # type: ignore[arg-type]
def test_a_model_that_fails_in_any_way_loses_no_record(failure: Any) -> None:
    class Failing:
        def complete(self, *_: Any, **__: Any) -> Any:
            if isinstance(failure, Exception):
                raise failure
            return failure

        async def acomplete(self, *_: Any, **__: Any) -> Any:
            return self.complete()

    memory = open_memory(Failing())
    added = memory.add([OSLO])
    assert added.positions == (1,)
    assert added.facts == 0
    assert memory.read("Where do I live?").text == f"1. {OSLO}"


def test_a_memory_reopened_asks_about_what_still_waits(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    with open_memory(ScriptedModel([DOWN]), url) as memory:
        memory.add([OSLO, ROME])
    model = reader(NESTS, SAME)
    with open_memory(model, url) as memory:
        assert memory.read("Where do I live?").receipt.pending == 2
        assert model.calls == []  # reading asks nothing
        memory.compile()
        assert memory.read("Where do I live?").positions == (2,)


def test_records_read_late_take_their_place_in_order() -> None:
    model = ScriptedModel([DOWN, reads(NESTS, SAME), reads(NESTS, SAME)])
    memory = open_memory(model)
    memory.add(OSLO)
    log = memory._log
    other = open_memory(reader(NESTS, SAME), log)
    other.add(ROME)
    memory.compile()
    assert [edge.object for edge in memory.current("user")] == ["Rome"]
    assert timeless(memory.read("Where do I live?")) == timeless(other.read("Where do I live?"))


def test_what_one_memory_had_read_another_picks_up(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    with open_memory(reader(NESTS, SAME), url) as one, open_memory(ScriptedModel([]), url) as other:
        assert not other.read("Where do I live?")
        one.add([OSLO, ROME])
        assert other.read("Where do I live?").positions == (2,)


def test_what_was_read_before_a_crash_is_kept() -> None:
    texts = [f"Note {n}: my code is K{n}." for n in range(500)]
    facts = {text: [("my", f"code {n}", f"K{n}")] for n, text in enumerate(texts)}
    frontend = LLMFrontend(align=False, batch_records=100)
    with open_log("sqlite://") as log:
        crashing = ScriptedModel([reads(facts)] * 3)
        memory = ContractMemory(SCOPE, store=log, model=crashing, frontend=frontend, concurrency=1, hub_limit=None)
        with pytest.raises(ScriptEndedError):
            memory.add(texts)
        assert len(list(memory.records())) == 500
        model = reader(facts)
        again = ContractMemory(SCOPE, store=log, model=model, frontend=frontend, concurrency=1, hub_limit=None)
        done = len(again.current("user"))
        assert done == 200  # a chunk of 200 is kept as soon as it is read
        progress: list[tuple[int, int]] = []
        again.compile(progress=lambda *counts: progress.append(counts))
        assert [text for batch in asked(model) for text in batch] == texts[done:]
        assert progress == [(200, 300), (300, 300)]
        assert len(again.current("user")) == 500


def test_a_compilation_stops_where_the_model_is_gone_and_goes_on_later() -> None:
    texts = [f"Note {n}." for n in range(250)]
    frontend = LLMFrontend(align=False, batch_records=200)
    model = ScriptedModel([reads({}), DOWN, reads({})])
    memory = ContractMemory(SCOPE, store="sqlite://", model=model, frontend=frontend)
    assert memory.add(texts).pending == 50
    assert memory.compile().calls == 1
    assert memory.read("x").receipt.pending == 0


def test_an_answer_that_cannot_be_read_is_not_asked_for_again() -> None:  # report 40
    memory = open_memory(ScriptedModel(["Sorry."]))
    added = memory.add([OSLO])
    assert (added.unresolved, added.pending, added.usage.unreadable) == (1, 0, 1)
    assert memory.compile() == Usage()
    assert memory.read("Where do I live?").text == f"1. {OSLO}"


def test_questions_are_never_sent() -> None:
    model = reader(NESTS, SAME)
    memory = open_memory(model)
    memory.add(OSLO)
    before = len(model.calls)
    memory.read("What is my zzyzx?")
    memory.read("What is my zzyzx?", as_of=1)
    assert len(model.calls) == before
    memory.add(ROME)
    assert not any("zzyzx" in message.content for call in model.calls for message in call.messages)


def test_a_forgotten_record_is_read_anew_if_it_comes_back() -> None:
    model = reader(NESTS, SAME)
    memory = open_memory(model)
    memory.add(OSLO)
    memory.forget()
    memory.add(OSLO)
    assert asked(model) == [[OSLO], [OSLO]]


def test_readings_do_not_reach_another_scope() -> None:  # report 39
    with open_log("sqlite://") as log:
        open_memory(reader(NESTS, SAME), log).add(OSLO)
        model = reader(NESTS, SAME)
        ContractMemory(("acme", "bo"), store=log, model=model, frontend=LLMFrontend()).add(OSLO)
        assert asked(model) == [[OSLO]]


def test_a_model_frontend_needs_a_model() -> None:
    with pytest.raises(ConfigError, match="`model` must be a ChatModel, because LLMFrontend reads with a model"):
        ContractMemory(SCOPE, store="sqlite://", frontend=LLMFrontend())


class Waiting:
    """A model that answers once the event loop says so: a loop that is blocked never does."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.asked = threading.Event()
        self._inner = reader(NESTS, SAME)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
    ) -> Completion:
        self.asked.set()
        if not self.go.wait(30):
            raise AssertionError("the event loop did not turn")
        return self._inner.complete(messages, schema=schema, temperature=temperature, max_tokens=max_tokens)

    async def acomplete(self, messages: Sequence[Message], **how: Any) -> Completion:
        return await asyncio.to_thread(self.complete, messages, **how)


async def let_go_once_asked(model: Waiting) -> None:
    while not model.asked.is_set():
        await asyncio.sleep(0.001)
    model.go.set()


@pytest.mark.parametrize("call", ["aadd", "acompile"])
async def test_while_the_model_reads_the_event_loop_turns(call: str) -> None:
    model = Waiting()
    if call == "aadd":
        memory = open_memory(model)
        work = memory.aadd([OSLO])
    else:
        down = open_memory(ScriptedModel([DOWN]))
        down.add([OSLO])
        memory = open_memory(model, down._log)
        work = memory.acompile()  # type: ignore[assignment]
    await asyncio.gather(work, let_go_once_asked(model))
    assert [edge.object for edge in memory.current("user")] == ["Oslo"]


async def test_a_read_does_not_wait_for_the_model() -> None:
    model = Waiting()
    memory = open_memory(model)
    adding = asyncio.create_task(memory.aadd([OSLO]))
    while not model.asked.is_set():
        await asyncio.sleep(0.001)
    found = await memory.aread("Where do I live?")
    assert (found.positions, found.receipt.pending) == ((1,), 1)
    model.go.set()
    assert (await adding).facts == 1
