"""When the memories of one `Cable` are linked, in each of the modes of linking."""

from __future__ import annotations

import asyncio
import logging
import threading

from memory_evidence.cable.pending import BackgroundThread, LoopTask, Work
from memory_evidence.cable.settings import LinkingMode

__all__ = ["Schedule"]

logger = logging.getLogger(__name__)


class Schedule:
    """Calls `work`, a method that links what waits, where the mode of linking has it called.

    Held by the object that `work` is a method of, and holds that object weakly.
    """

    def __init__(self, mode: LinkingMode, work: Work) -> None:
        self.mode = mode
        self.stop = threading.Event()
        """Set once linking is to end, however it was started."""
        self.thread, self.task = BackgroundThread(work), LoopTask(work)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._warned = False
        self.see_loop()

    def see_loop(self) -> bool:
        """Remember the event loop that runs here, if any: what is written from its threads is linked on it."""
        try:
            self._loop = asyncio.get_running_loop()
        except RuntimeError:
            return False
        return True

    def noted(self) -> None:
        """Have what was written and noted linked soon, where that is not left to a call."""
        if self.mode == "background":
            self.thread.wake()
        elif self.mode == "asyncio":
            self._link_on_loop()

    def read(self) -> None:
        """Have what an earlier process left linked, once."""
        if self.mode == "background":
            self.thread.begin()

    def close(self) -> None:
        """End linking after the memory at hand."""
        self.task.stop()
        self.stop.set()
        self.thread.stop()

    def _link_on_loop(self) -> None:
        if self.see_loop():
            self.task.start()
            return
        try:
            if self._loop is not None and self._loop.is_running():
                self._loop.call_soon_threadsafe(self.task.start)
                return
        except RuntimeError:
            pass  # the loop was closed just now
        if not self._warned:
            self._warned = True
            logger.warning(
                "what is written without an event loop waits for link_pending: linking='asyncio' links on a loop alone"
            )
