"""One scope of a mem0 memory, as CABLE's engine sees it: mem0's own rows, vectors and embedder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from typing_extensions import override

from mem0_adapter.filters import expired, matches
from mem0_adapter.rows import Row, Rows
from mem0_adapter.scopes import filters_of, scope_of
from memory_evidence.cable.host import FloatArray, Hit, Memory
from memory_evidence.records import Scope

__all__ = ["Mem0Host", "SearchHost", "memory_of"]

_OVERFETCH = 4


class Mem0Host:
    """A `MemoryHost` over one scope of mem0; only rows whose payload says so belong to it, whatever a store returns."""

    def __init__(
        self,
        rows: Rows,
        scope: Scope,
        *,
        filters: Mapping[str, Any] | None = None,
        show_expired: bool = False,
        known: Mapping[str, FloatArray] | None = None,
        least: tuple[str, float] | None = None,
    ) -> None:
        """Open a scope.

        Args:
            rows: mem0's vector store.
            scope: As `scope_of` makes it.
            filters: Further conditions, in mem0's words, on what `get` and `memories` show; `search` finds all.
            show_expired: Whether memories past their `expiration_date` are shown.
            known: Vectors of queries that mem0 has embedded already.
            least: A query, and the lowest score for it of what `get` shows, on mem0's scale; None: any.

        Raises:
            ScopeError: The scope is of another host or collection.
        """
        self._rows, self._scope = rows, scope
        self._own = filters_of(rows.collection, scope)
        self._filters, self._show_expired = filters or {}, show_expired
        self._known, self._least = known or {}, least

    @property
    def scope(self) -> Scope:
        """Whose memories these are."""
        return self._scope

    def search(self, query: str, k: int) -> list[Hit]:
        """Return at most `k` memories of this scope, best first, each once."""
        if k < 1 or not query.strip():
            return []
        # What an agent alone wrote is mixed in the store with what it wrote for users.
        wanted = k if "user_id" in self._own else k * _OVERFETCH
        rows = self._rows.nearest(query, wanted, self._own)
        found: dict[str, Row] = {}
        for row in rows:
            if self._holds(row):
                found.setdefault(row.id, row)
        best = list(found.values())[:k]
        scores = self._rows.similarities([row.score for row in best])
        return [Hit(memory_of(row), score) for row, score in zip(best, scores, strict=True)]

    def get(self, ids: Sequence[str]) -> dict[str, Memory]:
        """Return those of `ids` that mem0 holds in this scope and that satisfy the filters."""
        rows = {i: row for i, row in self._look_up(ids).items() if self._shows(row)}
        if self._least is not None and rows:
            query, least = self._least
            (asking,), vectors = self.embed([query]), self.vectors(list(rows))
            rows = {i: rows[i] for i, vector in vectors.items() if self._rows.score(asking, vector) >= least}
        return {i: memory_of(row) for i, row in rows.items()}

    def vectors(self, ids: Sequence[str]) -> dict[str, FloatArray]:
        """Return the vectors that mem0 searches by."""
        return self._rows.vectors(ids)

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return mem0's vectors of `texts` as queries, shape `(len(texts), dim)`."""
        missing = [text for text in texts if text not in self._known]
        if not missing:
            return np.asarray([self._known[text] for text in texts], np.float32)
        made = dict(zip(missing, self._rows.embed(missing), strict=True))
        return np.asarray([made[text] if text in made else self._known[text] for text in texts], np.float32)

    def memories(self) -> Iterator[Memory]:
        """Yield every memory of this scope that satisfies the filters, the oldest first."""
        conditions = {**self._filters, **self._own}
        rows = sorted(filter(self._shows, self._rows.all(conditions)), key=_created)
        yield from map(memory_of, rows)

    def _look_up(self, ids: Sequence[str]) -> Mapping[str, Row]:
        return self._rows.get(ids)

    def _holds(self, row: Row) -> bool:
        return scope_of(self._rows.collection, row.payload) == self._scope

    def _shows(self, row: Row) -> bool:
        hidden = not self._show_expired and expired(row.payload)
        return self._holds(row) and not hidden and matches(row.payload, self._filters)


class SearchHost(Mem0Host):
    """A scope during one search: payload and vector of a row are read together, and once."""

    def __init__(self, rows: Rows, scope: Scope, **view: Any) -> None:
        """Open a scope; `view` is as for `Mem0Host`."""
        super().__init__(rows, scope, **view)
        self._vectors: dict[str, FloatArray] = {}

    @override
    def vectors(self, ids: Sequence[str]) -> dict[str, FloatArray]:
        missing = [i for i in ids if i not in self._vectors]
        if missing:
            self._vectors |= super().vectors(missing)
        return {i: self._vectors[i] for i in ids if i in self._vectors}

    @override
    def _look_up(self, ids: Sequence[str]) -> Mapping[str, Row]:
        rows = self._rows.get(ids, vectors=True)
        self._vectors |= {i: row.vector for i, row in rows.items() if row.vector is not None}
        return rows


def memory_of(row: Row) -> Memory:
    """Return a row as a memory."""
    text, time = row.payload.get("data"), row.payload.get("created_at")
    return Memory(row.id, text if isinstance(text, str) else "", None if time is None else str(time))


def _created(row: Row) -> datetime:
    # Where the time cannot be read the store's order counts, before all others; sorting is stable.
    try:
        time = datetime.fromisoformat(str(row.payload.get("created_at")))
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return time if time.tzinfo else time.replace(tzinfo=UTC)
