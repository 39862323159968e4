"""Links of a mem0 store that has moved, or that an earlier release named by its collection alone."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from mem0_adapter.scopes import is_like
from memory_evidence.cable.host import Memory, MemoryHost
from memory_evidence.cable.links import Link, text_hash
from memory_evidence.cable.stated import statements_of
from memory_evidence.records import Scope

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore

__all__ = ["take_over"]

_SLICE = 500
_LEASE_S = 60.0


def take_over(links: LinkStore, host: MemoryHost) -> int:
    """Copy what is known elsewhere of memories that `host` holds with the same id and text; return how many those are.

    The other scope stays as it is: it may be that of a store of which this one is a copy. Memories that are known here
    already, and those that have no link there, are not touched.

    Raises:
        HostError: The host failed; what was copied so far stays.
        StoreError: The store failed.
    """
    taken = 0
    for other in links.scopes():
        if is_like(other, host.scope):
            taken += _take_over(links, other, host)
    return taken


def _take_over(links: LinkStore, other: Scope, host: MemoryHost) -> int:
    from memory_evidence.cable.link_store import Found  # deferred: SQLAlchemy is slow to import

    held: dict[str, Memory] = {}
    written = links.written(other)
    for part in _slices([one.id for one in written]):
        held |= host.get(part)
    here = links.known(host.scope, held)
    # A memory without a link may wait there as it would here.
    mine = {one.id: one.hash for one in written if one.id in held and text_hash(held[one.id].text) == one.hash}
    behind: dict[str, list[Link]] = {}
    for link in links.all(other):
        if mine.get(link.prior) == link.prior_hash and mine.get(link.new) == link.new_hash:
            behind.setdefault(link.new, []).append(link)
            behind.setdefault(link.prior, [])
    wanted = [one.id for one in written if one.id in behind and one.id not in here]
    first = next((one.id for one in links.written(host.scope)), None)  # what was written here came after the move
    taken, owner = 0, f"taken over {uuid.uuid4()}"
    for part in _slices(wanted):
        links.enqueue_hashes(host.scope, {i: mine[i] for i in part}, before=first)
        claims = links.claim(host.scope, owner, len(part), _LEASE_S, ids=part)
        found = [Found(one, mine[one.id], behind[one.id], False, statements_of(held[one.id].text)) for one in claims]
        taken += sum(done is not None for done in links.finish(host.scope, owner, found))
    return taken


def _slices(ids: Sequence[str]) -> Iterator[list[str]]:
    rest = iter(ids)
    while part := list(islice(rest, _SLICE)):
        yield part
