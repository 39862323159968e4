"""The readers over a memory: windows that follow it, and cards that are kept with it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from memory_evidence.cmc import CardReader, ContractMemory, WindowReader
from memory_evidence.cmc.cards import CHUNK
from memory_evidence.errors import ModelError
from memory_evidence.models import Message, Usage
from memory_evidence.records import Draft
from memory_evidence.testing import ScriptedModel

SCOPE = ("acme", "ann")
PAGE = "The heron nests by the mill. "
LONG = PAGE + "filler " * ((CHUNK - len(PAGE)) // 7)
"""Fills a chunk alone."""


@pytest.fixture
def memory() -> Iterator[ContractMemory]:
    with ContractMemory(SCOPE, store="sqlite://") as memory:
        yield memory


def first_words(messages: Sequence[Message]) -> str:
    """Write one card a chunk, quoting the first three words of each record."""
    rows = json.loads(messages[-1].content)
    quotes = [" ".join(row["text"].split()[:3]) for row in rows]
    return json.dumps({"cards": [{"note": f"On {quotes[0]}.", "quotes": quotes[:4]}]})


# Windows


def test_windows_follow_what_is_added_and_forgotten(memory: ContractMemory) -> None:
    reader = WindowReader(memory)
    assert not reader.read("Where does the heron nest?")
    memory.add(PAGE)
    assert reader.read("Where does the heron nest?").text == f"1. {PAGE}"
    memory.add("A second heron.")
    assert "A second heron." in reader.read("Where does the heron nest?").text
    memory.forget()
    assert not reader.read("Where does the heron nest?")


def test_windows_are_the_same_however_often_they_are_read(memory: ContractMemory) -> None:
    memory.add([PAGE, "A second heron."])
    reader = WindowReader(memory)
    assert reader.read("heron") == reader.read("heron") == WindowReader(memory).read("heron")


@pytest.mark.parametrize(
    ("until", "expected"),
    [
        (None, [1, 2, 3, 4]),
        ("2024-05-03", [1, 2, 3]),
        ("2024-05-02T23:59:59", [1, 2]),
        ("2024-05-02", [1, 2]),
        ("2024-05-01T07:00", [2]),
        ("2023", [2]),
    ],
)
def test_records_later_than_a_time_are_left_out(memory: ContractMemory, until: str | None, expected: list[int]) -> None:
    times = ["2024-05-01T08:30:00", None, "2024-05-03T10:00:00", "2024-06-01"]
    memory.add([Draft(f"heron {time}", time=time) for time in times])
    reader = WindowReader(memory)
    for _ in range(2):
        found = reader.read("heron", until=until)
        assert [ref.record for window in found.windows for ref in window.refs] == expected


def test_windows_are_kept_within_a_budget(memory: ContractMemory) -> None:
    memory.add(PAGE)
    assert not WindowReader(memory, budget=10).read("heron")
    assert WindowReader(memory, budget=12, measure=lambda text: len(text.split())).read("heron")


async def test_windows_read_the_same_without_blocking(memory: ContractMemory) -> None:
    memory.add(PAGE)
    reader = WindowReader(memory)
    assert await reader.aread("heron") == reader.read("heron")


# Cards


def test_cards_are_written_once_a_chunk_and_read_without_the_model(memory: ContractMemory) -> None:
    memory.add([LONG, PAGE])
    model = ScriptedModel([first_words] * 2)
    reader = CardReader(memory, model)
    progress: list[tuple[int, int]] = []
    usage = reader.write(progress=lambda done, total: progress.append((done, total)))
    assert (usage.calls, progress) == (2, [(1, 2), (2, 2)])
    found = reader.read("heron")
    assert found.text == '- On The heron nests.\n  1. "The heron nests"\n- On The heron nests.\n  2. "The heron nests"'
    assert reader.write() == Usage()
    assert len(model.calls) == 2


def test_cards_are_kept_with_the_memory(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    with ContractMemory(SCOPE, store=url) as memory:
        memory.add([PAGE])
        CardReader(memory, ScriptedModel([first_words])).write()
    with ContractMemory(SCOPE, store=url) as memory:
        reader = CardReader(memory, ScriptedModel([]))
        assert reader.write() == Usage()
        assert reader.read("heron").text == '- On The heron nests.\n  1. "The heron nests"'


def test_a_chunk_that_grew_is_written_again(memory: ContractMemory) -> None:
    reader = CardReader(memory, ScriptedModel([first_words] * 2))
    memory.add(PAGE)
    reader.write()
    memory.add("A second heron came.")
    assert reader.read("heron").cards[0].is_excerpt
    reader.write()
    assert [ref.record for ref in reader.read("heron").cards[0].quotes] == [1, 2]


def test_equal_chunks_share_their_cards_but_not_their_places(memory: ContractMemory) -> None:
    memory.add([LONG, LONG])
    reader = CardReader(memory, ScriptedModel([first_words]))
    reader.write()
    assert [card.quotes[0].record for card in reader.read("heron").cards] == [1, 2]


def test_a_chunk_without_cards_is_read_as_an_excerpt(memory: ContractMemory) -> None:
    memory.add([LONG, "Bread is sold at the mill."])
    reader = CardReader(memory, ScriptedModel(["Sorry, no.", first_words]))
    assert reader.write().unreadable == 1
    assert [card.is_excerpt for card in reader.read("heron bread").cards] == [True, False]
    assert reader.read("heron").text.startswith('[excerpt]\n  1. "The heron nests by the mill.')
    assert reader.write() == Usage()  # an answer that could not be read is not asked for again


def test_a_model_that_cannot_be_reached_is_asked_again_by_the_next_call(memory: ContractMemory) -> None:
    memory.add([LONG, PAGE])
    down = ModelError("complete", "timed out")
    reader = CardReader(memory, ScriptedModel([first_words, down, first_words]))
    assert reader.write().calls == 2
    assert [card.is_excerpt for card in reader.read("heron").cards] == [False, True]
    assert reader.write().calls == 1
    assert [card.is_excerpt for card in reader.read("heron").cards] == [False, False]


def test_cards_do_not_reach_another_scope() -> None:  # report 39
    with ContractMemory(SCOPE, store="sqlite://") as memory:
        memory.add(PAGE)
        CardReader(memory, ScriptedModel([first_words])).write()
        with ContractMemory(("acme", "bo"), store=memory._log) as other:
            other.add(PAGE)
            assert CardReader(other, ScriptedModel([])).read("heron").cards[0].is_excerpt


async def test_cards_are_written_and_read_the_same_without_blocking(memory: ContractMemory) -> None:
    memory.add(PAGE)
    reader = CardReader(memory, ScriptedModel([first_words]))
    assert (await reader.awrite()).calls == 1
    assert await reader.aread("heron") == reader.read("heron")
