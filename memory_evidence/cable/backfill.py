"""Notes the memories that a host held before it was extended, or that were written past us, in the host's order.

What memories state that an earlier release linked is read on the way.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from memory_evidence.cable.host import MemoryHost
from memory_evidence.cable.stated import statements_of
from memory_evidence.store.link import text_hash

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore

__all__ = ["note_all"]

_SLICE = 500


def note_all(links: LinkStore, host: MemoryHost) -> int:
    """Queue every memory of `host` that is not known or was changed, and return how many that are.

    Each comes before those known memories that the host lists after it. Texts are read slice by slice; only ids and
    hashes of unknown memories are kept until the next known one.

    Raises:
        HostError: The host failed; what was queued so far stays.
        StoreError: The store failed.
    """
    queued = 0
    unknown: dict[str, str] = {}
    memories = host.memories()
    fresh = not links.counts(host.scope).known
    while held := {memory.id: memory.text for memory in islice(memories, _SLICE)}:
        part = {memory: text_hash(text) for memory, text in held.items()}
        unread = links.unread(host.scope, part)
        links.note_statements(host.scope, {i: (part[i], statements_of(held[i])) for i in held if i in unread})
        known = links.known(host.scope, part)
        changed = {}
        for memory, value in part.items():
            if memory not in known:
                unknown[memory] = value
                continue
            if known[memory] != value:
                changed[memory] = value
            if unknown:
                queued += links.enqueue_hashes(host.scope, unknown, before=memory)
                unknown = {}
        queued += links.enqueue_hashes(host.scope, changed)
        if fresh:
            queued += links.enqueue_hashes(host.scope, unknown)
            unknown = {}
    return queued + links.enqueue_hashes(host.scope, unknown)
