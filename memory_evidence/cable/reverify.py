"""Verifies links again after one of their memories changed: what no longer holds is deleted (ours)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence, Set
from itertools import islice
from typing import TYPE_CHECKING

from memory_evidence.cable.host import Memory, MemoryHost
from memory_evidence.cable.links import text_hash
from memory_evidence.cable.rules import follows_on, looks_back
from memory_evidence.cable.verify import read_verdict, verify_ask
from memory_evidence.errors import ModelError, ModelOutputError
from memory_evidence.models import Steps
from memory_evidence.records import Scope

if TYPE_CHECKING:
    from memory_evidence.cable.linking import Linker
    from memory_evidence.cable.reports import ReverifyTally

__all__ = ["reverify", "verdict_steps"]

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


def verdict_steps(
    memory: Memory, priors: Sequence[Memory], *, use_model: bool, just_before: Set[str]
) -> Steps[list[str | None]]:
    """Return for each of `priors` why it is an antecedent of `memory`, or None.

    Args:
        memory: The later memory.
        priors: The earlier ones.
        use_model: False: the rules judge, and no question is yielded.
        just_before: Ids of what was written just before `memory`; only the rules look at them.

    Raises:
        ModelError: The model failed, so that nothing can be said.
    """
    if not use_model:
        return [
            looks_back(memory, prior) or (follows_on(memory, prior) if prior.id in just_before else None)
            for prior in priors
        ]
    answers = yield [verify_ask(memory, prior) for prior in priors]
    for answer in answers:
        if isinstance(answer, ModelError) and not isinstance(answer, ModelOutputError):
            raise answer
    return [read_verdict(answer) for answer in answers]
