"""What the clauses of one question share, and what is one clause's own.

"How many times was A opened, and how many times was B closed up to step 8?" may bound both counts or the second alone:
nothing is passed on from one clause to another but what stands in front of them all ("Up to step 8, how many ...").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memory_evidence.tallymem.bounds import COORDINATED, Unread
from memory_evidence.tallymem.clause import Clause
from memory_evidence.tallymem.joining import RESULTS
from memory_evidence.tallymem.ledger import Field
from memory_evidence.tallymem.plan import Predicate, Scope, SubQuery
from memory_evidence.tallymem.wording import IMPERATIVE

_CLAUSES = re.compile(
    r"\?\s+(?=\w)|,?\s*;\s*|,?\s+and\s+(?=(?:how\s+(?:many|often)(?!(?:\s+times|\s+frequently)?\s*(?:\W*\Z|(?:(?:was|were|did"
    r"|has|have|had)\s+)?(?:each|every)\b))|what\s+(?:is|was)\s+the\s+(?:number|first|last)|(?:at"
    r"|in|on)\s+(?:which|what)\s+steps?\s+(?:did|was|were|has|does))\b)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:\b(?:at|in|on|by|to|for|with|during)\s+)?\b(?:how|which|what|when|where|list|count|tally|number)\b",
    re.IGNORECASE,
)
_FINITE = re.compile(r"\b(?:was|were|is|are|did|do|does|has|have|had|there)\b", re.IGNORECASE)


def split_clauses(text: str) -> list[str]:
    """Return the clauses of a question, each with what stands in front of the first: "before step 9, how many ..."."""
    first, *rest = [part for part in _CLAUSES.split(text) if part.strip(" .?!")] or [""]
    asks = _ASKS.search(first)
    lead = first[: asks.start()] if asks else ""
    # "Tell me how many" leads nothing, nor does what is no more than the subject: "drawer 1 was opened how many times".
    if IMPERATIVE.fullmatch(lead) or _FINITE.search(lead.split(",")[-1]):
        lead = ""
    return [first, *(lead + part for part in rest)]


def check_shared(parts: Sequence[str], found: Sequence[Sequence[SubQuery]]) -> None:
    """Refuse clauses of which one has a scope, or in short form a filter, that may hold for the others as well.

    Args:
        parts: The clauses of a question.
        found: The sub-queries of each.

    Raises:
        Unread: One has.
    """
    bounded = [any(query.scope != Scope() for query in queries) for queries in found]
    if any(bounded) and not all(bounded):
        raise Unread("it does not say whether the steps that one of its clauses names hold for the others")
    fields = [_selecting(query.where for query in queries) for queries in found]
    for part, own, last in zip(parts[:-1], fields, fields[1:], strict=False):
        if not _FINITE.search(part) and last - own:
            raise Unread(f"it does not say whether {part.strip()!r} is about what the next clause names")


def _selecting(wheres: Iterable[Predicate]) -> set[Field]:
    said = (part for where in wheres for part in where if not (part.exclude and part.field == "outcome"))
    return {part.field for part in said if part.field == "target" or part.field in RESULTS}


def check_between(clause: Clause, spans: Iterable[tuple[int, int]]) -> None:
    """Refuse a scope that stands between two acts: "opened up to step 8 and closed" may bound the first alone.

    Args:
        clause: After it has been read.
        spans: Where its scopes stood.

    Raises:
        Unread: One does.
    """
    named = [*clause.mentions, *clause.classes]
    for start, stop in spans:
        behind = min((mention.start for mention in named if mention.start >= stop), default=None)
        before = any(mention.stop <= start for mention in named)
        if before and behind is not None and COORDINATED.search(clause.text, stop, behind):
            said = clause.text[stop:behind].strip()
            raise Unread(f"it does not say whether the steps it names hold for what follows {said!r} as well")
