"""The assignment lines that a diff adds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

MOST_VALUE = 200
"""Characters of a value that are kept."""

_ASSIGNS = re.compile(
    r"\s*(?:[A-Za-z_][\w<>\[\],*&]*\s+){0,3}?(?P<name>[A-Za-z_$][\w$.-]*)\s*(?::[^=:][^=]{0,120})?(?::=|=(?![=~>]))(?P<value>.*)",
    re.DOTALL,
)
_CONTROL = re.compile(
    r"\s*(?:if|elif|else|while|for|return|yield|assert|case|switch|when|not|and|or|lambda|with|raise|throw|del|in|is"
    r"|print|echo|import|from)\b"
)
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_ESCAPE = re.compile(rb'\\([abfnrtv"\\]|[0-7]{3})')
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


def read_assignment(line: str) -> tuple[str, str] | None:
    """Return the name that a line of code assigns, and the value; None for any other line.

    A line assigns `NAME` where it reads `NAME = value`, `NAME := value` or `NAME: type = value`, after at most three
    words (`export const`, `static int`), none of which is one of control flow. No language is parsed: what reads like
    this inside a text or a call is taken for an assignment as well. `+=` and its kin assign no value of their own.
    """
    if _CONTROL.match(line):
        return None
    match = _ASSIGNS.match(line)
    if match is None:
        return None
    value = match["value"].strip().rstrip(";,").rstrip()
    return match["name"], value if len(value) <= MOST_VALUE else value[:MOST_VALUE] + "..."


def read_patches(lines: Iterable[bytes]) -> Iterator[tuple[bytes, bytes, str, str]]:
    """Yield commit id, path, name and value of every added assignment line of `git log -p -U0`.

    Args:
        lines: Each commit begins with NUL and its id. What a hunk holds is told by its header's numbers, so that no
            line of a file can pass for a header.
    """
    commit, path = b"", b""
    removed = added = 0
    for line in lines:
        if removed and line.startswith(b"-"):
            removed -= 1
        elif added and line.startswith(b"+"):
            added -= 1
            if b"=" in line and (found := read_assignment(line[1:].decode("utf-8", "replace"))):
                yield commit, path, *found
        elif line.startswith(b"\0"):
            commit = line[1:]
        elif line.startswith(b"+++ "):
            path = unquote(line[4:].removesuffix(b"\t")).removeprefix(b"b/")
        elif match := _HUNK.match(line):
            removed, added = (1 if count is None else int(count) for count in match.groups())


def unquote(name: bytes) -> bytes:
    """Return a path as git names it in a header: in quotes, with escapes, where it holds anything unusual."""
    if not (name.startswith(b'"') and name.endswith(b'"')):
        return name
    return _ESCAPE.sub(lambda m: _ESCAPED.get(m[1]) or (bytes([int(m[1], 8)]) if len(m[1]) == 3 else m[1]), name[1:-1])
