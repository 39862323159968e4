"""The vectors of one scope's memories, to search by cosine among those that were written before a memory (ours).

Where much is linked that later memories are in the host for already (a back-fill, a backlog), the host's own search
mostly finds later memories: it would have to be asked for all of them to find the prior ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memory_evidence.cable.host import FloatArray, Memory, MemoryHost
from memory_evidence.errors import HostError
from memory_evidence.store.link import text_hash

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore

__all__ = ["PriorVectors"]

_SLICE = 500
_DIGITS = 6
_NEVER = float("inf")
_UNKNOWN = float("-inf")


class PriorVectors:
    """What one worker has read of a scope's vectors, the earliest written first; not to be shared between threads.

    Vectors are read from the host slice by slice when the first memory written after them is linked, and kept in single
    precision as long as the worker links in this scope: 100,000 vectors of 384 dimensions are 154 MB, with ids, hashes
    and what reading them takes for a moment some 270 MB; four searches among them take 50 ms of one core.
    """

    def __init__(self, links: LinkStore, host: MemoryHost) -> None:
        """Read which memories there are, those included that the host holds and that are not known.

        Raises:
            HostError: The host failed.
            StoreError: The store failed.
        """
        self._links, self._host = links, host
        self._matrix = np.empty((0, 0), np.float32)
        self._rows: dict[str, int] = {}
        self._ids: list[str] = []
        self._places: NDArray[np.float64] = np.empty(0)
        self._order: dict[str, float] = {}
        self._hashes: dict[str, str] = {}
        self._read_of: dict[str, str] = {}
        self._waiting: list[str] = []
        self._seen = (0, _UNKNOWN)
        self.update()
        self._add_unknown()

    def update(self) -> None:
        """Take up what was written or changed since.

        Raises:
            StoreError: The store failed.
        """
        seen = self._links.last_written(self._host.scope)
        if seen == self._seen:
            return
        for memory_id, position, hashed in self._links.written(self._host.scope):
            if self._hashes.get(memory_id) != hashed:
                self._waiting.append(memory_id)
            self._hashes[memory_id] = hashed
            self.place(memory_id, position)
        self._sort()
        self._seen = seen

    def place(self, memory_id: str, position: float) -> None:
        """Note the place of a memory in the order of writing."""
        self._order[memory_id] = position
        if memory_id in self._rows:
            self._places[self._rows[memory_id]] = position

    def forget(self, memory_id: str) -> None:
        """Leave out a memory that the host no longer shows."""
        self._hashes.pop(memory_id, None)
        self._read_of.pop(memory_id, None)
        self.place(memory_id, _NEVER)

    def is_of(self, memory: Memory) -> bool:
        """Return whether the vector that was read is of the text that `memory` has now."""
        return self._read_of.get(memory.id) == text_hash(memory.text)

    def read_again(self, memories: Sequence[Memory]) -> None:
        """Read the vectors of memories whose texts were changed.

        Raises:
            HostError: The host failed.
        """
        self._hashes.update((memory.id, text_hash(memory.text)) for memory in memories)
        self._read([memory.id for memory in memories])

    def of(self, memory: Memory) -> FloatArray | None:
        """Return the vector of `memory` itself, of length 1; None where the host has none with a direction.

        Raises:
            HostError: The host failed.
        """
        if not self.is_of(memory):
            self.read_again([memory])
        row = self._rows.get(memory.id)
        return None if row is None or not self._matrix[row].any() else self._matrix[row]

    def nearest(self, asked: Sequence[FloatArray], counts: Sequence[int], before: float) -> list[dict[str, float]]:
        """Return the memories written before the place `before` that are nearest to each of `asked`, with the cosine.

        Args:
            asked: Vectors, each of shape `(dim,)`. For one without a direction, or of another shape than the host's
                vectors, nothing is found.
            counts: How many to find for each.
            before: A place in the order of writing.

        Returns:
            For each of `asked` ids and cosines, best first; of equally near ones the earlier come first.

        Raises:
            HostError: The host failed.
        """
        self._read_until(before)
        prior = np.flatnonzero(self._places[: len(self._ids)] < before)
        dimensions = self._matrix.shape[1]
        found: list[dict[str, float]] = []
        units = [_unit(vector) if np.shape(vector) == (dimensions,) else None for vector in asked]
        usable = [unit for unit in units if unit is not None]
        if not len(prior) or not usable:
            return [{} for _ in asked]
        # The whole matrix: to copy the prior rows out would cost more than to multiply the others, too. Rounded, so
        # that equal vectors are equally near wherever in the matrix they stand.
        products = np.round(self._matrix[: len(self._ids)] @ np.stack(usable, axis=1), _DIGITS)[prior]
        columns = iter(products.T)
        for unit, count in zip(units, counts, strict=True):
            best = [] if unit is None else _best(next(columns), count)
            found.append({self._ids[prior[row]]: cosine for row, cosine in best})
        return found

    def _add_unknown(self) -> None:
        """Take up what the host holds and is not known: it was there before us, and so before all others."""
        try:
            for memory in self._host.memories():
                if memory.id not in self._hashes:
                    self._waiting.append(memory.id)
                    self._hashes[memory.id] = text_hash(memory.text)
                    self.place(memory.id, _UNKNOWN)
        except HostError:
            pass  # some stores cannot list what they hold; what is known is enough
        self._sort()

    def _sort(self) -> None:
        """Put the earliest last, from where they are taken; those of one place in the order that they came in."""
        self._waiting = list(dict.fromkeys(self._waiting))
        self._waiting.sort(key=lambda memory_id: self._order[memory_id])
        self._waiting.reverse()

    def _read_until(self, before: float) -> None:
        while self._waiting and self._order[self._waiting[-1]] < before:
            self._read(self._waiting[: -_SLICE - 1 : -1])
            del self._waiting[-_SLICE:]

    def _read(self, ids: Sequence[str]) -> None:
        vectors = self._host.vectors(ids)
        units = {i: unit for i in ids if (unit := _unit(vectors.get(i))) is not None}
        if not self._rows and units:
            self._matrix = np.empty((0, len(next(iter(units.values())))), np.float32)
        self._read_of.update((i, self._hashes[i]) for i in ids if i in self._hashes)
        self._reserve(len(self._rows) + len(ids))
        for i in ids:
            unit = units.get(i)
            fits = unit is not None and unit.shape == self._matrix.shape[1:]
            if i not in self._rows and fits:
                self._rows[i] = len(self._ids)
                self._ids.append(i)
            if i in self._rows:
                self._matrix[self._rows[i]] = unit if fits else 0.0
                self._places[self._rows[i]] = self._order.get(i, _NEVER) if fits else _NEVER

    def _reserve(self, count: int) -> None:
        """Make room for `count` rows, and for all that wait if there is none."""
        if count > len(self._matrix):
            room = max(count, len(self._ids) + len(self._waiting), len(self._matrix) * 5 // 4)
            matrix, places = np.empty((room, self._matrix.shape[1]), np.float32), np.full(room, _NEVER)
            matrix[: len(self._ids)], places[: len(self._ids)] = (
                self._matrix[: len(self._ids)],
                self._places[: len(self._ids)],
            )
            self._matrix, self._places = matrix, places


def _unit(vector: FloatArray | None) -> FloatArray | None:
    """Return `vector` with the length 1; None where it has no direction."""
    if vector is None or np.ndim(vector) != 1:
        return None
    # In double precision: the square of a large or a tiny float32 would not fit.
    exact = np.asarray(vector, np.float64)
    norm = float(np.sqrt(np.einsum("i,i->", exact, exact)))
    return None if not np.isfinite(norm) or norm == 0.0 else (exact / norm).astype(np.float32)


def _best(cosines: NDArray[np.float32], count: int) -> list[tuple[int, float]]:
    """Return the rows of the `count` greatest of `cosines` with them, best first, of equal ones the first."""
    if count < len(cosines):
        if count < 1:
            return []
        least = np.partition(cosines, len(cosines) - count)[len(cosines) - count]
        rows = np.flatnonzero(cosines >= least)
    else:
        rows = np.arange(len(cosines))
    ranked = rows[np.argsort(-cosines[rows], kind="stable")][:count]
    return [(int(row), float(cosines[row])) for row in ranked]
