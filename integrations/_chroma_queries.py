"""What a Chroma query asks, and its result with linked records in the places of some entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from integrations._chroma_host import ChromaHost
from memory_evidence.cable.evidence import Expansion
from memory_evidence.cable.host import FloatArray
from memory_evidence.cable.spaces import Space, distance

__all__ = ["COLUMNS", "NO_TEXT", "linked_records", "query_texts_of", "with_linked"]

NO_TEXT = "…"
"""Stands for the text of a query that is a vector: it holds no word."""

COLUMNS = ("embeddings", "documents", "uris", "data", "metadatas", "distances")
"""The columns of a result beside `ids`; those that were not asked for are None."""

_Records = dict[str, dict[str, Any]]


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


def linked_records(host: ChromaHost, expansions: Sequence[Expansion], include: Sequence[str]) -> _Records:
    """Return the columns of the records that `expansions` add, as they are now, and their `embeddings`."""
    ids = {entry.memory.id for one in expansions for entry in one.added}
    if not ids:
        return {}
    columns = list({*include, "embeddings"} - {"distances"})
    found = host.collection.get(ids=list(ids), include=columns)
    return {record: {name: found[name][place] for name in columns} for place, record in enumerate(found["ids"])}


def with_linked(
    result: Mapping[str, Any],
    expansions: Sequence[Expansion],
    records: _Records,
    vectors: FloatArray,
    include: Sequence[str],
    space: Space,
) -> dict[str, Any]:
    """Return `result` as `expansions` have it, and the key `cable`.

    Args:
        result: What Chroma answered, for n queries.
        expansions: One for each query.
        records: From `linked_records`; a row stays Chroma's own where one of its records is missing.
        vectors: Of the queries, shape `(n, dim)`.
        include: The columns that were asked for; `result` may have more.
        space: What the collection's distances measure.
    """
    made: dict[str, Any] = {**result, "ids": [], "included": list(include), "cable": []}
    made |= {name: [] if name in include and result[name] is not None else None for name in COLUMNS}
    for row, (expansion, vector) in enumerate(zip(expansions, vectors, strict=True)):
        own = {record: place for place, record in enumerate(result["ids"][row])}
        ids, paths = list(own), {}
        if all(entry.memory.id in records for entry in expansion.added):
            ids = list(expansion.ids)
            paths = {entry.memory.id: [asdict(path) for path in entry.paths] for entry in expansion.added}
        made["ids"].append(ids)
        made["cable"].append([paths.get(record) for record in ids])
        for name in COLUMNS:
            if made[name] is None:
                continue
            if name == "distances":
                far = {record: distance(space, vector, records[record]["embeddings"]) for record in paths}
                cells = [far[i] if i in far else result[name][row][own[i]] for i in ids]
            else:
                cells = [records[i][name] if i in paths else result[name][row][own[i]] for i in ids]
            made[name].append(np.array(cells) if name == "embeddings" else cells)
    return made
