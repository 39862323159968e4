"""Read one clause: a subject, a verb phrase of the tables, an object, and a rest that leaves the statement standing."""

from __future__ import annotations

from typing import Final

from memory_evidence.cmc.facts import Fact, Span
from memory_evidence.cmc.frontends import vocabulary as v
from memory_evidence.cmc.frontends.copula import read_copula
from memory_evidence.cmc.frontends.objects import read_objects, read_rest, value_end_word
from memory_evidence.cmc.frontends.phrases import (
    MAX_SUBJECT_WORDS,
    Subject,
    name_end,
    read_role,
    read_subject,
    region_end,
)
from memory_evidence.cmc.frontends.relations import (
    BASE_FORMS,
    BECOMING,
    CHANGES,
    COPULAS,
    END,
    HAVING,
    LOCATED,
    SWITCHED,
    VALUE_OF,
    VERBS,
    WORKS,
    WORKS_AS,
    Kind,
    Rule,
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

_DO: Final = frozenset(("do", "does"))
_HAVE: Final = frozenset(("has", "have"))
_HEADS: Final = frozenset(VERBS) | COPULAS | BECOMING | HAVING | CHANGES | _DO | _HAVE
_REACH: Final = MAX_SUBJECT_WORDS + 4


def read_clause(scene: Scene, i: int, shared: Subject | None = None) -> Reading | None:
    """Read the clause that begins at word `i`; `shared` is the subject of the clause before, if it has none itself."""
    low = scene.w.low
    for at in range(i, min(scene.n, i + _REACH)):
        word = low[at]
        if word in _HEADS:
            reading = _read_at(scene, i, at, shared)
            if reading is not None:
                apposed = reading.subject.apposed
                if not apposed:
                    return reading
                named = make_role_fact(scene, Subject(None, apposed), reading.subject.span)
                return reading._replace(facts=(named, *reading.facts), subject=reading.subject._replace(apposed=""))
        elif word in v.PUNCTUATION and not (word == "," and low[at + 1 : at + 2] and low[at + 1] in v.SUFFIXES):
            return None
    return None


def _read_at(scene: Scene, i: int, at: int, shared: Subject | None) -> Reading | None:
    w, n = scene.w, scene.n
    low = w.low
    end = _before_adverbs(low, i, at)
    gone = low[end - 2 : end] == ["no", "longer"] and end - 2 >= i
    if gone:
        end = _before_adverbs(low, i, end - 2)
    subject = read_subject(w, i, end) if end > i else shared
    if subject is None:
        return None
    verb = _verb_phrase(low, at, n, gone)
    if verb is None or verb.object > n:
        return None
    rule = verb.rule
    if rule is None:
        if low[at] in COPULAS or low[at] in BECOMING:
            return read_copula(scene, subject, verb)
        return None if verb.negated else _read_special(scene, subject, verb)
    if low[verb.head] in BASE_FORMS and low[at] not in _DO and not _takes_base(subject):
        return None
    if verb.negated and (rule.change or rule.retracts):
        return None
    if end > i and low[end - 1] == POSSESSIVE and low[at] not in COPULAS and low[at] not in ("was", "has"):
        return None  # "Bob's moved to Rome" may be Bob or a shop called Bob's
    if low[i] in v.PREPOSITIONS and end > i and rule.relation not in WORKS:
        return None  # "By 2030 Bob ..." but "In Cold Blood was written by ..."
    if subject.definite and rule.relation == LOCATED and rule.change and not _stands(low, end, verb.object, n):
        return None
    if "and" in low[i:end] and not low[at].endswith("s"):
        return None  # "Bob and Ann moved to Rome" are two; "Procter and Gamble is ..." is one
    return _read_rule(scene, subject, verb, rule)


def _stands(low: list[str], end: int, k: int, n: int) -> bool:
    """Whether what ends at `end` can have a place ("the office", not "the conversation"), or is given a room."""
    return low[end - 1] in v.THINGS or (k < n and low[k] in v.UNITS)


def _before_adverbs(low: list[str], i: int, end: int) -> int:
    while end > i and low[end - 1] in v.ADVERBS:
        end -= 1
    return end


def _takes_base(subject: Subject) -> bool:
    return subject.span is None and (not subject.role or subject.role.endswith("s"))


def _verb_phrase(low: list[str], at: int, n: int, gone: bool) -> Verb | None:
    """Follow the verb tables from word `at`; adverbs are skipped, "not" and "no longer" noted."""
    negated = gone
    k = at
    if low[at] in _DO:
        k = _skip_adverbs(low, at + 1, n)
        if k < n and low[k] == "not":
            if low[k + 1 : k + 2] and low[k + 1] in v.NOT_QUITE:
                return None
            negated, k = True, _skip_adverbs(low, k + 1, n)
        if k >= n or low[k] not in BASE_FORMS:
            return None
    head = k
    node = VERBS.get(low[k], {})
    rule, object_ = None, k + 1
    k += 1
    while k < n:
        word = low[k]
        following = node.get(word)
        if following is not None:
            node = following
            k += 1
        elif word in v.ADVERBS:
            k += 1
            continue
        elif word == "not":
            if k + 1 >= n or low[k + 1] in v.NOT_QUITE:
                return None
            negated, k = True, k + 1
            continue
        elif word == "no" and low[k + 1 : k + 2] == ["longer"]:
            negated = gone = True
            k += 2
            continue
        else:
            break
        if END in node:
            rule, object_ = node[END], k
    if rule is None and END in node:
        rule = node[END]  # a verb of one word
    if rule is not None:
        object_ = _skip_adverbs(low, object_, n) if object_ < n else object_
    elif low[at] in COPULAS or low[at] in BECOMING:
        object_ = at + 1
        while object_ < n and (low[object_] in v.ADVERBS or low[object_] in ("not", "no", "longer")):
            object_ += 1
    else:
        object_ = _skip_adverbs(low, head + 1, n)
    return Verb(head, object_, negated, gone, rule)


def _skip_adverbs(low: list[str], k: int, n: int) -> int:
    while k < n and low[k] in v.ADVERBS:
        k += 1
    return k


def _read_rule(scene: Scene, subject: Subject, verb: Verb, rule: Rule) -> Reading | None:
    w, n = scene.w, scene.n
    if rule.also:
        rest = read_rest(w, verb.object, n, scene.uncertain, rule) if scene.uncertain >= verb.object else None
        fact = None if rest is None else make_fact(scene, subject, rule.also, None, retracts=True)
        return None if rest is None or fact is None else Reading((fact,), rest.next, rest.unread, subject)
    if rule.update:
        return _read_update(scene, subject, verb.object, rule)
    begin = _after_to(w.low, verb.object) if rule.after_from else verb.object
    objects = read_objects(w, begin, n, rule) if begin else None
    if objects is None or scene.uncertain < objects.end:
        return None
    rest = read_rest(w, objects.end, n, scene.uncertain, rule)
    if rest is None or (rest.ended and not verb.negated):
        return None
    facts: list[Fact] = []
    retracts = rule.retracts or verb.negated
    for begin, end in objects.words:
        span = (w.starts[begin], w.ends[end - 1])
        if rule.inverse:
            fact = _inverse(scene, subject, rule, span, retracts)
        else:
            fact = make_fact(scene, subject, objects.relation, span, retracts=retracts)
        if fact is None:
            return None
        facts.append(fact)
        if rule.opposite and not (retracts and (verb.gone or rest.ended)):
            # Who likes it does not dislike it any more; who does not like it (and not "no longer") dislikes it.
            other = make_fact(scene, subject, rule.opposite, span, retracts=not retracts)
            if other is not None:
                facts.append(other)
    following, unread = rest.next, rest.unread
    job = second_job(scene, subject, objects, retracts) if objects.relation == WORKS_AS else None
    if job is not None:
        facts.append(job[0])
        following, unread = job[1].next, job[1].unread
    return Reading(tuple(facts), following, unread, subject)


def _inverse(scene: Scene, subject: Subject, rule: Rule, span: Span, retracts: bool) -> Fact | None:
    text = scene.w.text
    if subject.role or subject.definite:
        return None
    if subject.span is None:
        return Fact(scene.speaker, f"{rule.relation} of", text[span[0] : span[1]], None, span, retracts)
    begin, end = subject.span
    return Fact(text[span[0] : span[1]], rule.relation, text[begin:end], span, subject.span, retracts)


# --- "changed (from A) to B", "has a dog named Rex" -------------------------------------------------------------------


def _read_update(scene: Scene, subject: Subject, k: int, rule: Rule) -> Reading | None:
    """Read the new value of "my address changed (from A) to B", "I switched from A to B"."""
    w, n = scene.w, scene.n
    low = w.low
    if rule.after_from:
        k = _after_to(low, k)
    if k and (subject.role or subject.definite):
        return _finish_value(scene, subject, k)
    if not k or rule.relation != SWITCHED:
        return None
    objects = read_objects(w, k, n, Rule(SWITCHED, Kind.PHRASE, change=True))
    if objects is None or scene.uncertain < objects.end:
        return None
    rest = read_rest(w, objects.end, n, scene.uncertain, EVENT)
    begin, end = objects.words[0]
    fact = make_fact(scene, subject, SWITCHED, (w.starts[begin], w.ends[end - 1]))
    return None if rest is None or rest.ended or fact is None else Reading((fact,), rest.next, rest.unread, subject)


def _after_to(low: list[str], k: int) -> int:
    """Return the place behind the "to" of "from A to B", whose A begins at `k`; 0 where there is none."""
    for at in range(k + 1, min(len(low), k + 9)):
        if low[at] == "to":
            return at + 1
        if low[at] in v.PUNCTUATION or low[at] in v.CONJUNCTIONS:
            break
    return 0


def _finish_value(scene: Scene, subject: Subject, k: int) -> Reading | None:
    """Read the free text at `k` as what the subject now is."""
    w, n = scene.w, scene.n
    end = value_end_word(w, k, n) if k < n else k
    if end > k and subject.role.split()[-1:] and subject.role.split()[-1] in v.PLACED:
        end = region_end(w, end, n)
    if end <= k or scene.uncertain < end:
        return None
    rest = read_rest(w, end, n, scene.uncertain, EVENT)
    if rest is None or rest.ended:
        return None
    span = (w.starts[k], w.ends[end - 1])
    fact = make_role_fact(scene, subject, span) if subject.role else make_fact(scene, subject, VALUE_OF, span)
    return None if fact is None else Reading((fact,), rest.next, rest.unread, subject)


def _read_special(scene: Scene, subject: Subject, verb: Verb) -> Reading | None:
    """Read "I changed my email to X" and "Bob has a dog named Rex"."""
    w, n = scene.w, scene.n
    low = w.low
    head, k = verb.head, verb.object
    if low[head] in _HAVE and k < n and low[k] in CHANGES:
        head, k = k, _skip_adverbs(low, k + 1, n)
    if subject.role or subject.definite or k >= n:
        return None
    if low[head] in CHANGES:
        if not (low[k] == "my" if subject.span is None else low[k] in ("his", "her", "its", "their")):
            return None
        for at in range(k + 2, min(n, k + 7)):
            if low[at] in ("to", "from"):
                role = read_role(w, k + 1, at)
                begin = _after_to(low, at + 1) if low[at] == "from" else at + 1
                return _finish_value(scene, Subject(subject.span, role), begin) if role and begin else None
        return None
    if low[head] not in HAVING or low[k] not in ("a", "an", "one", "another"):
        return None
    for at in range(k + 2, min(n, k + 7)):
        if low[at] in ("named", "called"):
            begin = k + 1
            while begin < at - 1 and (low[begin] in v.FRESH or any(c.isdigit() for c in low[begin])):
                begin += 1
            if low[at - 1] in v.KIN or low[at - 1] in v.PETS:
                begin = at - 1
            role = read_role(w, begin, at)
            end = name_end(w, at + 1, n)
            if not role or end == at + 1 or scene.uncertain < end:
                return None
            rest = read_rest(w, end, n, scene.uncertain, STATE)
            if rest is None or rest.ended:
                return None
            fact = make_role_fact(scene, Subject(subject.span, role), (w.starts[at + 1], w.ends[end - 1]))
            return Reading((fact,), rest.next, rest.unread, subject)
    return None
