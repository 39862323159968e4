"""Expands a host's result along verified links, inside the host's own number of entries (paper section 3.2).

No model, no store, no host call: arithmetic on vectors that the caller fetched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memory_evidence.cable.evidence import Direction, Entry, Expansion, Path, Skipped
from memory_evidence.cable.hits import distinct
from memory_evidence.cable.host import FloatArray, Hit, Memory
from memory_evidence.errors import ConfigError

if TYPE_CHECKING:
    from memory_evidence.cable.links import Link

__all__ = ["ExpandOptions", "expand"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpandOptions:
    """How linked memories are scored and admitted."""

    replace: int = 5
    """Entries of the host that may give up their place, at least 0 (m); never more than half of them."""
    tau: float = 0.3
    """Least cosine of a seed to the query, in [-1, 1]."""
    novelty: float = 0.9
    """A candidate whose cosine to an entry of the result is at least this is a near duplicate, in (0, 1]."""
    query_weight: float = 0.0
    """Weight of a candidate's own cosine to the query beside its seeds' support, at least 0; 0 is the paper's rule."""
    fill: bool = False
    """Whether places that the host left empty are filled as well; off: never more entries than the host returned."""

    def __post_init__(self) -> None:
        if self.replace < 0:
            raise ConfigError("replace", self.replace, "at least 0")
        if not -1 <= self.tau <= 1:
            raise ConfigError("tau", self.tau, "a cosine in [-1, 1]")
        if not 0 < self.novelty <= 1:
            raise ConfigError("novelty", self.novelty, "a cosine in (0, 1]")
        if not self.query_weight >= 0:
            raise ConfigError("query_weight", self.query_weight, "at least 0")


@dataclass(frozen=True, slots=True)
class _Candidate:
    memory: Memory
    score: float
    paths: tuple[Path, ...]
    unit: FloatArray


def expand(
    hits: Sequence[Hit],
    links: Sequence[Link],
    *,
    query_vector: FloatArray,
    vectors: Mapping[str, FloatArray],
    memories: Mapping[str, Memory],
    limit: int,
    options: ExpandOptions,
) -> Expansion:
    """Exchange the last of `hits` for memories linked to those near the query.

    Args:
        hits: The host's result, best first; of two with one id the first counts, and no more than `limit` count.
        links: Current links with an end among the hits; others are ignored.
        query_vector: Shape `(dim,)`.
        vectors: Vectors of hits and linked memories, each of shape `(dim,)`; one that is missing, zero, not finite or
            of another shape makes its memory neither a seed nor a candidate.
        memories: The linked memories as the host holds them now; one that is missing is not added.
        limit: Entries allowed, at least 0.
        options: How candidates are scored and admitted.

    Returns:
        At most `limit` entries, and no more than the host returned (unless `options.fill`). What stays is unchanged
        and in the host's order; what is replaced are the host's last entries.

    Raises:
        ConfigError: `limit` is negative.
    """
    if limit < 0:
        raise ConfigError("limit", limit, "at least 0")
    found = distinct(hits)[:limit]
    query = _unit(query_vector, np.shape(query_vector))
    units = {} if query is None else _units(vectors, [hit.memory.id for hit in found], memories, query.shape)
    cosines = {} if query is None else {i: float(unit @ query) for i, unit in units.items()}
    shown = {hit.memory.id for hit in found}
    seeds = {i: cosine for i, cosine in cosines.items() if i in shown and cosine >= options.tau}
    candidates = [
        _Candidate(memories[i], _score(paths, cosines[i], options), paths, units[i])
        for i, paths in _paths(links, seeds, shown).items()
        if i in memories and i in units
    ]
    candidates.sort(key=lambda candidate: (-candidate.score, candidate.memory.id))
    free = limit - len(found) if options.fill else 0
    room = free + min(options.replace, len(found) // 2)
    accepted, skipped = _admit(candidates, [units[i] for i in shown if i in units], room, options)
    stay = len(found) - max(0, len(accepted) - free)
    gone = found[stay:]
    taken: list[str | None] = [None] * (len(accepted) - len(gone)) + [hit.memory.id for hit in reversed(gone)]
    return Expansion(
        (
            *(Entry(hit.memory, "host", hit.score) for hit in found[:stay]),
            *(Entry(c.memory, "cable", c.score, c.paths, place) for c, place in zip(accepted, taken, strict=True)),
        ),
        limit,
        tuple(Entry(hit.memory, "host", hit.score) for hit in gone),
        tuple(skipped),
        tuple(seeds),
    )


def _unit(vector: FloatArray, shape: tuple[int, ...]) -> FloatArray | None:
    """Return `vector` at length 1, or None where it has no direction or another shape."""
    array = np.asarray(vector, dtype=np.float32)
    if array.ndim != 1 or array.shape != shape or not np.isfinite(array).all():
        return None
    # In double precision: the square of a large or tiny float32 would not fit.
    norm = float(np.linalg.norm(array.astype(np.float64)))
    return (array / norm).astype(np.float32) if norm > 0 else None


def _units(
    vectors: Mapping[str, FloatArray], shown: Sequence[str], memories: Mapping[str, Memory], shape: tuple[int, ...]
) -> dict[str, FloatArray]:
    ids = dict.fromkeys([*shown, *memories])
    return {i: unit for i in ids if i in vectors and (unit := _unit(vectors[i], shape)) is not None}


def _paths(links: Sequence[Link], seeds: Mapping[str, float], shown: set[str]) -> dict[str, tuple[Path, ...]]:
    """Return how each memory that is not shown is reached: every link between it and a seed, strongest seed first."""
    found: dict[str, dict[tuple[str, Direction], Path]] = {}
    for link in links:
        ends: tuple[tuple[str, str, Direction], ...] = (
            (link.new, link.prior, "prior"),
            (link.prior, link.new, "later"),
        )
        for seed, other, direction in ends:
            if seed in seeds and other not in shown:
                path = Path(seed, direction, link.reason, seeds[seed])
                found.setdefault(other, {}).setdefault((seed, direction), path)
    return {
        other: tuple(sorted(paths.values(), key=lambda path: (-path.seed_score, path.seed)))
        for other, paths in found.items()
    }


def _score(paths: Sequence[Path], cosine: float, options: ExpandOptions) -> float:
    return sum(path.seed_score for path in paths) + options.query_weight * cosine


def _admit(
    candidates: Sequence[_Candidate], shown: Sequence[FloatArray], room: int, options: ExpandOptions
) -> tuple[list[_Candidate], list[Skipped]]:
    """Take candidates greedily while there is room, each only if it is new beside all that is shown."""
    accepted: list[_Candidate] = []
    skipped: list[Skipped] = []
    result = list(shown)
    for candidate in candidates:
        if len(accepted) == room:
            reason = "no place left"
        elif max((float(unit @ candidate.unit) for unit in result), default=-1.0) >= options.novelty:
            reason = "near duplicate of an entry"
        else:
            accepted.append(candidate)
            result.append(candidate.unit)
            continue
        skipped.append(Skipped(candidate.memory, reason, candidate.score, candidate.paths))
    return accepted, skipped
