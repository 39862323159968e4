"""Groups rows by tool, action, target and the like: over a whole scope from the index, without reading rows."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

from memory_evidence.tallymem.ledger import Ledger
from memory_evidence.tallymem.plan import Key
from memory_evidence.tallymem.rows import Row
from memory_evidence.tallymem.terms import contains


@dataclass(frozen=True, slots=True)
class Grouped:
    """Step ids by name, the most frequent first (ties: in order of first occurrence), and the rows that have a name."""

    groups: dict[str, tuple[int, ...]]
    found: Sequence[int]


def group(ledger: Ledger, found: Sequence[int], key: Key, only: Sequence[str] = ()) -> Grouped:
    """Group the rows at `found`, ascending positions, by `key`.

    Args:
        ledger: Where the rows are.
        found: Positions; a range where nothing is filtered.
        key: What to group by; a row may have several names (targets) or none (exit codes).
        only: Terms for the names that count; () for all.
    """
    places = _read(ledger, found, key) if len(found) * _FEW < len(ledger) else _indexed(ledger, found, key)
    nameless = places.pop("", None)  # steps without an action have no tool to be counted as one
    if only:
        places = {name: at for name, at in places.items() if any(contains(term)(name) for term in only)}
    ordered = sorted(places.items(), key=lambda item: (-len(item[1]), item[1][0]))
    groups = {name: ledger.ids_at(positions) for name, positions in ordered}
    if not only and nameless is None:
        return Grouped(groups, ledger.holding("tool" if key == "base" else key, found))
    return Grouped(groups, union(list(places.values()), len(ledger)))


def within(places: Sequence[int], scope: range) -> Sequence[int]:
    """Return the part of ascending `places` that lies in `scope`."""
    if not places or (places[0] >= scope.start and places[-1] < scope.stop):
        return places
    return places[bisect_left(places, scope.start) : bisect_left(places, scope.stop)]


def union(parts: Sequence[Sequence[int]], size: int) -> Sequence[int]:
    """Return the positions that are in any of `parts`, ascending, of a log of `size` rows."""
    if len(parts) == 1:
        return parts[0]
    if sum(map(len, parts)) * _FEW < size:
        return sorted(set().union(*parts))
    return list(compress(range(size), marked(parts, size)))


def marked(parts: Iterable[Sequence[int]], size: int) -> bytearray:
    """Return a byte for each of `size` rows, 1 where a part has it: a million of them fit a processor's cache."""
    marks = bytearray(size)
    for part in parts:
        for at in part:
            marks[at] = 1
    return marks


def names(ledger: Ledger, key: Key) -> Iterable[str]:
    """Return every name that the log has under `key`."""
    return _held(ledger, key)


def _held(ledger: Ledger, key: Key) -> Mapping[str, Sequence[int]]:
    """Return the positions of rows by what they hold under `key`, ascending."""
    if key != "base":
        return ledger.held(key)
    parts: defaultdict[str, list[Sequence[int]]] = defaultdict(list)
    for name, places in ledger.held("tool").items():
        parts[_base(name)].append(places)
    return {name: union(found, len(ledger)) for name, found in parts.items()}


def _base(tool: str) -> str:
    return tool.split(" ", 1)[0]


def _indexed(ledger: Ledger, found: Sequence[int], key: Key) -> dict[str, Sequence[int]]:
    held = _held(ledger, key).items()
    if isinstance(found, range):
        parts = [(name, within(places, found)) for name, places in held]
    else:
        chosen = marked([found], len(ledger))
        parts = [(name, [at for at in places if chosen[at]]) for name, places in held]
    return {name: places for name, places in parts if places}


def _read(ledger: Ledger, found: Sequence[int], key: Key) -> dict[str, Sequence[int]]:
    places: defaultdict[str, list[int]] = defaultdict(list)
    part = _PARTS.get(key)
    if part is not None:
        targets = ledger.targets
        for at in found:
            for name in targets[at][part]:
                places[name].append(at)
    else:
        rows, read = ledger.rows, _NAMES[key]
        for at in found:
            for name in read(rows[at]):
                places[name].append(at)
    return dict(places)


def _changed(row: Row) -> Iterable[str]:
    return dict.fromkeys(change.object for change in row.changes)


_FEW = 8
"""Rows that are fewer than the log's by this factor are read one by one, without a look at the names of the others."""

_PARTS: dict[Key, slice] = {"target": slice(None), "object": slice(1), "place": slice(-1, None)}
"""Keys that are part of a row's targets."""

_NAMES: dict[Key, Callable[[Row], Iterable[str]]] = {
    "tool": lambda row: (row.tool,),
    "base": lambda row: (_base(row.tool),),
    "action": lambda row: (row.action,),
    "outcome": lambda row: (row.outcome.value,),
    "exit_code": lambda row: () if row.exit_code is None else (str(row.exit_code),),
    "changed": _changed,
}
