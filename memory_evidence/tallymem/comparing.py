"""Clauses with two counts: "how many more views than edits", "the ratio of edits to views"."""

from __future__ import annotations

import re
from collections.abc import Callable

from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.checks import read_event
from memory_evidence.tallymem.ledger import Field
from memory_evidence.tallymem.mentions import Clause
from memory_evidence.tallymem.plan import Predicate, Scope, SubQuery

_MORE = re.compile(
    r"\b(?:how\s+(?:many|much)|(?:was|were|is|are)\s+there)\s+(?P<way>more|fewer|less)\b(?P<first>.*?)\bthan\b(?P<second>.*)",
    re.IGNORECASE | re.DOTALL,
)
_OF_TWO = re.compile(
    r"\b(?P<way>difference|ratio)\s+(?:in\s+(?:count|number)s?\s+)?(?:between|of"
    r"|in)\s+(?P<first>.+?)\s+(?:and|to)\s+(?P<second>.+)",
    re.IGNORECASE | re.DOTALL,
)
_COUNTING = re.compile(r"\b(?:the\s+)?(?:number|count)s?\s+of(?:\s+times)?\b|\btimes\b", re.IGNORECASE)
_ACTS: frozenset[Field] = frozenset(["tool", "action", "effect"])


def read_comparison(text: str, scope: Scope, clause: Callable[[str], Clause]) -> SubQuery | None:
    """Return the sub-query of a clause that sets two counts against each other; None where it sets none.

    Args:
        text: A clause of a question, without its step bounds.
        scope: What those bounds give, for both counts.
        clause: Makes a clause of a text.

    Raises:
        Unread: It does, and one of them is not understood.
    """
    match = _MORE.search(text) or _OF_TWO.search(text)
    if match is None:
        return None
    first, second = (read_event(clause(_COUNTING.sub(" ", match[side]))) for side in ("first", "second"))
    if rest := clause(text[: match.start()]).leftover():
        raise Unread(f"not understood: {', '.join(rest)}")
    first, second = _completed(first, second), _completed(second, first)
    if first == second:
        raise Unread("its two counts are the same")
    way = match["way"].lower()
    if way in ("fewer", "less"):
        first, second = second, first
    return SubQuery("ratio" if way == "ratio" else "difference", first, scope, versus=second)


def _completed(where: Predicate, other: Predicate) -> Predicate:
    """Return the filters of one of two counts, with those of the other for what it leaves out.

    What was done is one thing whichever field tells it: "edits" (an effect) take no tool over from "bash commands".
    """
    fields = {part.field for part in where}
    if fields & _ACTS:
        fields |= _ACTS | {"outcome"}
    return (*where, *(part for part in other if part.field not in fields))
