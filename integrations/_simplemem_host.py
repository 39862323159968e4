"""The entries of a SimpleMem system as CABLE sees them, and what is written to them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from memory_evidence.cable.host import FloatArray, Hit, Memory
from memory_evidence.cable.spaces import similarity
from memory_evidence.records import Scope

__all__ = ["EntryHost", "WatchedStore", "as_entry", "identity"]

_FIELDS = ["entry_id", "lossless_restatement", "timestamp"]


class EntryHost:
    """The entries in SimpleMem's LanceDB table; a memory is an entry's restatement."""

    def __init__(self, store: Any, scope: Scope) -> None:
        self._store, self.scope = store, scope

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the nearest entries by the stored vectors; SimpleMem's own search gives no scores."""
        if k < 1 or not self.size():
            return []
        vector = self.embed([query])[0].tolist()
        rows = self._store.table.search(vector).select([*_FIELDS, "_distance"]).limit(k).to_list()
        return [Hit(_memory(row), similarity("l2", row["_distance"])) for row in rows]

    def get(self, ids: Sequence[str]) -> dict[str, Memory]:
        """Return those of these entries that exist now."""
        return {row["entry_id"]: _memory(row) for row in self.rows(ids, _FIELDS)}

    def vectors(self, ids: Sequence[str]) -> dict[str, FloatArray]:
        """Return the stored vectors."""
        rows = self.rows(ids, ["entry_id", "vector"])
        return {row["entry_id"]: np.asarray(row["vector"], dtype=np.float32) for row in rows}

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return vectors of queries, as SimpleMem's own search makes them."""
        model = self._store.embedding_model
        return np.array([model.encode_single(text, is_query=True) for text in texts], dtype=np.float32)

    def memories(self) -> Iterator[Memory]:
        """Yield every entry in the order of writing; their times are those of what they tell."""
        for row in self._store.table.to_arrow().select(_FIELDS).to_pylist():
            yield _memory(row)

    def rows(self, ids: Sequence[str], columns: list[str] | None = None) -> list[dict[str, Any]]:
        """Return the table's rows of these entries, with some columns or all."""
        if not ids:
            return []
        quoted = ", ".join("'" + entry.replace("'", "''") + "'" for entry in dict.fromkeys(ids))
        found = self._store.table.search().where(f"entry_id IN ({quoted})")
        rows: list[dict[str, Any]] = (found if columns is None else found.select(columns)).to_list()
        return rows

    def size(self) -> int:
        """Return how many entries there are."""
        return int(self._store.table.count_rows())


class WatchedStore:
    """SimpleMem's vector store for its memory builder: notes the ids of what was stored, and never fails by itself.

    An error of ours in the builder would make SimpleMem process the same dialogues a second time.
    """

    def __init__(self, store: Any) -> None:
        self.store = store
        self._lock = threading.Lock()
        self._stored: list[str] = []

    def add_entries(self, entries: Sequence[Any]) -> None:
        """Store entries, as SimpleMem does."""
        self.store.add_entries(entries)
        with self._lock:
            self._stored += [entry.entry_id for entry in entries]

    @contextmanager
    def taken(self) -> Iterator[list[str]]:
        """Give the ids noted so far, in order; they stay noted if what is done with them fails."""
        with self._lock:
            ids, self._stored = self._stored, []
        try:
            yield ids
        except BaseException:
            with self._lock:
                self._stored = ids + self._stored
            raise

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "store":
            raise AttributeError(name)
        return getattr(self.store, name)


def _memory(row: dict[str, Any]) -> Memory:
    return Memory(row["entry_id"], row["lossless_restatement"], row["timestamp"] or None)


def identity(store: Any) -> tuple[str, str]:
    """Return what tells SimpleMem's table from every other: where its database is, and its name."""
    path = str(store.db_path)
    return path if "://" in path else str(Path(path).resolve()), str(store.table_name)


def as_entry(row: dict[str, Any], kind: Any) -> Any:
    """Return a row of the table as an entry of SimpleMem's class `kind`, whose defaults stand for empty cells."""
    return kind(**{name: value for name, value in row.items() if value and name in kind.model_fields})
