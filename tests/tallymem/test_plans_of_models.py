"""What a model says about a plan is checked: nothing of it is dropped unseen, and nothing invented counts."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from memory_evidence.errors import ConfigError
from memory_evidence.tallymem import Filter, Plan, SubQuery, TallyEvidence, TallyMem
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
    assert values(ask("How often was drawer 1 opened while carrying spoon 12?", query)) == [2]
