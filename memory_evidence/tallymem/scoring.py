"""What a question is about: the steps it names, and how many terms it shares with each step and file (equation 3)."""

from __future__ import annotations

import heapq
import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memory_evidence.cmc.keys import fold, tokens

NAMED_STEP = 8
NAMED_FILE = 12
RANKED_ITEMS = 8
BEST_STEPS = 4
RANGE = 20
"""A range of steps names all of them up to this many (ours), and only its ends beyond."""

_NUMBER = r"#?\d{1,9}(?![\w.]\d|\w)"
_JOINED = r"\s*(?:,\s*(?:and|or)\b|,|&|-|–|—|\band\b|\bor\b|\bto\b|\bthrough\b|\buntil\b)\s*"
_UNIT = r"(?:time[ -]?steps?|steps?|turns?)"
_REFERENCE = re.compile(rf"\b{_UNIT}\s*{_NUMBER}(?:{_JOINED}(?:the\s+)?(?:{_UNIT}\s*)?{_NUMBER})*", re.IGNORECASE)
_RANGE = re.compile(rf"(\d+)\s*(?:-|–|—|to|through|until)\s*(?:the\s+)?(?:{_UNIT}\s*)?#?(\d+)", re.IGNORECASE)
_BETWEEN = re.compile(rf"\bbetween\s+(?:{_UNIT}\s*)?\Z", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")


def terms(text: str) -> set[str]:
    """Return the set of words and numbers of `text`, without case; scripts without spaces give single characters."""
    if text.isascii():
        return set(_WORD.findall(text.lower()))
    return {token for token in tokens(fold(text).replace("_", " ")) if token[0].isalnum()}


# Words that questions are made of; they say nothing about what a question is about.
_FUNCTION_WORDS = terms(
    "a about after agent all an and any are as at be been before between by can did do does during each for from get "
    "had has have how i in into is it its list many me much my of often on or over so step steps that the their them "
    "then there these they this times to turn until up was were what when where which while who why will with you"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, read for retrieval."""

    steps: tuple[int, ...]
    """Numbers that it names as steps, in order of mention; not all of them need exist."""
    terms: frozenset[str]
    """Its terms, without those of the step references."""


def read_question(question: str) -> Asked:
    """Return the steps that a question names, and its terms."""
    named: dict[int, None] = {}
    for match in _REFERENCE.finditer(question):
        numbers = [int(number) for number in re.findall(r"\d+", match[0])]
        ranges = [(int(low), int(high)) for low, high in _RANGE.findall(match[0])]
        if len(numbers) == 2 and _BETWEEN.search(question, 0, match.start()):
            ranges.append((numbers[0], numbers[1]))
        for low, high in map(sorted, ranges):
            numbers += range(low, high + 1) if high - low < RANGE else ()
        named.update(dict.fromkeys(numbers))
    return Asked(tuple(named), frozenset(terms(_REFERENCE.sub(" ", question)) - _FUNCTION_WORDS))


class TermIndex:
    """Which steps hold which term; built once for a trajectory, and shared by all questions."""

    def __init__(self) -> None:
        self._postings: dict[str, array[int]] = {}
        self._size = 0

    def add(self, texts: Iterable[str]) -> None:
        """Add the next step."""
        for term in set().union(*map(terms, texts)):
            posting = self._postings.get(term)
            if posting is None:
                posting = self._postings[term] = array("I")
            posting.append(self._size)
        self._size += 1

    def shared(self, asked: frozenset[str]) -> dict[int, int]:
        """Return for each step that shares a term with a question how many it shares.

        A term that all steps hold tells none apart, and is not counted.
        """
        counts: dict[int, int] = {}
        for term in asked:
            posting = self._postings.get(term, ())
            if len(posting) < self._size or self._size == 1:
                for place in posting:
                    counts[place] = counts.get(place, 0) + 1
        return counts


def best(scores: dict[int, int], count: int) -> Iterator[tuple[int, int]]:
    """Return the `count` best (score, place) pairs, the later of equal ones first."""
    return iter(heapq.nlargest(count, ((score, place) for place, score in scores.items())))
