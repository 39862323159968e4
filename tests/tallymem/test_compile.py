from __future__ import annotations

import json

import pytest

from memory_evidence.errors import ModelError
from memory_evidence.json_answers import parse_json
from memory_evidence.models import run
from memory_evidence.tallymem import Filter, Ledger, Plan, Scope
from memory_evidence.tallymem.compile import PlanOut, answered, asks_for, read_answer
from memory_evidence.testing import ScriptedModel
from tests.tallymem.tallies import HOUSE

LEDGER = Ledger(HOUSE)


def read(data: object, question: str = "How many?") -> Plan:
    return read_answer(PlanOut.model_validate(data), question, LEDGER)


def queries(*parts: dict[str, object]) -> dict[str, object]:
    return {"applicable": True, "queries": list(parts)}


def test_the_prompt_holds_the_ledgers_own_words_and_asks_at_temperature_zero():
    model = ScriptedModel([json.dumps({"applicable": False})])
    run(answered(asks_for("How many {x} %s?", LEDGER)), model)
    shown = json.loads(model.calls[0].messages[1].content)
    assert shown["tools"]["open"] == 3
    assert "drawer 10" in shown["targets"]
    assert shown["change_properties"] == ["state", "location"]
    assert shown["question"] == "How many {x} %s?"
    assert model.calls[0].temperature == 0.0


def test_the_catalog_is_cut_to_the_most_frequent_words():
    catalog = LEDGER.catalog(targets=2, properties=1)
    assert [name for name, _ in catalog.targets] == ["drawer 1", "drawer 10"]
    assert len(catalog.properties) == 1


def test_filters_exclusions_and_scopes_are_taken_over():
    plan = read(
        queries(
            {
                "operation": "count",
                "where": {"tool": ["open"], "exit_code": 0},
                "exclude": {"target": "drawer 10"},
                "after": {"tool": ["take"]},
            }
        )
    )
    assert plan.queries[0].where == (
        Filter("tool", ("open",)),
        Filter("exit_code", ("0",)),
        Filter("target", ("drawer 10",), True),
    )
    assert plan.queries[0].scope == Scope(after=(Filter("tool", ("take",)),))


def test_bounds_come_from_the_question_and_not_from_the_model():
    opened = {"operation": "count", "where": {"tool": ["open"]}}
    assert read(queries({**opened, "low": 3, "high": 9})).queries[0].scope == Scope()
    stated = read(queries({**opened, "high": 8}), "How many openings before step 8?")
    assert stated.queries[0].scope == Scope(None, 7)
    two = read(queries({**opened, "high": 8}, {**opened, "low": 9}), "Openings up to step 8, and after step 8?")
    assert [query.scope for query in two.queries] == [Scope(None, 8), Scope(9, None)]


@pytest.mark.parametrize(
    "part",
    [
        {"operation": "group"},
        {"operation": "distinct", "where": {"tool": ["open"]}},
        {"operation": "ratio", "where": {"tool": ["open"]}},
    ],
)
def test_a_query_that_lacks_a_part_gives_no_number(part):
    assert "cannot be run" in read(queries(part)).reason


def test_five_sub_queries_are_refused_whole():
    assert "at most 4" in read(queries(*[{"operation": "count"}] * 5)).reason


@pytest.mark.parametrize(
    "text",
    [
        '{"applicable": true, "queries": [{"operation": "count", "where": {"colour": ["red"]}}]}',
        '{"applicable": true, "queries": [{"operation": "count", "filter": {"tool": ["open"]}}]}',
        '{"applicable": true, "queries": [{"operation": "average"}]}',
        '{"applicable": true, "queries": [{"operation": "group", "by": "mood"}]}',
        json.dumps({"applicable": True, "queries": [{"operation": "count", "where": {"tool": ["go"] * 9}}]}),
        "The answer is 3.",
    ],
)
def test_what_the_language_does_not_have_makes_the_answer_unreadable(text):
    with pytest.raises(ModelError):
        parse_json(text, PlanOut)


def test_an_answer_that_nothing_applies_is_taken():
    assert not read({"applicable": False}).applicable
    assert not read({"applicable": True, "queries": []}).applicable
