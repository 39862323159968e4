"""BM25 over texts that come and go one at a time.

The established libraries (bm25s, rank-bm25) have no append: each write is a rebuild of the index. An agent writes on
every turn, so this index is our own; its scores equal those of bm25s ("lucene" method), which a parity test checks.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

D = TypeVar("D", bound=Hashable)


class BM25Index(Generic[D]):
    """An incremental BM25 index; not safe for concurrent writes (owners hold a lock).

    Score: sum over query terms of `ln(1 + (N - n + 0.5) / (n + 0.5)) * tf / (tf + k1 * (1 - b + b * length / mean))`
    (Robertson & Zaragoza 2009, in Lucene's form).
    """

    def __init__(self, *, k1: float = 1.5, b: float = 0.75) -> None:
        self._k1, self._b = k1, b
        self._postings: dict[str, dict[D, int]] = {}
        self._docs: dict[D, tuple[str, ...]] = {}
        self._lengths: dict[D, int] = {}
        self._total = 0

    def __len__(self) -> int:
        return len(self._docs)

    def __contains__(self, doc: object) -> bool:
        return doc in self._docs

    def __iter__(self) -> Iterator[D]:
        return iter(self._docs)

    def add(self, doc: D, terms: Iterable[str]) -> None:
        """Add or replace `doc`."""
        if doc in self._docs:
            self.remove(doc)
        counts = Counter(terms)
        length = counts.total()
        self._docs[doc] = tuple(counts)
        self._lengths[doc] = length
        self._total += length
        for term, count in counts.items():
            self._postings.setdefault(term, {})[doc] = count

    def remove(self, doc: D) -> None:
        """Remove `doc`; an unknown one is ignored."""
        for term in self._docs.pop(doc, ()):
            posting = self._postings[term]
            del posting[doc]
            if not posting:
                del self._postings[term]
        self._total -= self._lengths.pop(doc, 0)

    def telling(self, terms: Sequence[str]) -> Sequence[str]:
        """Return the terms that fewer than half of the documents hold, or all of them where there is none such."""
        return [t for t in terms if 0 < 2 * len(self._postings.get(t, ())) < len(self._docs)] or terms

    def scores(self, terms: Iterable[str]) -> dict[D, float]:
        """Return the score of every document that shares a term with the query; higher is nearer."""
        n_docs = len(self._docs)
        mean = self._total / n_docs if self._total else 1.0
        k1, b, lengths = self._k1, self._b, self._lengths
        scores: dict[D, float] = {}
        for term, repeat in Counter(terms).items():
            posting = self._postings.get(term)
            if not posting:
                continue
            idf = repeat * math.log(1 + (n_docs - len(posting) + 0.5) / (len(posting) + 0.5))
            for doc, tf in posting.items():
                weight = idf * tf / (tf + k1 * (1 - b + b * lengths[doc] / mean))
                scores[doc] = scores.get(doc, 0.0) + weight
        return scores

    def top(
        self, terms: Iterable[str], k: int, *, prefer: Callable[[D], object] | None = None
    ) -> list[tuple[D, float]]:
        """Return the `k` nearest documents with their scores, nearest first.

        Of equal ones that with the greatest `prefer(document)` comes first; None: in no promised order.
        """
        scores = self.scores(terms).items()
        if prefer is None:
            return heapq.nlargest(k, scores, key=lambda item: item[1])
        return heapq.nlargest(k, scores, key=lambda item: (item[1], prefer(item[0])))
