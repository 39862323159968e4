"""A Chroma collection as CABLE sees it: documents are memories, distances are turned into similarities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from memory_evidence.cable.host import FloatArray, Hit, Memory
from memory_evidence.cable.spaces import chroma_space, similarity
from memory_evidence.records import Scope

__all__ = ["ChromaHost", "both"]

_PAGE = 1_000


class ChromaHost:
    """The records of one collection that have a document and match the filters. Opens no client of its own."""

    def __init__(
        self,
        collection: Any,
        scope: Scope,
        *,
        where: Mapping[str, Any] | None = None,
        where_document: Mapping[str, Any] | None = None,
        ids: Sequence[str] | None = None,
        query: tuple[str, FloatArray] | None = None,
    ) -> None:
        """See only what matches `where`, `where_document` and `ids`; `query` is a text whose vector is known."""
        self.collection, self.scope = collection, scope
        self.space = chroma_space(collection.configuration_json)
        self._where, self._where_document, self._query = where, where_document, query
        self._ids = None if ids is None else frozenset(ids)

    def narrowed(self, query: tuple[str, FloatArray], **filters: Any) -> ChromaHost:
        """Return this host for one query, seeing only what matches `filters` as well."""
        where = both(self._where, filters.pop("where", None))
        return ChromaHost(self.collection, self.scope, where=where, query=query, **filters)

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the nearest documents; fewer than `k` where records without a document are among the nearest."""
        if k < 1:
            return []
        found = self.collection.query(
            query_embeddings=self.embed([query]),
            n_results=k,
            where=self._where,
            where_document=self._where_document,
            include=["documents", "distances"],
        )
        return self.hits(found, 0)

    def hits(self, result: Mapping[str, Any], row: int) -> list[Hit]:
        """Return one row of a query's result, which has `documents` and `distances`."""
        columns = (result[name][row] for name in ("ids", "documents", "distances"))
        return [
            Hit(Memory(record, text or ""), similarity(self.space, distance))
            for record, text, distance in zip(*columns, strict=True)
        ]

    def get(self, ids: Sequence[str]) -> dict[str, Memory]:
        """Return the documents of those of `ids` that match the filters."""
        found = self._get(ids, "documents")
        return {record: Memory(record, text) for record, text in found.items() if text is not None}

    def vectors(self, ids: Sequence[str]) -> dict[str, FloatArray]:
        """Return the stored vectors."""
        return {
            record: np.asarray(vector, dtype=np.float32)
            for record, vector in self._get(ids, "embeddings").items()
            if vector is not None
        }

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the collection's vectors of queries."""
        if self._query is not None and list(texts) == [self._query[0]]:
            return self._query[1][np.newaxis]
        # Chroma offers no public way to embed a query as `query` itself would.
        return np.asarray(self.collection._embed(input=list(texts), is_query=True), dtype=np.float32)

    def memories(self) -> Iterator[Memory]:
        """Yield every document, in the order Chroma keeps, which is that of insertion."""
        ids = self.collection.get(where=self._where, where_document=self._where_document, include=[])["ids"]
        for start in range(0, len(ids), _PAGE):
            page = ids[start : start + _PAGE]
            found = self.get(page)
            yield from (found[record] for record in page if record in found)

    def _get(self, ids: Sequence[str], column: str) -> dict[str, Any]:
        # Chroma refuses duplicates and an empty list.
        wanted = [record for record in dict.fromkeys(ids) if self._ids is None or record in self._ids]
        if not wanted:
            return {}
        found = self.collection.get(
            ids=wanted, where=self._where, where_document=self._where_document, include=[column]
        )
        return dict(zip(found["ids"], found[column], strict=True))


def both(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return a filter that is satisfied where both are; None and {} are satisfied by all."""
    return {"$and": [one, other]} if one and other else one or other or None
