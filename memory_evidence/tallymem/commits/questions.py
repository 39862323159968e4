"""Compiles questions about a history by rules; a question of which one word is not understood is not compiled.

First the files and commits that a question names are replaced by marks, and its bounds are read; what is left must fit
one of the forms below as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.commits.fit import CLOSE, OPEN, Asked, check_meant, says
from memory_evidence.tallymem.commits.forms import VOCABULARY, fitting
from memory_evidence.tallymem.commits.index import History
from memory_evidence.tallymem.plan import MAX_SUBQUERIES, Plan, Scope, SubQuery, not_applicable

_LONGEST = 2_000
_MOST_WORDS = 8
_MOST_SHOWN = 200
_MARK = re.compile(f"{OPEN}f(\\d+){CLOSE}")
_WORD = re.compile(r"[^\W\d][\w$.-]*[\w$]|\w")
_QUOTED = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|(?<!\w)'([^'\n]+)'(?!\w)")
_TOKEN = re.compile(r"(?<![\w./@+-])(?:\./)?[\w.@+-]*[\w@+-](?:/[\w.@+-]*[\w@+-])*(?![\w/@+-])/?")
_LIKE_A_PATH = re.compile(r"[^/]+/|[\w@+-]\.[A-Za-z]\w{0,4}\Z")
_RANGE = re.compile(
    r"\bcommits\s+(#?[0-9a-f]{4,64}|#?\d{1,9})\s*(and|to|until|through|-|\u2013)\s*(?=#?[0-9a-f]{4}|#?\d)",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"\b(?:the\s+)?(\d{1,9})(?:st|nd|rd|th)\s+commit\b", re.IGNORECASE)
_COMMIT = re.compile(
    r"\b(?:commits?|revisions?)\s+#?((?=[a-f]*\d|[0-9a-f]{7})[0-9a-f]{4,64}|\d{1,9})\b|#(\d{1,9})\b", re.IGNORECASE
)
_C = f"{OPEN}c(\\d+){CLOSE}"
_BOUNDS: tuple[tuple[re.Pattern[str], Callable[[list[int]], tuple[int | None, int | None]]], ...] = tuple(
    (re.compile(rf"(?:,?\s*\b(?:and|but))?,?\s*\b{form}", re.IGNORECASE), bounds)
    for form, bounds in (
        (rf"(?:between|from)\s+{_C}\s+(?:and|to|until|through)\s+{_C}", lambda n: (min(n), max(n))),
        (rf"(?:in|within|over|of)\s+{_C}\s+(?:to|until|through)\s+{_C}", lambda n: (min(n), max(n))),
        (rf"(?:up\s+to|until|till|through)(?:\s+and\s+including)?\s+{_C}", lambda n: (None, n[0])),
        (rf"(?:before|prior\s+to|earlier\s+than)\s+{_C}", lambda n: (None, n[0] - 1)),
        (rf"(?:after|later\s+than)\s+{_C}", lambda n: (n[0] + 1, None)),
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
_READ = (
    "questions that are read: how often a file was changed (added, modified, deleted), which commits changed it, the"
    " first or last of them, in what order files were added, which file was changed most or least often, how many files"
    " were renamed, what names a file had, what values a name had, how often it was set; with bounds such as 'before"
    " commit 20' or 'in the last 5 commits'"
)
"""What the forms read, for people."""


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
            raise Unread(asked.history.unknown(unknown))
        raise Unread(f"{_not_understood(asked, text)}; {_READ}")
    return queries


def _not_understood(asked: Asked, text: str) -> str:
    """Say which words of a question that fits no form are unknown, or that it is their order."""
    history = asked.history
    words = dict.fromkeys(_WORD.findall(_MARK.sub(" ", text)))
    unknown = [word for word in words if word.lower() not in VOCABULARY and word not in history.by_name]
    if unknown:
        said = ", ".join(map(repr, unknown[:_MOST_WORDS]))
        why = _how_to_name(history, unknown) or "no word of these, no file, no name seen assigned"
        return f"{said} {'is' if len(unknown) == 1 else 'are'} not understood ({why})"
    shown = _MARK.sub(lambda m: f"`{asked.files[int(m[1])]}`", text)
    how = f" ({how})" if (how := _how_to_name(history, words)) else ""
    return f"the form of {shown[:_MOST_SHOWN]!r} is not understood, though its words are{how}"


def _how_to_name(history: History, words: Iterable[str]) -> str:
    """Say how the first file that one of these words may stand for is named in a question; "" if there is none."""
    for word in words:
        if files := history.called(word):
            need = "must be in quotes" if history.named(word) else "is named with its ending"
            return f"a file like {files[0]!r} {need}"
    return ""


def _take_files(asked: Asked) -> None:
    """Put a mark in the place of each file that the question names.

    Raises:
        Unread: What looks like a file is none, or may be several.
    """
    for path in sorted(asked.history.odd_paths, key=len, reverse=True):
        if path in asked.text:
            asked.text = re.sub(rf"[`\"']?{re.escape(path)}[`\"']?", _mark(asked, path), asked.text)
    asked.text = _QUOTED.sub(lambda m: _as_file(asked, m, m[1] or m[2] or m[3], quoted=True), asked.text)
    asked.text = _TOKEN.sub(lambda m: _as_file(asked, m, m[0], quoted=False), asked.text)


def _as_file(asked: Asked, match: re.Match[str], name: str, *, quoted: bool) -> str:
    text = match[0]
    found = asked.history.named(name)
    like = _LIKE_A_PATH.search(name) is not None
    if found and (quoted or like) and name in asked.history.by_name:
        said = says(match.string[: match.start()], match.string[match.end() :])
        if said == "value":
            return text
        if not said:
            check_meant(asked.history, name)
    # `test` may be a file and is a word; a name in quotes may be that of a variable.
    if len(found) > 1 and (quoted or like):
        raise Unread(f"{name!r} may be one of {len(found)} files, such as {found[0]!r} and {found[1]!r}")
    if not found and "/" in name:
        raise Unread(asked.history.unknown(name))
    if len(found) == 1 and (quoted or like):
        return _mark(asked, found[0])
    return text


def _mark(asked: Asked, path: str) -> str:
    asked.files.append(path)
    return f" {OPEN}f{len(asked.files) - 1}{CLOSE} "


def _take_bounds(asked: Asked) -> None:
    """Read the commits that the question names as bounds.

    Raises:
        Unread: It names one that there is not, or one that is no bound, or counts commits from another bound.
    """
    last = len(asked.history.commits)
    asked.text = _RANGE.sub(
        lambda m: f"commit {m[1]} {m[2] if m[2].isalpha() else 'to'} commit ", _ORDINAL.sub(r"commit \1", asked.text)
    )
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
        if low is not None or high is not None:
            raise Unread(f"it does not say where it counts from: {match[0].strip(' ,')!r} beside another bound")
        count = min(int(match[2]), last)
        low, high = (low, count) if match[1].lower() == "first" else (last - count + 1, high)
        asked.text = _FIRST_LAST.sub(" ", asked.text, count=1)
    if f"{OPEN}c" in asked.text:
        number = asked.text.partition(f"{OPEN}c")[2].partition(CLOSE)[0]
        raise Unread(f"it names commit {number} as something else than a bound such as 'before commit {number}'")
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
