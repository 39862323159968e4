"""Questions about files: refused calls, groups of files, orders, tools and events."""

from __future__ import annotations

import pytest

from memory_evidence.tallymem import Filter, Ledger, Plan, SubQuery, Trajectory
from memory_evidence.tallymem.execute import execute
from memory_evidence.tallymem.rows import Outcome
from tests.tallymem.tallies import CODE, EDITS, HOUSE, ask, call, steps, value


@pytest.mark.parametrize(
    "question",
    [
        "Number of modified files?",
        "How many files were modified?",
        "How many modified files are there?",
        "How many files got modified?",
        "What is the number of files that were modified?",
        "Count the modified files.",
        "How many changed files are there in total?",
    ],
)
def test_a_number_of_files_counts_each_file_once(question):
    assert (value(EDITS, question), steps(EDITS, question)) == (3, (1, 6, 7, 8, 10))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many times was tax.py modified?", (1, 6, 7)),
        ("How many times was tax.py edited?", (6, 7)),
        ("How many times was tax.py created?", (1,)),
        ("How many files were created?", (1, 10)),
        ("When was the last time tax.py was edited?", (7,)),
        ("At which steps was tax.py viewed or edited?", (6, 7, 9)),
        ("How many times was old.py edited?", ()),
    ],
)
def test_a_refused_call_changes_nothing(question, expected):
    assert steps(EDITS, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which edits failed?", (3, 4)),
        ("How many edits failed?", (3, 4)),
        ("Did any edit fail?", (3, 4)),
        ("Which edits of tax.py were refused?", (3,)),
        ("How many edits did not succeed?", (3, 4)),
        ("How many edits succeeded?", (6, 7, 8)),
        ("How many times did the agent try to edit tax.py?", (3, 6, 7)),
        ("How many attempts to create a file were there?", (1, 2, 10)),
        ("Which views failed?", (5,)),
    ],
)
def test_failures_and_attempts_are_counted_where_they_are_asked_for(question, expected):
    assert steps(EDITS, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many times was tax.py modified with the create or str_replace command?", (1, 2, 3, 6)),
        ("How many create commands were issued?", (1, 2, 10)),
        ("How many str_replace calls failed?", (3, 4)),
        ("How many times did the agent view a file with str_replace_editor?", (5, 9)),
    ],
)
def test_calls_of_a_named_command_are_counted_whatever_came_of_them(question, expected):
    assert steps(EDITS, question) == expected


def test_an_editor_that_refuses_says_failure_and_one_that_does_says_success():
    outcomes = [row.outcome for row in Ledger(EDITS).rows if row.effect]
    refused = [Outcome.FAILURE] * 4
    assert outcomes == [Outcome.SUCCESS, *refused, *[Outcome.SUCCESS] * 5]


@pytest.mark.parametrize(
    "question",
    [
        "In what order were the files created or edited?",
        "In which order did the agent modify the files?",
        "What is the order in which files were first modified?",
    ],
)
def test_an_order_names_each_file_at_its_first_event(question):
    assert value(EDITS, question) == ("/shop/tax.py", "/shop/cart.py", "/shop/rates.json")


def test_an_order_of_places_is_that_of_first_visits():
    assert value(HOUSE, "In what order were the locations visited?") == ("drawer 1", "drawer 10")


@pytest.mark.parametrize(
    "question",
    [
        "Which tools were used, and how often?",
        "Which tools did the agent use and how many times was each used?",
        "List the tools and how often each was called.",
        "List the tools with the number of times they were used.",
        "How many times was each tool used?",
    ],
)
def test_tools_are_told_with_their_counts(question):
    assert value(HOUSE, question) == value(HOUSE, "How many times was each tool used?")
    assert value(HOUSE, question)["open"] == 3


def test_groups_may_be_asked_for_by_what_they_are_broken_down_by():
    assert value(EDITS, "Break down the edits by file.") == {"/shop/tax.py": 2, "/shop/cart.py": 1}
    assert value(CODE, "Which exit codes occurred, and how often?") == {"1": 1, "2": 1, "0": 1}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many python files were modified?", 2),
        ("How many .json files were created?", 1),
        ("How many files in /shop were modified?", 3),
        ("Which files under /shop were edited?", {"/shop/tax.py": 2, "/shop/cart.py": 1}),
    ],
)
def test_files_are_told_apart_by_directory_and_ending(question, expected):
    assert value(EDITS, question) == expected


def test_a_directory_of_too_many_files_is_not_filtered_by():
    calls = [call("str_replace_editor", command="view", path=f"/a/f{n}.py") for n in range(501)]
    log = Trajectory.from_pairs([(action, "Here's the result of running `cat -n`") for action in calls])
    assert "501 files" in ask(log, "How many files in /a were viewed?").reason


def test_a_word_before_files_is_no_ending_unless_it_is_known_for_one():
    log = Trajectory.from_pairs(
        [
            (call("execute_bash", command="python -c Book.objects.all"), ""),
            (call("str_replace_editor", command="create", path="/a.py"), "File created successfully at: /a.py"),
        ]
    )
    assert value(log, "List all files that were created.") == {"/a.py": 1}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many bash commands were run before tax.py was edited?", (0,)),
        ("How many times was tax.py viewed before it was edited?", ()),
        ("How many times was cart.py edited before the agent viewed it?", None),
        ("How many times was tax.py created before it was edited?", (1,)),
        ("How many times was cart.py viewed before it was edited?", ()),
    ],
)
def test_it_is_the_same_thing_in_the_event_that_a_scope_ends_at(question, expected):
    if expected is None:
        assert ask(EDITS, question).results == ()  # cart.py is never viewed
    else:
        assert steps(EDITS, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Was tax.py ever edited?", True),
        ("Has old.py been modified?", False),
        ("Were any files created after step 5?", True),
        ("By step 4, had the agent edited tax.py?", False),
        ("Did the agent edit cart.py before step 8?", False),
    ],
)
def test_whether_something_was_done_is_a_count_above_zero(question, expected):
    assert (value(EDITS, question) > 0) is expected


@pytest.mark.parametrize(
    "question",
    [
        "List the modified files.",
        "Which modified files are there?",
        "Tell me all the files that have been modified.",
        "Give the paths of all modified files.",
        "What are the names of the modified files?",
        "List every file that the agent modified.",
    ],
)
def test_a_list_of_files_names_each_with_its_steps(question):
    assert value(EDITS, question) == {"/shop/tax.py": 3, "/shop/cart.py": 1, "/shop/rates.json": 1}


def test_lists_and_comparisons_are_read_in_short():
    assert steps(EDITS, "Please list every edit of tax.py.") == (6, 7)
    assert steps(HOUSE, "List the first 3 actions.") == (0, 1, 2)
    assert value(HOUSE, "Which was the last place the agent went to?") == 8
    assert value(HOUSE, "Were there more opens than closes?") == 1


def test_what_was_done_by_two_words_is_counted_for_each():
    results = ask(EDITS, "How many views and edits of tax.py were there?").results
    assert [result.steps for result in results] == [(9,), (6, 7)]


def test_two_counts_of_different_actions_take_no_filter_from_each_other():
    assert value(EDITS, "How many more edits than bash commands were there?") == 2
    assert value(EDITS, "What is the difference between the number of edits and the number of creations?") == 1


def test_the_first_and_last_action_need_no_name():
    assert value(EDITS, "What was the agent's last action?") == 10
    assert value(HOUSE, "What was the first action after step 4?") == 5


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many times did pytest fail?", (6,)),
        ("How many pytest runs were there?", (6,)),
        ("What was the last time pytest was run?", (6,)),
        ("At which steps did pytest exit with code 2?", (6,)),
    ],
)
def test_a_program_may_be_what_fails_or_is_run(question, expected):
    assert steps(CODE, question) == expected


def test_what_is_left_out_leaves_the_steps_in_order():
    where = (Filter("target", ("tax.py",)), Filter("effect", ("read", "edit")), Filter("outcome", ("failure",), True))
    (result,) = execute(Ledger(EDITS), Plan((SubQuery("last", where),))).results
    assert (result.value, result.unsure) == (9, 0)


def test_a_failure_that_no_row_has_is_a_zero_and_no_other_list():
    (result,) = ask(CODE, "Which edits of cart.py failed?").results
    assert (result.steps, result.relaxed, result.verified_zero) == ((), False, False)
