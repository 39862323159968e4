"""A call whose arguments are no JSON does to files what its name says, where they name one file; else it is untold."""

from __future__ import annotations

import pytest

from memory_evidence.tallymem import Effect, Ledger, Row, Step, Trajectory
from memory_evidence.tallymem.results import Result
from tests.tallymem.tallies import ask, call


def row_of(action: str) -> Row:
    return Ledger([Step(0, action, "ok")]).rows[0]


@pytest.mark.parametrize(
    ("action", "effect"),
    [
        ("read_file(path='b.py')", Effect.READ),
        ('read_file(path="b.py", limit=5)', Effect.READ),
        ("read_file: b.py", Effect.READ),
        ("edit_file: path=b.py", Effect.EDIT),
        ("edit_file: path: b.py", Effect.EDIT),
        ("edit_file('b.py')", Effect.EDIT),
        ("edit_file('b.py', 'x', 'y')", Effect.EDIT),
        ("edit_file path=b.py old=1 new=2", Effect.EDIT),
        ("edit_file(path='b.py', new='c.py')", Effect.EDIT),
        ("write_file('b.py', 'print(\"x\")\n{}')", Effect.CREATE),
        ("Edit(b.py)", Effect.EDIT),
        ("remove: b.py", Effect.DELETE),
        ("update_note(path='b.py')", Effect.EDIT),
    ],
)
def test_one_file_that_plain_arguments_name_is_what_the_call_is_done_to(action: str, effect: Effect):
    row = row_of(action)
    assert (row.effect, row.targets, row.untold) == (effect, ("b.py",), False)


def test_writing_to_it_once_more_is_an_edit():
    rows = Ledger([Step(number, "write_file('b.py', 'x')", "ok") for number in range(2)]).rows
    assert [row.effect for row in rows] == [Effect.CREATE, Effect.EDIT]


@pytest.mark.parametrize(
    "action",
    [
        "edit_file: b.py 3:5",
        "edit_file: b.py and c.py",
        "edit_file('b.py', 'c.py')",
        "edit_file('x', 'b.py')",
        "edit_file(file='b.py', path='c.py')",
        "edit_file({'path': 'b.py'})",
        "edit_file(path='b.py', content='''x''')",
        "edit_file: Makefile",
        'edit_file: {"path": "b.py"',
        "Update the file b.py",
        "str_replace_editor(command='view', path='b.py')",
        "str_replace_editor: b.py",
        "apply_patch: *** Begin Patch\n*** Update File: b.py",
        "open: example.com",
        "create_event: b.py",
        "lint(path='b.py')",
    ],
)
def test_a_call_whose_plain_arguments_do_not_tell_may_have_done_anything(action: str):
    assert (row_of(action).effect, row_of(action).untold) == (None, True)


@pytest.mark.parametrize(
    "action", ["open drawer 1", "search: b.py", "find_file: b.py", "open_url: https://a/b.py", "update_ticket: p1"]
)
def test_words_and_calls_that_name_no_file_are_not_among_them(action: str):
    assert (row_of(action).effect, row_of(action).untold) == (None, False)


def one(first: str, second: str, question: str) -> Result:
    (result,) = ask(Trajectory.from_pairs([(first, "x"), (second, "x")]), question).results
    return result


@pytest.mark.parametrize("first", ["read_file(path='b.py')", "read_file: b.py", "read_file('b.py')"])
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many times was b.py read?", 1),
        ("How often was b.py viewed?", 1),
        ("How many files were read?", 2),
        ("How many reads were there?", 2),
    ],
)
def test_such_a_call_counts_beside_those_with_json(first: str, question: str, expected: int):
    assert one(first, call("read_file", path="a.py"), question).value == expected


@pytest.mark.parametrize("first", ["edit_file: b.py 3:5", "edit_file: b.py and c.py", "edit_file(old='b.py')"])
def test_no_zero_is_verified_where_plain_arguments_do_not_tell(first: str):
    log = Trajectory.from_pairs([(first, "x"), (call("edit_file", path="a.py"), "x")])
    assert ask(log, "How many times was b.py edited?").results == ()
    (result,) = ask(log, "How many files were edited?").results
    assert (result.value, result.commands) == (1, 1)
    (result,) = ask(log, "How many edits of a.py were there after step 0?").results
    assert result.value == 1


@pytest.mark.parametrize("question", ["How many files were edited?", "How many edits were there?", "List the edits."])
def test_a_reason_does_not_contradict_the_tools_that_it_names(question: str):
    reason = ask(Trajectory.from_pairs([("edit_file: Makefile", "x")]), question).reason
    assert "no call of the log both says so and names a file; its tools: edit_file" in reason


@pytest.mark.parametrize("question", ["How many files were edited?", "Which files were edited?", "What was edited?"])
def test_a_file_among_words_is_not_counted_with_them(question: str):
    log = Trajectory.from_pairs([("edit: a.py 3:5", "x"), ("edit: a.py 7:9", "x")])
    assert "does not tell which file" in ask(log, question).reason
    # Beside a call that tells, what is edited is known to be a file, and the others are left out and said to be.
    (result,) = ask(Trajectory.from_pairs([("edit: a.py 3:5", "x"), ("edit: b.py", "x")]), question).results
    assert (list(result.groups), result.commands) == (["b.py"], 1)
