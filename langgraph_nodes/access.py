"""Calls on a memory from inside a graph: off the event loop, within a time, and with errors raised or skipped."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Literal, TypeVar

from langchain_core.runnables.config import set_config_context

from langgraph_nodes.scopes import Call, MemorySource, ScopeSpec
from memory_evidence.cmc import ContractMemory, Evidence, MemoryPool, Receipt
from memory_evidence.errors import ConfigError, HostError, MemoryEvidenceError, ModelError, StoreError
from memory_evidence.records import Draft

logger = logging.getLogger(__name__)

OnError = Literal["raise", "skip"]
"""What a failing store, model or host does: raise, or let the turn go on without memory after one warning."""
T = TypeVar("T")
_SKIPPED = (StoreError, ModelError, HostError)


class MemoryAccess:
    """Reads and writes the memory that a call means.

    What the caller got wrong (`ConfigError`, `ScopeError`, `InputError`) is always raised: a turn whose user is unknown
    must not go on as if it had no memory.
    """

    def __init__(
        self,
        memory: ContractMemory | MemoryPool | None,
        scope: ScopeSpec | None,
        on_error: OnError,
        timeout_s: float | None,
    ) -> None:
        """Take the settings that nodes, middleware and tools share; see `ContractMemoryNode` for each."""
        if on_error not in ("raise", "skip"):
            raise ConfigError("on_error", on_error, '"raise" or "skip"')
        if timeout_s is not None and not (isinstance(timeout_s, (int, float)) and timeout_s > 0):
            raise ConfigError("timeout_s", timeout_s, "None or a number of seconds above 0")
        self._source = MemorySource(memory, scope)
        self._on_error, self._timeout_s = on_error, timeout_s

    def exchange(self, call: Call, drafts: Sequence[Draft], question: str | None) -> Evidence:
        """Store what was said, then read the evidence for the question; no question reads nothing."""
        return self.run(call, _exchange(drafts, question), _no_evidence(question))

    async def aexchange(self, call: Call, drafts: Sequence[Draft], question: str | None) -> Evidence:
        """`exchange` without blocking the event loop."""
        return await self.arun(call, _exchange(drafts, question), _no_evidence(question))

    def run(self, call: Call, work: Callable[[ContractMemory], T], failed: Callable[[str], T]) -> T:
        """Return what `work` makes of the memory; where an error is skipped, what `failed` makes of its message."""
        task = self._task(call, work)
        try:
            if self._timeout_s is None:
                return task()
            future = _start(task)
            try:
                return future.result(self._timeout_s)
            except TimeoutError as exc:
                raise _too_late(self._timeout_s) from exc
        except _SKIPPED as error:
            return self._skip(error, failed)

    async def arun(self, call: Call, work: Callable[[ContractMemory], T], failed: Callable[[str], T]) -> T:
        """`run` without blocking the event loop."""
        task = self._task(call, work)
        try:
            if self._timeout_s is None:
                return await asyncio.to_thread(task)
            try:
                return await asyncio.wait_for(asyncio.wrap_future(_start(task)), self._timeout_s)
            except TimeoutError as exc:
                raise _too_late(self._timeout_s) from exc
        except _SKIPPED as error:
            return self._skip(error, failed)

    def _task(self, call: Call, work: Callable[[ContractMemory], T]) -> Callable[[], T]:
        memory = self._source.locate(call)

        def task() -> T:
            try:
                # Without the graph's callbacks: what a frontend's model says is not streamed as the agent's answer.
                with set_config_context({}) as context:
                    return context.run(lambda: work(memory()))
            except MemoryEvidenceError:
                raise
            except Exception as exc:
                raise HostError("memory", f"{type(exc).__name__}: {exc}") from exc

        return task

    def _skip(self, error: MemoryEvidenceError, failed: Callable[[str], T]) -> T:
        if self._on_error == "raise":
            raise error
        logger.warning("this turn goes on without memory: %s", error)
        return failed(str(error))


def _exchange(drafts: Sequence[Draft], question: str | None) -> Callable[[ContractMemory], Evidence]:
    def work(memory: ContractMemory) -> Evidence:
        if drafts:
            memory.add(drafts)
        return memory.read(question) if question else Evidence("", "", (), ())

    return work


def _no_evidence(question: str | None) -> Callable[[str], Evidence]:
    return lambda reason: Evidence(question or "", "", (), (), Receipt(error=reason))


def _start(task: Callable[[], T]) -> Future[T]:
    """Run in a thread of its own, which neither holds up the end of the program nor uses up a pool when it hangs."""
    future: Future[T] = Future()

    def target() -> None:
        future.set_running_or_notify_cancel()
        try:
            result = task()
        except BaseException as exc:  # noqa: BLE001 - raised in the thread that waits
            future.set_exception(exc)
        else:
            future.set_result(result)

    threading.Thread(target=target, name="memory-evidence", daemon=True).start()
    return future


def _too_late(timeout_s: float) -> HostError:
    return HostError("memory", f"no answer within {timeout_s:g} s")
