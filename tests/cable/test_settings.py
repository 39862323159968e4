"""The defaults are the paper's constants, in the engine and in each wrapper; no wrapper imports its host for them."""

from __future__ import annotations

import inspect
from dataclasses import asdict
from typing import Any

import pytest

from amem_adapter import CableAgenticMemory
from integrations.chroma import CableCollection
from integrations.simplemem import CableSimpleMem
from mem0_adapter import AsyncCableMemory, CableMemory
from memory_evidence.cable import PAPER, SIMILARITY, ExpandOptions, LinkOptions
from memory_evidence.cable.queries import MOST_QUERIES

WRAPPERS = (CableMemory, AsyncCableMemory, CableAgenticMemory, CableSimpleMem, CableCollection)


def defaults(wrapper: type) -> dict[str, Any]:
    return {name: one.default for name, one in inspect.signature(wrapper).parameters.items()}


def test_links_are_sought_among_ten_neighbours_and_five_hits_of_three_queries() -> None:
    options = LinkOptions()
    assert (options.direct_k, options.antecedent_k, options.queries, MOST_QUERIES) == (10, 5, 3, 3)
    assert (options.subtract, options.verify, options.generic_queries) == (True, True, False)


@pytest.mark.parametrize("options", [ExpandOptions(), PAPER, SIMILARITY], ids=["default", "paper", "similarity"])
def test_every_rule_replaces_five_from_seeds_of_three_tenths_that_are_novel_to_nine_tenths(
    options: ExpandOptions,
) -> None:
    assert (options.replace, options.tau, options.novelty) == (5, 0.3, 0.9)


def test_the_papers_rule_is_summed_support_and_nothing_of_ours() -> None:
    ours = {"query_weight": 0.0, "word_weight": 0.0, "fading": False, "reserved": 0, "superseded_weight": 1.0}
    assert {name: asdict(PAPER)[name] for name in ours} == ours
    assert PAPER.half_life_days is None


def test_the_rule_of_similarity_adds_twice_the_cosine_to_the_query() -> None:
    assert (SIMILARITY.query_weight, SIMILARITY.word_weight, SIMILARITY.fading, SIMILARITY.reserved) == (
        2.0,
        0.0,
        False,
        0,
    )


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_a_wrapper_replaces_up_to_five_entries_and_takes_the_hosts_own_model(wrapper: type) -> None:
    settings = defaults(wrapper)
    assert (settings["replace"], settings["store"]) == (5, "sqlite:///memory.db")
    assert settings["model"] is None
    assert not {"tau", "novelty", "direct_k"} & set(settings), "these are the engine's, for every host alike"


def test_amem_returns_at_most_the_papers_45_entries() -> None:
    assert defaults(CableAgenticMemory)["max_entries"] == 45


@pytest.mark.parametrize("wrapper", [CableMemory, AsyncCableMemory])
def test_mem0_returns_as_many_as_its_own_search_is_asked_for(wrapper: type) -> None:
    """The paper's 20 entries of Mem0g are its protocol's, `limit=20`: mem0 has a number of its own for each search."""
    assert "max_entries" not in defaults(wrapper)
    assert set(inspect.signature(wrapper.search).parameters) == {"self", "query", "replace", "options"}
