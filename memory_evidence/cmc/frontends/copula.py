"""Read "X is Y": roles, attributes, jobs, membership, values and places."""

from __future__ import annotations

from typing import Final

from memory_evidence.cmc.facts import Fact, Span
from memory_evidence.cmc.frontends import vocabulary as v
from memory_evidence.cmc.frontends.objects import read_objects, read_rest, value_end_word
from memory_evidence.cmc.frontends.phrases import (
    Subject,
    clause_end,
    is_time,
    name_end,
    place_end,
    read_owner,
    read_role,
    region_end,
    skip_article,
    when_end,
)
from memory_evidence.cmc.frontends.relations import (
    BECOMING,
    LOCATED,
    MULTI_VALUED,
    SCHEDULED,
    VALUE_OF,
    WORKS_AS,
    Kind,
    Rule,
    canonical_relation,
)
from memory_evidence.cmc.frontends.statements import (
    EVENT,
    STATE,
    Reading,
    Scene,
    Verb,
    make_fact,
    make_role_fact,
    second_job,
)
from memory_evidence.cmc.frontends.words import POSSESSIVE

_MEMBER_OF: Final = {
    "member": "member of",
    "citizen": "citizen of",
    "resident": "resident of",
    "fan": "fan of",
    "student": "studies at",
    "employee": "works at",
    "native": "from",
    "graduate": "educated at",
}
_STUDENT_AT: Final = frozenset(("student", "freshman", "sophomore", "junior", "senior", "undergraduate", "undergrad"))


def read_copula(scene: Scene, subject: Subject, verb: Verb) -> Reading | None:
    """Read what `subject` is, from word `verb.object` on."""
    w, n, k = scene.w, scene.n, verb.object
    if k >= n or (verb.negated and w.low[k] in v.NOT_QUITE):
        return None
    if w.low[verb.head] in BECOMING and verb.negated:
        return None
    if subject.role:
        return _attribute(scene, subject, verb, k)
    return (
        _relation_of(scene, subject, verb, k)
        or _job(scene, subject, verb, k)
        or _fixed(scene, subject, verb, k)
        or _place_or_time(scene, subject, verb, k)
        or _value(scene, subject, verb, k)
    )


def _finish(scene: Scene, subject: Subject, verb: Verb, fact: Fact | None, end: int) -> Reading | None:
    """Return `fact`, which ends at word `end`, if the rest of the clause leaves it standing."""
    if fact is None or scene.uncertain < end:
        return None
    rule = EVENT if scene.w.low[verb.head] in BECOMING else STATE
    rest = read_rest(scene.w, end, scene.n, scene.uncertain, rule)
    if rest is None or (rest.ended and not verb.negated):
        return None
    return Reading((fact,), rest.next, rest.unread, subject)


def _attribute(scene: Scene, subject: Subject, verb: Verb, k: int) -> Reading | None:
    """Read "my manager is Ann", "Bob's favorite color is now blue", "the capital of France is Paris"."""
    w, n = scene.w, scene.n
    low = w.low
    head = subject.role.split(" of ")[0].split()[-1]
    if low[k] in ("in", "at", "on", "by"):
        return _place_or_time(scene, subject, verb, k)
    if is_time(w, k, n) and head in v.THINGS and head != "deadline":
        end = when_end(w, k, n)
        return _finish(
            scene, subject, verb, make_fact(scene, subject, SCHEDULED, _span(scene, k, end), retracts=verb.negated), end
        )
    first = skip_article(w, k, n)
    if "favorite" in subject.role or "favourite" in subject.role or "preferred" in subject.role:
        first = skip_article(w, k, n, v.ARTICLES)
        end = value_end_word(w, first, n)
    elif head in v.ATTRIBUTES or head in v.STATUSES:
        first = skip_article(w, k, n, v.ARTICLES)
        end = _attribute_end(scene, first, head)
    else:
        if first == k and low[k] in ("a", "an") and head not in v.KIN and head not in v.ROLES and head not in v.PETS:
            first = skip_article(w, k, n, v.ARTICLES)
            if first >= n or not w.proper(first):
                return None
        if low[first] in v.DEMONYMS or low[first] in v.ROLES or low[first] in v.OCCUPATIONS:
            return None  # "my sister is CEO of Acme" does not say who she is
        if low[first] in v.NOT_VALUES and not w.proper(first):
            return None
        end = name_end(w, first, n)
        if end == first and w.lowercase and (head in v.KIN or head in v.ROLES or head in v.PETS):
            end = first + 1 if low[first].isalpha() and low[first] not in v.NOT_IN_NAMES | v.NOT_VALUES else first
        if end < n and low[end] == "and" and end + 1 < n and w.proper(end + 1):
            second = name_end(w, end + 1, n)
            end = second if second == n else end
        if end < n and low[end].endswith(("-year-old",)):
            return None
    if end <= first or (verb.negated and "favorite" not in subject.role and not w.proper(first) and not w.lowercase):
        return None
    fact = make_role_fact(scene, subject, _span(scene, first, end), retracts=verb.negated)
    if fact.relation in MULTI_VALUED and "and" in low[first:end] and end == n:
        return _finish_list(scene, subject, verb, first, end)
    return _finish(scene, subject, verb, fact, end)


def _attribute_end(scene: Scene, k: int, head: str) -> int:
    w = scene.w
    first = w.low[k]
    if head in ("name", "nickname", "surname") and POSSESSIVE in w.low[k:]:
        return k
    if head in v.DATES and not is_time(w, k, scene.n):
        return k
    if (
        first.endswith(("ing", "ed"))
        and len(first) > 4
        and not w.proper(k)
        and head not in v.STATUSES | {"hobby", "hobbies"}
    ):
        return k
    if head in ("name", "nickname", "surname", "username") and not w.proper(k) and not w.lowercase:
        return k
    end = value_end_word(w, k, scene.n)
    return region_end(w, end, scene.n) if end > k and head in v.PLACED else end


def _finish_list(scene: Scene, subject: Subject, verb: Verb, first: int, end: int) -> Reading | None:
    """Read "my hobbies are hiking, chess and painting" as three facts."""
    low = scene.w.low
    facts: list[Fact] = []
    begin = first
    for at in range(first, end + 1):
        if at == end or low[at] in ("and", ","):
            if begin < at:
                facts.append(make_role_fact(scene, subject, _span(scene, begin, at), retracts=verb.negated))
            begin = at + 1
    reading = _finish(scene, subject, verb, facts[0], end)
    return None if reading is None else reading._replace(facts=tuple(facts))


def _relation_of(scene: Scene, subject: Subject, verb: Verb, k: int) -> Reading | None:
    """Read "Ann is my manager", "Ann is Bob's manager", "Ann is (the) CEO of Acme", "Bob is a member of Acme"."""
    w, n = scene.w, scene.n
    low = w.low
    if low[k] in v.MY:
        end = _noun_end(scene, k + 1)
        role = read_role(w, k + 1, end)
        if not role or subject.span is None or subject.definite or not _is_role(role):
            return None
        return _finish(scene, subject, verb, _inverted(scene, None, role, subject.span, verb), end)
    stop = clause_end(w, k, n)
    if POSSESSIVE in low[k:stop]:
        at = low.index(POSSESSIVE, k, stop)
        end = _noun_end(scene, at + 1)
        owner, role = read_owner(w, k, at), read_role(w, at + 1, end)
        if owner is None or not role or subject.definite or not _is_role(role):
            return None
        return _finish(scene, subject, verb, _inverted(scene, owner, role, subject.span, verb), end)
    article = low[k] in v.ARTICLES
    p = k + 1 if article else k
    if "of" not in low[p + 1 : min(p + 6, stop)]:
        return _student(scene, subject, verb, p) if article else None
    of = low.index("of", p + 1)
    role = read_role(w, p, of)
    head = role.split()[-1] if role else ""
    if of + 1 >= n or not role or low[of - 1] in v.PARTITIVES or low[p] in v.PARTITIVES:
        return None
    first = skip_article(w, of + 1, n)
    end = place_end(w, first, n) if head == "capital" else name_end(w, first, n)
    if low[k] in ("a", "an") and head == "fan" and not subject.definite:
        return _simple(scene, subject, verb, Rule("fan of", Kind.PHRASE), of + 1)
    if end == first:
        return None
    owner = _span(scene, first, end)
    if low[k] in ("a", "an"):
        relation = _MEMBER_OF.get(head)
        if relation is None or subject.definite:
            return None
        return _finish(scene, subject, verb, make_fact(scene, subject, relation, owner, retracts=verb.negated), end)
    known = head in v.ROLES or head in v.PLACES_OF or head in v.KIN or head in v.OCCUPATIONS
    if not known or subject.definite:
        return None
    return _finish(scene, subject, verb, _inverted(scene, owner, role, subject.span, verb), end)


def _simple(scene: Scene, subject: Subject, verb: Verb, rule: Rule, k: int) -> Reading | None:
    """Read the objects of `rule` that begin at `k`."""
    objects = read_objects(scene.w, k, scene.n, rule)
    if objects is None:
        return None
    facts = [
        make_fact(scene, subject, objects.relation, _span(scene, begin, end), retracts=verb.negated)
        for begin, end in objects.words
    ]
    reading = _finish(scene, subject, verb, facts[0], objects.end)
    return None if reading is None else reading._replace(facts=tuple(fact for fact in facts if fact is not None))


def _student(scene: Scene, subject: Subject, verb: Verb, p: int) -> Reading | None:
    """Read "a student at MIT"."""
    w, n = scene.w, scene.n
    for at in range(p + 1, min(n, p + 4)):
        if w.low[at] == "at" and w.low[at - 1] in _STUDENT_AT:
            first = skip_article(w, at + 1, n) if at + 1 < n else n
            end = name_end(w, first, n)
            if end > first:
                fact = make_fact(scene, subject, "studies at", _span(scene, first, end), retracts=verb.negated)
                return _finish(scene, subject, verb, fact, end)
    return None


def _is_role(role: str) -> bool:
    head = role.split(" of ")[0].split()[-1]
    return (
        (head in v.KIN or head in v.ROLES or head in v.PLACES_OF or head in v.PETS or head in v.INVERTIBLE)
        or (len(role.split()) > 1 and role.split()[0] in ("favorite", "favourite", "preferred"))
    ) and head not in v.NOT_ROLES


def _inverted(scene: Scene, owner: Span | None, role: str, subject: Span | None, verb: Verb) -> Fact | None:
    """Return the fact that `subject` has `role` with `owner` (None: the speaker)."""
    text = scene.w.text
    relation = canonical_relation(role)
    if subject is None:  # the speaker's name stands nowhere: say it the other way round
        if owner is None:
            return None
        return Fact(scene.speaker, f"{relation} of", text[owner[0] : owner[1]], None, owner, verb.negated)
    name = scene.speaker if owner is None else text[owner[0] : owner[1]]
    return Fact(name, relation, text[subject[0] : subject[1]], owner, subject, verb.negated)


def _noun_end(scene: Scene, k: int) -> int:
    """Return the end of a role that begins at `k`: before anything that may follow an object."""
    w, n = scene.w, scene.n
    at = k
    while at < n and at - k < 6:
        word = w.low[at]
        if word in v.PUNCTUATION or word in v.CUTS or word in v.TAIL_WORDS or word in v.CONTRAST or word == POSSESSIVE:
            break
        if word in ("anymore", "any"):
            break
        at += 1
    return at


def _job(scene: Scene, subject: Subject, verb: Verb, k: int) -> Reading | None:
    """Read "a software engineer (at Acme)"."""
    w, n = scene.w, scene.n
    if subject.definite or w.low[k] not in ("a", "an"):
        return None
    end = _noun_end(scene, k + 1)
    if not k + 1 < end or w.low[end - 1] not in v.OCCUPATIONS:
        return None
    objects = read_objects(w, k, n, Rule(WORKS_AS, Kind.ROLE))
    if objects is None or objects.end != end:
        return None
    begin, stop = objects.words[0]
    fact = make_fact(scene, subject, WORKS_AS, _span(scene, begin, stop), retracts=verb.negated)
    reading = _finish(scene, subject, verb, fact, end)
    job = None if reading is None else second_job(scene, subject, objects, verb.negated)
    if reading is None or job is None:
        return reading
    return reading._replace(facts=(*reading.facts, job[0]), next=job[1].next, unread=job[1].unread)


def _fixed(scene: Scene, subject: Subject, verb: Verb, k: int) -> Reading | None:
    """Read "32 years old", "vegan", and the name behind "Hi, I'm ..."."""
    w, n = scene.w, scene.n
    low = w.low
    if subject.definite:
        return None
    if low[k].isdigit() and low[k + 1 : k + 3] == ["years", "old"] and not verb.negated:
        return _finish(scene, subject, verb, make_fact(scene, subject, "age", _span(scene, k, k + 1)), k + 3)
    if subject.span is None and low[0] in ("hi", "hello", "hey") and not verb.negated:
        end = name_end(w, k, n)
        if k < end <= k + 3 and not any(low[at] in v.NOT_IN_NAMES or low[at] in v.DEMONYMS for at in range(k, end)):
            return _finish(scene, subject, verb, make_fact(scene, subject, "name", _span(scene, k, end)), end)
    first = k + 1 if low[k] in v.ARTICLES and k + 1 < n else k
    relation = v.PREDICATES.get(low[first])
    if relation is None:
        return None
    fact = make_fact(scene, subject, relation, _span(scene, first, first + 1), retracts=verb.negated)
    return _finish(scene, subject, verb, fact, first + 1)


def _place_or_time(scene: Scene, subject: Subject, verb: Verb, k: int) -> Reading | None:
    """Read "the meeting is in Room B", "my flight is at 5 pm", "my birthday is on May 5": things, not persons."""
    w, n = scene.w, scene.n
    low = w.low
    preposition = low[k] in ("in", "at", "on", "by")
    first = k + 1 if preposition else k
    text = subject.role or _written(scene, subject)
    named = [word.lower() for word in text.split()]
    if not named or first >= n:
        return None
    thing = named[-1] in v.THINGS or named[0] in v.THINGS or named[0] in v.UNITS
    dated = named[-1] in v.DATES
    if is_time(w, first, n):
        if not thing and not dated:
            return None
        end = when_end(w, first, n)
        span = _span(scene, first, end)
        if dated and subject.role:
            fact: Fact | None = make_role_fact(scene, subject, span, retracts=verb.negated)
        else:
            fact = make_fact(scene, subject, SCHEDULED, span, retracts=verb.negated)
        return _finish(scene, subject, verb, fact, end)
    if not thing or not preposition or low[k] == "by" or low[first] in v.DEMONYMS:
        return None
    first = skip_article(w, first, n)
    unit = low[first] in v.UNITS or low[first][0].isdigit()
    if not unit and (not w.proper(first) or named[-1] in v.CONTENTS or low[first] in v.TOOLS):
        return None
    end = place_end(w, first, n)
    if end == first:
        return None
    return _finish(
        scene, subject, verb, make_fact(scene, subject, LOCATED, _span(scene, first, end), retracts=verb.negated), end
    )


def _value(scene: Scene, subject: Subject, verb: Verb, k: int) -> Reading | None:
    """Read "the budget is $5,000", and with "now" also "the build is now green"."""
    w, n = scene.w, scene.n
    low = w.low
    if not subject.definite or verb.negated or low[k] in v.ARTICLES or low[k] in v.CUTS:
        return None
    end = value_end_word(w, k, n)
    if not k < end <= k + 4 or POSSESSIVE in low[k:end]:
        return None
    value = w.text[w.starts[k] : w.ends[end - 1]]
    plain = any(c.isdigit() for c in value) or (w.proper(k) and low[k] not in v.DEMONYMS)
    if not plain and not ("now" in low[verb.head : k] and end - k <= 2):
        return None
    return _finish(scene, subject, verb, make_fact(scene, subject, VALUE_OF, _span(scene, k, end)), end)


def _written(scene: Scene, subject: Subject) -> str:
    return "" if subject.span is None else scene.w.text[subject.span[0] : subject.span[1]]


def _span(scene: Scene, k: int, end: int) -> Span:
    return scene.w.starts[k], scene.w.ends[end - 1]
