"""By which seeds linked memories are reached, and how much these support them (paper section 3.2)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence, Set

from memory_evidence.cable.evidence import Direction
from memory_evidence.store.link import Link

__all__ = ["Reached", "is_behind", "most_supported", "reached", "support"]

Reached = dict[tuple[str, Direction], str]
"""By seed and direction: why they are linked."""


def reached(
    links: Iterable[Link], seeds: Mapping[str, float], fixed: Set[str], *, back: bool = False
) -> dict[str, Reached]:
    """Return by which seeds each memory that is not fixed is reached, over links in either direction.

    With `back` only antecedents are.
    """
    found: dict[str, Reached] = {}
    for prior, new, reason, *_ in links:
        if new in seeds and prior not in fixed:
            found.setdefault(prior, {}).setdefault((new, "prior"), reason)
        if not back and prior in seeds and new not in fixed:
            found.setdefault(new, {}).setdefault((prior, "later"), reason)
    return found


def support(by: Iterable[tuple[str, Direction]], seeds: Mapping[str, float], *, fading: bool) -> float:
    """Return the support of a memory that is reached by some seeds.

    Args:
        by: The seeds, as in `Reached`.
        seeds: Their cosines to the query.
        fading: Whether the n-th strongest counts 1/n (ours); off: the paper's sum.
    """
    scores = [seeds[seed] for seed, _ in by]
    if len(scores) == 1:  # most of them
        return scores[0]
    if not fading:
        return sum(scores)
    scores.sort(reverse=True)
    return sum([score / n for n, score in enumerate(scores, 1)])


def most_supported(
    links: Sequence[Link],
    seeds: Mapping[str, float],
    fixed: Set[str],
    firsts: Sequence[str],
    most: int,
    *,
    fading: bool,
) -> list[str]:
    """Return at most `most` of the memories that are linked to seeds and not fixed: those with the most support.

    Those behind `firsts` come before all others: a place may be kept for one of them.
    """
    found = reached(links, seeds, fixed)
    if len(found) <= most:
        return list(found)
    behind = {link.prior for link in links if link.new in firsts and link.new in seeds}
    ranks = {i: (i in behind, support(by, seeds, fading=fading)) for i, by in found.items()}
    return sorted(ranks, key=ranks.__getitem__, reverse=True)[:most]


def is_behind(seeds: Sequence[str], by: Container[tuple[str, Direction]]) -> bool:
    """Return whether a memory that is reached by `by` is an antecedent of one of `seeds`."""
    return any((seed, "prior") in by for seed in seeds)
