"""Where every value of the ledger stands: positions of rows by value, and the values that a term matches."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, islice
from typing import Literal, get_args

from memory_evidence.errors import ConfigError
from memory_evidence.tallymem.actions import runs_anything
from memory_evidence.tallymem.rows import Row
from memory_evidence.tallymem.terms import contains, equals, names, tells

Field = Literal["tool", "action", "target", "outcome", "change", "difference", "exit_code", "effect"]
"""What a filter may look at; `exit_code` and `effect` are ours, the others the paper's."""

FIELDS: tuple[Field, ...] = get_args(Field)
NONZERO = "nonzero"
"""A term of the field `exit_code`: any code but 0."""
ANY = "*"
"""A term of the field `change`: any recorded change."""

_MOST_TERMS = 1_024
_HELD: tuple[Field, ...] = ("action", "target", "outcome", "exit_code")
_NAMED = ("tool", "object", "place", "changed")
_FILE = re.compile(r"\S*[./]\S*")
_NUMBERED = re.compile(r"\s+\d+\Z")
_ABSOLUTE = ("/", "~", "http://", "https://", "file://")


class _Places(dict[str, "array[int]"]):
    """Positions of rows by a value that they hold; arrays, so that a million lie side by side in memory."""

    def __missing__(self, value: str) -> array[int]:
        made = self[value] = array("q")
        return made


class Postings:
    """The index of the rows of one ledger; all positions that it gives are ascending."""

    def __init__(self) -> None:
        self._postings: dict[Field, _Places] = {name: _Places() for name in FIELDS}
        self._by = {key: _Places() for key in _NAMED}
        self._holds = {key: bytearray() for key in ("target", "exit_code", "changed")}
        self._called: set[str] = set()
        self._folded: dict[Field, list[tuple[str, str]]] = {}
        self._matched: dict[tuple[Field, str], tuple[int, Sequence[str]]] = {}

    def add(self, row: Row, at: int) -> None:
        """Index a row under its position, which is the next one."""
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
            "tool": dict.fromkeys((row.tool, row.act)) if row.act else (row.tool,),
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

    def of(self, field: Field) -> Mapping[str, Sequence[int]]:
        """Return every value of a field with the positions of the rows that hold it."""
        return self._postings[field]

    def held(self, key: str) -> Mapping[str, Sequence[int]]:
        """Return the positions of rows by what they hold under a key of the plan language."""
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

    def matching(self, field: Field, term: str) -> Sequence[str]:
        """Return the values of `field` that `term` matches; found once for as long as there are no new values.

        Raises:
            ConfigError: There is no such field.
        """
        if field not in self._postings:
            raise ConfigError("field", field, "one of " + ", ".join(FIELDS))
        count = len(self._postings[field]) + len(self._called)
        known = self._matched.get((field, term))
        if known is None or known[0] != count:
            if len(self._matched) >= _MOST_TERMS:
                self._matched.clear()
            known = self._matched[field, term] = (count, self._match(field, term))
        return known[1]

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
            for value in self.matching("target", name)
            if f"/{value}".casefold().endswith(end)
            and (size := len(places.intersection(self._postings["target"][value])))
        }
        # The end of another path may be that path.
        return {one: size for one, size in paths.items() if not any(path.endswith(f"/{one}") for path in paths)}

    def _match(self, field: Field, term: str) -> Sequence[str]:
        values = self._postings[field]
        if field == "exit_code" and term == NONZERO:
            return [value for value in values if value != "0"]
        if field == "change" and term == ANY:
            return list(values)
        if field in ("outcome", "effect", "exit_code"):
            return [term] if term in values else []
        candidates = self._candidates(field, term)
        if field == "target":
            return _spelled(term, _named(term, candidates, called=term.casefold() in self._called))
        test = names(term) if field == "tool" else tells(term) if field == "change" else contains(term)
        return [value for value in candidates if test(value)]

    def _candidates(self, field: Field, term: str) -> list[str]:
        """Return the values that hold the term's first word somewhere: a cheap look before the exact one."""
        known = self._folded.setdefault(field, [])
        for value in islice(self._postings[field], len(known), None):
            known.append((value.casefold(), value))
        first = (term.split() or [""])[0].casefold().removeprefix("./")
        return [value for folded, value in known if first in folded]


def _named(term: str, values: list[str], *, called: bool) -> list[str]:
    """Return those of `values` that `term` names: the thing of that name, or else what holds it as whole words.

    Args:
        term: A name, the end of a path, or words.
        values: Targets.
        called: Whether a tool was called on exactly this file, which then is not its namesake in a folder. A shell's
            `a.py` may be any: it depends on where the shell is.
    """
    same = [value for value in values if equals(term)(value)]
    file = _FILE.fullmatch(term) is not None
    if same and (called or term.startswith(_ABSOLUTE)):
        return same
    if same and not file:
        # "spoon" is the thing of that name, and the kind of "spoon 1" where there are such.
        return [value for value in values if value in same or _NUMBERED.sub("", value).casefold() == term.casefold()]
    if not file:
        return [value for value in values if contains(term)(value)]
    # In a path a name is a part between slashes: `b.py` is not `a-b.py`, nor `my b.py`.
    part = "/" + term.casefold().removeprefix("./").strip("/") + "/"
    return [
        value
        for value in values
        if (part in f"/{value.casefold()}/" if "/" in value or value in same else contains(term)(value))
    ]


def _spelled(term: str, found: list[str]) -> list[str]:
    """Return `found` without those that differ only in case from one that holds `term` as it is spelled."""
    if not _FILE.fullmatch(term):
        return found
    exact = {value.casefold() for value in found if term in value}
    return [value for value in found if term in value or value.casefold() not in exact]
