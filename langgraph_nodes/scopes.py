"""Whose memory a call means: scopes that are filled in at run time, and the memory that belongs to one."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langgraph.config import get_config
from langgraph.runtime import get_runtime
from langgraph.store.base import BaseStore

from langgraph_nodes.base_store_log import BaseStoreLog
from memory_evidence.cmc import ContractMemory, MemoryPool
from memory_evidence.errors import ConfigError, ScopeError
from memory_evidence.records import Scope, check_scope

ScopeSpec = Sequence[str] | Callable[[Any, Any], Sequence[str]]
"""A tuple such as ("mem", "{user_id}"), or a function of state and runtime that returns a scope.

`{name}` as a whole part is looked up in the runtime's context (mapping, dataclass or pydantic model) and in
`config["configurable"]`.
"""

_PLACEHOLDER = re.compile(r"\{([^\W\d]\w*)\}")


@dataclass(frozen=True, slots=True)
class Call:
    """What a scope and a store are taken from: one call of a node, hook or tool."""

    state: Any
    runtime: Any
    """A `Runtime` or `ToolRuntime`; None outside of a graph."""
    config: Mapping[str, Any]


def current_call(state: Any, *, runtime: Any = None, config: RunnableConfig | None = None) -> Call:
    """Return the call under way; what is not given is taken from the graph that runs."""
    if config is None:
        try:
            config = get_config()
        except RuntimeError:  # outside of a graph
            config = {}
    if runtime is None:
        try:
            runtime = get_runtime()
        except (RuntimeError, KeyError):
            runtime = None
    return Call(state, runtime, config)


def check_spec(spec: ScopeSpec) -> ScopeSpec:
    """Return a scope, or a template of one, that can be filled.

    Raises:
        ScopeError: It is malformed, or a part has braces that are not one whole placeholder: taken literally it would
            be one scope for everyone.
    """
    if callable(spec):
        return spec
    for part in check_scope(spec):
        if ("{" in part or "}" in part) and _PLACEHOLDER.fullmatch(part) is None:
            raise ScopeError(spec, f'"{{name}}" or plain text in each part, not {part!r} (use a function for braces)')
    return spec


def resolve_scope(spec: ScopeSpec, call: Call) -> Scope:
    """Return the scope of a call.

    Raises:
        ScopeError: A placeholder has no value, has one that cannot be part of a scope, or has two that differ.
    """
    if callable(spec):
        return check_scope(spec(call.state, call.runtime))
    parts = ((part, _PLACEHOLDER.fullmatch(part)) for part in spec)
    return check_scope([_value(match[1], call) if match else part for part, match in parts])


def _value(name: str, call: Call) -> str:
    context = getattr(call.runtime, "context", None)
    found = {
        "the runtime context": context.get(name) if isinstance(context, Mapping) else getattr(context, name, None),
        'config["configurable"]': (call.config.get("configurable") or {}).get(name),
    }
    values = {str(value): value for value in found.values() if value is not None}
    if not values:
        raise ScopeError(None, f"a value for {{{name}}}, which is neither in {' nor in '.join(found)}")
    if len(values) > 1:
        raise ScopeError(tuple(values), f"one value for {{{name}}}, which {' and '.join(found)} give differently")
    text, value = values.popitem()
    if isinstance(value, bool) or not isinstance(value, (str, int, UUID)) or not text.strip():
        raise ScopeError(value, f"a non-empty string, a number or a UUID for {{{name}}}")
    return text


class MemorySource:
    """Opens the memory that a call means."""

    def __init__(self, memory: ContractMemory | MemoryPool | None, scope: ScopeSpec | None) -> None:
        """Check how memory and scope go together.

        Args:
            memory: One memory, a pool that serves many scopes, or None for the store that the graph is compiled with.
            scope: Whose memory; None for a `ContractMemory`, which has its own.

        Raises:
            ScopeError: The scope is missing or malformed.
            ConfigError: `memory` is something else, or is one memory and there is a scope as well.
        """
        if not isinstance(memory, (ContractMemory, MemoryPool, type(None))):
            raise ConfigError("memory", memory, "a ContractMemory, a MemoryPool, or None for the graph's store")
        if isinstance(memory, ContractMemory):
            if scope is not None:
                raise ConfigError(
                    "scope", scope, "None, because a ContractMemory has its own (a MemoryPool serves many)"
                )
        elif scope is None:
            raise ScopeError(scope)
        self._memory = memory
        self._spec: ScopeSpec = () if scope is None else check_spec(scope)
        self._store: BaseStore | None = None
        self._pool: MemoryPool | None = None
        self._lock = threading.Lock()

    def locate(self, call: Call) -> Callable[[], ContractMemory]:
        """Return what opens the memory of a call; opening may read from the store.

        Raises:
            ScopeError: The scope cannot be filled.
            ConfigError: There is neither a memory nor a store.
        """
        if isinstance(self._memory, ContractMemory):
            memory = self._memory
            return lambda: memory
        scope = resolve_scope(self._spec, call)
        pool = self._memory or self._pool_over(getattr(call.runtime, "store", None))
        return lambda: pool.get(scope)

    def _pool_over(self, store: BaseStore | None) -> MemoryPool:
        if store is None:
            raise ConfigError("memory", None, "a ContractMemory or MemoryPool, or the graph compiled with a store")
        with self._lock:
            # A graph has one store; only where one node serves graphs with several are the memories opened anew.
            if self._pool is None or self._store is not store:
                self._store, self._pool = store, MemoryPool(BaseStoreLog(store))
            return self._pool
