"""Keeps the links in step with what mem0 has acknowledged: each change is read back from mem0, then handed on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeVar

from mem0_adapter.host import memory_of
from mem0_adapter.results import changes_of
from mem0_adapter.rows import Row, Rows
from mem0_adapter.scopes import scope_of
from memory_evidence.cable.cable import Cable
from memory_evidence.cable.host import Memory
from memory_evidence.errors import HostError, StoreError
from memory_evidence.records import Scope

__all__ = ["Writes"]

logger = logging.getLogger(__name__)

T = TypeVar("T")
Doomed = Mapping[str, Row] | HostError
"""Rows that are about to be deleted, or why they cannot be read: mem0 deletes them in any case, and then it is told."""


class Writes:
    """What to tell the links after each call of mem0. Every method may block.

    mem0 always comes first, and what it has done is not undone: where the links cannot be told, they are behind, which
    reads notice; `backfill` catches up with what was written, `reverify` with what was deleted. With `on_error="raise"`
    the caller is told so, else the log.
    """

    def __init__(self, cable: Cable, rows: Rows, on_error: Literal["raise", "skip"]) -> None:
        self._cable, self._rows, self._on_error = cable, rows, on_error

    def added(self, response: Any, ids: Mapping[str, str]) -> None:
        """Follow an `add`, which in mem0 1.x may also have updated and deleted memories.

        Args:
            response: What mem0's `add` returned.
            ids: The ids that it was called with.
        """
        with self._following("add"):
            for scope, memories in self._changed(response, ids):
                self._cable.written(scope, memories)

    async def aadded(self, response: Any, ids: Mapping[str, str]) -> None:
        """`added` without blocking the event loop."""
        with self._following("add"):
            for scope, memories in await asyncio.to_thread(self._changed, response, ids):
                await self._cable.awritten(scope, memories)

    def updated(self, memory_id: str) -> None:
        """Follow an `update`."""
        with self._following("update"):
            for scope, memories in self._read_back([memory_id]):
                self._cable.written(scope, memories)

    async def aupdated(self, memory_id: str) -> None:
        """`updated` without blocking the event loop."""
        with self._following("update"):
            for scope, memories in await asyncio.to_thread(self._read_back, [memory_id]):
                await self._cable.awritten(scope, memories)

    def rows(self, ids: Sequence[str]) -> Doomed:
        """Return the rows that are about to be deleted, for `deleted`."""
        return self._doomed(lambda: self._rows.get(ids))

    def rows_of(self, filters: Mapping[str, str]) -> Doomed:
        """Return all rows of some ids, for `deleted`; none where no id is given."""
        return self._doomed(lambda: {row.id: row for row in self._rows.all(filters)} if filters else {})

    def deleted(self, rows: Doomed) -> None:
        """Follow a deletion of `rows`; those that mem0 still holds stay linked (1.x deletes 100 at a time)."""
        with self._following("delete"):
            if isinstance(rows, HostError):
                raise rows
            left = self._read(self._rows.get, list(rows))
            for scope, gone in self._by_scope(row for i, row in rows.items() if i not in left).items():
                self._cable.deleted(scope, [row.id for row in gone])

    def reset(self) -> None:
        """Follow a `reset`: the links of this collection go, those of other hosts in the same store stay."""
        with self._following("reset"):
            self._cable.reset()

    def _doomed(self, call: Callable[[], dict[str, Row]]) -> Doomed:
        try:
            return self._read(call)
        except HostError as error:
            return error

    def _changed(self, response: Any, ids: Mapping[str, str]) -> list[tuple[Scope, list[Memory]]]:
        changes, scope = changes_of(response), scope_of(self._rows.collection, ids)
        if scope is not None and changes.deleted:
            self._cable.deleted(scope, changes.deleted)
        return self._read_back(changes.written)

    def _read_back(self, ids: Sequence[str]) -> list[tuple[Scope, list[Memory]]]:
        rows = self._read(self._rows.get, ids)
        found = self._by_scope(rows[i] for i in ids if i in rows)
        return [(scope, [memory_of(row) for row in rows_of_scope]) for scope, rows_of_scope in found.items()]

    def _by_scope(self, rows: Iterable[Row]) -> dict[Scope, list[Row]]:
        found: dict[Scope, list[Row]] = {}
        for row in rows:
            scope = scope_of(self._rows.collection, row.payload)
            if scope is not None:
                found.setdefault(scope, []).append(row)
        return found

    def _read(self, call: Callable[..., T], *args: Any) -> T:
        try:
            return call(*args)
        except Exception as error:
            raise HostError("mem0: read of the vector store", f"{type(error).__name__}: {error}") from error

    @contextmanager
    def _following(self, operation: str) -> Iterator[None]:
        try:
            yield
        except (HostError, StoreError) as error:
            if self._on_error == "raise":
                told = "`backfill` and `reverify` bring the links up to date"
                error.add_note(f"What mem0's own `{operation}` did stands; {told}.")
                raise
            logger.warning("the links do not know of this %s yet: %s", operation, error)
