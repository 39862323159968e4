"""Verifies links again after one of their memories changed: what no longer holds is deleted (ours)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import islice

from memory_evidence.cable.host import MemoryHost
from memory_evidence.cable.linking import Linker
from memory_evidence.cable.reports import ReverifyTally
from memory_evidence.records import Scope
from memory_evidence.store.link import text_hash

__all__ = ["reverify"]

_SLICE = 500


def reverify(
    linker: Linker,
    scope: Scope,
    host: MemoryHost,
    tally: ReverifyTally,
    *,
    every: bool,
    on_done: Callable[[int], None],
) -> None:
    """Verify the stale links of `scope` again, or every one, and delete those of memories that the host lost.

    Raises:
        ModelError: The model failed; what was verified so far is kept.
        HostError: Likewise for the host.
    """
    links = linker.links.all(scope)
    while part := list(islice(links, _SLICE)):
        held = host.get(list(dict.fromkeys(i for link in part for i in (link.prior, link.new))))
        gone = {i for link in part for i in (link.prior, link.new) if i not in held}
        if gone:
            tally.gone += linker.links.drop(scope, gone)
        hashes = {memory.id: text_hash(memory.text) for memory in held.values()}
        pairs: dict[str, list[str]] = defaultdict(list)
        for link in part:
            if link.prior in gone or link.new in gone:
                continue
            if every or (link.prior_hash, link.new_hash) != (hashes[link.prior], hashes[link.new]):
                pairs[link.new].append(link.prior)
        for new, priors in pairs.items():
            verified = linker.verify(scope, held[new], [held[prior] for prior in priors], tally.meter)
            kept = {link.prior for link in verified}
            tally.restated += len(kept)
            tally.rejected += linker.links.restate(scope, verified, ((p, new) for p in priors if p not in kept))
        on_done(len(part))
