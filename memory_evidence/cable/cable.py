"""`Cable`: links the memories of a host as they are written, and expands its results along those links."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace as with_changes
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, TypedDict

from memory_evidence.cable.construct import LinkOptions
from memory_evidence.cable.evidence import Entry, Expansion
from memory_evidence.cable.expand import ExpandOptions, expand
from memory_evidence.cable.guard import GuardedHost
from memory_evidence.cable.hits import distinct
from memory_evidence.cable.host import Hit, Memory, MemoryHost
from memory_evidence.cable.links import open_links, text_hash
from memory_evidence.cable.reports import LinkingReport, Stats
from memory_evidence.errors import ScopeError
from memory_evidence.models import ChatModel, UsageMeter
from memory_evidence.records import Scope, check_scope

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore

logger = logging.getLogger(__name__)

LinkingMode = Literal["background", "inline", "deferred", "asyncio"]
"""When written memories are linked: by a thread, before the write returns, when told to, or by a task of the loop."""

OnError = Literal["raise", "skip"]
"""What a failing store or host does: raise, or give the host's plain result, with a warning."""

Progress = Callable[[int, int], None]
"""Called as `progress(done, total)`."""

_SLICE = 500


class CableSettings(TypedDict, total=False):
    """The settings of `Cable` that wrappers of hosts hand on."""

    linking: LinkingMode
    rules: bool
    on_error: OnError
    concurrency: int
    link_options: LinkOptions
    expand_options: ExpandOptions


class Cable:
    """Antecedent links for the memories of one host, in any number of scopes.

    Safe to share between threads; any number of processes may share its store.
    """

    def __init__(
        self,
        open_host: Callable[[Scope], MemoryHost],
        *,
        store: str | LinkStore = "sqlite:///memory.db",
        model: ChatModel | None = None,
        linking: LinkingMode = "background",
        replace: int | None = None,
        rules: bool = True,
        on_error: OnError = "raise",
        concurrency: int = 4,
        link_options: LinkOptions | None = None,
        expand_options: ExpandOptions | None = None,
    ) -> None:
        """Link the memories that `open_host` gives access to.

        Args:
            open_host: Returns the host's memories of a scope; raises `ScopeError` for a scope of another host, whose
                links are in the same store. Called from other threads, too.
            store: A URL as for `open_links`, or what it returned.
            model: Judges candidates; None: the rules do, if they may.
            linking: When written memories are linked.
            replace: Most entries of the host that give up their place in one result; None: as in `expand_options`.
            rules: Whether a deterministic verifier links where there is no model; False: memories wait for one.
            on_error: Whether a failing store or host raises, or the host's plain result is returned with a warning.
            concurrency: Model calls at a time, >= 1.
            link_options: Bounds of link construction.
            expand_options: How linked memories are scored and admitted.

        Raises:
            ConfigError: An argument is wrong.
            StoreError: The store cannot be opened, and `on_error` is "raise".
        """
        self._open_host = open_host
        self._where = store
        self._model, self._rules, self._mode, self._on_error = model, rules, linking, on_error
        self._concurrency = concurrency
        self._link_options = link_options or LinkOptions()
        options = expand_options or ExpandOptions()
        self._options = options if replace is None else with_changes(options, replace=replace)
        self._meter = UsageMeter()
        self._lock = threading.Lock()
        self._links: LinkStore | None = None
        if on_error == "raise":
            self._links = open_links(store)

    @property
    def links(self) -> LinkStore:
        """The links, to look at, add, export or drop.

        Raises:
            StoreError: The store cannot be opened.
        """
        with self._lock:
            if self._links is None:
                self._links = open_links(self._where)
            return self._links

    def written(self, scope: Scope, memories: Sequence[Memory]) -> None:
        """Note that the host stored or changed `memories`, in this order; call it after the host has."""
        self.links.enqueue(scope, memories)
        if self._mode == "inline":
            self.link_pending(scope=scope)

    def deleted(self, scope: Scope, ids: Sequence[str]) -> None:
        """Note that the host deleted memories: their links go."""
        self.links.drop(scope, ids)

    def cleared(self, scope: Scope) -> None:
        """Note that the host deleted everything of `scope`."""
        self.links.clear(scope)

    def reset(self) -> None:
        """Note that the host deleted everything it had, in all scopes."""
        for scope in self.links.scopes():
            if self._host(scope) is not None:
                self.links.clear(scope)

    def expand(
        self, host: MemoryHost, query: str, hits: Sequence[Hit], *, limit: int, replace: int | None = None
    ) -> Expansion:
        """Exchange the last of `hits` for memories linked to the others; never calls a model."""
        started = time.perf_counter()
        result = self._expand(GuardedHost(host), query, hits, limit, replace)
        return with_changes(result, query=query, elapsed_ms=(time.perf_counter() - started) * 1_000)

    def _expand(self, host: GuardedHost, query: str, hits: Sequence[Hit], limit: int, replace: int | None) -> Expansion:
        found = distinct(hits)[: max(limit, 0)]
        texts = {hit.memory.id: hit.memory for hit in found}
        links = self.links.around(host.scope, list(texts))
        options = self._options if replace is None else with_changes(self._options, replace=max(replace, 0))
        far = list(dict.fromkeys(i for link in links for i in (link.prior, link.new) if i not in texts))
        memories = host.get(far)
        hashes = {i: text_hash(memory.text) for i, memory in {**memories, **texts}.items()}
        links = [x for x in links if hashes.get(x.prior) == x.prior_hash and hashes.get(x.new) == x.new_hash]
        if not links or not query.strip():
            return Expansion(tuple(Entry(hit.memory, "host", hit.score) for hit in found), limit)
        return expand(
            found,
            links,
            query_vector=host.embed([query])[0],
            vectors=host.vectors([*texts, *memories]),
            memories=memories,
            limit=max(limit, 0),
            options=options,
        )

    def link_pending(
        self, *, scope: Scope | None = None, retry_failed: bool = False, progress: Progress | None = None
    ) -> LinkingReport:
        """Link every memory that waits, of one scope or of all scopes of this host; durable memory by memory."""
        from memory_evidence.cable.linking import Linker, Tally

        linker = Linker(self.links, self._model, self._rules, self._link_options, self._concurrency)
        tally = Tally()
        scopes = self.links.scopes(pending=True) if scope is None else [check_scope(scope)]
        for one in scopes:
            host = self._host(one)
            if host is not None:
                if retry_failed:
                    self.links.retry(one)
                if linker.can_link:
                    linker.link(one, host, tally, patient=False)
        return tally.report(sum(self.links.counts(one).pending for one in scopes))

    def backfill(self, host: MemoryHost, *, progress: Progress | None = None) -> LinkingReport:
        """Link every memory of the host's scope that is not known yet, the oldest first."""
        guarded = GuardedHost(host)
        memories = guarded.memories()
        while part := list(islice(memories, _SLICE)):
            self.links.enqueue(guarded.scope, part)
        return self.link_pending(scope=guarded.scope, progress=progress)

    def stats(self, scope: Scope | None = None) -> Stats:
        """Return how many memories and links there are, of one scope or of all scopes of this host."""
        scopes = self.links.scopes() if scope is None else [check_scope(scope)]
        counts = [self.links.counts(one) for one in scopes]
        return Stats(
            sum(map(sum, counts)),
            sum(count.pending for count in counts),
            sum(count.failed for count in counts),
            sum(map(self.links.count, scopes)),
            self._meter.stages,
        )

    def close(self) -> None:
        """Release the store, if this object opened it; what waits stays pending."""
        if isinstance(self._where, str) and self._links is not None:
            self._links.close()

    def _host(self, scope: Scope) -> GuardedHost | None:
        try:
            return GuardedHost(self._open_host(scope))
        except ScopeError:
            return None

    async def awritten(self, scope: Scope, memories: Sequence[Memory]) -> None:
        """`written` without blocking the event loop."""
        await asyncio.to_thread(self.written, scope, memories)

    async def aexpand(
        self, host: MemoryHost, query: str, hits: Sequence[Hit], *, limit: int, replace: int | None = None
    ) -> Expansion:
        """`expand` without blocking the event loop."""
        return await asyncio.to_thread(self.expand, host, query, hits, limit=limit, replace=replace)

    async def alink_pending(
        self, *, scope: Scope | None = None, retry_failed: bool = False, progress: Progress | None = None
    ) -> LinkingReport:
        """`link_pending` without blocking the event loop."""
        return await asyncio.to_thread(self.link_pending, scope=scope, retry_failed=retry_failed, progress=progress)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
