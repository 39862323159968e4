"""What a clause asks for: an operation, and what it runs over, told by the first noun that stands for a key."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from memory_evidence.tallymem.clause import Clause
from memory_evidence.tallymem.kinds import check_class
from memory_evidence.tallymem.phrases import JOIN
from memory_evidence.tallymem.plan import Key, Operation
from memory_evidence.tallymem.vocabulary import class_of
from memory_evidence.tallymem.wording import FILES, PLACES, THINGS, TOOLS, WORD, words

_WHOLE = words("tool tools function functions")
"""What has commands of its own, where an editor is one: `editor view` is no other tool than `editor create`."""
_NUMBER = re.compile(r"\s+\d")
_EXIT_CODES = re.compile(r"\b(?:exit|return)[- ](?:codes?|status(?:es)?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """An operation with what it runs over."""

    operation: Operation
    by: Key | None = None
    only: tuple[str, ...] = ()
    """A class of targets that counts: "drawer" in "how many drawers"."""
    each: bool = False
    """Whether it asks for a quantity of each of these: "how many drawers and cabinets"."""
    ever: bool = False
    """Whether it asks for yes or no: whether the count is above 0."""
    same: bool = False
    """Whether it leaves out what it counts, as in "and how many were edited": what the clause before it counts."""


def over(clause: Clause, operation: Operation, start: int = 0) -> Asked:
    """Return `operation` over what the first noun of the clause, from `start` on, stands for."""
    if clause.take(_EXIT_CODES):
        clause.acting = True
        return Asked(operation, "exit_code")
    for match in list(WORD.finditer(clause.left, start)):
        word = match[0].casefold()
        by: Key | None = None
        if word in PLACES:
            by = "place"
        elif word in THINGS:
            by = "object"
        elif word in FILES:
            by = "target"
        elif word in TOOLS:
            by = "base" if word in _WHOLE else "tool"
        elif word in ("outcome", "outcomes", "result", "results"):
            by = "outcome"
        elif word in ("action", "actions", "command", "commands", "operation", "operations", "call", "calls"):
            by = "tool" if word in ("call", "calls") else "action"
        elif (class_ := class_of(word, clause.words)) and not _NUMBER.match(clause.left, match.end()):
            return _over_classes(clause, operation, class_, match)
        if by is not None:
            clause.nouns.add(word)
            clause.acting = by in ("tool", "base", "action", "outcome")
            clause.blank(*match.span())
            return Asked(operation, by)
    return Asked(operation)


def _over_classes(clause: Clause, operation: Operation, class_: str, match: re.Match[str]) -> Asked:
    """Return `operation` over a class, and those that are joined to it: "drawers and cabinets"."""
    classes, stop, joints = [class_], match.end(), []
    while (word := WORD.search(clause.left, stop)) and (more := _class_behind(clause, stop)):
        joints.append(word[0].casefold())
        classes.append(more[0])
        stop = more[1]
    clause.blank(match.start(), stop)
    for one in classes:
        check_class(clause.ledger, one)
    each = "and" in joints and operation == "distinct"
    return Asked(operation, "target", tuple(dict.fromkeys(classes)), each=each)


def _class_behind(clause: Clause, start: int) -> tuple[str, int] | None:
    """Return the class that is joined to what ends at `start`, and where it ends; None where none is."""
    for word in islice(WORD.finditer(clause.left, start), 3):
        class_ = class_of(word[0], clause.words)
        if class_ and JOIN.match(clause.left[start : word.start()]) and not _NUMBER.match(clause.left, word.end()):
            return class_, word.end()
    return None
