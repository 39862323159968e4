from __future__ import annotations

import json

import pytest

from memory_evidence.errors import ModelError
from memory_evidence.models import run
from memory_evidence.tallymem import Ledger, Outcome, Step
from memory_evidence.tallymem.annotate import RowsOut, annotate_steps, annotated, restored, supports
from memory_evidence.testing import ScriptedModel
from tests.tallymem.tallies import call

STEP = Step(4, "press the red button", "A green light turns on. The door [north] is now\n  open.")
ROW = Ledger([STEP]).rows[0]


def annotate(**said: object):
    (out,) = RowsOut.model_validate({"rows": [{"id": 4, **said}]}).rows
    return annotated(ROW, STEP, out)


@pytest.mark.parametrize(
    ("quote", "supported"),
    [
        ("a green light", True),
        ("The door [north] is now open", True),
        ("door north is now open", True),  # recovered: letters and digits alone
        ("door: 'north' is NOW", True),
        ("a", False),
        ("gre", False),
        ("d,o.o", False),  # too short to be recovered
        ("The door is locked", False),
        ("", False),
    ],
)
def test_a_quote_has_to_stand_in_the_observation(quote, supported):
    assert supports(quote, STEP.observation) is supported


def test_an_outcome_without_a_quote_stays_unknown_and_the_row_stays():
    row = annotate(
        outcome="success", quote="The safe opens", changes=[{"object": "safe", "property": "state", "value": "open"}]
    )
    assert (row.outcome, row.quote, row.changes) == (Outcome.UNKNOWN, "", ())
    assert row.annotated
    assert row.action == STEP.action


def test_changes_need_a_success_and_say_whether_their_value_was_seen():
    changes = [
        {"object": "door", "property": "state", "value": "open"},
        {"object": "green light", "property": "state", "value": "silent"},
        {"object": "alarm", "property": "state", "value": "open"},
        {"object": " ", "property": "state", "value": "open"},
    ]
    row = annotate(outcome="success", quote="green light", changes=changes)
    assert [(str(change), change.verified) for change in row.changes] == [
        ("door.state -> open", True),
        ("green light.state -> silent", False),
    ]
    assert annotate(outcome="failure", quote="green light", changes=changes).changes == ()


def test_targets_stand_in_the_action_or_where_that_names_none_in_the_observation():
    assert annotate(targets=["red button", "door", "window"]).targets == (*ROW.targets, "red button")
    look = Step(4, "look", "A door and a table.")
    (out,) = RowsOut.model_validate({"rows": [{"id": 4, "targets": ["door", "window"]}]}).rows
    assert annotated(Ledger([look]).rows[0], look, out).targets == ("door",)


def test_what_an_observation_speaks_of_is_not_what_a_file_tool_acted_on():
    step = Step(0, call("edit_file", path="/r/util.py"), "The file /r/util.py has been updated. app.py imports it.")
    (out,) = RowsOut.model_validate({"rows": [{"id": 0, "targets": ["/r/util.py", "app.py"]}]}).rows
    assert annotated(Ledger([step]).rows[0], step, out).targets == ("/r/util.py",)


@pytest.mark.parametrize(
    ("act", "expected"), [("delete", "search"), ("create file", "search"), ("y", "y"), ("", "search")]
)
def test_an_act_stands_in_the_action(act: str, expected: str):
    step = Step(0, "search: y", "Error: no such file, create file first")
    (out,) = RowsOut.model_validate({"rows": [{"id": 0, "act": act}]}).rows
    assert annotated(Ledger([step]).rows[0], step, out).act == expected


def test_a_receipt_is_not_overruled():
    step = Step(0, "open drawer 1", "You open the drawer 1.")
    row = Ledger([step]).rows[0]
    (out,) = RowsOut.model_validate({"rows": [{"id": 0, "outcome": "failure", "quote": "open the drawer"}]}).rows
    assert annotated(row, step, out).outcome is Outcome.SUCCESS


def test_chunks_are_read_without_questions_and_a_failed_one_leaves_its_rows():
    steps = [Step(n, "press button", "beep") for n in range(60)]
    ledger = Ledger(steps)

    def reply(messages):
        ids = [row["id"] for row in json.loads(messages[1].content)]
        return json.dumps({"rows": [{"id": n, "outcome": "success", "quote": "beep"} for n in ids]})

    model = ScriptedModel([reply, ModelError("chat", "down"), reply])
    said = run(annotate_steps(steps), model, concurrency=1)
    assert [step.id for step, _ in said] == [*range(25), *range(50, 60)]
    rows = {step.id: annotated(ledger.row(step.id), step, one) for step, one in said}
    merged = ledger.annotated(rows)
    assert len(merged) == 60
    assert merged.positions("outcome", ["success"]) == set(rows)


SEEN = "On the desk 1, you see a pen 1, a pen 2, a mug 3, and a book 12. Next to it: a lamp 1."


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["pen 1", "pen 2"], ["pen 1", "pen 2"]),
        (["pen 1", "..."], ["pen 1", "pen 2", "mug 3", "book 12"]),
        (["pen 1", "pen 2", "mug\u2026"], ["pen 1", "pen 2", "mug 3", "book 12"]),
        (["pen 1", "pen 2", "m"], ["pen 1", "pen 2", "mug 3", "book 12"]),
        (["Pen 1", "pen 2 etc."], ["Pen 1", "pen 2", "mug 3", "book 12"]),
        (["pen 1", "mug 3", "..."], ["pen 1", "mug 3"]),
        (["pen 1", "lamp..."], ["pen 1"]),
        (["pe"], []),
        (["..."], []),
        ([], []),
    ],
)
def test_a_target_list_that_broke_off_is_restored_where_its_beginning_agrees(said, expected):
    assert list(restored(said, SEEN)) == expected


def test_restored_targets_are_those_of_the_row():
    step = Step(3, "look", SEEN)
    row = Ledger([step]).row(3)
    out = RowsOut.model_validate({"rows": [{"id": 3, "targets": ["pen 1", "pen 2", "mu"]}]}).rows[0]
    assert annotated(row, step, out).targets == ("pen 1", "pen 2", "mug 3", "book 12")
    # A part of a word is no target.
    out = RowsOut.model_validate({"rows": [{"id": 3, "targets": ["boo", "pen 1"]}]}).rows[0]
    assert annotated(row, step, out).targets == ("pen 1",)
