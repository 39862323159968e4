"""Which memories are worth linking."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.cable.filter import content_words, low_information, spoken, statements


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "Ann: Hey Bo! Good to see you! How have you been?",
        "Bo: Thanks, Ann!",
        "Ann: Wow, that's amazing! You're doing great, keep it up!",
        "What did you paint yesterday, and where is the pottery class?",
        "Bo: Your garden looks lovely and your roses smell wonderful.",
        "ok",
        "🎉🎉🎉",
        "好的。",
    ],
)
def test_greetings_thanks_praise_and_questions_are_low_information(text):
    assert low_information(text)


@pytest.mark.parametrize(
    "text",
    [
        "Lives in Rome",
        "User is vegetarian",
        "Ann: I went to a support group yesterday.",
        "Bo: Thanks! I quit my job at the bank. How are you?",
        "You told me that my manager shouted.",
        "Emma submitted her resignation letter.",
        "她辞去了银行的工作。",
        "Sie hat gestern gekündigt und zieht nach Bremen.",
    ],
)
def test_what_asserts_something_is_kept(text):
    assert not low_information(text)


def test_only_statements_about_others_than_the_listener_count():
    assert low_information("Bo: You painted the blue barn beautifully.")
    assert not low_information("Bo: You inspired me, so I painted the blue barn.")


def test_a_speaker_is_no_content():
    assert spoken("Ann Lee: I left.") == ("Ann Lee", "I left.")
    assert spoken("https://example.org is down") == ("", "https://example.org is down")
    assert spoken("12:30 lunch with Bo") == ("", "12:30 lunch with Bo")
    assert statements("Bo: Did you? I did! Yes") == ["I did!", "Yes"]


def test_words_are_counted_without_case_and_function_words():
    assert content_words("The Barn isn’t the barn of HER aunt") == ["barn", "barn", "aunt"]


@given(st.text(max_size=200))
def test_any_text_is_judged_and_more_words_are_never_less_information(text):
    if not low_information(text):
        assert not low_information(text, least=0)
    assert low_information(text, least=10_000)
