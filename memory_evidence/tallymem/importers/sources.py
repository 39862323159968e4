"""Plain data out of what a caller has: JSON files, dicts, and a host's message objects, read by their attributes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from memory_evidence.errors import InputError


def load(source: object, form: str) -> Any:
    """Return `source`, or what the JSON file at that path holds; a `.jsonl` file gives the list of its lines.

    Raises:
        InputError: The file cannot be read or is not JSON; `form` says what was needed.
    """
    if not isinstance(source, (str, PathLike)):
        return source
    path = Path(source)
    try:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
    except (OSError, EOFError, ValueError) as exc:
        raise InputError("the source", str(source), f"{form}, or the path of a JSON file of it ({exc})") from exc
    try:
        if ".jsonl" in path.suffixes:
            return [json.loads(line) for line in text.split("\n") if line.strip()]
        return json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise InputError("the source", str(source), f"a file of valid JSON ({exc})") from exc


def listed(source: object, keys: Sequence[str], form: str) -> list[Any]:
    """Return the list that `source` is, or holds under one of `keys`.

    Raises:
        InputError: There is none.
    """
    data = load(source, form)
    if not isinstance(data, (list, tuple)):
        data = next((held for key in keys if isinstance(held := field(data, key), (list, tuple))), data)
    if not isinstance(data, (list, tuple)):
        raise InputError("the source", source, form)
    return list(data)


def field(item: object, name: str) -> Any:
    """Return one field of a dict or of a host's object; None where there is none."""
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)


def word(value: object) -> str:
    """Return a role, type or status as a plain string, from a string or an enum; "" for anything else."""
    value = getattr(value, "value", value)
    return value if isinstance(value, str) else ""


def text_of(content: object) -> str | None:
    """Return the text of a message's content, its text blocks alone where it is a list; None where there is none."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, (list, tuple)):
        texts = (block if isinstance(block, str) else field(block, "text") for block in content)
        return "\n".join(text for text in texts if isinstance(text, str))
    return as_json(content)


def as_json(value: object) -> str:
    """Return a value as JSON text, readable in any script; what JSON does not know is written as its `str`."""
    return json.dumps(value, ensure_ascii=False, default=str)


def is_error_status(status: object) -> bool:
    """Whether a source format's own status word marks an error."""
    return word(status) in ("error", "failed")
