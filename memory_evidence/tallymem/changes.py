"""Questions about what changed: states, inventories, locations, interactions. They use steps with recorded changes."""

from __future__ import annotations

import re

from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.clause import Clause
from memory_evidence.tallymem.ledger import ANY
from memory_evidence.tallymem.mentions import read_exclusions, read_fillers
from memory_evidence.tallymem.naming import read_targets
from memory_evidence.tallymem.plan import MAX_SUBQUERIES, Filter, Operation, Scope, SubQuery
from memory_evidence.tallymem.wording import words

_INVENTORY = re.compile(r"\binventor(?:y|ies)\b", re.IGNORECASE)
_LOCATIONS = re.compile(
    r"\blocation\s+histor(?:y|ies)\b|\bhistory\s+of\s+(?:the\s+)?locations?\b|\bwhere\s+has\b.*\bbeen\b", re.IGNORECASE
)
_CHANGES = re.compile(r"\b(?:changes?|changed|evolve[ds]?|evolution|evolving)\b", re.IGNORECASE)
_ABOUT = re.compile(
    r"\b(?:states?|attributes?|propert(?:y|ies)|environments?|conditions?|contents?|status)\b", re.IGNORECASE
)
_INTERACTED = re.compile(r"\binteract(?:ed|s|ing|ions?)?(?:\s+with)?\b", re.IGNORECASE)
_STATE_AT = re.compile(r"\bstates?\s+of\b", re.IGNORECASE)
_HOW_MANY = re.compile(
    r"\bhow\s+(?:many\s+times|often|frequently)\b|\bhow\s+many\s+interactions\b|\bnumber\s+of\s+(?:times"
    r"|interactions)\b",
    re.IGNORECASE,
)
_HOW_MANY_THINGS = re.compile(
    r"\b(?:how\s+many|number\s+of)\s+(?:different\s+|distinct\s+|unique\s+)?(?:objects|items|things)\b", re.IGNORECASE
)
_NUMBER_OF = re.compile(r"\b(?:how\s+many|number\s+of|count\s+of|which\s+(?:objects|items|things))\b", re.IGNORECASE)
_LOCATION = re.compile(r"\blocations?\b", re.IGNORECASE)
_AND = re.compile(r"\band\b", re.IGNORECASE)
_WORDS = words(
    """
    change changes changed evolve evolved evolution state states attribute attributes property properties
    environment inventory location locations history histories prior whole made caused cause what including placed
    put removed objects object items item throughout current initial interacted interact interactions interaction it
    they were effect effects occur occurs action actions performed happen happened occurred took place been its
    which steps step when where contents condition conditions status times many often frequently number so far
    resulted resulting brought about did this different distinct unique
    """
)


def read_changes(clause: Clause, scope: Scope) -> tuple[SubQuery, ...]:
    """Return the sub-queries of a question about changes; () where it is none.

    Raises:
        Unread: It is about changes, and a part of it is not understood.
    """
    text = clause.left
    changing = _CHANGES.search(text)
    interacted = _INTERACTED.search(text)
    locations = _LOCATIONS.search(text)
    inventory = _INVENTORY.search(text) and changing
    about = (_ABOUT.search(text) and changing) or (
        _STATE_AT.search(text) and re.search(r"\bhistor|\bwhen\b", text, re.IGNORECASE)
    )
    if not (interacted or locations or inventory or about):
        return ()
    inner = Clause(clause.text, clause.ledger, clause.words, clause.left)
    read_fillers(inner)
    read_exclusions(inner)
    read_targets(inner)
    named = [
        mention.term
        for mention in inner.mentions
        if mention.field == "target" and mention.term.casefold() != "inventory"
    ]
    if unknown := inner.leftover(_WORDS):
        raise Unread(f"not understood: {', '.join(dict.fromkeys(unknown))}")
    if not clause.ledger.values("change"):
        raise Unread("the ledger records no changes")
    excluded = tuple(inner.excluded)
    if interacted and not named and _HOW_MANY_THINGS.search(text) and not _AND.search(text):
        return (SubQuery("distinct", (Filter("change", (ANY,)), *excluded), scope, "changed"),)
    if interacted and not named:
        return (SubQuery("group", (Filter("change", (ANY,)), *excluded), scope, "changed"),)
    operation: Operation = "count" if _HOW_MANY.search(text) else "timeline"
    if operation == "timeline" and (number := _NUMBER_OF.search(text)):
        raise Unread(f"it asks for a number of something else than steps: {number[0]!r}")
    if operation == "count" and not interacted:
        for name in dict.fromkeys(named):
            _check_own(clause, name)
    if inventory and not named:
        return (SubQuery("timeline", (Filter("change", ("inventory",)), *excluded), scope),)
    if not named:
        return (SubQuery("timeline", (Filter("change", (ANY,)), *excluded), scope),)
    if len(named) > MAX_SUBQUERIES:
        raise Unread(f"it names {len(named)} objects, and a plan holds at most {MAX_SUBQUERIES} sub-queries")
    ending = ".location" if locations else ""
    return tuple(
        SubQuery(operation, (Filter("change", (f"{name}{ending}",)), *excluded), scope) for name in dict.fromkeys(named)
    )


def _check_own(clause: Clause, name: str) -> None:
    """Refuse a count of changes of one thing where some are of another kind, or of another ("egg 1 -> fridge 1").

    Raises:
        Unread: Some are.
    """
    located = _LOCATION.search(clause.text) is not None
    for at in clause.ledger.positions("change", (name,)):
        own = [c for c in clause.ledger.rows[at].changes if c.object.casefold() == name.casefold()]
        if not own:
            raise Unread(f"it does not say whether what changed about {name!r} takes in what is in it")
        if any((c.property == "location") != located for c in own) and (located or _ABOUT.search(clause.text)):
            raise Unread(f"it does not say whether {name!r} changes when it is moved")
