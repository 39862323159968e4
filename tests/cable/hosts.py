"""A memory host of numpy arrays for the engine's own tests: cosine search over word vectors, one scope."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from memory_evidence.cable.host import FloatArray, Hit, Memory
from memory_evidence.records import Scope

Embed = Callable[[Sequence[str]], FloatArray]

DIMENSIONS = 64
_WORD = re.compile(r"[^\W_]+")


def embed_words(texts: Sequence[str]) -> FloatArray:
    """Return one vector of length 1 a text, shape (n, 64): the sum of a fixed direction for each of its words."""
    vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
    for row, text in enumerate(texts):
        for word in _WORD.findall(text.casefold()):
            seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
            vectors[row] += np.random.default_rng(seed).standard_normal(DIMENSIONS, dtype=np.float32)
        norm = float(np.linalg.norm(vectors[row]))
        vectors[row] /= norm or 1.0
    return vectors


class NumpyHost:
    """A `MemoryHost` over texts in the order they were added; `search` is exact cosine, best first."""

    def __init__(
        self, memories: Iterable[Memory] = (), *, scope: Scope = ("user",), embed: Embed = embed_words
    ) -> None:
        self.scope: Scope = scope
        self.searches: list[tuple[str, int]] = []
        self._embed = embed
        self._memories: dict[str, Memory] = {}
        self._vectors: dict[str, FloatArray] = {}
        self.put(*memories)

    def put(self, *memories: Memory) -> None:
        """Add memories, or replace those whose id is known; a replaced one keeps its place."""
        for memory, vector in zip(memories, self._embed([m.text for m in memories]), strict=True):
            self._memories[memory.id] = memory
            self._vectors[memory.id] = vector

    def drop(self, *ids: str) -> None:
        """Delete memories."""
        for memory_id in ids:
            del self._memories[memory_id]
            del self._vectors[memory_id]

    def search(self, query: str, k: int) -> list[Hit]:
        self.searches.append((query, k))
        if not self._memories or k < 1:
            return []
        ids = list(self._memories)
        scores = np.stack([self._vectors[i] for i in ids]) @ self._embed([query])[0]
        best = np.argsort(-scores, kind="stable")[:k]
        return [Hit(self._memories[ids[row]], float(scores[row])) for row in best]

    def get(self, ids: Sequence[str]) -> Mapping[str, Memory]:
        return {i: self._memories[i] for i in ids if i in self._memories}

    def vectors(self, ids: Sequence[str]) -> Mapping[str, FloatArray]:
        return {i: self._vectors[i] for i in ids if i in self._vectors}

    def embed(self, texts: Sequence[str]) -> FloatArray:
        return self._embed(texts)

    def memories(self) -> Iterator[Memory]:
        return iter(list(self._memories.values()))


def numbered(*texts: str, start: int = 1) -> list[Memory]:
    """Return memories with the ids "1", "2", ..."""
    return [Memory(str(number), text) for number, text in enumerate(texts, start)]
