"""What a query shares with texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.cable.words import shared_words, stem


def test_a_text_that_holds_every_word_scores_1_and_one_without_any_0():
    scores = shared_words("When did Ann paint the barn?", {"all": "Ann paints barns", "none": "Bo sleeps"})
    assert scores == {"all": 1.0, "none": 0.0}


def test_a_rare_word_counts_more_than_a_frequent_one():
    texts = {"rare": "the canoe", "frequent": "Ann", **{str(n): f"Ann {n}" for n in range(8)}}
    scores = shared_words("Ann canoe", texts)
    assert scores["rare"] > 0.5 > scores["frequent"] > 0


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("painting", "she painted"),
        ("activities", "one activity"),
        ("Zoë’s café", "ZOË in the CAFÉ"),
        ("辞职", "她辞职了"),
        ("route 7", "it was 7"),
    ],
)
def test_a_word_is_found_in_another_form(query, text):
    assert shared_words(query, {"a": text})["a"] > 0


@pytest.mark.parametrize(("query", "text"), [("art", "party"), ("paint", "painters"), ("the of", "the of"), ("", "x")])
def test_a_part_of_a_word_or_a_function_word_is_not_found(query, text):
    assert shared_words(query, {"a": text}) == {"a": 0.0}


def test_a_stem_keeps_three_letters():
    assert [stem(word) for word in ("paintings", "painted", "yes", "es", "bless")] == [
        "paint",
        "paint",
        "yes",
        "es",
        "bles",
    ]


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=6))
def test_scores_are_shares_whatever_the_texts(query, texts):
    scores = shared_words(query, dict(enumerate(texts)))
    assert set(scores) == set(range(len(texts)))
    assert all(0 <= score <= 1 + 1e-9 for score in scores.values())
