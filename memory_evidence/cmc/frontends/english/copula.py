"""Read "X is Y": whose role X has, what X works as, where or when X is."""

from __future__ import annotations

from typing import Final

from memory_evidence.cmc.facts import Fact
from memory_evidence.cmc.frontends.english import nouns
from memory_evidence.cmc.frontends.english import vocabulary as v
from memory_evidence.cmc.frontends.english.attributes import finish, read_attribute, read_place_or_time
from memory_evidence.cmc.frontends.english.extents import (
    clause_end,
    joined_end,
    name_end,
    noun_end,
    place_end,
    qualified,
    skip_article,
    value_end,
)
from memory_evidence.cmc.frontends.english.objects import read_objects
from memory_evidence.cmc.frontends.english.relations import (
    MEMBER,
    NAME,
    VALUE_OF,
    WORKS_AS,
    WORKS_AT,
    canonical_relation,
)
from memory_evidence.cmc.frontends.english.statements import (
    Reading,
    Scene,
    Verb,
    inverse_fact,
    make_fact,
    with_employer,
)
from memory_evidence.cmc.frontends.english.subjects import (
    Subject,
    is_nested,
    is_titled,
    read_owner,
    read_role,
    role_head,
)
from memory_evidence.cmc.frontends.english.verbs import BECOMING, STATE, Kind, Rule
from memory_evidence.cmc.frontends.english.words import POSSESSIVE

_MEMBER_OF: Final = {
    "member": MEMBER,
    "citizen": "citizen of",
    "resident": "resident of",
    "student": "studies at",
    "employee": WORKS_AT,
    "native": "from",
    "graduate": "educated at",
}
"""Nouns of "X is a ... of Y", with what they say of X."""
_STUDENTS: Final = frozenset(("student", "freshman", "sophomore", "junior", "senior", "undergraduate", "undergrad"))
_JOB: Final = Rule(WORKS_AS, Kind.JOB)
_FAN: Final = Rule("fan of", Kind.PHRASE)
_MAX_DEFINITE_WORDS: Final = 4


def read_copula(scene: Scene, subject: Subject, verb: Verb) -> Reading | None:
    """Read what `subject` is, from word `verb.object` on."""
    low, k = scene.w.low, verb.object
    if k >= scene.n or (verb.negated and (low[k] in v.NOT_QUITE or low[verb.head] in BECOMING)):
        return None
    if subject.role:
        return read_attribute(scene, subject, verb)
    if subject.definite:
        return read_place_or_time(scene, subject, verb) or _read_value(scene, subject, verb)
    return (
        read_office(scene, subject, verb)
        or _read_job(scene, subject, verb)
        or _read_fixed(scene, subject, verb)
        or read_place_or_time(scene, subject, verb)
    )


def read_office(scene: Scene, subject: Subject, verb: Verb, rule: Rule = STATE) -> Reading | None:
    """Read "Ann is my manager", "Ann is Bob's manager", "Ann is (the) CEO of Acme", "Bob is a member of Acme".

    `rule` says whether it is so or came to be so: "Ann was appointed CEO of Acme".
    """
    w, n, k = scene.w, scene.n, verb.object
    low = w.low
    if low[k] in v.MY:
        end = noun_end(w, k + 1, n)
        role = read_role(w, k + 1, end)
        if subject.span is None or not _is_role(role):
            return None
        fact = inverse_fact(scene, None, canonical_relation(role), subject.span, "", verb.negated)
        return finish(scene, subject, verb, fact, end=end, rule=rule)
    stop = clause_end(w, k, n)
    if POSSESSIVE in low[k:stop]:
        at = low.index(POSSESSIVE, k, stop)
        end = noun_end(w, at + 1, n)
        owner, role = read_owner(w, k, at), read_role(w, at + 1, end)
        if owner is None or not _is_role(role):
            return None
        relation = canonical_relation(role)
        fact = inverse_fact(scene, owner, relation, subject.span, f"{relation} of", verb.negated)
        return finish(scene, subject, verb, fact, end=end, rule=rule)
    first = skip_article(w, k, n, v.ARTICLES)
    if "of" in low[first + 1 : min(first + 6, stop)]:
        return _read_of(scene, subject, verb, rule, first, low.index("of", first + 1))
    return _read_student(scene, subject, verb, first) if first > k else None


def _is_role(role: str) -> bool:
    """Whether one says "Y is my ..." of it."""
    head = role_head(role)
    if not head or head in nouns.NOT_ROLES:
        return False
    favorite = " " in role and role.startswith(("favorite", "favourite", "preferred"))
    return favorite or head in nouns.RELATED or head in nouns.PLACES_OF or head in nouns.INVERTIBLE


def _read_of(scene: Scene, subject: Subject, verb: Verb, rule: Rule, first: int, of: int) -> Reading | None:
    """Read "(the) CEO of Acme", "a member of Acme", "a fan of jazz"; the noun begins at `first`."""
    w, n, k = scene.w, scene.n, verb.object
    low = w.low
    role = read_role(w, first, of)
    head = role_head(role)
    if not role or low[of - 1] in nouns.PARTITIVES or low[first] in nouns.PARTITIVES:
        return None
    indefinite = low[k] in ("a", "an")
    if indefinite and head == "fan":
        return _read_fan(scene, subject, verb, of + 1)
    begin = skip_article(w, of + 1, n)
    named = begin + is_titled(w, begin, n)
    end = place_end(w, begin, n) if head == "capital" else name_end(w, named, n)
    if end <= named or joined_end(w, end, n) > end or is_nested(w, of + 1, end):
        return None  # "of Great Britain and Ireland" may be one or two
    if indefinite:
        relation = _MEMBER_OF.get(head)
        fact = make_fact(scene, subject, relation, scene.span(begin, end), verb.negated) if relation else None
        return finish(scene, subject, verb, fact, end=end, rule=rule)
    known = head in nouns.RELATED or head in nouns.PLACES_OF or head in nouns.OCCUPATIONS
    if not known or (first == k and len(role.split()) > 2):
        return None
    name = canonical_relation(role)
    fact = inverse_fact(scene, scene.span(begin, end), name, subject.span, f"{name} of", verb.negated)
    return finish(scene, subject, verb, fact, end=end, rule=rule)


def _read_fan(scene: Scene, subject: Subject, verb: Verb, k: int) -> Reading | None:
    objects = read_objects(scene.w, k, scene.n, _FAN)
    if objects is None:
        return None
    facts = [make_fact(scene, subject, "fan of", scene.span(*words), verb.negated) for words in objects.words]
    return finish(scene, subject, verb, *facts, end=objects.end)


def _read_student(scene: Scene, subject: Subject, verb: Verb, first: int) -> Reading | None:
    """Read "a student at MIT"."""
    w, n = scene.w, scene.n
    for at in range(first + 1, min(n - 1, first + 4)):
        if w.low[at] == "at" and w.low[at - 1] in _STUDENTS:
            begin = skip_article(w, at + 1, n)
            end = name_end(w, begin, n)
            if end > begin:
                fact = make_fact(scene, subject, "studies at", scene.span(begin, end), verb.negated)
                return finish(scene, subject, verb, fact, end=end)
    return None


def _read_job(scene: Scene, subject: Subject, verb: Verb) -> Reading | None:
    """Read "a software engineer (at Acme)"."""
    w, n, k = scene.w, scene.n, verb.object
    if w.low[k] not in ("a", "an"):
        return None
    objects = read_objects(w, k, n, _JOB)
    if objects is None or w.low[objects.end - 1] not in nouns.OCCUPATIONS:
        return None
    fact = make_fact(scene, subject, WORKS_AS, scene.span(*objects.words[0]), verb.negated)
    reading = finish(scene, subject, verb, fact, end=objects.end, rule=_JOB)
    return reading if reading is None or verb.negated else with_employer(scene, reading, objects)


def _read_fixed(scene: Scene, subject: Subject, verb: Verb) -> Reading | None:
    """Read "32 years old", "vegan", and the name behind "Hi, I'm ..."."""
    w, n, k = scene.w, scene.n, verb.object
    low = w.low
    if low[k].isdecimal() and low[k + 1 : k + 3] == ["years", "old"] and not verb.negated:
        return finish(scene, subject, verb, make_fact(scene, subject, "age", scene.span(k, k + 1)), end=k + 3)
    if subject.span is None and low[0] in ("hi", "hello", "hey") and not verb.negated:
        end = name_end(w, k, n)
        if k < end <= k + 3 and not any(word in v.NOT_IN_NAMES or word in nouns.DEMONYMS for word in low[k:end]):
            return finish(scene, subject, verb, make_fact(scene, subject, NAME, scene.span(k, end)), end=end)
    first = skip_article(w, k, n, v.ARTICLES)
    relation = nouns.PREDICATES.get(low[first])
    if relation is None:
        return None
    fact = make_fact(scene, subject, relation, scene.span(first, first + 1), verb.negated)
    return finish(scene, subject, verb, fact, end=first + 1)


def _read_value(scene: Scene, subject: Subject, verb: Verb) -> Reading | None:
    """Read "the Atlas limit is 5", and with "now" also "the Atlas build is now green"."""
    w, n, k = scene.w, scene.n, verb.object
    low = w.low
    end = value_end(w, k, n)
    if verb.negated or low[k] in v.ARTICLES or low[k] in v.CUTS or not k < end <= k + _MAX_DEFINITE_WORDS:
        return None
    plain = any(c.isdigit() for word in low[k:end] for c in word) or (w.proper(k) and low[k] not in nouns.DEMONYMS)
    if (
        POSSESSIVE in low[k:end]
        or qualified(w, k, end, strict=True)
        or not (plain or ("now" in low[verb.head : k] and end - k <= 2))
    ):
        return None
    fact: Fact | None = make_fact(scene, subject, VALUE_OF, scene.span(k, end))
    return finish(scene, subject, verb, fact, end=end)
