"""When waiting memories are linked: at once, by a thread, by a task of the event loop, or when told to."""

from __future__ import annotations

import asyncio
import atexit
import logging
import threading
import weakref
from collections.abc import Callable

logger = logging.getLogger(__name__)

PAUSE_S = 30.0
"""How long a thread pauses after a round that failed, in seconds; twice as long after each further one."""

_LONGEST_PAUSE_S = 600.0
_EXIT_S = 2.0

Work = Callable[[threading.Event], float | None]
"""Links what waits until the event is set; returns in how many seconds to look again, None: when something is written.

Whatever it raises counts as a failed round.
"""


class BackgroundThread:
    """Calls `work` whenever it is woken, in one daemon thread that starts with the first call.

    Ends with the object that `work` is a method of, and when the program ends; what waits then stays pending.
    """

    def __init__(self, work: Work) -> None:
        self._work = weakref.WeakMethod(work)
        self._stop, self._awake = threading.Event(), threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        weakref.finalize(self._owner(work), self._end)

    @staticmethod
    def _owner(work: Work) -> object:
        return work.__self__  # type: ignore[attr-defined]  # a bound method, as WeakMethod has checked

    def wake(self) -> None:
        """Have waiting memories linked soon."""
        self.begin()
        self._awake.set()

    def begin(self) -> None:
        """Have the memories linked that wait now, if this is the first call."""
        with self._lock:
            if self._thread is None and not self._stop.is_set():
                self._thread = threading.Thread(target=self._run, name="memory-evidence-linking", daemon=True)
                self._thread.start()
                _threads.add(self)

    def stop(self, timeout_s: float | None = None) -> None:
        """End after the memory that is being linked."""
        self._end()
        with self._lock:
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout_s)

    def _end(self) -> None:
        self._stop.set()
        self._awake.set()

    def _run(self) -> None:
        failed = 0
        while not self._stop.is_set():
            self._awake.clear()
            work = self._work()
            if work is None:
                return
            try:
                wait_s = work(self._stop)
                failed = 0
            except Exception as error:  # noqa: BLE001 - whatever it was, memories written later must be linked
                failed += 1
                pause_s = min(PAUSE_S * 2 ** (failed - 1), _LONGEST_PAUSE_S)
                if not self._stop.is_set():
                    logger.warning("linking pauses for %.0f s: %s", pause_s, error)
                # Not woken by writes: a model that is down would be asked for each of them.
                self._stop.wait(pause_s)
                continue
            finally:
                del work
            self._awake.wait(wait_s)


class LoopTask:
    """Calls `work` in a thread, awaited by one task of the running event loop."""

    def __init__(self, work: Work) -> None:
        # Weak, or the object would be its own reason to stay, together with the thread of `BackgroundThread`.
        self._work = weakref.WeakMethod(work)
        self._stop = threading.Event()
        self._closed = False
        self._warned = False
        self._again = False
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Have waiting memories linked soon; call it on the event loop."""
        self._again = True
        loop = asyncio.get_running_loop()
        if self._task is None or self._task.done() or self._task.get_loop() is not loop:
            self._task = loop.create_task(self._run())

    async def finish(self) -> None:
        """Wait until nothing more is to be linked."""
        if self._task is not None and self._task.get_loop() is asyncio.get_running_loop():
            await asyncio.wait([self._task])

    def stop(self) -> None:
        """End after the memory that is being linked."""
        self._closed = True
        self._stop.set()

    async def _run(self) -> None:
        while self._again and not self._closed and (work := self._work()) is not None:
            self._again = False
            # One for each round: the thread of a cancelled task ends, and later tasks go on.
            self._stop = threading.Event()
            try:
                await asyncio.to_thread(work, self._stop)
            except asyncio.CancelledError:
                self._stop.set()
                # So it goes with one `asyncio.run` a call: nothing would ever be linked, and nobody would know.
                if not self._warned and not self._closed:
                    logger.warning("linking ended with its event loop; what waits needs a loop that goes on")
                self._warned = True
                raise
            except Exception as error:  # noqa: BLE001 - a task's error would be lost, and the next write tries again
                logger.warning("linking waits for the next write: %s", error)


_threads: weakref.WeakSet[BackgroundThread] = weakref.WeakSet()


def _stop_all() -> None:
    """Give claims back before the program ends; whoever opens the store next need not wait for them to expire."""
    for thread in list(_threads):
        thread.stop(_EXIT_S)


atexit.register(_stop_all)
