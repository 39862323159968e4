"""What every wrapped host has beside the host's own methods."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from memory_evidence.cable.cable import Cable, OnError
from memory_evidence.cable.host import MemoryHost
from memory_evidence.cable.reports import LinkingReport, ReverifyReport, Stats
from memory_evidence.closing import Closing
from memory_evidence.errors import ConfigError, HostError
from memory_evidence.progress import Progress
from memory_evidence.records import Scope

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore

__all__ = ["CableWrapper", "check_unwrapped"]

logger = logging.getLogger(__name__)


def check_unwrapped(name: str, wrapped: object) -> None:
    """Raise `ConfigError` for a host that is extended already: two would exchange each other's entries."""
    if isinstance(wrapped, CableWrapper):
        raise ConfigError(name, type(wrapped).__name__, "the host itself; this one has links already")


class CableWrapper(Closing):
    """A host of one scope, extended by `Cable`: everything that a subclass does not define is the host's own."""

    def __init__(self, wrapped: Any, host: MemoryHost, cable: Cable, on_error: OnError) -> None:
        self._wrapped, self._host, self._cable, self._on_error = wrapped, host, cable, on_error

    @property
    def scope(self) -> Scope:
        """Whose links these are."""
        return self._host.scope

    @property
    def links(self) -> LinkStore:
        """The links, of this scope and of others in the same store."""
        return self._cable.links

    def link_pending(self, *, progress: Progress | None = None, retry_failed: bool = False) -> LinkingReport:
        """Link what was written and is not linked yet; see `Cable.link_pending`."""
        return self._cable.link_pending(scope=self.scope, progress=progress, retry_failed=retry_failed)

    async def alink_pending(self, *, progress: Progress | None = None, retry_failed: bool = False) -> LinkingReport:
        """`link_pending` in a thread."""
        return await asyncio.to_thread(self.link_pending, progress=progress, retry_failed=retry_failed)

    def backfill(self, *, progress: Progress | None = None) -> LinkingReport:
        """Link every memory that the host holds and that was not written through this wrapper, the oldest first."""
        return self._cable.backfill(self._host, progress=progress)

    async def abackfill(self, *, progress: Progress | None = None) -> LinkingReport:
        """`backfill` in a thread."""
        return await asyncio.to_thread(self.backfill, progress=progress)

    def reverify(self, *, every: bool = False, progress: Progress | None = None) -> ReverifyReport:
        """Verify links again whose memories were changed, and forget those whose memories are gone.

        Args:
            every: Whether current links are verified again, too.
            progress: Called with the number of links.
        """
        return self._cable.reverify(scope=self.scope, every=every, progress=progress)

    async def areverify(self, *, every: bool = False, progress: Progress | None = None) -> ReverifyReport:
        """`reverify` in a thread."""
        return await asyncio.to_thread(self.reverify, every=every, progress=progress)

    def stats(self) -> Stats:
        """Return how many memories and links this scope has, and what is pending."""
        return self._cable.stats(self.scope)

    async def astats(self) -> Stats:
        """`stats` in a thread."""
        return await asyncio.to_thread(self.stats)

    @override
    def close(self) -> None:
        """Stop linking; what is pending stays pending. The host stays open."""
        self._cable.close()

    async def aclose(self) -> None:
        """`close` in a thread, for linking may take a moment to stop."""
        await asyncio.to_thread(self.close)

    def _written(self, ids: Sequence[str]) -> None:
        """Note a write that the host acknowledged, as the host has it now: it may ignore ids, or rewrite texts."""
        self._cable.written_ids(self._host, ids)

    @contextmanager
    def _looking_up(self) -> Iterator[None]:
        """What the host raises inside is a `HostError`, or a warning where `on_error` is "skip".

        Raises:
            HostError: The host failed, and `on_error` is "raise".
        """
        try:
            yield
        except Exception as error:
            failure = HostError("reading of linked memories", f"{type(error).__name__}: {error}")
            if self._on_error == "raise":
                raise failure from error
            logger.warning("the host's plain result is returned: %s", failure)

    def __getattr__(self, name: str) -> Any:
        # A copy or an unpickled object asks before `__init__` has run.
        if name.startswith("__") or name == "_wrapped":
            raise AttributeError(name)
        return getattr(self._wrapped, name)
