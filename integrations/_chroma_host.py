"""A Chroma collection as CABLE sees it: documents are memories, distances are turned into similarities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from typing_extensions import override

from integrations._chroma_where import condition_of
from memory_evidence.cable.host import FloatArray, Hit, Memory
from memory_evidence.cable.spaces import chroma_space, similarity
from memory_evidence.records import Scope

__all__ = ["ChromaHost", "QueryHost", "both"]

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
        ids: str | Sequence[str] | None = None,
    ) -> None:
        """See only what matches `where`, `where_document` and `ids`."""
        self.collection, self.scope = collection, scope
        self.space = chroma_space(collection.configuration_json)
        self._where, self._where_document = where, where_document
        self._holds = condition_of(where) if where else None
        self._ids = None if ids is None else frozenset([ids] if isinstance(ids, str) else ids)

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
        found = self.rows(ids, ["documents"])
        return {
            record: Memory(record, row["documents"]) for record, row in found.items() if row["documents"] is not None
        }

    def vectors(self, ids: Sequence[str]) -> dict[str, FloatArray]:
        """Return the stored vectors."""
        found = self.rows(ids, ["embeddings"])
        return {record: np.asarray(row["embeddings"], dtype=np.float32) for record, row in found.items()}

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the collection's vectors of queries."""
        # Chroma offers no public way to embed a query as `query` itself would.
        return np.asarray(self.collection._embed(input=list(texts), is_query=True), dtype=np.float32)

    def memories(self) -> Iterator[Memory]:
        """Yield every document, in the order Chroma keeps, which is that of insertion."""
        ids = self.collection.get(where=self._where, where_document=self._where_document, include=[])["ids"]
        for start in range(0, len(ids), _PAGE):
            page = ids[start : start + _PAGE]
            found = self.get(page)
            yield from (found[record] for record in page if record in found)

    def rows(self, ids: Sequence[str], columns: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return these columns of those of `ids` that match the filters."""
        # Chroma refuses duplicates and an empty list.
        wanted = [record for record in dict.fromkeys(ids) if self._ids is None or record in self._ids]
        if not wanted:
            return {}
        if self._holds is None or self._where_document is not None:
            found = self.collection.get(
                ids=wanted, where=self._where, where_document=self._where_document, include=list(columns)
            )
            return {record: {name: found[name][row] for name in columns} for row, record in enumerate(found["ids"])}
        found = self.collection.get(ids=wanted, include=list(dict.fromkeys((*columns, "metadatas"))))
        return {
            record: {name: found[name][row] for name in columns}
            for row, record in enumerate(found["ids"])
            if self._holds(found["metadatas"][row] or {})
        }


class QueryHost(ChromaHost):
    """The collection during one query: whatever is read of a record is read once, together."""

    def __init__(
        self,
        whole: ChromaHost,
        text: str,
        vector: FloatArray,
        near: Mapping[str, FloatArray],
        columns: Sequence[str],
        **filters: Any,
    ) -> None:
        """See what matches `filters`.

        Args:
            whole: The collection.
            text: The query.
            vector: Its vector, shape `(dim,)`.
            near: The vectors of its hits.
            columns: What is read of linked records, beside document and vector.
            **filters: As for `ChromaHost`.
        """
        super().__init__(whole.collection, whole.scope, **filters)
        self.query_vector = vector
        self.linked: dict[str, dict[str, Any]] = {}
        """What was read of linked records."""
        self._text, self._near = text, near
        self._columns = list(dict.fromkeys(("documents", "embeddings", *columns)))

    @override
    def get(self, ids: Sequence[str]) -> dict[str, Memory]:
        self.linked |= self.rows(ids, self._columns)
        found = {record: self.linked[record]["documents"] for record in ids if record in self.linked}
        return {record: Memory(record, text) for record, text in found.items() if text is not None}

    @override
    def vectors(self, ids: Sequence[str]) -> dict[str, FloatArray]:
        read = {record: row["embeddings"] for record, row in self.linked.items()}
        known = {**read, **self._near}
        return {record: np.asarray(known[record], dtype=np.float32) for record in ids if record in known}

    @override
    def embed(self, texts: Sequence[str]) -> FloatArray:
        return self.query_vector[np.newaxis] if list(texts) == [self._text] else super().embed(texts)


def both(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return a filter that is satisfied where both are; None is satisfied by all.

    Args:
        one: The wrapper's own; {} is none.
        other: The caller's; Chroma refuses {}.
    """
    if not one or other is None:
        return one or other
    return {"$and": [one, other]}
