"""The read path: links of a host's result, checked against the host, expanded. One call of each kind, no model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from memory_evidence.cable.evidence import Entry, Expansion
from memory_evidence.cable.expand import ExpandOptions, expand
from memory_evidence.cable.hits import distinct
from memory_evidence.cable.host import Hit, MemoryHost
from memory_evidence.cable.links import text_hash
from memory_evidence.cable.superseded import Marks, marks_of

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore

__all__ = ["read_expansion", "unexpanded"]


def read_expansion(
    links: LinkStore,
    host: MemoryHost,
    query: str,
    hits: Sequence[Hit],
    *,
    limit: int,
    options: ExpandOptions,
    seeds: Sequence[Hit] = (),
) -> Expansion:
    """Expand `hits` along the links whose ends the host holds now, both with the texts that were verified.

    Nothing is changed: a memory that the host does not show may be hidden by a filter of this search.

    Raises:
        HostError: The host failed.
        StoreError: The store failed.
    """
    found = distinct(hits)[:limit]
    further = distinct(seeds)
    near = {hit.memory.id: hit.memory for hit in (*further, *found)}
    marks = partial(marks_of, links, host)
    around = links.around(host.scope, list(near)) if found and options.replace else []
    if not around or not query.strip():
        return unexpanded(found, limit, marks=marks)
    linked = dict.fromkeys(end for link in around for end in (link.prior, link.new) if end not in near)
    far = host.get(list(linked))
    hashes = {memory.id: text_hash(memory.text) for memory in (*near.values(), *far.values())}
    current = [
        link for link in around if hashes.get(link.prior) == link.prior_hash and hashes.get(link.new) == link.new_hash
    ]
    if not current:
        return unexpanded(found, limit, marks=marks)
    shown = {hit.memory.id for hit in found}
    return expand(
        found,
        current,
        query_vector=host.embed([query])[0],
        vectors=host.vectors([*near, *far]),
        # What only leads somewhere may be reached itself.
        memories={hit.memory.id: hit.memory for hit in further if hit.memory.id not in shown} | dict(far),
        limit=limit,
        options=options,
        query=query,
        seeds=[hit for hit in further if hit.memory.id not in shown],
        marks=marks,
    )


def unexpanded(hits: Sequence[Hit], limit: int, warning: str | None = None, *, marks: Marks | None = None) -> Expansion:
    """Return the host's plain result, with what of it `marks` says is superseded."""
    found = distinct(hits)[:limit]
    outdated = marks([hit.memory for hit in found]) if marks is not None else {}
    entries = tuple(
        Entry(hit.memory, "host", hit.score, superseded_by=outdated.get(hit.memory.id, ())) for hit in found
    )
    return Expansion(entries, limit, warning=warning)
