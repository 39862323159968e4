"""Turn selected records into numbered lines within a budget (paper section 3, rendering)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from memory_evidence.blocks import safe_line
from memory_evidence.cmc.keys import token_spans
from memory_evidence.cmc.resolve import Statement
from memory_evidence.tokens import Measure

BUDGET = 60_000
"""The paper's evidence budget, in characters."""

Overflow = Literal["nearest", "newest"]
"""What gives way when the budget binds: records far from the question (ours), or older ones (the paper's way)."""


Fallback = Literal["history", "nothing"]
"""What is shown where the question selects nothing: the newest records (the paper's way), or nothing (ours)."""


@dataclass(slots=True)
class Fitted:
    """The lines that fit, by position, and how many records did not."""

    lines: dict[int, str]
    left_out: int


def fit_newest(
    positions: Iterable[int], total: int, line: Callable[[int], str], budget: int, measure: Measure
) -> Fitted:
    """Keep the newest contiguous run of whole records: stop at the first that does not fit.

    Args:
        positions: Newest first; read only as far as the budget goes.
        total: How many there are.
        line: Renders a record.
        budget: In the unit of `measure`.
        measure: Cost of a line.
    """
    lines: dict[int, str] = {}
    for position in positions:
        text = line(position)
        budget -= measure(text) + 1
        if budget < -1:  # the last line has no newline after it
            break
        lines[position] = text
    return Fitted(lines, total - len(lines))


def fit_nearest(ranked: Iterable[int], line: Callable[[int], str], budget: int, measure: Measure) -> Fitted:
    """Keep records in the order given, skipping those that do not fit."""
    lines: dict[int, str] = {}
    left_out = 0
    for position in ranked:
        text = line(position)
        cost = measure(text) + 1
        if cost > budget + 1:
            left_out += 1
            continue
        budget -= cost
        lines[position] = text
    return Fitted(lines, left_out)


def path_order(
    edges: Sequence[tuple[Statement, int]],
    named: Callable[[str], Sequence[str]],
    asked: frozenset[str],
    words: Callable[[Statement], Iterable[str]],
) -> list[int]:
    """Return record positions so that edges stand in the order they connect, the path that answers last (ours).

    That path is the one whose edges say most of what is asked: among equals the shortest if they say all of it, else
    the longest, because then something that is asked lies beyond. A reader's attention is on the end. All other edges
    stand before it, each followed by the edges of its object.

    Args:
        edges: Breadth first, each with the depth of its subject.
        named: Returns the subjects that an object key stands for.
        asked: What the question asks, besides the names it starts from.
        words: What an edge says.
    """
    led_by: list[int | None] = []
    said: list[frozenset[str]] = []
    lengths: list[int] = []
    leads_to: dict[str, int] = {}
    by_subject: dict[str, list[Statement]] = {}
    for number, (statement, depth) in enumerate(edges):
        by_subject.setdefault(statement.subject_key, []).append(statement)
        leader = leads_to.get(statement.subject_key) if depth else None
        led_by.append(leader)
        before = frozenset[str]() if leader is None else said[leader]
        said.append(before | asked.intersection(words(statement)))
        lengths.append(1 if leader is None else lengths[leader] + 1)
        for subject in named(statement.object_key):
            leads_to.setdefault(subject, number)

    def worth(number: int) -> tuple[int, int]:
        says_all = said[number] == asked
        return len(said[number]), -lengths[number] if says_all else lengths[number]

    path: list[int] = []
    step = max(range(len(edges)), key=worth, default=None) if asked else None
    while step is not None:
        path.append(edges[step][0].position)
        step = led_by[step]
    order: dict[int, None] = {}
    for root in dict.fromkeys(statement.subject_key for statement, depth in edges if depth == 0):
        # An explicit stack: a chain may be longer than Python's recursion limit when the hop limit is raised.
        stack = by_subject.pop(root, [])[::-1]
        while stack:
            statement = stack.pop()
            order[statement.position] = None
            for subject in named(statement.object_key)[::-1]:
                stack.extend(by_subject.pop(subject, [])[::-1])
    for position in path[::-1]:
        del order[position]
        order[position] = None
    return list(order)


def descending(*groups: Sequence[int]) -> Iterator[int]:
    """Merge ascending position lists into one descending run without duplicates, lazily."""
    ends = [len(group) - 1 for group in groups]
    while True:
        newest = max((group[end] for group, end in zip(groups, ends, strict=True) if end >= 0), default=None)
        if newest is None:
            return
        yield newest
        for index, group in enumerate(groups):
            while ends[index] >= 0 and group[ends[index]] == newest:
                ends[index] -= 1


def mark_superseded(text: str, statements: Sequence[Statement], as_of: int | None) -> str:
    """Return `text` as a safe line in which every value that no longer holds is marked with the record that ended it.

    Besides the span that stated the value, its other whole-word occurrences in the record are marked, in any case,
    unless they are part of a value that holds.
    """
    stale: dict[tuple[int, int], int] = {}
    current: list[tuple[int, int]] = []
    for statement in statements:
        if statement.span is None or statement.retracts:
            continue
        ended = statement.slot.ended_by(statement, as_of)
        if ended is None:
            current.append(statement.span)
        else:
            stale[statement.span] = ended.position
    if not stale:
        return safe_line(text)
    stale = _repeated(text, stale, sorted(current)) | stale
    pieces: list[str] = []
    done = 0
    for start, stop in sorted(stale, key=_longest_first):
        position, start = stale[start, stop], max(start, done)
        if start >= stop:
            continue
        pieces += [safe_line(text[done:start]), f"[superseded by {position}: ", safe_line(text[start:stop]), "]"]
        done = stop
    pieces.append(safe_line(text[done:]))
    return "".join(pieces)


def _repeated(
    text: str, stale: Mapping[tuple[int, int], int], current: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], int]:
    """Return where else in `text` a stale value stands as whole words, outside of the `current` spans (ascending).

    One pass over the words, however many values there are: a message may state hundreds of facts.
    """
    values = {text[start:stop].lower(): position for (start, stop), position in stale.items()}
    counts: dict[str, set[int]] = {}
    for value in values:
        words = token_spans(value)
        if words:
            counts.setdefault(value[slice(*words[0])], set()).add(len(words))
    starts = [start for start, _ in current]
    reaches = list(accumulate((stop for _, stop in current), max))
    spans = token_spans(text)
    found: dict[tuple[int, int], int] = {}
    for index, (start, stop) in enumerate(spans):
        for count in counts.get(text[start:stop].lower(), ()):
            if index + count > len(spans):
                continue
            end = spans[index + count - 1][1]
            position = values.get(text[start:end].lower())
            before = bisect_right(starts, start)
            if position is not None and not (before and reaches[before - 1] >= end):
                found[start, end] = position
    return found


def _longest_first(span: tuple[int, int]) -> tuple[int, int]:
    return span[0], -span[1]
