"""Read who takes or leaves an office: "Ann replaced Bob as CEO of Acme", "Bob stepped down as my manager"."""

from __future__ import annotations

from typing import Final

from memory_evidence.cmc.frontends.english import nouns
from memory_evidence.cmc.frontends.english.copula import read_office
from memory_evidence.cmc.frontends.english.extents import name_end
from memory_evidence.cmc.frontends.english.statements import Reading, Scene, Verb
from memory_evidence.cmc.frontends.english.subjects import Subject
from memory_evidence.cmc.frontends.english.verbs import Kind, Rule

OFFICES: Final = frozenset((Kind.OFFICE, Kind.OFFICE_OF_SUBJECT, Kind.OFFICE_OF_OBJECT))


def read_change_of_office(scene: Scene, subject: Subject, verb: Verb, rule: Rule) -> Reading | None:
    """Read the office behind a verb of the table, and who has it now, or had it until now."""
    if subject.role or subject.definite or verb.negated:
        return None
    k = verb.object
    if rule.kind is not Kind.OFFICE:
        w = scene.w
        end = name_end(w, k, scene.n)
        if not k < end < scene.n or w.low[end] != "as" or w.low[k] in nouns.DEMONYMS:
            return None
        if rule.kind is Kind.OFFICE_OF_OBJECT:
            subject = Subject(scene.span(k, end))
        k = end + 1
    if k >= scene.n:
        return None
    return read_office(scene, subject, verb._replace(object=k, negated=rule.retracts), rule)
