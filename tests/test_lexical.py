"""The incremental BM25 index: any way to the same texts gives the same scores."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.lexical import BM25Index

words = st.sampled_from(["ant", "bee", "cat", "dog", "eel"])
texts = st.lists(words, max_size=6)
steps = st.lists(st.tuples(st.integers(0, 5), texts | st.none()), max_size=20)


def built(docs: dict[int, list[str]]) -> BM25Index[int]:
    index: BM25Index[int] = BM25Index()
    for doc, terms in docs.items():
        index.add(doc, terms)
    return index


@given(steps, texts)
def test_scores_do_not_depend_on_how_the_texts_came_and_went(
    changes: list[tuple[int, list[str] | None]], query: list[str]
) -> None:
    index: BM25Index[int] = BM25Index()
    docs: dict[int, list[str]] = {}
    for doc, terms in changes:
        if terms is None:
            index.remove(doc)
            docs.pop(doc, None)
        else:
            index.add(doc, terms)
            docs[doc] = terms
    assert index.scores(query) == built(docs).scores(query)
    assert (len(index), set(index)) == (len(docs), set(docs))
    assert all(doc in index for doc in docs)


@given(st.dictionaries(st.integers(0, 9), texts), texts, st.integers(0, 12))
def test_the_top_are_the_highest_scores(docs: dict[int, list[str]], query: list[str], k: int) -> None:
    index = built(docs)
    scores = index.scores(query)
    top = index.top(query, k)
    assert top == [(doc, scores[doc]) for doc, _ in top]
    assert [score for _, score in top] == sorted(scores.values(), reverse=True)[:k]


@given(st.dictionaries(st.integers(0, 9), texts), texts, st.integers(0, 12))
def test_equal_scores_are_ranked_by_preference(docs: dict[int, list[str]], query: list[str], k: int) -> None:
    index = built(docs)
    ranked = sorted(index.scores(query).items(), key=lambda item: (item[1], item[0]), reverse=True)
    assert index.top(query, k, prefer=lambda doc: doc) == ranked[:k]


def test_only_texts_that_share_a_term_have_a_score_and_it_is_above_zero() -> None:
    scores = built({1: ["ant"], 2: ["bee"], 3: ["ant", "bee"]}).scores(["ant", "fly"])
    assert set(scores) == {1, 3}
    assert all(score > 0 for score in scores.values())


def test_one_text_scores_what_the_formula_says() -> None:
    assert built({1: ["ant", "bee"]}).scores(["ant"]) == {1: pytest.approx(math.log(1 + 0.5 / 1.5) / 2.5)}


@pytest.mark.parametrize("docs", [{}, {1: []}])
def test_nothing_scores_nothing(docs: dict[int, list[str]]) -> None:
    assert built(docs).scores(["ant"]) == {}
    assert built(docs).top(["ant"], 3) == []


def test_telling_terms_are_those_of_fewer_than_half_of_the_texts() -> None:
    index = built({1: ["ant", "bee"], 2: ["ant"], 3: ["cat"], 4: ["cat", "ant"]})
    assert index.telling(["ant", "bee", "cat", "fly"]) == ["bee"]
    assert index.telling(["ant", "fly"]) == ["ant", "fly"]
