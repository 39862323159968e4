"""What an act was done to is told from what it was done with or at, and a tool that was called from what it effects."""

from __future__ import annotations

import pytest

from memory_evidence.tallymem import Trajectory
from tests.tallymem.tallies import CODE, HOUSE, ask, call, steps, value

KITCHEN = Trajectory.from_pairs(
    [
        ("take apple 1 from fridge 1", "You pick up the apple 1 from the fridge 1."),
        ("heat apple 1 with microwave 1", "You heat the apple 1 using the microwave 1."),
        ("move apple 1 to countertop 1", "You move the apple 1 to the countertop 1."),
        ("examine knife 1", "It is sharp."),
        ("put egg 2 in microwave 1", "Done."),
        ("take egg 2 from fridge 1", "You pick up the egg 2 from the fridge 1."),
    ]
)


@pytest.mark.parametrize(
    "question",
    [
        "How many times was fridge 1 taken?",
        "How many fridges were taken?",
        "How many times was microwave 1 heated?",
        "How many times was countertop 1 moved?",
        "How many times did the agent put microwave 1 in egg 2?",
        "How many times was an apple heated after fridge 1 was taken?",
        "Which receptacle was taken most often?",
    ],
)
def test_what_something_was_taken_from_was_not_taken(question):
    execution = ask(KITCHEN, question)
    assert execution.results == ()
    assert "in another way" in execution.reason or "places" in execution.reason


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many times was apple 1 taken?", 1),
        ("How many times was an apple taken from fridge 1?", 1),
        ("How many objects were taken from fridge 1?", 2),
        ("How many times was fridge 1 taken from?", 2),
        ("Which fridges were taken from?", {"fridge 1": 2}),
        ("How many times was apple 1 heated with microwave 1?", 1),
        ("How many times was egg 2 put in microwave 1?", 1),
        ("How many take actions on fridge 1 were there?", 2),
        ("Which places were apples moved to?", {"countertop 1": 1}),
        ("Where did the agent take things from most often?", ("fridge 1",)),
        ("Which object was taken most often?", ("apple 1", "egg 2")),
        ("How many times was knife 1 taken?", 0),
    ],
)
def test_where_it_is_said_what_was_done_to_what_it_is_counted(question, expected):
    assert value(KITCHEN, question) == expected


RUNS = Trajectory.from_pairs(
    [
        (call("execute_bash", command="pytest -q"), "[The command completed with exit code 2.]"),
        (call("delete_event", id="e1"), "Error: not found"),
        (call("execute_bash", command="git status"), "[The command completed with exit code 128.]"),
        (call("send_email", to="bob"), "Error: no such user"),
        (call("send_email", to="bob"), "ok"),
        (call("execute_bash", command="make test"), "ok"),
    ]
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Was pytest run before step 5?", (0,)),
        ("Did the agent run git after step 1?", (2,)),
        ("Was delete_event called before step 5?", (1,)),
        ("Did the agent use send_email after step 2?", (3, 4)),
        ("How many times was git run after pytest was run?", (2,)),
        ("How many calls were made after delete_event was called?", (2, 3, 4, 5)),
        ("How many calls were made after send_email failed?", (4, 5)),
        ("How many times was make run?", (5,)),
    ],
)
def test_what_was_called_was_called_whatever_came_of_it(question, expected):
    assert steps(RUNS, question) == expected


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
        ("How many more times was Read called than Edit?", -1),
        ("When was Edit first called?", 1),
        ("When was Edit last used?", 2),
        ("How many edits were there before the first Write?", 1),
    ],
)
def test_a_tool_is_meant_where_its_name_is_spelled_or_called(question, expected):
    assert value(NAMED, question) == expected


PODS = Trajectory.from_pairs([(call("kubectl", args=args), "x") for args in ("get pods", "delete pod a", "apply -f a")])


@pytest.mark.parametrize(
    "question",
    [
        "How many times was kubectl get used?",
        "How many calls to kubectl get were there?",
        "How many kubectl calls apply something?",
        "Which kubectl calls apply?",
    ],
)
def test_an_empty_verb_behind_a_program_is_a_name(question):
    assert ask(PODS, question).results == ()


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Has cart.py been edited in step 3?", "step 3 alone"),
        ("Which tool has been used in step 3?", "step 3 alone"),
        ("What was the last file edited during step 3?", "step 3 alone"),
        ("How many edits were in each step?", "each"),
    ],
)
def test_one_step_is_not_all_up_to_it(question, said):
    assert said in ask(CODE, question).reason


def test_what_had_happened_at_a_step_is_all_up_to_it():
    assert value(CODE, "How many edits had happened at step 5?") == 1
    assert steps(CODE, "List each step where cart.py was edited.") == (4, 8)


def test_what_stands_behind_the_whole_question_holds_for_both_counts():
    assert value(CODE, "How many more edits than views were there of cart.py?") == 1


@pytest.mark.parametrize("question", ["Was door 1 opened?", "How many doors were opened?"])
def test_a_door_is_not_opened_as_a_file_is_read(question):
    read = (call("read_file", path="/a.py"), "x")
    assert "door" in ask(Trajectory.from_pairs([(call("unlock", target="door 1"), "ok"), read]), question).reason
    assert steps(Trajectory.from_pairs([read, (call("open_door", target="door 1"), "ok")]), question) == (1,)


MAIL = Trajectory.from_pairs(
    [
        (call("search_contacts", query="Ann"), "ann@x.org"),
        (call("send_email", to="ann@x.org", subject="Hi"), "ok"),
        (call("send_email", to="bob@x.org", subject="Hi"), "ok"),
        (call("send_email", to="ann@x.org", subject="Hi"), "ok"),
        ("type [3] [red shoes] [1] where [3] is searchbox 'Search'", "results"),
        ("goto [http://a.b/c]", "a page"),
    ]
)


@pytest.mark.parametrize(
    "question",
    [
        "What was sent?",
        "How many objects were sent?",
        "Which things were sent most often?",
        "In what order were things sent?",
        "What was typed?",
        "How many things were typed?",
    ],
)
def test_whom_something_was_sent_to_was_not_sent(question):
    assert "names where it goes" in ask(MAIL, question).reason


@pytest.mark.parametrize(
    "question", ["How many emails were sent to Ann?", "Was an email sent to Ann?", "How many send_email calls to Ann?"]
)
def test_a_name_that_a_longer_one_has_a_part_of_is_no_verified_zero(question):
    assert ask(MAIL, question).reason == "it does not say whether 'Ann' is 'ann@x.org'"


@pytest.mark.parametrize(
    "question", ["How many pages were typed?", "Which urls were sent?", "How many files were sent?"]
)
def test_what_names_no_page_and_no_file_is_none(question):
    assert ask(MAIL, question).results == ()
    assert value(MAIL, "Which pages were visited?") == {"http://a.b/c": 1}


def test_containers_are_opened_also_where_one_goes_north():
    log = Trajectory.from_pairs([("go north", "ok"), ("open box 1", "ok")])
    assert value(log, "How many containers were opened?") == 1
    assert "'north'" in ask(log, "How many places were visited?").reason


def test_pages_are_not_the_sites_they_are_of():
    log = Trajectory.from_pairs(
        [(call("goto", url="https://a.com/x"), "ok"), (call("goto", url="https://a.com/y"), "ok")]
    )
    assert "websites" in ask(log, "How many websites were visited?").reason


def test_a_household_knows_what_was_taken():
    assert value(HOUSE, "How many spoons were taken?") == 2
    assert "another way" in ask(HOUSE, "How many drawers were taken?").reason


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which tool was used most often?", ("str_replace_editor",)),
        ("How many different tools were used?", 4),
        ("In what order were the tools used?", ("search", "search_web", "str_replace_editor", "execute_bash")),
        ("Which tools were used before step 5?", {"search": 2, "str_replace_editor": 2, "search_web": 1}),
        ("Which tool was used to edit cart.py?", {"str_replace_editor": 2}),
    ],
)
def test_an_editor_is_one_tool_whatever_its_commands(question, expected):
    assert value(CODE, question) == expected


def test_a_command_line_names_no_tool():
    bare = Trajectory.from_pairs([("pytest -q", "x"), ("cd /a && ls", "x"), ("cd /b", "x"), ("submit", "x")])
    assert "ask for commands" in ask(bare, "Which tool was used most often?").reason
    assert [result.value for result in ask(bare, "How many commands were run?").results] == [3, 4]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many actions were performed on 'please call'?", (0,)),
        ("How many times was please.md edited?", (1,)),
        ("How many calls were made on done?", (2,)),
        ("How many checks of done were there?", (2,)),
    ],
)
def test_a_name_that_sounds_like_a_courtesy_or_a_filler_is_a_name(question, expected):
    log = Trajectory.from_pairs(
        [
            (call("click", target="please call"), "ok"),
            (call("edit_file", path="/please.md"), "ok"),
            (call("check", target="done"), "ok"),
            (call("check", target="x"), "ok"),
        ]
    )
    assert steps(log, question) == expected


def test_some_of_the_first_steps_are_what_is_counted():
    assert value(CODE, "How many of the first 5 actions failed?") == 1


@pytest.mark.parametrize(
    "question",
    ["How many clicks on [4] were there?", "How often was [4] clicked?", "When did you click on the button [4]?"],
)
def test_what_is_clicked_on_is_clicked(question):
    log = Trajectory.from_pairs([("click [4] where [4] is button 'Go to cart'", "ok"), ("click [5]", "ok")])
    assert steps(log, question) == (0,)
