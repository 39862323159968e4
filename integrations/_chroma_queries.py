"""What a Chroma query asks, and its result with linked records in the places of some entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from integrations._chroma_host import QueryHost
from memory_evidence.cable.evidence import Expansion, provenance
from memory_evidence.cable.spaces import distance

__all__ = ["COLUMNS", "NO_TEXT", "query_texts_of", "with_linked"]

NO_TEXT = "…"
"""Stands for the text of a query that is a vector: it holds no word."""

COLUMNS = ("embeddings", "documents", "uris", "data", "metadatas", "distances")
"""The columns of a result beside `ids`; those that were not asked for are None."""


def query_texts_of(texts: Any, embeddings: Any) -> list[str] | None:
    """Return the texts of the queries, `NO_TEXT` for vectors; None where Chroma itself is to say what is wrong."""
    if embeddings is None:
        given = [texts] if isinstance(texts, str) else texts
        usable = isinstance(given, list) and given and all(isinstance(text, str) for text in given)
        return given if usable else None
    if texts is not None:
        return None
    try:
        shape = np.asarray(embeddings, dtype=np.float32).shape
    except (TypeError, ValueError):
        return None
    return [NO_TEXT] * (1 if len(shape) == 1 else shape[0]) if 0 not in shape and len(shape) in (1, 2) else None


def with_linked(
    result: Mapping[str, Any], hosts: Sequence[QueryHost], expansions: Sequence[Expansion], include: Sequence[str]
) -> dict[str, Any]:
    """Return `result` as `expansions` have it, and the key `cable`.

    Args:
        result: What Chroma answered, for n queries.
        hosts: One for each query, with what was read of its linked records.
        expansions: One for each query.
        include: The columns that were asked for; `result` may have more.
    """
    made: dict[str, Any] = {**result, "ids": [], "included": list(include), "cable": []}
    made |= {name: [] if name in include and result[name] is not None else None for name in COLUMNS}
    for row, (host, expansion) in enumerate(zip(hosts, expansions, strict=True)):
        own = {record: place for place, record in enumerate(result["ids"][row])}
        added = [entry.memory.id for entry in expansion.added]
        made["ids"].append(list(expansion.ids))
        made["cable"].append([provenance(entry) for entry in expansion.entries])
        for record in added:
            far = distance(host.space, host.query_vector, host.linked[record]["embeddings"])
            host.linked[record]["distances"] = far
        for name in COLUMNS:
            if made[name] is not None:
                cells = [host.linked[i][name] if i in added else result[name][row][own[i]] for i in expansion.ids]
                made[name].append(np.array(cells) if name == "embeddings" else cells)
    return made
