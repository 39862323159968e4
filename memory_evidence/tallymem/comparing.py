"""Clauses with two counts: "how many more views than edits", "the ratio of edits to views".

What one of the counts says is its own. It holds for the other as well only where the grammar shares it: an act that the
other leaves out ("than drawer 1"), and what two verbs alone are done to ("edited than viewed", "open than close it").
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memory_evidence.tallymem.bounds import Bounded, Unread
from memory_evidence.tallymem.checks import read_event
from memory_evidence.tallymem.clause import Clause
from memory_evidence.tallymem.joining import ACTS, RESULTS
from memory_evidence.tallymem.ledger import Field
from memory_evidence.tallymem.phrases import NOUNS, OUTCOME_NOUN, PARTICIPLE
from memory_evidence.tallymem.plan import Filter, Predicate, SubQuery
from memory_evidence.tallymem.vocabulary import class_of, tool_of
from memory_evidence.tallymem.wording import EFFECTS, EVENTS, WORD, lemmas

_MORE = re.compile(
    r"\b(?:how\s+(?:many|much)|(?:was|were|is|are)\s+there)\s+(?P<way>more|fewer|less)\b(?P<first>.*?)\bthan\b(?P<second>.*)",
    re.IGNORECASE | re.DOTALL,
)
_OF_TWO = re.compile(
    r"\b(?P<way>difference|ratio)\s+(?:in\s+(?:count|number)s?\s+)?(?:between|of"
    r"|in)\s+(?P<first>.+?)\s+(?:and|to)\s+(?P<second>.+)",
    re.IGNORECASE | re.DOTALL,
)
_COUNTING = re.compile(r"\b(?:the\s+)?(?:number|count)s?\s+of(?:\s+times)?\b|\btimes\b", re.IGNORECASE)
_BEGINS = re.compile(r"\W*(?:times\b)?\W*", re.IGNORECASE)
_COUNTS = re.compile(r"\b(?:numbers?|counts?|times|how\s+many)\b", re.IGNORECASE)
_ACTIVE_ALONE = re.compile(
    r"\W*(?:did|does|do|has|have|had)\s+(?:(?:the\s+)?(?:agent|assistant)|it|they)\s+\w+\W*\Z", re.IGNORECASE
)
"""A verb that the agent does, and not what to: "did the agent open"."""
_PASSIVE_ALONE = re.compile(r"\W*(?:(?:it|they)\s+)?(?:(?:was|were|is|are|been)\s+)*(?P<verb>\w+)\W*\Z", re.IGNORECASE)
"""What was done, and not what to: "viewed"."""
_CALLED = re.compile(r"\b(?:called|used|invoked|executed|run)\b", re.IGNORECASE)
_THERE = re.compile(r"\bthere\b", re.IGNORECASE)
_SAME = re.compile(r"\w\s+(?:it|them)\b|\b(?:it|they)\s+(?:was|were|has\s+been|have\s+been)\b", re.IGNORECASE)


class _Count:
    """One of the two counts."""

    def __init__(self, clause: Clause) -> None:
        self._clause = clause
        self._check_noun()
        self.where = read_event(clause)

    def has(self, fields: frozenset[Field]) -> bool:
        return any(part.field in fields for part in self.where if not _implied(part))

    @property
    def active(self) -> bool:
        """Whether it is what the agent did, and does not say to what: "did the agent open"."""
        return _ACTIVE_ALONE.match(self._clause.text) is not None

    @property
    def same(self) -> bool:
        """Whether it is about what the count before it is about: "viewed", "close it"."""
        passive = _PASSIVE_ALONE.match(self._clause.text)
        return _SAME.search(self._clause.text) is not None or (
            passive is not None and PARTICIPLE.match(passive["verb"]) is not None
        )

    @property
    def trailing(self) -> bool:
        """Whether what it names stands behind the whole question: "than views were there of a.py"."""
        there = _THERE.search(self._clause.text)
        things = [m.start for m in (*self._clause.mentions, *self._clause.classes) if m.field == "target"]
        return there is not None and bool(things) and min(things) > there.start()

    @property
    def plural(self) -> bool:
        """Whether it counts events by a plural: "edits", "search calls"."""
        spans = [range(m.start, m.stop) for m in self._clause.mentions if m.field != "target"]
        several = (match for match in WORD.finditer(self._clause.text) if match[0].casefold().endswith("s"))
        return any(match[0].casefold() in EVENTS or any(match.start() in span for span in spans) for match in several)

    @property
    def result_noun(self) -> bool:
        """Whether it is a noun for what came of something: "failures"."""
        text = self._clause.text
        return any(OUTCOME_NOUN.search(text, m.start, m.stop) for m in self._clause.mentions if m.field == "outcome")

    @property
    def result_first(self) -> bool:
        """Whether it tells apart by what came of it in front of the act: "failed edits"."""
        acts = [m.start for m in self._clause.mentions if m.field in ACTS]
        results = [m.start for m in self._clause.mentions if m.field in RESULTS]
        return bool(acts and results) and max(results) < min(acts)

    def _check_noun(self) -> None:
        """Refuse "more files were viewed than created", which asks for different ones.

        Raises:
            Unread: It counts things.
        """
        before = ""
        for match in WORD.finditer(self._clause.text):
            word = match[0].casefold()
            if _is_act(self._clause, before) and not PARTICIPLE.match(before):
                return  # "close drawers": what it is done to
            if word.endswith("s") and (word in NOUNS or class_of(word, self._clause.words)):
                raise Unread(f"numbers of different {word} are not compared")
            before = word


def read_comparison(part: Bounded, clause: Callable[[str], Clause]) -> SubQuery | None:
    """Return the sub-query of a clause that sets two counts against each other; None where it sets none.

    Args:
        part: A clause of a question, and its step bounds, which must hold for both counts.
        clause: Makes a clause of a text.

    Raises:
        Unread: It does, and one of them is not understood.
    """
    text = part.text
    match = _MORE.search(text) or _OF_TWO.search(text)
    if match is None:
        return None
    begins, ends = match.span("first")
    if any(begins <= start < ends and not _BEGINS.fullmatch(text, begins, start) for start, _ in part.spans):
        raise Unread("it does not say whether the steps it names hold for both of its counts")
    left, right = (_COUNTING.sub(" ", match[side]) for side in ("first", "second"))
    if (called := _CALLED.search(left)) and len(WORD.findall(right)) == 1:
        right = f"{right.rstrip(' ?.')} {called[0]}"  # "than Edit": than Edit was called
    first, second = _Count(clause(left)), _Count(clause(right))
    way = match["way"].lower()
    if way == "difference" and not (_COUNTS.search(match[0]) or (first.plural and (second.plural or _thing(second)))):
        raise Unread("it asks how two things differ, and not by how many")
    if rest := clause(text[: match.start()]).leftover():
        raise Unread(f"not understood: {', '.join(rest)}")
    _check_own(first, second)
    one, other = _completed(first.where, second.where), _completed(second.where, first.where)
    if one == other:
        raise Unread("its two counts are the same")
    if all(part.field == "target" for part in (*one, *other)):
        raise Unread("it does not say what was done to what it compares")
    if way in ("fewer", "less"):
        one, other = other, one
    return SubQuery("ratio" if way == "ratio" else "difference", one, part.scope, versus=other)


def _check_own(first: _Count, second: _Count) -> None:
    """Refuse two counts of which one may, or may not, mean what the other says.

    Raises:
        Unread: One is about what came of acts and the other is not, or one alone names what was acted on.
    """
    for one, other in ((first, second), (second, first)):
        if not one.has(RESULTS) or (one.has(ACTS) and not other.has(ACTS)):
            continue
        if not one.has(ACTS) and other.has(ACTS) and (one.result_noun or not other.has(RESULTS)):
            raise Unread("it does not say whether both of its counts are of the same acts")
        if one.has(ACTS) and not other.has(RESULTS) and not (one is second and one.result_first):
            raise Unread("it does not say whether what came of it holds for both of its counts")
    if not (first.has(ACTS) and second.has(ACTS)):
        return
    if _thing(second) and second.same:
        raise Unread("it does not say what 'it' stands for")
    forward = _thing(first) and not _thing(second) and not second.same
    backward = _thing(second) and not _thing(first) and not (first.active or second.trailing)
    if forward or backward:
        raise Unread("it does not say whether both of its counts are about the same thing")


def _is_act(clause: Clause, word: str) -> bool:
    return tool_of(word, clause.words) is not None or any(form in EFFECTS for form in lemmas(word))


def _thing(count: _Count) -> bool:
    return count.has(frozenset[Field](["target"]))


def _implied(part: Filter) -> bool:
    """Whether a filter is none that the question says: what was refused did nothing to a file."""
    return part.exclude and part.field == "outcome"


def _completed(where: Predicate, other: Predicate) -> Predicate:
    """Return the filters of one of two counts, with those of the other for what it leaves out.

    What was done is one thing whichever field tells it: "edits" (an effect) take no tool over from "bash commands".
    """
    fields = {part.field for part in where}
    if fields & ACTS:
        fields |= ACTS | {"outcome"}
    return (*where, *(part for part in other if part.field not in fields))
