"""The assignment lines that a diff adds: of code, and the keys of files whose ending says that they are settings."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from memory_evidence.tallymem.commits.continued import continued, goes_on, left_open

MOST_VALUE = 200
"""Characters of a value that are kept."""

_ASSIGNS = re.compile(
    r"\s*(?:[A-Za-z_][\w<>\[\],*&]*\s+){0,3}?(?P<name>[A-Za-z_$][\w$.-]*)\s*(?::[^=:][^=]{0,120})?(?::{1,3}=|\?=|=(?![=~>]))(?P<value>.*)",
    re.DOTALL,
)
_CONTROL = re.compile(
    r"\s*(?:if|elif|else|while|for|return|yield|assert|case|switch|when|not|and|or|lambda|with|raise|throw|del|in|is"
    r"|print|echo|import|from)\b"
)
_YAML = re.compile(
    r"\s*(?:-\s+)*(?P<mark>[\"']?)(?P<name>[A-Za-z_$][\w$.-]*)(?P=mark)\s*:(?:\s+(?P<value>\S.*)|\s*\Z)", re.DOTALL
)
_OPENS = re.compile(r"(?:[&!]\S*(?:\s+|\Z))*(?:[|>][-+0-9]*\s*)?(?:#.*)?", re.DOTALL)
"""What stands behind a key of yaml whose value is in the lines below."""
_TOML = re.compile(r"\s*(?P<mark>[\"']?)(?P<name>[A-Za-z_$][\w$.-]*)(?P=mark)\s*=(?P<value>.*)", re.DOTALL)
_INI = re.compile(r"\s*(?P<name>[A-Za-z_$][\w$.-]*)\s*[=:](?P<value>.*)", re.DOTALL)
_JSON = re.compile(
    r'"(?P<name>(?:[^"\\]|\\.)*)"(?P<key>\s*:\s*(?P<value>"(?:[^"\\]|\\.)*"|\[(?:[^][{}"]|"(?:[^"\\]|\\.)*")*\]|[^\s"{}\[\],]+)?)?',
    re.DOTALL,
)
_NAME = re.compile(r"[A-Za-z_$][\w$.-]*")
_SETTINGS = {"yaml": _YAML, "yml": _YAML, "toml": _TOML, "ini": _INI, "cfg": _INI, "conf": _INI, "properties": _INI}
READ = (
    "read are added lines `NAME = value`, `:=`, `?=`, and keys of .json, .yaml, .yml, .toml, .ini, .cfg, .conf and"
    " .properties files with the value on the same line, whatever the line stands in (a document, a text, a call);"
    " not `+=` and its kin, several names at once, calls within a line, values over several lines, in .py files"
    " arguments (lines that end with a comma), nor what is behind the first 64 KiB of a line"
)
"""What is read as an assignment, for people."""
_MOST_HELD = 10_000
"""Assignment lines of one file in one commit among which those that were only moved are told."""
_TYPE = re.compile(r"<[^<>]*>|\[[^][]*\]")
_ARGUMENT = re.compile(r".*,\s*(?:#.*)?", re.DOTALL)
"""A line of Python that goes on below: an argument of a call, most often."""
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_ESCAPE = re.compile(rb'\\([abfnrtv"\\]|[0-7]{3})')
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


def read_assignments(line: str, ending: str) -> list[tuple[str, str]]:
    """Return the names that a line of a file assigns, each with its value.

    A key of a settings file is assigned the value on its line: `port: 80` in yaml, `"port": 80` in json (any number on
    a line), `port = 80` in toml, `port = 80` or `port: 80` in ini files and their like. A key alone is its name,
    whatever it is nested in. Values are as they are written, quotes and notes included; those that go on over several
    lines, and all objects and flow mappings, are marked as `continued`. What is no key is read as code is.

    Args:
        line: The line, without its end.
        ending: What follows the last dot of the file's name, in lower case; "" for none.
    """
    if ending == "json":
        keys = (match for match in _JSON.finditer(line) if match["key"] and _NAME.fullmatch(match["name"]))
        return [
            (key["name"], _kept(key["value"]) if key["value"] else continued(line[key.end() : key.end() + 1]))
            for key in keys
        ]
    if (form := _SETTINGS.get(ending)) is not None and (match := form.match(line)) is not None:
        value = (match["value"] or "").strip()
        if form is _YAML:
            below = value.startswith("{") or _OPENS.fullmatch(value) is not None or left_open(value, ending)
            return [(match["name"], continued(_kept(value)) if below else _kept(value))]
        return [(match["name"], _told(value, ending))]
    found_in_code = read_assignment(line, ending)
    if found_in_code is None:
        return []
    argument = ending in ("py", "pyi") and _ARGUMENT.fullmatch(line) and not goes_on(found_in_code[1])
    return [] if argument else [found_in_code]


def read_assignment(line: str, ending: str = "") -> tuple[str, str] | None:
    """Return the name that a line of code assigns, and the value; None for any other line.

    A line assigns `NAME` where it reads `NAME = value`, `NAME := value`, `NAME ?= value` or `NAME: type = value`, after
    at most three words (`export const`, `static int`), none of which is one of control flow. No language is parsed:
    what reads like this inside a text or a call is taken for an assignment as well. `+=` and its kin assign no value
    of their own, and are not read; nor is `a, b = 1, 2`, which does not say which value is whose. A value that goes on
    over several lines is marked as `continued`.
    """
    if _CONTROL.match(line):
        return None
    match = _ASSIGNS.match(line)
    if match is None or "," in _TYPE.sub("", _TYPE.sub("", line[: match.start("name")])):
        return None
    return match["name"], _told(match["value"].strip(), ending)


def read_patches(lines: Iterable[bytes]) -> Iterator[tuple[bytes, bytes, str, str]]:
    """Yield commit id, path, name and value of every added assignment line of `git log -p -U0`.

    A line that the same commit takes from the same file, with the same value, was moved, indented or ended in another
    way, and is left out.

    Args:
        lines: Each commit begins with NUL and its id. What a hunk holds is told by its header's numbers, so that no
            line of a file can pass for a header.
    """
    commit, path, ending = b"", b"", ""
    removed = added = 0
    given = _Given()
    for line in lines:
        if removed and line.startswith(b"-"):
            removed -= 1
            given.take(_read(line[1:], ending))
        elif added and line.startswith(b"+"):
            added -= 1
            given.add(_read(line[1:], ending))
        elif line.startswith(b"\0"):
            yield from ((commit, path, name, value) for name, value in given.new())
            commit = line[1:]
        elif line.startswith(b"+++ "):
            yield from ((commit, path, name, value) for name, value in given.new())
            path = unquote(line[4:].removesuffix(b"\t")).removeprefix(b"b/")
            ending = os.path.splitext(path)[1][1:].decode("ascii", "replace").lower()
        elif match := _HUNK.match(line):
            removed, added = (1 if count is None else int(count) for count in match.groups())
    yield from ((commit, path, name, value) for name, value in given.new())


_Line = tuple[str, str, str]
"""A name, its value, and what tells two values from each other: the line, where the value was cut."""


class _Given:
    """What the lines of one file in one commit give and take."""

    def __init__(self) -> None:
        self._added: list[_Line] = []
        self._taken: Counter[tuple[str, str]] = Counter()

    def add(self, found: list[_Line]) -> None:
        self._added += found[: _MOST_HELD - len(self._added)]

    def take(self, found: list[_Line]) -> None:
        if len(self._taken) < _MOST_HELD:
            self._taken.update((name, told) for name, _, told in found)

    def new(self) -> Iterator[tuple[str, str]]:
        """Yield what was not taken elsewhere, and forget all."""
        added, taken = self._added, self._taken
        self._added, self._taken = [], Counter()
        for name, value, told in added:
            if taken[name, told] > 0:
                taken[name, told] -= 1
            else:
                yield name, value


def _read(line: bytes, ending: str) -> list[_Line]:
    if b"=" not in line and b":" not in line:
        return []
    text = line.decode("utf-8", "replace")
    found = read_assignments(text, ending)
    return [(name, value, text.strip() if len(value) > MOST_VALUE else value) for name, value in found]


def _told(value: str, ending: str) -> str:
    kept = _kept(value.rstrip(";,").rstrip())
    return continued(kept) if left_open(value, ending) else kept


def _kept(value: str) -> str:
    return value if len(value) <= MOST_VALUE else value[:MOST_VALUE] + "..."


def unquote(name: bytes) -> bytes:
    """Return a path as git names it in a header: in quotes, with escapes, where it holds anything unusual."""
    if not (name.startswith(b'"') and name.endswith(b'"')):
        return name
    return _ESCAPE.sub(lambda m: _ESCAPED.get(m[1]) or (bytes([int(m[1], 8)]) if len(m[1]) == 3 else m[1]), name[1:-1])
