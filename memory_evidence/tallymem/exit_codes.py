"""Reads the exit code that an observation says a command ended with, and what the command said before."""

from __future__ import annotations

import re

__all__ = ["exit_code", "exit_quote", "last_said"]

_MOST_TRAILERS, _LONGEST_TRAILER = 8, 400
_EXIT = re.compile(r"\bexit code:?\s+(-?\d{1,10})\b", re.IGNORECASE)
# A line that says nothing but how a command ended; within what it printed, the words are content.
_ENDED = re.compile(
    r"\W*(?:(?:the|your)\s+)?(?:(?:command|process|program|script|code|job|task|execution)\s+)?"
    r"(?:(?:was\s+)?(?:completed|finished|exited|ended|failed|terminated|returned|done|killed|stopped)\s+)?"
    r"(?:with\s+)?(?:an?\s+|the\s+)?(?P<code>exit code:?\s+-?\d{1,10}\b)(?:\W|CTRL\+C was sent)*\Z",
    re.IGNORECASE,
)
_LAST_LINES = 2_000


def exit_code(observation: str) -> int | None:
    """Return the exit code that an observation says the command ended with.

    It stands by itself on the last line, on one of the lines in [brackets] before it, or on the first.
    """
    found = exit_quote(observation)
    return int(match[1]) if found and (match := _EXIT.match(found)) else None


def exit_quote(observation: str) -> str:
    """Return the words "exit code N" with which a command ended; "" for none."""
    end = len(observation)
    for _ in range(_MOST_TRAILERS):
        stop = len(observation[max(end - _LONGEST_TRAILER, 0) : end].rstrip()) + max(end - _LONGEST_TRAILER, 0)
        start = observation.rfind("\n", max(stop - _LONGEST_TRAILER, 0), stop) + 1
        line = observation[max(start, stop - _LONGEST_TRAILER) : stop]
        if match := _ENDED.match(line):
            return match["code"]
        if not line.startswith("[") or start == 0:
            break
        end = start - 1
    match = _ENDED.match(observation[:_LONGEST_TRAILER].split("\n", 1)[0])
    return match["code"] if match else ""


def last_said(observation: str) -> str:
    """Return the last line that the command printed itself, without what tells how it ended; "" for none."""
    for line in reversed(observation[-_LAST_LINES:].split("\n")):
        said = line.strip()
        if said and not said.startswith("[") and not _ENDED.match(said):
            return said
    return ""
