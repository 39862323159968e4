"""A trajectory in a store: nothing is lost, nothing is mixed up, nothing is read twice."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.cmc import ContractMemory
from memory_evidence.errors import ConfigError, InputError, ModelError, ScopeError, StoreError
from memory_evidence.records import Draft
from memory_evidence.store import Log, open_log
from memory_evidence.tallymem import DurableTallyMem, Ledger, Step, TallyMem, Trajectory, actions, reading
from memory_evidence.tallymem.coding import decode, decode_row, encode_row, encode_step
from memory_evidence.tallymem.receipts import Receipt
from memory_evidence.testing import ScriptedModel
from tests.tallymem.tallies import CODE, HOUSE, call
from tests.tallymem.trajectories import trajectories

SCOPE = ("acme", "ann")
QUESTION = "How many times was drawer 1 opened up to step 40?"


@pytest.fixture(params=["memory", "file", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    """A place for trajectories, on every kind of store."""
    return "sqlite://" if request.param == "memory" else request.getfixturevalue(f"{request.param}_url")


@pytest.fixture
def log(url: str) -> Iterator[Log]:
    with open_log(url) as log:  # type: ignore[attr-defined]
        yield log


def opened(log: Log | str, **options: object) -> DurableTallyMem:
    return TallyMem.open(SCOPE, store=log, **options)  # type: ignore[arg-type]


def same(one: TallyMem, other: TallyMem) -> bool:
    evidence = [memory.evidence(QUESTION) for memory in (one, other)]
    return (
        one.trajectory == other.trajectory
        and list(one.ledger.rows) == list(other.ledger.rows)
        and evidence[0].view == evidence[1].view
        and evidence[0].computed == evidence[1].computed
    )


def test_what_is_appended_is_there_when_it_is_opened_again(log: Log):
    live = opened(log)
    for step in HOUSE:
        live.append(step)
    assert same(opened(log), TallyMem(HOUSE))
    assert same(live, TallyMem(HOUSE))


def test_a_closed_file_holds_everything(file_url: str):
    with opened(file_url) as live:
        live.extend(HOUSE)
    with opened(file_url) as again:
        assert same(again, TallyMem(HOUSE))
    with pytest.raises(StoreError, match="closed"):
        again.evidence(QUESTION)


def test_opening_again_parses_no_step_and_asks_no_model(log: Log, monkeypatch: pytest.MonkeyPatch):
    rows = [{"id": step.id, "outcome": "success", "quote": step.observation} for step in CODE]
    live = opened(log, model=ScriptedModel([json.dumps({"rows": rows})]))
    live.extend(CODE)
    live.annotate()
    monkeypatch.setattr(reading, "read_action", None)
    again = opened(log, model=ScriptedModel([]))
    assert list(again.ledger.rows) == list(live.ledger.rows)
    assert again.trajectory == live.trajectory
    assert again.annotate().calls == 0


def test_a_step_appended_to_an_opened_one_is_the_only_one_that_is_parsed(log: Log, monkeypatch: pytest.MonkeyPatch):
    opened(log).extend(CODE)
    again = opened(log)
    parsed: list[int] = []
    monkeypatch.setattr(reading, "read_action", lambda step, prefixes: parsed.append(step.id) or _parse(step, prefixes))
    again.append(Step(20, "look"))
    assert parsed == [20]
    # Compared to the last call of the same tool and path, whose arguments are read for that.
    row = again.append(Step(21, call("str_replace_editor", command="str_replace", path="/shop/cart.py", old_str="q")))
    assert row.difference == "old_str: y -> q; new_str: z -> none"
    assert parsed == [20, 21, 8]


_parse = actions.read_action


@given(trajectories(), st.integers(0, 12), st.integers(0, 12))
def test_rows_are_the_same_however_often_the_trajectory_was_opened(whole: Trajectory, first: int, second: int):
    with open_log("sqlite://") as log:  # type: ignore[attr-defined]
        for part in (whole.steps[:first], whole.steps[first : first + second], whole.steps[first + second :]):
            opened(log).extend(part)
        again = opened(log)
        assert again.trajectory == whole
        assert list(again.ledger.rows) == list(Ledger(whole).rows)


@given(st.integers(0, 14), st.integers(0, 10))
def test_states_and_differences_go_on_where_they_were(house: int, code: int):
    for whole, at in ((HOUSE, house), (CODE, code)):
        with open_log("sqlite://") as log:  # type: ignore[attr-defined]
            opened(log).extend(whole.steps[:at])
            again = opened(log)
            again.extend(whole.steps[at:])
            assert list(again.ledger.rows) == list(Ledger(whole).rows)


def test_receipts_of_ones_own_go_on_as_well(log: Log):
    told = Receipt(re.compile(r"lamp (?P<v>on|off)"), changes=(("lamp", "content", "{v}", ""),))
    steps = [Step(n, call("edit", path="lamp"), f"lamp {v}") for n, v in enumerate(("on", "on", "off", "off"))]
    opened(log, receipts=[told]).extend(steps[:1])
    again = opened(log, receipts=[told])
    again.extend(steps[1:])
    assert list(again.ledger.rows) == list(Ledger(steps, receipts=[told]).rows)
    # Read under other options the rows are others, kept apart.
    assert [row.changes for row in opened(log).ledger.rows] == [()] * 4


def test_the_task_is_kept_with_the_steps(log: Log):
    live = opened(log)
    live.extend(Trajectory(HOUSE.steps[:3], "Find the spoon."))
    live.extend(Trajectory(HOUSE.steps, "Another."))
    assert opened(log).trajectory == Trajectory(HOUSE.steps, "Find the spoon.")


def test_the_same_step_again_changes_nothing_and_another_is_refused(log: Log):
    live = opened(log)
    live.extend(HOUSE)
    row = live.append(HOUSE.steps[3])
    assert row == live.ledger.row(3)
    live.extend(HOUSE)
    assert len(live.trajectory) == len(HOUSE)
    with pytest.raises(InputError, match="given to one step only"):
        live.append(Step(3, "look"))
    live.append(Step(20, "look"))
    with pytest.raises(InputError, match="above that of the last step, 20"):
        live.extend([Step(15, "look"), Step(21, "look")])
    with pytest.raises(InputError, match="a step must be a Step"):
        live.append("look")  # type: ignore[arg-type]
    assert [step.id for step in opened(log).trajectory][-2:] == [13, 20]


def test_a_step_that_came_second_with_the_smaller_number_is_refused_everywhere(log: Log):
    one, other = opened(log), opened(log)
    one.append(Step(5, "look"))
    append = log.append

    def late(scope, drafts):
        log.append = append  # type: ignore[method-assign]
        other.append(Step(7, "inventory"))
        return append(scope, drafts)

    log.append = late  # type: ignore[method-assign]
    with pytest.raises(InputError, match="above that of the last step, 7"):
        one.append(Step(6, "open drawer 1"))
    one.append(Step(8, "look"))
    for memory in (one, other, opened(log)):
        memory.refresh()
        assert [step.id for step in memory.trajectory] == [5, 7, 8]


def test_recorded_steps_are_numbered_by_the_log(log: Log):
    live = opened(log)
    assert live.record("look", "A room.").step == 0
    live.append(Step(4, "look"))
    assert live.record("go to desk 1", None).step == 5
    assert live.trajectory.step(5).observed == "missing"
    assert live.record("bash", "", tool="bash", arguments="{}", call_id="c1", key="turn 3").step == 6
    assert opened(log).record("bash", "", tool="bash", arguments="{}", call_id="c1", key="turn 3").step == 6
    assert opened(log).trajectory == live.trajectory
    with pytest.raises(InputError, match="the action of step 0"):
        live.record(7)  # type: ignore[arg-type]


def test_two_memories_see_what_the_other_wrote(log: Log):
    one, other = opened(log), opened(log)
    one.extend(HOUSE.steps[:5])
    assert other.evidence(QUESTION).computed.results[0].value == 1
    other.extend(HOUSE.steps[5:])
    assert same(one, other)
    assert one.execute(one.plan(QUESTION)) == other.execute(other.plan(QUESTION))


def test_scopes_and_other_techniques_are_kept_apart(log: Log):
    opened(log).extend(HOUSE)
    contracts = ContractMemory(SCOPE, store=log)
    contracts.add("Ann lives in Oslo.")
    assert len(list(contracts.records())) == 1
    assert len(opened(log).trajectory) == len(HOUSE)
    for scope in (("acme",), ("acme", "an"), ("acmeann",), ("acme", "ann", "x")):
        assert len(TallyMem.open(scope, store=log).trajectory) == 0
    for scope in ("acme", (), ("a", "")):
        with pytest.raises(ScopeError):
            TallyMem.open(scope, store=log)


def test_what_one_forgets_the_other_has_forgotten(log: Log):
    one, other = opened(log), opened(log)
    one.extend(HOUSE)
    other.refresh()
    assert one.forget() == len(HOUSE)
    assert other.evidence(QUESTION).reason == "the trajectory holds no steps"
    other.append(Step(3, "close drawer 1", "You close the drawer 1."))
    assert one.evidence(QUESTION).view.steps == (3,)
    assert same(one, TallyMem(Trajectory((Step(3, "close drawer 1", "You close the drawer 1."),))))


def test_annotations_are_kept_and_seen_by_others(log: Log):
    one = opened(log, model=ScriptedModel([json.dumps({"rows": [{"id": 0, "act": "gaze", "targets": ["room"]}]})]))
    other = opened(log)
    one.extend(HOUSE)
    other.refresh()
    one.annotate()
    assert other.evidence(QUESTION).computed is not None
    assert other.ledger.row(0).targets == opened(log).ledger.row(0).targets == ("room",)
    other.append(Step(30, "look", "A room."))
    assert not other.ledger.row(30).annotated


async def test_an_annotation_that_breaks_off_has_kept_what_was_read(log: Log):
    def answer(messages):
        if any(step["id"] == 210 for step in json.loads(messages[-1].content)):
            raise AssertionError("the machine went down")
        return json.dumps({"rows": [{"id": step["id"]} for step in json.loads(messages[-1].content)]})

    live = opened(log, model=ScriptedModel([answer] * 20))
    live.extend([Step(n, "look", "A room.") for n in range(260)])
    with pytest.raises(AssertionError):
        await live.aannotate()
    again = opened(log, model=ScriptedModel([ModelError("chat", "refused")] * 3), concurrency=1)
    assert sum(row.annotated for row in again.ledger.rows) == 200
    assert again.annotate().calls == 3


def test_what_is_damaged_is_read_again(log: Log, caplog: pytest.LogCaptureFixture):
    live = opened(log)
    live.extend(HOUSE)
    place, made = live._place, live._kept.rows_name
    log.save_compiled(place, made, {live._key(2): b"{", live._key(3): b"[1]"})
    with caplog.at_level(logging.WARNING):
        assert same(opened(log), live)
    assert len(caplog.records) == 2
    assert caplog.clear() is None
    assert same(opened(log), live)
    assert not caplog.records


def test_a_row_is_never_taken_for_that_of_the_same_step_in_another_log(log: Log):
    first, second = (Step(n, "open drawer 1", "You open the drawer 1.") for n in (1, 2))
    live = opened(log)
    live.append(first)
    assert live.append(second).changes == ()  # it was open
    place, made, late = live._place, live._kept.rows_name, {live._key(2): encode_row(live.ledger.row(2))}
    live.forget()
    live.append(second)
    log.save_compiled(place, made, late)  # by a process that had not heard of it
    assert str(opened(log).ledger.row(2).changes[0]) == "drawer 1.state -> open"


@pytest.mark.parametrize("text", ["Ann lives in Oslo.", "[]", "{}", '{"id": 1}', '{"action": 1}', "[" * 2_000])
def test_a_record_that_is_no_step_is_an_error(text: str):
    with open_log("sqlite://") as log:  # type: ignore[attr-defined]
        log.append((*SCOPE, "tallymem"), [Draft(text)])
        with pytest.raises(StoreError, match=r"record 1 of the scope .* is no step"):
            opened(log)


async def test_the_async_twins_do_the_same(log: Log):
    live = opened(log)
    await live.aextend(HOUSE.steps[:10])
    await live.aappend(HOUSE.steps[10])
    row = await live.arecord("look", "A room.", key="k")
    assert row.step == 11
    assert (await live.aevidence(QUESTION)).view.steps == tuple(range(12))
    await live.arefresh()
    assert await live.aforget() == 12


@given(trajectories())
def test_steps_and_rows_come_back_as_they_were(whole: Trajectory):
    for step, row in zip(whole, Ledger(whole).rows, strict=True):
        assert decode(encode_step(step), 99) == step
        assert decode(encode_step(step, numbered=False), step.id) == step
        assert decode_row(encode_row(row), step) == row


def test_arguments_are_checked_before_anything_is_opened(tmp_path):
    with pytest.raises(ConfigError, match="samples"):
        TallyMem.open(SCOPE, store=f"sqlite:///{tmp_path / 'm.db'}", samples=1)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(StoreError):
        TallyMem.open(SCOPE, store=f"sqlite:///{tmp_path / 'none' / 'm.db'}")
