"""Expands what a search of mem0 returned."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from mem0_adapter.calls import Query
from mem0_adapter.host import SearchHost
from mem0_adapter.relations import related
from mem0_adapter.results import hits_of, items_of
from mem0_adapter.rows import Rows
from mem0_adapter.scopes import scope_of
from mem0_adapter.twins import Recorder
from memory_evidence.cable.cable import Cable
from memory_evidence.cable.evidence import Expansion
from memory_evidence.cable.guard import GuardedHost
from memory_evidence.cable.reading import unexpanded
from memory_evidence.cable.settings import check_replace
from memory_evidence.errors import HostError, StoreError

__all__ = ["Reading", "Reads"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reading:
    """One search: mem0's result and what the links made of it."""

    response: Any
    expansion: Expansion
    scores: Mapping[str, float] = field(default_factory=dict)
    """Scores of the added memories on the scale of mem0's own."""


class Reads:
    """Expands search results. Every method may block."""

    def __init__(self, cable: Cable, rows: Rows, on_error: Literal["raise", "skip"]) -> None:
        self._cable, self._rows, self._on_error = cable, rows, on_error

    def expanded(self, query: str, response: Any, asked: Query, recorder: Recorder, most: int | None) -> Reading:
        """Return mem0's result with its expansion, which has as many entries.

        Args:
            query: The question.
            response: What mem0's `search` returned for it.
            asked: How it was asked: what comes over a link must satisfy the same filters.
            recorder: Has the vector of the question, if mem0 embedded it.
            most: Entries that may be replaced; None: as many as usual.

        Raises:
            ConfigError: `most` is no whole number of at least 0.
            HostError, StoreError: mem0 or the links cannot be read, and `on_error` is "raise".
        """
        if most is not None:
            check_replace(most)
        hits = hits_of(response, self._rows.similarities)
        plain = replace(unexpanded(hits, len(hits)), query=query)
        scopes = {scope_of(self._rows.collection, item) for item in items_of(response)}
        scope = scopes.pop() if len(scopes) == 1 else None
        if scope is None:  # nothing was found, or memories of several users, who share no links
            return Reading(response, plain)
        vector = recorder.vectors.get(query, recorder.vectors.get(query.strip()))
        known = {} if vector is None else {query: vector}
        least = asked.options.get("threshold")
        host = GuardedHost(
            SearchHost(
                self._rows,
                scope,
                filters=asked.filters,
                show_expired=asked.show_expired,
                known=known,
                least=None if least is None else (query, least),
            )
        )
        try:
            seeds = related(response, host, {hit.memory.id for hit in hits})
            expansion = self._cable.expand(host, query, hits, limit=len(hits), replace=most, seeds=seeds)
            if not expansion.added:
                return Reading(response, expansion)
            vectors, (asking,) = host.vectors([entry.memory.id for entry in expansion.added]), host.embed([query])
            return Reading(response, expansion, {i: self._rows.score(asking, v) for i, v in vectors.items()})
        except (HostError, StoreError) as error:
            return self.plain(Reading(response, plain), error)

    def plain(self, reading: Reading, error: Exception) -> Reading:
        """Return mem0's own result with a warning, after one in the log.

        Raises:
            HostError, StoreError: The error, where `on_error` is "raise".
        """
        if not isinstance(error, (HostError, StoreError)):
            cause, error = error, HostError("mem0.get", f"{type(error).__name__}: {error}")
            error.__cause__ = cause
        if self._on_error == "raise":
            raise error
        logger.warning("the result is mem0's own: %s", error)
        hits = hits_of(reading.response, self._rows.similarities)
        own = unexpanded(hits, len(hits), str(error))
        return Reading(reading.response, replace(own, query=reading.expansion.query))
