"""Split a history given as one text into records."""

from __future__ import annotations

import re

_NUMBERED = re.compile(r"^[ \t]*(\d+)[.):][ \t]+", re.MULTILINE)


def split_history(text: str) -> list[str]:
    """Return the records of `text`, verbatim but for their numbers.

    A numbered list (consecutive numbers from 0 or 1, one item or more a line) is split at its numbers, and what stands
    before the first is a heading. Any other text is one record a line; blank lines separate and are dropped.
    """
    starts = []
    expected: int | None = None
    for match in _NUMBERED.finditer(text):
        number = int(match[1])
        if expected is None and number > 1:
            break
        if expected is None or number == expected:
            starts.append(match)
            expected = number + 1
    if len(starts) < 2:
        return [line.strip() for line in text.splitlines() if line.strip()]
    stops = [match.start() for match in starts[1:]] + [len(text)]
    return [text[match.end() : stop].rstrip() for match, stop in zip(starts, stops, strict=True)]
