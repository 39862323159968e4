"""The support over a link may fade with its age."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from memory_evidence.cable import PAPER, ExpandOptions, Hit, Link, Memory
from memory_evidence.cable.decay import freshness
from memory_evidence.cable.expand import expand

NOW = datetime(2026, 7, 1, tzinfo=UTC)


def link(prior: str, new: str, time: str) -> Link:
    return Link(prior, new, "r", "v", time, "h", "h")


def days_ago(days: float) -> str:
    return (NOW - timedelta(days=days)).isoformat()


@pytest.mark.parametrize(
    ("time", "left"),
    [
        (days_ago(0), 1.0),
        (days_ago(30), 0.5),
        (days_ago(90), 0.125),
        (days_ago(-5), 1.0),
        ("2026-06-01T02:00:00+02:00", 0.5),
        ("2026-06-01T00:00:00", 0.5),
        ("2026-06-01", 0.5),
        ("long ago", 1.0),
        ("", 1.0),
    ],
)
def test_half_is_left_after_each_half_life(time: str, left: float) -> None:
    assert freshness([link("a", "b", time)], 30, NOW) == {("a", "b"): pytest.approx(left)}


@pytest.mark.parametrize(("half_life", "first", "score"), [(None, "old", 1.6), (30.0, "fresh", 0.7)])
@pytest.mark.parametrize("direction", ["prior", "later"])
def test_support_fades_with_the_age_of_its_link(
    half_life: float | None, first: str, score: float, direction: str
) -> None:
    entries = [Hit(Memory(i, i), None) for i in ("a", "b", "c", "d")]
    vectors = {i: np.array([1.0, n, 0.1 * n]) for n, i in enumerate(("old", "fresh"), 20)}
    vectors |= {"a": np.array([0.9, 0, 0.4359]), "b": np.array([0.7, 0, 0.7141])}
    ends = [("old", "a", 60), ("old", "b", 60), ("fresh", "b", 0)]
    found = expand(
        entries,
        [link(*((i, seed) if direction == "prior" else (seed, i)), days_ago(days)) for i, seed, days in ends],
        query_vector=np.array([1.0, 0, 0]),
        vectors=vectors,
        memories={i: Memory(i, i) for i in ("old", "fresh")},
        limit=4,
        options=replace(PAPER, replace=1, half_life_days=half_life),
        now=NOW,
    )
    (added,) = found.added
    assert (added.memory.id, added.score) == (first, pytest.approx(score, abs=1e-3))


def test_nothing_fades_by_default_or_in_the_papers_rule() -> None:
    assert ExpandOptions().half_life_days is None
    assert PAPER.half_life_days is None
