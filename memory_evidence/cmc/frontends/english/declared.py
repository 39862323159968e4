"""Apply a user's patterns to the clauses of plain English."""

from __future__ import annotations

from collections.abc import Sequence

from memory_evidence.cmc.facts import Span
from memory_evidence.cmc.frontends.english import vocabulary as v
from memory_evidence.cmc.frontends.english.extents import clause_end, trim_tail
from memory_evidence.cmc.frontends.english.rests import read_rest
from memory_evidence.cmc.frontends.english.statements import Reading, Scene
from memory_evidence.cmc.frontends.english.subjects import MAX_SUBJECT_WORDS, Subject
from memory_evidence.cmc.frontends.english.verbs import COPULAS, STATE
from memory_evidence.cmc.frontends.english.words import QUOTED, Words
from memory_evidence.cmc.frontends.patterns import Pattern, Template, lower


class DeclaredPatterns:
    """Templates tried in the order of their declaration on what is left of a sentence."""

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        self._templates = [Template.of(pattern) for pattern in patterns]

    def read(self, scene: Scene, i: int) -> Reading | None:
        """Read the clause at word `i` as one of the patterns, or return None."""
        w = scene.w
        quoted = w.low[i] == QUOTED, w.low[scene.n - 1] == QUOTED
        if quoted[0] and i == scene.n - 1:
            return None  # a quoted sentence is not the speaker's own
        start, stop = w.starts[i] - quoted[0], w.ends[scene.n - 1] + quoted[1]  # with the marks
        piece = w.text[start:stop]
        low = lower(piece)
        for template in self._templates:
            spans = template.match(piece, low, 0, stop - start)
            if spans is None:
                continue
            reading = self._accept(scene, template, [(begin + start, end + start) for begin, end in spans])
            if reading is not None:
                return reading
        return None

    def _accept(self, scene: Scene, template: Template, spans: list[Span]) -> Reading | None:
        """Return the reading of a match whose places can be what they stand for."""
        w = scene.w
        end, unread, first_person = scene.n, False, False
        for n, place in enumerate(template.places):
            inner = Words(w.text, *spans[n])
            if not inner.low:
                return None
            last = len(inner)
            if place == "subject":
                first_person = inner.low == ["i"]
                if not first_person and not _is_subject(inner):
                    return None
            elif not _is_value(inner):
                return None
            if n == len(template.places) - 1 and not template.literals[-1]:
                last = _value_end(inner)
                rest = read_rest(w, scene.n - len(inner) + last, scene.n, scene.uncertain, STATE)
                if rest is None:
                    return None
                end, unread = rest.next, rest.unread
            spans[n] = (inner.starts[0], inner.ends[last - 1])
        if scene.uncertain < end:
            return None
        fact = template.fact(w.text, tuple(spans), scene.speaker)
        if first_person:
            fact = fact._replace(subject=scene.speaker, subject_span=None)
        return Reading((fact,), end, unread, Subject(fact.subject_span))


def _is_subject(words: Words) -> bool:
    low = words.low
    if len(low) > MAX_SUBJECT_WORDS or low[0] in v.MY:
        return False
    return not any(
        word in v.PUNCTUATION or (word in v.NOT_IN_NAMES and (at == 0 or not words.proper(at)))
        for at, word in enumerate(low)
    )


def _is_value(words: Words) -> bool:
    first = words.low[0]
    unfit = first in v.PRONOUNS or first in v.POSSESSIVES or first in v.PUNCTUATION
    return not unfit and "or" not in words.low


def _value_end(words: Words) -> int:
    """Return the end of the free text at a template's end: before another clause and closing adverbs."""
    low = words.low
    end = max(clause_end(words, 0, len(words)), 1)
    for at in range(1, end):
        if low[at] in v.CONJUNCTIONS and any(word in v.VERB_SIGNS or word in COPULAS for word in low[at:end]):
            end = at
            break
    return trim_tail(words, 0, end)
