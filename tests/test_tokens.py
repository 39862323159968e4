"""The offline estimate of tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.tokens import approximate_tokens

any_text = st.text(st.characters(exclude_categories=()), max_size=60)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        (" \n\t", 0),
        ("word", 1),
        ("sixsix", 1),
        ("sevenss", 2),
        ("Ann lives in Oslo.", 5),
        ("1234567", 3),
        ("北京", 2),
        ("a,b", 3),
        ("don't", 3),
    ],
)
def test_words_digits_and_signs_count(text: str, count: int) -> None:
    assert approximate_tokens(text) == count


@given(st.lists(any_text, max_size=5))
def test_lines_cost_together_what_they_cost_alone(rows: list[str]) -> None:
    # The budget adds up lines; joined they must not cost more.
    assert approximate_tokens("\n".join(rows)) == sum(map(approximate_tokens, rows))


@given(any_text, any_text)
def test_more_text_never_costs_less(text: str, more: str) -> None:
    assert approximate_tokens(text + more) >= approximate_tokens(text)
