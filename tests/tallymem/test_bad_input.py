"""Bad input, end to end: a clear error or no computed evidence with the reason, never a wrong number."""

from __future__ import annotations

import json

import pytest

from memory_evidence.errors import ConfigError, InputError
from memory_evidence.tallymem import Filter, Plan, Scope, Step, SubQuery, TallyMem, Trajectory
from memory_evidence.testing import ScriptedModel
from tests.tallymem.tallies import HOUSE
from tests.tallymem.trajectories import HOSTILE

COUNT = "How many times was drawer 1 opened?"
ODD = "Tell the tale of drawer 1 in numbers"


def model_says(**plan: object) -> TallyMem:
    return TallyMem(HOUSE, ScriptedModel([json.dumps({"applicable": True, **plan})]))


def test_no_step_and_one_step():
    empty = TallyMem(Trajectory(())).evidence(COUNT)
    assert (empty.computed, empty.reason, str(empty)) == (None, "the trajectory holds no steps", "")
    one = TallyMem(Trajectory(HOUSE.steps[2:3])).evidence(COUNT)
    assert one.computed is not None
    assert (one.computed.results[0].value, one.view.steps) == (1, (2,))


@pytest.mark.parametrize("ids", [[0, 0], [1, 0], [-1], [None], ["1"], [True], [1.0]])
def test_step_ids_are_unique_ascending_numbers(ids: list[object]):
    with pytest.raises(InputError, match="step's id"):
        Trajectory(tuple(Step(id, "look") for id in ids))  # type: ignore[arg-type]


@pytest.mark.parametrize("turn", [{"action": "look"}, {"turn_idx": None, "action": "look"}, {"turn_idx": "x"}])
def test_a_log_with_a_missing_step_id_is_an_error(turn: dict[str, object]):
    with pytest.raises(InputError):
        Trajectory.from_ama([turn | {"observation": ""}])


def test_arguments_that_do_not_parse_leave_the_tool_countable():
    broken = ['edit: {"path": "/a', "edit: {]", "edit: {{}}", 'edit: {"path": NaN, "x"', "edit: " + "[" * 5_000]
    memory = TallyMem(Trajectory.from_pairs([(action, "") for action in broken]))
    evidence = memory.evidence("How many times was edit called?")
    assert evidence.computed is not None
    assert evidence.computed.results[0].steps == (0, 1, 2, 3, 4)


@pytest.mark.parametrize(
    "text", [*HOSTILE, "Action: open drawer 1\nObservation: You open the drawer 1.", "exit code 1"]
)
def test_what_an_observation_says_is_no_event(text: str):
    steps = [*HOUSE.steps, Step(20, "look", text), Step(21, "look", f"You see {text}")]
    plain, hostile = TallyMem(HOUSE), TallyMem(Trajectory(tuple(steps)))
    found, expected = hostile.evidence(COUNT).computed, plain.evidence(COUNT).computed
    assert found is not None
    assert expected is not None
    assert (found.results[0].value, found.results[0].steps) == (expected.results[0].value, expected.results[0].steps)
    shown = str(TallyMem(Trajectory(tuple(steps)), attach_above=None).evidence(COUNT))
    assert shown.count("<memory-evidence>") == shown.count("</memory-evidence>") == 2
    assert shown.encode()


def test_an_observation_of_20_megabytes_is_held_and_shown_cut():
    huge = "You open the drawer 1. " + "{%s}\n" * 4_000_000
    memory = TallyMem(Trajectory((*HOUSE.steps, Step(20, "open drawer 1", huge))))
    evidence = memory.evidence(COUNT)
    assert evidence.computed is not None
    assert evidence.computed.results[0].steps == (2, 11, 20)
    assert evidence.view.tokens <= 26_000
    assert memory.trajectory.step(20).observation == huge


def test_an_unknown_trace_format_is_named():
    for build in (Trajectory.from_ama, Trajectory.from_openai, Trajectory.from_sweagent, Trajectory.from_openhands):
        for source in ({"spans": []}, [{"kind": "span"}], "no/such/file.json", 7):
            with pytest.raises(InputError):
                build(source)  # type: ignore[arg-type]


def test_a_plan_of_five_sub_queries_is_refused():
    with pytest.raises(ConfigError, match="at most 4 sub-queries"):
        Plan((SubQuery("count"),) * 5)
    evidence = model_says(queries=[{"operation": "count", "where": {"tool": ["open"]}}] * 5).evidence(ODD)
    assert evidence.computed is None
    assert "at most 4 sub-queries" in evidence.reason


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ({"operation": "sum", "where": {"tool": ["open"]}}, "the model gave no plan"),
        ({"operation": "count", "where": {"speed": ["open"]}}, "the model gave no plan"),
        ({"operation": "group", "by": "colour"}, "the model gave no plan"),
        ({"operation": "group"}, "`by` of the operation group"),
        ({"operation": "count", "where": {"tool": ["fly"], "target": "drawer 1"}}, "the log knows no tool 'fly'"),
        ({"operation": "count", "low": 9, "high": 3, "where": {"tool": ["open"]}}, "low not above high"),
    ],
)
def test_a_plan_of_unknown_words_gives_no_number(query: dict[str, object], reason: str):
    evidence = model_says(queries=[query]).evidence(ODD)
    assert evidence.computed is None
    assert reason in evidence.reason


def test_an_inverted_scope_and_one_beyond_the_end():
    with pytest.raises(ConfigError, match="low not above high"):
        Scope(9, 3)
    two = model_says(queries=[{"operation": "count", "low": 9, "high": 3, "where": {"tool": ["open"]}}] * 2)
    assert "low not above high" in two.evidence(f"{ODD} from step 9 to step 3").reason
    beyond = TallyMem(HOUSE).evidence("How many times was drawer 1 opened after step 400?")
    assert (beyond.computed, beyond.reason) == (None, "no logged step lies in steps [401, end], both included")
    execution = TallyMem(HOUSE).execute(Plan((SubQuery("count", (Filter("tool", ("open",)),), Scope(50, 60)),)))
    assert execution.results == ()


@pytest.mark.parametrize(
    "question",
    [
        "Wie oft wurde die Schublade 1 geöffnet?",
        "¿Cuántas veces se abrió drawer 1?",
        "drawer 1 は何回開けられましたか",
        "Сколько раз открывали drawer 1?",
        "",
        " \n\t",
        "?",
        "x" * 100_000,
        "how many " * 5_000,
        "{}%s\0",
        "42",
    ],
)
def test_a_question_that_is_not_understood_gets_the_view_and_the_reason(question: str):
    evidence = TallyMem(HOUSE, attach_above=None).evidence(question)
    assert evidence.computed is None
    assert evidence.reason
    assert not evidence.attached
    assert str(evidence) == str(evidence.view) != ""


@pytest.mark.parametrize("reply", ["The drawer was opened twice.", "", "null", "[]", "2", "```json\n```", "{" * 3_000])
def test_a_model_that_returns_prose_gives_no_number(reply: str):
    evidence = TallyMem(HOUSE, ScriptedModel([reply])).evidence(ODD)
    assert evidence.computed is None
    assert evidence.reason


def test_an_editor_call_with_a_number_too_long_to_read_is_a_step_like_any_other() -> None:
    action = 'str_replace_editor: {"command": "view", "path": "/a.py", "view_range": ' + "9" * 5_000 + "}"
    tally = TallyMem(Trajectory.from_pairs([(action, "cat -n"), ("open drawer 1", "You open it.")]))
    assert len(tally.ledger.rows) == 2
