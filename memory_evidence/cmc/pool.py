"""One memory a scope over one shared log, for services that answer many users."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

from typing_extensions import override

from memory_evidence.closing import Closing
from memory_evidence.cmc.memory import ContractMemory
from memory_evidence.errors import ConfigError
from memory_evidence.forks import renew_after_fork
from memory_evidence.records import Scope, check_scope
from memory_evidence.store import open_log
from memory_evidence.store.log import Log


class MemoryPool(Closing):
    """Opens the memory of a scope at its first use and keeps the most recently used ones.

    An evicted memory loses nothing: its index is rebuilt from the log when the scope comes back.
    """

    def __init__(
        self,
        store: str | Log = "sqlite:///memory.db",
        *,
        open_memory: Callable[[Scope, Log], ContractMemory] | None = None,
        capacity: int = 256,
    ) -> None:
        """Share `store` between memories.

        Args:
            store: As for `ContractMemory`.
            open_memory: Makes the memory of a scope, where its options differ from the defaults:
                `lambda scope, log: ContractMemory(scope, store=log, hops=3)`.
            capacity: Most memories kept in RAM, >= 1.
        """
        if not isinstance(capacity, int) or capacity < 1:
            raise ConfigError("capacity", capacity, "a whole number of at least 1")
        self._owns_log = isinstance(store, str)
        self.log = open_log(store)
        self._open = open_memory or (lambda scope, log: ContractMemory(scope, store=log))
        self._capacity = capacity
        self._memories: OrderedDict[Scope, ContractMemory] = OrderedDict()
        self._lock = threading.Lock()
        renew_after_fork(self)

    def get(self, scope: Sequence[str]) -> ContractMemory:
        """Return the memory of exactly this scope.

        Raises:
            ScopeError: The scope is missing or malformed.
        """
        key = check_scope(scope)
        with self._lock:
            memory = self._memories.get(key)
            if memory is None:
                memory = self._open(key, self.log)
                if not isinstance(memory, ContractMemory) or memory.scope != key:
                    raise ConfigError("open_memory", memory, "a function that returns a ContractMemory of its scope")
                self._memories[key] = memory
            self._memories.move_to_end(key)
            if len(self._memories) > self._capacity:
                self._memories.popitem(last=False)
            return memory

    def after_fork(self) -> None:
        """Make the lock anew in a forked child."""
        self._lock = threading.Lock()

    @override
    def close(self) -> None:
        """Release the store, if this pool opened it."""
        if self._owns_log:
            self.log.close()
