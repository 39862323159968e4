"""`CableMemory`: a mem0 `Memory` whose searches reach what similarity misses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import Unpack, override

from mem0_adapter.reads import Reading
from mem0_adapter.results import merged
from mem0_adapter.twins import twin_of
from mem0_adapter.wrapper import Mem0Wrapper
from memory_evidence.cable.cable import CableSettings
from memory_evidence.cable.evidence import Expansion
from memory_evidence.cable.reports import LinkingReport, ReverifyReport
from memory_evidence.closing import Closing
from memory_evidence.models import ChatModel
from memory_evidence.progress import Progress

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore


class CableMemory(Mem0Wrapper, Closing):
    """A mem0 `Memory` (2.x, or 1.x with or without its graph) that links memories and expands its searches.

    ```python
    memory = CableMemory(Memory.from_config(config))
    memory.add("The doctor told me to avoid dairy.", user_id="ann")
    memory.search("Why did Ann change her coffee order?", user_id="ann", limit=10)
    ```

    All of mem0's methods are there, with its results in its shape: a search has as many entries as mem0 would have
    returned. Of these the last few may be others than mem0's, each with the key "cable": over which links it was
    reached and which entry it replaced. An entry of mem0's own is as mem0 gave it, with that key beside only where a
    later memory superseded what it says. Both spellings of mem0's keywords are understood.

    A search never calls a model. Memories are linked by mem0's own model, embedder and vectors, unless `model` is
    another `ChatModel`, or "rules" for no model at all.
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
        """Wrap a memory, which stays as it is and may be used beside this.

        Args:
            memory: A mem0 `Memory`.
            store: Where links are kept, as for `Cable`; never in mem0's metadata.
            model: What judges links; None: mem0's own.
            replace: Most entries of mem0 that give up their place in one result, and never more than half.
            settings: As for `Cable`: `linking`, `on_error`, `rules`, `concurrency`, `link_options`, `expand_options`.

        Raises:
            ConfigError: An argument is wrong.
            StoreError: The store cannot be opened, and `on_error` is "raise".
        """
        super().__init__(memory, store, model, replace, settings, asynchronous=False)

    def add(self, messages: Any, **options: Any) -> Any:
        """Remember, as mem0 does, then queue what was added or changed for linking.

        Evidence blocks of this package are cut out first; where nothing else is left, mem0 is not called.
        """
        sent = self._outgoing(messages)
        if sent is None and messages is not None:
            return {"results": []}
        with twin_of(self._memory) as (twin, _):
            response = twin.add(sent, **self._spelling.with_ids(options))
        self._writes.added(response, self._spelling.ids(options))
        return response

    def search(self, query: str, *, replace: int | None = None, **options: Any) -> Any:
        """Search, as mem0 does, and exchange the last entries for memories linked to the others.

        Args:
            query: The question.
            replace: Most entries that may be exchanged; None: as many as this memory was made with.
            options: mem0's, of either version: ids as keywords or in `filters`, `limit` or `top_k`, and so on. What
                comes over a link satisfies the filters and a `threshold` that is given, too; a filter that cannot be
                checked lets nothing come.

        Raises:
            ConfigError: An option is unknown, or two contradict each other.
            HostError, StoreError: Expanding failed, and `on_error` is "raise".
        """
        reading = self._search(query, replace, options)
        try:
            added = {entry.memory.id: self.get(entry.memory.id) for entry in reading.expansion.added}
        except Exception as error:  # noqa: BLE001 - mem0 may raise anything, and its own result is at hand
            reading, added = self._reads.plain(reading, error), {}
        return merged(reading.response, reading.expansion, added, reading.scores)

    def explain(self, query: str, *, replace: int | None = None, **options: Any) -> Expansion:
        """Search, and return how the entries came about: `.explain()`, `.to_mermaid()`, and as a prompt `str(...)`."""
        return self._search(query, replace, options).expansion

    def get(self, memory_id: str) -> Any:
        """Return a memory, as mem0 does."""
        with twin_of(self._memory) as (twin, _):
            return twin.get(memory_id)

    def get_all(self, **options: Any) -> Any:
        """List memories, as mem0 does."""
        asked = self._spelling.query(self._memory.get_all, options)
        with twin_of(self._memory) as (twin, _):
            return twin.get_all(**asked.options)

    def update(self, memory_id: str, *args: Any, **options: Any) -> Any:
        """Change a memory, as mem0 does; its links no longer count, and it is queued for linking anew."""
        with twin_of(self._memory) as (twin, _):
            response = twin.update(memory_id, *args, **self._edit(options))
        self._writes.updated(memory_id)
        return response

    def delete(self, memory_id: str) -> Any:
        """Delete a memory, as mem0 does, and its links."""
        rows = self._writes.rows([memory_id])
        with twin_of(self._memory) as (twin, _):
            response = twin.delete(memory_id)
        self._writes.deleted(rows)
        return response

    def delete_all(self, user_id: Any = None, agent_id: Any = None, run_id: Any = None) -> Any:
        """Delete memories, as mem0 does, and their links."""
        ids = self._spelling.ids({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        rows = self._writes.rows_of(ids)
        with twin_of(self._memory) as (twin, _):
            response = twin.delete_all(**ids)
        self._writes.deleted(rows)
        return response

    def reset(self) -> Any:
        """Delete everything, as mem0 does, and all links of its collection."""
        response = self._memory.reset()
        self._writes.reset()
        return response

    def link_pending(self, *, progress: Progress | None = None, retry_failed: bool = False) -> LinkingReport:
        """Link what was written and is not linked yet, of all users; see `Cable.link_pending`."""
        return self._cable.link_pending(progress=progress, retry_failed=retry_failed)

    def backfill(self, *, progress: Progress | None = None, **options: Any) -> LinkingReport:
        """Link the memories that mem0 held before it was wrapped, the oldest first.

        Links that were made where the store was before it moved are taken over first: where the link store knows the
        same ids with the same texts, in a collection of the same name.

        Args:
            progress: Called as `progress(done, total)`.
            options: Whose, as for `get_all`: `user_id="u1"`, or `filters={"user_id": "u1", ...}`.

        Raises:
            ScopeError: They name nobody.
        """
        return self._backfill(options, progress)

    def reverify(self, *, every: bool = False, progress: Progress | None = None, **ids: Any) -> ReverifyReport:
        """Verify links again whose memories were changed, and forget those whose memories are gone.

        Args:
            every: Whether current links are verified again, too.
            progress: Called with the number of links.
            ids: Whose, as `user_id="u1"`; none: of all users.
        """
        scope = self.scope(**ids) if ids else None
        return self._cable.reverify(scope=scope, every=every, progress=progress)

    @override
    def close(self) -> None:
        """Stop linking, what waits stays pending; then close mem0."""
        self._cable.close()
        self._memory.close()

    def _search(self, query: str, replace: int | None, options: dict[str, Any]) -> Reading:
        asked = self._spelling.query(self._memory.search, options)
        with twin_of(self._memory) as (twin, recorder):
            response = twin.search(query, **asked.options)
        return self._reads.expanded(query, response, asked, recorder, replace)
