"""Compiles questions about a history by rules; a question of which one word is not understood is not compiled.

First the files and commits that a question names are replaced by marks, and its bounds are read; what is left must fit
one of the forms below as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.commits.forms import CLOSE, OPEN, Asked, fitting
from memory_evidence.tallymem.commits.index import History
from memory_evidence.tallymem.plan import MAX_SUBQUERIES, Plan, Scope, SubQuery, not_applicable

_LONGEST = 2_000
_QUOTED = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|(?<!\w)'([^'\n]+)'(?!\w)")
_TOKEN = re.compile(r"(?<![\w./@+-])(?:\./)?[\w.@+-]*[\w@+-](?:/[\w.@+-]*[\w@+-])*(?![\w/@+-])/?")
_LIKE_A_PATH = re.compile(r"[^/]+/|[\w@+-]\.[A-Za-z]\w{0,4}\Z")
_COMMIT = re.compile(r"\b(?:commits?|revisions?)\s+#?([0-9a-f]{4,64}|\d{1,9})\b|#(\d{1,9})\b", re.IGNORECASE)
_C = f"{OPEN}c(\\d+){CLOSE}"
_BOUNDS: tuple[tuple[re.Pattern[str], Callable[[list[int]], tuple[int | None, int | None]]], ...] = tuple(
    (re.compile(rf",?\s*\b{form}", re.IGNORECASE), bounds)
    for form, bounds in (
        (rf"(?:between|from)\s+{_C}\s+(?:and|to|until|through)\s+{_C}", lambda n: (min(n), max(n))),
        (rf"(?:up\s+to|until|till|through)(?:\s+and\s+including)?\s+{_C}", lambda n: (None, n[0])),
        (rf"before\s+{_C}", lambda n: (None, n[0] - 1)),
        (rf"after\s+{_C}", lambda n: (n[0] + 1, None)),
        (rf"(?:since|from|starting\s+(?:at|from|with))\s+{_C}(?:\s+on(?:wards)?)?", lambda n: (n[0], None)),
        (rf"(?:in|by|with|of)\s+{_C}", lambda n: (n[0], n[0])),
    )
)
_FIRST_LAST = re.compile(
    r",?\s*\b(?:in|within|over|among|of)\s+the\s+(first|last)\s+(\d{1,9})\s+commits\b", re.IGNORECASE
)
_FILLER = re.compile(
    r"\b(?:please|so\s+far|in\s+total|altogether|overall|ever|over\s+time|(?:in|of|over|across|throughout)\s+(?:the|this)"
    r"\s+(?:(?:whole|entire|git|commit)\s+)*(?:repo(?:sitory)?|history|log|project)(?:\s+history)?|the|files?(?=\s+\ue000f)"
    r"|tell\s+me|git)\b",
    re.IGNORECASE,
)


def compile_question(question: str, history: History) -> Plan:
    """Return the plan of `question`, or one that says why there is none; never raises."""
    if not question.strip():
        return not_applicable("the question is empty")
    if len(question) > _LONGEST:
        return not_applicable(f"the question is longer than {_LONGEST} characters")
    if not history.commits:
        return not_applicable("the history holds no commits")
    asked = Asked(history, question.replace(OPEN, " ").replace(CLOSE, " "))
    try:
        _take_files(asked)
        _take_bounds(asked)
        queries = _queries(asked)
    except Unread as unread:
        return not_applicable(str(unread))
    if len(queries) > MAX_SUBQUERIES:
        return not_applicable(f"it asks for {len(queries)} quantities, and a plan holds at most {MAX_SUBQUERIES}")
    return Plan(tuple(queries))


def _queries(asked: Asked) -> list[SubQuery]:
    text = " ".join(_FILLER.sub(" ", asked.text).split()).strip(" .?!")
    queries = fitting(asked, text)
    if queries is None:
        if unknown := next((name for name in _TOKEN.findall(text) if _LIKE_A_PATH.search(name)), None):
            raise Unread(f"the history knows no file {unknown!r}")
        raise Unread("it is not understood as a question about changed files, renames, assigned values or commits")
    return queries


def _take_files(asked: Asked) -> None:
    """Put a mark in the place of each file that the question names.

    Raises:
        Unread: What looks like a file is none, or may be several.
    """
    for path in sorted(asked.history.odd_paths, key=len, reverse=True):
        if path in asked.text:
            asked.text = re.sub(rf"[`\"']?{re.escape(path)}[`\"']?", _mark(asked, path), asked.text)
    asked.text = _QUOTED.sub(lambda m: _as_file(asked, m[0], m[1] or m[2] or m[3], quoted=True), asked.text)
    asked.text = _TOKEN.sub(lambda m: _as_file(asked, m[0], m[0], quoted=False), asked.text)


def _as_file(asked: Asked, text: str, name: str, *, quoted: bool) -> str:
    found = asked.history.named(name)
    like = _LIKE_A_PATH.search(name) is not None
    # `test` may be a file and is a word; a name in quotes may be that of a variable.
    if len(found) > 1 and (quoted or like):
        raise Unread(f"{name!r} may be one of {len(found)} files, such as {found[0]!r} and {found[1]!r}")
    if not found and "/" in name:
        raise Unread(f"the history knows no file {name!r}")
    if len(found) == 1 and (quoted or like):
        return _mark(asked, found[0])
    return text


def _mark(asked: Asked, path: str) -> str:
    asked.files.append(path)
    return f" {OPEN}f{len(asked.files) - 1}{CLOSE} "


def _take_bounds(asked: Asked) -> None:
    """Read the commits that the question names as bounds.

    Raises:
        Unread: It names one that there is not, or one that is no bound.
    """
    last = len(asked.history.commits)
    asked.text = _COMMIT.sub(lambda m: f"{OPEN}c{_number(asked.history, m[1] or m[2])}{CLOSE}", asked.text)
    low: int | None = None
    high: int | None = None
    for form, bounds in _BOUNDS:
        for found in form.finditer(asked.text):
            lower, upper = bounds([int(number) for number in found.groups()])
            low = lower if low is None else low if lower is None else max(low, lower)
            high = upper if high is None else high if upper is None else min(high, upper)
        asked.text = form.sub(" ", asked.text)
    if (match := _FIRST_LAST.search(asked.text)) is not None:
        count = min(int(match[2]), last)
        low, high = (low, count) if match[1].lower() == "first" else (last - count + 1, high)
        asked.text = _FIRST_LAST.sub(" ", asked.text, count=1)
    if f"{OPEN}c" in asked.text:
        raise Unread("it names a commit as something else than a bound")
    if (low or 1) > (last if high is None else high):
        raise Unread("no commit lies within its bounds")
    asked.scope = Scope(low, high)


def _number(history: History, name: str) -> int:
    if name.isdigit() and int(name) <= len(history.commits):
        if int(name) < 1:
            raise Unread("commits are numbered from 1")
        return int(name)
    found = history.found(name.lower())
    if len(found) != 1:
        raise Unread(f"the history knows {'no' if not found else 'more than one'} commit {name!r}")
    return found[0].number
