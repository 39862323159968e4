"""Step ids at the end of the numbers: nothing is stored that could not be read again."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from memory_evidence.errors import InputError, StoreError
from memory_evidence.records import Draft
from memory_evidence.store import Log, open_log
from memory_evidence.tallymem import DurableTallyMem, Step, TallyMem, Trajectory
from memory_evidence.tallymem.trajectory import LAST_ID

SCOPE = ("acme", "ann")
PLACE = (*SCOPE, "tallymem")


@pytest.fixture(params=["memory", "file", "postgres"])
def log(request: pytest.FixtureRequest) -> Iterator[Log]:
    url = "sqlite://" if request.param == "memory" else request.getfixturevalue(f"{request.param}_url")
    with open_log(url) as log:
        yield log


def opened(log: Log) -> DurableTallyMem:
    return TallyMem.open(SCOPE, store=log)


def old_record(id: object) -> Draft:
    """Return a step as an earlier release stored it, whatever its id."""
    text = json.dumps({"action": "look", "id": id, "observation": "x", "observed": "text"})
    return Draft(text, "agent", key=f"step:{id}")


@pytest.mark.parametrize("id", [-1, 2**53, 2**63 - 1, 2**63, 10**400, True, 1.0])
def test_an_id_that_a_store_cannot_hold_makes_no_step(id: int):
    with pytest.raises(InputError, match=r"below 2\*\*53"):
        Step(id, "look", "x")
    with pytest.raises(InputError):
        Trajectory.from_pairs([("look", "x")], first=id) if type(id) is int else Step(id, "look")


def test_the_largest_id_is_kept_and_read_again(log: Log):
    live = opened(log)
    live.append(Step(LAST_ID, "look", "x"))
    again = opened(log)
    assert again.trajectory == Trajectory((Step(LAST_ID, "look", "x"),))
    assert again.evidence("How many times did it look?").computed.results[0].value == 1


def test_behind_the_largest_id_nothing_is_recorded(log: Log):
    live, other = opened(log), opened(log)
    live.append(Step(LAST_ID, "look", "x"))
    for memory in (live, other):
        with pytest.raises(InputError, match="largest id"):
            memory.record("look", "again")
    assert len(list(log.records(PLACE))) == 1
    assert len(opened(log).ledger) == 1
    assert live.forget() == 1
    assert live.record("look", "anew").step == 0


def test_a_record_that_came_in_between_the_look_and_the_writing_is_told(log: Log, monkeypatch: pytest.MonkeyPatch):
    live, write = opened(log), log.append

    def overtaken(scope: tuple[str, ...], drafts: list[Draft]) -> list[int]:
        monkeypatch.undo()
        opened(log).append(Step(LAST_ID, "look", "x"))
        return write(scope, drafts)

    monkeypatch.setattr(log, "append", overtaken)
    with pytest.raises(InputError, match="largest id"):
        live.record("take", "y")
    assert [step.action for step in opened(log).trajectory] == ["look"]
    assert [step.action for step in live.trajectory] == ["look"]


@pytest.mark.parametrize("id", [2**53, 2**63 - 1, 2**63])
def test_a_scope_that_holds_such_a_record_says_so_and_can_be_forgotten(log: Log, id: int):
    live = opened(log)
    live.append(Step(1, "look", "x"))
    log.append(PLACE, [old_record(id)])
    for use in (lambda: opened(log), live.refresh, lambda: live.evidence("How many?"), lambda: live.record("look")):
        with pytest.raises(StoreError, match=r"record 2 of the scope .*below 2\*\*53.*forget"):
            use()
    assert live.forget() == 1
    assert list(log.records(PLACE)) == []
    live.append(Step(1, "look", "x"))
    assert len(opened(log).ledger) == 1


def test_what_cannot_be_opened_is_deleted_as_the_message_says(log: Log):
    log.append(PLACE, [old_record(2**63)])
    with pytest.raises(StoreError, match="tallymem"):
        opened(log)
    log.forget(PLACE)
    assert opened(log).record("look").step == 0
