"""The event ledger: one row per step, built once per trajectory, with an index from values to rows."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, islice
from operator import itemgetter
from typing import Literal, get_args

from memory_evidence.errors import ConfigError, InputError
from memory_evidence.tallymem.actions import EDITOR_COMMANDS, Call, read_action, runs_anything
from memory_evidence.tallymem.receipts import HOUSEHOLD, Receipt, ReceiptReader
from memory_evidence.tallymem.rows import Row
from memory_evidence.tallymem.terms import contains, equals, names, tells
from memory_evidence.tallymem.trajectory import Step

Field = Literal["tool", "action", "target", "outcome", "change", "difference", "exit_code", "effect"]
"""What a filter may look at; `exit_code` and `effect` are ours, the others the paper's."""

FIELDS: tuple[Field, ...] = get_args(Field)
NONZERO = "nonzero"
"""A term of the field `exit_code`: any code but 0."""
ANY = "*"
"""A term of the field `change`: any recorded change."""

_DIFFERENCE = 200
_MOST_TERMS = 1_024
_HELD: tuple[Field, ...] = ("action", "target", "outcome", "exit_code")
_NAMED = ("tool", "object", "place", "changed")
_FILE = re.compile(r"\S*[./]\S*")
_ABSOLUTE = ("/", "~", "http://", "https://", "file://")


@dataclass(frozen=True, slots=True)
class Catalog:
    """The ledger's own vocabulary, most frequent first: what a compiler may filter by."""

    tools: tuple[tuple[str, int], ...]
    targets: tuple[tuple[str, int], ...]
    properties: tuple[tuple[str, int], ...]
    first: int
    last: int
    steps: int


class _Places(dict[str, "array[int]"]):
    """Positions of rows by a value that they hold; arrays, so that a million lie side by side in memory."""

    def __missing__(self, value: str) -> array[int]:
        made = self[value] = array("q")
        return made


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
        self._prefixes = tuple(tool_prefixes)
        self._rows: list[Row] = []
        self._ids: array[int] = array("q")
        self._targets: list[tuple[str, ...]] = []
        self._by = {key: _Places() for key in _NAMED}
        self._holds = {key: bytearray() for key in ("target", "exit_code", "changed")}
        self._reader = ReceiptReader(tuple(receipts))
        self._last_calls: dict[tuple[str, str], Call | Step] = {}
        self._postings: dict[Field, _Places] = {name: _Places() for name in FIELDS}
        self._called: set[str] = set()
        self._folded: dict[Field, list[tuple[str, str]]] = {}
        self._matched: dict[tuple[Field, str], tuple[int, Sequence[str]]] = {}
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
        call = read_action(step, self._prefixes)
        self._check(step.id)
        outcome, quote, changes, code = self._reader.read(step, call)
        row = Row(
            step=step.id,
            tool=call.tool,
            act=call.act,
            action=step.action,
            targets=call.targets,
            outcome=outcome,
            quote=quote,
            changes=changes,
            difference=self._difference(call),
            exit_code=code,
            effect=call.effect,
        )
        self._add(row)
        return row

    def resume(self, step: Step, row: Row) -> None:
        """Add the row that `append` once made of the next step, so that later steps are read as they would have been.

        Raises:
            InputError: The step's id is not larger than the last one.
        """
        self._add(row)
        self._reader.replay(row)
        # Its arguments are read when a later action with the same tool and path is compared to it.
        self._last_calls[row.tool, row.targets[0] if row.targets else ""] = step

    def annotated(self, annotations: Mapping[int, Row]) -> Ledger:
        """Return a ledger with the rows of these steps in the place of its own; no row is ever removed."""
        ledger = Ledger.from_rows(annotations.get(row.step, row) for row in self._rows)
        ledger._reader, ledger._last_calls, ledger._prefixes = self._reader, self._last_calls, self._prefixes
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

    def span(self, low: int | None, high: int | None) -> range:
        """Return the positions of the rows whose step lies in [low, high]; None is open."""
        start = 0 if low is None else bisect_left(self._ids, low)
        stop = len(self._ids) if high is None else bisect_right(self._ids, high)
        return range(start, max(start, stop))

    def values(self, field: Field) -> Mapping[str, Sequence[int]]:
        """Return every value of a field with the positions of the rows that hold it, ascending."""
        return self._postings[field]

    def knows(self, field: Field, term: str) -> bool:
        """Whether `term` occurs in a field anywhere in the log."""
        return any(True for _ in self._matching(field, term))

    @property
    def has_editor(self) -> bool:
        """Whether a tool of this log is an editor with commands of its own."""
        return any(value.split(" ")[-1] in EDITOR_COMMANDS and " " in value for value in self._postings["tool"])

    @property
    def ids(self) -> Sequence[int]:
        """The step ids, in order."""
        return self._ids

    @property
    def targets(self) -> Sequence[tuple[str, ...]]:
        """The targets of each row, in order."""
        return self._targets

    def ids_at(self, positions: Sequence[int]) -> tuple[int, ...]:
        """Return the step ids at `positions`."""
        if isinstance(positions, range):
            return tuple(self._ids[positions.start : positions.stop])
        if self._ids and self._ids[-1] - self._ids[0] == len(self._ids) - 1:  # no gaps: a position tells its id
            first = self._ids[0]
            return tuple(positions) if first == 0 else tuple([at + first for at in positions])
        # One call for all of them: a group may hold a hundred thousand.
        return itemgetter(*positions)(self._ids) if len(positions) > 1 else tuple(self._ids[at] for at in positions)

    def held(self, key: str) -> Mapping[str, Sequence[int]]:
        """Return the positions of rows by what they hold under a key of the plan language, ascending."""
        if key in self._by:  # the postings of the field "tool" hold acts as well
            return self._by[key]
        return next(self._postings[name] for name in _HELD if name == key)

    def holding(self, key: str, found: Sequence[int]) -> Sequence[int]:
        """Return those of the positions `found` whose rows hold anything under a key."""
        if key in ("tool", "action", "outcome") or not found:
            return found
        holds = self._holds["target" if key in ("object", "place") else key]
        if isinstance(found, range):
            return list(compress(found, holds[found.start : found.stop]))
        return [at for at in found if holds[at]]

    def postings(self, field: Field, terms: Iterable[str]) -> list[Sequence[int]]:
        """Return the positions of matching rows, ascending, in one list for each value that a term matches."""
        found = dict.fromkeys(value for term in terms for value in self._matching(field, term))
        return [self._postings[field][value] for value in found]

    def namesakes(self, name: str, found: Iterable[int]) -> dict[str, int]:
        """Return the different paths that end with `name`, with how many of the rows at `found` are about each.

        Args:
            name: A file's name or the end of a path; a whole path has no namesakes.
            found: Positions of rows.
        """
        if name.startswith(_ABSOLUTE) or not _FILE.fullmatch(name):
            return {}
        end, places = "/" + name.casefold().removeprefix("./"), set(found)
        paths = {
            value: size
            for value in self._matching("target", name)
            if f"/{value}".casefold().endswith(end)
            and (size := len(places.intersection(self._postings["target"][value])))
        }
        # The end of another path may be that path.
        return {one: size for one, size in paths.items() if not any(path.endswith(f"/{one}") for path in paths)}

    def positions(self, field: Field, terms: Iterable[str]) -> set[int]:
        """Return the positions of the rows that match one of the terms in a field."""
        return set().union(*self.postings(field, terms))

    def running(self, scope: range) -> set[int]:
        """Return the positions in `scope` of the rows whose tool runs commands or code: what they did is unknown."""
        rows = self._rows
        places = [at for tool, at in self._by["tool"].items() if runs_anything(tool, rows[at[0]].action)]
        return {at for found in places for at in found if at in scope and self._rows[at].effect is None}

    def catalog(self, *, targets: int = 40, properties: int = 20) -> Catalog:
        """Return the tools, the most frequent targets and the most frequent change properties."""
        tools = Counter({value: len(rows) for value, rows in self._by["tool"].items() if value})
        kinds = Counter(change.property for row in self._rows for change in row.changes)
        named = Counter({value: len(rows) for value, rows in self._postings["target"].items()})
        return Catalog(
            tools=tuple(tools.most_common()),
            targets=tuple(named.most_common(targets)),
            properties=tuple(kinds.most_common(properties)),
            first=self._ids[0] if self._ids else 0,
            last=self._ids[-1] if self._ids else 0,
            steps=len(self._ids),
        )

    def _matching(self, field: Field, term: str) -> Sequence[str]:
        """Return the values of `field` that `term` matches; found once for as long as there are no new values."""
        if field not in self._postings:
            raise ConfigError("field", field, "one of " + ", ".join(FIELDS))
        count = len(self._postings[field]) + len(self._called)
        known = self._matched.get((field, term))
        if known is None or known[0] != count:
            if len(self._matched) >= _MOST_TERMS:
                self._matched.clear()
            known = self._matched[field, term] = (count, self._match(field, term))
        return known[1]

    def _match(self, field: Field, term: str) -> Sequence[str]:
        values = self._postings[field]
        if field == "exit_code" and term == NONZERO:
            return [value for value in values if value != "0"]
        if field == "change" and term == ANY:
            return list(values)
        if field in ("outcome", "effect", "exit_code"):
            return [term] if term in values else []
        candidates = self._candidates(field, term)
        if field == "target" and (term.startswith(_ABSOLUTE) or term.casefold() in self._called):
            # A whole path is that path and nothing below it, if the log has it; a file that a tool was called on is not
            # its namesake in a folder. A shell's `a.py` may be any: it depends on where the shell is.
            same = [value for value in candidates if equals(term)(value)]
            if same:
                return _spelled(term, same)
        test = names(term) if field == "tool" else tells(term) if field == "change" else contains(term)
        found = [value for value in candidates if test(value)]
        return _spelled(term, found) if field == "target" and _FILE.fullmatch(term) else found

    def _candidates(self, field: Field, term: str) -> list[str]:
        """Return the values that hold the term's first word somewhere: a cheap look before the exact one."""
        known = self._folded.setdefault(field, [])
        for value in islice(self._postings[field], len(known), None):
            known.append((value.casefold(), value))
        first = (term.split() or [""])[0].casefold()
        return [value for folded, value in known if first in folded]

    def _check(self, step: int) -> None:
        if self._ids and step <= self._ids[-1]:
            raise InputError("a step id", step, f"above the one before it, {self._ids[-1]}")

    def _add(self, row: Row) -> None:
        self._check(row.step)
        at = len(self._rows)
        self._rows.append(row)
        self._ids.append(row.step)
        self._targets.append(row.targets)
        self._by["tool"][row.tool].append(at)
        for key, named in (("target", row.targets), ("exit_code", row.exit_code is not None), ("changed", row.changes)):
            self._holds[key].append(bool(named))
        if row.targets and not runs_anything(row.tool, row.action):
            self._called.update(name.casefold() for name in row.targets if _FILE.fullmatch(name))
        if row.targets:
            self._by["object"][row.targets[0]].append(at)
            self._by["place"][row.targets[-1]].append(at)
        if row.changes:
            for name in dict.fromkeys(change.object for change in row.changes):
                self._by["changed"][name].append(at)
        held: dict[Field, Iterable[str]] = {
            # Tool terms match the tool or the act.
            "tool": {row.tool, f"{row.act}"} if row.act else (row.tool,),
            "action": (row.action,),
            "target": dict.fromkeys(row.targets),
            "outcome": (row.outcome.value,),
            "change": dict.fromkeys(map(str, row.changes)),
            "difference": (row.difference,) if row.difference else (),
            "exit_code": (str(row.exit_code),) if row.exit_code is not None else (),
            "effect": (row.effect.value,) if row.effect else (),
        }
        for field, values in held.items():
            postings = self._postings[field]
            for value in values:
                postings[value].append(at)

    def _difference(self, call: Call) -> str:
        """Return how the arguments differ from those of the last action with the same tool and path."""
        key = call.tool, call.targets[0] if call.targets else ""
        last = self._last_calls.get(key)
        self._last_calls[key] = call
        if isinstance(last, Step):
            last = read_action(last, self._prefixes)
        if last is None or last.arguments is None or call.arguments is None:
            return ""
        changed = [
            f"{name}: {_short(last.arguments.get(name))} -> {_short(call.arguments.get(name))}"
            for name in dict.fromkeys([*last.arguments, *call.arguments])
            if last.arguments.get(name) != call.arguments.get(name)
        ]
        return "; ".join(changed)


def _spelled(term: str, found: list[str]) -> list[str]:
    """Return `found` without those that differ only in case from one that holds `term` as it is spelled."""
    exact = {value.casefold() for value in found if term in value}
    return [value for value in found if term in value or value.casefold() not in exact]


def _short(value: object) -> str:
    text = " ".join(str(value).split()) if value is not None else "none"
    return text if len(text) <= _DIFFERENCE else text[:_DIFFERENCE] + "..."
