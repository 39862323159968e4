"""Which operation a clause of a question asks for, and over what; the same for every wording of the same question."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memory_evidence.tallymem.mentions import Clause
from memory_evidence.tallymem.plan import Key, Operation
from memory_evidence.tallymem.vocabulary import class_of
from memory_evidence.tallymem.wording import FILES, IMPERATIVE, PLACES, THINGS, TOOLS, WORD


@dataclass(frozen=True, slots=True)
class Asked:
    """An operation with what it runs over."""

    operation: Operation
    by: Key | None = None
    only: tuple[str, ...] = ()
    """A class of targets that counts: "drawer" in "how many drawers"."""


def _re(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_MOST = _re(
    r"\b(?:the\s+)?(?P<way>most|least|fewest)\b(?!\s+recent)(?:[ -]*(?:often|frequently|frequent|commonly"
    r"|common|heavily"
    r"|times))?(?:\b|(?=-))"
    r"|\b(?:highest|largest|greatest|lowest|smallest)\s+(?:number|count|frequency)\s+of\s+(?:times|occurrences)?"
)
_LEAST = _re(r"least|fewest|lowest|smallest")
_DISTINCT = _re(
    r"\b(?:(?:how\s+many|number\s+of|count\s+of|count"
    r"|total\s+of)\s+)(?:the\s+)?(?:number\s+of\s+)?(?:different|distinct|unique|separate)\b"
    r"|\bdistinct\s+count\s+of\b|\b(?:how\s+many|number\s+of)\s+(?:kinds|types|sorts)\s+of\b"
)
_EACH = _re(
    r"\b(?:for\s+|of\s+|by\s+|per\s+)?(?:each|every)(?!\s+(?:steps?|turns?|time)\b)(?:\s+(?:of\s+the"
    r"|individual|kind\s+of|type\s+of))?\b|\bper\b|\bgrouped\s+by\b"
    r"|\b(?:break|broken)\s*-?\s*down\s+(?:by|per)\b|\bbreakdown\s+(?:by|per|of)\b|\bdistribution\s+of\b"
    r"|\bdistribution\s+over\b|\bby(?=\s+(?:tool|action|outcome|target|object|location|file|exit)\b)"
)
_TIMES = _re(
    r"\bhow\s+many\s+times\b|\bhow\s+(?:often|frequently)\b|\b(?:total\s+)?number\s+of\s+(?:times|occasions"
    r"|occurrences|instances)\b"
    r"|\bon\s+how\s+many\s+(?:occasions|steps|turns)\b|\b(?:in|at)\s+how\s+many\s+(?:steps|turns)\b"
    r"|\bhow\s+many\s+(?:occasions|instances|occurrences)\b"
    r"|\b(?:what\s+is\s+the\s+|the\s+)?(?:total\s+)?(?:count|frequency|tally)\s+(?:of|with\s+which|for)\b"
    r"|\btimes\b(?=.*\bcount\b)"
)
_HOW_MANY = _re(
    r"\bhow\s+many\b|\b(?:total\s+)?(?:number|count|amount)\s+of\b|\b(?:count|tally)(?:\s+up)?\b"
    r"|\btotal\s+of\b|\A\W*total\b"
)
_FIRST = _re(r"\b(?:for\s+)?(?:the\s+)?(?:very\s+)?first(?:\s+time)?\b|\bearliest\b|\binitially\b")
_LAST = _re(
    r"\b(?:for\s+)?(?:the\s+)?(?:very\s+)?(?:last|final)(?:\s+time)?\b|\b(?:most\s+recent(?:ly)?|latest|finally)\b"
)
_LIST = _re(
    r"\b(?:(?:at|in|on|during)\s+)?(?:which|what)\s+(?:are\s+the\s+)?(?:steps?|turns?)(?:\s+(?:numbers?|ids?"
    r"|index(?:es)?|indices))?\b(?:\s+(?:marks?|saw|sees?|shows?)\b)?"
    r"|\b(?:the\s+)?(?:steps?|turns?|step\s+(?:numbers|ids))\s+(?:at|in|on|during)\s+which\b|\bwhen\b"
    r"|\bsteps?\s+where\b|\A\W*(?:all\s+)?(?:of\s+)?(?:the\s+)?(?:steps|step\s+(?:numbers|ids|indices))\b(?!\s*\d)"
)
_ACTIONS = _re(
    r"\bwhat\s+(?:did|has|had)\s+(?:the\s+)?(?:agent|assistant|it)\s+(?:do|done)\b|\b(?:which"
    r"|what)\s+(?:were\s+the\s+|are\s+the\s+)?(?:actions?|commands?|calls?|operations?|tool\s+calls?)\b"
)
_LISTING = _re(r"\W*(?:please\s+)?(?:list|name|show|enumerate)\b")
_NUMBER = _re(r"\s+\d")
_WHERE = _re(r"\A\W*where\b")
_WHICH = _re(r"\b(?:which|what)\b")
_EXIT_CODES = _re(r"\b(?:exit|return)[- ](?:codes?|status(?:es)?)\b")
_SOME = _re(r"\b(?:which|what)\b(?=.*\b(?:actions?|calls?|commands?|operations?|steps?|events?)\b)")
_EVER = _re(r"\A\s*(?:did|has|was|were|is|have)\b.*\bever\b|\A\s*(?:did|has|have)\s+the\s+(?:agent|assistant)\b")
_AND_WHEN = _re(
    r",?\s*\band\s+(?:(?:at|in|on)\s+(?:which|what)\s+(?:steps?|turns?)|when)\b(?:\s+(?:did\s+(?:it|they"
    r"|this|that)\s+(?:happen|occur)|were\s+(?:they|these|those)|was\s+(?:it|this|that)))?\s*(?:\W*\Z)?"
)
_AND_TIMES = _re(
    r",?\s*\band\s+(?:how\s+(?:many\s+times|often|frequently)|(?:with\s+)?what\s+frequenc(?:y|ies)"
    r"|the\s+number\s+of\s+times)\b"
    r"(?:\s+(?:was|were|did|has|have)\b[^?.]*)?"
)


def read_operation(clause: Clause) -> Asked | None:
    """Take the words that ask for an operation out of `clause`; None where it asks for none that we know."""
    listing = _LISTING.match(clause.left)
    if match := IMPERATIVE.match(clause.left):
        clause.blank(*match.span())
    clause.take(_AND_WHEN)  # every block names the steps
    if match := clause.take(_MOST):
        way: Operation = "least" if _LEAST.search(match[0]) else "most"
        clause.take(_TIMES)
        asked = _over(clause, way)
        return replace(asked, by="place") if asked.by is None and _WHERE.search(clause.left) else asked
    if clause.take(_DISTINCT):
        asked = _over(clause, "distinct")
        return asked if asked.by is not None else Asked("count")  # "different visits" are visits
    times = clause.take(_AND_TIMES)
    each = clause.take(_EACH) if not times else None
    if times or each:
        clause.take(_TIMES)
        clause.take(_HOW_MANY)
        if not each and clause.take(_ACTIONS):
            return Asked("group", "action")
        return _over(clause, "group", each.end() if each else 0)
    if clause.take(_TIMES):
        return Asked("count")
    if match := _HOW_MANY.search(clause.left):
        asked = _counted(clause, match)
        clause.blank(*match.span())
        return asked
    if clause.take(_FIRST):
        clause.take(_LIST)
        return Asked("first")
    if clause.take(_LAST):
        clause.take(_LIST)
        return Asked("last")
    if clause.take(_LIST):
        return Asked("list")
    if clause.take(_ACTIONS):
        clause.acting = True
        return Asked("timeline")
    if match := _WHICH.search(clause.left):
        asked = _named(clause, match)
        if asked.by is not None:
            clause.blank(*match.span())
            return replace(asked, operation="group")
    if _EVER.search(clause.left):
        return Asked("count")
    if listing and (asked := _named(clause, listing)).by is not None:
        return replace(asked, operation="group")
    if clause.take(_SOME) or listing:
        return Asked("list")
    return None


def _counted(clause: Clause, match: re.Match[str]) -> Asked:
    """Read what is counted: "how many drawers" asks for different drawers, "how many clicks" for events."""
    noun = WORD.search(clause.left, match.end())
    while noun and noun[0].casefold() in ("the", "of", "a", "all", "total", "numbered"):
        noun = WORD.search(clause.left, noun.end())
    if noun is None:
        return Asked("count")
    word = noun[0].casefold()
    named = word in PLACES | THINGS | FILES | TOOLS or class_of(word, clause.words)
    # "How many file edits": a noun in the singular belongs to the event after it.
    if named and (word.endswith("s") or word in ("furniture", "something", "anything")):
        return _over(clause, "distinct")
    return Asked("count")


def _named(clause: Clause, match: re.Match[str]) -> Asked:
    """Read what is listed: "which drawer" and "list the drawers" ask for different drawers."""
    noun = WORD.search(clause.left, match.end())
    while noun and noun[0].casefold() in ("the", "of", "a", "all", "were"):
        noun = WORD.search(clause.left, noun.end())
    word = noun[0].casefold() if noun else ""
    if word in PLACES | THINGS | FILES | TOOLS or class_of(word, clause.words):
        return _over(clause, "distinct")
    return Asked("list")


def _over(clause: Clause, operation: Operation, start: int = 0) -> Asked:
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
            by = "tool"
        elif word in ("outcome", "outcomes", "result", "results"):
            by = "outcome"
        elif word in ("action", "actions", "command", "commands", "operation", "operations", "call", "calls"):
            by = "tool" if word in ("call", "calls") else "action"
        elif (class_ := class_of(word, clause.words)) and not _NUMBER.match(clause.left, match.end()):
            clause.blank(*match.span())
            return Asked(operation, "target", (class_,))
        if by is not None:
            clause.nouns.add(word)
            clause.acting = by in ("tool", "action", "outcome")
            clause.blank(*match.span())
            return Asked(operation, by)
    return Asked(operation)
