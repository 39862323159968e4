"""Read one clause: a subject, a verb phrase, an object, and a rest that leaves the statement standing."""

from __future__ import annotations

from typing import Final

from memory_evidence.cmc.facts import Fact, Span
from memory_evidence.cmc.frontends.english import nouns
from memory_evidence.cmc.frontends.english import vocabulary as v
from memory_evidence.cmc.frontends.english.changes import after_to, read_special, read_update
from memory_evidence.cmc.frontends.english.copula import read_copula
from memory_evidence.cmc.frontends.english.objects import read_objects
from memory_evidence.cmc.frontends.english.offices import OFFICES, read_change_of_office
from memory_evidence.cmc.frontends.english.relations import LOCATED, SCHEDULED, WORKS, WORKS_AS
from memory_evidence.cmc.frontends.english.statements import (
    Reading,
    Scene,
    Verb,
    conclude,
    inverse_fact,
    make_fact,
    role_fact,
    with_employer,
)
from memory_evidence.cmc.frontends.english.subjects import MAX_SUBJECT_WORDS, Subject, read_subject
from memory_evidence.cmc.frontends.english.verbs import (
    BASE_FORMS,
    BECOMING,
    COPULAS,
    DO,
    END,
    HEADS,
    VERBS,
    Rule,
)
from memory_evidence.cmc.frontends.english.words import POSSESSIVE, Words

_REACH: Final = MAX_SUBJECT_WORDS + 4
_FIRMS: Final = frozenset(("sons", "co", "company", "partners", "associates"))
"""Behind "and" these end the name of a firm."""
_SINGULAR: Final = COPULAS | {"was", "has"}


def read_clause(scene: Scene, i: int, shared: Subject | None = None) -> Reading | None:
    """Read the clause that begins at word `i`; `shared` is the subject of the clause before, if it has none itself."""
    low = scene.w.low
    for at in range(i, min(scene.n, i + _REACH)):
        word = low[at]
        if word in HEADS:
            reading = _read_at(scene, i, at, shared)
            if reading is not None:
                return _with_apposition(scene, reading)
        elif word in v.PUNCTUATION and not (word == "," and low[at + 1 : at + 2] and low[at + 1] in v.SUFFIXES):
            return None
    return None


def _with_apposition(scene: Scene, reading: Reading) -> Reading:
    """Add that Ann is the sister to what was read of "my sister Ann"."""
    subject = reading.subject
    if not subject.apposed:
        return reading
    named = role_fact(scene, Subject(None, subject.apposed), subject.span)
    return reading._replace(facts=(named, *reading.facts), subject=subject._replace(apposed=""))


def _read_at(scene: Scene, i: int, at: int, shared: Subject | None) -> Reading | None:
    """Read the clause as if word `at` were its verb."""
    w, n = scene.w, scene.n
    low = w.low
    end = _before_adverbs(w, i, at)
    gone = end - 2 >= i and low[end - 2 : end] == ["no", "longer"]
    if gone:
        end = _before_adverbs(w, i, end - 2)
    subject = read_subject(w, i, end) if end > i else shared
    if subject is None or (end > i and low[end - 1] in v.WH_WORDS):
        return None
    verb = _verb_phrase(low, at, n, gone)
    if verb is None or verb.object > n:
        return None
    rule = verb.rule
    if rule is None:
        if low[at] in COPULAS or low[at] in BECOMING:
            return read_copula(scene, subject, verb)
        return read_special(scene, subject, verb)
    if low[verb.head] in BASE_FORMS and low[at] not in DO and not _takes_base(subject):
        return None
    if verb.negated and (rule.change or rule.retracts):
        return None
    if end > i and not _fits(w, i, end, at, rule):
        return None
    if subject.definite and rule.relation == LOCATED and rule.change and not _movable(low, end, verb.object, n):
        return None
    return _read_rule(scene, subject, verb, rule)


def _before_adverbs(w: Words, i: int, end: int) -> int:
    """Return `end` before the adverbs that precede it; "Speak Now" keeps its last word."""
    while end > i and w.low[end - 1] in v.ADVERBS and (end == i + 1 or not w.proper(end - 1) or w.shouts):
        end -= 1
    return end


def _takes_base(subject: Subject) -> bool:
    return subject.span is None and (not subject.role or subject.role.endswith("s"))


def _fits(w: Words, i: int, end: int, at: int, rule: Rule) -> bool:
    """Whether words `i` to `end` can be the subject of the verb at `at`."""
    low = w.low
    if low[end - 1] == POSSESSIVE and low[at] not in _SINGULAR:
        return False  # "Bob's moved to Rome" may be Bob or a shop called Bob's
    if low[i] in v.PREPOSITIONS and rule.relation not in WORKS:
        return False  # "By 2030 Bob ..." but "In Cold Blood was written by ..."
    if "and" not in low[i:end]:
        return True
    # "Bob and Ann moved to Rome" are two, and so may "Atlas and Titan" be; a title is one, and so is "Ott and Sons".
    title = (rule.relation in WORKS or not nouns.INSTITUTIONS.isdisjoint(low[i : i + 2])) and low[at].endswith("s")
    return title or low[low.index("and", i) + 1] in _FIRMS


def _movable(low: list[str], end: int, k: int, n: int) -> bool:
    """Whether what ends at `end` can be in a place ("the office", not "the conversation"), or is given a room."""
    return low[end - 1] in nouns.THINGS or (k < n and low[k] in nouns.UNITS)


def _verb_phrase(low: list[str], at: int, n: int, gone: bool) -> Verb | None:
    """Follow the verb table from word `at`; adverbs are skipped, "not" and "no longer" noted."""
    negated = gone
    head = at
    if low[at] in DO:
        head = _skip_adverbs(low, at + 1, n)
        if head < n and low[head] == "not":
            if low[head + 1 : head + 2] and low[head + 1] in v.NOT_QUITE:
                return None
            negated, head = True, _skip_adverbs(low, head + 1, n)
        if head >= n or low[head] not in BASE_FORMS:
            return None
    node = VERBS.get(low[head], {})
    rule, object_ = node.get(END), head + 1
    k = head + 1
    while k < n:
        word = low[k]
        following = node.get(word)
        if following is not None:
            node, k = following, k + 1
            if END in node:
                rule, object_ = node[END], k
        elif word in v.ADVERBS:
            k += 1
        elif word == "not":
            if low[k + 1 : k + 2] and low[k + 1] in v.NOT_QUITE:
                return None
            negated, k = True, k + 1
        elif word == "no" and low[k + 1 : k + 2] == ["longer"]:
            negated = gone = True
            k += 2
        else:
            break
    if rule is None and (low[at] in COPULAS or low[at] in BECOMING):
        while object_ < n and (low[object_] in v.ADVERBS or low[object_] in ("not", "no", "longer")):
            object_ += 1
    return Verb(head, _skip_adverbs(low, object_, n), negated, gone, rule)


def _skip_adverbs(low: list[str], k: int, n: int) -> int:
    while k < n and low[k] in v.ADVERBS:
        k += 1
    return k


def _read_rule(scene: Scene, subject: Subject, verb: Verb, rule: Rule) -> Reading | None:
    """Read the object of a verb phrase of the table."""
    if not _own(scene, subject, verb):
        return None
    if rule.ends:
        fact = make_fact(scene, subject, rule.relation, None, retracts=True)
        return conclude(scene, subject, (fact,), verb.object, rule)
    if rule.update:
        return read_update(scene, subject, verb, rule)
    if rule.kind in OFFICES:
        return read_change_of_office(scene, subject, verb, rule)
    begin = after_to(scene.w.low, verb.object) if rule.after_from else verb.object
    objects = read_objects(scene.w, begin, scene.n, rule) if begin else None
    if objects is None or (objects.relation == SCHEDULED and rule.relation == LOCATED and not _timed(scene, subject)):
        return None
    retracts = rule.retracts or verb.negated
    facts: list[Fact | None] = []
    for first, end in objects.words:
        span = scene.span(first, end)
        if rule.inverse:
            facts.append(_inverse(scene, subject, rule, span, retracts))
        else:
            facts.append(make_fact(scene, subject, objects.relation, span, retracts))
    reading = conclude(scene, subject, facts, objects.end, rule, verb.negated)
    if reading is None:
        return None
    if rule.opposite and not (verb.gone or reading.ended):
        return _with_opposites(scene, reading, rule.opposite)
    if objects.relation == WORKS_AS and (rule.quits or not retracts):
        return with_employer(scene, reading, objects, retracts)
    return reading


def _own(scene: Scene, subject: Subject, verb: Verb) -> bool:
    """Whether a possessive inside the verb phrase ("quit my job") can mean the subject."""
    own = scene.w.low[verb.head + 1 : verb.object]
    if v.MY.isdisjoint(own):
        return v.POSSESSIVES.isdisjoint(own) or subject.span is not None or bool(subject.role)
    return subject.span is None and not subject.role


def _timed(scene: Scene, subject: Subject) -> bool:
    """Whether the subject can be moved to a point in time: a thing, not a person."""
    if subject.definite:
        return True
    named = (subject.role or ("" if subject.span is None else scene.written(subject.span))).lower().split()
    return subject.head in nouns.DATES or not nouns.THINGS.isdisjoint(named)


def _inverse(scene: Scene, subject: Subject, rule: Rule, span: Span, retracts: bool) -> Fact | None:
    if subject.role or subject.definite:
        return None
    return inverse_fact(scene, span, rule.relation, subject.span, rule.inverse, retracts)


def _with_opposites(scene: Scene, reading: Reading, opposite: str) -> Reading:
    """Add that who likes it does not dislike it any more, and that who does not like it dislikes it."""
    facts: list[Fact] = []
    for fact in reading.facts:
        other = make_fact(scene, reading.subject, opposite, fact.object_span, not fact.retracts)
        facts.extend((fact,) if other is None else (fact, other))
    return reading._replace(facts=tuple(facts))
