"""Facts as statements say them, and the state in which a clause is read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from memory_evidence.cmc.facts import Fact, Slot, Span
from memory_evidence.cmc.frontends.english import nouns
from memory_evidence.cmc.frontends.english import vocabulary as v
from memory_evidence.cmc.frontends.english.objects import Objects, read_objects
from memory_evidence.cmc.frontends.english.relations import (
    DEFINITE,
    LOCATED,
    MULTI_VALUED,
    NAME,
    OF_PROJECTS,
    SCHEDULED,
    WORKS_AT,
    canonical_relation,
    role_name,
)
from memory_evidence.cmc.frontends.english.rests import read_rest
from memory_evidence.cmc.frontends.english.subjects import Subject
from memory_evidence.cmc.frontends.english.verbs import STATE, Kind, Rule
from memory_evidence.cmc.frontends.english.words import Words


class Scene(NamedTuple):
    """What a clause is read in."""

    w: Words
    n: int
    """Words that may be read."""
    uncertain: int
    """Place of the first word that makes statements uncertain."""
    speaker: str
    passing: bool = False
    """Told of some time ("this week, ..."): an event was, but a state may be over then."""

    def span(self, k: int, end: int) -> Span:
        """Return where words `k` to `end` stand in the text."""
        return self.w.starts[k], self.w.ends[end - 1]

    def written(self, span: Span | None) -> str:
        """Return the text of a span; the speaker's name for None."""
        return self.speaker if span is None else self.w.text[span[0] : span[1]]


class Reading(NamedTuple):
    """A clause that was read."""

    facts: tuple[Fact, ...]
    next: int
    """Where the next clause may begin."""
    unread: bool
    """Something that hangs on the clause asserts what was not read."""
    subject: Subject
    ended: bool = False
    """ "any more" stood behind it."""


class Verb(NamedTuple):
    """A verb phrase, as far as it is known."""

    head: int
    """The word that carries the meaning; for "does not live" that is "live"."""
    object: int
    """Where the object begins."""
    negated: bool
    gone: bool
    """ "no longer": what is negated held before."""
    rule: Rule | None


def conclude(
    scene: Scene, subject: Subject, facts: Iterable[Fact | None], end: int, rule: Rule = STATE, negated: bool = False
) -> Reading | None:
    """Return the reading of a clause whose object ends at word `end`, if what stands behind leaves it standing."""
    if scene.uncertain < end or (scene.passing and not rule.change):
        return None
    found: list[Fact] = []
    for fact in facts:
        if fact is None:
            return None
        found.append(fact)
    rest = read_rest(scene.w, end, scene.n, scene.uncertain, rule)
    if rest is None or (rest.ended and not negated):
        return None
    return Reading(tuple(found), rest.next, rest.unread, subject, rest.ended)


def make_fact(scene: Scene, subject: Subject, relation: str, span: Span | None, retracts: bool = False) -> Fact | None:
    """Return the fact that `subject` has `relation` to what stands at `span`, or None where it cannot have it.

    "My sister lives in Rome" is about "<speaker>'s sister"; "Acme's office is in Rome" says of Acme that its "office
    located in" is Rome, so that a question about Acme finds it.
    """
    text = scene.w.text
    value = "" if span is None else text[span[0] : span[1]]
    if subject.role:
        if relation == NAME or (relation == SCHEDULED and subject.head in nouns.DATES):
            return role_fact(scene, subject, span, retracts)  # a deadline that moved is another deadline
        if subject.whole is None or subject.role.split()[-1] in nouns.MANY:
            return None
        if subject.span is None:
            slot = Slot(f"{scene.speaker}'s {role_name(subject.role)}", relation)
            return Fact(scene.written(subject.whole), relation, value, subject.whole, span, retracts, slot)
        if relation in MULTI_VALUED or subject.head in nouns.ROLES:
            return None  # who the manager of Acme is changes, and with it where "the manager of Acme" is from
        relation = f"{canonical_relation(subject.role)} {relation}"
    owner = subject.span
    if owner is None:
        return Fact(scene.speaker, relation, value, None, span, retracts)
    if subject.definite and relation not in DEFINITE:
        return None
    if relation in (SCHEDULED, LOCATED) and _points_back(text[owner[0] : owner[1]]):
        return None
    return _fact_about(text[owner[0] : owner[1]], relation, value, owner, span, retracts)


def _fact_about(
    owner: str, relation: str, value: str, owner_span: Span | None, span: Span | None, retracts: bool
) -> Fact:
    """Return the fact; "project Heron" is aligned to Heron, as which "the Heron project" is read as well.

    With a capital it may be the name of something else ("Project Gutenberg"), unless it is led or due.
    """
    name = owner
    if owner_span is not None:
        name = owner.removeprefix("project ")
        name = name.removeprefix("Project ") if relation in OF_PROJECTS else name
    slot = Slot(name, relation) if name != owner else None
    return Fact(owner, relation, value, owner_span, span, retracts, slot)


def _points_back(owner: str) -> bool:
    """Whether `owner` is a note's "Meeting" or "Flight to Dublin", of which no word shows whose or which it is."""
    words = owner.split()
    return words[0].lower() in nouns.THINGS and (len(words) == 1 or words[1] in v.INNER_WORDS)


def role_fact(scene: Scene, subject: Subject, span: Span | None, retracts: bool = False) -> Fact:
    """Return the fact that the role of `subject` is what stands at `span`: "my boss is Ann"."""
    value = "" if span is None else scene.written(span)
    relation = canonical_relation(subject.role)
    return _fact_about(scene.written(subject.span), relation, value, subject.span, span, retracts)


def inverse_fact(
    scene: Scene, owner: Span | None, relation: str, subject: Span | None, seen: str, retracts: bool
) -> Fact | None:
    """Return the fact that `owner` has `relation` to `subject`: "Ann is my boss", "Bob founded Acme".

    Where the subject is the speaker, whose name stands nowhere, the fact is `seen` from them ("founder of").
    """
    if subject is None:
        return None if owner is None else Fact(scene.speaker, seen, scene.written(owner), None, owner, retracts)
    return _fact_about(scene.written(owner), relation, scene.written(subject), owner, subject, retracts)


def with_employer(scene: Scene, reading: Reading, objects: Objects, retracts: bool = False) -> Reading:
    """Add "at Acme" behind a job to what was read of it."""
    at = objects.end + 1
    if at >= scene.n or scene.w.low[objects.end] not in ("at", "for"):
        return reading
    rule = Rule(WORKS_AT, Kind.ORG)
    found = read_objects(scene.w, at, scene.n, rule)
    if found is None:
        return reading
    fact = make_fact(scene, reading.subject, WORKS_AT, scene.span(*found.words[0]), retracts)
    employed = conclude(scene, reading.subject, (fact,), found.end, rule)
    if employed is None:
        return reading
    return employed._replace(facts=(*reading.facts, *employed.facts))
