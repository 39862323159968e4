"""What a model says about a plan is checked: nothing of it is dropped unseen, and nothing invented counts."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import pytest

from memory_evidence.errors import ConfigError
from memory_evidence.tallymem import Filter, Plan, Scope, Step, SubQuery, TallyEvidence, TallyMem, Trajectory
from memory_evidence.testing import ScriptedModel
from tests.tallymem.tallies import HOUSE

OPENED = {"tool": ["open"], "target": ["drawer 1"]}


def ask(question: str, *queries: Mapping[str, object]) -> TallyEvidence:
    """Ask with a model that answers every call with these queries."""
    answer = json.dumps({"applicable": True, "queries": queries})
    memory = TallyMem(HOUSE, ScriptedModel([answer] * 3), compiler="model", attach_above=None)
    return memory.evidence(question)


def values(evidence: TallyEvidence) -> list[object]:
    return [result.value for result in evidence.computed.results] if evidence.computed else []


@pytest.mark.parametrize("part", ["where", "exclude", "after", "before"])
@pytest.mark.parametrize("terms", [[{"a": 1}], [None, []], [1.5], [True], {"open": 1}, 1.5, True, ["open", None]])
def test_a_term_that_is_no_text_makes_the_plan_unreadable(part: str, terms: object):
    found = ask("How often was it opened?", {"operation": "count", part: {"tool": terms, "target": "drawer 1"}})
    assert found.computed is None
    assert "the model gave no plan" in found.reason


def test_a_text_or_a_whole_number_alone_is_a_term():
    assert values(ask("How often was it opened?", {"operation": "count", "where": {"tool": "open"}})) == [3]
    assert "no exit_code '0'" in ask("How often?", {"operation": "count", "where": {"exit_code": 0}}).reason


@pytest.mark.parametrize("operation", ["count", "first", "last", "list", "timeline", "breakdown"])
def test_a_second_count_makes_nothing_but_a_difference_or_a_ratio(operation: str):
    query = {"operation": operation, "where": {"tool": "open"}, "versus": {"tool": "take"}}
    found = ask("How often was it opened?", query)
    assert found.computed is None
    assert "only difference and ratio" in found.reason
    with pytest.raises(ConfigError, match="only difference and ratio"):
        SubQuery(operation, (Filter("tool", ("open",)),), versus=(Filter("tool", ("take",)),))  # type: ignore[arg-type]


def test_a_difference_compares_two_counts():
    query = {"operation": "difference", "where": {"tool": "open"}, "versus": {"tool": "take"}}
    assert values(ask("How many more openings than takings?", query)) == [1]
    plan = Plan((SubQuery("ratio", (Filter("tool", ("open",)),), versus=(Filter("tool", ("take",)),)),))
    assert TallyMem(HOUSE).execute(plan).results[0].value == 1.5


@pytest.mark.parametrize(("low", "high"), [(0, 1), (1, 2), (2, None), (None, 0)])
def test_the_number_in_a_name_is_no_bound(low: int | None, high: int | None):
    query = {"operation": "count", "where": OPENED, "low": low, "high": high}
    found = ask("How many times was drawer 1 opened?", query)
    assert values(found) == [2]
    assert found.computed.results[0].scope == (0, 13)


@pytest.mark.parametrize(
    "question",
    [
        "How many times was the first drawer, number 5, opened?",
        "How often did it open drawers in fewer than five moves?",
        "How often was it opened before 5?",
    ],
)
def test_a_bound_that_the_question_may_not_state_gives_no_number(question: str):
    found = ask(question, {"operation": "count", "where": {"tool": "open"}, "high": 5})
    assert found.computed is None
    assert "states as a bound" in found.reason


def test_a_bound_stated_as_a_step_counts_beside_a_name_with_the_same_number():
    names = {"operation": "count", "where": OPENED}
    found = ask("Openings of drawer 1 up to step 2, and after step 2?", {**names, "high": 2}, {**names, "low": 3})
    assert values(found) == [1, 1]
    assert values(ask("How many times was drawer 1 opened up to step 2?", names)) == [1]


def test_bounds_that_are_counted_out_come_from_the_question():
    opened = {"operation": "count", "where": {"tool": "open"}}
    assert values(ask("How many openings in the last 3 steps?", {**opened, "low": 1})) == [1]
    two = ask("Openings in the first 6 steps, and in the last 3 steps?", {**opened, "high": 5}, {**opened, "low": 11})
    assert two.computed is None


def test_bounds_that_cut_nothing_off_are_none():
    query = {"operation": "count", "where": OPENED, "low": 0, "high": 13}
    assert values(ask("How often was drawer 1 opened while it rained?", query)) == [2]


SEARCHES = Trajectory.from_pairs([("search: x" if n % 2 else "open: notes", "ok") for n in range(60)])


def of_searches(question: str, *queries: Mapping[str, object]) -> TallyEvidence:
    answer = json.dumps({"applicable": True, "queries": queries})
    return TallyMem(SEARCHES, ScriptedModel([answer]), compiler="model", attach_above=None).evidence(question)


SEARCH = {"operation": "count", "where": {"tool": "search"}}


@pytest.mark.parametrize(
    "part",
    [
        "in the first half",
        "in the final quarter",
        "over the last third",
        "halfway through",
        "in the beginning",
        "early on",
        "recently",
        "in the last few steps",
        "during the first couple of minutes",
        "in the middle",
        "in the first 20%",
    ],
)
@pytest.mark.parametrize("bounds", [{}, {"high": 29}, {"low": 30}])
def test_a_part_of_the_log_that_is_told_without_steps_gives_no_number(part: str, bounds: dict[str, int]):
    found = of_searches(f"how frequently did the thing get searched {part} lol", {**SEARCH, **bounds})
    assert found.computed is None
    assert "the numbers of steps" in found.reason


@pytest.mark.parametrize(
    "question",
    [
        "how many searches lol until the 21st step",
        "how many searches lol until the third step",
        "lol searches, all of them to step 10",
        "lol searches from step 40 onwards and whatever",
    ],
)
def test_a_bound_that_the_question_states_and_the_plan_lacks_gives_no_number(question: str):
    found = of_searches(question, SEARCH)
    scopes = [result.query.scope for result in found.computed.results] if found.computed else []
    assert Scope() not in scopes


def test_each_of_several_counts_needs_a_bound_that_the_question_states():
    question = "lol searches before step 10 and after step 50"
    assert values(of_searches(question, {**SEARCH, "high": 9}, {**SEARCH, "low": 51})) == [5, 5]
    assert "those that the question states" in of_searches(question, {**SEARCH, "high": 9}, SEARCH).reason
    assert values(of_searches("lol searches to the 21st step", {**SEARCH, "high": 21})) == [11]


@pytest.mark.parametrize("said", ["not in steps 5 to 10", "outside of steps 5 to 10", "except for steps 5 to 10"])
def test_steps_that_do_not_count_give_no_number(said: str):
    for queries in ([{**SEARCH, "low": 5, "high": 10}], [{**SEARCH, "high": 4}, {**SEARCH, "low": 11}]):
        found = of_searches(f"searches and opens {said} lol", *queries)
        assert found.computed is None
        assert found.reason


@pytest.mark.parametrize(
    ("queries", "reason"),
    [
        ([{**SEARCH, "low": 9, "high": 3}], "low not above high"),
        ([{**SEARCH, "low": 500}], "within the log's steps, 0 to 59"),
        ([{**SEARCH, "low": 60, "high": 90}], "within the log's steps"),
        ([{**SEARCH, "high": -1}], "within the log's steps"),
        ([SEARCH] * 5, "at most 4 sub-queries"),
        ([{"operation": "count", "where": {"tool": "serch"}}], "the log knows no tool 'serch'"),
        ([{"operation": "count", "exclude": {"tool": "goto"}}], "the log knows no tool 'goto'"),
        ([{"operation": "count", "where": {"target": "fridge 1"}}], "the log knows no target 'fridge 1'"),
        ([{"operation": "distinct", "by": "exit_code"}], "no step of the log has an exit code"),
        ([{"operation": "count", "where": {"colour": "red"}}], "the model gave no plan"),
        ([{"operation": "count", "filters": {"tool": "search"}}], "the model gave no plan"),
        ([{"operation": "sum", "where": {"tool": "search"}}], "the model gave no plan"),
        ([{**SEARCH, "low": "the start"}], "the model gave no plan"),
        ([], "nothing to compute"),
    ],
)
def test_a_plan_that_is_off_gives_no_number_and_a_reason(queries: list[Mapping[str, object]], reason: str):
    found = of_searches("how frequently did it search", *queries)
    assert found.computed is None
    assert reason in found.reason


def test_bounds_beyond_the_end_that_cut_nothing_off_are_none():
    assert values(of_searches("how frequently did it search", {**SEARCH, "low": 0, "high": 500})) == [30]


@pytest.mark.parametrize("where", [{"tool": "open"}, {"target": "drawer 10"}, {}])
def test_a_plan_that_leaves_out_a_thing_that_the_question_names_is_for_another_question(where: Mapping[str, object]):
    found = ask("How frequently did the agent do something to drawer 1, lol?", {"operation": "count", "where": where})
    assert found.computed is None
    assert "says nothing of 'drawer 1'" in found.reason
    assert values(
        ask("Whatever was done to drawer 1, lol?", {"operation": "count", "where": {"target": "drawer 1"}})
    ) == [7]
    # The longer name is meant, not the one within it; and a name may be given as a part of a path.
    assert values(ask("Whatever about drawer 10, lol?", {"operation": "count", "where": {"target": "drawer 10"}})) == [
        4
    ]


def test_the_log_does_not_grow_between_a_plan_and_its_execution():
    live = TallyMem(Trajectory.from_pairs([("search: x", "ok")] * 10), attach_above=None)
    stop = threading.Event()

    def grow() -> None:
        while not stop.is_set() and len(live.trajectory) < 3_000:
            live.append(Step(len(live.trajectory), "search: x", "ok"))

    with ThreadPoolExecutor() as pool:
        growing = pool.submit(grow)
        try:
            found = {
                values(live.evidence("How many times was search called in the last 5 steps?"))[0] for _ in range(100)
            }
        finally:
            stop.set()
        growing.result()
    assert found == {5}


async def test_a_plan_of_a_model_is_read_with_the_log_that_it_is_executed_over():
    live = TallyMem(Trajectory.from_pairs([("search: x", "ok")] * 10))

    def slow(messages: object) -> str:
        live.extend([Step(n, "search: x", "ok") for n in range(len(live.trajectory), len(live.trajectory) + 20)])
        return json.dumps({"applicable": True, "queries": [SEARCH]})

    live._model = ScriptedModel([slow] * 2)
    question = "lol how many searches in the last 5 steps"
    assert values(live.evidence(question)) == [5]
    assert values(await live.aevidence(question)) == [5]


@pytest.mark.parametrize("cut", [*range(70, 130, 6), -1, -2, -3, -4])
def test_a_plan_that_breaks_off_is_none(cut: int):
    where = {"tool": ["search"], "exit_code": ["nonzero"]}
    answer = json.dumps(
        {"applicable": True, "queries": [{"operation": "count", "where": where}, {"operation": "last"}]}
    )
    memory = TallyMem(SEARCHES, ScriptedModel([answer[:cut]]), compiler="model", attach_above=None)
    found = memory.evidence("how frequently did it search")
    assert found.computed is None
    assert found.reason


def test_a_plan_that_is_broken_and_whole_is_repaired():
    answer = "{'applicable': true, 'queries': [{'operation': 'count', 'where': {'tool': ['search'],},},],}"
    memory = TallyMem(SEARCHES, ScriptedModel([answer]), compiler="model", attach_above=None)
    assert values(memory.evidence("how frequently did it search")) == [30]
