"""Our BM25 scores equal those of bm25s (method "lucene"), and go on doing so when texts are removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memory_evidence.lexical import BM25Index

bm25s = pytest.importorskip("bm25s")

K1, B = 1.5, 0.75
TOLERANCE = 1e-4
"""Relative; bm25s keeps its scores in 32 bits."""

TEXTS = [
    "the heron stood in the shallow water and the water stood still",
    "a heron is a wading bird",
    "still water runs deep",
    "the mill by the river was sold to the baker",
    "the baker sold bread bread and more bread",
    "river river river",
    "a short note",
    "nothing here is like anything else at all in this rather long and winding sentence about mill wheels",
]
QUERIES = ["heron water", "bread", "river mill baker", "bread bread sold", "absent", "the the a still absent"]


def theirs(docs: Mapping[int, Sequence[str]], query: Sequence[str]) -> dict[int, float]:
    model = bm25s.BM25(method="lucene", k1=K1, b=B)
    model.index([list(terms) for terms in docs.values()], show_progress=False)
    known = [term for term in query if term in model.vocab_dict]
    scores = model.get_scores(known) if known else [0.0] * len(docs)
    return {doc: float(score) for doc, score in zip(docs, scores, strict=True) if score > 0}


def ours(docs: Mapping[int, Sequence[str]]) -> BM25Index[int]:
    index: BM25Index[int] = BM25Index(k1=K1, b=B)
    for doc, terms in docs.items():
        index.add(doc, terms)
    return index


@pytest.mark.parametrize("query", QUERIES)
def test_scores_equal_those_of_bm25s(query: str) -> None:
    docs = {n: text.split() for n, text in enumerate(TEXTS)}
    assert ours(docs).scores(query.split()) == pytest.approx(theirs(docs, query.split()), rel=TOLERANCE)


@pytest.mark.parametrize("query", QUERIES)
def test_scores_after_removals_equal_those_of_a_rebuilt_bm25s(query: str) -> None:
    docs = {n: text.split() for n, text in enumerate(TEXTS)}
    index = ours(docs)
    for gone in (3, 0, 6):
        index.remove(gone)
        del docs[gone]
        assert index.scores(query.split()) == pytest.approx(theirs(docs, query.split()), rel=TOLERANCE)


words = st.sampled_from(["ash", "birch", "cedar", "elm", "fir"])


@settings(max_examples=40)
@given(
    st.lists(st.lists(words, max_size=8), min_size=2, max_size=8),
    st.lists(words, max_size=5),
    st.sets(st.integers(0, 7)),
)
def test_any_texts_and_removals_score_as_in_bm25s(texts: list[list[str]], query: list[str], gone: set[int]) -> None:
    docs = dict(enumerate(texts))
    index = ours(docs)
    for doc in gone:
        index.remove(doc)
        docs.pop(doc, None)
    assume(any(docs.values()))  # bm25s has no index of no terms
    assert index.scores(query) == pytest.approx(theirs(docs, query), rel=TOLERANCE)
