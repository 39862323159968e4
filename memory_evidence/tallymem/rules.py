"""Compiles a question into a plan by rules, without a model.

The rules account for every word: what is no operation, bound, filter or filler is a word that may change what is asked,
and then nothing is computed. A question that is not read costs a fallback to the view; one misread, a wrong number.
"""

from __future__ import annotations

import re

from memory_evidence.tallymem.anchors import filled, read_anchors
from memory_evidence.tallymem.asked import Asked
from memory_evidence.tallymem.bounds import Bounded, Unread, read_bounds
from memory_evidence.tallymem.changes import read_changes
from memory_evidence.tallymem.clause import Clause
from memory_evidence.tallymem.comparing import read_comparison
from memory_evidence.tallymem.framing import unframed
from memory_evidence.tallymem.ledger import Field, Ledger
from memory_evidence.tallymem.mentions import read_mentions
from memory_evidence.tallymem.operations import read_operation
from memory_evidence.tallymem.plan import MAX_SUBQUERIES, Plan, SubQuery, not_applicable
from memory_evidence.tallymem.queries import make_queries
from memory_evidence.tallymem.sharing import check_between, check_shared, split_clauses
from memory_evidence.tallymem.uncounted import check_asked, check_causes
from memory_evidence.tallymem.vocabulary import Vocabulary, read_vocabulary

_NAMING: tuple[Field, ...] = ("tool", "target", "effect")
_LONGEST = 2_000
_AGENT = re.compile(r"\b(?:did|does|has|had|have)\s+(?P<it>it|they|he|she)\b", re.IGNORECASE)
_DIFFERENT = re.compile(r"\b(?:different|distinct|unique)\b", re.IGNORECASE)
_PRONOUN = re.compile(
    r"\b(?:it|them|they(?=\s+(?:was|were|are|have\s+been|had\s+been|got)\b)|(?:those|these)(?!\s+(?:of|to|on|in)\b)"
    r"|(?:its|their)(?!\s+(?:(?:very\s+)?(?:first|last|final)\s+)?(?:actions?|commands?|calls?|steps?|tools?|moves?|own)\b))\b",
    re.IGNORECASE,
)
"""What stands for a thing that is named before; the agent's "its last action" does not."""
_OF_THEM = re.compile(r"\bof\s+(?:them|those|these)\b", re.IGNORECASE)
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
        parts = split_clauses(text)
        if changes := self._changes(text, alone=len(parts) == 1):
            return list(changes)
        check_causes(text)
        found: list[list[SubQuery]] = []
        for part in parts:
            found.append(self._clause_queries(read_bounds(part, self._ledger), found[-1] if found else []))
        check_shared(parts, found)
        return [query for queries in found for query in queries]

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
        if comparison := read_comparison(part, self._clause):
            return [comparison]
        anchored = read_anchors(part.text, part.scope, self._clause)
        scope = anchored.scope
        if part.counted and (scope.after or scope.before):
            raise Unread("it does not say whether the steps are counted from the event that it names")
        clause = self._clause(anchored.text)
        with clause.names_hidden():
            asked = read_operation(clause)
        if asked is None:
            raise Unread("it does not ask for a count, an order, a group or a list")
        if asked.same:
            if not earlier:
                raise Unread("it does not say what it counts")
            asked = Asked(earlier[-1].operation, earlier[-1].by, earlier[-1].only, same=True)
        if asked.by is not None:  # each name counts once anyway
            clause.take(_DIFFERENT)
        _read_pronouns(clause, earlier)
        read_mentions(clause)
        check_between(clause, (*part.spans, *anchored.spans))
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
    if match := _OF_THEM.search(clause.text):
        raise Unread(f"a part of what is counted before is not counted: {match[0]!r}")
    if match := _PRONOUN.search(clause.left):
        if not earlier or not any(part.field == "target" and not part.exclude for part in earlier[-1].where):
            raise Unread(f"it does not say what {match[0]!r} stands for")
        clause.nouns.add("it")
        clause.blank(*match.span())
