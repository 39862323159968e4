"""Which linked memories are looked up, and how much support each has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from memory_evidence.cable import Cable, Link, Memory, text_hash
from memory_evidence.cable.reading import MOST_LOOKED_UP
from memory_evidence.cable.support import most_supported, reached, support
from tests.cable.hosts import NumpyHost, numbered

SEEDS = {"s": 0.8, "t": 0.6}


def link(prior: str, new: str) -> Link:
    return Link(prior, new, f"{prior} led to {new}", "recorded", "2026-01-01T00:00:00+00:00", "", "")


def test_memories_are_reached_in_both_directions_and_fixed_ones_are_not() -> None:
    links = [link("a", "s"), link("s", "b"), link("t", "a"), link("s", "t"), link("x", "y")]
    assert reached(links, SEEDS, {"s", "t"}) == {
        "a": {("s", "prior"): "a led to s", ("t", "later"): "t led to a"},
        "b": {("s", "later"): "s led to b"},
    }


@pytest.mark.parametrize(("fading", "expected"), [(True, 0.8 + 0.6 / 2), (False, 0.8 + 0.6)])
def test_support_adds_up_and_fades_from_the_strongest_seed(fading: bool, expected: float) -> None:
    assert support([("t", "prior"), ("s", "later")], SEEDS, fading=fading) == pytest.approx(expected)


def test_the_best_supported_come_first_but_for_those_behind_the_first_entries() -> None:
    links = [link("a", "t"), link("b", "s"), link("b", "t"), link("c", "s"), link("d", "t"), link("d", "s")]
    assert most_supported(links, SEEDS, {"s", "t"}, ["none"], 2, fading=True) == ["b", "d"]
    assert most_supported(links, SEEDS, {"s", "t"}, ["t"], 3, fading=True) == ["b", "d", "a"]
    assert sorted(most_supported(links, SEEDS, {"s", "t"}, ["t"], 9, fading=True)) == ["a", "b", "c", "d"]


class Asked(NumpyHost):
    """A host that notes the ids it is asked for."""

    def get(self, ids: Sequence[str]) -> Mapping[str, Memory]:
        self.looked_up = list(ids)
        return super().get(ids)


def test_a_hub_does_not_make_a_read_look_up_all_that_it_is_linked_to() -> None:
    host = Asked(numbered(*(f"The mayor spoke of street {n}." for n in range(3 * MOST_LOOKED_UP))))
    memories = list(host.memories())
    hits = host.search("What did the mayor say of street 3?", 10)
    found = {hit.memory.id for hit in hits}
    others = [memory for memory in memories if memory.id not in found][: 5 * 32]  # no memory has more links than 32
    with Cable(lambda _: host, store="sqlite://", linking="deferred") as cable:
        for place, memory in enumerate(others):
            seed = hits[place % 5].memory
            ends = text_hash(memory.text), text_hash(seed.text)
            cable.links.add(host.scope, [Link(memory.id, seed.id, "told", "recorded", "2026-01-01", *ends)])
        assert len(others) > MOST_LOOKED_UP
        found_memories = cable.expand(host, "What did the mayor say of street 3?", hits, limit=10)
    assert len(host.looked_up) == MOST_LOOKED_UP
    of_first = {memory.id for place, memory in enumerate(others) if place % 5 < 3}
    assert set(host.looked_up) < of_first
    assert found_memories.warning is None
