"""What a question is about: steps and files that it names, and terms that it shares with the log."""

from __future__ import annotations

import pytest
from hypothesis import given

from memory_evidence.tallymem import ReadingIndex, Trajectory
from memory_evidence.tallymem.scoring import TermIndex, read_question, terms
from tests.tallymem.trajectories import editor, texts


@pytest.mark.parametrize(
    ("question", "steps"),
    [
        ("At step 5, what happened?", (5,)),
        ("Step 12 or turn 3 or time step 8", (12, 3, 8)),
        ("steps 3, 5 and 7", (3, 5, 7)),
        ("steps 3-6", (3, 6, 4, 5)),
        ("from step 20 to 22", (20, 22, 21)),
        ("between step 9 and step 7", (9, 7, 8)),
        ("steps 0 to 149", (0, 149)),
        ("up to step 40", (40,)),
        ("step #4.", (4,)),
        ("drawer 4, shelf 2", ()),
        ("step by step, 3 times", ()),
        ("step 12345678901", ()),
        ("", ()),
    ],
)
def test_the_steps_that_a_question_names(question: str, steps: tuple[int, ...]):
    assert read_question(question).steps == steps


def test_step_references_are_no_terms():
    assert read_question("What was in drawer 7 at step 20 or steps 3 to 5?").terms == {"drawer", "7"}


def test_terms_are_whole_words_and_numbers_without_case():
    assert terms("Open DRAWER 10: open_it, str_replace /a/b.py") == {
        "open", "drawer", "10", "it", "str", "replace", "a", "b", "py",
    }  # fmt: skip
    assert terms("Größe GRÖSSE 茶壶") == {"grösse", "茶", "壶"}


@given(texts)
def test_any_question_is_read(question: str):
    asked = read_question(question)
    assert len(set(asked.steps)) == len(asked.steps)


def test_a_term_of_every_step_tells_none_apart():
    index = TermIndex()
    for text in ("grey room", "grey kettle", "grey"):
        index.add([text, "grey"])
    assert index.shared(frozenset({"grey", "room"})) == {0: 1}


def anchors(question: str, places: range) -> tuple[int, ...]:
    pairs = [("walk", "a teapot" if place in places else "nothing") for place in range(60)]
    return ReadingIndex(Trajectory.from_pairs(pairs)).view(question).anchors


def test_where_nothing_is_named_the_four_best_steps_are_the_anchors():
    assert anchors("Where is the teapot?", range(10, 30)) == (26, 27, 28, 29)


def test_where_a_step_is_named_the_eight_best_items_join_it():
    assert anchors("Where is the teapot at step 3?", range(10, 30)) == (3, *range(23, 30))


def test_a_named_step_and_a_named_file_come_before_steps_that_share_seven_terms():
    words = ["one", "two", "six", "ten", "red", "blue", "pink", "green", "gold", "grey"]
    pairs = [("walk", " ".join(words[:7])) for _ in range(20)]
    pairs[0] = (editor("view", "/src/a.py"), "")
    pairs[1] = ("walk", "nothing")
    shown = ReadingIndex(Trajectory.from_pairs(pairs)).view(f"{' '.join(words)} a.py at step 1")
    assert {0, 1} <= set(shown.anchors)
    assert len(shown.anchors) == 8
