from __future__ import annotations

import pytest

from memory_evidence.errors import ConfigError
from memory_evidence.tallymem import Filter, Plan, Scope, SubQuery

COUNT = SubQuery("count", (Filter("tool", ("open",)),))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Filter("colour", ("red",)), "a filter's field"),
        (lambda: Filter("tool", ()), "a filter's terms"),
        (lambda: Filter("tool", ("  ",)), "a filter's terms"),
        (lambda: Filter("tool", "open"), "a filter's terms"),
        (lambda: SubQuery("count", (("tool", "open"),)), "`where` of a sub-query"),
        (lambda: SubQuery("count", "open"), "`where` of a sub-query"),
        (lambda: SubQuery("difference", COUNT.where, versus=("open",)), "`versus` of a sub-query"),
        (lambda: SubQuery("count", scope=None), "a sub-query's scope"),
        (lambda: Scope(after=("open",)), "a scope's after"),
        (lambda: Plan((1,)), "a tuple of SubQueries"),
        (lambda: SubQuery("average"), "an operation"),
        (lambda: SubQuery("group"), "`by` of the operation group"),
        (lambda: SubQuery("group", by="mood"), "a group key"),
        (lambda: SubQuery("ratio", COUNT.where), "`versus` of the operation ratio"),
        (lambda: Scope(9, 3), "low not above high"),
        (lambda: Scope("3", None), "a scope's low"),
        (lambda: Plan((COUNT,) * 5), "at most 4 sub-queries"),
        (lambda: Plan(()), "one sub-query or more"),
    ],
)
def test_a_plan_that_cannot_be_run_is_an_error_that_names_what_is_wrong(build, message):
    with pytest.raises(ConfigError, match=message):
        build()


def test_a_sub_query_can_be_read_as_a_sentence():
    query = SubQuery(
        "difference",
        (Filter("tool", ("open", "close")), Filter("tool", ("go to",), exclude=True)),
        Scope(None, 8, after=(Filter("target", ("safe 1",)),)),
        versus=(Filter("outcome", ("failure",)),),
    )
    assert str(query) == (
        "difference | tool 'open' or 'close' and tool not 'go to' | steps [start, 8], both included, "
        "after the first with target 'safe 1' | against outcome 'failure'"
    )
