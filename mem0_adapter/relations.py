"""Seeds from a graph memory (mem0 1.x): the memories that state the relations a search returned."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from memory_evidence.cable.host import Hit, MemoryHost

__all__ = ["related"]

_MOST_RELATIONS = 5
_MEMORIES_EACH = 5


def related(response: Any, host: MemoryHost, known: Collection[str]) -> list[Hit]:
    """Return memories beside the result that state one of its relations: they may lead on, as the result's own do.

    mem0's graph does not say which memory a relation came from. So each relation is looked for by its words, and a
    memory counts that names both of its ends; the first person, which the graph calls by the user's id, has no name.

    Args:
        response: What mem0's search returned; "relations" in it are used, the first five.
        host: Where to look, without a model call; what its `get` does not show is left out.
        known: Ids of the result's own entries.
    """
    relations = response.get("relations") if isinstance(response, Mapping) else None
    found: dict[str, Hit] = {}
    for relation in relations[:_MOST_RELATIONS] if isinstance(relations, list) else ():
        ends = [_words(relation.get("source")), _words(relation.get("destination") or relation.get("target"))]
        names = [end for end in ends if end and end != _words(host.scope[-1])]
        if not names:
            continue
        text = " ".join((ends[0], _words(relation.get("relationship")), ends[1]))
        for hit in host.search(text, _MEMORIES_EACH):
            said = f" {_words(hit.memory.text)} "
            if hit.memory.id not in known and all(f" {name} " in said for name in names):
                found.setdefault(hit.memory.id, hit)
    shown = host.get(list(found)) if found else {}
    return [hit for memory_id, hit in found.items() if memory_id in shown]


def _words(value: Any) -> str:
    """Return a name of the graph ("new_york") or a text in one form, by which the two can be compared."""
    return " ".join(re.findall(r"\w+", str(value or "").replace("_", " ").casefold()))
