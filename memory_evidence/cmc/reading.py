"""One read: anchor, traverse, choose records within the budget, render, and say in the receipt how."""

from __future__ import annotations

import logging
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from time import perf_counter

from memory_evidence.blocks import safe_line
from memory_evidence.cmc.evidence import Edge, Evidence, Order, Period, Receipt, Superseded
from memory_evidence.cmc.hubs import terms
from memory_evidence.cmc.index import CompiledIndex, holds
from memory_evidence.cmc.keys import fold
from memory_evidence.cmc.render import (
    Fallback,
    Fitted,
    Overflow,
    descending,
    fit_nearest,
    fit_newest,
    mark_superseded,
    path_order,
)
from memory_evidence.cmc.resolve import SlotHistory, Statement, ended, runs
from memory_evidence.cmc.traverse import Closure, HubFilter, Named, traverse
from memory_evidence.lexical import BM25Index
from memory_evidence.tokens import Measure

logger = logging.getLogger(__name__)

_EARLIER = re.compile(
    r"\b(?:previous(?:ly)?|former(?:ly)?|prior|earlier|initial(?:ly)?|original(?:ly)?|used to|at first|"
    r"in the past|before)\b"
)
"""Words by which a question asks for an earlier value."""
_EARLIER_STEMS = (
    "previous",
    "former",
    "prior",
    "earlier",
    "initial",
    "original",
    "used to",
    "at first",
    "past",
    "before",
)
"""What every such word holds: looking for these first is ten times faster than the pattern."""
_TAIL = 32
"""Statements of one slot that a read looks back over: a value that changes all day has a history without end."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a memory reads; see `ContractMemory` for each."""

    hops: int
    budget: int
    measure: Measure
    order: Order
    overflow: Overflow
    unresolved_limit: int | None
    earlier: bool
    fallback: Fallback


def read(index: CompiledIndex, question: str, options: ReadOptions, as_of: int | None) -> Evidence:
    """Answer one question from the compiled index."""
    started = perf_counter()
    asked_as_of = as_of
    if as_of is not None and as_of >= len(index):
        as_of = None
    last = len(index) if as_of is None else as_of
    anchors = index.anchors.find(question, None if as_of is None else partial(index.held, as_of=as_of))
    named = index.anchors.named if as_of is None else partial(index.named, as_of=as_of)
    closure = traverse(
        index.graph,
        anchors,
        hops=options.hops,
        as_of=as_of,
        hub_filter=_hub_filter(index, question, as_of),
        named=named,
    )
    superseded = _superseded(closure, as_of)
    earlier = options.earlier and bool(superseded) and _asks_for_earlier(question, closure)
    selected = {statement.position: depth for statement, depth in reversed(closure.edges)}
    for statement in closure.retractions:
        selected.setdefault(statement.position, options.hops)
    if earlier:
        for old in superseded:
            selected.setdefault(old.position, options.hops)
    fallback = not selected and last > 0 and options.fallback == "history"
    line = _line(index, as_of)
    if fallback:
        fitted = fit_newest(range(last, 0, -1), last, line, options.budget, options.measure)
    elif not selected:
        fitted = Fitted({}, 0)
    else:
        fitted = _fit(selected, _unresolved(index, question, options, last), line, options)
    if fitted.left_out and not fitted.lines:
        logger.warning("none of %d records fits into the budget of %d", fitted.left_out, options.budget)
    shown = sorted(fitted.lines)
    if options.order == "path":
        path = _path(question, anchors, closure, named, fitted)
        placed = set(path)
        shown = [*path, *(position for position in shown if position not in placed)]
    receipt = Receipt(
        anchors=tuple(_display(index, key) for key in anchors),
        hops=closure.hops,
        cap_reached=closure.cap_reached,
        overflow=fitted.left_out,
        fallback="history" if fallback else None,
        superseded=superseded,
        retracted=tuple(sorted({s.position for s in closure.retractions if s.position in fitted.lines})),
        hubs=tuple((_display(index, key), kept, total) for key, (kept, total) in closure.hubs.items()),
        unresolved=sum(map(index.is_unresolved, shown)) if index.unresolved else 0,
        pending=len(index.pending) if as_of is None else sum(position <= last for position in index.pending),
        earlier=earlier,
        as_of=asked_as_of,
        elapsed_ms=(perf_counter() - started) * 1_000,
    )
    edges = tuple(Edge(s.subject, s.relation, s.object, s.position, depth) for s, depth in closure.edges)
    text = "\n".join([fitted.lines[position] for position in shown])
    return Evidence(question, text, tuple(shown), edges, receipt, options.order)


def periods(slot: SlotHistory) -> Iterator[Period]:
    """Yield the values of a slot in the order they came to hold."""
    for run in runs(slot.statements, slot.multi):
        until = run.ended_by.position if run.ended_by else None
        yield Period(run.last.object, run.first.position, run.last.position, until)


def _hub_filter(index: CompiledIndex, question: str, as_of: int | None) -> HubFilter | None:
    hubs = index.hubs
    if hubs is None:
        return None
    asked: list[str] | None = None

    def cut(subject: str) -> tuple[Sequence[Statement], int] | None:
        nonlocal asked
        if not hubs.is_hub(subject):
            return None
        if asked is None:
            asked = terms(question)
        return hubs.nearest(subject, asked, as_of)

    return cut


def _asks_for_earlier(question: str, closure: Closure) -> bool:
    folded = fold(question)
    if not any(stem in folded for stem in _EARLIER_STEMS):
        return False
    cues = {match[0] for match in _EARLIER.finditer(folded)}
    # "Who is the original broadcaster of ...?" names a relation; it does not ask for its first value.
    return bool(cues) and not all(any(cue in fold(s.relation) for s, _ in closure.edges) for cue in cues)


def _superseded(closure: Closure, as_of: int | None) -> tuple[Superseded, ...]:
    found: list[Superseded] = []
    seen: set[SlotHistory] = set()
    for statement in chain((statement for statement, _ in closure.edges), closure.retractions):
        slot = statement.slot
        statements: Sequence[Statement] = slot.statements
        if len(statements) == 1:
            continue
        if slot.multi:  # several values may hold, and each of them leads here
            if slot in seen:
                continue
            seen.add(slot)
        if as_of is not None or len(statements) > _TAIL:
            statements = slot.latest(_TAIL, as_of)
        for old, end in ended(statements, slot.multi):
            found.append(Superseded(old.subject, old.relation, old.object, old.position, end.position))
    return tuple(found)


def _unresolved(index: CompiledIndex, question: str, options: ReadOptions, last: int) -> Sequence[int]:
    """Return the positions of the unresolved records to show, ascending."""
    positions = index.unresolved
    if not positions:
        return ()
    ranking = index.unresolved_terms
    if positions[-1] > last:
        positions = positions[: bisect_right(positions, last)]
        if ranking is not None:
            ranking = BM25Index()
            for position in positions:
                ranking.add(position, terms(index.text(position)))
    if options.unresolved_limit is None or ranking is None:
        return positions
    return sorted(
        position
        for position, _ in ranking.top(terms(question), options.unresolved_limit, prefer=lambda position: position)
    )


def _fit(
    selected: dict[int, int], unresolved: Sequence[int], line: Callable[[int], str], options: ReadOptions
) -> Fitted:
    budget, measure = options.budget, options.measure
    others = len(unresolved) - sum(holds(unresolved, position) for position in selected) if unresolved else 0
    if options.overflow == "newest":
        positions = descending(sorted(selected), unresolved)
        return fit_newest(positions, len(selected) + others, line, budget, measure)
    ranked = sorted(selected, key=lambda position: (selected[position], -position))
    near = fit_nearest(ranked, line, budget, measure)
    if not others:
        return near
    budget -= sum(measure(text) + 1 for text in near.lines.values())
    rest = fit_newest((p for p in reversed(unresolved) if p not in selected), others, line, budget, measure)
    return Fitted(near.lines | rest.lines, near.left_out + rest.left_out)


def _path(question: str, anchors: Iterable[str], closure: Closure, named: Named, fitted: Fitted) -> list[int]:
    asked = frozenset(terms(question)) - frozenset(chain.from_iterable(map(terms, anchors)))
    order = path_order(closure.edges, named, asked, lambda statement: terms(statement.relation))
    return [position for position in order if position in fitted.lines]


def _line(index: CompiledIndex, as_of: int | None) -> Callable[[int], str]:
    texts, speakers, statements_of = index.texts, index.speakers, index.statements

    def line(position: int) -> str:
        text = texts[position - 1]
        # "I" is somebody else in another's record; the user's own lines stand as they are (the paper's way).
        who = f"{safe_line(' '.join(speakers[position].split()))}: " if position in speakers else ""
        statements = statements_of(position)
        for statement in statements:
            # The last word on its slot is current (or a retraction): nothing to mark.
            if as_of is not None or statement.slot.statements[-1] is not statement:
                return f"{position}. {who}{mark_superseded(text, statements, as_of)}"
        return f"{position}. {who}{safe_line(text)}"

    return line


def _display(index: CompiledIndex, subject_key: str) -> str:
    slot = next(iter(index.graph.slots(subject_key).values()), None)
    return slot.statements[0].subject if slot else subject_key
