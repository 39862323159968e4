"""The compiled state of one scope: a cache of the log, fed record by record, from which every read is answered."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence

from memory_evidence.cmc.anchor import AnchorIndex
from memory_evidence.cmc.facts import Extraction, Fact, Label, Slot, literal
from memory_evidence.cmc.hubs import HubIndex, terms
from memory_evidence.cmc.keys import name_key, relation_key
from memory_evidence.cmc.resolve import StateGraph, Statement
from memory_evidence.errors import ConfigError
from memory_evidence.lexical import BM25Index
from memory_evidence.records import USER, Record


def holds(ascending: Sequence[int], position: int) -> bool:
    """Whether `position` is in an ascending list."""
    place = bisect_right(ascending, position)
    return place > 0 and ascending[place - 1] == position


class CompiledIndex:
    """Records, their statements, and the graph they resolve to. Positions count from 1 and arrive in order.

    Not safe for concurrent use: its owner holds a lock.
    """

    def __init__(
        self,
        *,
        multi_valued: frozenset[str],
        synonyms: Mapping[str, str],
        aliases: Mapping[str, str],
        hub_limit: int | None,
        rank_unresolved: bool,
        list_slots: bool = False,
    ) -> None:
        self._synonyms = {relation_key(wording): relation_key(name) for wording, name in synonyms.items()}
        self._aliases = _chained({name_key(alias): name_key(name) for alias, name in aliases.items()})
        self._aliases_of: dict[str, list[str]] = {}
        for alias, name in self._aliases.items():
            self._aliases_of.setdefault(name, []).append(alias)
        self.graph = StateGraph(frozenset(self.relation(name) for name in multi_valued))
        self.anchors = AnchorIndex(USER)
        # When a name was first aligned to a subject of another name.
        self._aligned: dict[tuple[str, str], int] = {}
        self.texts: list[str] = []
        self.speakers: dict[int, str] = {}
        """Who said a record, by position, where it is not the user."""
        self.unresolved: list[int] = []
        """Positions of unresolved records, ascending."""
        self.pending: dict[int, Record] = {}
        """Records that no frontend has read yet, by position; they are among the unresolved."""
        self.unresolved_terms: BM25Index[int] | None = BM25Index() if rank_unresolved else None
        wordings: dict[str, str] = {}
        for wording, name in self._synonyms.items():
            wordings[name] = f"{wordings.get(name, name)} {wording}"
        self.hubs = HubIndex(self.graph, self.text, hub_limit, wordings) if hub_limit is not None else None
        self._statements: list[Statement | tuple[Statement, ...] | None] = []
        self._slots: dict[tuple[str, str], Slot] | None = {} if list_slots else None

    def __len__(self) -> int:
        return len(self.texts)

    def text(self, position: int) -> str:
        """Return the text of a record."""
        return self.texts[position - 1]

    def statements(self, position: int) -> Sequence[Statement]:
        """Return the statements of a record, in text order."""
        held = self._statements[position - 1]
        if held is None:
            return ()
        return (held,) if isinstance(held, Statement) else held

    def is_unresolved(self, position: int) -> bool:
        """Whether a record is among the unresolved."""
        return holds(self.unresolved, position)

    def canonical(self, key: str) -> str:
        """Return the name key that `key` stands for under the user's aliases."""
        return self._aliases.get(key, key)

    def named(self, key: str, as_of: int | None = None) -> Sequence[str]:
        """Return the subjects that a name stands for (after record `as_of`)."""
        subjects = self.anchors.named(key)
        return subjects if as_of is None else [subject for subject in subjects if self.held(key, subject, as_of=as_of)]

    def held(self, key: str, subject_key: str, *, as_of: int) -> bool:
        """Whether a name stood for a subject after record `as_of`."""
        return max(self.graph.first(subject_key), self._aligned.get((key, subject_key), 0)) <= as_of

    def relation(self, name: str) -> str:
        """Return the key of a relation under its synonyms."""
        key = relation_key(name)
        return self._synonyms.get(key, key)

    @property
    def slots(self) -> list[Slot]:
        """The slots in use, in the order in which they were first read; empty unless they are listed."""
        return list(self._slots.values()) if self._slots else []

    def add(self, record: Record, extraction: Extraction | None) -> None:
        """Add the next record; `extraction` None: not read yet."""
        self.texts.append(record.text)
        if record.speaker != USER:
            self.speakers[record.position] = record.speaker
        self._statements.append(None)
        if extraction is None:
            self.pending[record.position] = record
            self._keep_unresolved(record)
        else:
            self._take(record, extraction)

    def resolve_pending(self, position: int, extraction: Extraction) -> None:
        """Take the extraction of a record that was pending."""
        record = self.pending.pop(position)
        if extraction.label is not Label.UNRESOLVED:
            del self.unresolved[bisect_right(self.unresolved, position) - 1]
            if self.unresolved_terms is not None:
                self.unresolved_terms.remove(position)
        self._take(record, extraction)

    def _keep_unresolved(self, record: Record) -> None:
        if not self.unresolved or self.unresolved[-1] < record.position:
            self.unresolved.append(record.position)
        elif not self.is_unresolved(record.position):
            insort(self.unresolved, record.position)
        if self.unresolved_terms is not None:
            self.unresolved_terms.add(record.position, terms(record.text))

    def _take(self, record: Record, extraction: Extraction) -> None:
        statements: list[Statement] = []
        for fact in extraction.facts:
            if literal(record, fact):
                statements.append(self._statement(record, len(statements), fact))
        # A record whose facts all fail the check of literal spans asserts something that was not read.
        if extraction.label is Label.UNRESOLVED or len(statements) < len(extraction.facts):
            self._keep_unresolved(record)
        if statements:
            self._statements[record.position - 1] = statements[0] if len(statements) == 1 else tuple(statements)
        for statement in statements:
            self.graph.add(statement)
            if self.hubs is not None:
                self.hubs.update(statement)

    def _statement(self, record: Record, order: int, fact: Fact) -> Statement:
        subject, relation = (fact.slot.subject, fact.slot.relation) if fact.slot else (fact.subject, fact.relation)
        written_key = name_key(subject)
        subject_key = self._aliases.get(written_key, written_key)
        relation_key_ = self.relation(relation)
        if subject_key not in self.graph:
            for name in (subject_key, *self._aliases_of.get(subject_key, ())):
                self.anchors.add(name, subject_key)
        if fact.slot is not None:
            self._align(name_key(fact.subject), subject_key, record.position)
        if self._slots is not None:
            self._slots.setdefault((subject_key, relation_key_), fact.slot or Slot(subject, relation))
        return Statement(
            record.position,
            order,
            subject,
            relation,
            fact.object,
            subject_key,
            relation_key_,
            self.canonical(name_key(fact.object)),
            fact.retracts,
            fact.object_span,
        )

    def _align(self, written_key: str, subject_key: str, position: int) -> None:
        """Let the name that a record uses stand for the subject that it was aligned to."""
        for name in {written_key, self.canonical(written_key)} - {subject_key}:
            if self._aliases.get(name) != subject_key:
                self.anchors.add(name, subject_key)
                self._aligned[name, subject_key] = min(position, self._aligned.get((name, subject_key), position))


def _chained(aliases: Mapping[str, str]) -> dict[str, str]:
    """Follow aliases of aliases to the end; a name that ends at itself is no alias.

    Raises:
        ConfigError: They go round in a circle.
    """
    ends: dict[str, str] = {}
    for alias in aliases:
        seen = [alias]
        while (name := aliases.get(seen[-1], seen[-1])) != seen[-1]:
            if name in seen:
                raise ConfigError("aliases", " = ".join((*seen, name)), "names that do not stand for one another")
            seen.append(name)
        if seen[-1] != alias:
            ends[alias] = seen[-1]
    return ends
