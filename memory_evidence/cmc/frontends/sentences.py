"""Where a text can be cut: lines, sentences, and the full stop at the end of a value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MAX_CHARS = 20_000
"""Longer records are not read, only kept (`Label.UNRESOLVED`): a statement is never that long, and a document
deserves a reader that knows about documents."""


def word_set(text: str) -> frozenset[str]:
    """Return the words of `text`."""
    return frozenset(text.split())


TITLES = word_set(
    "dr mr mrs ms mx prof st mt ft gen sen rep gov capt cmdr lt col sgt maj rev hon fr vs cf approx dept univ "
    "messrs mme mlle sra srta e.g i.e"
)
"""Abbreviations that something always follows: their full stop ends no sentence."""

ENDINGS = word_set("inc ltd corp co bros jr sr esq st mt ave blvd rd dept univ llc plc")
"""Abbreviations that may end a sentence and then keep their full stop."""

_LONGEST = max(map(len, ENDINGS))
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}\Z")  # D.C  U.S  S.p.A  Ph.D  p.m
_SIMPLE = re.compile(r"[^\W\d_]+(?: [^\W_]+)+[.!]?")
_EVENT = re.compile(r'[.!?…]+|[。！？]|["“«`]')
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_BULLET = re.compile(r"\s*(?:[-*+•·‣▪]|\(?\d{1,3}[.)]|#{1,6})\s+")
_CLOSING = {'"': '"', "“": "”", "«": "»", "`": "`"}
_QUOTE_CHARS = 500
_WRAPPED_CHARS = 60
_VERB = re.compile(r"\b(?:is|are|am|was|were|has|have|had|lives?|works?|moved|likes?|loves?|joined|left|said)\b")
_VERB_CHARS = 200


class Sentence(NamedTuple):
    """A span of the text without its closing marks."""

    start: int
    stop: int
    question: bool


def only_sentence(text: str) -> Sentence | None:
    """Return the sentence that `text` is, if it is a short plain one: words, single spaces and a closing mark."""
    if _SIMPLE.fullmatch(text) is None:
        return None
    return Sentence(0, value_end(text, 0, len(text) - (text[-1] == "!")), False)


def is_abbreviation(word: str) -> bool:
    """Whether `word`, written without its last full stop, keeps it at the end of a sentence (`Inc`, `D.C`, `Jr`)."""
    if word.lower() in ENDINGS:
        return True
    return "." in word and _DOTTED.match(word) is not None and (not word.islower() or word in ("a.m", "p.m"))


def value_end(text: str, start: int, stop: int) -> int:
    """Return where the value that ends before `stop` really ends: one plain final full stop is dropped once.

    `X Inc..` ends after `Inc.`; so does `X Inc.`, because `Inc.` is an abbreviation, and `J. R.`; `Room B.` loses its
    full stop. Surrounding space is never part of a value.
    """
    while stop > start and text[stop - 1].isspace():
        stop -= 1
    if stop - start < 2 or text[stop - 1] != ".":
        return stop
    if text[stop - 2] == ".":
        if not text.endswith("...", start, stop):
            return stop - 1
        while stop > start and text[stop - 1] == ".":
            stop -= 1
        return stop
    first = text.rfind(" ", start, stop) + 1 or start
    word = text[first : stop - 1]
    if len(word) > _LONGEST and "." not in word:
        return stop - 1
    if is_abbreviation(word):
        return stop
    # An initial keeps its full stop only after another one: "J. R." is a name, "Room B." the end of a sentence.
    if (
        len(word) == 1
        and word.isupper()
        and first - 3 >= start
        and text[first - 2] == "."
        and text[first - 3].isupper()
    ):
        return stop
    return stop - 1


def lines(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield start, stop and whether it is opaque (code, quoted mail) for every line that holds something.

    A long line without a closing mark is taken to go on in the next one (hard-wrapped text), a short one is not.
    """
    if "\n" not in text and "```" not in text:
        yield 0, len(text), text.lstrip().startswith(">")
        return
    begin = 0
    for fence in _FENCE.finditer(text):
        yield from _plain_lines(text, begin, fence.start())
        yield fence.start(), fence.end(), True
        begin = fence.end()
    yield from _plain_lines(text, begin, len(text))


def _plain_lines(text: str, begin: int, end: int) -> Iterator[tuple[int, int, bool]]:
    start = begin  # of the line under construction, which may span several physical ones
    at = begin
    while at < end:
        newline = text.find("\n", at, end)
        stop = newline if newline >= 0 else end
        following = stop + 1
        last = text[at:stop].rstrip()
        goes_on = (
            newline >= 0
            and len(last) >= _WRAPPED_CHARS
            and last[-1] not in ".!?:;…。！？"
            and following < end
            and not text[following].isspace()
            and _BULLET.match(text, following) is None
        )
        if not goes_on:
            if text[start:stop].strip():
                yield start, stop, text[start:stop].lstrip().startswith(">")
            start = following
        at = following


def sentences(text: str, start: int, stop: int) -> Iterator[Sentence]:
    """Yield the sentences of one line, in order, without bullets and closing marks.

    Initials, titles, abbreviations, decimals, versions and addresses end no sentence; neither does anything inside
    quotation marks that are closed on the same line.
    """
    bullet = _BULLET.match(text, start, stop)
    if bullet is not None:
        start = bullet.end()
    at = start
    while True:
        event = _EVENT.search(text, at, stop)
        if event is None:
            break
        at = event.end()
        mark = event.group()
        if mark in _CLOSING:
            close = text.find(_CLOSING[mark], at, min(stop, at + _QUOTE_CHARS))
            if close < 0:
                continue
            at = close + 1
            if not (text[close - 1] in ".!?" and text[at : at + 1].isspace() and _capital_follows(text, at, stop)):
                continue
            end, question = at, False
        elif _ends_sentence(text, start, event.start(), at, stop):
            question = "?" in mark or mark == "？"
            while at < stop and text[at] in "\"”»')]":
                at += 1
            end = value_end(text, start, event.end()) if mark in (".", "..") else event.start()
        else:
            continue
        start, end = _strip(text, start, end)
        if start < end:
            yield Sentence(start, end, question)
        start = at
    start, stop = _strip(text, start, stop)
    if start < stop:
        yield Sentence(start, stop, False)


def _strip(text: str, start: int, stop: int) -> tuple[int, int]:
    while start < stop and text[start].isspace():
        start += 1
    while stop > start and text[stop - 1].isspace():
        stop -= 1
    return start, stop


def _capital_follows(text: str, at: int, stop: int) -> bool:
    while at < stop and text[at].isspace():
        at += 1
    return at < stop and not text[at].islower()


def _ends_sentence(text: str, start: int, at: int, after: int, stop: int) -> bool:
    """Whether the mark at `at`, with `after` the first character behind it, ends the sentence begun at `start`."""
    mark = text[at]
    if mark in "。！？":
        return True
    if after >= stop:
        return True
    if not (text[after].isspace() or text[after] in "\"”»')]"):
        return False
    if mark != "." or after - at > 1:
        # A name such as "Yahoo!" goes on with its verb.
        return mark != "!" or text[after:stop].split(None, 1)[:1] not in (["is"], ["was"], ["has"])
    first = text.rfind(" ", start, at) + 1 or start
    word = text[first:at].lstrip("(\"'“")
    lower = word.lower()
    if (len(word) == 1 and word.isalpha() and word.isupper()) or (lower in TITLES and lower not in ("st", "mt")):
        return False
    if not _capital_follows(text, after, stop):
        return not (is_abbreviation(word) or lower in ENDINGS)
    if lower in ("st", "mt") and text[max(start, first - 2) : first].strip() in ("", ","):
        return False
    if is_abbreviation(word) or lower in ENDINGS:
        # "Apple Inc. Ann lives in Rome" are two sentences, "Apple Inc. Japan" is one name: both sides need a verb.
        behind = text[after : min(stop, after + _VERB_CHARS)].split(". ", 1)[0]
        before = text[max(start, at - _VERB_CHARS) : at]
        return _VERB.search(before) is not None and _VERB.search(behind) is not None
    return True
