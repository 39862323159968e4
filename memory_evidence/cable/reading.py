"""The read path: links of a host's result, checked against the host, expanded. No model is called.

Of the memories at the other ends of the links the host is asked for no more than may win a place: those that the result
supports most. So hubs cannot slow a read, whatever a look-up costs the host.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from memory_evidence.cable.evidence import Entry, Expansion
from memory_evidence.cable.expand import MOST_CANDIDATES, ExpandOptions, expand
from memory_evidence.cable.hits import distinct
from memory_evidence.cable.host import Hit, MemoryHost
from memory_evidence.cable.superseded import Marks, marks_of
from memory_evidence.cable.support import most_supported
from memory_evidence.cable.vectors import Space
from memory_evidence.errors import HostError
from memory_evidence.store.link import Link, text_hash

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore

__all__ = ["MOST_LOOKED_UP", "read_expansion", "unexpanded"]

MOST_LOOKED_UP: Final = MOST_CANDIDATES
"""Linked memories that the host is asked for in one read: as many as may compete (ours)."""


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
    odd = next((i for i in near if not isinstance(i, str)), None)
    if odd is not None:
        raise HostError("host: search", f"the id {odd!r} of a memory is no text")
    marks = partial(marks_of, links, host)
    fixed = [hit.memory.id for hit in found[: len(found) - options.open_places(len(found))]]
    leads = list(dict.fromkeys([*fixed, *(hit.memory.id for hit in further)]))
    around = links.around(host.scope, leads) if fixed and options.replace else []
    if not around or not query.strip():
        return unexpanded(found, limit, marks=marks)
    hashes = {i: text_hash(memory.text) for i, memory in near.items()}
    leading = _current(around, hashes)
    if not leading:
        return unexpanded(found, limit, marks=marks)
    vectors = dict(host.vectors(list(near)))
    query_vector = host.embed([query])[0]
    strong = Space.of(query_vector, vectors, leads).at_least(options.tau, leads)
    firsts = fixed[: options.reserved_of]
    far = host.get(most_supported(leading, strong, near.keys(), firsts, MOST_LOOKED_UP, fading=options.fading))
    hashes |= {i: text_hash(memory.text) for i, memory in far.items()}
    current = [link for link in leading if link.prior in hashes and link.new in hashes]
    current = _current(current, hashes)
    if not current:
        return unexpanded(found, limit, marks=marks)
    vectors |= host.vectors(list(far))
    shown = {hit.memory.id for hit in found}
    return expand(
        found,
        current,
        query_vector=query_vector,
        vectors=vectors,
        # What only leads somewhere may be reached itself.
        memories={hit.memory.id: hit.memory for hit in further if hit.memory.id not in shown} | dict(far),
        limit=limit,
        options=options,
        query=query,
        seeds=[hit for hit in further if hit.memory.id not in shown],
        marks=marks,
    )


def _current(links: Iterable[Link], hashes: Mapping[str, str]) -> list[Link]:
    """Return the links whose memories have the texts that were verified, as far as `hashes` tells."""
    found = []
    for link in links:
        prior, new, _, _, _, prior_hash, new_hash = link
        if hashes.get(prior, prior_hash) == prior_hash and hashes.get(new, new_hash) == new_hash:
            found.append(link)
    return found


def unexpanded(hits: Sequence[Hit], limit: int, warning: str | None = None, *, marks: Marks | None = None) -> Expansion:
    """Return the host's plain result, with what of it `marks` says is superseded."""
    found = distinct(hits)[:limit]
    outdated = marks([hit.memory for hit in found]) if marks is not None else {}
    entries = tuple(
        Entry(hit.memory, "host", hit.score, superseded_by=outdated.get(hit.memory.id, ())) for hit in found
    )
    return Expansion(entries, limit, warning=warning)
