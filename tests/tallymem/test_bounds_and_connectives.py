"""Bounds keep their step and their action, and alternatives are alternatives: no word between is passed over."""

from __future__ import annotations

import pytest

from memory_evidence.tallymem import Trajectory
from tests.tallymem.tallies import CODE, HOUSE, ask, call, steps, value

CLICKS = Trajectory.from_pairs([(f"click [{number}]", "ok") for number in range(10)])


@pytest.mark.parametrize(
    ("bound", "expected"),
    [
        ("on or before step 5", 6),
        ("at or before step 5", 6),
        ("by or before step 5", 6),
        ("before or at step 5", 6),
        ("before or on step 5", 6),
        ("in or before step 5", 6),
        ("on/before step 5", 6),
        ("before step 5", 5),
        ("strictly before step 5", 5),
        ("until just before step 5", 5),
        ("no later than step 5", 6),
        ("not after step 5", 6),
        ("on or after step 5", 5),
        ("at or after step 5", 5),
        ("after or at step 5", 5),
        ("at/after step 5", 5),
        ("not before step 5", 5),
        ("no earlier than step 5", 5),
        ("after step 5", 4),
        ("strictly after step 5", 4),
        ("after step 2 and before step 5", 2),
        ("after step 2 and on or before step 5", 3),
    ],
)
def test_a_bound_that_says_or_takes_its_step_in(bound, expected):
    assert value(CLICKS, f"How many clicks were there {bound}?") == expected


@pytest.mark.parametrize("way", ["right", "just", "immediately", "directly", "shortly"])
@pytest.mark.parametrize("side", ["before", "after"])
def test_the_step_next_to_another_is_not_everything_on_that_side(way, side):
    execution = ask(CLICKS, f"How many clicks were there {way} {side} step 5?")
    assert execution.results == ()
    assert f"{way} {side} step 5" in execution.reason


@pytest.mark.parametrize(
    "question",
    [
        "How many clicks were there before step 3 or after step 7?",
        "How many clicks were there after step 3 or before step 7?",
        "How many clicks were there at or just before step 5?",
        "How many clicks were not before or after step 5?",
    ],
)
def test_two_bounds_of_which_either_may_hold_are_refused(question):
    assert ask(CLICKS, question).results == ()


@pytest.mark.parametrize(
    "question",
    [
        "How many times was drawer 1 opened before step 11 and closed after step 8?",
        "How many times was drawer 1 opened after step 5, and also closed before step 11?",
        "At which steps was drawer 1 opened up to step 8 or closed from step 9?",
    ],
)
def test_bounds_of_two_actions_are_not_put_together(question):
    execution = ask(HOUSE, question)
    assert execution.results == ()
    assert "closed" in execution.reason


def test_bounds_of_one_action_are():
    assert steps(HOUSE, "At which steps was drawer 1 opened after step 3 and before step 12?") == (11,)
    assert steps(HOUSE, "After step 3, at which steps was drawer 1 opened before step 12?") == (11,)


@pytest.mark.parametrize(
    ("bound", "named"),
    [
        ("in the last 3 steps before step 8", "last 3 steps"),
        ("in the first 3 steps after step 5", "first 3 steps"),
        ("before step 8 in the last 3 steps", "last 3 steps"),
    ],
)
def test_steps_counted_beside_another_bound_are_not_counted_from_the_end_of_the_log(bound, named):
    execution = ask(CLICKS, f"How many clicks were there {bound}?")
    assert execution.results == ()
    assert named in execution.reason


def test_nor_are_those_counted_beside_an_event():
    assert (
        ask(HOUSE, "How many times was drawer 1 closed in the first 3 steps after drawer 10 was opened?").results == ()
    )
    assert value(CLICKS, "How many clicks were there in the last 3 steps?") == 3


@pytest.mark.parametrize(
    ("trajectory", "question", "named"),
    [
        (CODE, "How many commands failed or exited with code 1?", "failed or exited"),
        (CODE, "How many commands exited with code 1 or failed?", "or failed"),
        (CODE, "How many edits or failures were there?", "edits or failures"),
        (CODE, "How many edits or search_web calls were there?", "edits or search_web"),
        (HOUSE, "How many actions failed or opened drawer 1?", "failed or opened"),
        (HOUSE, "How many actions opened drawer 1 or failed?", "or failed"),
        (HOUSE, "How many times did the agent take a spoon or drawer 10?", "spoon or drawer"),
    ],
)
def test_alternatives_of_two_kinds_are_no_one_count(trajectory, question, named):
    execution = ask(trajectory, question)
    assert execution.results == ()
    assert named in execution.reason


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("At which steps did the agent take or move a spoon?", (3, 6, 10)),
        ("At which steps did the agent move or take a spoon?", (3, 6, 10)),
        ("At which steps was drawer 1 or drawer 10 opened?", (2, 5, 11)),
        ("At which steps was drawer 1 opened or closed?", (2, 7, 9, 11)),
        ("At which steps did the agent move a spoon to a drawer?", (6,)),
    ],
)
def test_alternatives_of_one_kind_are_and_what_stands_apart_holds_together(question, expected):
    assert steps(HOUSE, question) == expected


def test_two_words_for_a_step_are_no_alternatives():
    assert value(HOUSE, "How many actions or steps were there before step 4?") == 4


SEARCHES = Trajectory.from_pairs([(call("search", query=query), "3 results") for query in ("cats", "cats", "dogs")])


@pytest.mark.parametrize(
    "question",
    [
        "How many {} searches were there?",
        "How many {} searches did the agent perform?",
        "How many of the searches were {}?",
        "What is the number of {} queries?",
        "At which steps were {} searches made?",
    ],
)
@pytest.mark.parametrize("word", ["unique", "different", "distinct"])
def test_different_ones_are_not_all_of_them(question, word):
    execution = ask(SEARCHES, question.format(word))
    assert execution.results == ()
    assert "differ" in execution.reason or word in execution.reason


def test_different_ones_of_what_has_a_name_are_counted():
    assert value(HOUSE, "How many different drawers were opened?") == 2
    assert value(CODE, "On how many different steps was cart.py edited?") == 2


SCROLLS = Trajectory.from_pairs([("scroll [down]", "ok"), ("scroll [up]", "ok"), ("scroll [down]", "ok")])
STAIRS = Trajectory.from_pairs([("go up", "ok"), ("go down", "ok"), ("go to hall 1", "ok"), ("go up", "ok")])


def test_a_direction_counts_where_the_log_tells_it():
    assert value(SCROLLS, "How many times did the agent scroll up?") == 1
    assert value(SCROLLS, "How many times did the agent scroll down?") == 2
    assert steps(STAIRS, "At which steps did the agent go up?") == (0, 3)
    assert value(HOUSE, "How many times did the agent pick up spoon 2?") == 1
    assert value(HOUSE, "How many times did the agent look around?") == 2


@pytest.mark.parametrize("act", ["go up", "go down", "look down", "look up"])
def test_and_is_refused_where_it_does_not(act):
    execution = ask(HOUSE, f"How many times did the agent {act}?")
    assert execution.results == ()
    assert act in execution.reason


CASES = Trajectory.from_pairs(
    [
        (call("str_replace_editor", command="str_replace", path=path), f"The file {path} has been edited.")
        for path in ("/x/a.py", "/x/A.py", "/x/A.py")
    ]
)


@pytest.mark.parametrize(("name", "expected"), [("/x/a.py", 1), ("/x/A.py", 2), ("a.py", 1), ("`A.py`", 2)])
def test_of_files_that_differ_in_case_only_the_one_as_it_is_spelled_counts(name, expected):
    assert value(CASES, f"How many times was {name} edited?") == expected


def test_and_none_where_it_is_spelled_like_none_of_them():
    execution = ask(CASES, "How many times was /X/A.py edited?")
    assert execution.results == ()
    assert "'/x/a.py', '/x/A.py'" in execution.reason
    assert value(CODE, "How many times was /SHOP/Cart.py edited?") == 2


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("How many closed drawers are there?", "closed drawers"),
        ("How many open drawers are there?", "open drawers"),
        ("How many opened drawers were there?", "opened drawers"),
        ("What is the number of closed drawers?", "closed drawers"),
        ("Which closed drawers are there?", "closed drawers"),
    ],
)
def test_what_things_are_like_is_not_counted_by_what_was_done(question, named):
    execution = ask(HOUSE, question)
    assert execution.results == ()
    assert named in execution.reason


def test_what_was_done_to_them_is():
    assert value(HOUSE, "How many drawers were closed?") == 1


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("How many times was spoon 2 moved from drawer 10?", "from drawer 10"),
        ("How many times was spoon 2 taken to drawer 1?", "to drawer 1"),
        ("How many times did the agent take a spoon to a drawer?", "to a drawer"),
        ("How many times did the agent go from drawer 10?", "from drawer 10"),
    ],
)
def test_a_move_the_other_way_does_not_count(question, named):
    execution = ask(HOUSE, question)
    assert execution.results == ()
    assert named in execution.reason


def test_a_move_that_way_does():
    assert steps(HOUSE, "At which steps was spoon 2 taken from drawer 1?") == (3,)
    assert steps(HOUSE, "At which steps did the agent put spoon 2 into drawer 10?") == (6,)
    assert steps(HOUSE, "At which steps did the agent go to drawer 1?") == (1, 8)


def test_the_arguments_of_a_call_say_the_way():
    log = Trajectory.from_pairs([(call("transfer", **{"from": "alice", "to": "bob"}), "ok")])
    assert value(log, "How many transfers to bob were there?") == 1
    assert ask(log, "How many transfers from bob were there?").results == ()


@pytest.mark.parametrize(
    "question", ["How many edits and failures were there?", "How many failures and edits were there?"]
)
def test_edits_and_failures_are_no_failed_edits(question):
    execution = ask(CODE, question)
    assert execution.results == ()
    assert "and" in execution.reason


def test_what_an_action_does_is_no_filler_beside_the_word_action():
    assert value(HOUSE, "How many actions took a spoon?") == 2
    assert value(HOUSE, "How many actions did the agent take on drawer 1?") == value(
        HOUSE, "How many actions on drawer 1?"
    )


def test_two_ranges_are_not_what_they_share():
    execution = ask(CLICKS, "How many clicks were there between step 1 and step 5 and between step 4 and step 8?")
    assert execution.results == ()
    assert "two ranges" in execution.reason
