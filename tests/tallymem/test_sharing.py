"""What one clause, or one count, says is its own: nothing of it leaks into another."""

from __future__ import annotations

import pytest

from memory_evidence.tallymem import Trajectory
from tests.tallymem.tallies import CODE, EDITS, HOUSE, ask, call, steps, value


@pytest.mark.parametrize(
    "question",
    [
        "How many more edits than failures were there?",
        "How many more edits were there than failures?",
        "How many fewer failures than edits were there?",
        "Were there more edits than failures?",
        "What is the difference between the number of edits and the number of failures?",
        "What is the ratio of failures to edits?",
        "How many more searches failed than edits?",
        "How many more searches failed than search_web calls?",
        "How many more bash commands exited with code 1 than edits?",
    ],
)
def test_a_count_of_acts_is_not_compared_with_what_came_of_them(question):
    execution = ask(CODE, question)
    assert execution.results == ()
    assert "both of its counts" in execution.reason


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many more edits failed than succeeded?", -1),
        ("How many more failed than successful edits were there?", -1),
        ("How many more failed edits than failed views were there?", 1),
        ("How many more edits than failed edits were there?", 1),
        ("How many more failures than successes were there?", -2),
    ],
)
def test_outcomes_of_the_same_acts_are(question, expected):
    assert value(EDITS, question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "How many more edits of cart.py than views were there?",
        "How many more bash commands than edits of cart.py were there?",
        "How many more times was cart.py edited than pytest run?",
        "What is the ratio of edits of cart.py to views?",
        "Were there more views than edits of cart.py?",
    ],
)
def test_what_one_count_is_about_the_other_need_not_be(question):
    execution = ask(CODE, question)
    assert execution.results == ()
    assert "about the same thing" in execution.reason


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many more times was drawer 1 opened than drawer 10?", 1),
        ("How many more times was drawer 10 closed than opened?", -1),
        ("How many more times was drawer 10 closed than it was opened?", -1),
        ("How many more times did the agent open drawer 10 than close it?", 1),
        ("How many more times did the agent open than close drawers?", 1),
        ("How many more times did the agent open drawer 1 than close drawer 10?", 2),
        ("How many more times did the agent take spoon 2 than put it in drawer 10?", None),
    ],
)
def test_but_what_the_grammar_shares_is_shared(question, expected):
    if expected is None:
        assert ask(HOUSE, question).results == ()
    else:
        assert value(HOUSE, question) == expected


@pytest.mark.parametrize(
    ("trajectory", "question"),
    [
        (EDITS, "How many more files were modified than viewed?"),
        (EDITS, "What is the ratio of files edited to files viewed?"),
        (EDITS, "What is the difference between the number of files edited and the number of files viewed?"),
        (HOUSE, "How many more drawers were opened than closed?"),
        (EDITS, "How many more of the files were edited than viewed?"),
        (EDITS, "How many more python files were edited than viewed?"),
        (EDITS, "How many more edited files than viewed files were there?"),
        (EDITS, "What is the ratio of edited files to viewed files?"),
        (HOUSE, "Were there fewer objects taken than moved?"),
    ],
)
def test_numbers_of_different_things_are_no_numbers_of_steps(trajectory, question):
    execution = ask(trajectory, question)
    assert execution.results == ()
    assert "different" in execution.reason


@pytest.mark.parametrize(
    "question",
    [
        "What is the difference between cart.py and tax.py?",
        "What is the difference between search and search_web?",
        "What's the ratio of cart.py to tax.py?",
    ],
)
def test_how_two_things_differ_is_no_count(question):
    assert ask(CODE, question).results == ()


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many times was drawer 1 opened up to step 8 and closed?", "'and'"),
        ("How many times was drawer 1 opened before step 8, and also closed?", "and also"),
        ("At which steps was drawer 1 opened in the first 5 steps or closed?", "'or'"),
        ("How many times was drawer 1 opened up to step 8 and drawer 10?", "'and'"),
        ("How many openings of drawer 1 after step 3 and closings were there?", "'and'"),
        ("How many times was drawer 1 opened after spoon 2 was taken, and closed?", "and"),
        ("How many more times was drawer 1 opened up to step 8 than closed?", "both of its counts"),
    ],
)
def test_steps_named_between_two_acts_may_be_those_of_the_first_alone(question, said):
    execution = ask(HOUSE, question)
    assert execution.results == ()
    assert said in execution.reason


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("In the first 5 steps, how many opens and closes were there?", {"open": 1}),
        ("How many of the first 9 steps are opens or closes?", 3),
        ("How many times was drawer 1 opened or closed before step 8?", 2),
        ("How many more times, up to step 8, was drawer 1 opened than closed?", 0),
        ("How many more times was drawer 1 opened than drawer 10 up to step 5?", 0),
    ],
)
def test_steps_named_before_or_behind_both_are_those_of_both(question, expected):
    assert value(HOUSE, question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "How many times was drawer 1 opened, and how many times was drawer 10 opened after step 5?",
        "How many times was drawer 1 opened up to step 5, and how many times was drawer 10 opened?",
        "How many times was drawer 1 opened, and how many times was it closed after spoon 2 was taken?",
        "How many opens and how many closes were there before step 9?",
        "How many opens and how many closes of drawer 1 were there?",
    ],
)
def test_a_clause_keeps_its_steps_and_things(question):
    execution = ask(HOUSE, question)
    assert execution.results == ()
    assert "it does not say whether" in execution.reason


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Before spoon 12 was taken, how many times was drawer 1 opened and how many times was it closed?", [1, 2]),
        ("By step 8 how many times was drawer 1 opened and how many times was it closed?", [1, 1]),
        ("For drawer 10, how many opens and how many closes were there?", [1, 0]),
        ("How many opens and how many closes were there?", [3, 2]),
    ],
)
def test_what_stands_in_front_of_all_clauses_holds_for_all(question, expected):
    assert [result.value for result in ask(HOUSE, question).results] == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many edits failed and how many succeeded?", [2, 3]),
        ("How many edits of tax.py failed, and how many succeeded?", [1, 2]),
        ("How many python files were created and how many were edited?", [1, 2]),
    ],
)
def test_a_clause_in_short_form_is_about_what_the_one_before_is_about(question, expected):
    assert [result.value for result in ask(EDITS, question).results] == expected


@pytest.mark.parametrize(
    "question",
    [
        "How many drawers were opened and how many of them were closed?",
        "How many times were they opened?",
        "How many times was its drawer opened?",
        "How many drawers were opened, and how many times were they closed?",
        "How many succeeded?",
    ],
)
def test_a_pronoun_that_stands_for_nothing_the_log_names_is_not_dropped(question):
    assert ask(HOUSE, question).results == ()


def test_what_is_the_agents_own_is_no_thing():
    assert value(HOUSE, "What was its last action?") == 13


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many edits were there and which failed?", "two questions"),
        ("List the failed edits and the failed commands.", "which commands"),
        ("How many edits and steps were there?", "which steps"),
        ("Count the edits and the calls.", "which calls"),
        ("How many edits and actions failed?", "which actions"),
        ("How many edits, including failures, were there?", "'including'"),
        ("tax.py is a file. How many edits were there?", "a sentence in front"),
        ("How many agents made edits?", "agents"),
        ("Which agent edited tax.py?", "agents"),
    ],
)
def test_no_half_of_a_question_is_dropped(question, said):
    execution = ask(EDITS, question)
    assert execution.results == ()
    assert said in execution.reason


def test_two_questions_are_two_quantities():
    results = ask(EDITS, "How many edits were there? How many views were there?").results
    assert [result.value for result in results] == [3, 1]


@pytest.mark.parametrize(
    "question",
    [
        "Did the last edit fail?",
        "Was the last action an edit?",
        "Was the first edit made to cart.py?",
        "Was cart.py the most edited file?",
        "Was every file viewed?",
        "Was each file edited?",
    ],
)
def test_yes_or_no_about_the_first_the_most_or_each_is_no_filter(question):
    execution = ask(EDITS, question)
    assert execution.results == ()
    assert "yes or no" in execution.reason


STUCK = Trajectory.from_pairs(
    [
        ("open drawer 1", "You open the drawer 1."),
        ("close drawer 1", "Nothing happens."),
        ("open drawer 1", "You open the drawer 1."),
    ]
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Was drawer 1 closed?", 0),
        ("Did the agent close drawer 1?", 0),
        ("Was drawer 1 opened?", 2),
        ("Did the agent try to close drawer 1?", 1),
        ("How many times was drawer 1 opened after the first close action?", 1),
        ("How many times was drawer 1 opened after the agent tried to close it?", 1),
        ("How many times was drawer 1 opened after it was closed?", None),
    ],
)
def test_what_was_refused_is_no_event_to_begin_at_and_no_yes(question, expected):
    if expected is None:
        assert "does not occur" in ask(STUCK, question).reason
    else:
        assert value(STUCK, question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "How many times was drawer 1 opened after spoon 2 was taken and closed?",
        "How many times was drawer 1 opened after the openings?",
        "How many times was drawer 1 closed before the drawer 10 openings?",
    ],
)
def test_an_event_is_one_and_the_first_of_its_kind(question):
    assert ask(HOUSE, question).results == ()


BANK = Trajectory.from_pairs(
    [
        (call("transfer", **{"from": "alice", "to": "bob"}), "ok"),
        (call("send_email", to="bob"), "ok"),
    ]
)


@pytest.mark.parametrize(
    "question",
    [
        "How many transfers did bob make?",
        "How many transfers did bob receive?",
        "How many transfers by bob were there?",
        "How many send_email calls did bob make?",
        "How often has alice transferred to bob?",
    ],
)
def test_what_a_step_names_is_not_who_acts(question):
    assert "did" in ask(BANK, question).reason


def test_what_something_undergoes_is_done_to_it():
    assert value(HOUSE, "How many times did drawer 1 get opened?") == 2
    assert value(EDITS, "How many times did tax.py change?") == 3
    assert value(HOUSE, "By step 4, had drawer 1 been opened?") == 1
    assert value(BANK, "How many transfers to bob were there?") == 1


def test_a_file_with_a_blank_in_its_name_has_an_ending():
    editor = "str_replace_editor"
    names = ("/r/step 3.md", "/r/x.md")
    log = Trajectory.from_pairs(
        [(call(editor, command="str_replace", path=name), f"The file {name} has been edited.") for name in names]
    )
    assert steps(log, "How many .md files were edited?") == (0, 1)
