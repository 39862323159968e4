"""Checks where things were moved: "from drawer 1" and "to drawer 1" are two questions, and a row holds both drawers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.joining import Mention
from memory_evidence.tallymem.rows import Row
from memory_evidence.tallymem.terms import contains

_SAID = re.compile(r"\b(?:(?P<away>from|out\s+of|off)|(?P<to>to|into|onto))\s+(?:(?:the|an?|any)\s+)?\Z", re.IGNORECASE)
_AWAY = r"(?:from|out\s+of|off)"
_TOWARD = r"(?:in/on|into|onto|to|in|on|toward|towards)"
_KEYS = {True: r"\"(?:from|source|src|origin)\w*\"", False: r"\"(?:to|destination|dest|dst|recipient|target)\w*\""}


def check_directions(text: str, named: Iterable[Mention], rows: Iterable[Row], *, filing: bool) -> None:
    """Check that the rows go the way that the question says.

    Args:
        text: A clause of a question.
        named: The targets and classes of targets that it names.
        rows: The rows that match it.
        filing: Whether it asks what was done to files: "edits to a file" go nowhere.

    Raises:
        Unread: One goes the other way, or has several targets and does not tell.
    """
    said = [(mention, match) for mention in named if (match := _SAID.search(text, 0, mention.start))]
    if not said or filing:
        return
    for row in rows:
        for mention, match in said:
            away = match["away"] is not None
            ways = {_goes_away(row.action, target) for target in row.targets if contains(mention.term)(target)}
            if (not away) in ways or (away not in ways and len(row.targets) > 1):
                what = text[match.start() : mention.stop]
                raise Unread(
                    f"the log does not say {what!r} of every such step: step {row.step} is another, or does not tell"
                )


def _goes_away(action: str, target: str) -> bool | None:
    """Whether an action is from `target`; None where it does not tell."""
    name = rf"\s+(?:the\s+)?{re.escape(target)}(?!\w)"
    for away, word in ((True, _AWAY), (False, _TOWARD)):
        if re.search(rf"(?<!\w){word}{name}", action, re.IGNORECASE):
            return away
        if re.search(rf"{_KEYS[away]}\s*:\s*\"{re.escape(target)}\"", action):
            return away
    return None
