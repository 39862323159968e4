"""Which operation a clause of a question asks for, and over what; the same for every wording of the same question."""

from __future__ import annotations

import re
from dataclasses import replace

from memory_evidence.tallymem.asked import Asked, over
from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.clause import Clause
from memory_evidence.tallymem.kinds import of_language
from memory_evidence.tallymem.phrases import OUTCOMES, PARTICIPLE
from memory_evidence.tallymem.plan import Operation
from memory_evidence.tallymem.vocabulary import PART, class_of
from memory_evidence.tallymem.wording import (
    EFFECTS,
    FILES,
    IMPERATIVE,
    PLACES,
    SYNONYMS,
    THINGS,
    TOOLS,
    WORD,
    lemmas,
    words,
)


def _re(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_MOST = _re(
    r"\b(?:the\s+)?(?P<way>most|least|fewest)\b(?!\s+(?:\d|(?:once|twice|one|two|three|recent(?:ly)?)\b))"
    r"(?:[ -]*(?:often|frequently|frequent|commonly|common|heavily|times))?(?:\b|(?=-))"
    r"|\b(?:highest|largest|greatest|lowest|smallest)\s+(?:number|count|frequency)\s+of\s+(?:times|occurrences)?"
)
_LEAST = _re(r"least|fewest|lowest|smallest")
_NUMBER_OF_MOST = _re(r"\W*how\s+(?:many\s+times|often|frequently)\b")
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
    r"\bhow\s+many\b|\b(?:total\s+)?(?:number|count|amount)\s+of\b|\btotal\s+of\b|\A\W*total\b"
    r"|(?<!\bwas )(?<!\bwere )(?<!\bis )(?<!\bthe )(?<!\bto )(?<!\bof )\b(?:count|tally)(?:\s+up)?\b"
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
_LISTING = _re(r"\W*(?:please\s+)?(?:list|name|show|enumerate|identify|(?:give|tell)(?:\s+me)?)\b")
_EVERY = _re(r"\A\W*(?:each|every)\b")
_WHERE = _re(r"\A\W*where\b")
_TOOL_USED = _re(
    r"(?:\b(?:which|what)\s+|(?<=\s{2}))(?:tool|function)(?=\s+(?:(?:was|is|that|the|agent|assistant)\s+)*(?:used|called|invoked)\b)"
)
_WHAT_WAS = _re(r"\A\W*what\s+(?:was|were|has\s+been|have\s+been)\s+(?=(?P<done>\w+))")
_WHERE_DONE = _re(r"\A\W*where\s+(?:was|were|did|has|have|had)\b")
_WHICH = _re(r"\b(?:which|what)\b")
_SOME = _re(r"\b(?:which|what)\b(?=.*\b(?:actions?|calls?|commands?|operations?|steps?|events?)\b)")
_EVER = _re(r"\A\W*(?:did|does|do|has|have|had|was|were|is|are)\b")
_ACTORS = _re(r"\b(?:how\s+many|number\s+of|which|what)\s+(?:different\s+)?(?:agents?|assistants?|bots?|players?)\b")
_AND_WHEN = _re(
    r",?\s*\band\s+(?:(?:at|in|on)\s+(?:which|what)\s+(?:steps?|turns?)|when)\b(?:\s+(?:did\s+(?:it|they"
    r"|this|that)\s+(?:happen|occur)|were\s+(?:they|these|those)|was\s+(?:it|this|that)))?\s*(?:\W*\Z)?"
)
_AND_TIMES = _re(
    r",?\s*\b(?:(?:and|along\s+with|together\s+with|with)\s+)(?:how\s+(?:many\s+times|often|frequently)"
    r"|(?:with\s+)?what\s+frequenc(?:y|ies)|(?:the|its|their)\s+(?:number\s+of\s+times|counts?|frequenc(?:y|ies)))\b"
    r"(?:\s+(?:(?:was|were|did|has|have|had)\s+)?(?:each|they|it|every\s+one)\b(?:\s+of\s+them\b)?"
    r"(?:\s+(?:was|were|is|are|been|appeared|occurred|happened)\b)*)?"
)
_ORDER = _re(
    r"\b(?:in|by)\s+(?:which|what)\s+(?:order|sequence)\b"
    r"|\b(?:what\s+(?:is|was)\s+)?(?:the\s+)?(?:order|sequence)\s+(?:in\s+which|of)\b"
    r"|\b(?:in|by)\s+(?:the\s+)?order\s+of\s+first\s+(?:appearance|occurrence|use)\b|\bin\s+order\b(?!\s+to\b)"
)
_ELLIPSIS = _re(r" (?:was|were|is|are|did|does|do|has|have|had|got)\b(?!\s+there\b)")
_FILES_AFTER = _re(r"\s+files\b")
_DONE = _re(r"\w+(?:ed|en)\Z")


_OCCASIONS = words("times steps turns occasions instances occurrences")
_BEFORE_NOUN = words("the of a all every total numbered were was are is me")


def read_operation(clause: Clause) -> Asked | None:
    """Take the words that ask for an operation out of `clause`; None where it asks for none that we know.

    Raises:
        Unread: It asks for different ones of what has no name to differ in, or for yes or no about the first or most.
    """
    ever = _EVER.search(clause.left) is not None
    if _ACTORS.search(clause.left):
        raise Unread("the log does not tell agents apart")
    asked = _operation(clause)
    if not ever or asked is None:
        return asked
    if asked.operation in ("first", "last") or asked.by is not None:
        raise Unread("it asks for yes or no about the first, the most, or each: ask which it is")
    return replace(asked, ever=True)


def _operation(clause: Clause) -> Asked | None:
    listing = _LISTING.match(clause.left)
    if match := IMPERATIVE.match(clause.left):
        clause.blank(*match.span())
    if listing:
        clause.take(_EVERY)  # "list every edit"
    clause.take(_AND_WHEN)  # every block names the steps
    if _MOST.search(clause.left) and _NUMBER_OF_MOST.match(clause.left):
        return None  # "how many times was the most edited file edited"
    if match := clause.take(_MOST):
        way: Operation = "least" if _LEAST.search(match[0]) else "most"
        clause.take(_TIMES)
        asked = over(clause, way)
        return replace(asked, by="place") if asked.by in (None, "object") and _WHERE.search(clause.left) else asked
    if match := clause.take(_DISTINCT):
        asked = over(clause, "distinct")
        noun = WORD.search(clause.left, match.end())
        if asked.by is None and noun and noun[0].casefold() not in _OCCASIONS:
            raise Unread(f"it does not say in what {noun[0]!r} differ: ask for different files, objects or places")
        return asked if asked.by is not None else Asked("count")
    if clause.take(_ORDER):
        clause.take(_FIRST)
        return over(clause, "order")
    times = clause.take(_AND_TIMES)
    each = clause.take(_EACH) if not times else None
    if times or each:
        clause.take(_TIMES)
        clause.take(_HOW_MANY)
        if not each and clause.take(_ACTIONS):
            return Asked("group", "action")
        return over(clause, "group", each.end() if each else 0)
    if clause.take(_TIMES):
        return Asked("count")
    if match := _HOW_MANY.search(clause.left):
        asked = _counted(clause, match)
        clause.blank(*match.span())
        return asked
    for pattern, operation in _ENDS:
        if clause.take(pattern):
            clause.take(_LIST)
            clause.acting = clause.take(_TOOL_USED) is not None
            return Asked(operation)
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
    if (what := _WHAT_WAS.search(clause.left)) and PARTICIPLE.match(what["done"]):
        clause.blank(*what.span())
        return Asked("group", "object")
    if clause.take(_WHERE_DONE):
        return Asked("group", "place")
    if clause.take(_EVER):  # yes where the count is above 0
        return Asked("count")
    if listing and (asked := _named(clause, listing)).by is not None:
        return replace(asked, operation="group")
    if clause.take(_SOME) or listing or _events_named(clause):
        clause.take(_WHICH)
        return Asked("list")
    return None


_ENDS: tuple[tuple[re.Pattern[str], Operation], ...] = ((_FIRST, "first"), (_LAST, "last"))


def _events_named(clause: Clause) -> bool:
    """Whether "which" asks for events by a noun of their own: "which edits", "which str_replace calls"."""
    match = _WHICH.search(clause.left)
    noun = WORD.search(clause.left, match.end()) if match else None
    if noun is None or not noun[0].casefold().endswith("s"):
        return False
    word = noun[0].casefold()
    if any(PART.split(tool)[1:][-1:] == [form] for tool in clause.words.tools for form in lemmas(word)):
        return True  # "which emails", where there is a `send_email`
    return word in clause.words.tools or any(form in EFFECTS or form in clause.words.tools for form in lemmas(word))


def _noun(clause: Clause, start: int) -> re.Match[str] | None:
    """Return the first noun behind `start`: "the", "all" and what was done to it ("modified files") are passed over."""
    noun = WORD.search(clause.left, start)
    while noun and (
        noun[0].casefold() in _BEFORE_NOUN
        or _is_done(clause, noun[0])
        or (_FILES_AFTER.match(clause.left, noun.end()) and of_language(clause.ledger, _dotted(clause.left, noun)))
    ):
        noun = WORD.search(clause.left, noun.end())
    return noun


def _dotted(text: str, word: re.Match[str]) -> str:
    return f".{word[0]}" if text[: word.start()].endswith(".") else word[0]


def _is_done(clause: Clause, word: str) -> bool:
    if _DONE.match(word) is None:
        return False
    return any(form in EFFECTS or form in SYNONYMS or form in clause.words.tools for form in lemmas(word))


def _counted(clause: Clause, match: re.Match[str]) -> Asked:
    """Read what is counted: "how many drawers" asks for different drawers, "how many clicks" for events."""
    if _ELLIPSIS.match(clause.left, match.end()) or _only_outcome(clause, match.end()):
        return Asked("count", same=True)
    noun = _noun(clause, match.end())
    if noun is None:
        return Asked("count")
    word = noun[0].casefold()
    named = word in PLACES | THINGS | FILES | TOOLS or class_of(word, clause.words)
    # "How many file edits": a noun in the singular belongs to the event after it.
    if named and (word.endswith("s") or word in ("furniture", "something", "anything")):
        return over(clause, "distinct")
    return Asked("count")


def _only_outcome(clause: Clause, start: int) -> bool:
    """Whether nothing but a word for an outcome follows: "and how many succeeded"."""
    said = clause.left[start:]
    if said.startswith("  "):  # "how many of the first 5 actions failed", the bound taken out
        return False
    said = said.lstrip()
    found = (pattern.match(said) for pattern, _ in OUTCOMES)
    return any(match and not WORD.search(said, match.end()) for match in found)


def _named(clause: Clause, match: re.Match[str]) -> Asked:
    """Read what is listed: "which drawer" and "list the drawers" ask for different drawers."""
    noun = _noun(clause, match.end())
    word = noun[0].casefold() if noun else ""
    if word in PLACES | THINGS | FILES | TOOLS or class_of(word, clause.words):
        return over(clause, "distinct")
    return Asked("list")
