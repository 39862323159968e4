"""A filter lets a linked memory through only where it is certainly satisfied."""

from __future__ import annotations

from typing import Any

import pytest

from mem0_adapter.filters import expired, matches

PAYLOAD = {"user_id": "ann", "session": 4, "kind": "note", "place": "Oslo", "done": True}


@pytest.mark.parametrize(
    "filters",
    [
        {},
        {"user_id": "ann"},
        {"user_id": "ann", "session": 4},
        {"session": {"gte": 4, "lt": 5}},
        {"session": {"in": [3, 4]}, "kind": {"nin": ["task"]}},
        {"kind": ["note", "task"]},
        {"kind": {"eq": "note"}, "place": {"ne": "Rome"}},
        {"place": {"contains": "sl"}},
        {"place": {"icontains": "os"}},
        {"place": "*"},
        {"missing": "*"},
        {"AND": [{"session": 4}, {"kind": "note"}]},
        {"OR": [{"session": 9}, {"kind": "note"}]},
        {"$or": [{"session": 9}, {"kind": "note"}]},
        {"NOT": [{"session": 9}, {"kind": {"in": ["task"]}}]},
        {"OR": [{"AND": [{"session": 4}, {"done": True}]}, {"session": 9}]},
    ],
)
def test_what_satisfies_the_filter_passes(filters: dict[str, Any]) -> None:
    assert matches(PAYLOAD, filters)


@pytest.mark.parametrize(
    "filters",
    [
        {"user_id": "bob"},
        {"user_id": "ann", "session": 5},
        {"session": {"gte": 4, "lt": 4}},
        {"kind": ["task"]},
        {"place": {"contains": "OS"}},
        {"AND": [{"session": 4}, {"kind": "task"}]},
        {"OR": [{"session": 9}, {"kind": "task"}]},
        {"NOT": [{"session": 4}]},
        {"NOT": [{"session": 9}, {"kind": "note"}]},
    ],
)
def test_what_does_not_satisfy_it_is_held_back(filters: dict[str, Any]) -> None:
    assert not matches(PAYLOAD, filters)


@pytest.mark.parametrize(
    "filters",
    [
        {"missing": 1},
        {"missing": {"ne": 1}},
        {"NOT": [{"missing": 1}]},
        {"NOT": [{"session": {"gt": 9}}]},
        {"NOT": [{"OR": [{"session": 9}]}]},
        {"session": {"gt": "three"}},
        {"session": {"contains": "4"}},
        {"session": {"near": 4}},
        {"session": {}},
        {"AND": {"session": 4}},
        {"OR": ["session"]},
        {"OR": []},
        {"kind": {"in": 3}},
    ],
)
def test_what_cannot_be_checked_is_held_back(filters: dict[str, Any]) -> None:
    assert not matches(PAYLOAD, filters)


def test_a_memory_expires_the_day_after_its_last() -> None:
    assert expired({"expiration_date": "2020-01-01"})
    assert not expired({"expiration_date": "9999-01-01"})
    for odd in ({}, {"expiration_date": None}, {"expiration_date": ""}, {"expiration_date": "soon"}):
        assert not expired(odd)
