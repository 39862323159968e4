"""How a literal term matches a value of the ledger: without case, and never inside a word or a number.

`drawer 1` is not `drawer 10`, `card.py` is not `test_card.py`, and the tool `search` is not `search_web`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

# What may stand inside a tool's name, so that a part of a name is not the name.
_NAME = r"[\w.\-]"
_INTERPRETER = re.compile(r"(python|pypy|pip|node|nodejs|ruby|perl|php|java|lua)(\d+(?:\.\d+)*)?\Z", re.IGNORECASE)


@lru_cache(maxsize=4_096)
def contains(term: str) -> Callable[[str], bool]:
    """Return a test for values that hold `term` as whole words and whole numbers."""
    body = r"\s+".join(map(re.escape, term.split()))
    # A dot that runs on is part of the name: `1.5` does not hold `1`, nor `a.py` a file `a`.
    pattern = re.compile(rf"(?<![^\W_])(?<!_)(?<!\d\.){body}(?!\w|\.\w|-\d)", re.IGNORECASE)
    return lambda value: pattern.search(value) is not None


@lru_cache(maxsize=4_096)
def tells(term: str) -> Callable[[str], bool]:
    """Return a test for changes (`object.property before -> value`) that hold `term` as whole words and numbers."""
    body = r"\s+".join(map(re.escape, term.split()))
    pattern = re.compile(rf"(?<![^\W_])(?<!_)(?<!\d\.){body}(?!\w|\.\d|-\d)", re.IGNORECASE)
    return lambda value: pattern.search(value) is not None


@lru_cache(maxsize=4_096)
def names(term: str) -> Callable[[str], bool]:
    """Return a test for names (of tools, of acts) that hold `term` as whole names, separated by spaces.

    `python3.11` is an interpreter `python` as well; `python3` is that name alone.
    """
    body = r"\s+".join(map(re.escape, term.split()))
    if interpreter(term) == term.casefold():
        body += r"(?:\d+(?:\.\d+)*)?"
    pattern = re.compile(rf"(?<!{_NAME}){body}(?!{_NAME})", re.IGNORECASE)
    return lambda value: pattern.search(value) is not None


def interpreter(name: str) -> str | None:
    """Return the interpreter of which `name` is a version: "python" for "python3.11" and "python"; None for none."""
    match = _INTERPRETER.match(name)
    return match[1].casefold() if match else None


@lru_cache(maxsize=4_096)
def equals(term: str) -> Callable[[str], bool]:
    """Return a test for values that are `term`, whatever their case."""
    folded = term.casefold()
    return lambda value: value.casefold() == folded
