"""Checks what an act was done to: a drawer that a spoon is taken from is not taken itself.

An action that names two things ("take spoon 2 from drawer 1") is done to the first, and from, to or with the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_evidence.tallymem.asked import Asked
from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.clause import Clause
from memory_evidence.tallymem.matching import matching
from memory_evidence.tallymem.phrases import NOUNS, QUOTED
from memory_evidence.tallymem.plan import Predicate
from memory_evidence.tallymem.rows import Row
from memory_evidence.tallymem.terms import contains
from memory_evidence.tallymem.wording import EVENTS, WORD

_SIDE = r"(?:from|out\s+of|off|to|into|onto|in|on|inside|under|at|with|using|toward|towards)"
_BESIDE = re.compile(rf"\b{_SIDE}\s+(?:(?:the|an?|any|some|which|what)\s+)?['\"`]?\Z", re.IGNORECASE)
_FREE = re.compile(r"\b(?:for|involving|about|by)\s+(?:(?:the|an?|any)\s+)?['\"`]?\Z", re.IGNORECASE)
_CLICKED = re.compile(
    r"\b(?:click|tap|press|hover)\w*\s+(?:on|over)\s+(?:(?:the|an?|any|element|link|button)\s+)*['\"`]?\Z",
    re.IGNORECASE,
)
"""What is clicked on is what is clicked."""
_STRANDED = re.compile(
    rf"\s+{_SIDE}(?=\s*(?:[?.,;]|\Z)|\s{{2,}}|\s+(?:most|least|how|before|after|up)\b)", re.IGNORECASE
)
_ACT, _MORE = re.compile(r"\w+\W+"), re.compile(r"\s*,?\s*\[")
_RECEIVING = re.compile(
    r"(?<!\w)(?:to|recipients?|cc|bcc|channel|chat|user|assignee|attendees?|invitees?)['\"]?\s*[:=]\s*(?:\[\s*)?['\"]?"
)
"""In front of an argument that says whom something is sent to."""
_LOCATED = re.compile(rf"\bwhere\b|\b{_SIDE}\s+(?:which|what|(?:the\s+)?(?:\w+\s+)?\w+s?\b)", re.IGNORECASE)


def check_roles(clause: Clause, asked: Asked | None, where: Predicate) -> None:
    """Refuse what would count the drawer that a spoon was taken from as taken.

    Args:
        clause: After it has been read.
        asked: What it asks for; None for an event that a scope begins or ends at.
        where: Its filters.

    Raises:
        Unread: A step that matches does it to another thing.
    """
    acts = [mention for mention in clause.mentions if mention.field == "tool"]
    found = _named_by(clause, where)
    stranded = any(_STRANDED.match(clause.text, mention.stop) for mention in acts)
    if asked is not None and asked.by in ("object", "target") and not asked.only and not stranded:
        _check_given(found)
    rows = [row for row in found if len(row.targets) > 1]
    if not acts or not rows:
        return
    spans = [(mention.start, mention.stop) for mention in clause.mentions]
    nouns = {word.casefold() for word in WORD.findall(clause.text)} & NOUNS
    # "Which places were apples moved to" leaves the places behind, "how often was it taken from" the thing.
    behind = stranded and asked is not None and asked.by is None and not nouns
    for mention in (*clause.mentions, *clause.classes):
        if mention.field != "target" or _FREE.search(clause.text, 0, mention.start):
            continue
        onto = _CLICKED.search(clause.text, 0, mention.start)
        side = None if onto else _BESIDE.search(clause.text, 0, mention.start)
        # A name in quotes may be a whole action; "actions on drawer 1" say nothing of how.
        if spans.count((mention.start, mention.stop)) > 1 or (side and _behind_event(clause, side.start())):
            continue
        _check(rows, mention.term, side=bool(side) or (behind and mention.start < acts[0].start))
    for term in asked.only if asked is not None else ():
        _check(rows, term, side=stranded)
    if asked is not None and asked.by == "place" and not stranded and not _LOCATED.search(clause.text):
        raise Unread("it does not say whether places are what something was done to")


def _named_by(clause: Clause, where: Predicate) -> list[Row]:
    """Return the rows that match and name something, but for a shell's, whose commands do so in any order."""
    places = sorted(matching(clause.ledger, where)) if any(not part.exclude for part in where) else []
    shells = {*clause.words.shells, *clause.words.programs}
    return [row for at in places if (row := clause.ledger.rows[at]).tool not in shells and row.targets]


def _check_given(rows: list[Row]) -> None:
    """Refuse "what was sent" where the first thing that a call names is whom it was sent to, or where it was typed.

    Raises:
        Unread: It is, of some step.
    """
    for row in rows:
        first, action = row.targets[0], row.action
        place = action.find(first)
        into = place >= 0 and _ACT.fullmatch(action, 0, place) and _MORE.match(action, place + len(first))
        if into or any(action.startswith(first, match.end()) for match in _RECEIVING.finditer(action)):
            raise Unread(f"step {row.step} names where it goes, and not only what: {row.action[:80]!r}")


def _check(rows: list[Row], term: str, *, side: bool) -> None:
    for row in rows:
        ways = {_BESIDE.search(row.action, 0, start) is not None for start in _places(row, term)}
        if ways and side not in ways:
            raise Unread(f"step {row.step} is about {term!r} in another way: {row.action[:80]!r}")


def _places(row: Row, term: str) -> Iterator[int]:
    """Yield where an action in words names a target that a term finds; one with arguments does not tell how."""
    if "{" in row.action or "(" in row.action:
        return
    quoted = [match.span() for match in QUOTED.finditer(row.action)]  # a label is what it says, "Add to cart" as well
    for target in filter(contains(term), row.targets):
        for match in re.finditer(rf"(?<!\w){re.escape(target)}(?!\w)", row.action):
            if not any(start < match.end() and match.start() < stop for start, stop in quoted):
                yield match.start()


def _behind_event(clause: Clause, start: int) -> bool:
    """Whether what stands there says what an action is about: "actions on drawer 1"."""
    before = WORD.findall(clause.text[:start])
    return bool(before) and before[-1].casefold() in EVENTS
