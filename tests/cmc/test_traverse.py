"""Traversal: every current edge within reach, breadth first, each subject at its shortest depth."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.cmc.resolve import StateGraph, Statement
from memory_evidence.cmc.traverse import MAX_HOPS, traverse

NODES = "abcdefgh"
edges = st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from("rst"), st.sampled_from(NODES)), max_size=24)
starts = st.lists(st.sampled_from(NODES), max_size=3)


def graph_of(links: Sequence[tuple[str, str, str]], retracted: Sequence[tuple[str, str]] = ()) -> StateGraph:
    graph = StateGraph(frozenset({"t"}))
    said = [(*link, False) for link in links] + [(subject, relation, "", True) for subject, relation in retracted]
    for position, (subject, relation, object_, retracts) in enumerate(said, 1):
        graph.add(Statement(position, 0, subject, relation, object_, subject, relation, object_, retracts))
    return graph


def distances(graph: StateGraph, anchors: Sequence[str]) -> dict[str, int]:
    """Shortest distance of every subject from an anchor, by relaxing every edge until nothing changes."""
    far = dict.fromkeys(anchors, 0)
    changed = True
    while changed:
        changed = False
        for subject in NODES:
            for statement in graph.current(subject):
                reached = far.get(subject, 10**6) + 1
                if statement.object_key in graph and reached < far.get(statement.object_key, 10**6):
                    far[statement.object_key] = reached
                    changed = True
    return far


@given(edges, starts, st.integers(1, 6))
def test_every_current_edge_within_reach_is_taken_once_at_its_shortest_depth(
    links: list[tuple[str, str, str]], anchors: list[str], hops: int
) -> None:
    graph = graph_of(links)
    far = distances(graph, anchors)
    expected = {
        (statement.position, far[subject])
        for subject in NODES
        if far.get(subject, hops) < hops
        for statement in graph.current(subject)
    }
    closure = traverse(graph, anchors, hops=hops)
    found = [(statement.position, depth) for statement, depth in closure.edges]
    assert len(found) == len(set(found))
    assert set(found) == expected
    assert [depth for _, depth in found] == sorted(depth for _, depth in found)
    assert closure.hops == (1 + max(depth for _, depth in expected) if expected else 0)


@given(edges, starts, st.integers(1, 6))
def test_the_cap_is_reached_exactly_if_edges_lie_beyond_it(
    links: list[tuple[str, str, str]], anchors: list[str], hops: int
) -> None:
    graph = graph_of(links)
    far = distances(graph, anchors)
    beyond = any(far.get(subject) == hops and any(True for _ in graph.current(subject)) for subject in NODES)
    assert traverse(graph, anchors, hops=hops).cap_reached is beyond


@given(edges, st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from("rst")), max_size=5), starts)
def test_an_emptied_slot_gives_its_retraction_and_no_edge(
    links: list[tuple[str, str, str]], gone: list[tuple[str, str]], anchors: list[str]
) -> None:
    closure = traverse(graph_of(links, gone), anchors, hops=10)
    assert {(s.subject_key, s.relation_key) for s, _ in closure.edges}.isdisjoint(gone)
    assert {(s.subject_key, s.relation_key) for s in closure.retractions} == {
        slot for slot in gone if slot[0] in closure.depths
    }


def test_a_ring_ends() -> None:
    ring = [(NODES[i], "r", NODES[(i + 1) % len(NODES)]) for i in range(len(NODES))]
    closure = traverse(graph_of(ring), ["a"], hops=1_000)
    assert [depth for _, depth in closure.edges] == list(range(len(NODES)))
    assert not closure.cap_reached


def test_five_hops_are_followed_by_default() -> None:
    chain = [(NODES[i], "r", NODES[i + 1]) for i in range(len(NODES) - 1)]
    closure = traverse(graph_of(chain), ["a"])
    assert (len(closure.edges), closure.hops, closure.cap_reached) == (MAX_HOPS, MAX_HOPS, True) == (5, 5, True)


def test_a_chain_longer_than_the_recursion_limit_is_followed() -> None:
    graph = StateGraph()
    for n in range(5_000):
        graph.add(Statement(n + 1, 0, f"n{n}", "r", f"n{n + 1}", f"n{n}", "r", f"n{n + 1}"))
    assert len(traverse(graph, ["n0"], hops=10_000).edges) == 5_000


def test_an_unknown_anchor_reaches_nothing() -> None:
    closure = traverse(graph_of([("a", "r", "b")]), ["nobody"])
    assert (closure.edges, closure.hops, closure.cap_reached) == ([], 0, False)


def test_a_cut_subject_keeps_what_the_filter_gives_and_says_so() -> None:
    graph = graph_of([("a", "r", "b"), ("a", "s", "c"), ("b", "r", "d")])
    kept = [s for s in graph.current("a") if s.object == "b"]
    closure = traverse(graph, ["a"], hub_filter=lambda subject: (kept, 2) if subject == "a" else None)
    assert [s.object for s, _ in closure.edges] == ["b", "d"]
    assert closure.hubs == {"a": (1, 2)}


@pytest.mark.parametrize("names", [("b",), ("b", "c"), ()])
def test_an_object_leads_to_every_subject_it_names(names: tuple[str, ...]) -> None:
    graph = graph_of([("a", "r", "x"), ("b", "r", "d"), ("c", "r", "e")])
    closure = traverse(graph, ["a"], named=lambda key: names if key == "x" else (key,))
    assert {s.subject_key for s, depth in closure.edges if depth == 1} == set(names)
