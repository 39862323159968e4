"""Read new values and introductions: "my rent rose to ...", "I changed my email to ...", "has a dog named Rex"."""

from __future__ import annotations

from memory_evidence.cmc.frontends.english import nouns
from memory_evidence.cmc.frontends.english import vocabulary as v
from memory_evidence.cmc.frontends.english.extents import name_end, qualified, region_end, skip_article, value_end
from memory_evidence.cmc.frontends.english.objects import read_objects
from memory_evidence.cmc.frontends.english.relations import HABITS, SWITCHED, VALUE_OF
from memory_evidence.cmc.frontends.english.statements import Reading, Scene, Verb, conclude, make_fact, role_fact
from memory_evidence.cmc.frontends.english.subjects import Subject, read_role
from memory_evidence.cmc.frontends.english.verbs import CHANGES, EVENT, HAVE, HAVING, STATE, Kind, Rule

_SWITCHED = Rule(SWITCHED, Kind.PHRASE, change=True)
_REACH = 7
"""Words that a role may take between "my" and "to", or between "a" and "named"."""


def after_to(low: list[str], k: int) -> int:
    """Return the word behind the "to" of "from A to B", whose A begins at `k`; 0 where there is none."""
    for at in range(k + 1, min(len(low), k + 9)):
        if low[at] == "to":
            return at + 1
        if low[at] in v.PUNCTUATION or low[at] in v.CONJUNCTIONS:
            break
    return 0


def read_update(scene: Scene, subject: Subject, verb: Verb, rule: Rule) -> Reading | None:
    """Read "my address changed (from A) to B", "the Atlas rate rose to $5", "I switched from A to B".

    What was switched from is over, in whichever of the habits it was.
    """
    k = after_to(scene.w.low, verb.object) if rule.after_from else verb.object
    if not k or verb.negated:
        return None
    if subject.role or subject.definite:
        return _read_value(scene, subject, k)
    objects = read_objects(scene.w, k, scene.n, _SWITCHED) if rule.relation == SWITCHED else None
    if objects is None:
        return None
    facts = [make_fact(scene, subject, SWITCHED, scene.span(*objects.words[0]))]
    old = read_objects(scene.w, verb.object, k - 1, _SWITCHED) if rule.after_from else None
    if old is not None and old.end == k - 1:
        facts += (make_fact(scene, subject, habit, scene.span(*old.words[0]), retracts=True) for habit in HABITS)
    return conclude(scene, subject, facts, objects.end, EVENT)


def _read_value(scene: Scene, subject: Subject, k: int) -> Reading | None:
    """Read the free text at `k` as what the subject now is."""
    w, n = scene.w, scene.n
    k = skip_article(w, k, n)
    end = value_end(w, k, n)
    if end <= k or qualified(w, k, end, strict=False, open_=True):
        return None
    if subject.head in nouns.PLACED:
        end = region_end(w, end, n)
    span = scene.span(k, end)
    fact = role_fact(scene, subject, span) if subject.role else make_fact(scene, subject, VALUE_OF, span)
    return conclude(scene, subject, (fact,), end, EVENT)


def read_special(scene: Scene, subject: Subject, verb: Verb) -> Reading | None:
    """Read "I changed my email (from A) to B" and "Bob has a dog named Rex"."""
    low = scene.w.low
    head, k = verb.head, verb.object
    if verb.negated or subject.role or subject.definite:
        return None
    if low[head] in HAVE and k + 1 < scene.n and low[k] in CHANGES:
        head, k = k, k + 1
    if low[head] in CHANGES:
        return _read_changed(scene, subject, k)
    return _read_named(scene, subject, k) if low[head] in HAVING else None


def _read_changed(scene: Scene, subject: Subject, k: int) -> Reading | None:
    low, n = scene.w.low, scene.n
    own = ("my",) if subject.span is None else ("his", "her", "its", "their")
    if k >= n or low[k] not in own:
        return None
    for at in range(k + 2, min(n, k + _REACH)):
        if low[at] in ("to", "from"):
            role = read_role(scene.w, k + 1, at)
            begin = after_to(low, at + 1) if low[at] == "from" else at + 1
            return _read_value(scene, Subject(subject.span, role), begin) if role and begin else None
    return None


def _read_named(scene: Scene, subject: Subject, k: int) -> Reading | None:
    w, n = scene.w, scene.n
    low = w.low
    if k >= n or low[k] not in ("a", "an", "one", "another"):
        return None
    for at in range(k + 2, min(n, k + _REACH)):
        if low[at] in ("named", "called"):
            begin = at - 1 if low[at - 1] in nouns.RELATED else k + 1  # "a cute little dog" is a dog
            role = read_role(w, begin, at)
            end = name_end(w, at + 1, n)
            if not role or end <= at + 1:
                return None
            fact = role_fact(scene, Subject(subject.span, role), scene.span(at + 1, end))
            return conclude(scene, subject, (fact,), end, STATE)
    return None
