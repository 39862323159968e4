"""Which of some memories state what a later one superseded, as far as the host shows both (ours).

The paper names it as a limitation that links surface evidence after later memories have superseded it. Nothing is kept
that would have to be maintained: it is asked at every read, so that a value that is stated again holds again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from memory_evidence.cable.evidence import Superseded
from memory_evidence.cable.host import Memory, MemoryHost
from memory_evidence.store.link import text_hash

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore

__all__ = ["Marks", "marks_of"]

Marks = Callable[[Sequence[Memory]], Mapping[str, tuple[Superseded, ...]]]
"""Returns what is superseded in some memories, by id; those in which nothing is are absent."""


def marks_of(links: LinkStore, host: MemoryHost, memories: Sequence[Memory]) -> Mapping[str, tuple[Superseded, ...]]:
    """Return what later memories superseded in `memories`, by id.

    Both texts must be those that were read when they were linked. A memory that the host does not show, because it is
    gone or because a filter of this search hides it, supersedes nothing.

    Raises:
        HostError: The host failed.
        StoreError: The store failed.
    """
    texts = {memory.id: memory.text for memory in memories}
    outdated = links.outdated(host.scope, list(texts))
    if not outdated:
        return {}
    later = host.get([i for i in dict.fromkeys(one.by for one in outdated) if i not in texts])
    texts |= {memory.id: memory.text for memory in later.values()}
    hashes = {i: text_hash(texts[i]) for one in outdated for i in (one.id, one.by) if i in texts}
    found: dict[str, tuple[Superseded, ...]] = {}
    for one in outdated:
        if hashes[one.id] == one.hash and hashes.get(one.by) == one.by_hash:
            mark = Superseded(one.by, one.value, one.wording, one.whole)
            found[one.id] = (*found.get(one.id, ()), mark)
    return found
