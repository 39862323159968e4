from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.tallymem import Filter, Ledger, Plan, Scope, Step, SubQuery
from memory_evidence.tallymem.execute import execute
from memory_evidence.tallymem.plan import not_applicable
from tests.tallymem.tallies import CODE, HOUSE

LEDGER = Ledger(HOUSE)
OPEN, CLOSE = Filter("tool", ("open",)), Filter("tool", ("close",))
DRAWER_1 = Filter("target", ("drawer 1",))


def only(query: SubQuery, ledger: Ledger = LEDGER):
    (result,) = execute(ledger, Plan((query,))).results
    return result


@pytest.mark.parametrize(
    ("query", "value", "steps"),
    [
        (SubQuery("count", (OPEN,)), 3, (2, 5, 11)),
        (SubQuery("count"), 14, tuple(range(14))),
        (SubQuery("count", (OPEN, DRAWER_1)), 2, (2, 11)),
        (SubQuery("first", (CLOSE,)), 7, (7,)),
        (SubQuery("last", (CLOSE,)), 9, (9,)),
        (SubQuery("list", (CLOSE,)), (7, 9), (7, 9)),
        (SubQuery("timeline", (Filter("change", ("spoon 2",)),)), (3, 6), (3, 6)),
        (SubQuery("group", (OPEN,), by="target"), {"drawer 1": 2, "drawer 10": 1}, (2, 5, 11)),
        (SubQuery("breakdown", (CLOSE,)), {"drawer 1": 2}, (7, 9)),
        (SubQuery("distinct", (OPEN,), by="target"), 2, (2, 5, 11)),
        (SubQuery("distinct", (OPEN,), by="target", only=("drawer 1",)), 1, (2, 11)),
        (SubQuery("most", (OPEN,), by="target"), ("drawer 1",), (2, 5, 11)),
        (SubQuery("least", (OPEN,), by="target"), ("drawer 10",), (2, 5, 11)),
        (SubQuery("difference", (OPEN,), versus=(CLOSE,)), 1, (2, 5, 7, 9, 11)),
        (SubQuery("ratio", (OPEN,), versus=(CLOSE,)), 1.5, (2, 5, 7, 9, 11)),
        (SubQuery("count", (Filter("tool", ("go to",), exclude=True),)), 11, None),
        (SubQuery("count", (OPEN,), Scope(3, 5)), 1, (5,)),
        (SubQuery("count", (OPEN,), Scope(after=(Filter("tool", ("take",)),))), 2, (5, 11)),
        (SubQuery("count", (OPEN,), Scope(before=(Filter("tool", ("take",)),))), 1, (2,)),
        (SubQuery("first", (OPEN,), Scope(after=(Filter("target", ("drawer 10",)),))), 5, (5,)),
    ],
)
def test_operations_are_exact_over_the_selected_rows(query, value, steps):
    result = only(query)
    assert result.value == value
    assert steps is None or result.steps == steps


def test_a_tie_names_every_winner():
    ledger = Ledger([Step(n, action) for n, action in enumerate(["a 1", "b 1", "a 1", "b 1", "c 1"])])
    assert only(SubQuery("most", by="tool"), ledger).value == ("a", "b")
    assert only(SubQuery("least", by="tool"), ledger).value == ("c",)


def test_a_term_that_the_log_does_not_know_is_no_zero():
    execution = execute(LEDGER, Plan((SubQuery("count", (Filter("target", ("fridge 1",)),)),)))
    assert execution.results == ()
    assert execution.reason == "the log knows no target 'fridge 1'"


def test_known_terms_without_a_match_are_a_verified_zero():
    result = only(SubQuery("count", (CLOSE, Filter("target", ("drawer 10",)))))
    assert (result.value, result.verified_zero, result.scanned) == (0, True, 14)


def test_a_failing_sub_query_leaves_its_siblings_alone():
    plan = Plan((SubQuery("count", (Filter("tool", ("fly",)),)), SubQuery("count", (OPEN,))))
    execution = execute(LEDGER, plan)
    assert [result.value for result in execution.results] == [3]
    assert [drop.reason for drop in execution.dropped] == ["the log knows no tool 'fly'"]
    assert execution.reason == ""


@pytest.mark.parametrize("operation", ["list", "timeline"])
def test_a_list_without_a_match_is_retried_with_target_and_action_filters_and_says_so(operation):
    query = SubQuery(operation, (CLOSE, DRAWER_1, Filter("change", ("spoon 2",))))
    result = only(query)
    assert (result.steps, result.relaxed, result.verified_zero) == ((7, 9), True, False)


def test_a_count_is_never_relaxed():
    result = only(SubQuery("count", (CLOSE, DRAWER_1, Filter("change", ("spoon 2",)))))
    assert (result.value, result.relaxed, result.verified_zero) == (0, False, True)


def test_a_zero_over_unknown_outcomes_is_not_verified_and_not_given():
    execution = execute(LEDGER, Plan((SubQuery("count", (Filter("outcome", ("failure",)),)),)))
    assert execution.results == ()
    assert "outcome of 1 such steps is unknown" in execution.reason


def test_a_count_by_outcome_says_how_many_outcomes_are_unknown():
    assert only(SubQuery("count", (Filter("outcome", ("no_effect",)),))).unsure == 1


def test_an_exit_code_that_never_came_is_a_verified_zero_where_codes_are_logged():
    assert only(SubQuery("count", (Filter("exit_code", ("7",)),)), Ledger(CODE)).verified_zero
    assert execute(LEDGER, Plan((SubQuery("count", (Filter("exit_code", ("7",)),)),))).results == ()


def test_a_command_that_the_editor_has_and_was_never_told_is_a_verified_zero():
    assert only(SubQuery("count", (Filter("tool", ("insert",)),)), Ledger(CODE)).verified_zero
    assert execute(LEDGER, Plan((SubQuery("count", (Filter("tool", ("insert",)),)),))).results == ()


def test_a_scope_beyond_the_end_holds_no_step_and_one_that_reaches_beyond_is_cut():
    assert "no logged step lies in" in execute(LEDGER, Plan((SubQuery("count", scope=Scope(99, None)),))).reason
    result = only(SubQuery("count", scope=Scope(12, 99)))
    assert (result.value, result.scope) == (2, (12, 13))


def test_an_anchor_event_that_never_happened_is_said():
    after = Scope(5, None, after=(Filter("target", ("spoon 2",)), OPEN))
    assert "does not occur in scope" in execute(LEDGER, Plan((SubQuery("count", scope=after),))).reason


def test_a_ratio_to_nothing_has_no_value():
    query = SubQuery("ratio", (OPEN,), Scope(0, 6), versus=(CLOSE,))
    assert only(query).value is None


def test_the_load_counts_a_step_once_for_each_quantity():
    plan = Plan((SubQuery("count", (OPEN,)), SubQuery("difference", (OPEN,), versus=(CLOSE,))))
    assert execute(LEDGER, plan).load == 3 + 5


def test_without_a_plan_the_reason_is_handed_on():
    assert execute(LEDGER, not_applicable("not asked")).reason == "not asked"
    assert execute(Ledger(), Plan((SubQuery("count"),))).reason == "the trajectory holds no steps"


ACTIONS = st.sampled_from(
    [f"{verb} {thing} {n}" for verb in ("open", "close") for thing in ("box", "bag") for n in (1, 12)]
)


@given(st.lists(ACTIONS, min_size=1, max_size=40), st.integers(0, 45), st.integers(0, 45))
def test_every_operation_agrees_with_a_scan_of_the_actions(actions, a, b):
    low, high = sorted((a, b))
    ledger = Ledger([Step(n, action) for n, action in enumerate(actions)])
    inside = [n for n in range(len(actions)) if low <= n <= high]
    opened = [n for n in inside if actions[n].startswith("open ")]
    for by, part in (("tool", 0), ("action", slice(None)), ("target", slice(1, None))):
        groups: dict[str, list[int]] = {}
        for n in inside:
            words = actions[n].split()[part]
            groups.setdefault(words if isinstance(words, str) else " ".join(words), []).append(n)
        execution = execute(ledger, Plan((SubQuery("group", scope=Scope(low, high), by=by),)))
        if inside:
            assert execution.results[0].groups == {name: tuple(ids) for name, ids in groups.items()}
            assert list(execution.results[0].value.values()) == sorted(map(len, groups.values()), reverse=True)
        else:
            assert execution.results == ()
    if inside and any(action.startswith("open") for action in actions):
        for operation, expected in (("count", len(opened)), ("list", tuple(opened))):
            assert only(SubQuery(operation, (OPEN,), Scope(low, high)), ledger).value == expected
        assert only(SubQuery("first", (OPEN,), Scope(low, high)), ledger).value == (opened[0] if opened else None)
