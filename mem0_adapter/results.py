"""mem0's results: what an `add` changed, a search as the engine's hits, and the expanded result in mem0's shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_evidence.cable.evidence import Entry, Expansion, provenance
from memory_evidence.cable.host import Hit, Memory

__all__ = ["KEY", "Changes", "changes_of", "hits_of", "items_of", "merged"]

KEY = "cable"
"""The one key that is ours: on an entry that came over a link, or on the whole result where expanding failed."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What one `add` did, by id, in mem0's order."""

    written: tuple[str, ...]
    deleted: tuple[str, ...]


def changes_of(response: Any) -> Changes:
    """Return what an `add` changed: mem0 1.x also says "UPDATE", "DELETE", and "NONE" for what it left as it is."""
    state: dict[str, str] = {}
    for item in items_of(response):
        memory_id, event = item.get("id"), item.get("event", "ADD")
        if memory_id is not None and event in ("ADD", "UPDATE", "DELETE"):
            state.pop(str(memory_id), None)  # the last event counts, in its place
            state[str(memory_id)] = event
    return Changes(
        tuple(i for i, event in state.items() if event != "DELETE"),
        tuple(i for i, event in state.items() if event == "DELETE"),
    )


def hits_of(response: Any, similarities: Callable[[Sequence[float | None]], list[float | None]]) -> list[Hit]:
    """Return a search's results as hits, in mem0's order.

    Args:
        response: What mem0's search returned.
        similarities: Turns mem0's scores into such that higher is better.
    """
    items = items_of(response)
    scores = similarities([_number(item.get("score")) for item in items])
    return [
        Hit(Memory(str(item["id"]), str(item.get("memory") or ""), item.get("created_at")), score)
        for item, score in zip(items, scores, strict=True)
        if item.get("id") is not None
    ]


def merged(response: Any, expansion: Expansion, added: Mapping[str, Any], scores: Mapping[str, float]) -> Any:
    """Return mem0's response with its last entries exchanged; `response` itself is left as it is.

    Args:
        response: What mem0's search returned.
        expansion: What the links made of it.
        added: Each added memory as mem0's `get` gives it; one that is gone again leaves the result mem0's own.
        scores: Their scores on the scale of mem0's own.
    """
    if expansion.warning is not None and isinstance(response, Mapping):
        return {**response, KEY: {"warning": expansion.warning}}
    changed = bool(expansion.added) or any(entry.superseded_by for entry in expansion.entries)
    if not changed or any(added.get(entry.memory.id) is None for entry in expansion.added):
        return response
    own: dict[str, Any] = {}
    for item in items_of(response):
        own.setdefault(str(item.get("id")), item)
    detailed = any("score_details" in item for item in own.values())
    results = [
        _own(entry, own[entry.memory.id])
        if entry.origin == "host"
        else _item(entry, added[entry.memory.id], scores, detailed)
        for entry in expansion.entries
    ]
    return {**response, "results": results} if isinstance(response, Mapping) else results


def items_of(response: Any) -> list[Mapping[str, Any]]:
    """Return the entries of a response, {"results": [...]} or the bare list."""
    items = response.get("results") if isinstance(response, Mapping) else response
    return [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _own(entry: Entry, item: Mapping[str, Any]) -> Mapping[str, Any]:
    told = provenance(entry)
    return item if told is None else {**item, KEY: told}


def _item(entry: Entry, item: Mapping[str, Any], scores: Mapping[str, float], detailed: bool) -> dict[str, Any]:
    score = scores.get(entry.memory.id)
    # mem0 did not search by this memory's words or names: of its details, the likeness alone is known.
    details = {"score_details": {"semantic_score": score, "final_score": score}} if detailed else {}
    return {**item, "score": score, **details, KEY: provenance(entry)}
