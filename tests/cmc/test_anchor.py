"""Anchors: the subjects that a question names."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.cmc.anchor import AnchorIndex
from memory_evidence.cmc.keys import name_key
from tests.cmc.histories import names


def index(*subjects: str) -> AnchorIndex:
    anchors = AnchorIndex()
    for subject in subjects:
        anchors.add(name_key(subject), name_key(subject))
    return anchors


def found(question: str, *subjects: str) -> list[str]:
    keys = {name_key(subject): subject for subject in subjects}
    return [keys[key] for key in index(*subjects).find(question)]


# Names in their places


@pytest.mark.parametrize(
    "question",
    [
        "Where is Blue Team?",
        "blue team",
        "BLUE TEAM!",
        "Where's Blue Team's desk?",
        "Where is the blue\n  team, and why?",
        "«Blue Team»",
        "“Blue Team”",
        "(Blue Team)",
        "Red Team/Blue Team",
    ],
)
def test_a_name_is_found_whatever_stands_around_it(question: str) -> None:
    assert found(question, "Blue Team") == ["Blue Team"]


@pytest.mark.parametrize("question", ["Who owns Apple Inc..?", "Who owns Apple Inc.?", "Who owns Apple Inc?"])
def test_a_final_period_belongs_to_no_name(question: str) -> None:  # report 11
    assert found(question, "Apple Inc..") == ["Apple Inc.."]


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("What do Annas do?", "Anna"),
        ("Is Johanna in?", "Anna"),
        ("Is Anna2 in?", "Anna"),
        ("Where is part 1234?", "part 123"),  # report 9
        ("Где Московия?", "Москов"),
        ("أين محمدان؟", "محمد"),
        ("Où est Renée?", "Ren"),
        ("Ou est Rene\u0301e?", "Rene"),
    ],
)
def test_part_of_a_word_is_no_name(question: str, subject: str) -> None:
    assert found(question, subject) == []


# report 10
@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("東京タワーはどこにありますか", "東京タワー"),
        ("王小明现在住在哪里？", "王小明"),
        ("김철수는 어디에 살아?", "김철수"),
        ("สมชายอยู่ที่ไหน", "สมชาย"),
        ("أين يعمل محمد؟", "محمد"),
        ("أين مُحَمَّد؟", "مُحَمَّد"),
        ("Где живёт Наталья?", "Наталья"),
        ("Wo wohnt Jürgen Groß?", "Jürgen Groß"),
        ("हिन्दी कहाँ है?", "हिन्दी"),
        ("Where is Zoë Ångström's lab?", "Zoë Ångström"),
    ],
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_names_of_any_script_are_found(question: str, subject: str, form: str) -> None:
    asked = unicodedata.normalize("NFC" if form == "NFD" else "NFD", question)
    assert found(asked, unicodedata.normalize(form, subject)) == [unicodedata.normalize(form, subject)]


def test_names_that_share_an_acronym_part_stay_apart() -> None:  # report 9
    assert found("Is XR-11 better than XR-1?", "XR-1", "XR-11") == ["XR-11", "XR-1"]


# Which match wins


def test_a_longer_match_wins_over_one_it_contains() -> None:
    assert found("Who runs New York City?", "New York", "York", "New York City", "City") == ["New York City"]


def test_a_contained_name_counts_where_it_stands_alone() -> None:
    assert found("Is New York City in New York?", "New York", "New York City") == ["New York City", "New York"]


def test_overlapping_matches_both_count() -> None:
    assert found("Bank of New York City Hall", "New York City", "York City Hall") == ["New York City", "York City Hall"]


def test_anchors_come_in_the_order_of_the_question_once_each() -> None:
    assert found("Cy, Ann and Bo? Ann!", "Ann", "Bo", "Cy") == ["Cy", "Ann", "Bo"]


def test_a_name_of_several_subjects_finds_all_of_them_in_any_order_of_arrival() -> None:
    one, other = AnchorIndex(), AnchorIndex()
    one.add("ann", "ann of oslo")
    one.add("ann", "ann of bergen")
    other.add("ann", "ann of bergen")
    other.add("ann", "ann of oslo")
    assert one.find("Ann?") == other.find("Ann?") == ["ann of bergen", "ann of oslo"]


# The first person


@pytest.mark.parametrize(
    "question",
    [
        "Where do I live?",
        "i live where",
        "What's my name?",
        "Tell me.",
        "Where did we meet?",
        "Does Ann like us?",
        "Our office?",
        "Who is a friend of mine?",
        "I'm where?",
        "What have I said about the US?",
    ],
)
def test_the_first_person_is_the_speaker(question: str) -> None:
    assert found(question, "user") == ["user"]


@pytest.mark.parametrize(
    "question",
    [
        "Who is president of the US?",
        "Tall animals, i.e. giraffes?",
        "Which I/O port?",
        "Where is the coal mine?",
        "Is the meadow green?",
        "",
    ],
)
def test_words_that_only_look_like_the_first_person_are_not(question: str) -> None:
    assert found(question, "user") == []


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("Who followed Henry I of England?", "Henry I"),
        ("Who taught Ferdinando I de' Medici?", "Ferdinando I de' Medici"),
        ("Who wrote My Fair Lady?", "My Fair Lady"),
        ("Who sings Us and Them?", "Us and Them"),
    ],
)
def test_the_first_person_inside_a_name_is_not_the_speaker(question: str, subject: str) -> None:
    assert found(question, "user", subject) == [subject]


def test_the_first_person_beside_a_name_that_holds_one_is_the_speaker() -> None:
    assert found("When did I read about Henry I?", "user", "Henry I") == ["Henry I", "user"]


def test_no_speaker_is_anchored_that_no_fact_is_about() -> None:
    assert found("Where do I live?", "Ann") == []


def test_my_thing_is_the_speakers_thing() -> None:
    assert found("Where is my sister?", "user's sister") == ["user's sister"]
    assert found("Where is our kestrel?", "user's kestrel", "kestrel") == ["user's kestrel"]


def test_my_thing_leaves_other_names_alone() -> None:
    assert found("Is my sister at Kestrel?", "user's sister", "Kestrel") == ["Kestrel", "user's sister"]
    assert found("Is my Kestrel like the Kestrel?", "Kestrel", "user's Kestrel") == ["Kestrel", "user's Kestrel"]


def test_a_fact_about_my_sister_does_not_hide_the_speaker() -> None:
    anchors = index("user", "user's sister")
    anchors.add("my sister", "user's sister")
    assert anchors.find("Where does my sister live?") == ["user's sister", "user"]


# Any question


def test_a_question_of_a_megabyte_is_searched_to_its_end() -> None:
    assert found("who is where and why " * 50_000 + "Blue Team", "Blue Team", "why who") == ["why who", "Blue Team"]


@given(st.text(st.characters(exclude_categories=()), max_size=80), st.lists(names, max_size=4))
def test_whatever_is_found_stands_in_the_question(question: str, subjects: list[str]) -> None:
    for subject in found(question, *subjects):
        assert name_key(subject) in name_key(question)


@given(st.lists(names, min_size=1, max_size=6))
def test_a_named_subject_is_found_unless_a_longer_one_is(subjects: list[str]) -> None:
    for subject in subjects:
        anchored = found(f"Where is {subject}?", *subjects)
        assert anchored
        assert subject in anchored
