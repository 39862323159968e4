"""Judge what stands behind a statement: whether it leaves the statement standing, and where reading goes on."""

from __future__ import annotations

from typing import NamedTuple

from memory_evidence.cmc.frontends.english import nouns
from memory_evidence.cmc.frontends.english import vocabulary as v
from memory_evidence.cmc.frontends.english.corrections import corrects
from memory_evidence.cmc.frontends.english.extents import (
    is_time,
    is_year,
    noun_end,
    settled_end,
    skip_article,
    when_end,
)
from memory_evidence.cmc.frontends.english.relations import MULTI_VALUED, SCHEDULED, TRANSIENT, WORKS_AS, WORKS_AT
from memory_evidence.cmc.frontends.english.verbs import HEADS, Rule
from memory_evidence.cmc.frontends.english.words import Words

_COUNTING = frozenset(("of", "the", "past", "last"))
_OTHERS = frozenset(("the", "he", "she", "it", "they", "we", "his", "her"))
_OVER = v.DENIALS | {"changed", "changes", "anymore", "over", "was"}
_LIMITING = v.QUALIFYING | (v.CUTS - v.CLAUSAL)
_ATTACHING = v.CUTS | v.CONTRAST | {"(", ":", "!", "?", "…"}


class Rest(NamedTuple):
    """What follows a statement."""

    next: int
    """Where the next clause may begin."""
    unread: bool = False
    """Something in between asserts what was not read."""
    ended: bool = False
    """ "any more" stood there: only a negated statement can bear it."""


def read_rest(w: Words, j: int, n: int, uncertain: int, rule: Rule) -> Rest | None:
    """Judge what stands behind an object that ends at `j`; None where it may change or take back the statement.

    `uncertain` is the place of the first word of the sentence that makes statements uncertain.
    """
    low = w.low
    ended = lasting = False
    while j < n:
        word = low[j]
        if word == "anymore" or (word == "any" and low[j + 1 : j + 2] in (["more"], ["longer"])):
            ended = True
            j += 1 if word == "anymore" else 2
            continue
        step = _tail_length(w, j, n, rule)
        if step:
            lasting = lasting or word in ("for", "since")
            j += step
        elif word == "," and j + 1 < n and (_tail_length(w, j + 1, n, rule) or low[j + 1] in v.SUFFIXES):
            j += 1
        else:
            break
    if rule.lasting and not lasting:
        return None
    if j >= n:
        return Rest(n, ended=ended)
    word = low[j]
    if word in v.CONJUNCTIONS or word in (";", "–", ","):
        rest = _after_mark(w, j, n, uncertain, rule)
    elif word in _ATTACHING:
        rest = _attached(w, j, n, uncertain, rule)
    else:
        return None
    return rest._replace(ended=ended) if rest is not None and ended else rest


def _after_mark(w: Words, j: int, n: int, uncertain: int, rule: Rule) -> Rest | None:
    """Judge what follows a comma, dash or conjunction at `j`: a new clause, a list that goes on, an afterthought."""
    low = w.low
    at = j
    while at < n and (low[at] in v.CONJUNCTIONS or low[at] in (",", ";", "–")):
        at += 1
    joined = any(word in v.CONJUNCTIONS or word == ";" for word in low[j:at])
    if not v.DOUBT.isdisjoint(low[at:n]) and (not joined or "but" in low[j:at]):
        return None
    if j <= uncertain < n and uncertain - at < (1 if joined else 4):
        return None  # "..., I think"
    if corrects(low, at) or ((joined or low[j] != ",") and _verbless(w, at, n, rule)) or low[at : at + 1] == ["only"]:
        return None  # "- no, Rome", "and Globex", "but only this week"
    if "but" in low[j:at] and _changed(low, at, n):
        return None
    if (not joined or low[j] == ";") and _limits(w, at, n, rule):
        return None
    if joined or low[j] == "–" or at >= n:
        return Rest(at)
    word = low[at]
    if word in v.CONTRAST or word in v.CUTS or word.endswith("ing"):
        return _attached(w, at, n, uncertain, rule)
    if word in v.SPEAKER or word in _OTHERS:
        return Rest(at)
    if w.proper(at):
        if any(follows in v.QUESTION_OPENERS or follows in v.VERB_SIGNS for follows in low[at : min(n, at + 6)]):
            return Rest(at)  # "Bob lives in Rome, Ann lives in Paris"
        if n - at == 1:
            return Rest(n)  # "..., Mel!"
    return None


def _changed(low: list[str], at: int, n: int) -> bool:
    """Whether what follows "but" at word `at` says that it is so no more: "not anymore", "that changed"."""
    pointing = low[at : at + 1] in (["that"], ["it"], ["this"])
    return low[at : at + 1] == ["not"] or (pointing and not _OVER.isdisjoint(low[at + 1 : n]))


def _verbless(w: Words, at: int, n: int, rule: Rule) -> bool:
    """Whether words `at` to `n` are no clause but another value of a relation that has one: "and Globex"."""
    low = w.low
    while at < n and low[at] in v.ADVERBS and low[at] != "actually":
        at += 1
    if at >= n or rule.relation in MULTI_VALUED:
        return False
    noun = low[at] in nouns.OCCUPATIONS or low[at] in nouns.ROLES or low[at] in v.ARTICLES or low[at] in v.PREPOSITIONS
    if not (noun or w.proper(at) or low[at] == "actually") or low[at] in v.SPEAKER:
        return False
    return not any(word in HEADS or word in v.AUXILIARIES for word in low[at:n])


def _attached(w: Words, j: int, n: int, uncertain: int, rule: Rule) -> Rest | None:
    """Judge a phrase or clause that hangs on the statement: no doubt, no limit, no long ago in it."""
    low = w.low
    end = j
    while end < n and low[end] != ";":
        if (low[end] in v.CONJUNCTIONS or low[end] in (",", "–")) and _speaker_follows(w, end, n):
            break
        end += 1
    hanging = low[j:end]
    if uncertain < end or not v.LIMITS.isdisjoint(hanging) or (hanging[0] == "(" and corrects(low, j + 1)):
        return None
    if _limits(w, j, end, rule) or _limits_inside(w, j, end, rule):
        return None
    if hanging[0] == "on" and len(hanging) > 1 and hanging[1].endswith(("days", "ends")):
        return None  # "on weekends", "on Mondays"
    if rule.change:
        if not v.LONG_AGO.isdisjoint(hanging):
            return None
        if rule.relation in TRANSIENT and any(is_year(word) for word in hanging):
            return None
        if rule.relation == WORKS_AT and hanging[0] in ("for", "to", "at", "with", "by"):
            return None  # "left Rome for Paris", "joined Bob for lunch" need not be jobs
        if rule.ends and hanging[0] in v.PREPOSITIONS and not is_time(w, j + 1, end):
            return None  # "quit my job in Oslo" says which
    return Rest(end, any(word in v.CLAUSAL or word in v.CONJUNCTIONS for word in hanging))


def _limits(w: Words, j: int, end: int, rule: Rule) -> bool:
    """Whether the phrase of words `j` to `end` says that the statement holds in part, for a time or not yet.

    Behind a state every "for work", "on paper" and "in May" does; what names a place does not ("at Acme in Oslo").
    """
    low = w.low
    while j < end and low[j] in v.PUNCTUATION:
        j += 1
    word = low[j] if j < end else ""
    if word == "while" or word in v.STARTING or tuple(low[j : j + 2]) in v.PASSING:
        return True
    if word not in _LIMITING or rule.relation in MULTI_VALUED:
        return False  # who speaks French at home speaks it
    follows = skip_article(w, j + 1, end, v.ARTICLES)
    if follows >= end:
        return True
    if rule.change or _is_timed(w, j, end):
        return _limits_time(w, j, end, rule)
    if word == "as":
        job = low[noun_end(w, follows, end) - 1]
        return rule.relation != WORKS_AT or not (job in nouns.OCCUPATIONS or job in nouns.ROLES)
    if word == "for":
        return rule.relation != WORKS_AS or not w.proper(follows)
    return word in v.QUALIFYING and not w.proper(follows) and low[follows] not in nouns.UNITS


def _limits_inside(w: Words, j: int, end: int, rule: Rule) -> bool:
    """Whether a limit stands farther back in words `j` to `end`: "with Bob starting Monday", "in Oslo for now"."""
    low = w.low
    clausal = False
    for at in range(j + 1, end):
        word = low[at]
        clausal = clausal or word in v.CLAUSAL
        passing = word in ("for", "this") and tuple(low[at : at + 2]) in v.PASSING
        if passing and (not rule.change or word == "for"):
            return True
        if not clausal and (word in v.STARTING or (word in _LIMITING and _limits_time(w, at, end, rule))):
            return True
    return False


def _limits_time(w: Words, j: int, end: int, rule: Rule) -> bool:
    """Whether the preposition at `j` opens a time to which the statement is limited."""
    word, follows = w.low[j], w.low[j + 1] if j + 1 < end else ""
    if rule.relation in MULTI_VALUED:
        return False
    if rule.change:
        timed = _is_timed(w, j, end) or follows == "now"
        return timed and (word not in ("in", "on", "at") or follows in v.NUMBERS)
    return _is_timed(w, j, end) and not (word == "at" and follows[0].isdigit())


def _is_timed(w: Words, j: int, end: int) -> bool:
    near = w.low[j + 1 : min(end, j + 5)]
    if "since" in near:
        near = near[: near.index("since")]
    return is_time(w, j + 1, end) or any(is_year(word) or word in v.AGO_UNITS for word in near)


def _speaker_follows(w: Words, at: int, n: int) -> bool:
    while at < n and (w.low[at] in v.CONJUNCTIONS or w.low[at] in (",", "–", "now")):
        at += 1
    return at < n and w.low[at] in v.SPEAKER


def _tail_length(w: Words, j: int, n: int, rule: Rule) -> int:
    """Return how many words at `j` are a closing adverb ("these days", "since 2020", "two weeks ago"), or 0."""
    low = w.low
    if low[j : j + 2] == ["instead", "of"]:
        return 0
    for length in (3, 2, 1):
        phrase = tuple(low[j : j + length])
        if j + length <= n and phrase in v.TAILS:
            return length if phrase not in v.PASSING or _outlasts(phrase, rule) else 0
    word = low[j]
    if word == "since":
        return _since_length(w, j, j + 1, n)
    if low[j : j + 2] == ["as", "of"]:
        return settled_end(w, j + 2, n) - j if settled_end(w, j + 2, n) > j + 2 else 0
    at = start = j + 1 if word in ("for", "about", "over", "almost") else j
    while at < min(n, start + 4) and (low[at] in v.NUMBERS or low[at].isdigit() or low[at] in _COUNTING):
        at += 1
    if not start < at < n or low[at] not in v.AGO_UNITS:
        return 0
    if word == "for":
        return at + 1 - j if rule.lasts else 0
    return at + 2 - j if low[at + 1 : at + 2] == ["ago"] else 0


def _outlasts(phrase: tuple[str, ...], rule: Rule) -> bool:
    """Whether what happened "this week" holds behind it: a move does, a meeting that is off does not."""
    return rule.change and phrase != ("for", "now") and not (rule.ends and rule.relation == SCHEDULED)


def _since_length(w: Words, j: int, at: int, n: int) -> int:
    if at >= n:
        return 0
    if is_time(w, at, n):
        return when_end(w, at, n) - j
    if w.low[at] in ("now", "today", "yesterday"):
        return at + 1 - j
    return min(at + 2, n) - j if w.low[at] == "last" else 0
