"""`EnglishGrammar`: the frontend that reads a record sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory_evidence.cmc.facts import NO_FACT, Extraction, Fact, Label
from memory_evidence.cmc.frontends.english import vocabulary as v
from memory_evidence.cmc.frontends.english.additions import adds_value
from memory_evidence.cmc.frontends.english.clauses import read_clause
from memory_evidence.cmc.frontends.english.corrections import sentence_corrects
from memory_evidence.cmc.frontends.english.declared import DeclaredPatterns
from memory_evidence.cmc.frontends.english.denials import admits_lying, is_ironic, takes_back
from memory_evidence.cmc.frontends.english.openings import (
    after_leads,
    is_hypothesis,
    is_passing,
    is_question,
    is_small_talk,
    label_length,
    next_clause,
    question_start,
    resume,
)
from memory_evidence.cmc.frontends.english.silence import says_nothing
from memory_evidence.cmc.frontends.english.statements import Reading, Scene
from memory_evidence.cmc.frontends.english.subjects import Subject
from memory_evidence.cmc.frontends.english.words import Words
from memory_evidence.cmc.frontends.patterns import Pattern
from memory_evidence.cmc.frontends.sentences import MAX_CHARS, Sentence, lines, only_sentence, sentences
from memory_evidence.errors import ConfigError
from memory_evidence.records import Record

MAX_SENTENCE_WORDS: Final = 150
"""Longer sentences are not read; this also bounds the work that one word can cause."""
_NOTE_CHARS = 80


class EnglishGrammar:
    """Reads present-tense statements, changes and retractions in plain English.

    What it cannot read for certain it leaves unresolved: questions, suppositions, plans, past states, reported or
    doubtful speech, quotations and pronouns make no fact. Relations have their common names (`RELATION_SYNONYMS`);
    a fact about "my sister" has the aligned subject "<speaker>'s sister". Takes time in proportion to the length of
    the record.
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
        reader = _Reader(text, record.speaker, self._declared)
        sentence = only_sentence(text)  # a shortcut for the most frequent record
        if sentence is not None:
            reader.read(sentence)
        else:
            for start, stop, opaque in lines(text):
                reader.read_line(start, stop, opaque)
        facts = tuple(reader.facts)
        if reader.unread:
            return Extraction(Label.UNRESOLVED, facts, f"not read: {reader.unread}")
        return Extraction(Label.FACTS, facts) if facts else NO_FACT


class _Reader:
    """The state of reading one record."""

    __slots__ = ("declared", "facts", "framed", "last", "speaker", "text", "unread")

    def __init__(self, text: str, speaker: str, declared: DeclaredPatterns | None) -> None:
        self.text = text
        self.speaker = speaker
        self.declared = declared
        self.facts: list[Fact] = []
        self.last = 0
        """Where in `facts` those of the last sentence that had any begin."""
        self.unread = ""
        """The first piece that was left unread."""
        self.framed = False
        """What follows is not said by the speaker about the world."""

    def leave(self, start: int, stop: int) -> None:
        """Note that a piece was left unread."""
        if not self.unread:
            piece = self.text[start:stop]
            self.unread = piece if len(piece) <= _NOTE_CHARS else piece[:_NOTE_CHARS] + "..."

    def read_line(self, start: int, stop: int, opaque: bool) -> None:
        """Read one line; code and quoted mail stay unread."""
        if opaque:
            self.leave(start, stop)
            return
        for sentence in sentences(self.text, start, stop):
            self.read(sentence)

    def read(self, sentence: Sentence) -> None:
        """Read one sentence, and note if something in it was left unread."""
        w = Words(self.text, sentence.start, sentence.stop)
        if not w.low:
            return
        complete = True
        if sentence_corrects(w.low):
            # What is corrected may stand in a record before: "No wait, Rome" is kept in view where it names something.
            complete = not self.facts and not any(
                w.proper(at) and w.low[at] not in v.GREETINGS for at in range(1, len(w))
            )
            del self.facts[self.last :]
        before = len(self.facts)
        complete = self.read_sentence(w, sentence) and complete
        if len(self.facts) > before:
            self.last = before
        elif self.facts and (w.low[-1] == "actually" or (w.low[0] == "actually" and not complete)):
            del self.facts[self.last :]  # "Actually, it's green now."
            complete = False
        if not complete:
            self.leave(sentence.start, sentence.stop)

    def read_sentence(self, w: Words, sentence: Sentence) -> bool:
        """Read one sentence; False: something in it was left unread."""
        n = len(w)
        if n > MAX_SENTENCE_WORDS:
            return False
        i = after_leads(w)
        notable = not v.NOTABLE.isdisjoint(w.low)
        if takes_back(w, i):
            self.facts.clear()
            # "I lied. My manager is Ann": what counts from here on is a guess.
            self.framed = self.framed or admits_lying(w, i)
            return False
        if self.framed or (notable and w.framed()):
            self.framed = True
            return says_nothing(w, i, marked=sentence.question)
        if is_ironic(w.low):
            return False
        label = label_length(w, i) if ":" in w.low else 0
        if label and w.low[i] in v.REQUESTS and says_nothing(w, i, marked=sentence.question):
            return True  # "Remind me: who is my manager?"
        if label:
            # "Ann: I live in Rome": from here on others may be speaking.
            self.framed = w.all_proper(i, i + label)
            return False
        asked = True
        if sentence.question:
            if says_nothing(w, i, marked=True):
                return True
            n = question_start(w, i)
            if n == i:
                return False
            asked = says_nothing(w, n, marked=True)
        if i >= n:
            return True
        first = w.low[0]
        open_ = i > 0 or first in v.SILENT_OPENERS or first in v.PREPOSITIONS or first in v.PUNCTUATION
        if open_ and (is_small_talk(w, i) or is_hypothesis(w, i) or is_question(w, i)):
            return n == len(w) and says_nothing(w, i, marked=False)
        scene = Scene(w, n, w.first_uncertain() if notable else len(w), self.speaker, is_passing(w, i))
        return self.read_clauses(scene, i) and asked

    def read_clauses(self, scene: Scene, i: int) -> bool:
        """Read the clauses from word `i` on; False: something was left unread."""
        w, n = scene.w, scene.n
        complete = True
        subject: Subject | None = None
        begin = 0
        while i < n:
            reading = self.read_clause(scene, i, subject)
            if reading is None:
                complete = False
                subject = None
                begin = i = resume(w, i, n, scene.uncertain)
                continue
            if adds_value(w, begin, i, reading.next, reading.facts):
                complete = False  # kept beside the value that it does not replace
            else:
                self.facts.extend(reading.facts)
            complete = complete and not reading.unread
            subject = reading.subject
            begin = reading.next
            i = next_clause(w, begin, n)
        return complete

    def read_clause(self, scene: Scene, i: int, subject: Subject | None) -> Reading | None:
        """Read the clause at `i`: the user's patterns first."""
        reading = self.declared.read(scene, i) if self.declared is not None else None
        return reading or read_clause(scene, i, subject)
