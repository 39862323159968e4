"""`Cable`: links the memories of a host as they are written, and expands its results along those links."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

from memory_evidence.cable.blocking import BlockingCable
from memory_evidence.cable.evidence import Expansion
from memory_evidence.cable.host import Hit, Memory, MemoryHost
from memory_evidence.cable.reports import LinkingReport, ReverifyReport, Stats
from memory_evidence.cable.settings import CableSettings, LinkingMode, OnError
from memory_evidence.progress import Progress
from memory_evidence.records import Scope

__all__ = ["Cable", "CableSettings", "LinkingMode", "LinkingReport", "OnError", "Stats"]

P = ParamSpec("P")
T = TypeVar("T")


class Cable(BlockingCable):
    """Antecedent links for the memories of one host, in any number of scopes.

    Safe to share between threads; any number of processes may share its store. A wrapper of a host calls `written`,
    `deleted`, `cleared` and `reset` after the host acknowledged the same, and `expand` with each result of the host.
    Every call that may wait has a twin, `awritten` and so on, that does so without blocking the event loop.
    """

    async def in_thread(self, write: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Call `write` in a thread; what it writes is linked on this event loop in the mode "asyncio"."""
        self._schedule.see_loop()
        return await asyncio.to_thread(write, *args, **options)

    async def awritten(self, scope: Scope, memories: Sequence[Memory]) -> None:
        """`written` in a thread."""
        await self.in_thread(self.written, scope, memories)

    async def awritten_ids(self, host: MemoryHost, ids: Sequence[str]) -> None:
        """`written_ids` in a thread."""
        await self.in_thread(self.written_ids, host, ids)

    async def adeleted(self, scope: Scope, ids: Sequence[str]) -> None:
        """`deleted` in a thread."""
        await asyncio.to_thread(self.deleted, scope, ids)

    async def acleared(self, scope: Scope) -> None:
        """`cleared` in a thread."""
        await asyncio.to_thread(self.cleared, scope)

    async def areset(self) -> None:
        """`reset` in a thread."""
        await asyncio.to_thread(self.reset)

    async def aexpand(
        self,
        host: MemoryHost,
        query: str,
        hits: Sequence[Hit],
        *,
        limit: int,
        replace: int | None = None,
        seeds: Sequence[Hit] = (),
    ) -> Expansion:
        """`expand` in a thread."""
        return await asyncio.to_thread(self.expand, host, query, hits, limit=limit, replace=replace, seeds=seeds)

    async def alink_pending(
        self, *, scope: Scope | None = None, retry_failed: bool = False, progress: Progress | None = None
    ) -> LinkingReport:
        """`link_pending` in a thread."""
        return await asyncio.to_thread(self.link_pending, scope=scope, retry_failed=retry_failed, progress=progress)

    async def abackfill(self, host: MemoryHost, *, progress: Progress | None = None) -> LinkingReport:
        """`backfill` in a thread."""
        return await asyncio.to_thread(self.backfill, host, progress=progress)

    async def areverify(
        self, *, scope: Scope | None = None, every: bool = False, progress: Progress | None = None
    ) -> ReverifyReport:
        """`reverify` in a thread."""
        return await asyncio.to_thread(self.reverify, scope=scope, every=every, progress=progress)

    async def astats(self, scope: Scope | None = None) -> Stats:
        """`stats` in a thread."""
        return await asyncio.to_thread(self.stats, scope)

    async def aclose(self) -> None:
        """`close` in a thread, for linking may take a moment to stop."""
        await asyncio.to_thread(self.close)

    async def afinish(self) -> None:
        """Wait until the task of the mode "asyncio" has linked what it found waiting."""
        await self._schedule.task.finish()
