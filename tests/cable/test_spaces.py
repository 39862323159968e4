"""Distances as Chroma defines them, and back to similarities."""

from __future__ import annotations

import numpy as np
import pytest

from memory_evidence.cable.spaces import Space, chroma_space, distance, similarity

SPACES: list[Space] = ["l2", "ip", "cosine"]
A, B = np.array([3.0, 0.0], dtype=np.float32), np.array([1.0, 1.0], dtype=np.float32)


@pytest.mark.parametrize(("space", "expected"), [("l2", 5.0), ("ip", -2.0), ("cosine", 1 - 0.5**0.5)])
def test_distances_are_those_of_the_store(space: Space, expected: float) -> None:
    assert distance(space, A, B) == pytest.approx(expected, abs=1e-6)
    assert distance(space, B, A) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("space", SPACES)
def test_what_is_nearer_is_more_similar(space: Space) -> None:
    distances = [-2.0, -0.1, 0.0, 0.2, 1.0, 5.0, 1e9]
    scores = [similarity(space, value) for value in distances]
    assert scores == sorted(scores, reverse=True)


def test_similarities_of_squared_distances_lie_between_zero_and_one() -> None:
    assert similarity("l2", 0.0) == 1.0
    assert similarity("l2", -1e-7) == 1.0  # a rounding error of the store
    assert 0 < similarity("l2", 1e12) < 1e-6


@pytest.mark.parametrize("space", SPACES)
def test_a_vector_without_direction_has_a_distance_too(space: Space) -> None:
    assert np.isfinite(distance(space, np.zeros(2, np.float32), A))


def test_large_vectors_do_not_overflow() -> None:
    large = np.full(4, 1e20, dtype=np.float32)
    assert distance("l2", large, -large) == pytest.approx(1.6e41, rel=1e-3)
    assert distance("ip", large, -large) == pytest.approx(4e40, rel=1e-3)
    assert distance("cosine", large, -large) == pytest.approx(2.0)


@pytest.mark.parametrize("name", ["l2", "ip", "cosine"])
@pytest.mark.parametrize("index", ["hnsw", "spann"])
def test_the_space_is_read_from_either_index(index: str, name: str) -> None:
    other = "spann" if index == "hnsw" else "hnsw"
    assert chroma_space({index: {"space": name}, other: None}) == name


@pytest.mark.parametrize("configuration", [{}, {"hnsw": None}, {"hnsw": {}}, {"hnsw": {"space": "new"}}])
def test_an_unknown_space_is_taken_for_chromas_default(configuration: dict[str, object]) -> None:
    assert chroma_space(configuration) == "l2"
