"""Expansion: what may be added, what gives way, and what never changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.cable.expand import MOST_CANDIDATES, MOST_SKIPPED, PAPER, SIMILARITY, ExpandOptions, expand
from memory_evidence.cable.host import Hit, Memory
from memory_evidence.cable.links import Link
from memory_evidence.errors import ConfigError

QUERY = np.array([1.0, 0.0, 0.0, 0.0], dtype=np.float32)


def at(cosine, axis=1):
    """Return a vector of this cosine to the query, leaning to an axis of its own."""
    vector = np.zeros(4, dtype=np.float32)
    vector[0], vector[axis] = cosine, (1 - cosine**2) ** 0.5
    return vector


def hits(*ids):
    return [Hit(Memory(i, f"text {i}"), 1.0 - n / 100) for n, i in enumerate(ids)]


def link(prior, new, reason="because"):
    return Link(prior, new, reason, "model", "2026-01-01T00:00:00+00:00", "a", "b")


def grow(found, links, vectors, *, limit=None, query="", options=PAPER, memories=None, query_vector=QUERY, seeds=()):
    ends = {end for one in links for end in (one.prior, one.new)}
    held = {i: Memory(i, f"text {i}") for i in ends - {hit.memory.id for hit in found}}
    return expand(
        found,
        links,
        query_vector=query_vector,
        vectors=vectors,
        memories=held if memories is None else memories,
        limit=len(found) if limit is None else limit,
        options=options,
        query=query,
        seeds=seeds,
    )


FOUR = hits("a", "b", "c", "d")
VECTORS = {"a": at(0.9), "b": at(0.8, 2), "c": at(0.5, 3), "d": at(0.4), "x": at(0.1), "y": at(0.2, 2), "z": at(0.0, 3)}


def test_an_antecedent_of_a_seed_takes_the_place_of_the_last_entry():
    result = grow(FOUR, [link("x", "a", "it led to it")], VECTORS)
    assert result.ids == ("a", "b", "c", "x")
    (added,) = result.added
    assert (added.replaced, added.score) == ("d", pytest.approx(0.9))
    assert [(entry.memory.id, entry.worth) for entry in (*result.removed, *result.entries)] == [
        ("d", 0.0),
        ("a", None),
        ("b", None),
        ("c", 0.0),
        ("x", None),
    ]
    (path,) = added.paths
    assert (path.seed, path.direction, path.reason) == ("a", "prior", "it led to it")
    assert [entry.memory.id for entry in result.removed] == ["d"]


def test_links_are_followed_in_both_directions():
    result = grow(FOUR, [link("x", "a"), link("b", "y")], VECTORS)
    assert [(e.memory.id, e.paths[0].direction) for e in result.added] == [("x", "prior"), ("y", "later")]
    assert [entry.replaced for entry in result.added] == ["d", "c"]
    assert [entry.memory.id for entry in result.removed] == ["c", "d"]


def test_support_of_several_seeds_adds_up_by_the_papers_rule_and_fades_by_ours():
    links = [link("x", "a"), link("x", "b"), link("y", "a")]
    paper = {e.memory.id: e.score for e in grow(FOUR, links, VECTORS).added}
    assert paper == {"x": pytest.approx(1.7), "y": pytest.approx(0.9)}
    faded = grow(FOUR, links, VECTORS, options=ExpandOptions(query_weight=0, word_weight=0)).added
    assert {e.memory.id: e.score for e in faded}["x"] == pytest.approx(0.9 + 0.8 / 2)


def test_a_seed_below_tau_leads_nowhere():
    assert grow(FOUR, [link("x", "b")], VECTORS, options=replace(PAPER, tau=0.85)).added == ()
    assert grow(FOUR, [link("x", "b")], VECTORS, options=replace(PAPER, tau=0.75)).ids[-1] == "x"


def test_an_open_entry_is_no_seed():
    assert grow(FOUR, [link("x", "d")], VECTORS).ids == ("a", "b", "c", "d")


def test_by_the_papers_rule_an_open_entry_that_is_linked_better_stays_in_its_place():
    result = grow(FOUR, [link("x", "b"), link("y", "b"), link("c", "a")], VECTORS)
    assert result.ids[:3] == ("a", "b", "c")
    assert len(result.added) == 1


def test_a_near_duplicate_of_an_entry_is_not_added():
    vectors = {**VECTORS, "x": at(0.89), "y": at(0.2, 2)}
    result = grow(FOUR, [link("x", "a"), link("x", "b"), link("y", "a")], vectors)
    assert [entry.memory.id for entry in result.added] == ["y"]
    assert [(skip.memory.id, skip.reason) for skip in result.skipped] == [("x", "near duplicate of an entry")]


def test_two_near_duplicates_are_not_both_added():
    vectors = {**VECTORS, "x": at(0.1, 3), "y": at(0.12, 3)}
    assert len(grow(FOUR, [link("x", "a"), link("y", "b")], vectors).added) == 1


def test_its_own_likeness_to_the_query_counts_by_weight():
    links = [link("x", "a"), link("y", "b")]
    one_place = replace(PAPER, replace=1)
    assert grow(FOUR, links, VECTORS, options=one_place).added[0].memory.id == "x"
    assert grow(FOUR, links, VECTORS, options=replace(SIMILARITY, replace=1)).added[0].memory.id == "y"


def test_the_querys_words_count_by_weight():
    links = [link("x", "a"), link("y", "a")]
    memories = {"x": Memory("x", "a canoe on the river"), "y": Memory("y", "a bakery")}
    options = ExpandOptions(replace=1, query_weight=0, reserved=0)
    assert grow(FOUR, links, VECTORS, memories=memories, options=options, query="canoes").added[0].memory.id == "x"
    assert grow(FOUR, links, VECTORS, memories=memories, options=options, query="bakeries").added[0].memory.id == "y"


def test_an_entry_gives_way_only_to_what_is_worth_more():
    strong = {**VECTORS, "d": at(0.7, 1)}
    contested = ExpandOptions(reserved=0)
    assert grow(FOUR, [link("z", "b")], strong, options=contested).ids == ("a", "b", "c", "d")
    assert grow(FOUR, [link("z", "b")], strong).ids == ("a", "b", "c", "z")  # the paper's rule


@pytest.mark.parametrize("first", ["a", "b"])
def test_one_place_is_kept_for_what_is_behind_the_first_entries(first):
    strong = {**VECTORS, "c": at(0.7, 3), "d": at(0.7, 1)}
    links = [link("z", first), link("y", first), link("x", "f")]
    result = grow(FOUR, links, strong, options=ExpandOptions(), seeds=hits("f"))
    assert [entry.memory.id for entry in result.added] == ["y"]
    assert result.ids == ("a", "b", "c", "y")
    assert {skip.memory.id for skip in result.skipped} == {"z"}


@pytest.mark.parametrize(
    ("query", "causes", "added"),
    [
        ("Why did it happen?", True, ()),
        ("What led to it?", True, ()),
        ("What was the REASON?", True, ()),
        ("Why did it happen?", False, ("y",)),
        ("What happened then?", True, ("y",)),
    ],
)
def test_why_is_not_answered_by_what_came_after(query, causes, added):
    result = grow(FOUR, [link("a", "y")], VECTORS, query=query, options=replace(PAPER, replace=1, causes=causes))
    assert tuple(entry.memory.id for entry in result.added) == added
    assert grow(FOUR, [link("y", "a")], VECTORS, query=query, options=replace(PAPER, causes=causes)).added


def test_of_antecedents_those_of_the_very_first_entry_have_precedence():
    strong = {**VECTORS, "c": at(0.7, 3), "d": at(0.7, 1), "e": at(0.75, 2), "x": at(0.2, 1)}
    links = [link("z", "a"), link("y", "b"), link("x", "e")]
    found = hits("a", "b", "e", "c", "d", "g")
    assert [e.memory.id for e in grow(found, links, strong, options=ExpandOptions(replace=1)).added] == ["z"]
    assert [e.memory.id for e in grow(found, links[1:], strong, options=ExpandOptions(replace=1)).added] == ["y"]


def test_no_place_is_kept_for_what_came_after_the_first_entries():
    strong = {**VECTORS, "c": at(0.7, 3), "d": at(0.7, 1)}
    assert grow(FOUR, [link("a", "y")], strong, options=ExpandOptions()).added == ()


@pytest.mark.parametrize(("count", "added"), [(2, ()), (3, ("z",))])
def test_places_are_kept_for_the_first_entries_alone(count, added):
    found = hits("a", "b", "e", "c", "d", "g")
    strong = {**VECTORS, "e": at(0.8, 1), "c": at(0.7, 3), "d": at(0.7, 1), "g": at(0.7, 2)}
    result = grow(found, [link("z", "e")], strong, options=ExpandOptions(reserved_of=count))
    assert tuple(entry.memory.id for entry in result.added) == added


def test_what_is_worth_more_than_the_kept_place_is_told_why_it_has_none():
    vectors = {**VECTORS, "b": at(0.85), "x": at(0.6, 2), "y": at(0.1, 3), "w": at(0.0, 1)}
    result = grow(FOUR[:3], [link("y", "a"), link("b", "x"), link("b", "w")], vectors, options=ExpandOptions())
    assert [entry.memory.id for entry in result.added] == ["y"]
    assert [(skip.memory.id, skip.reason) for skip in result.skipped] == [
        ("x", "its place was kept for what is behind the first entries"),
        ("w", "no place left for its score"),
    ]
    assert result.skipped[0].score > (result.added[0].score or 0.0)


def test_the_kept_place_is_not_used_up_by_an_entry_of_the_host():
    strong = {**VECTORS, "c": at(0.7, 3), "d": at(0.7, 1)}
    result = grow(FOUR, [link("d", "a"), link("z", "a")], strong, options=ExpandOptions())
    assert result.ids == ("a", "b", "d", "z")


def test_an_entry_stays_where_a_linked_memory_is_worth_the_same():
    vectors = {**VECTORS, "a": at(0.0, 3)}
    assert grow(FOUR, [link("x", "a")], vectors, options=replace(PAPER, tau=-1)).ids == ("a", "b", "c", "d")


def test_further_seeds_lead_to_memories_but_are_no_entries():
    seeds = hits("s")
    vectors = {**VECTORS, "s": at(0.8, 3)}
    result = grow(FOUR, [link("x", "s")], vectors, seeds=seeds)
    assert result.ids == ("a", "b", "c", "x")
    assert result.added[0].paths[0].seed == "s"


def test_duplicates_count_once_and_no_more_than_the_limit_counts():
    twice = [*hits("a", "a", "b"), *hits("c", "b", "d")]
    assert grow(twice, [], VECTORS, limit=10).ids == ("a", "b", "c", "d")
    assert grow(twice, [link("x", "a")], VECTORS, limit=2).ids == ("a", "x")


@pytest.mark.parametrize(("k", "added"), [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2)])
def test_no_more_than_half_of_the_entries_give_way(k, added):
    found = FOUR[:k]
    links = [link(x, "a") for x in ("x", "y", "z")]
    vectors = {**VECTORS, "z": at(0.0, 3)}
    result = grow(found, links, vectors, options=ExpandOptions(replace=50, query_weight=0, word_weight=0, reserved=2))
    assert len(result.entries) == k
    assert len(result.added) == added


def test_a_place_that_the_host_left_empty_stays_empty():
    assert len(grow(FOUR[:2], [link("x", "a"), link("y", "a")], VECTORS, limit=5).entries) == 2


@pytest.mark.parametrize(
    "vector",
    [np.zeros(4), np.full(4, np.nan), np.array([np.inf, 0, 0, 0]), np.zeros(0), np.ones(3), np.ones((4, 1))],
)
def test_a_vector_without_direction_leads_nowhere_and_changes_nothing(vector):
    plain = ("a", "b", "c", "d")
    links = [link("x", "a"), link("x", "b")]
    assert grow(FOUR, links, VECTORS, query_vector=vector).ids == plain
    assert grow(FOUR, links, {**VECTORS, "x": vector}).ids == plain
    assert grow(FOUR, [link("x", "a")], {**VECTORS, "a": vector}).ids == plain
    assert grow(FOUR, [link("x", "a")], {i: v for i, v in VECTORS.items() if i != "x"}).ids == plain


def test_the_length_of_a_vector_does_not_count():
    scaled = {i: vector * np.float32(3e18) for i, vector in VECTORS.items()}
    tiny = {i: vector * np.float32(1e-20) for i, vector in VECTORS.items()}
    expected = grow(FOUR, [link("x", "a")], VECTORS, options=ExpandOptions()).ids
    assert grow(FOUR, [link("x", "a")], scaled, options=ExpandOptions()).ids == expected
    assert grow(FOUR, [link("x", "a")], tiny, options=ExpandOptions(), query_vector=QUERY * 1e19).ids == expected


def test_a_memory_that_the_host_no_longer_holds_is_not_added():
    assert grow(FOUR, [link("x", "a")], VECTORS, memories={}).ids == ("a", "b", "c", "d")


def test_hits_without_scores_are_expanded_like_others():
    bare = [Hit(hit.memory, None) for hit in FOUR]
    result = grow(bare, [link("x", "a")], VECTORS)
    assert result.ids == ("a", "b", "c", "x")
    assert {entry.score for entry in result.entries if entry.origin == "host"} == {None}


def test_only_the_best_of_what_was_not_added_is_told():
    links = [link(f"m{n}", "a") for n in range(60)]
    vectors = {**VECTORS, **{f"m{n}": np.eye(4)[n % 3 + 1] + 0.01 * n * QUERY for n in range(60)}}
    assert len(grow(FOUR, links, vectors).skipped) == MOST_SKIPPED


@pytest.mark.parametrize(("others", "added"), [(MOST_CANDIDATES - 1, True), (MOST_CANDIDATES, False)])
def test_of_a_hubs_memories_the_best_by_support_and_likeness_compete(others, added):
    names = [f"m{n}" for n in range(others)]
    vectors = {**VECTORS, **dict.fromkeys(names, at(0.3)), "z": at(0.0, 2)}
    memories = {i: Memory(i, "a bakery") for i in names} | {"z": Memory("z", "a canoe")}
    links = [link(i, "a") for i in (*names, "z")]
    result = grow(FOUR, links, vectors, memories=memories, options=ExpandOptions(), query="canoe")
    assert ("z" in result.ids) is added


@pytest.mark.parametrize(
    "wrong",
    [
        {"replace": -1},
        {"tau": 1.5},
        {"tau": float("nan")},
        {"novelty": 0},
        {"query_weight": -1},
        {"word_weight": float("nan")},
        {"reserved": -1},
        {"reserved_of": 0},
        {"superseded_weight": 1.5},
        {"half_life_days": 0},
        {"half_life_days": float("inf")},
    ],
)
def test_a_wrong_option_is_refused(wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        ExpandOptions(**wrong)


def test_a_negative_limit_is_refused():
    with pytest.raises(ConfigError, match="limit"):
        grow(FOUR, [], VECTORS, limit=-1)


IDS = st.sampled_from([chr(ord("a") + n) for n in range(12)])
PAIRS = st.tuples(IDS, IDS).filter(lambda pair: pair[0] != pair[1])
NUMBERS = st.floats(-2, 2, width=32) | st.just(float("nan"))


@given(
    ids=st.lists(IDS, max_size=12),
    ends=st.lists(PAIRS, max_size=40),
    coordinates=st.lists(st.lists(NUMBERS, min_size=3, max_size=3), min_size=13, max_size=13),
    limit=st.integers(0, 14),
    options=st.builds(
        ExpandOptions,
        replace=st.integers(0, 14),
        tau=st.floats(-1, 1),
        query_weight=st.sampled_from([0.0, 2.0]),
        word_weight=st.sampled_from([0.0, 4.0]),
        reserved=st.integers(0, 3),
        fading=st.booleans(),
    ),
)
def test_the_budget_and_the_hosts_order_hold_whatever_comes(ids, ends, coordinates, limit, options):
    vectors = {chr(ord("a") + n): np.array(row, dtype=np.float32) for n, row in enumerate(coordinates)}
    found = hits(*ids)
    links = [link(*pair) for pair in ends]
    result = grow(found, links, vectors, limit=limit, options=options, query="text b", query_vector=vectors["m"])
    plain = list(dict.fromkeys(ids))[:limit]
    kept = [entry.memory.id for entry in result.entries if entry.origin == "host"]
    added = [entry.memory.id for entry in result.added]
    open_places = min(options.replace, len(plain) // 2)
    assert len(result.ids) == len(set(result.ids)) == len(plain)
    assert kept == [i for i in plain if i in kept]
    assert kept[: len(plain) - open_places] == plain[: len(plain) - open_places]
    assert [entry.memory.id for entry in result.removed] == [i for i in plain if i not in kept]
    assert sorted(entry.replaced for entry in result.added) == sorted(i for i in plain if i not in kept)
    assert not set(added) & set(plain)
    assert result.ids == (*kept, *added)
    for entry in result.added:
        assert entry.paths
        for path in entry.paths:
            assert path.seed in result.seeds
            assert path.seed_score >= options.tau
            assert {path.seed, entry.memory.id} in [set(pair) for pair in ends]
