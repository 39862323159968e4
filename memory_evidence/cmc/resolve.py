"""Replay statements in source order into one current graph (paper section 3: resolve, before any question).

A statement sits in the history of its slot: the (subject, relation) key. The last one decides a single-valued slot; in
a multi-valued slot the last one about each object decides. Histories are kept in source order whatever order statements
arrive in, so that an index that catches up late ends in the same state.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice


@dataclass(slots=True, eq=False)
class Statement:
    """One fact of one record, under its keys."""

    position: int
    order: int
    """Place within the record."""
    subject: str
    relation: str
    object: str
    subject_key: str
    relation_key: str
    object_key: str
    retracts: bool = False
    span: tuple[int, int] | None = None
    """Where the object stands in the record's text."""
    slot: SlotHistory = field(init=False, repr=False)
    """The history that it is part of, from `StateGraph.add` on: every read asks for it, statement by statement."""

    @property
    def at(self) -> tuple[int, int]:
        """Sort key: source order."""
        return (self.position, self.order)


def _at(statement: Statement) -> tuple[int, int]:
    return (statement.position, statement.order)


def _position(statement: Statement) -> int:
    return statement.position


def _first(item: tuple[str, SlotHistory]) -> tuple[int, int]:
    return item[1].statements[0].at


class SlotHistory:
    """All statements about one (subject, relation), in source order."""

    __slots__ = ("_live", "multi", "statements")

    def __init__(self, multi: bool) -> None:
        self.multi = multi
        self.statements: list[Statement] = []
        # Only a multi-valued slot needs its state kept: a single-valued one is read off the end of its history.
        self._live: dict[str, Statement] = {}

    def add(self, statement: Statement) -> None:
        """Add a statement at its place in source order."""
        statements = self.statements
        if not statements or statements[-1].at < statement.at:
            statements.append(statement)
            if self.multi:
                _replay(self._live, statement)
        else:
            insort(statements, statement, key=_at)
            if self.multi:
                self._live = _state(statements)

    def current(self, as_of: int | None = None) -> Sequence[Statement]:
        """Return the statements that hold (after record `as_of`), in source order of their last confirmation."""
        if not self.multi:
            return _last(self.statements, self._count(as_of))
        return list((self._live if as_of is None else _state(self.statements[: self._count(as_of)])).values())

    def standing(self, as_of: int | None = None) -> Sequence[Statement]:
        """Return the current statements, or the retraction that left the slot without any.

        A retraction of what was never said counts where its record says nothing before it ("Ann no longer works at
        Acme."); behind another fact it is only what that fact implies ("I like tea": not disliked).
        """
        count = self._count(as_of)
        current = self.current(as_of)
        if current or not count:
            return current
        last = self.statements[count - 1]
        told = last.order == 0 or any(not statement.retracts for statement in islice(self.statements, count))
        return (last,) if told else ()

    def latest(self, count: int, as_of: int | None = None) -> Sequence[Statement]:
        """Return the last `count` statements (up to record `as_of`), in source order."""
        stop = self._count(as_of)
        return self.statements[max(stop - count, 0) : stop]

    def ended_by(self, statement: Statement, as_of: int | None = None) -> Statement | None:
        """Return what ended `statement`'s value, or None while that value is current (or `statement` retracts)."""
        if statement.retracts or any(s.object_key == statement.object_key for s in self.current(as_of)):
            return None
        start = bisect_right(self.statements, statement.at, key=_at)
        for index in range(start, self._count(as_of)):  # not a slice: a history may be very long
            later = self.statements[index]
            same = later.object_key == statement.object_key
            if same or not later.object_key if later.retracts else not (same or self.multi):
                return later
        return None

    def _count(self, as_of: int | None) -> int:
        """Number of statements up to record `as_of`."""
        if as_of is None:
            return len(self.statements)
        return bisect_right(self.statements, as_of, key=_position)


def _last(statements: Sequence[Statement], count: int) -> Sequence[Statement]:
    # Single-valued: the last assertion holds unless a later retraction names its value, or names none.
    retracted: set[str] = set()
    for index in range(count - 1, -1, -1):
        statement = statements[index]
        if not statement.retracts:
            gone = "" in retracted or statement.object_key in retracted
            return () if gone else (statement,)
        retracted.add(statement.object_key)
    return ()


def _replay(live: dict[str, Statement], statement: Statement) -> None:
    if statement.retracts and not statement.object_key:
        live.clear()
        return
    live.pop(statement.object_key, None)  # a confirmed value moves to the end: source order of last confirmation
    if not statement.retracts:
        live[statement.object_key] = statement


def _state(statements: Sequence[Statement]) -> dict[str, Statement]:
    live: dict[str, Statement] = {}
    for statement in statements:
        _replay(live, statement)
    return live


@dataclass(slots=True)
class Run:
    """A stretch of a slot's history in which one value held."""

    first: Statement
    last: Statement
    """The statement that confirmed it last."""
    ended_by: Statement | None = None


def runs(statements: Sequence[Statement], multi: bool) -> list[Run]:
    """Return the stretches that `statements` (in source order) make up, in the order they began."""
    found: list[Run] = []
    live: dict[str, Run] = {}
    for statement in statements:
        key = statement.object_key
        if statement.retracts:
            ended = [key] if key else list(live)
        else:
            ended = [] if multi else [other for other in live if other != key]
        for other in ended:
            run = live.pop(other, None)
            if run is not None:
                run.ended_by = statement
        if statement.retracts:
            continue
        if key in live:
            live[key].last = statement
        else:
            live[key] = Run(statement, statement)
            found.append(live[key])
    return found


def ended(statements: Sequence[Statement], multi: bool) -> list[tuple[Statement, Statement]]:
    """Return the last statement of each stretch that ended, with what ended it, in the order the stretches began."""
    if multi:
        return [(run.last, run.ended_by) for run in runs(statements, multi) if run.ended_by is not None]
    # The same for one value at a time, without building the stretches: every read does this for every slot it selects.
    found: list[tuple[Statement, Statement]] = []
    live: Statement | None = None
    for statement in statements:
        same = live is not None and live.object_key == statement.object_key
        if live is not None and (same or not statement.object_key if statement.retracts else not same):
            found.append((live, statement))
            live = None
        if not statement.retracts:
            live = statement
    return found


class StateGraph:
    """The current graph of one scope; every query reads this one graph."""

    def __init__(self, multi_valued: frozenset[str] = frozenset()) -> None:
        self.multi_valued = multi_valued
        self._subjects: dict[str, dict[str, SlotHistory]] = {}
        self._with_multi: set[str] = set()
        self._size = 0
        self._newest = (0, 0)

    def __len__(self) -> int:
        """Number of statements."""
        return self._size

    def __contains__(self, subject_key: object) -> bool:
        return subject_key in self._subjects

    def add(self, statement: Statement) -> None:
        """Replay one statement."""
        slots = self._subjects.get(statement.subject_key)
        if slots is None:
            slots = self._subjects[statement.subject_key] = {}
        slot = slots.get(statement.relation_key)
        if slot is None:
            slot = slots[statement.relation_key] = SlotHistory(statement.relation_key in self.multi_valued)
            if slot.multi:
                self._with_multi.add(statement.subject_key)
        statement.slot = slot
        slot.add(statement)
        self._size += 1
        if (at := statement.at) >= self._newest:
            self._newest = at
        elif len(slots) > 1:
            # Late: the order of first mention may have changed.
            self._subjects[statement.subject_key] = dict(sorted(slots.items(), key=_first))

    def slots(self, subject_key: str) -> dict[str, SlotHistory]:
        """Return the slots of a subject by relation key, in order of first mention; not to be modified.

        Empty for an unknown subject.
        """
        return self._subjects.get(subject_key) or {}

    def first(self, subject_key: str) -> int:
        """Return the position of the first statement about a known subject."""
        return next(iter(self._subjects[subject_key].values())).statements[0].position

    def may_exceed(self, subject_key: str, limit: int) -> bool:
        """Whether a subject may have more than `limit` current statements; quick, never wrongly False."""
        return len(self._subjects.get(subject_key, ())) > limit or subject_key in self._with_multi

    def current(self, subject_key: str, as_of: int | None = None) -> Iterator[Statement]:
        """Yield the current statements about a subject, slot by slot in order of first mention."""
        for slot in self.slots(subject_key).values():
            yield from slot.current(as_of)

    def standing(self, subject_key: str, as_of: int | None = None) -> list[Statement]:
        """Return `current`, and for slots left without a value the retraction that did so."""
        found: list[Statement] = []
        for slot in self.slots(subject_key).values():
            last = slot.statements[-1]
            if as_of is None and not slot.multi and not last.retracts:
                found.append(last)  # by far the most frequent case
            else:
                found += slot.standing(as_of)
        return found

    def subjects(self) -> Iterator[str]:
        """Yield every subject key."""
        return iter(self._subjects)
