"""The event ledger: one row per step, built once per trajectory, with an index from values to rows."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from memory_evidence.errors import InputError
from memory_evidence.tallymem.actions import EDITOR_COMMANDS
from memory_evidence.tallymem.postings import ANY, FIELDS, NONZERO, Field, Postings
from memory_evidence.tallymem.reading import RowReader
from memory_evidence.tallymem.receipts import HOUSEHOLD, Receipt
from memory_evidence.tallymem.rows import Row
from memory_evidence.tallymem.trajectory import Step

__all__ = ("ANY", "FIELDS", "NONZERO", "Catalog", "Field", "Ledger")


@dataclass(frozen=True, slots=True)
class Catalog:
    """The ledger's own vocabulary, most frequent first: what a compiler may filter by."""

    tools: tuple[tuple[str, int], ...]
    targets: tuple[tuple[str, int], ...]
    properties: tuple[tuple[str, int], ...]
    first: int
    last: int
    steps: int


class Ledger:
    """Rows in step order; append-only, so that a live trajectory recomputes nothing."""

    def __init__(
        self,
        steps: Iterable[Step] = (),
        *,
        receipts: Sequence[Receipt] = HOUSEHOLD,
        tool_prefixes: Sequence[str] = (),
    ) -> None:
        """Build the rows of `steps` mechanically.

        Args:
            steps: In order, ids ascending.
            receipts: Forms of the sentences with which tools confirm what they did; tried in order.
            tool_prefixes: What is cut off the front of tool names, such as "functions." or "mcp__web__".
        """
        self._reader = RowReader(receipts, tool_prefixes)
        self._rows: list[Row] = []
        self._ids: array[int] = array("q")
        self._targets: list[tuple[str, ...]] = []
        self._untold: array[int] = array("q")
        self._postings = Postings()
        for step in steps:
            self.append(step)

    @classmethod
    def from_rows(cls, rows: Iterable[Row]) -> Ledger:
        """Build a ledger of rows that exist already (of a store, or of commits).

        Raises:
            InputError: The rows are not in step order.
        """
        ledger = cls()
        for row in rows:
            ledger._add(row)
        return ledger

    def append(self, step: Step) -> Row:
        """Add the row of one more step.

        Raises:
            InputError: Its id is not larger than the last one.
        """
        self._check(step.id)
        row = self._reader.read(step)
        self._add(row)
        return row

    def resume(self, step: Step, row: Row) -> None:
        """Add the row that `append` once made of the next step, so that later steps are read as they would have been.

        Raises:
            InputError: The step's id is not larger than the last one.
        """
        self._add(row)
        self._reader.replay(step, row)

    def annotated(self, annotations: Mapping[int, Row]) -> Ledger:
        """Return a ledger with the rows of these steps in the place of its own; no row is ever removed."""
        ledger = Ledger.from_rows(annotations.get(row.step, row) for row in self._rows)
        ledger._reader = self._reader
        return ledger

    @property
    def rows(self) -> Sequence[Row]:
        """The rows, in step order."""
        return self._rows

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, step: int) -> Row:
        """Return the row of a step.

        Raises:
            InputError: There is no such step.
        """
        at = bisect_left(self._ids, step)
        if at == len(self._ids) or self._ids[at] != step:
            raise InputError("the step", step, "one of the ledger's step ids")
        return self._rows[at]

    @property
    def ids(self) -> Sequence[int]:
        """The step ids, in order."""
        return self._ids

    @property
    def targets(self) -> Sequence[tuple[str, ...]]:
        """The targets of each row, in order."""
        return self._targets

    def span(self, low: int | None, high: int | None) -> range:
        """Return the positions of the rows whose step lies in [low, high]; None is open."""
        start = 0 if low is None else bisect_left(self._ids, low)
        stop = len(self._ids) if high is None else bisect_right(self._ids, high)
        return range(start, max(start, stop))

    def ids_at(self, positions: Sequence[int]) -> tuple[int, ...]:
        """Return the step ids at `positions`."""
        if isinstance(positions, range):
            return tuple(self._ids[positions.start : positions.stop])
        if self._ids and self._ids[-1] - self._ids[0] == len(self._ids) - 1:  # no gaps: a position tells its id
            first = self._ids[0]
            return tuple(positions) if first == 0 else tuple([at + first for at in positions])
        # One call for all of them: a group may hold a hundred thousand.
        return itemgetter(*positions)(self._ids) if len(positions) > 1 else tuple(self._ids[at] for at in positions)

    def values(self, field: Field) -> Mapping[str, Sequence[int]]:
        """Return every value of a field with the positions of the rows that hold it, ascending."""
        return self._postings.of(field)

    def held(self, key: str) -> Mapping[str, Sequence[int]]:
        """Return the positions of rows by what they hold under a key of the plan language, ascending."""
        return self._postings.held(key)

    def holding(self, key: str, found: Sequence[int]) -> Sequence[int]:
        """Return those of the positions `found` whose rows hold anything under a key."""
        return self._postings.holding(key, found)

    def knows(self, field: Field, term: str) -> bool:
        """Whether `term` occurs in a field anywhere in the log."""
        return bool(self._postings.matching(field, term))

    def postings(self, field: Field, terms: Iterable[str]) -> list[Sequence[int]]:
        """Return the positions of matching rows, ascending, in one list for each value that a term matches."""
        found = dict.fromkeys(value for term in terms for value in self._postings.matching(field, term))
        places = self._postings.of(field)
        return [places[value] for value in found]

    def positions(self, field: Field, terms: Iterable[str]) -> set[int]:
        """Return the positions of the rows that match one of the terms in a field."""
        return set().union(*self.postings(field, terms))

    def namesakes(self, name: str, found: Iterable[int]) -> dict[str, int]:
        """Return the different paths that end with `name`, with how many of the rows at `found` are about each.

        Args:
            name: A file's name or the end of a path; a whole path has no namesakes.
            found: Positions of rows.
        """
        return self._postings.namesakes(name, found)

    @property
    def has_editor(self) -> bool:
        """Whether a tool of this log is an editor with commands of its own."""
        return any(value.split(" ")[-1] in EDITOR_COMMANDS and " " in value for value in self.values("tool"))

    def untold(self, scope: range) -> set[int]:
        """Return the positions in `scope` of the rows that may have done anything to files."""
        return set(self._untold[bisect_left(self._untold, scope.start) : bisect_left(self._untold, scope.stop)])

    def catalog(self, *, targets: int = 40, properties: int = 20) -> Catalog:
        """Return the tools, the most frequent targets and the most frequent change properties."""
        tools = Counter({value: len(rows) for value, rows in self.held("tool").items() if value})
        kinds = Counter(change.property for row in self._rows for change in row.changes)
        named = Counter({value: len(rows) for value, rows in self.values("target").items()})
        return Catalog(
            tools=tuple(tools.most_common()),
            targets=tuple(named.most_common(targets)),
            properties=tuple(kinds.most_common(properties)),
            first=self._ids[0] if self._ids else 0,
            last=self._ids[-1] if self._ids else 0,
            steps=len(self._ids),
        )

    def _check(self, step: int) -> None:
        if self._ids and step <= self._ids[-1]:
            raise InputError("a step id", step, f"above the one before it, {self._ids[-1]}")

    def _add(self, row: Row) -> None:
        self._check(row.step)
        self._postings.add(row, len(self._rows))
        if row.untold:
            self._untold.append(len(self._rows))
        self._rows.append(row)
        self._ids.append(row.step)
        self._targets.append(row.targets)
