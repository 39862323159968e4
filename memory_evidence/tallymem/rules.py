"""Compiles a question into a plan by rules, without a model.

The rules account for every word: what is no operation, bound, filter or filler is a word that may change what is asked,
and then nothing is computed. A question that is not read costs a fallback to the view; one misread, a wrong number.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memory_evidence.tallymem.anchors import filled, read_anchors
from memory_evidence.tallymem.bounds import Bounded, Unread, read_bounds
from memory_evidence.tallymem.changes import read_changes
from memory_evidence.tallymem.comparing import read_comparison
from memory_evidence.tallymem.framing import unframed
from memory_evidence.tallymem.ledger import Field, Ledger
from memory_evidence.tallymem.mentions import Clause
from memory_evidence.tallymem.operations import Asked, read_operation
from memory_evidence.tallymem.plan import MAX_SUBQUERIES, Plan, Scope, SubQuery, not_applicable
from memory_evidence.tallymem.queries import make_queries
from memory_evidence.tallymem.uncounted import check_asked, check_causes
from memory_evidence.tallymem.vocabulary import Vocabulary, read_vocabulary

_NAMING: tuple[Field, ...] = ("tool", "target", "effect")
_LONGEST = 2_000
_CLAUSES = re.compile(
    r",?\s*;\s*|,?\s+and\s+(?=(?:how\s+(?:many|often)(?!(?:\s+times|\s+frequently)?\s*(?:\W*\Z|(?:(?:was|were|did"
    r"|has|have|had)\s+)?(?:each|every)\b))|what\s+(?:is|was)\s+the\s+(?:number|first|last)|(?:at"
    r"|in|on)\s+(?:which|what)\s+steps?\s+(?:did|was|were|has|does))\b)",
    re.IGNORECASE,
)
_AGENT = re.compile(r"\b(?:did|does|has|had|have)\s+(?P<it>it|they|he|she)\b", re.IGNORECASE)
_DIFFERENT = re.compile(r"\b(?:different|distinct|unique)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|them|(?:those|these)(?!\s+(?:of|to|on|in)\b))\b", re.IGNORECASE)
_THAT = re.compile(r"\b(?:was|were|is|are|been)\s+(?:this|that)\s+\w+(?:ed|en|ad|un)\b", re.IGNORECASE)


class RuleCompiler:
    """Compiles questions about one ledger; it follows the ledger as it grows."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._words: Vocabulary | None = None
        self._read_at = -1

    def compile(self, question: str) -> Plan:
        """Return the plan of `question`, or one that says why there is none; never raises."""
        if not question.strip():
            return not_applicable("the question is empty")
        if len(question) > _LONGEST:
            return not_applicable(f"the question is longer than {_LONGEST} characters")
        if not len(self._ledger):
            return not_applicable("the trajectory holds no steps")
        text = unframed(question)
        try:
            check_asked(text)
            queries = self._queries(text)
        except Unread as unread:
            return not_applicable(str(unread))
        if len(queries) > MAX_SUBQUERIES:
            return not_applicable(f"it asks for {len(queries)} quantities, and a plan holds at most {MAX_SUBQUERIES}")
        return Plan(tuple(queries))

    def _queries(self, text: str) -> list[SubQuery]:
        parts = [part for part in _CLAUSES.split(text) if part.strip(" .?!")]
        if not parts:
            raise Unread("the question is empty")
        if changes := self._changes(text, alone=len(parts) == 1):
            return list(changes)
        check_causes(text)
        bounded = [read_bounds(part, self._ledger) for part in parts]
        own = [part for part in bounded if part.found]
        shared = own[0].scope if len(own) == 1 else Scope()
        queries: list[SubQuery] = []
        for part in bounded:
            queries += self._clause_queries(part if part.found else replace(part, scope=shared), queries)
        return queries

    def _changes(self, text: str, *, alone: bool) -> tuple[SubQuery, ...]:
        try:
            whole = read_bounds(text, self._ledger)
        except Unread:
            if alone:
                raise
            return ()  # its clauses have bounds of their own
        return read_changes(self._clause(whole.text), whole.scope)

    def _clause(self, text: str) -> Clause:
        return Clause(text, self._ledger, self._vocabulary())

    def _vocabulary(self) -> Vocabulary:
        # Values are only ever added: as many as before are the same as before.
        size = sum(len(self._ledger.values(name)) for name in _NAMING)
        if self._words is None or self._read_at != size:
            self._words, self._read_at = read_vocabulary(self._ledger), size
        return self._words

    def _clause_queries(self, part: Bounded, earlier: list[SubQuery]) -> list[SubQuery]:
        if comparison := read_comparison(part.text, part.scope, self._clause):
            return [comparison]
        anchored = read_anchors(part.text, part.scope, self._clause)
        scope = anchored.scope
        if part.counted and (scope.after or scope.before):
            raise Unread("it does not say whether the steps are counted from the event that it names")
        clause = self._clause(anchored.text)
        asked = read_operation(clause)
        if asked is None:
            raise Unread("it does not ask for a count, an order, a group or a list")
        if asked.same:
            if not earlier:
                raise Unread("it does not say what it counts")
            asked = Asked(earlier[-1].operation, earlier[-1].by, earlier[-1].only)
        if asked.by is not None:  # each name counts once anyway
            clause.take(_DIFFERENT)
        _read_pronouns(clause, earlier)
        clause.read()
        return [filled(query, anchored.meant) for query in make_queries(clause, asked, scope, earlier)]


def _read_pronouns(clause: Clause, earlier: list[SubQuery]) -> None:
    """Note whether `clause` speaks of what an earlier one names.

    Raises:
        Unread: It does, and there is no earlier one.
    """
    for agent in _AGENT.finditer(clause.text):
        clause.blank(*agent.span("it"))
    if _THAT.search(clause.text):
        raise Unread("it does not say what 'that' stands for")
    if match := _PRONOUN.search(clause.left):
        if not earlier:
            raise Unread(f"it does not say what {match[0]!r} stands for")
        clause.nouns.add("it")
        clause.blank(*match.span())
