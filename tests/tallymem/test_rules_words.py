"""No word of a question is dropped unread: it is understood, it is the name of a file, or nothing is computed."""

from __future__ import annotations

import pytest

from memory_evidence.tallymem import Trajectory
from memory_evidence.tallymem.wording import EVENTS, LIGHT, NEUTRAL, words
from tests.tallymem.tallies import CODE, EDITS, HOUSE, ask, call, steps, value

SAID_AROUND = words(
    """
    total totals log logs history session episode trajectory run task model bot player environment question kind type
    number numbers count counts tally frequency index id ids point exact whole entire full exactly specific actual stage
    order outcome half end beginning part line word test bug agent assistant record issue room function tool path page
    object
    """
)
"""Words that say nothing in some phrases ("in total", "of the log"), and name something in others."""


@pytest.mark.parametrize("word", sorted(SAID_AROUND))
@pytest.mark.parametrize(
    "form",
    [
        "How many times was {} edited?",
        "How many times was the {} modified?",
        "How many edits were made to the {} after step 2?",
        "How many times did the agent edit the {}?",
        "At which steps was {} created or edited?",
    ],
)
def test_a_word_that_says_nothing_elsewhere_is_not_dropped_where_it_names_what_was_edited(word, form):
    execution = ask(CODE, form.format(word))
    assert execution.results == ()
    assert execution.reason


@pytest.mark.parametrize("word", sorted(SAID_AROUND))
@pytest.mark.parametrize("form", ["How many times was the {} opened?", "How many times did the agent open the {}?"])
def test_nor_where_it_names_what_was_opened(word, form):
    if word not in ("object", "tool", "function"):  # words for what a drawer may be, or for an action
        assert ask(HOUSE, form.format(word)).results == ()


@pytest.mark.parametrize("word", sorted((EVENTS | LIGHT) - NEUTRAL - {"run", "get"}))
def test_no_event_and_no_empty_verb_is_something_that_was_edited(word):
    assert ask(CODE, f"How many times was {word} edited?").results == ()
    assert ask(CODE, f"How many edits were made to {word}?").results == ()


@pytest.mark.parametrize("word", ["legacy", "own", "similar", "never", "half", "both", "only"])
@pytest.mark.parametrize(
    "question",
    [
        "How many times was cart.py edited up to step 8?",
        "Which files were modified, and when?",
        "How many different files did the agent view before step 5?",
        "Which tool was used most often in the first 9 steps?",
        "In what order were the files created or edited?",
        "At which steps did a bash command finish with a non-zero exit code?",
    ],
)
def test_a_word_that_is_not_understood_is_refused_wherever_it_stands(question, word):
    said = question.split(" ")
    assert ask(CODE, question).results
    for place in range(1, len(said)):
        assert ask(CODE, " ".join([*said[:place], word, *said[place:]])).results == ()


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("How many times was total edited?", "total"),
        ("How many times was invoice edited?", "invoice"),
        ("How many edits were made to history?", "history"),
        ("How many websites were edited?", "websites"),
        ("How many rooms were edited?", "rooms"),
        ("How many functions were modified?", "a tool"),
        ("How many commands were edited?", "commands"),
        ("How many records were edited?", "records"),
        ("Which files were only viewed?", "only"),
        ("How many times was cart.py edited each time?", "each"),
        ("At which step had all files been edited?", "all"),
    ],
)
def test_the_reason_names_the_word(question, word):
    execution = ask(CODE, question)
    assert execution.results == ()
    assert word in execution.reason


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many edits were made in total?", 2),
        ("What is the total number of edits?", 2),
        ("How many total edits were there?", 2),
        ("In total, how many times was cart.py edited in the whole log?", 2),
        ("How many edits are there in the log?", 2),
        ("How many edits did the agent make over the entire trajectory?", 2),
        ("What is the exact number of times cart.py was edited at any point?", 2),
        ("How many of the first 5 steps are edits?", 1),
        ("How many edits does the log contain?", 2),
    ],
)
def test_phrases_around_a_question_change_nothing(question, expected):
    assert value(CODE, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many times was cart edited?", (4, 8)),
        ("How many edits were made to cart?", (4, 8)),
        ("When was tax created?", (7,)),
        ("How often did the agent view the cart?", (3,)),
        ("How many edits were made to total.py?", None),
    ],
)
def test_a_file_may_be_named_by_its_stem_as_a_whole_word(question, expected):
    if expected is None:
        assert "total.py" in ask(CODE, question).reason
    else:
        assert steps(CODE, question) == expected


def test_a_stem_that_two_files_share_or_that_may_be_a_kind_of_thing_names_none():
    log = Trajectory.from_pairs(
        [
            (call("str_replace_editor", command="str_replace", path=path), f"The file {path} has been edited.")
            for path in ("/a/card.py", "/b/card.py", "/a/tests.py", "/a/view.py")
        ]
    )
    assert "/a/card.py" in ask(log, "How many times was card edited?").reason
    assert "'tests'" in ask(log, "How many edits to tests were made?").reason
    assert steps(log, "How many times was tests edited?") == (2,)
    assert steps(log, "How many times was view edited?") == (3,)


def test_a_part_of_a_file_name_is_neither_a_filler_nor_a_stem():
    log = Trajectory.from_pairs(
        [
            (call("str_replace_editor", command="str_replace", path=path), f"The file {path} has been edited.")
            for path in ("/shop/total.py", "/shop/test_total.py", "/log/a.py")
        ]
    )
    assert steps(log, "How many times was total edited?") == (0,)
    assert value(log, "How many more times was test_total.py edited than total.py?") == 0
    assert value(log, "How many edits were made to /log/a.py and total.py?") == {"/log/a.py": 1, "/shop/total.py": 1}


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("How many times was the file modified?", "which file"),
        ("When was the path edited?", "which path"),
        ("How many directories were created?", "directories from files"),
        ("How many pages were viewed?", "'pages'"),
        ("How many objects were edited?", "'objects'"),
        ("How many locations were viewed?", "'locations'"),
        ("Which tools were edited?", "a tool"),
        ("How many files were viewed and edited?", "two actions"),
        ("How many times was the most edited file edited?", "does not ask"),
        ("How many were edited?", "what it counts"),
        ("How many times was that edited?", "'that'"),
        ("How many times was cart.py edited by search?", "no step of the log does both"),
    ],
)
def test_what_is_said_loosely_about_files_gives_no_number(question, reason):
    execution = ask(CODE, question)
    assert execution.results == ()
    assert reason in execution.reason


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("How many files were opened?", "'files'"),
        ("How many times was the drawer opened?", "which drawer"),
        ("How many times did the agent move?", "going or carrying"),
        ("How many drawers were opened and closed?", "two actions"),
        ("How many actions were opened?", "'actions'"),
        ("How many tools were opened?", "a tool"),
        ("Count all actions except openings of drawer 1.", "what it excludes"),
        ("How many actions, other than those that failed, were there?", "not"),
        ("Is drawer 1 open?", "what holds"),
        ("How many drawers are closed?", "what holds"),
        ("How many times did the agent look around at drawer 1?", "names a thing"),
    ],
)
def test_what_is_said_loosely_about_a_household_gives_no_number(question, reason):
    execution = ask(HOUSE, question)
    assert execution.results == ()
    assert reason in execution.reason


def test_an_action_that_is_used_is_no_state():
    assert value(HOUSE, "How many times was open used?") == 3


def test_what_is_left_out_ends_where_the_question_goes_on():
    assert steps(EDITS, "List the steps where a file other than tax.py was edited.") == (8,)
    assert steps(HOUSE, "Excluding look actions, how many actions were taken after step 10?") == (11, 13)


def test_a_clause_that_leaves_out_what_it_counts_counts_what_the_one_before_does():
    results = ask(CODE, "How many files were created and how many were edited?").results
    assert [result.value for result in results] == [1, 1]
