"""Links for other tools: a networkx graph, a Mermaid chart, JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from memory_evidence.errors import MissingExtraError
from memory_evidence.labels import chart_label
from memory_evidence.records import Scope
from memory_evidence.store.link import Link

if TYPE_CHECKING:
    import networkx  # type: ignore[import-untyped]  # published without types

__all__ = ["to_json", "to_mermaid", "to_networkx"]


def to_networkx(links: Iterable[Link]) -> networkx.DiGraph:
    """Return a directed graph of memory ids; edges run from the earlier memory and carry all else that is known.

    Raises:
        MissingExtraError: networkx is not installed.
    """
    try:
        import networkx  # deferred: only this needs it
    except ImportError as error:
        raise MissingExtraError("networkx") from error
    graph = networkx.DiGraph()
    for link in links:
        stated = link._asdict()
        graph.add_edge(stated.pop("prior"), stated.pop("new"), **stated)
    return graph


def to_mermaid(links: Iterable[Link], texts: Mapping[str, str]) -> str:
    """Return a Mermaid flow chart of memories, by their text where `texts` has it for their id, else by their id."""
    lines = ["flowchart LR"]
    names: dict[str, str] = {}
    for link in links:
        for memory in (link.prior, link.new):
            if memory not in names:
                names[memory] = f"n{len(names)}"
                lines.append(f'  {names[memory]}["{chart_label(texts.get(memory, memory))}"]')
        lines.append(f'  {names[link.prior]} -->|"{chart_label(link.reason)}"| {names[link.new]}')
    return "\n".join(lines)


def to_json(scope: Scope, links: Iterable[Link]) -> str:
    """Return one JSON object in ASCII: `scope`, and `links` with the fields of `Link`."""
    return json.dumps({"scope": scope, "links": [link._asdict() for link in links]}, indent=1)
