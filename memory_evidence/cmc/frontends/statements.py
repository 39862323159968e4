"""Facts as statements say them, and the state in which a clause is read."""

from __future__ import annotations

from typing import Final, NamedTuple

from memory_evidence.cmc.facts import Fact, Slot, Span
from memory_evidence.cmc.frontends import vocabulary as v
from memory_evidence.cmc.frontends.objects import Objects, Rest, read_objects, read_rest
from memory_evidence.cmc.frontends.phrases import Subject
from memory_evidence.cmc.frontends.relations import (
    DEFINITE_RELATIONS,
    MULTI_VALUED,
    WORKS_AT,
    Kind,
    Rule,
    canonical_relation,
    role_name,
)
from memory_evidence.cmc.frontends.words import Words

STATE: Final = Rule("", Kind.VALUE)
EVENT: Final = Rule("", Kind.VALUE, change=True)


class Scene(NamedTuple):
    """What a clause is read in."""

    w: Words
    n: int
    """Words that may be read."""
    uncertain: int
    """Place of the first word that makes statements uncertain."""
    speaker: str


class Reading(NamedTuple):
    """A clause that was read."""

    facts: tuple[Fact, ...]
    next: int
    """Where the next clause may begin."""
    unread: bool
    """Something that hangs on the clause asserts what was not read."""
    subject: Subject


class Verb(NamedTuple):
    """A verb phrase, as far as it is known."""

    head: int
    object: int
    """Where the object begins."""
    negated: bool
    gone: bool
    """ "no longer": what is negated held before."""
    rule: Rule | None


def make_fact(
    scene: Scene, subject: Subject, relation: str, span: Span | None, *, retracts: bool = False
) -> Fact | None:
    """Return the fact, or None where the subject cannot have the relation.

    "My sister lives in Rome" is about "<speaker>'s sister"; "Acme's office is in Rome" says of Acme that its "office
    located in" is Rome, so that a question about Acme finds it.
    """
    text = scene.w.text
    value = "" if span is None else text[span[0] : span[1]]
    if subject.role:
        if relation == "name":
            return make_role_fact(scene, subject, span, retracts=retracts)
        if subject.role.split()[-1] in v.MANY or subject.whole is None:
            return None
        if subject.span is None:
            begin, end = subject.whole
            slot = Slot(f"{scene.speaker}'s {role_name(subject.role)}", relation)
            return Fact(text[begin:end], relation, value, subject.whole, span, retracts, slot)
        if relation in MULTI_VALUED:
            return None
        relation = f"{canonical_relation(subject.role)} {relation}"
    if subject.span is None:
        return Fact(scene.speaker, relation, value, None, span, retracts)
    if subject.definite and relation not in DEFINITE_RELATIONS:
        return None
    begin, end = subject.span
    return Fact(text[begin:end], relation, value, subject.span, span, retracts)


def make_role_fact(scene: Scene, subject: Subject, span: Span | None, *, retracts: bool = False) -> Fact:
    """Return the fact that the role of `subject` is what stands at `span`: "my boss is Ann"."""
    text = scene.w.text
    owner = subject.span
    return Fact(
        scene.speaker if owner is None else text[owner[0] : owner[1]],
        canonical_relation(subject.role),
        "" if span is None else text[span[0] : span[1]],
        owner,
        span,
        retracts,
    )


def second_job(scene: Scene, subject: Subject, objects: Objects, retracts: bool) -> tuple[Fact, Rest] | None:
    """Read "at Acme" behind a job."""
    w, n = scene.w, scene.n
    if retracts or objects.end + 1 >= n or w.low[objects.end] not in ("at", "for"):
        return None
    employer = Rule(WORKS_AT, Kind.ORG)
    found = read_objects(w, objects.end + 1, n, employer)
    if found is None or scene.uncertain < found.end:
        return None
    rest = read_rest(w, found.end, n, scene.uncertain, employer)
    begin, end = found.words[0]
    fact = make_fact(scene, subject, WORKS_AT, (w.starts[begin], w.ends[end - 1]))
    return None if rest is None or rest.ended or fact is None else (fact, rest)
