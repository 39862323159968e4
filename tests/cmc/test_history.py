"""Splitting a history that is one text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.cmc.history import split_history

items = st.text(st.characters(categories=["L", "P", "Zs"]), max_size=12).map(lambda text: f"x{text.rstrip()}")


@given(st.lists(items, min_size=2, max_size=12), st.sampled_from([0, 1]), st.sampled_from(".):"))
def test_a_numbered_list_is_split_at_its_numbers(rows: list[str], first: int, dot: str) -> None:
    text = "\n".join(f"{number}{dot} {row}" for number, row in enumerate(rows, first))
    assert split_history(text) == rows


def test_what_stands_before_the_first_number_is_a_heading() -> None:
    assert split_history("Here is a list of facts:\n0. Ann sits here.\n1. Bo sits there.") == [
        "Ann sits here.",
        "Bo sits there.",
    ]


def test_an_item_may_take_several_lines_and_hold_numbers() -> None:
    text = "1. Ann wrote:\n   7. of nine\n2. Bo paid 3. 50 crowns\n5. items came\n3. Cy"
    assert split_history(text) == ["Ann wrote:\n   7. of nine", "Bo paid 3. 50 crowns\n5. items came", "Cy"]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("Ann sits here.\n\n  Bo sits there.  \n", ["Ann sits here.", "Bo sits there."]),
        ("7. Ann\n8. Bo", ["7. Ann", "8. Bo"]),
        ("1. Only one", ["1. Only one"]),
        ("1.5 litres\n2.5 litres", ["1.5 litres", "2.5 litres"]),
        ("", []),
        (" \n\t\n", []),
    ],
)
def test_any_other_text_is_one_record_a_line(text: str, rows: list[str]) -> None:
    assert split_history(text) == rows


@given(st.text(max_size=60))
def test_every_record_stands_in_the_text(text: str) -> None:
    for row in split_history(text):
        assert row in text
