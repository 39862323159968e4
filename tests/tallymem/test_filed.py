"""What is done to files is not all that is done: pages are no files, and other tools change other things."""

from __future__ import annotations

import pytest

from memory_evidence.tallymem import Trajectory
from tests.tallymem.tallies import ask, call, value

PAGES = Trajectory.from_pairs(
    [
        (call("read_file", path="a.md"), "x"),
        (call("edit_file", path="a.md"), "x"),
        (call("open_url", url="https://a"), "x"),
        (call("open_url", url="https://b"), "x"),
    ]
)
TICKETS = Trajectory.from_pairs(
    [
        (call("edit_file", path="a.md"), "x"),
        (call("update_ticket", ticket_id="p1"), "x"),
        (call("update_ticket", ticket_id="p1"), "x"),
    ]
)
CREATED = Trajectory.from_pairs(
    [
        (call("create_event", title="x"), "x"),
        (call("write_file", path="a.md"), "x"),
        (call("edit_file", path="a.md"), "x"),
    ]
)


@pytest.mark.parametrize(
    "question",
    [
        *(
            f"How many {noun} were {verb}?"
            for noun in ("urls", "pages", "different pages")
            for verb in ("opened", "viewed", "read", "changed")
        ),
        "Which pages were opened?",
        "How many times was a page opened?",
        "Was a page opened?",
        "How often was each url opened?",
        "How many calls were there after the first page was opened?",
    ],
)
def test_files_are_not_counted_as_pages(question: str):
    execution = ask(PAGES, question)
    assert execution.results == ()
    assert "is none" in execution.reason


@pytest.mark.parametrize(
    ("question", "expected"),
    [("How many times was open_url called?", 2), ("How many files were opened?", 1), ("How many reads were there?", 1)],
)
def test_calls_and_files_are_still_counted_beside_pages(question: str, expected: int):
    assert value(PAGES, question) == expected


@pytest.mark.parametrize(
    ("log", "tool", "questions"),
    [
        (
            TICKETS,
            "update_ticket",
            (
                "How many updates were there?",
                "How many changes were made?",
                "How many modifications were made?",
                "How many times was something updated?",
                "What was updated?",
                "Which things were changed?",
                "What was the last update?",
                "Was anything updated?",
                "List the updates.",
                "How many updates failed?",
                "How many calls were there after the first update?",
                "How many calls were made, excluding updates?",
                "How many more updates than edits were there?",
            ),
        ),
        (
            CREATED,
            "create_event",
            (
                "How many things were created?",
                "What was created?",
                "How many creations were there?",
                "How many changes were made?",
                "How many times was something written?",
            ),
        ),
        (PAGES, "open_url", ("What was opened?", "How many things were opened?")),
    ],
)
def test_what_tools_do_to_other_things_is_not_left_out(log: Trajectory, tool: str, questions: tuple[str, ...]):
    for question in questions:
        execution = ask(log, question)
        assert (question, execution.results) == (question, ())
        assert repr(tool) in execution.reason


@pytest.mark.parametrize(
    ("log", "question", "expected"),
    [
        (TICKETS, "How many files were updated?", 1),
        (TICKETS, "How many file updates were there?", 1),
        (TICKETS, "How many times was a.md updated?", 1),
        (TICKETS, "How many changes of a.md were there?", 1),
        (TICKETS, "How many edits were there?", 1),
        (TICKETS, "How many times was update_ticket called?", 2),
        (CREATED, "How many files were created?", 1),
        (CREATED, "How many times was a.md changed?", 2),
        (CREATED, "How many edits were there?", 1),
    ],
)
def test_files_that_are_named_as_such_are_counted_alone(log: Trajectory, question: str, expected: int):
    assert value(log, question) == expected


def test_a_name_that_is_a_file_and_something_else_is_not_counted_as_a_file_alone():
    log = Trajectory.from_pairs([(call("edit_file", path="report"), "x"), (call("update_entry", id="report"), "x")])
    assert "'update_entry'" in ask(log, "How many times was 'report' updated?").reason
