"""Turn selected records into numbered lines within a budget (paper section 3, rendering)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memory_evidence.blocks import safe_line
from memory_evidence.cmc.keys import token_spans
from memory_evidence.cmc.resolve import StateGraph, Statement
from memory_evidence.tokens import Measure

BUDGET = 60_000
"""The paper's evidence budget, in characters."""

Overflow = Literal["nearest", "newest"]
"""What gives way when the budget binds: records far from the question (ours), or older ones (the paper's way)."""


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


def path_order(edges: Sequence[tuple[Statement, int]], canonical: Callable[[str], str]) -> list[int]:
    """Return record positions so that each edge is followed by the edges of its object (depth first, ours)."""
    by_subject: dict[str, list[Statement]] = {}
    for statement, _ in edges:
        by_subject.setdefault(statement.subject_key, []).append(statement)
    order: dict[int, None] = {}
    # An explicit stack: a chain may be longer than Python's recursion limit when the hop limit is raised.
    stack = [statement for statement, depth in reversed(edges) if depth == 0]
    while stack:
        statement = stack.pop()
        order[statement.position] = None
        stack.extend(reversed(by_subject.pop(canonical(statement.object_key), [])))
    for statement, _ in edges:
        order.setdefault(statement.position)
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


def mark_superseded(text: str, statements: Sequence[Statement], graph: StateGraph, as_of: int | None) -> str:
    """Return `text` as a safe line in which every value that no longer holds is marked with the record that ended it.

    Besides the span that stated the value, its other whole-word occurrences in the record are marked, unless they are
    part of a value that holds.
    """
    stale: dict[tuple[int, int], int] = {}
    current: list[tuple[int, int]] = []
    for statement in statements:
        if statement.span is None or statement.retracts:
            continue
        ended = graph.slot_of(statement).ended_by(statement, as_of)
        if ended is None:
            current.append(statement.span)
        else:
            stale[statement.span] = ended.position
    if not stale:
        return safe_line(text)
    boundaries = token_spans(text)
    starts, stops = {start for start, _ in boundaries}, {stop for _, stop in boundaries}
    for (start, stop), position in list(stale.items()):
        value, at = text[start:stop], text.find(text[start:stop])
        while at >= 0:
            end = at + len(value)
            inside = any(low <= at and end <= high for low, high in current)
            if not inside and (at, end) not in stale and at in starts and end in stops:
                stale[at, end] = position
            at = text.find(value, end)
    pieces: list[str] = []
    done = 0
    for (start, stop), position in sorted(stale.items()):
        if start < done:
            continue
        pieces += [safe_line(text[done:start]), f"[superseded by {position}: ", safe_line(text[start:stop]), "]"]
        done = stop
    pieces.append(safe_line(text[done:]))
    return "".join(pieces)
