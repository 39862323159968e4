"""Apply a user's patterns to the clauses of plain English."""

from __future__ import annotations

from collections.abc import Sequence

from memory_evidence.cmc.facts import Span
from memory_evidence.cmc.frontends.english import vocabulary as v
from memory_evidence.cmc.frontends.english.extents import clause_end, trim_tail
from memory_evidence.cmc.frontends.english.rests import read_rest
from memory_evidence.cmc.frontends.english.statements import Reading, Scene
from memory_evidence.cmc.frontends.english.subjects import MAX_SUBJECT_WORDS, Subject
from memory_evidence.cmc.frontends.english.verbs import STATE
from memory_evidence.cmc.frontends.english.words import Words
from memory_evidence.cmc.frontends.patterns import Pattern, Template, lower


class DeclaredPatterns:
    """Templates tried in the order of their declaration on what is left of a sentence."""

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        self._templates = [Template.of(pattern) for pattern in patterns]

    def read(self, scene: Scene, i: int) -> Reading | None:
        """Read the clause at word `i` as one of the patterns, or return None."""
        w = scene.w
        start, stop = w.starts[i], w.ends[scene.n - 1]
        low = lower(w.text[start:stop])
        for template in self._templates:
            spans = template.match(w.text[start:stop], low, 0, stop - start)
            if spans is None:
                continue
            reading = self._accept(scene, template, [(begin + start, end + start) for begin, end in spans])
            if reading is not None:
                return reading
        return None

    def _accept(self, scene: Scene, template: Template, spans: list[Span]) -> Reading | None:
        w = scene.w
        end = scene.n
        unread = False
        for n, place in enumerate(template.places):
            inner = Words(w.text, *spans[n])
            if place == "subject":
                if not _is_subject(inner):
                    return None
            elif not inner.low or inner.low[0] in v.PRONOUNS or inner.low[0] in v.POSSESSIVES:
                return None
            if n == len(template.places) - 1 and not template.literals[-1]:
                first = scene.n - len(inner.low)
                last = _value_end(inner)
                spans[n] = (inner.starts[0], inner.ends[last - 1])
                rest = read_rest(w, first + last, scene.n, scene.uncertain, STATE)
                if rest is None:
                    return None
                end, unread = rest.next, rest.unread
        if scene.uncertain < end:
            return None
        fact = template.fact(w.text, tuple(spans), scene.speaker)
        return Reading((fact,), end, unread, Subject(fact.subject_span))


def _is_subject(words: Words) -> bool:
    low = words.low
    if not 0 < len(low) <= MAX_SUBJECT_WORDS or low[0] in v.MY:
        return False
    return not any(
        word in v.PUNCTUATION or (word in v.NOT_IN_NAMES and (at == 0 or not words.proper(at)))
        for at, word in enumerate(low)
    )


def _value_end(words: Words) -> int:
    low = words.low
    n = len(low)
    end = max(clause_end(words, 0, n), 1)
    for at in range(1, end):
        if low[at] in v.CONJUNCTIONS and any(
            word in v.VERB_SIGNS or word in ("is", "am", "are") for word in low[at:end]
        ):
            end = at
            break
    return trim_tail(words, 0, end)
