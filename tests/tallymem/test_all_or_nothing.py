"""An append that fails leaves a memory as it was, whichever of its parts refused."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from memory_evidence.errors import InputError
from memory_evidence.store import open_log
from memory_evidence.tallymem import Step, TallyMem, Trajectory
from memory_evidence.tallymem.files import FileGraph
from memory_evidence.tallymem.receipts import Receipt
from memory_evidence.testing import ScriptedModel

# The second change names a group that the pattern has not, so that reading such a step fails half way.
BROKEN = Receipt(re.compile(r"bent (?P<x>\w+)"), changes=(("{x}", "shape", "bent", ""), ("{y}", "shape", "bent", "")))
START = Trajectory.from_pairs([("look", "a room"), ("open door", "it opens")])
BAD = Step(2, "bend spoon", "bent spoon")
QUESTION = "How many times was the door opened?"


def memory() -> TallyMem:
    return TallyMem(START, receipts=(BROKEN,))


def assert_as_it_was(memory: TallyMem, whole: Trajectory = START) -> None:
    fresh = TallyMem(whole, receipts=(BROKEN,))
    assert memory.trajectory == whole
    assert list(memory.ledger.rows) == list(fresh.ledger.rows)
    one, other = memory.evidence(QUESTION), fresh.evidence(QUESTION)
    assert one.view == other.view
    assert one.computed == other.computed


@pytest.mark.parametrize(
    "add",
    [
        lambda memory: memory.append(BAD),
        lambda memory: memory.extend([Step(2, "open door", "it opens"), Step(3, "bend spoon", "bent spoon")]),
    ],
)
def test_a_step_that_the_ledger_cannot_read_is_nowhere(add: Callable[[TallyMem], object]):
    live = memory()
    with pytest.raises(KeyError):
        add(live)
    assert_as_it_was(live)
    after = Step(2, "open door", "it opens")
    live.append(after)
    assert_as_it_was(live, Trajectory((*START, after)))


def test_a_step_that_the_index_cannot_read_is_nowhere(monkeypatch: pytest.MonkeyPatch):
    live = memory()

    def fails(self: FileGraph, step: Step) -> None:
        raise RuntimeError("no")

    with monkeypatch.context() as broken:
        broken.setattr(FileGraph, "add", lambda self, step: fails(self, step) if step.id == 2 else None)
        with pytest.raises(RuntimeError):
            live.append(Step(2, "open door", "it opens"))
    assert_as_it_was(live)


def test_a_number_that_is_not_above_the_last_builds_nothing_again():
    live = memory()
    ledger = live.ledger
    with pytest.raises(InputError):
        live.append(Step(1, "look"))
    with pytest.raises(InputError):
        live.extend([Step(2, "look"), Step(2, "look")])
    assert live.ledger is ledger
    assert_as_it_was(live)


def test_what_was_annotated_stays_when_an_append_fails():
    answer = '{"rows": [{"id": 0, "outcome": "success", "quote": "a room"}]}'
    live = TallyMem(START, ScriptedModel([answer]), receipts=(BROKEN,))
    live.annotate()
    rows = list(live.ledger.rows)
    assert any(row.annotated for row in rows)
    with pytest.raises(KeyError):
        live.append(BAD)
    assert list(live.ledger.rows) == rows


def test_a_stored_step_that_cannot_be_read_fails_alike_each_time_and_takes_nothing_along():
    with open_log("sqlite://") as log:
        live = TallyMem.open(("acme",), store=log, receipts=(BROKEN,))
        live.extend(START)
        for _ in range(2):
            with pytest.raises(KeyError):
                live.append(BAD)
            assert live.trajectory == START
            assert len(live.ledger) == len(START)
        assert len(TallyMem.open(("acme",), store=log).ledger) == 3  # the step is stored; its reading was at fault
