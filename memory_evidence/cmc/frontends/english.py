"""The default frontend: plain English statements, read without a model."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from memory_evidence.cmc.facts import NO_FACT, Extraction, Fact, Label
from memory_evidence.cmc.frontends import vocabulary as v
from memory_evidence.cmc.frontends.clauses import read_clause
from memory_evidence.cmc.frontends.declared import DeclaredPatterns
from memory_evidence.cmc.frontends.openings import (
    after_leads,
    is_hypothesis,
    is_question,
    is_small_talk,
    next_clause,
    question_start,
    resume,
)
from memory_evidence.cmc.frontends.patterns import Pattern
from memory_evidence.cmc.frontends.phrases import Subject
from memory_evidence.cmc.frontends.relations import MULTI_VALUED, RELATION_SYNONYMS, canonical_relation
from memory_evidence.cmc.frontends.sentences import MAX_CHARS, Sentence, lines, sentences
from memory_evidence.cmc.frontends.statements import Reading, Scene
from memory_evidence.cmc.frontends.words import Words
from memory_evidence.errors import ConfigError
from memory_evidence.records import Record

__all__ = ["MULTI_VALUED", "RELATION_SYNONYMS", "EnglishGrammar", "canonical_relation"]

logger = logging.getLogger(__name__)

_NOTE_CHARS = 80
MAX_SENTENCE_WORDS = 150
"""Longer sentences are not read; it also bounds the work that one word can cause."""


class EnglishGrammar:
    """Reads present-tense statements, changes and retractions in plain English.

    What it cannot read for certain it leaves unresolved: questions, suppositions, plans, past states, reported or
    doubtful speech, quotations and pronouns make no fact. Relations have their common names (`RELATION_SYNONYMS`).
    Takes time in proportion to the length of the record.
    """

    def __init__(self, patterns: Sequence[Pattern] = (), *, max_chars: int = MAX_CHARS) -> None:
        """Read `patterns` first, then what is built in.

        Args:
            patterns: Sentences of the user's own; they match a clause, under the same rules of certainty.
            max_chars: Records longer than this are not read but unresolved, >= 1.

        Raises:
            ConfigError: `max_chars` is not a whole number of at least 1.
        """
        if not isinstance(max_chars, int) or max_chars < 1:
            raise ConfigError("max_chars", max_chars, "a whole number of at least 1")
        self._max_chars = max_chars
        self._declared = DeclaredPatterns(patterns) if patterns else None

    def extract(self, record: Record) -> Extraction:
        """Label one record; never raises on any text."""
        text = record.text
        if len(text) > self._max_chars:
            return Extraction(Label.UNRESOLVED, (), f"not read: longer than {self._max_chars} characters")
        reader = _Reader(record, self._declared)
        for start, stop, opaque in lines(text):
            reader.read_line(start, stop, opaque)
        facts = tuple(reader.facts)
        if reader.unread:
            return Extraction(Label.UNRESOLVED, facts, f"not read: {reader.unread}")
        return Extraction(Label.FACTS, facts) if facts else NO_FACT


class _Reader:
    """The state of reading one record."""

    __slots__ = ("declared", "facts", "framed", "speaker", "text", "unread")

    def __init__(self, record: Record, declared: DeclaredPatterns | None) -> None:
        self.text = record.text
        self.speaker = record.speaker
        self.declared = declared
        self.facts: list[Fact] = []
        self.unread = ""
        self.framed = False

    def leave(self, start: int, stop: int) -> None:
        """Note that a sentence was left unread."""
        if not self.unread:
            piece = self.text[start:stop]
            self.unread = piece if len(piece) <= _NOTE_CHARS else piece[:_NOTE_CHARS] + "..."

    def read_line(self, start: int, stop: int, opaque: bool) -> None:
        """Read one line; code, quoted mail and what another speaker is quoted with ("Ann: ...") stay unread."""
        if opaque:
            self.leave(start, stop)
            return
        for sentence in sentences(self.text, start, stop):
            if not self.read_sentence(sentence):
                if sentence.stop + 2 < stop:
                    self.leave(sentence.start, stop)
                return

    def read_sentence(self, sentence: Sentence) -> bool:
        """Read one sentence; False: the rest of the line is not the speaker's."""
        w = Words(self.text, sentence.start, sentence.stop)
        low = w.low
        if not low:
            return True
        if len(low) > MAX_SENTENCE_WORDS:
            self.leave(sentence.start, sentence.stop)
            return True
        if self.framed or w.framed():
            self.framed = True
            if not (sentence.question or is_hypothesis(w, after_leads(w))):
                self.leave(sentence.start, sentence.stop)
            return True
        i = after_leads(w)
        n = len(low)
        if not v.JOKES.isdisjoint(low):
            self.facts.clear()
            self.leave(0, len(self.text))
            return True
        if sentence.question:
            n = question_start(w, i)
            if n == i:
                if not is_question(w, i, marked=True):
                    self.leave(sentence.start, sentence.stop)
                return True
        if i >= n or is_small_talk(w, i) or is_hypothesis(w, i) or is_question(w, i):
            return True
        if ":" in low[i : i + 4]:
            self.leave(sentence.start, sentence.stop)
            return False
        if not self.read_clauses(w, i, n):
            self.leave(sentence.start, sentence.stop)
        return True

    def read_clauses(self, w: Words, i: int, n: int) -> bool:
        """Read the clauses of words `i` to `n`; False: something was left unread."""
        scene = Scene(w, n, w.first_uncertain(), self.speaker)
        complete = True
        subject: Subject | None = None
        while i < n:
            reading = self.read_one(scene, i, subject)
            if reading is None:
                complete = False
                i = resume(w, i, n, scene.uncertain)
                subject = None
                continue
            self.facts.extend(reading.facts)
            complete = complete and not reading.unread
            subject = reading.subject
            i = next_clause(w, reading.next, n)
        return complete

    def read_one(self, scene: Scene, i: int, subject: Subject | None) -> Reading | None:
        """Read the clause at `i`: the user's patterns first."""
        if self.declared is not None:
            reading = self.declared.read(scene, i)
            if reading is not None:
                return reading
        return read_clause(scene, i, subject)
