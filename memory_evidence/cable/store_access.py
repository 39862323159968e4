"""The link store of one `Cable`: opened when it is first needed, and left alone for a while when it costs a wait."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from memory_evidence.cable.links import open_links
from memory_evidence.cable.settings import OnError
from memory_evidence.errors import HostError, StoreError

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore

__all__ = ["REOPEN_S", "SLOW_S", "StoreAccess"]

logger = logging.getLogger(__name__)

REOPEN_S = 30.0
"""How long a store that could not be opened, or that kept a call waiting and failed, is left alone, in seconds."""

SLOW_S = 5.0
"""A call that failed after this long has waited for a lock or a server, and the next one would again, in seconds."""

Purpose = Literal["open", "read", "write"]


class StoreAccess:
    """Gives the links, and keeps in mind what failed. Safe to share between threads.

    Reading and writing rest apart, for a database that another process writes to can be read all the same.

    Args:
        store: A URL as for `open_links`, or what it returned, which is then not closed here.
        on_error: Whether calls raise; "skip": what failed is logged, and a store that kept a call waiting in vain is
            not waited for again until `REOPEN_S` have passed.
    """

    def __init__(self, store: str | LinkStore, on_error: OnError) -> None:
        self._store, self._on_error = store, on_error
        self._links: LinkStore | None = None
        self._failed: dict[Purpose, tuple[float, StoreError]] = {}
        self.renew()

    def renew(self) -> None:
        """Make the lock anew, as in a forked child."""
        self._lock = threading.RLock()

    @property
    def links(self) -> LinkStore:
        """The links.

        Raises:
            StoreError: The store cannot be opened.
        """
        with self._lock:
            if self._links is None:
                self._check("open")
                try:
                    self._links = open_links(self._store)
                except StoreError as error:
                    self._failed["open"] = time.monotonic(), error
                    raise
            return self._links

    @contextmanager
    def using(self, purpose: Literal["read", "write"]) -> Iterator[LinkStore]:
        """Give the links for one call.

        Raises:
            StoreError: The call raised it; or an earlier one did after a long wait, and what fails is skipped.
        """
        self._check(purpose)
        started = time.monotonic()
        try:
            yield self.links
        except StoreError as error:
            ended = time.monotonic()
            # Who is told of an error decides for himself whether to try again.
            if self._on_error == "skip" and ended - started >= SLOW_S:
                self._failed[purpose] = ended, error
            raise

    @contextmanager
    def going_on(self, what: str) -> Iterator[None]:
        """Log `what` fails inside, and why, where `on_error` is "skip".

        Raises:
            HostError: The host failed, and `on_error` is "raise".
            StoreError: Likewise for the store.
        """
        try:
            yield
        except (StoreError, HostError) as error:
            if self._on_error == "raise":
                raise
            logger.warning("%s: %s", what, error)

    def close(self) -> None:
        """Release the store if it was given as a URL."""
        with self._lock:
            if isinstance(self._store, str) and self._links is not None:
                self._links.close()

    def _check(self, purpose: Purpose) -> None:
        failed = self._failed.get(purpose)
        if failed is not None and time.monotonic() < failed[0] + REOPEN_S:
            raise failed[1].with_traceback(None)
