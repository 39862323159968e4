"""mem0's vector store: payloads and vectors by id, nearest rows, listings.

Chroma and Qdrant give vectors and look up many ids at once. Of the other stores only what all have is used: one look-up
an id, and the embedding of a memory's text for its vector, which is kept.
"""

from __future__ import annotations

import inspect
import threading
import uuid
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np

from mem0_adapter.places import place_of
from mem0_adapter.scopes import Collection
from mem0_adapter.twins import turn_at
from memory_evidence.cable.host import FloatArray
from memory_evidence.cable.spaces import Space, chroma_space, distance, similarity

__all__ = ["Row", "Rows"]

_EVERYTHING = 1_000_000
_WIDER = 4
"""Times as many rows are asked for again where a store filters what it has found."""
_MOST_VECTORS = 10_000
"""Vectors of texts that are kept where the store gives none: 15 MB at 384 dimensions."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the vector store."""

    id: str
    payload: Mapping[str, Any]
    score: float | None = None
    """As the store gives it: a similarity or, in mem0 1.x, of some stores a distance."""
    vector: FloatArray | None = None
    """What the store searches by, where it was asked for and the store gives it."""


class Rows:
    """The vector store of a mem0 memory, whose parts are looked up at each call: `reset()` exchanges them."""

    def __init__(self, memory: Any) -> None:
        self._memory, self._place = memory, place_of(memory)
        self._provider = getattr(getattr(getattr(memory, "config", None), "vector_store", None), "provider", "")
        self._kept: OrderedDict[str, FloatArray] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def collection(self) -> Collection:
        """Which collection this is, of which store."""
        return Collection(str(self._memory.collection_name), self._place)

    def get(self, ids: Sequence[str], *, vectors: bool = False) -> dict[str, Row]:
        """Return those rows that are there, with their vectors where those are wanted and come along."""
        store, ids = self._memory.vector_store, list(dict.fromkeys(ids))
        if not ids:
            return {}
        with turn_at(store):
            if self._provider == "chroma":
                found = store.collection.get(ids=ids, include=["metadatas", *(["embeddings"] if vectors else [])])
                given = map(_vector, found["embeddings"]) if vectors else repeat(None)
                columns = zip(found["ids"], found["metadatas"], given, strict=False)
                return {i: Row(i, payload or {}, vector=vector) for i, payload, vector in columns}
            if self._provider == "qdrant":
                asked = {"ids": _points(ids), "with_payload": True, "with_vectors": vectors}
                points = store.client.retrieve(store.collection_name, **asked)
            else:
                points = [store.get(vector_id=i) for i in ids]
        return {row.id: row for row in map(_row, points) if row is not None}

    def vectors(self, ids: Sequence[str]) -> dict[str, FloatArray]:
        """Return the vectors that the store searches by; without access to them, those of the texts."""
        store, ids = self._memory.vector_store, list(dict.fromkeys(ids))
        if not ids:
            return {}
        if self._provider == "chroma":
            with turn_at(store):
                found = store.collection.get(ids=ids, include=["embeddings"])
            return dict(zip(found["ids"], map(_vector, found["embeddings"]), strict=True))
        if self._provider == "qdrant":
            with turn_at(store):
                points = store.client.retrieve(store.collection_name, ids=_points(ids), with_vectors=True)
            dense = {str(point.id): _dense(point) for point in points}
            return {i: vector for i, vector in dense.items() if vector is not None}
        return self._text_vectors({i: str(row.payload.get("data") or "") for i, row in self.get(ids).items()})

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the embedder's vectors of `texts` as queries, shape `(len(texts), dim)`."""
        embedder = self._memory.embedding_model
        if len(texts) > 1 and hasattr(embedder, "embed_batch"):
            return np.asarray(embedder.embed_batch(list(texts), "search"), np.float32)
        return np.asarray([embedder.embed(text, "search") for text in texts], np.float32)

    def nearest(self, text: str, k: int, filters: Mapping[str, Any]) -> list[Row]:
        """Return at most `k` rows, best first, by the vector of `text`: no model, no reranker, no graph."""
        store, vector = self._memory.vector_store, self.embed([text])[0].tolist()
        count, asked = _count_keyword(store.search), k
        while True:
            with turn_at(store):
                points = store.search(query=text, vectors=vector, filters=dict(filters), **{count: asked})
            # FAISS finds the nearest of all users first and filters then.
            if self._provider != "faiss" or len(points) >= k or asked >= store.index.ntotal:
                return [row for row in map(_row, points[:k]) if row is not None]
            asked *= _WIDER

    def all(self, filters: Mapping[str, Any]) -> Iterator[Row]:
        """Yield every row that satisfies `filters`, in the store's order.

        Raises:
            NotImplementedError: The store cannot list its rows.
        """
        store = self._memory.vector_store
        with turn_at(store):
            listed = store.list(filters=dict(filters), **{_count_keyword(store.list): _EVERYTHING})
        if listed is None:
            raise NotImplementedError(f"{type(store).__name__} of mem0 cannot list its memories")
        # One store returns the rows, others a list or a tuple that holds them first.
        first = listed[0] if listed else ()
        yield from (row for row in map(_row, first if isinstance(first, (list, tuple)) else listed) if row is not None)

    def score(self, query: FloatArray, vector: FloatArray) -> float:
        """Return what mem0's search would give this vector as its score, on the scale of its other results."""
        store = self._memory.vector_store
        if self._provider == "chroma":
            away = distance(chroma_space(store.collection.configuration_json), query, vector)
            return away if self._gives_distances(store) else similarity("l2", away)
        if self._provider == "faiss":
            return self._faiss_score(store, query, vector)
        return similarity("cosine", distance("cosine", query, vector))

    def _faiss_score(self, store: Any, query: FloatArray, vector: FloatArray) -> float:
        strategy = str(getattr(store, "distance_strategy", "euclidean")).lower()
        if strategy != "euclidean":
            space: Space = "ip" if strategy == "inner_product" else "cosine"
            return similarity(space, distance(space, query, vector))
        if getattr(store, "normalize_L2", False):
            away = 2 * distance("cosine", query, vector)
        else:
            away = distance("l2", query, vector)
        return away if self._gives_distances(store) else similarity("l2", away)

    def similarities(self, scores: Sequence[float | None]) -> list[float | None]:
        """Return the scores of a search, best first, so that higher is better.

        mem0 1.x hands on what its store gives, which for Chroma and some others is a distance.
        """
        numbers = [score for score in scores if score is not None]
        rising = len(numbers) > 1 and numbers[0] < numbers[-1]
        if not rising and not (self._provider == "chroma" and self._gives_distances(self._memory.vector_store)):
            return list(scores)
        return [None if score is None else similarity("l2", score) for score in scores]

    @staticmethod
    def _gives_distances(store: Any) -> bool:
        return _count_keyword(store.search) == "limit"

    def _text_vectors(self, texts: Mapping[str, str]) -> dict[str, FloatArray]:
        with self._lock:
            missing = [text for text in dict.fromkeys(texts.values()) if text.strip() and text not in self._kept]
        made = dict(zip(missing, self.embed(missing), strict=True)) if missing else {}
        with self._lock:
            self._kept.update(made)
            found = {i: self._kept[text] for i, text in texts.items() if text in self._kept}
            for text in texts.values():
                if text in self._kept:
                    self._kept.move_to_end(text)
            while len(self._kept) > _MOST_VECTORS:
                self._kept.popitem(last=False)
        return found


def _row(point: Any) -> Row | None:
    if point is None or getattr(point, "id", None) is None:
        return None
    score = getattr(point, "score", None)
    return Row(str(point.id), point.payload or {}, None if score is None else float(score), _dense(point))


def _dense(point: Any) -> FloatArray | None:
    """Return the vector of a row of Qdrant, which may have sparse ones beside it."""
    vector = getattr(point, "vector", None)
    dense = vector.get("") if isinstance(vector, dict) else vector
    return None if dense is None else _vector(dense)


def _vector(values: Any) -> FloatArray:
    return np.asarray(values, np.float32)


def _points(ids: Sequence[str]) -> list[str | int]:
    """Return `ids` as Qdrant knows them, numbers or UUIDs; it raises at any other."""
    return [int(i) if i.isdecimal() else i for i in ids if i.isdecimal() or _is_uuid(i)]


def _is_uuid(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True


def _count_keyword(method: Any) -> str:
    return "top_k" if "top_k" in inspect.signature(method).parameters else "limit"
