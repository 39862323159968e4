"""Keys: which names are one name, and where a name may start and end."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memory_evidence.cmc.keys import fold, name_key, relation_key, token_spans, tokens

any_text = st.text(st.characters(exclude_categories=()), max_size=40)
digits = st.characters(categories=["Nd"])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Apple Inc..", "Apple Inc."),  # report 11
        ("Apple Inc.", "Apple Inc"),  # report 11
        ("BLUE  team", "Blue Team"),  # report 8
        ("Blue\n\tTeam", "Blue Team"),
        ("Caf\u00e9", "Cafe\u0301"),  # report 10
        ("STRASSE", "Stra\u00dfe"),
        ("O\u2019Brien", "O'Brien"),
        ("\u201cAce\u201d", '"Ace"'),
        ("ΟΔΟΣ", "οδος"),
        ("МОСКВА", "москва"),
    ],
)
def test_spellings_of_one_name_have_one_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


# report 10: names of every script stay apart
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("José", "Jose"),
        ("北京", "南京"),
        ("محمد", "محمود"),
        ("Наталья", "Наталия"),
        ("สมชาย", "สมหญิง"),
        ("김철수", "김철호"),
        ("A & B", "A B"),
        ("C++", "C"),
        ("-5", "5"),
    ],
)
def test_different_names_have_different_keys(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


# report 9
@given(any_text, any_text, digits, digits)
def test_names_that_differ_in_a_digit_never_merge(before: str, after: str, one: str, other: str) -> None:
    assume(one != other)
    assert name_key(before + one + after) != name_key(before + other + after)


# report 9
@given(any_text, any_text, digits)
def test_a_further_digit_makes_another_name(before: str, after: str, digit: str) -> None:
    assert name_key(before + digit + after) != name_key(before + after)


@given(any_text)
def test_nfc_and_nfd_have_one_key(text: str) -> None:
    assert name_key(unicodedata.normalize("NFC", text)) == name_key(unicodedata.normalize("NFD", text))


@given(any_text)
def test_a_key_is_its_own_key(text: str) -> None:
    assert name_key(name_key(text)) == name_key(text)


@given(any_text.filter(str.strip))
def test_no_name_loses_its_key(text: str) -> None:
    assert name_key(text)


@given(any_text)
def test_tokens_cover_all_but_spaces(text: str) -> None:
    folded = fold(text)
    assert "".join(tokens(folded)) == folded.replace(" ", "")
    assert [folded[start:stop] for start, stop in token_spans(folded)] == tokens(folded)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("blue team's", ["blue", "team", "'", "s"]),
        ("naïve cafe\u0301s", ["naïve", "cafés"]),
        ("北京大学", ["北", "京", "大", "学"]),
        ("김철수는", ["김", "철", "수", "는"]),
        ("हिन्दी", ["हिन्दी"]),
        ("مُحَمَّد", ["مُحَمَّد"]),
        ("t-1000", ["t", "-", "1000"]),
    ],
)
def test_tokens_end_where_names_may_end(text: str, parts: list[str]) -> None:
    assert tokens(fold(text)) == parts


@pytest.mark.parametrize(
    ("wording", "key"),
    [
        ("is located in", "located in"),
        ("Located In", "located in"),
        ("the owner", "owner"),
        ("was an owner", "owner"),
        ("is", "is"),
        ("the", "the"),
        ("island of", "island of"),
        ("area of", "area of"),
    ],
)
def test_a_relation_has_one_key_with_and_without_its_copula(wording: str, key: str) -> None:
    assert relation_key(wording) == key
