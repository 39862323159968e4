"""Finds the memories written before one: by the host's own search, or by vectors where later ones crowd it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memory_evidence.cable.hits import distinct
from memory_evidence.cable.host import FloatArray, Hit, Memory, MemoryHost
from memory_evidence.cable.prior_vectors import PriorVectors

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore

__all__ = ["FEW_LATER", "FindPriors", "Priors", "Wanted", "by_search"]

FEW_LATER = 100
"""Later memories beside which the host's own search is asked: for so many hits more that they cannot be in the way."""

Wanted = Sequence[tuple[str, int]]
"""Texts, and how many memories to find for each."""

FindPriors = Callable[[Wanted], list[list[Hit]]]
"""Returns for each text the nearest of the memories written before the one that is linked, best first."""


def by_search(
    host: MemoryHost, memory_id: str, wanted: Wanted, is_prior: Callable[[Sequence[str]], set[str]], later: int
) -> list[list[Hit]]:
    """Return the prior memories that the host's search finds, with one search a text.

    Args:
        host: What is searched.
        memory_id: The memory that is linked; it is none of its priors.
        wanted: What to search for.
        is_prior: Which of some ids are those of prior memories.
        later: How many hits more are asked for, in whose place later memories may come.

    Raises:
        HostError: The host failed.
    """
    found = [distinct(host.search(text, count + 1 + later)) if count else [] for text, count in wanted]
    prior = is_prior(list(dict.fromkeys(hit.memory.id for hits in found for hit in hits))) - {memory_id}
    return [
        [hit for hit in hits if hit.memory.id in prior][:count] for hits, (_, count) in zip(found, wanted, strict=True)
    ]


@dataclass(slots=True)
class Priors:
    """One worker's searches for prior memories in one scope."""

    links: LinkStore
    host: MemoryHost
    vectors: PriorVectors | None = None
    """Read when the first memory is linked that many later ones are known for."""

    def update(self) -> None:
        """Take up what was written since; call it from time to time.

        Raises:
            StoreError: The store failed.
        """
        if self.vectors is not None:
            self.vectors.update()

    def before(self, memory: Memory, position: float, wanted: Wanted) -> list[list[Hit]]:
        """Return the memories written before `memory` that are nearest to each text of `wanted`, best first.

        Beside no more than `FEW_LATER` later memories the host's search says what is near, by whatever it ranks.
        Otherwise the cosines of its vectors do: what a search for all of the scope by cosine would find. Of the texts,
        the host then embeds those that are not the memory's own, each once and all in one call; the memory's own vector
        is the one that the host holds.

        Raises:
            HostError: The host failed.
            StoreError: The store failed.
        """
        later = self.links.written_after(self.host.scope, position, FEW_LATER + 1)
        if later <= FEW_LATER:
            return by_search(self.host, memory.id, wanted, lambda ids: self._prior(ids, position), later)
        if self.vectors is None:
            self.vectors = PriorVectors(self.links, self.host)
        return self._by_vectors(self.vectors, memory, position, wanted)

    def _prior(self, ids: Sequence[str], position: float) -> set[str]:
        order = self.links.order(self.host.scope, ids)
        # What is unknown was there before us, or is just being written: its links are dropped when it is queued.
        return {i for i in ids if order.get(i, float("-inf")) < position}

    def _by_vectors(self, vectors: PriorVectors, memory: Memory, position: float, wanted: Wanted) -> list[list[Hit]]:
        asked = self._asked(vectors, memory, [text for text, count in wanted if count])
        units = [asked[text] if count else np.zeros(0, np.float32) for text, count in wanted]
        again: set[str] = set()
        while True:
            found = vectors.nearest(units, [count for _, count in wanted], position)
            ids = list(dict.fromkeys(i for each in found for i in each))
            held = self.host.get(ids)
            order = self.links.order(self.host.scope, ids)
            late = [i for i in ids if order.get(i, float("-inf")) >= position]
            gone = [i for i in ids if i not in held]
            changed = [m for m in held.values() if m.id not in again and not vectors.is_of(m)]
            if not (late or gone or changed):
                return [[Hit(held[i], cosine) for i, cosine in each.items()] for each in found]
            for i in late:
                vectors.place(i, order[i])
            for i in gone:
                vectors.forget(i)
            if changed:
                vectors.read_again(changed)
                again.update(m.id for m in changed)

    def _asked(self, vectors: PriorVectors, memory: Memory, texts: Sequence[str]) -> dict[str, FloatArray]:
        """Return the vector of each of `texts`."""
        own = vectors.of(memory) if memory.text in texts else None
        asked = {} if own is None else {memory.text: own}
        missing = [text for text in dict.fromkeys(texts) if text not in asked]
        if missing:
            asked.update(zip(missing, self.host.embed(missing), strict=True))
        return asked
