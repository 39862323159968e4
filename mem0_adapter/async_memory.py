"""`AsyncCableMemory`: a mem0 `AsyncMemory` whose searches reach what similarity misses."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from typing_extensions import Unpack

from mem0_adapter.reads import Reading
from mem0_adapter.results import merged
from mem0_adapter.twins import twin_of
from mem0_adapter.uninterrupted import uninterrupted
from mem0_adapter.wrapper import Mem0Wrapper
from memory_evidence.cable.cable import CableSettings
from memory_evidence.cable.evidence import Expansion
from memory_evidence.cable.reports import LinkingReport, ReverifyReport, Stats
from memory_evidence.models import ChatModel
from memory_evidence.progress import Progress

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore


class AsyncCableMemory(Mem0Wrapper):
    """`CableMemory` for mem0's `AsyncMemory`: its methods are coroutines, and none blocks the event loop.

    What writes goes on to its end where its caller is cancelled, as mem0 itself does in its thread: otherwise mem0
    would hold what the links do not know of. Linking runs in threads. `stats`, `links` and `close` are no coroutines,
    as `close` of mem0 is none; they ask the link store, so in a busy loop there are `astats` and `aclose`.
    """

    def __init__(
        self,
        memory: Any,
        *,
        store: str | LinkStore = "sqlite:///memory.db",
        model: ChatModel | Literal["rules"] | None = None,
        replace: int = 5,
        **settings: Unpack[CableSettings],
    ) -> None:
        """Wrap a mem0 `AsyncMemory`; arguments and errors are those of `CableMemory`."""
        super().__init__(memory, store, model, replace, settings, asynchronous=True)

    async def add(self, messages: Any, **options: Any) -> Any:
        """Remember; as `CableMemory.add`."""
        sent = self._outgoing(messages)
        if sent is None and messages is not None:
            return {"results": []}
        return await uninterrupted(self._add(sent, options))

    async def search(self, query: str, *, replace: int | None = None, **options: Any) -> Any:
        """Search and expand; as `CableMemory.search`."""
        reading = await self._search(query, replace, options)
        try:
            added = {entry.memory.id: await self.get(entry.memory.id) for entry in reading.expansion.added}
        except Exception as error:  # noqa: BLE001 - mem0 may raise anything, and its own result is at hand
            reading, added = self._reads.plain(reading, error), {}
        return merged(reading.response, reading.expansion, added, reading.scores)

    async def explain(self, query: str, *, replace: int | None = None, **options: Any) -> Expansion:
        """Search, and return how the entries came about; as `CableMemory.explain`."""
        return (await self._search(query, replace, options)).expansion

    async def get(self, memory_id: str) -> Any:
        """Return a memory, as mem0 does."""
        with twin_of(self._memory) as (twin, _):
            return await twin.get(memory_id)

    async def get_all(self, **options: Any) -> Any:
        """List memories, as mem0 does."""
        asked = self._spelling.query(self._memory.get_all, options)
        with twin_of(self._memory) as (twin, _):
            return await twin.get_all(**asked.options)

    async def update(self, memory_id: str, *args: Any, **options: Any) -> Any:
        """Change a memory; as `CableMemory.update`."""
        return await uninterrupted(self._update(memory_id, *args, **self._edit(options)))

    async def delete(self, memory_id: str) -> Any:
        """Delete a memory and its links."""
        return await uninterrupted(self._delete(memory_id))

    async def delete_all(self, user_id: Any = None, agent_id: Any = None, run_id: Any = None) -> Any:
        """Delete memories, as mem0 does, and their links."""
        ids = self._spelling.ids({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        return await uninterrupted(self._delete_all(ids))

    async def reset(self) -> Any:
        """Delete everything, as mem0 does, and all links of its collection."""
        return await uninterrupted(self._reset())

    async def link_pending(self, *, progress: Progress | None = None, retry_failed: bool = False) -> LinkingReport:
        """Link what was written and is not linked yet, of all users, in a thread; `progress` is called there."""
        return await self._cable.alink_pending(progress=progress, retry_failed=retry_failed)

    async def backfill(self, *, progress: Progress | None = None, **options: Any) -> LinkingReport:
        """Link the memories that mem0 held before it was wrapped; as `CableMemory.backfill`, in a thread."""
        return await asyncio.to_thread(self._backfill, options, progress)

    async def reverify(self, *, every: bool = False, progress: Progress | None = None, **ids: Any) -> ReverifyReport:
        """Verify links again; as `CableMemory.reverify`, in a thread."""
        scope = self.scope(**ids) if ids else None
        return await asyncio.to_thread(self._cable.reverify, scope=scope, every=every, progress=progress)

    async def astats(self, **ids: Any) -> Stats:
        """`stats` without blocking the event loop."""
        return await asyncio.to_thread(self.stats, **ids)

    def close(self) -> None:
        """Stop linking, what waits stays pending; then close mem0."""
        self._cable.close()
        self._memory.close()

    async def aclose(self) -> None:
        """`close` without blocking the event loop, for linking may take a moment to stop."""
        await asyncio.to_thread(self.close)

    async def _add(self, sent: Any, options: dict[str, Any]) -> Any:
        with twin_of(self._memory) as (twin, _):
            response = await twin.add(sent, **self._spelling.with_ids(options))
        await self._writes.aadded(response, self._spelling.ids(options))
        return response

    async def _update(self, memory_id: str, *args: Any, **options: Any) -> Any:
        with twin_of(self._memory) as (twin, _):
            response = await twin.update(memory_id, *args, **options)
        await self._writes.aupdated(memory_id)
        return response

    async def _delete(self, memory_id: str) -> Any:
        rows = await asyncio.to_thread(self._writes.rows, [memory_id])
        with twin_of(self._memory) as (twin, _):
            response = await twin.delete(memory_id)
        await asyncio.to_thread(self._writes.deleted, rows)
        return response

    async def _delete_all(self, ids: dict[str, str]) -> Any:
        rows = await asyncio.to_thread(self._writes.rows_of, ids)
        with twin_of(self._memory) as (twin, _):
            response = await twin.delete_all(**ids)
        await asyncio.to_thread(self._writes.deleted, rows)
        return response

    async def _reset(self) -> Any:
        response = await self._memory.reset()
        await asyncio.to_thread(self._writes.reset)
        return response

    async def _search(self, query: str, replace: int | None, options: dict[str, Any]) -> Reading:
        asked = self._spelling.query(self._memory.search, options)
        with twin_of(self._memory) as (twin, recorder):
            response = await twin.search(query, **asked.options)
        return await asyncio.to_thread(self._reads.expanded, query, response, asked, recorder, replace)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
