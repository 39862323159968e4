"""A name is no verb, and a verb that says nothing is no name: what a log calls its tools changes no question."""

from __future__ import annotations

import pytest

from memory_evidence.tallymem import Trajectory
from tests.tallymem.tallies import CODE, EDITS, HOUSE, ask, call, steps, value


def log(*calls: str) -> Trajectory:
    """Return a log of calls that all say the same."""
    return Trajectory.from_pairs([(action, "ok") for action in calls])


PODS = log(*(call("kubectl", args=args) for args in ("get pods", "delete pod a", "apply -f a")))


@pytest.mark.parametrize(
    "question",
    [
        "How many kubectl get calls were there?",
        "How many kubectl apply calls were made?",
        "How often was kubectl apply used?",
        "How many times did the agent call kubectl get?",
        "How many apply commands were there?",
        "How many launch calls were made?",
    ],
)
def test_an_empty_verb_in_front_of_calls_is_a_name(question):
    assert ask(PODS, question).results == ()


@pytest.mark.parametrize(
    "question",
    ["How many kubectl calls were made?", "How many kubectl calls did the agent make?", "How often was kubectl run?"],
)
def test_and_elsewhere_says_nothing(question):
    assert value(PODS, question) == 3


LAMP = Trajectory.from_pairs(
    [
        ("use desklamp 1", "You turn on the desklamp 1."),
        ("use desklamp 1", "You turn off the desklamp 1."),
        ("heat apple 1 with microwave 1", "You heat the apple 1 using the microwave 1."),
    ]
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many times was desklamp 1 turned on?", (0,)),
        ("When was desklamp 1 switched off?", (1,)),
        ("At which steps did the agent turn on a desklamp?", (0,)),
        ("How many times was desklamp 1 used?", (0, 1)),
        ("How many use actions were there?", (0, 1)),
    ],
)
def test_what_was_turned_on_was_not_turned_off(question, expected):
    assert steps(LAMP, question) == expected


@pytest.mark.parametrize(
    "question", ["How many times was microwave 1 used?", "How often did the agent use the microwave 1?"]
)
def test_what_served_another_was_used_without_the_tool_of_that_name(question):
    assert "'use'" in ask(LAMP, question).reason


def test_where_the_log_does_not_tell_on_from_off_neither_is_counted():
    lamp = Trajectory.from_pairs([("use desklamp 1", "Done."), ("use desklamp 1", "Done.")])
    assert "turned on" in ask(lamp, "How many times was desklamp 1 turned on?").reason


MAILS = log(
    call("send_email", to="a@x.org", body="Oslo trip"),
    call("send_email", to="b@x.org", body="about\nOslo"),
    call("note", id="n1", text="Oslo"),
    call("search", query="Oslo"),
)


@pytest.mark.parametrize(
    "question",
    ["How many calls contain Oslo?", "How many send_email calls include 'Oslo'?", "How many calls containing Oslo?"],
)
def test_what_a_text_holds_is_no_target(question):
    assert "text of a step" in ask(MAILS, question).reason


def test_where_both_are_the_same_steps_it_is():
    assert steps(HOUSE, "How many actions involved drawer 10?") == steps(HOUSE, "How many actions on drawer 10?")


DOTTED = log(
    call("search", q="x"), call("functions.search", q="x"), call("functions.search", q="y"), call("files.open", q="y")
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many times was functions.search called?", (1, 2)),
        ("How many functions.search calls were there?", (1, 2)),
        ("How many times was `functions.search` used?", (1, 2)),
        ("How many times was search called?", (0,)),
        ("Which files.open calls were made?", (3,)),
    ],
)
def test_a_name_with_a_dot_is_read_whole(question, expected):
    assert steps(DOTTED, question) == expected


@pytest.mark.parametrize("question", ["How many times was search called?", "How many Search calls were there?"])
def test_tools_that_differ_in_case_are_not_added_up(question):
    assert "case" in ask(log(call("search", q="y"), call("Search", q="z")), question).reason


EMPTY = log(call("get", q="y"), call("call", q="z"), call("call", q="w"), call("complete", q="v"), call("use", q="u"))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many times was get called?", (0,)),
        ("How often was complete used?", (3,)),
        ("How many complete calls were there?", (3,)),
        ("How many calls of get were made?", (0,)),
        ("How many calls were made?", (0, 1, 2, 3, 4)),
        ("How many calls completed?", None),
    ],
)
def test_a_tool_that_is_called_is_that_tool(question, expected):
    if expected is None:
        assert "'completed'" in ask(EMPTY, question).reason
    else:
        assert steps(EMPTY, question) == expected


NAMED = Trajectory.from_pairs(
    [
        (call("Read", file_path="/a.py"), "1 x"),
        (call("Edit", file_path="/a.py"), "Error: no"),
        (call("Edit", file_path="/a.py"), "ok"),
        (call("Write", file_path="/b.py"), "ok"),
    ]
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many times was Write used?", (3,)),
        ("How many times was Edit called?", (1, 2)),
        ("How many uses of Edit were there?", (1, 2)),
        ("How many times did the agent invoke Edit?", (1, 2)),
        ("How many times was a.py edited?", (2,)),
        ("How often was a.py read?", (0,)),
    ],
)
def test_the_tool_of_that_name_is_no_effect_of_that_name(question, expected):
    assert steps(NAMED, question) == expected


@pytest.mark.parametrize(
    "question",
    ["How many times was new.py created?", "How many files were created?", "How many files were viewed?"],
)
def test_a_command_that_an_editor_never_had_is_no_verified_zero_beside_a_shell(question):
    made = Trajectory.from_pairs(
        [
            (call("execute_bash", command="cat > /r/new.py"), "[The command completed with exit code 0.]"),
            (call("str_replace_editor", command="str_replace", path="/r/a.py"), "The file /r/a.py has been edited."),
        ]
    )
    assert "may have done it" in ask(made, question).reason


PROSE = log("click [1]", "The page is odd", "click [2]", "I will open it", "All good", "Do")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Count the actions.", 6),
        ("How many of the actions were there?", 6),
        ("How many actions did I perform?", 6),
        ("How many times was the [1] element clicked?", 1),
    ],
)
def test_a_word_of_the_grammar_is_no_tool(question, expected):
    assert value(PROSE, question) == expected


@pytest.mark.parametrize("question", ["How many times did the agent do something?", "How many actions on all pages?"])
def test_nor_is_it_dropped_where_it_says_something(question):
    assert ask(PROSE, question).results == ()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many commands were run?", [3, 10]),
        ("How many commands failed?", [1, 2]),
        ("What was the last command before step 6?", [5, 5]),
    ],
)
def test_commands_beside_a_shell_are_either(question, expected):
    assert [result.value for result in ask(CODE, question).results] == expected


BARE = Trajectory.from_pairs([("search: x", "Error: bad"), ("pytest -q", "exit code 1"), ("ls", "a")])


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many commands failed?", [1, 2]),
        ("How many commands were run?", [2, 3]),
        ("Which commands failed?", [(1,), (0, 1)]),
        ("What was the last command before step 3?", [2, 2]),
        ("How many commands were run after step 0?", [2]),
        ("How many calls failed?", [2]),
    ],
)
def test_commands_beside_bare_command_lines_are_either(question, expected):
    assert [result.value for result in ask(BARE, question).results] == expected


def test_commands_are_refused_where_a_tool_goes_by_the_name_of_a_program():
    log = Trajectory.from_pairs([("find: x", "a"), ("find . -name y", "b"), ("ls", "c")])
    assert "commands" in ask(log, "How many commands were run?").reason
    assert "commands" in ask(BARE, "Which command was used most often?").reason


@pytest.mark.parametrize(
    "question",
    [
        "How many steps were run after the first command failed?",
        "What was called before the first command that failed?",
    ],
)
@pytest.mark.parametrize("log", [BARE, CODE])
def test_nor_does_a_scope_begin_or_end_at_either(log, question):
    assert "commands" in ask(log, question).reason


def test_commands_are_refused_where_one_number_would_stand_for_both():
    assert "commands" in ask(CODE, "Which command was used most often?").reason
    assert "commands" in ask(EDITS, "How many commands failed?").reason


def test_commands_that_only_the_shell_can_mean_are_its():
    assert value(CODE, "How many commands ended with exit code 1?") == 1
    assert value(CODE, "How many bash commands failed?") == 1
    assert value(HOUSE, "How many commands were run?") == 14


COLD = Trajectory.from_pairs(
    [
        ("open fridge 1", "You open the fridge 1."),
        ("take egg 2 from fridge 1", "You pick up the egg 2 from the fridge 1."),
        ("close fridge 1", "You close the fridge 1."),
        ("take apple 1 from fridge 1", "You pick up the apple 1 from the fridge 1."),
    ]
)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many times did fridge 1 change state?", "what is in it"),
        ("How many times did the state of fridge 1 change?", "what is in it"),
        ("How many times did the state of apple 1 change?", "moved"),
        ("How many objects changed state?", "something else"),
        ("Which objects changed state?", "something else"),
        ("How many state changes were there?", "something else"),
    ],
)
def test_a_number_of_changes_is_of_one_thing_and_one_kind(question, said):
    assert said in ask(COLD, question).reason


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many apples and eggs were taken?", [1, 1]),
        ("How many apples or eggs were taken?", [2]),
        ("Which eggs or apples were taken?", [{"egg 2": 1, "apple 1": 1}]),
        ("How many eggs did it take?", [1]),
    ],
)
def test_classes_that_are_joined_are_counted_each_or_together(question, expected):
    assert [result.value for result in ask(COLD, question).results] == expected


def test_ways_to_go_are_no_places():
    walk = log("go north", "go east", "go north")
    assert "'north'" in ask(walk, "How many places were visited?").reason
    assert value(walk, "How many times did the agent go north?") == 2


def test_pages_that_a_click_led_to_are_not_known():
    web = log(call("goto", url="https://x.org/1"), "click [1]")
    assert "'click'" in ask(web, "How many pages were visited?").reason
    assert value(log(call("goto", url="https://x.org/1")), "How many pages were visited?") == 1


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many different actions were used?", [1]),
        ("Which action was performed most often?", [("((0,1))",)]),
        ("How many different exit codes were there?", []),
        ("Which exit code was most frequent?", []),
    ],
)
def test_what_no_step_has_is_not_grouped_by(question, expected):
    assert [result.value for result in ask(log("((0,1))", "((0,1))"), question).results] == expected


SENT = log(
    call("send_email", to="bob"),
    call("tavily_search", query="x"),
    call("browser_click", ref="e1"),
    call("run_tests", a="b"),
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many emails were sent?", (0,)),
        ("How many searches were made?", (1,)),
        ("How many clicks were there?", (2,)),
        ("When was an email sent?", (0,)),
    ],
)
def test_a_verb_in_the_name_of_one_tool_is_its(question, expected):
    assert steps(SENT, question) == expected


@pytest.mark.parametrize(
    "question", ["How many tests were there?", "How many emails were there?", "How many messages were sent?"]
)
def test_a_noun_in_it_is_not(question):
    assert ask(SENT, question).results == ()


def test_the_objects_of_a_tool_are_not_its_calls():
    web = [call("restart_service", service=name) for name in ("web", "api", "web")]
    assert "'services'" in ask(log(*web), "How many services were restarted?").reason
    assert value(log(*web), "How many times was web restarted?") == 2
    assert "'tables'" in ask(log(call("list_tables", db="x")), "How many tables were listed?").reason
    assert "'events'" in ask(log(call("list_events", day="x")), "How many events were listed?").reason


OFFICE = Trajectory.from_pairs(
    [
        (call("create_event", title="Sync", date="2026-12-01"), "Event evt_1 created."),
        (call("create_event", title="Sync", date="2026-12-01"), "Error: calendar is read-only"),
        (call("send_email", to="bob@x.org", subject="Hi"), "Error: rejected"),
        (call("send_email", to="bob@x.org", subject="Hi"), "Email sent."),
        (call("read_email", id="m1"), "Hi"),
        (call("read_email", id="m1"), "Hi"),
        (call("list_events", date="2026-12-01"), "Sync"),
        (call("delete_event", id="evt_1"), "Event evt_1 deleted."),
    ]
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many emails did you send?", (2, 3)),
        ("How many emails were sent to bob@x.org?", (2, 3)),
        ("In which steps did the agent send an email?", (2, 3)),
        ("Which emails did you send?", (2, 3)),
        ("What emails were sent?", (2, 3)),
        ("Did you send any emails before step 3?", (2,)),
        ("How many events were created?", (0,)),  # the other was refused
        ("How many events did you create?", (0,)),
        ("When was an event deleted?", (7,)),
        ("How many times was email m1 read?", (4, 5)),
        ("How many times did you read an email?", (4, 5)),
        ("How many emails were sent after an event was created?", (2, 3)),
        ("What was the last tool you called?", (7,)),
        ("What was the first tool that the agent used?", (0,)),
    ],
)
def test_a_tool_is_named_by_its_verb_and_what_it_is_done_to(question, expected):
    assert steps(OFFICE, question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "How many emails were read?",
        "How many more emails were read than sent?",
        "How many emails were sent or read?",
        "Which emails were read?",
        "How many events were listed?",
        "How many steps were deleted?",
        "How many calls were sent?",
        "How many files were deleted?",
        "Which files were created?",
        "How many pages were deleted?",
        "How many events were there?",
        "How many events failed?",
    ],
)
def test_what_it_is_not_done_to_is_not_counted_by_it(question):
    assert ask(OFFICE, question).results == ()


DISK = log(
    call("list_directory", path="/"),
    call("move_file", source="/a.py", destination="/c.py"),
    call("create_directory", path="/d"),
    call("write_file", path="/b.py", content="x"),
    "place_object(apple, table)",
)


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("How many files were listed?", "'list_directory' does not tell"),
        ("How many files were moved?", "which of '/a.py', '/c.py'"),
        ("In what order were files moved?", "which of '/a.py', '/c.py'"),
        ("How many files were created?", "about a directory"),
        ("Which files have been written?", "about a directory"),
        ("How many objects were placed?", "name no thing"),
        ("What was placed?", "name no thing"),
    ],
)
def test_what_the_log_does_not_name_is_not_counted(question, reason):
    assert reason in ask(DISK, question).reason


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many errors were there?", (1, 2)),
        ("How many errors occurred?", (1, 2)),
        ("When did the first error occur?", (1,)),
        ("How many calls were made after the first error?", (2, 3, 4, 5, 6, 7)),
        ("How many errors happened before step 2?", (1,)),
    ],
)
def test_an_error_is_a_failed_call(question, expected):
    assert steps(OFFICE, question) == expected


@pytest.mark.parametrize(
    "question", ["How many errors were fixed?", "How many error messages were sent?", "How many calls had no errors?"]
)
def test_but_no_error_that_something_was_done_to(question):
    assert ask(OFFICE, question).results == ()
    assert ask(CODE, "How many errors were there?").results == ()  # a shell prints them as well
    assert ask(HOUSE, "How many errors were there?").results == ()  # and "Nothing happens" may be one


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When was pytest first run?", (6,)),
        ("When was pytest last executed?", (6,)),
        ("When did pytest first fail?", (6,)),
        ("At which steps did pytest ever fail?", (6,)),
        ("How many of the pytest runs failed?", (6,)),
        ("How many of the calls failed?", (2, 6)),
        ("Which of the actions failed?", (2, 6)),
        ("How many times was grep successfully run?", None),
    ],
)
def test_a_program_is_run_first_and_last(question, expected):
    assert (steps(CODE, question) == expected) if expected else isinstance(value(CODE, question), int)


def test_nor_is_a_verb_in_the_names_of_two():
    assert (
        ask(log(call("web_search", q="x"), call("search_files", q="x")), "How many searches were made?").results == ()
    )


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many edits did you make?", 3),
        ("How many edits have you made so far?", 3),
        ("Did you edit tax.py?", 2),
        ("Which files did you edit?", {"/shop/tax.py": 2, "/shop/cart.py": 1}),
        ("What was your last action?", 10),
        ("What was the last tool used?", 10),
        ("Which tool was used first?", 0),
        ("What was edited?", {"/shop/tax.py": 2, "/shop/cart.py": 1}),
    ],
)
def test_natural_questions_of_an_agents_user(question, expected):
    assert value(EDITS, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many times was the fridge opened?", 1),
        ("What was taken from the fridge?", {"egg 2": 1, "apple 1": 1}),
        ("Where were things taken from?", None),
        ("What was opened before step 2?", {"fridge 1": 1}),
    ],
)
def test_the_only_one_of_its_class_needs_no_number(question, expected):
    if expected is None:
        assert ask(COLD, question).results == () or value(COLD, question) == {"fridge 1": 2}
    else:
        assert value(COLD, question) == expected


def test_where_is_a_place_and_no_place_in_a_file():
    assert value(HOUSE, "Where was spoon 2 put?") == {"drawer 10": 1}
    assert "where in a file" in ask(CODE, "Where was cart.py edited?").reason


@pytest.mark.parametrize("question", ["How many times did the agent go to a toilet?", "How many toilets were visited?"])
def test_a_kind_of_thing_is_not_another_that_has_its_word_in_its_name(question):
    bath = log("go to toilet 1", "go to toilet paper hanger 1")
    assert "'toilet paper hanger 1'" in ask(bath, question).reason
    assert value(bath, "How many times did the agent go to toilet 1?") == 1


def test_any_of_a_kind_is_not_the_one_that_has_no_number():
    spoons = log("take spoon from drawer 1", "take spoon 1 from drawer 1")
    assert "any of its kind" in ask(spoons, "How many times was a spoon taken?").reason


def test_an_empty_verb_behind_another_is_a_name():
    assert ask(CODE, "How many commands used make?").results == ()
