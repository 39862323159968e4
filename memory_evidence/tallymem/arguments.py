"""Reads the arguments of a call, as JSON or as plain text: what they name, and whether that is a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from memory_evidence.tallymem.shell import is_path

COMMAND_KEYS = ("command", "cmd", "code", "script", "bash_command")
MAX_TARGET = 200
"""Most characters of a target."""
MAX_TARGETS = 32
"""Most targets of an action."""

# Keys whose value names what a call is about; where there is one, the other arguments are content.
_FILE_KEYS = frozenset(("path", "paths", "file", "files", "filename", "filepath", "dir", "directory", "folder"))
_NAMING_KEYS = _FILE_KEYS | {"url", "uri", "target", "id", "element"}
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_A-Za-z]+")
_ITEM = re.compile(
    r"\s*(?:(?P<key>[A-Za-z_]\w*)\s*(?:=|:(?=[\s'\"]))\s*)?"
    r"(?:'(?P<single>(?:[^'\\]|\\.)*)'|\"(?P<double>(?:[^\"\\]|\\.)*)\"|(?P<bare>[^\s,'\"()\[\]{}=]+))"
    r"(?P<end>\s*,|\s+|\Z)",
    re.DOTALL,
)
"""An argument in plain text, with what parts it from the next."""
_SITE = re.compile(r"www\.|[\w.-]+\.(?:com|org|net|edu|gov|io)(?:/|\Z)")
"""What looks like a path, and may be the address of a page."""


@lru_cache(maxsize=4_096)
def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case, whether it is written with underscores, dots or capitals."""
    return [word.lower() for word in _WORDS.findall(name)]


def named_by(arguments: Mapping[str, Any]) -> tuple[tuple[str, ...], bool]:
    """Return the targets among the arguments, and whether one of them is named as a file or folder."""
    naming = {key: value for key, value in arguments.items() if not _NAMING_KEYS.isdisjoint(_key_words(key))}
    values = naming or {key: value for key, value in arguments.items() if key not in COMMAND_KEYS}
    found: dict[str, bool] = {}
    for key, value in values.items():
        file = key in naming and not _FILE_KEYS.isdisjoint(_key_words(key))
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, str) and 0 < len(part) <= MAX_TARGET and "\n" not in part:
                found[part] = found.get(part, False) or file or (key in naming and is_path(part))
    return tuple(list(found)[:MAX_TARGETS]), any(found.values())


def file_of(text: str, *, keyed_alone: bool) -> str | None:
    """Return the one file that arguments in plain text name, by a keyword or first and as a path; None for no such one.

    `path='b.py', old='x'`, `('b.py', 'x')` and `b.py` name it; `a.py b.py` and words around a path do not tell.

    Args:
        text: The arguments.
        keyed_alone: Whether a keyword must name it, since a path may be what a ticket or an event is called.
    """
    body = text[1:-1].strip() if text.startswith("(") and text.endswith(")") else text
    keyed: list[str] = []
    plain: list[str] = []
    at, parted = 0, True
    while at < len(body):
        item = _ITEM.match(body, at)
        if item is None or item["key"] in COMMAND_KEYS or not (parted or item["key"]):
            return None
        value = next(part for part in item.group("single", "double", "bare") if part is not None)
        if not item["key"]:
            plain.append(value)
        elif not _FILE_KEYS.isdisjoint(_key_words(item["key"])):
            keyed.append(value)
        at, parted = item.end(), bool(item["key"]) or "," in item["end"]
    paths = [value for value in plain if is_path(value)]
    if len(keyed) + len(paths) != 1 or (paths and (keyed_alone or paths != plain[:1] or _SITE.match(paths[0]))):
        return None
    file = (keyed or paths)[0]
    return file if 0 < len(file) <= MAX_TARGET and "\n" not in file else None


def _key_words(key: str) -> list[str]:
    """Return the last word of an argument's name, without the "name" of "file_name"."""
    words = words_of(key)
    return words[-2:-1] if words[-1:] == ["name"] and len(words) > 1 else words[-1:]
