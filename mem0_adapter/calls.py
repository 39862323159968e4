"""mem0's calls as the installed version spells them: `top_k` and ids in `filters` (2.x), or `limit` and ids (1.x)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mem0_adapter.scopes import IDS
from memory_evidence.errors import ConfigError

__all__ = ["Query", "Spelling", "check_memory"]

_COUNTS = ("top_k", "limit")


@dataclass(frozen=True, slots=True)
class Query:
    """One search or listing: how mem0 takes it, and what each result must satisfy."""

    options: Mapping[str, Any]
    """Keywords for the host's method."""
    filters: Mapping[str, Any]
    """Ids and metadata filters in one, as mem0 2.x takes them."""
    show_expired: bool


@dataclass(frozen=True, slots=True)
class Spelling:
    """Which keywords a mem0 memory takes."""

    modern: bool
    """2.x: `top_k`, ids inside `filters`. Otherwise 1.x: `limit`, ids as keywords of their own."""

    @classmethod
    def of(cls, memory: Any) -> Spelling:
        """Return the spelling of a mem0 `Memory` or `AsyncMemory`, seen from its `search`."""
        return cls("top_k" in inspect.signature(memory.search).parameters)

    def ids(self, options: Mapping[str, Any]) -> dict[str, str]:
        """Return those of mem0's ids that are given, as mem0 stores them: as text, in 2.x without outer spaces."""
        given = {key: str(options[key]) for key in IDS if options.get(key) is not None}
        return {key: value.strip() for key, value in given.items()} if self.modern else given

    def with_ids(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of a write with its ids as text: 1.x would keep an int and then not find it again."""
        return {**options, **self.ids(options)}

    def query(self, method: Callable[..., Any], options: Mapping[str, Any]) -> Query:
        """Return a search or listing, whichever version's keywords it is asked for in.

        Args:
            method: The host's method.
            options: The caller's keywords, `limit` or `top_k`, ids as keywords or in `filters`.

        Raises:
            ConfigError: A keyword is unknown to the host's method, or two of them contradict each other.
        """
        rest = {key: value for key, value in options.items() if key not in (*_COUNTS, *IDS, "filters")}
        self._refuse_unknown(method, rest)
        counts = {key: options[key] for key in _COUNTS if key in options}
        if len(counts) > 1:
            raise ConfigError("limit", counts, "given once, as `limit` or as `top_k`")
        filters = options.get("filters") or {}
        if not isinstance(filters, Mapping):
            raise ConfigError("filters", filters, 'a dict such as {"user_id": "u1"}')
        ids = self.ids(options)
        inside = {key: value for key, value in filters.items() if key in IDS and not isinstance(value, (dict, list))}
        for key, value in self.ids(inside).items():
            if ids.setdefault(key, value) != value:
                raise ConfigError(key, (ids[key], value), "the same as a keyword and in `filters`")
        others = {key: value for key, value in filters.items() if key not in ids}
        for value in counts.values():
            rest["top_k" if self.modern else "limit"] = value
        if self.modern:
            rest["filters"] = {**others, **ids}
        else:
            rest.update(ids, **({"filters": others} if others else {}))
        return Query(rest, {**others, **ids}, bool(rest.get("show_expired", False)))

    def _refuse_unknown(self, method: Callable[..., Any], options: Mapping[str, Any]) -> None:
        # mem0 2.x swallows any keyword, so that a misspelt one would be ignored in silence.
        parameters = inspect.signature(method).parameters.values()
        known = {one.name for one in parameters if one.kind is not inspect.Parameter.VAR_KEYWORD} - {"query"}
        unknown = sorted(options.keys() - known)
        if unknown:
            allowed = ", ".join(sorted({*known, *_COUNTS, *IDS, "filters"}))
            raise ConfigError(f"{method.__name__}(...)", unknown, f"called with keywords out of: {allowed}")


def check_memory(memory: Any, *, asynchronous: bool) -> None:
    """Check that `memory` is a mem0 memory whose vectors are within reach.

    Raises:
        ConfigError: It is something else, such as a client of mem0's platform, or of the other kind.
    """
    parts = ("search", "add", "get", "vector_store", "embedding_model", "collection_name")
    if not all(hasattr(memory, part) for part in parts):
        raise ConfigError("memory", type(memory).__name__, "a mem0 Memory or AsyncMemory, no client of its platform")
    if inspect.iscoroutinefunction(memory.search) is not asynchronous:
        mine, other = ("AsyncMemory", "CableMemory") if asynchronous else ("Memory", "AsyncCableMemory")
        raise ConfigError("memory", type(memory).__name__, f"a mem0 {mine}; for the other kind there is {other}")
