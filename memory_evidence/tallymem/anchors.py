"""Events that a scope begins or ends at: "after it first opened the safe", "before the first edit of a.py"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.checks import as_done, read_event
from memory_evidence.tallymem.clause import Clause
from memory_evidence.tallymem.joining import ACTS
from memory_evidence.tallymem.plan import Scope, SubQuery

_EVENT = re.compile(
    r"(?:^\s*|[\s,(])(?P<side>after|before|following|prior\s+to|since|until)\s+(?P<what>[^,?;]+?)(?=\s*(?:,"
    r"|\?|;|\.?\s*$))",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"\b(?:for\s+)?(?:the\s+)?first(?:\s+time)?\b|\bthe\s+(?:agent|assistant)\b"
    r"|\A\s*(?:it|they)\b(?!\s+(?:was|were|is|are|had\s+been|has\s+been|got|gets)\b)",
    re.IGNORECASE,
)
_SAME = re.compile(r"\b(?:it|them|they|this|that)\b", re.IGNORECASE)
"""What an event is about, where it is what the rest of the question names."""
_ALL = re.compile(r"\b(?:the|these|those|its|his|her|their)\s+(?:[\w.]+\s+){0,3}\Z", re.IGNORECASE)
_BEING = re.compile(r"\s*(?:being|having\s+been|that|this)\b", re.IGNORECASE)
_OTHER = re.compile(r"\b(?:last|second|third|fourth|fifth|final|next|each|every|all)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Anchored:
    """A clause without its events (blanked out in place), and the scope that they give."""

    text: str
    scope: Scope
    spans: tuple[tuple[int, int], ...]
    """Where the events stood."""
    meant: tuple[str, ...]
    """Those sides of the scope ("after", "before") whose event is about what the rest names: "before it was opened"."""


def read_anchors(text: str, scope: Scope, clause: Callable[[str], Clause]) -> Anchored:
    """Take "after it first opened the safe" and the like out of `text`.

    Args:
        text: A clause of a question, without its step bounds.
        scope: What those bounds give.
        clause: Makes a clause of a text.

    Raises:
        Unread: An event is not understood, or is not the first of its kind.
    """
    meant: list[str] = []
    spans: list[tuple[int, int]] = []
    while match := _EVENT.search(text):
        what = match["what"]
        if _OTHER.search(what):
            raise Unread(f"a scope can begin or end at the first event of a kind only: {what.strip()!r}")
        if _BEING.match(what):
            raise Unread(f"it does not say which event it means: {what.strip()!r}")
        what = _FIRST.sub(" ", what)
        same = _SAME.search(what)
        event = clause(_SAME.sub(" ", what))
        where = as_done(event, read_event(event), same=same is not None)
        _check_one(event)
        if all(part.field == "target" for part in where):
            raise Unread(f"it does not say what happened: {what.strip()!r}")
        side = match["side"].lower()
        ahead = side in ("before", "until") or side.startswith("prior")
        if scope.before if ahead else scope.after:
            raise Unread("it names two events to begin or end at")
        if same:
            meant.append("before" if ahead else "after")
        scope = replace(scope, before=where) if ahead else replace(scope, after=where)
        start, stop = match.start("side"), match.end("what")
        text = text[:start] + " " * (stop - start) + text[stop:]
        spans.append((start, stop))
    return Anchored(text, scope, tuple(spans), tuple(meant))


def _check_one(event: Clause) -> None:
    """Refuse "after X was taken and closed", of which the second act may belong to the question, and "after the edits".

    Raises:
        Unread: It is one of them.
    """
    if event.several("tool") or event.several("effect"):
        raise Unread(f"it does not say whether both acts are of the event: {event.text.strip()!r}")
    for mention in event.mentions:
        plural = mention.field in ACTS and event.text[mention.start : mention.stop].casefold().endswith("s")
        if plural and _ALL.search(event.text, 0, mention.start):
            raise Unread(f"a scope can begin or end at the first event of a kind only: {event.text.strip()!r}")


def filled(query: SubQuery, meant: tuple[str, ...]) -> SubQuery:
    """Return `query` with what it is about in those events of its scope that are about the same.

    Raises:
        Unread: It is about nothing, or about several things.
    """
    if not meant:
        return query
    about = tuple(part for part in query.where if part.field == "target" and not part.exclude)
    if len(about) != 1 or len(about[0].terms) != 1:
        raise Unread("it does not say what 'it' stands for")
    scope = query.scope
    if "after" in meant:
        scope = replace(scope, after=(*scope.after, *about))
    if "before" in meant:
        scope = replace(scope, before=(*scope.before, *about))
    return replace(query, scope=scope)
