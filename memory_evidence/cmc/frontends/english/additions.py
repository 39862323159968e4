"""Statements that come beside an earlier one: "Ann also works at Zeta" does not say that she left Acme."""

from __future__ import annotations

from typing import Final

from memory_evidence.cmc.facts import Fact
from memory_evidence.cmc.frontends.english import vocabulary as v
from memory_evidence.cmc.frontends.english.relations import MULTI_VALUED
from memory_evidence.cmc.frontends.english.words import Words
from memory_evidence.cmc.frontends.sentences import word_set

_WORDS: Final = word_set("also additionally")
_PAIRS: Final = frozenset((("as", "well"), ("in", "addition")))
_REPLACING: Final = word_set(
    "moved relocated changed updated increased raised rose dropped fell grew went switched renamed rescheduled "
    "postponed delayed pushed shifted"
)
"""Who also moved to Rome left where they were: what happened to others as well replaces a value all the same."""
_STOPS: Final = v.PUNCTUATION | v.CLAUSAL | v.CONJUNCTIONS


def adds_value(w: Words, begin: int, i: int, stop: int, facts: tuple[Fact, ...]) -> bool:
    """Whether a clause gives a single-valued relation another value beside the one it may have.

    Args:
        w: The words.
        begin: Where what opens the clause begins: "Also, ...", "... and also".
        i: First word of the clause.
        stop: Where the next clause may begin.
        facts: What was read of the clause.
    """
    if all(fact.retracts or fact.relation in MULTI_VALUED for fact in facts):
        return False
    low = w.low
    said = max(span[1] for fact in facts for span in (fact.subject_span, fact.object_span) if span is not None)
    added = False
    for at in range(begin, stop):
        if w.starts[at] >= said and low[at] in _STOPS and not (low[at] == "," and _is_adding(w, at + 1, stop)):
            break
        if low[at] in _REPLACING:
            return False
        added = added or (_is_adding(w, at, stop) and (at >= i or "now" not in low[i:stop]))
    return added


def _is_adding(w: Words, at: int, stop: int) -> bool:
    """Whether "also", "too" or the like stands at word `at`, and not in a title."""
    low = w.low
    if at >= stop or (at > 0 and w.proper(at) and not w.shouts):
        return False
    if tuple(low[at : at + 2]) in _PAIRS:
        return low[at + 2 : at + 3] not in (["as"], ["to"])
    return low[at] in _WORDS or (low[at] == "too" and (at + 1 == stop or low[at + 1] in _STOPS))
