"""Expands a host's result along verified links, inside the host's own number of entries (paper section 3.2).

No model, no store, no host call: arithmetic on vectors and words that the caller fetched. The host's last entries are
open: they and the linked memories compete for their places, so that nothing gives way to what is worth less (ours; by
the paper's rule an entry's worth is the support it gets from the entries before it, which mostly is none). A cause may
be far from the question in every respect, so one place is kept for an antecedent of the host's first entries (ours).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from memory_evidence.cable.causes import asks_for_cause
from memory_evidence.cable.decay import freshness
from memory_evidence.cable.evidence import Entry, Expansion, Path, Skipped, Superseded
from memory_evidence.cable.hits import distinct
from memory_evidence.cable.host import FloatArray, Hit, Memory
from memory_evidence.cable.support import is_behind, reached, support
from memory_evidence.cable.vectors import Space
from memory_evidence.cable.words import shared_words
from memory_evidence.errors import ConfigError

if TYPE_CHECKING:
    from memory_evidence.cable.superseded import Marks
    from memory_evidence.store.link import Link

__all__ = ["MOST_CANDIDATES", "MOST_SKIPPED", "PAPER", "SIMILARITY", "ExpandOptions", "expand"]

MOST_CANDIDATES: Final = 32
"""Linked memories that compete for places: the best by support and likeness, so that hubs cannot slow a read (ours)."""
MOST_SKIPPED: Final = 20
"""Linked memories that were not added of which an expansion tells, the best of them."""


_NO_PLACE = "no place left for its score"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpandOptions:
    """How linked memories are scored and admitted.

    Score of a memory: support of its seeds + `query_weight` * its cosine to the query + `word_weight` * the share of
    the query's words that it holds.
    """

    replace: int = 5
    """Entries of the host that may give up their place, at least 0 (m); never more than half of them."""
    tau: float = 0.3
    """Least cosine of a seed to the query, in [-1, 1]."""
    novelty: float = 0.9
    """A candidate whose cosine to an entry of the result is at least this is a near duplicate, in (0, 1]."""
    query_weight: float = 4.0
    """Weight of a memory's own cosine to the query beside its seeds' support, at least 0 (ours; the paper has 0)."""
    word_weight: float = 4.0
    """Weight of the words that a memory shares with the query, at least 0 (ours; the paper has 0)."""
    fading: bool = True
    """Whether the n-th strongest seed counts 1/n, so that hubs do not win by number (ours); off: the paper's sum."""
    reserved: int = 1
    """Open places that the best antecedents of the host's first entries get whoever competes, at least 0 (ours)."""
    reserved_of: int = 3
    """For how many of the host's first entries, at least 1; antecedents of the very first have precedence (ours)."""
    causes: bool = True
    """Whether a question that asks why is led to antecedents alone, and not to what came after (ours)."""
    superseded_weight: float = 0.5
    """What the score of a memory counts of which all is superseded, in [0, 1] (ours; 1: the paper's way); unless it is
    1, such a memory gets no reserved place either."""
    half_life_days: float | None = None
    """After how many days the support over a link has halved, and halves again, above 0 (ours); None: never."""

    def __post_init__(self) -> None:
        for name in ("replace", "reserved"):
            if getattr(self, name) < 0:
                raise ConfigError(name, getattr(self, name), "at least 0")
        if self.reserved_of < 1:
            raise ConfigError("reserved_of", self.reserved_of, "at least 1")
        if not -1 <= self.tau <= 1:
            raise ConfigError("tau", self.tau, "a cosine in [-1, 1]")
        if not 0 < self.novelty <= 1:
            raise ConfigError("novelty", self.novelty, "a cosine in (0, 1]")
        for name in ("query_weight", "word_weight"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ConfigError(name, getattr(self, name), "a number of at least 0")
        if not 0 <= self.superseded_weight <= 1:
            raise ConfigError("superseded_weight", self.superseded_weight, "a number in [0, 1]")
        if self.half_life_days is not None and not 0 < self.half_life_days < float("inf"):
            raise ConfigError("half_life_days", self.half_life_days, "a number of days above 0, or None")

    def open_places(self, count: int) -> int:
        """Return how many of a host's `count` entries may give up their place."""
        return min(self.replace, count // 2)


PAPER: Final = ExpandOptions(
    query_weight=0.0, word_weight=0.0, fading=False, reserved=0, causes=False, superseded_weight=1.0
)
"""The paper's rule: summed support alone."""
SIMILARITY: Final = ExpandOptions(query_weight=2.0, word_weight=0.0, fading=False, reserved=0)
"""Summed support, and twice the candidate's own cosine to the query."""


@dataclass(frozen=True, slots=True)
class _Contender:
    memory: Memory
    score: float
    is_host: bool
    """Whether it is one of the host's last entries."""
    claim: int | None
    """Of a kept place: 0 for antecedents of the host's first entry, 1 for those of the next ones, None for others and
    for what is demoted."""
    marks: tuple[Superseded, ...] = ()


def expand(
    hits: Sequence[Hit],
    links: Sequence[Link],
    *,
    query_vector: FloatArray,
    vectors: Mapping[str, FloatArray],
    memories: Mapping[str, Memory],
    limit: int,
    options: ExpandOptions,
    query: str = "",
    seeds: Sequence[Hit] = (),
    marks: Marks | None = None,
    now: datetime | None = None,
) -> Expansion:
    """Exchange the last of `hits` for better memories linked to those before them.

    Args:
        hits: The host's result, best first; of two with one id the first counts, and no more than `limit` count.
        links: Current links with an end among the hits; others are ignored.
        query_vector: Shape `(dim,)`.
        vectors: Vectors of hits and linked memories, each of shape `(dim,)`; one that is missing, zero, not finite or
            of another shape makes its memory neither a seed nor a candidate.
        memories: The linked memories as the host holds them now; one that is missing is not added.
        limit: Entries allowed, at least 0.
        options: How candidates are scored and admitted.
        query: The text of the query, whose words count by `options.word_weight`; "": no words count.
        seeds: Further memories that may lead to linked ones and are no entries themselves.
        marks: Says what is superseded; asked once, about the entries and the best of the linked memories. None: nothing
            is.
        now: When the question is asked, for `options.half_life_days`; None: by the clock.

    Returns:
        At most `limit` entries, and as many as the host returned of these. What stays is unchanged and in the host's
        order; what is replaced is among the host's last `options.replace` entries.

    Raises:
        ConfigError: `limit` is negative.
    """
    if limit < 0:
        raise ConfigError("limit", limit, "at least 0")
    found = distinct(hits)[:limit]
    open_places = options.open_places(len(found))
    fixed, last = found[: len(found) - open_places], found[len(found) - open_places :]
    shown = {hit.memory.id for hit in fixed}
    lasts = {hit.memory.id: hit for hit in last}
    leading = dict.fromkeys([*shown, *(hit.memory.id for hit in seeds)])
    space = Space.of(query_vector, vectors, [*leading, *lasts, *memories])
    seed_scores = space.at_least(options.tau, leading)
    back = options.causes and asks_for_cause(query)
    by_seeds = reached(links, seed_scores, shown, back=back)
    fresh = {} if options.half_life_days is None else freshness(links, options.half_life_days, now)

    def worth(memory_id: str) -> float:
        by = by_seeds.get(memory_id, ())
        scores = seed_scores
        if fresh:
            pairs = [(seed, (memory_id, seed) if direction == "prior" else (seed, memory_id)) for seed, direction in by]
            scores = {seed: seed_scores[seed] * fresh[pair] for seed, pair in pairs}
        supported = support(by, scores, fading=options.fading)
        return supported + options.query_weight * space.cosines.get(memory_id, 0.0)

    worths = {i: worth(i) for i in by_seeds if i not in lasts and i in memories and i in space.cosines}
    linked = sorted(worths, key=worths.__getitem__, reverse=True)[:MOST_CANDIDATES]
    texts = {hit.memory.id: hit.memory.text for hit in found} | {i: memories[i].text for i in linked}
    words = shared_words(query, texts) if options.word_weight and linked else {}
    outdated = marks([*(hit.memory for hit in found), *(memories[i] for i in linked)]) if marks is not None else {}
    firsts = [hit.memory.id for hit in fixed[: options.reserved_of]]
    contenders = []
    for memory in (*(hit.memory for hit in last), *(memories[i] for i in linked)):
        own = worths[memory.id] if memory.id in worths else worth(memory.id)
        by = by_seeds.get(memory.id, {})
        claim = 0 if is_behind(firsts[:1], by) else 1 if is_behind(firsts[1:], by) else None
        score = own + options.word_weight * words.get(memory.id, 0.0)
        gone_by = outdated.get(memory.id, ())
        if options.superseded_weight < 1 and gone_by and gone_by[0].whole:
            score, claim = min(score, score * options.superseded_weight), None
        contenders.append(_Contender(memory, score, memory.id in lasts, claim, gone_by))
    taken, skipped = _admit(contenders, shown, space, open_places, options)

    def paths(memory: Memory) -> tuple[Path, ...]:
        by = by_seeds[memory.id].items()
        found_paths = (Path(seed, direction, reason, seed_scores[seed]) for (seed, direction), reason in by)
        return tuple(sorted(found_paths, key=lambda path: (-path.seed_score, path.seed)))

    worth_of = {c.memory.id: c.score for c in contenders if c.is_host}

    def host_entry(hit: Hit) -> Entry:
        i = hit.memory.id
        return Entry(hit.memory, "host", hit.score, superseded_by=outdated.get(i, ()), worth=worth_of.get(i))

    stay = {c.memory.id for c in taken if c.is_host}
    gone = {i: hit for i, hit in lasts.items() if i not in stay}
    added = [c for c in taken if not c.is_host]
    return Expansion(
        (
            *(host_entry(hit) for hit in found if hit.memory.id not in gone),
            # The best takes the place of the host's last.
            *(
                Entry(c.memory, "cable", c.score, paths(c.memory), i, c.marks)
                for c, i in zip(added, reversed(gone), strict=True)
            ),
        ),
        limit,
        tuple(map(host_entry, gone.values())),
        tuple(Skipped(c.memory, reason, c.score, paths(c.memory), c.marks) for c, reason in skipped[:MOST_SKIPPED]),
        tuple(seed_scores),
    )


def _admit(
    contenders: Sequence[_Contender], shown: Set[str], space: Space, places: int, options: ExpandOptions
) -> tuple[list[_Contender], list[tuple[_Contender, str]]]:
    """Take the best while there is a place, a linked memory only if it is new beside all that is in the result.

    Of equal ones the host's entry stays, and of its entries the better. Returns those taken, and the linked ones that
    were not, both best first.
    """
    ranked = sorted(contenders, key=lambda c: (-c.score, not c.is_host))
    # The reserved places are given first; a near duplicate leaves its place to the next.
    first = sorted((c for c in ranked if c.claim is not None and not c.is_host), key=lambda c: c.claim or 0)
    taken: set[str] = set()
    near: set[str] = set()
    result = [space.rows[i] for i in shown if i in space.rows]
    for contender, end in [*((c, min(options.reserved, places)) for c in first), *((c, places) for c in ranked)]:
        memory_id = contender.memory.id
        if len(taken) >= end or memory_id in taken or memory_id in near:
            continue
        if not contender.is_host and space.nearest(memory_id, result) >= options.novelty:
            near.add(memory_id)
            continue
        taken.add(memory_id)
        result += [space.rows[memory_id]] if memory_id in space.rows else []
    left = [c for c in ranked if c.memory.id not in taken and not c.is_host]
    kept = [c for c in ranked if c.memory.id in taken]
    least = min((c.score for c in kept if c.claim is not None and not c.is_host), default=float("inf"))

    def reason(contender: _Contender) -> str:
        if contender.memory.id in near:
            return "near duplicate of an entry"
        # Among those taken only a reserved one can be worth less.
        return "its place was kept for what is behind the first entries" if contender.score > least else _NO_PLACE

    return kept, [(c, reason(c)) for c in left]
