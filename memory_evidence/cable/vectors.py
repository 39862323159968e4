"""Vectors of a search and their cosines: to the query, and to each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory_evidence.cable.host import FloatArray

__all__ = ["Space"]


@dataclass(frozen=True, slots=True)
class Space:
    """Vectors and their cosines to the query; one without a direction is not in it."""

    rows: Mapping[str, int]
    matrix: NDArray[np.float64]
    norms: NDArray[np.float64]
    cosines: Mapping[str, float]

    @classmethod
    def of(cls, query: FloatArray, vectors: Mapping[str, FloatArray], ids: Iterable[str]) -> Space:
        """Take the vectors of `ids` that have the shape of the query's; none where that has no direction."""
        asked = np.asarray(query)
        held: dict[str, FloatArray] = {}
        for i in dict.fromkeys(ids):
            vector = vectors.get(i)
            if vector is not None and np.shape(vector) == asked.shape:
                held[i] = vector
        if asked.ndim != 1:
            return cls({}, np.zeros((0, 0)), np.zeros(0), {})
        # In double precision: the square of a large or a tiny float32 would not fit.
        matrix = np.array([asked, *held.values()], dtype=np.float64)
        norms = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
        usable = np.isfinite(norms) & (norms > 0)
        if not usable[0]:
            return cls({}, matrix, norms, {})
        with np.errstate(invalid="ignore", divide="ignore"):
            cosines = (_dots(matrix, matrix[0]) / (norms * norms[0])).tolist()
        rows = {i: row for row, i in enumerate(held, 1) if usable[row]}
        return cls(rows, matrix, norms, {i: cosines[row] for i, row in rows.items()})

    def at_least(self, tau: float, ids: Iterable[str]) -> dict[str, float]:
        """Return those of `ids` whose cosine to the query is at least `tau`, with it."""
        return {i: cosine for i in ids if (cosine := self.cosines.get(i)) is not None and cosine >= tau}

    def nearest(self, memory_id: str, others: Sequence[int]) -> float:
        """Return the greatest cosine of a memory to the vectors of some rows; -1 where there is none."""
        row = self.rows[memory_id]
        if not others:
            return -1.0
        cosines = _dots(self.matrix[others], self.matrix[row]) / (self.norms[others] * self.norms[row])
        return float(np.max(cosines))


def _dots(matrix: NDArray[np.float64], vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the dot product of each row with `vector`."""
    # Not `@`: BLAS would wake its threads for this little, and wait for them where the machine is busy.
    dots: NDArray[np.float64] = np.einsum("ij,j->i", matrix, vector)
    return dots
