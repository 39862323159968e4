"""What `Cable` does, in calls that return when it is done: links are made, read, verified again and forgotten."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace as with_changes
from typing import TYPE_CHECKING, Never

from typing_extensions import override

from memory_evidence.cable.backfill import note_all
from memory_evidence.cable.construct import LinkOptions
from memory_evidence.cable.evidence import Expansion
from memory_evidence.cable.expand import ExpandOptions
from memory_evidence.cable.guard import GuardedHost
from memory_evidence.cable.host import Hit, Memory, MemoryHost
from memory_evidence.cable.reading import read_expansion, unexpanded
from memory_evidence.cable.reports import LinkingReport, ReverifyReport, Stats
from memory_evidence.cable.schedule import Schedule
from memory_evidence.cable.settings import (
    LinkingMode,
    OnError,
    check_known,
    check_replace,
    check_settings,
)
from memory_evidence.cable.store_access import StoreAccess
from memory_evidence.closing import Closing
from memory_evidence.errors import HostError, StoreError
from memory_evidence.forks import renew_after_fork
from memory_evidence.models import ChatModel, UsageMeter
from memory_evidence.progress import Progress
from memory_evidence.records import Scope, check_scope

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore
    from memory_evidence.cable.rounds import Rounds

__all__ = ["BlockingCable"]

logger = logging.getLogger(__name__)

_KEPT = "links of deleted memories stay; they are not shown"


class BlockingCable(Closing):
    """`Cable` without its async twins."""

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
        **unknown: Never,
    ) -> None:
        """Link the memories that `open_host` gives access to.

        Args:
            open_host: Returns the host's memories of a scope; raises `ScopeError` for a scope of another host, whose
                links are in the same store. Called from other threads, too.
            store: A URL as for `open_links`, or what it returned.
            model: Judges candidates; None: the rules do, if they may.
            linking: When written memories are linked. "background": by a thread, which also takes up what an earlier
                process left; "inline": before `written` returns; "asyncio": by a task, after `awritten`; "deferred": by
                `link_pending` alone.
            replace: Most entries of the host that give up their place in one result, >= 0; None: as in
                `expand_options`.
            rules: Whether a deterministic verifier links where there is no model; False: memories wait for one.
            on_error: Whether a failing store or host raises. "skip": the host's own answer stands, after one logged
                warning, and an expansion has the reason in `warning`.
            concurrency: Model calls at a time, >= 1.
            link_options: Bounds of link construction.
            expand_options: How linked memories are scored and admitted.
            unknown: There is no other setting.

        Raises:
            ConfigError: An argument is wrong.
            StoreError: The store cannot be opened, and `on_error` is "raise".
        """
        check_known(unknown)
        check_settings(open_host, model, linking, on_error, concurrency)
        options = expand_options or ExpandOptions()
        check_replace(options.replace if replace is None else replace)
        self._options = options if replace is None else with_changes(options, replace=replace)
        self._open_host, self._model, self._rules = open_host, model, rules
        self._link_options, self._concurrency = link_options or LinkOptions(), concurrency
        self._on_error = on_error
        self._usage = UsageMeter()
        self._access = StoreAccess(store, on_error)
        self._start(linking)
        with self._access.going_on("links are off"):
            self.links  # noqa: B018 - opened now, so that a wrong URL is no surprise later
        _load_linking()
        renew_after_fork(self)

    @property
    def links(self) -> LinkStore:
        """The links, to look at, add, export or drop.

        Raises:
            StoreError: The store cannot be opened.
        """
        return self._access.links

    def written(self, scope: Scope, memories: Sequence[Memory]) -> None:
        """Note that the host stored or changed `memories`, in this order; call it after the host has.

        Raises:
            StoreError: They could not be noted, and `on_error` is "raise"; `backfill` finds them later.
        """
        if self._note(scope, memories):
            self._schedule.noted()
            if self._schedule.mode == "inline":
                with self._access.going_on("memories stay pending"):
                    self._rounds().written(scope, [memory.id for memory in memories])

    def written_ids(self, host: MemoryHost, ids: Sequence[str]) -> None:
        """`written`, for memories that are read back from the host first.

        Raises:
            HostError: They could not be read back, and `on_error` is "raise".
            StoreError: As for `written`.
        """
        guarded = GuardedHost(host)
        found: list[Memory] = []
        with self._access.going_on("written memories are not linked"):
            found += guarded.get(ids).values()
        self.written(guarded.scope, found)

    def deleted(self, scope: Scope, ids: Sequence[str]) -> None:
        """Note that the host deleted memories: their links go."""
        with self._access.going_on(_KEPT), self._access.using("write") as links:
            links.drop(scope, ids)

    def cleared(self, scope: Scope) -> None:
        """Note that the host deleted everything of `scope`."""
        with self._access.going_on(_KEPT), self._access.using("write") as links:
            links.clear(scope)

    def reset(self) -> None:
        """Note that the host deleted everything it had, in all scopes."""
        with self._access.going_on(_KEPT), self._access.using("write") as links:
            for scope, _ in self._rounds().hosts(links.scopes()):
                links.clear(scope)

    def expand(
        self,
        host: MemoryHost,
        query: str,
        hits: Sequence[Hit],
        *,
        limit: int,
        replace: int | None = None,
        seeds: Sequence[Hit] = (),
    ) -> Expansion:
        """Exchange the last of `hits` for better memories that are linked to the others; never calls a model.

        Args:
            host: Where `hits` were found; what it does not show is not added.
            query: What was searched for.
            hits: The host's result, best first.
            limit: Entries allowed.
            replace: As for `Cable`, for this call.
            seeds: Further memories whose links are followed, and which are no entries themselves.

        Raises:
            ConfigError: `replace` is no whole number of at least 0.
            HostError: The host failed, and `on_error` is "raise".
            StoreError: Likewise for the store.
        """
        if replace is not None:
            check_replace(replace)
        started = time.perf_counter()
        limit = max(limit, 0)
        options = self._options if replace is None else with_changes(self._options, replace=replace)
        try:
            with self._access.using("read") as links:
                result = read_expansion(
                    links, GuardedHost(host), query, hits, limit=limit, options=options, seeds=seeds
                )
        except (StoreError, HostError) as error:
            if self._on_error == "raise":
                raise
            logger.warning("the host's plain result is returned: %s", error)
            result = unexpanded(hits, limit, str(error))
        self._schedule.read()
        return with_changes(result, query=query, elapsed_ms=(time.perf_counter() - started) * 1_000)

    def link_pending(
        self, *, scope: Scope | None = None, retry_failed: bool = False, progress: Progress | None = None
    ) -> LinkingReport:
        """Link every memory that waits; what is done stays done, however this ends.

        Args:
            scope: Only of this scope; None: of all scopes of this host.
            retry_failed: Whether memories that were given up are tried again, too.
            progress: Called after each memory.

        Raises:
            StoreError: The store failed.
        """
        rounds = self._rounds()
        scopes = self.links.scopes(pending=not retry_failed) if scope is None else [check_scope(scope)]
        return rounds.everything(scopes, retry_failed, progress)

    def backfill(self, host: MemoryHost, *, progress: Progress | None = None) -> LinkingReport:
        """Link every memory that `host` holds and that is not known, the oldest first, and those that were changed.

        Raises:
            HostError: The host failed while its memories were listed.
            StoreError: The store failed.
        """
        guarded = GuardedHost(host)
        note_all(self.links, guarded)
        return self.link_pending(scope=guarded.scope, progress=progress)

    def reverify(
        self, *, scope: Scope | None = None, every: bool = False, progress: Progress | None = None
    ) -> ReverifyReport:
        """Verify links again whose memories were changed, and delete those that do not hold or lead to nothing.

        Args:
            scope: Only of this scope; None: of all scopes of this host.
            every: Whether current links are verified again, too.
            progress: Called with the number of links.

        Raises:
            StoreError: The store failed.
        """
        return self._rounds().again(self._scopes(scope), every, progress)

    def stats(self, scope: Scope | None = None) -> Stats:
        """Return how many memories and links there are, of one scope or of all scopes of this host."""
        scopes = [one for one, _ in self._rounds().hosts(self._scopes(scope))]
        counts = [self.links.counts(one) for one in scopes]
        return Stats(
            sum(count.known for count in counts),
            sum(count.pending for count in counts),
            sum(count.failed for count in counts),
            sum(map(self.links.count, scopes)),
            self._usage.stages,
        )

    @override
    def close(self) -> None:
        """End linking after the memory at hand, and release the store if it was given as a URL.

        What waits stays pending; the next object that opens the store takes it up.
        """
        self._schedule.close()
        self._access.close()

    def after_fork(self) -> None:
        """Make locks and threads anew in a forked child."""
        self._access.renew()
        self._start(self._schedule.mode)

    def _start(self, linking: LinkingMode) -> None:
        self._schedule = Schedule(linking, self._link_due)

    def _rounds(self) -> Rounds:
        from memory_evidence.cable.linking import Linker  # deferred, as the store is, but not beyond `__init__`
        from memory_evidence.cable.rounds import Rounds

        linker = Linker(self.links, self._model, self._rules, self._link_options, self._concurrency)
        return Rounds(linker, self._open_host, self._usage, self._schedule.stop)

    def _link_due(self, stop: threading.Event) -> float | None:
        return self._rounds().due(stop)

    def _note(self, scope: Scope, memories: Sequence[Memory]) -> bool:
        with self._access.going_on("written memories are not linked"):
            if not memories:
                return False
            with self._access.using("write") as links:
                return links.enqueue(scope, memories) > 0
        return False

    def _scopes(self, scope: Scope | None) -> list[Scope]:
        return self.links.scopes() if scope is None else [check_scope(scope)]


def _load_linking() -> None:
    """Import what linking needs, before any thread does: what one imports while the process forks stays locked."""
    import memory_evidence.cable.rounds  # noqa: F401 - what it imports in turn is all but the grammar
    from memory_evidence.cable.stated import load

    load()
