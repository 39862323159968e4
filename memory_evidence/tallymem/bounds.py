"""Reads explicit step bounds from the wording of a question, and says whether their ends are included.

Only what the question states becomes a bound; without one the scope is the whole trajectory.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from memory_evidence.tallymem.ledger import Ledger
from memory_evidence.tallymem.plan import Scope

_Sub = Callable[["re.Match[str]"], str]


class Unread(Exception):
    """A question, or a part of it, that the rules do not read; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Bounded:
    """A question without its bounds (blanked out in place), and the scope they give."""

    text: str
    scope: Scope
    spans: tuple[tuple[int, int], ...] = ()
    """Where the bounds stood, in order."""
    counted: bool = False
    """Whether a bound counts steps from an end: "the first 3 steps"."""

    @property
    def found(self) -> bool:
        """Whether there is a bound."""
        return bool(self.spans)


NUMBERS = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "hundred": 100, "a hundred": 100}

_UNIT = r"(?:time[ -]?steps?|steps?|turns?)(?:\s+(?:ids?|index|indices|indexes|numbers?|no\.?|#))?"
_N = r"#?(\d{1,9})(?![\w.]\d|\w)"
_AT = rf"(?:the\s+)?{_UNIT}\s+{_N}"
_END = rf"(?:{_UNIT}\s+)?{_N}"
_SAID = (
    r"(?:\s*,?\s*\(?\s*(?P<said>both\s+(?:ends?\s+)?(?:inclusive|included)|inclusive(?:ly)?|included"
    r"|exclusive(?:ly)?|excluded"
    r"|(?:but\s+)?not\s+including(?:\s+it)?|not\s+included)\s*\)?)?"
)
_FROM_TO = re.compile(
    rf"(?<!after )(?<!before )\b(?:(?:from|since)\s+|(?:in|during|within|over|across|for"
    rf"|of)\s+(?:the\s+)?)?(?:range\s+(?:of\s+)?)?(?:the\s+)?{_UNIT}\s+{_N}\s*"
    rf"(?:up\s+to(?:\s+and\s+including)?|through|thru|until|till|to|[-–—])\s*(?:the\s+)?{_END}{_SAID}",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    rf"\b(?P<strict>strictly\s+)?(?:in\s+)?between\s+(?:the\s+)?{_UNIT}\s+{_N}\s+and\s+(?:the\s+)?{_END}{_SAID}",
    re.IGNORECASE,
)
_UPPER = re.compile(
    r"\b(?:up\s+to\s+and\s+including|up\s+through|up\s+until|up\s+till|up\s+to|through|thru|until|till"
    r"|no\s+later\s+than|not\s+later\s+than|not\s+after"
    r"|by\s+the\s+time\s+(?:it|the\s+agent)\s+reache[sd]|by\s+the\s+end\s+of|to\s+the\s+end\s+of"
    r"|through\s+the\s+end\s+of|until\s+the\s+end\s+of"
    r"|(?:at|on|in|by|until|with)\s*(?:\bor\b|\band\b|/)\s*before|before\s*(?:\bor\b|\band\b|/)\s*(?:at|on|in|by)"
    r"|as\s+of|as\s+at|ending\s+(?:at|with|in)|by)\s+"
    rf"(?:and\s+including\s+)?{_AT}{_SAID}",
    re.IGNORECASE,
)
_BELOW = re.compile(
    r"\b(?<!\bno )(?<!\bnot )"
    r"(?:up\s+to\s*,?\s*(?:but\s+)?(?:not\s+including|excluding)\s*,?|(?:any\s*time\s+)?(?:strictly\s+)?before(?:\s+reaching)?|prior\s+to"
    r"|earlier\s+than|preceding|(?:until|till|up\s+to)\s+(?:(?:just|right)\s+)?before|by\s+the\s+(?:start|beginning)\s+of"
    r"|until\s+the\s+(?:start|beginning)\s+of"
    r"|less\s+than|below)\s+"
    rf"{_AT}{_SAID}",
    re.IGNORECASE,
)
_LOWER = re.compile(
    r"\b(?:starting\s+(?:at|from|with|in)|beginning\s+(?:at|from|with|in)"
    r"|(?:at|on|in|from|since|with)\s*(?:\bor\b|\band\b|/)\s*after|after\s*(?:\bor\b|\band\b|/)\s*(?:at|on|in|from)"
    r"|no\s+earlier\s+than|not\s+before|from|since)\s+"
    rf"(?:and\s+including\s+)?{_AT}{_SAID}(?:\s+(?:on|onwards?|forward|to\s+the\s+end"
    rf"|until\s+the\s+end))?(?:\s+of\s+the\s+(?:trajectory|log|episode|run))?",
    re.IGNORECASE,
)
_ABOVE = re.compile(
    rf"\b(?:(?:any\s*time\s+)?(?:strictly\s+)?after|following|later\s+than|past|beyond"
    rf"|subsequent\s+to)\s+{_AT}{_SAID}(?:\s+(?:on|onwards?))?",
    re.IGNORECASE,
)
_ONWARD = re.compile(
    rf"\b(?:(?:at|in|from|for)\s+)?{_AT}(?P<said>)\s+(?:onwards?|(?:and|or)\s+(?:later|after|above"
    rf"|beyond))\b(?!\s+(?:the\s+)?{_UNIT}\s)",
    re.IGNORECASE,
)
_BACKWARD = re.compile(
    rf"\b(?:(?:at|in|for)\s+)?{_AT}(?P<said>)\s+(?:and|or)\s+(?:earlier|before"
    rf"|below)\b(?!\s+(?:the\s+)?{_UNIT}\s)",
    re.IGNORECASE,
)
_COUNTED = (
    r"(\d{1,9}|" + "|".join(sorted(NUMBERS, key=len, reverse=True)) + r")\s+(?:steps?|turns?|actions?|time[ -]?steps?)"
)
_FIRST_N = re.compile(
    rf"\b(?:in|during|within|over|across|among|of|for|throughout)?\s*(?:the\s+)?(?:very\s+)?(?:first|initial"
    rf"|opening)\s+{_COUNTED}\b",
    re.IGNORECASE,
)
_LAST_N = re.compile(
    rf"\b(?:in|during|within|over|across|among|of|for|throughout)?\s*(?:the\s+)?(?:very\s+)?(?:last|final"
    rf"|closing)\s+{_COUNTED}\b",
    re.IGNORECASE,
)
# "steps up to 36" is "up to step 36".
_SWAPPED = re.compile(
    rf"\b({_UNIT}\s+(?:up\s+to\s+and\s+including|up\s+to|through|until|till|before|after|from"
    rf"|since)\s+)(?=#?\d)",
    re.IGNORECASE,
)
_INTERVAL = re.compile(
    rf"\b(?:in\s+|within\s+|over\s+)?(?:the\s+)?{_UNIT}\s*\[\s*{_N}\s*[,;–-]\s*{_N}\s*\]{_SAID}", re.IGNORECASE
)
_NEXT_TO = re.compile(
    rf"\b(?<!until )(?<!till )(?<!up to )(?:right|just|shortly|immediately|directly|soon)\s+"
    rf"(?:before|after|prior\s+to|following|preceding)\s+{_AT}",
    re.IGNORECASE,
)
_POINT = re.compile(rf"\b(?:at|in|on|during|for|of)\s+{_AT}\b", re.IGNORECASE)
_AS_OF = re.compile(r"at\b", re.IGNORECASE)
_LEFT = re.compile(rf"\b{_UNIT}\s+#?\d+", re.IGNORECASE)
# A question about "step 30" that looks back over what had happened by then.
_LOOKS_BACK = re.compile(
    r"\b(?:so\s+far|by\s+then|up\s+to\s+(?:then|that\s+point|now)|until\s+then|to\s+date|has|have|had"
    r"|histor(?:y|ies)|last|latest|most\s+recent|prior)\b",
    re.IGNORECASE,
)
# What a bound must not stand behind: it would be one of two, or turned around.
_TURNED = re.compile(
    r"(?:\b(?:or|nor|not|neither|except|excluding)|/)\s+(?:(?:just|right|only|was|were|it)\s+)*\Z", re.IGNORECASE
)
COORDINATED = re.compile(r"\b(?:and|or|but|then|while|nor|plus)\b|;", re.IGNORECASE)
_JOINING = re.compile(
    r"(?:\s|[,;()]|\b(?:and|or|but|then|also|only|still|yet|the|in|at|those|that|is|are|was|were|it)\b)*\Z",
    re.IGNORECASE,
)
_EXCLUSIVE = re.compile(r"exclu|not\s+includ", re.IGNORECASE)


def read_bounds(text: str, ledger: Ledger) -> Bounded:
    """Take the step bounds out of `text`.

    Raises:
        Unread: Bounds contradict each other, or a step is named in a way that is no bound.
    """
    lows: list[int] = []
    highs: list[int] = []
    spans: list[tuple[int, int]] = []

    def blank(match: re.Match[str]) -> str:
        if _TURNED.search(match.string, 0, match.start()):
            raise Unread(f"it does not say which steps count: {_turned(match)!r}")
        spans.append(match.span())
        return " " * len(match[0])

    def between(match: re.Match[str]) -> str:
        low, high = sorted((int(match[2]), int(match[3])))
        gap = int(bool(match["strict"]) or _excludes(match))
        lows.append(low + gap)
        highs.append(high - gap)
        return blank(match)

    def from_to(match: re.Match[str]) -> str:
        low, high = sorted((int(match[1]), int(match[2])))
        lows.append(low)
        highs.append(high - int(_excludes(match)))
        return blank(match)

    def end(into: list[int], shift: int) -> _Sub:
        def take(match: re.Match[str]) -> str:
            step = int(match[1])
            moved = shift
            if match["said"]:
                moved = (-1 if into is highs else 1) if _excludes(match) else 0
            into.append(step + moved)
            return blank(match)

        return take

    def first_n(match: re.Match[str]) -> str:
        span = _counted(ledger, match[1])
        if lows:
            raise Unread(f"it does not say where it counts from: {match[0].strip()!r} beside another bound")
        highs.append(ledger.rows[span - 1].step if span else -1)
        return blank(match)

    def last_n(match: re.Match[str]) -> str:
        span = _counted(ledger, match[1])
        if highs:
            raise Unread(f"it does not say where it counts from: {match[0].strip()!r} beside another bound")
        lows.append(ledger.rows[-span].step if span else _beyond(ledger))
        return blank(match)

    text = said = _SWAPPED.sub(r"\1step ", text)
    if match := _NEXT_TO.search(text):
        raise Unread(f"it asks about one step alone, which the view shows: {match[0]!r}")
    text = _BETWEEN.sub(between, text)
    text = _INTERVAL.sub(from_to, text)
    text = _FROM_TO.sub(from_to, text)
    ranges = len(spans)
    text = _ONWARD.sub(end(lows, 0), text)
    text = _BACKWARD.sub(end(highs, 0), text)
    # "At or before" holds a "before": the bounds that take their step in are looked for first.
    text = _UPPER.sub(end(highs, 0), text)
    text = _LOWER.sub(end(lows, 0), text)
    text = _BELOW.sub(end(highs, -1), text)
    text = _ABOVE.sub(end(lows, 1), text)
    counted = bool(_FIRST_N.search(text) or _LAST_N.search(text))
    text = _FIRST_N.sub(first_n, text)
    text = _LAST_N.sub(last_n, text)
    if match := _POINT.search(text):
        if not _AS_OF.match(match[0]) or not _LOOKS_BACK.search(text):
            raise Unread(f"it asks about step {match[1]} alone, which the view shows")
        highs.append(int(match[1]))
        text = text[: match.start()] + blank(match) + text[match.end() :]
    if match := _LEFT.search(text):
        raise Unread(f"{match[0]!r} is named, but not as a bound")
    spans.sort()
    _check_one_clause(said, spans)
    if ranges > 1:
        raise Unread("it names two ranges of steps, and not whether both count or what they share")
    low, high = max(lows, default=None), min(highs, default=None)
    if low is not None and high is not None and low > high:
        raise Unread(f"no step lies between the bounds it names ({low} to {high})")
    return Bounded(text, Scope(low, high), tuple(spans), counted)


def _check_one_clause(text: str, spans: list[tuple[int, int]]) -> None:
    """Refuse bounds of two actions: "opened before step 11 and closed after step 8" has no scope of its own.

    Raises:
        Unread: Something is done between two bounds, and something else behind it.
    """
    for (_, stop), (start, _) in pairwise(spans):
        between = text[stop:start]
        if COORDINATED.search(between) and not _JOINING.match(between):
            raise Unread(f"each of two bounds may belong to an action of its own: {between.strip()!r} is between them")


def _turned(match: re.Match[str]) -> str:
    before = match.string[: match.start()].split()
    return " ".join([*before[-2:], match[0].strip()])


def _excludes(match: re.Match[str]) -> bool:
    return bool(match["said"]) and _EXCLUSIVE.search(match["said"]) is not None


def _counted(ledger: Ledger, word: str) -> int:
    number = int(word) if word.isdigit() else NUMBERS[" ".join(word.lower().split())]
    return min(number, len(ledger))


def _beyond(ledger: Ledger) -> int:
    return ledger.rows[-1].step + 1 if len(ledger) else 0
