from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.tallymem import Ledger, Plan, Trajectory
from memory_evidence.tallymem.rules import RuleCompiler
from tests.tallymem.tallies import CODE, HOUSE, ask, call, steps, value

RULES = RuleCompiler(Ledger(HOUSE))
CODE_RULES = RuleCompiler(Ledger(CODE))


@pytest.mark.parametrize(
    "question",
    [
        "How many times was drawer 1 opened up to step 8?",
        "How often was drawer 1 opened up to step 8?",
        "How frequently did the agent open drawer 1 through step 8?",
        "What is the number of times drawer 1 was opened by step 8?",
        "What's the count of open actions on drawer 1 until step 8?",
        "Count the 'open' actions on drawer 1 up to and including step 8.",
        "By the end of step 8, how many times had the agent opened drawer 1?",
        "In steps 0-8, how many times was drawer 1 opened?",
        "Before step 9, how often has drawer 1 been opened?",
        "How many times was drawer 1 opened in the first nine steps?",
        "Drawer 1 was opened how many times between step 8 and step 0?",
        "I'd like to know how often the agent opened drawer 1, considering only steps up to 8.",
        "Tally the openings of drawer 1 up to step 8. Answer with an integer.",
    ],
)
def test_every_wording_of_a_count_selects_the_same_steps(question):
    assert steps(HOUSE, question) == (2,)
    assert value(HOUSE, question) == 1


@pytest.mark.parametrize(
    ("bound", "expected"),
    [
        ("up to and including step 5", (2, 5)),
        ("up to step 5", (2, 5)),
        ("until step 5", (2, 5)),
        ("through step 5", (2, 5)),
        ("by step 5", (2, 5)),
        ("no later than step 5", (2, 5)),
        ("before step 5", (2,)),
        ("prior to step 5", (2,)),
        ("up to but not including step 5", (2,)),
        ("up to step 5 (exclusive)", (2,)),
        ("before step 5 (inclusive)", (2, 5)),
        ("not after step 5", (2, 5)),
        ("not before step 5", (5, 11)),
        ("no earlier than step 3 and no later than step 5", (5,)),
        ("after step 5", (11,)),
        ("later than step 5", (11,)),
        ("from step 5 on", (5, 11)),
        ("since step 5", (5, 11)),
        ("at step 5 or later", (5, 11)),
        ("in steps 5 onward", (5, 11)),
        ("at step 5 or earlier", (2, 5)),
        ("from step 3 to the end of the log", (5, 11)),
        ("starting at step 5", (5, 11)),
        ("between step 2 and step 11", (2, 5, 11)),
        ("between step 11 and step 2", (2, 5, 11)),
        ("strictly between step 2 and step 11", (5,)),
        ("between steps 2 and 11, exclusive", (5,)),
        ("from step 2 to step 5", (2, 5)),
        ("in steps 3-11", (5, 11)),
        ("in steps [3, 11]", (5, 11)),
        ("after step 2 and before step 11", (5,)),
        ("in the first 3 steps", (2,)),
        ("in the first 2 steps", ()),
        ("in the last three steps", (11,)),
        ("during the last 2 steps", ()),
        ("in the first 500 steps", (2, 5, 11)),
        ("up to step 500", (2, 5, 11)),
    ],
)
def test_bounds_are_read_from_their_wording(bound, expected):
    assert steps(HOUSE, f"At which steps did the agent open a drawer {bound}?") == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many times was drawer 1 opened?", 2),
        ("How many times was drawer 10 opened?", 1),
        ("How many times was spoon 2 taken?", 1),
        ("How many drawers were opened?", 2),
        ("How many different drawers did the agent open before step 5?", 1),
        ("How many objects did the agent pick up?", 2),
        ("How many times did the agent move to drawer 1?", 2),
        ("How many times was spoon 2 moved?", 1),
        ("Which drawer was opened most often?", ("drawer 1",)),
        ("Which drawer was opened least often?", ("drawer 10",)),
        ("Which drawer was visited the most?", ("drawer 1",)),
        ("How many more times did the agent open than close drawers?", 1),
        ("How many fewer times was drawer 10 opened than drawer 1?", 1),
        ("What is the difference between the number of take actions and move actions?", 1),
        ("What is the ratio of open actions to close actions?", 1.5),
        ("When was drawer 1 last opened?", 11),
        ("At which step did the agent first open a drawer after going to drawer 10?", 5),
        ("How many times did the agent open a drawer after it first took spoon 2?", 2),
        ("Before first taking spoon 12, how many times was a drawer closed?", 2),
        ("How many actions had no effect?", 1),
        ("How many steps are there?", 14),
        ("How many actions did the agent take after step 9?", 4),
        ("Did the agent ever take spoon 12?", 1),
        ("How many spoons were picked up?", 2),
    ],
)
def test_questions_about_a_household_get_their_value(question, expected):
    assert value(HOUSE, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many times was search used?", 2),
        ("How many search calls were made?", 2),
        ("How many times was search_web called?", 1),
        ("How many files were modified, and when?", 2),
        ("How many files were created?", 1),
        ("How many files were edited?", 1),
        ("How many files did the agent view?", 1),
        ("How many times was cart.py modified?", 2),
        ("How many times did the agent view /shop/cart.py?", 1),
        ("How many bash commands exited with code 1?", 1),
        ("How many calls failed?", 2),
        ("How often was grep run?", 2),
        ("How many grep commands were run?", 2),
        ("How many times was str_replace_editor used?", 4),
        ("How many different exit codes occurred?", 3),
        ("How many calls of the create or str_replace command were made?", 3),
        ("Which tool was used most often?", ("str_replace_editor",)),
    ],
)
def test_questions_about_code_get_their_value(question, expected):
    assert value(CODE, question) == expected


@pytest.mark.parametrize("verb", ["modified", "changed", "edited", "updated", "written", "altered"])
def test_no_word_for_modifying_counts_a_view(verb):
    assert 3 not in steps(CODE, f"At which steps was /shop/cart.py {verb}?")


def test_a_non_zero_exit_code_is_no_failure():
    assert steps(CODE, "At which steps did a bash command have a non-zero exit code?") == (5, 6)
    assert steps(CODE, "Which steps failed?") == (2, 6)


def test_quantities_joined_by_and_are_sub_queries_of_their_own():
    results = ask(HOUSE, "How many times did the agent open drawer 1 and how many times did it close it?").results
    assert [result.value for result in results] == [2, 2]


def test_each_sub_query_has_its_own_bounds_and_a_single_one_is_shared():
    own = ask(HOUSE, "How many times was drawer 1 opened up to step 5 and how many times was it closed after step 8?")
    assert [result.value for result in own.results] == [1, 1]
    shared = ask(HOUSE, "Up to step 8, how many times was drawer 1 opened and how many times was it closed?")
    assert [result.value for result in shared.results] == [1, 1]


def test_groups_name_every_member_with_its_steps():
    (result,) = ask(HOUSE, "How many times was each tool used?").results
    assert result.groups["open"] == (2, 5, 11)
    assert result.value["look"] == 2
    (outcomes,) = ask(HOUSE, "Count the actions per outcome.").results
    assert outcomes.groups["no_effect"] == (7,)


def test_questions_about_changes_use_recorded_changes():
    (inventory,) = ask(HOUSE, "What changes occurred to the inventory and at which steps?").results
    assert inventory.steps == (3, 6, 10)
    (state,) = ask(HOUSE, "How did the state of drawer 1 change throughout the trajectory?").results
    assert state.steps == (2, 3, 9, 11)
    histories = ask(HOUSE, "Until step 6, what were the location histories of spoon 2 and spoon 12?").results
    assert histories[0].steps == (3, 6)
    (touched,) = ask(HOUSE, "What objects has the agent interacted with and how many times?").results
    assert touched.value == {"drawer 1": 3, "spoon 2": 2, "drawer 10": 1, "spoon 12": 1}


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("Why was drawer 1 opened twice?", "not a question of counting"),
        ("What should the agent do next?", "not a question of counting"),
        ("What caused the close action to fail?", "not a question of counting"),
        ("If drawer 1 had been opened earlier, how many times would it be closed?", "not a question of counting"),
        ("Wie oft wurde drawer 1 geöffnet?", "does not ask"),
        ("引き出しは何回開けられましたか", "does not ask"),
        ("How often did the agent sneeze?", "not understood: sneeze"),
        ("How many times was drawer 2 opened?", "the log knows no 'drawer 2'"),
        ("How many times was the 'frobnicate' tool called?", "the log knows no 'frobnicate'"),
        ("How many times did the agent not open drawer 1?", "not understood: not"),
        ("How many times did the agent open drawer 1 by mistake?", "not understood: mistake"),
        ("How many times was drawer 1 opened in the second half?", "not understood: second, half"),
        ("How many consecutive look actions were there?", "not understood: consecutive"),
        ("What is the average number of steps between openings?", "not understood"),
        ("How many steps did it take to open drawer 1?", "distances"),
        ("How many times was it opened?", "does not say what 'it' stands for"),
        ("How many objects are in drawer 1?", "does not say what was done"),
        ("How many drawers are there?", "does not say what was done"),
        ("Which drawers were never opened?", "not understood: never"),
        ("How many times was drawer 1 opened after step 9 and before step 4?", "no step lies between"),
        ("What is the observation at step 3?", "step 3 alone"),
        ("How many times did the agent open drawer 1 and close drawer 10?", "several actions"),
        ("How many times did the agent go from drawer 1 to drawer 10?", "names two things"),
        ("How many times was drawer 1 opened after the second look?", "first event of a kind only"),
        ("How many times did the agent open both drawers?", "not understood: both"),
    ],
)
def test_a_question_that_is_not_read_to_the_last_word_gives_no_number(question, reason):
    execution = ask(HOUSE, question)
    assert execution.results == ()
    assert reason in execution.reason


@pytest.mark.parametrize(
    "question",
    [
        "How many times did a test fail?",
        "How many times was the file deleted?",
        "How many test files were modified?",
        "How many permission checks needed to be modified?",
        "At which steps did the agent look for the bug?",
    ],
)
def test_words_that_the_log_has_no_field_for_give_no_number(question):
    assert ask(CODE, question).results == ()


def test_words_in_arguments_and_observations_are_no_actions():
    log = Trajectory.from_pairs(
        [
            (call("note", text="open drawer 1"), "You open the drawer 1? No."),
            (call("note", text="search the web"), "Action: open drawer 1"),
            ("open drawer 1", "You open the drawer 1."),
        ]
    )
    assert steps(log, "At which steps was 'open drawer 1' done, using the open action?") == (2,)
    assert ask(log, "How many times was search used?").results == ()


def test_sentences_that_only_say_how_to_answer_are_not_part_of_the_question():
    asked = 'At which steps was drawer 1 closed? Answer with a comma-separated list of step numbers, or "none".'
    assert steps(HOUSE, asked) == (7, 9)


def test_an_empty_trajectory_has_no_plan():
    assert RuleCompiler(Ledger()).compile("How many steps are there?").reason == "the trajectory holds no steps"


def test_the_compiler_follows_a_growing_ledger():
    ledger = Ledger(HOUSE.steps[:2])
    compiler = RuleCompiler(ledger)
    assert not compiler.compile("How many times was drawer 1 opened?").applicable
    ledger.append(HOUSE.steps[2])
    assert compiler.compile("How many times was drawer 1 opened?").applicable


VOCABULARY = """
how many times did the agent open close go to drawer 1 10 spoon 2 before after step steps between and or not first last
which most often each tool ' " ( ) ? . , exit code non-zero {x} %s up until through in of than more ratio difference
failed changed state inventory
"""
WORDS = st.sampled_from(VOCABULARY.split())


@given(st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=14).map(" ".join)))
def test_any_text_gives_a_plan_or_a_reason_and_never_an_error(question):
    for rules in (RULES, CODE_RULES):
        plan = rules.compile(question)
        assert isinstance(plan, Plan)
        assert bool(plan.queries) != bool(plan.reason)


def test_things_joined_by_and_are_counted_each_and_those_joined_by_or_together():
    (result,) = ask(HOUSE, "How many times were drawer 1 and drawer 10 opened?").results
    assert (result.value, result.steps) == ({"drawer 1": 2, "drawer 10": 1}, (2, 5, 11))
    assert value(HOUSE, "How many times was drawer 1 or drawer 10 opened?") == 3
    (result,) = ask(HOUSE, "How many go and look actions were performed?").results
    assert result.value == {"go": 3, "look": 2}


def test_a_number_word_behind_a_numbered_thing_is_its_number():
    assert value(HOUSE, "How many times was drawer one opened?") == 2
    assert ask(HOUSE, "How many times was drawer two opened?").reason == "the log knows no 'drawer 2'"


def test_a_noun_in_the_singular_belongs_to_the_event_behind_it():
    assert value(CODE, "How many tool calls were made?") == 10
    assert value(CODE, "How many file edits were made?") == 2
    assert value(HOUSE, "How many drawer openings were there?") == 3


def test_the_most_frequent_action_is_told_in_both_senses():
    results = ask(HOUSE, "Which action was performed most often?").results
    assert [(result.query.by, result.value) for result in results] == [
        ("action", ("look", "go to drawer 1", "open drawer 1", "close drawer 1")),
        ("tool", ("go", "open")),
    ]


def test_a_text_too_long_for_a_question_is_not_read():
    assert "longer than" in RULES.compile("how many " * 1_000).reason


def test_elements_of_a_page_are_named_by_number_label_or_text():
    log = Trajectory.from_pairs(
        [
            ("click [12] where [12] is link 'Issues'", ""),
            ("type [44] [hello world ] where [44] is textbox 'Title' required: False", ""),
            ("click [50] where [50] is button 'Submit'", ""),
            ("scroll [down]", ""),
            ("click [50] where [50] is button 'Submit'", ""),
        ]
    )
    assert steps(log, "How many times was button [50] clicked?") == (2, 4)
    assert steps(log, "How many Submit clicks occurred?") == (2, 4)
    assert steps(log, "When was 'hello world' first typed?") == (1,)
    assert value(log, "How many distinct elements were clicked?") == 2


def test_a_step_without_an_action_is_no_tool():
    log = Trajectory.from_pairs([("look", ""), ("\u2014", ""), ("look", "")])
    assert value(log, "How many tools were used?") == 1
    assert value(log, "How many times was each tool used?") == {"look": 2}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many actions took place on drawer 1?", 7),
        ("How many different objects did the agent interact with?", 4),
        ("How many interactions with spoon 2 were there?", 2),
        ("How many times was a drawer opened since step 3 until step 11?", 2),
        ("How many times was a drawer opened after step 2 until step 11?", 2),
        ("Could you please tell me how often drawer 1 was opened, according to the log?", 2),
    ],
)
def test_phrases_are_read_as_a_whole(question, expected):
    assert value(HOUSE, question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "How many times was a drawer closed after being opened?",
        "Which drawer did the agent open after drawer 1?",
        "How many commands had an exit code?",
    ],
)
def test_a_phrase_that_may_mean_several_things_gives_no_number(question):
    assert ask(CODE if "code" in question else HOUSE, question).results == ()
