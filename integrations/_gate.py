"""A limit on simultaneous calls that threads and any number of event loops share."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager


class Gate:
    """Lets at most `limit` callers in at a time, first come first served.

    An `asyncio.Semaphore` belongs to one event loop and a `threading.Semaphore` would block it; here every waiter holds
    a future of its own, which a thread waits for and a coroutine awaits.
    """

    def __init__(self, limit: int) -> None:
        self._free = limit
        self._lock = threading.Lock()
        self._waiting: deque[Future[None]] = deque()

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Wait in this thread, then hold a place."""
        place = self._take()
        try:
            place.result()
        except BaseException:  # an interrupt while waiting
            self._give_up(place)
            raise
        try:
            yield
        finally:
            self._leave()

    @asynccontextmanager
    async def aentered(self) -> AsyncIterator[None]:
        """Wait without blocking the event loop, then hold a place."""
        place = self._take()
        try:
            await asyncio.wrap_future(place)
        except BaseException:  # cancelled while waiting
            self._give_up(place)
            raise
        try:
            yield
        finally:
            self._leave()

    def _take(self) -> Future[None]:
        place: Future[None] = Future()
        with self._lock:
            if self._free > 0:
                self._free -= 1
                place.set_result(None)
            else:
                self._waiting.append(place)
        return place

    def _give_up(self, place: Future[None]) -> None:
        # False from cancel(): the place was given in the meantime, so the next in line gets it. A cancelled
        # `wrap_future` has cancelled the place already; then `_leave` passes over it.
        if not place.cancel():
            self._leave()

    def _leave(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._free += 1
                    return
                place = self._waiting.popleft()
            if place.set_running_or_notify_cancel():
                place.set_result(None)
                return
