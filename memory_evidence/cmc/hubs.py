"""Keep the edges of a hub that lie nearest to the question (ours; the paper keeps all).

The first person of a long conversation may hold hundreds of edges, of which an answer needs one or two. For a subject
with more current edges than the limit, edges are ranked by BM25 of relation, object and record text against the
question. The ranking index of a hub is built at its first use and then follows the log, edge by edge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice, zip_longest
from operator import attrgetter
from types import MappingProxyType

from memory_evidence.cmc.keys import fold, tokens
from memory_evidence.cmc.resolve import StateGraph, Statement
from memory_evidence.lexical import BM25Index

NO_WORDINGS: Mapping[str, str] = MappingProxyType({})

_at = attrgetter("position", "order")

# Function words say nothing about what a question is about, yet fill the long posting lists.
_STOP_WORDS = frozenset(
    tokens(
        "a about am an and any are as at be been before by can did do does for from get got had has have how i in is "
        "it its many me much my of on or our so some that the their them there they this to up us was we were what "
        "when where which who whom whose why will with you your"
    )
)


def terms(text: str) -> list[str]:
    """Return the content words of `text`, folded and without a plural or verb ending."""
    return [_stem(token) for token in tokens(fold(text)) if token not in _STOP_WORDS and token[0].isalnum()]


def _stem(word: str) -> str:
    # A light English stemmer: question and record differ mostly in number and tense ("issues", "finished").
    for ending in ("ings", "ing", "ies", "ied", "ed", "es", "s", "ly", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and word.isascii():
            return word[: -len(ending)]
    return word


class HubIndex:
    """Ranks the edges of subjects that have more than `limit` of them."""

    def __init__(
        self, graph: StateGraph, text_of: Callable[[int], str], limit: int, wordings: Mapping[str, str] = NO_WORDINGS
    ) -> None:
        """Rank the edges of `graph`.

        Args:
            graph: Where the edges are.
            text_of: Returns the text of a record.
            limit: Most edges kept of one subject.
            wordings: Other words for a relation, by its key: a question for the boss is one for the manager.
        """
        self._graph, self._text_of, self._limit, self._wordings = graph, text_of, limit, wordings
        self._indexes: dict[str, BM25Index[Statement]] = {}
        # By subject, relation and object: what stands, and so is in the subject's index.
        self._indexed: dict[str, dict[str, dict[str, Statement]]] = {}

    def update(self, statement: Statement) -> None:
        """Follow one statement that was added to the graph."""
        index = self._indexes.get(statement.subject_key)
        if index is None:
            return
        slot = statement.slot
        indexed = self._indexed[statement.subject_key].setdefault(statement.relation_key, {})
        if slot.multi and slot.statements[-1] is statement and not statement.retracts:
            # By far the most frequent, and a slot may hold very many values: only the same value, or a retraction
            # that had emptied the slot, can have stood before.
            fallen = [indexed.get(statement.object_key), *(indexed.values() if len(indexed) == 1 else ())]
            gone = {known for known in fallen if known and (known.retracts or known.object_key == statement.object_key)}
            standing: Sequence[Statement] = (statement,)
        else:
            standing = slot.standing()
            gone = set(indexed.values()).difference(standing)
        for known in gone:
            index.remove(known)
            del indexed[known.object_key]
        for live in standing:
            if live not in index:
                index.add(live, self._terms(live))
            indexed[live.object_key] = live

    def is_hub(self, subject_key: str) -> bool:
        """Whether a subject may have more edges than the limit; quick, for every subject reached."""
        return self._graph.may_exceed(subject_key, self._limit)

    def nearest(
        self, subject_key: str, question_terms: Sequence[str], as_of: int | None = None
    ) -> tuple[list[Statement], int] | None:
        """Return the edges of a subject to keep, in source order, and how many it has.

        None where it has no more than the limit. Where no edge shares a word with the question, the newest of every
        relation are kept.
        """
        index = self._index(subject_key, as_of)
        if len(index) <= self._limit:
            return None
        # Of equally near ones the newest: which were indexed first must not matter.
        best = [statement for statement, _ in index.top(index.telling(question_terms), self._limit, prefer=_at)]
        if not best:
            best = self._newest(index)
        return sorted(best, key=_at), len(index)

    def _newest(self, index: BM25Index[Statement]) -> list[Statement]:
        """Return the newest edge of every relation, then the second newest, as far as the limit goes."""
        by_relation: dict[str, list[Statement]] = {}
        for statement in sorted(index, key=_at, reverse=True):
            by_relation.setdefault(statement.relation_key, []).append(statement)
        rounds = zip_longest(*by_relation.values())
        return list(islice((s for statements in rounds for s in statements if s is not None), self._limit))

    def _index(self, subject_key: str, as_of: int | None) -> BM25Index[Statement]:
        index = self._indexes.get(subject_key) if as_of is None else None
        if index is None:
            index = BM25Index()
            standing = {
                key: {statement.object_key: statement for statement in slot.standing(as_of)}
                for key, slot in self._graph.slots(subject_key).items()
            }
            for statements in standing.values():
                for statement in statements.values():
                    index.add(statement, self._terms(statement))
            if as_of is None:
                self._indexes[subject_key], self._indexed[subject_key] = index, standing
        return index

    def _terms(self, statement: Statement) -> list[str]:
        relation = statement.relation
        if statement.relation_key not in fold(relation):
            relation = f"{relation} {statement.relation_key}"  # the common name of a wording
        wordings = self._wordings.get(statement.relation_key, "")
        return terms(f"{relation} {wordings} {statement.object} {self._text_of(statement.position)}")
