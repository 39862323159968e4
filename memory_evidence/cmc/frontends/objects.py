"""Read what follows a verb: the object, as the rule wants it, and whether the rest of the clause leaves it standing."""

from __future__ import annotations

from typing import Final, NamedTuple

from memory_evidence.cmc.frontends import vocabulary as v
from memory_evidence.cmc.frontends.phrases import (
    clause_end,
    is_time,
    name_end,
    place_end,
    region_end,
    skip_article,
    small_name_end,
    trim_tail,
    when_end,
)
from memory_evidence.cmc.frontends.relations import LOCATED, MULTI_VALUED, SCHEDULED, SPLIT_AT_AND, WORKS_AT, Kind, Rule
from memory_evidence.cmc.frontends.words import POSSESSIVE, QUOTED, Words

MAX_NAME_WORDS: Final = 10
MAX_PHRASE_WORDS: Final = 6
MAX_VALUE_WORDS: Final = 12
_TIMED: Final = {LOCATED: SCHEDULED, "born in": "born on", "died in": "died on", "founded in": "founded on"}


class Objects(NamedTuple):
    """One or more objects of one relation."""

    relation: str
    words: list[tuple[int, int]]
    """First and last-but-one word of each."""
    end: int


def read_objects(w: Words, k: int, n: int, rule: Rule) -> Objects | None:
    """Read the object of `rule` that begins at word `k`, or return None where nothing fit stands there."""
    if k >= n:
        return None
    relation, kind = rule.relation, rule.kind
    if kind is Kind.WHERE_OR_WHEN:
        if is_time(w, k, n):
            relation, kind = _TIMED[relation], Kind.WHEN
        else:
            kind = Kind.PLACE
            first = skip_article(w, k, n)
            if w.low[first] in v.TOOLS:
                return None
            if rule.relation == LOCATED and not w.lowercase and not w.proper(first) and w.low[first] not in v.UNITS:
                if not w.low[first][0].isdigit():
                    return None  # "moved to marketing", "moved to tears"
    if kind is Kind.WHEN:
        end = when_end(w, k, n)
        return Objects(relation, [(k, end)], end) if end > k else None
    if kind is Kind.PHRASE:
        return _phrases(w, k, n, relation)
    if kind is Kind.VALUE:
        end = value_end_word(w, k, n)
        if relation == "price" and not any(c.isdigit() for c in w.text[w.starts[k] : w.ends[max(end - 1, k)]]):
            return None
        return Objects(relation, [(k, end)], end) if end > k else None
    if kind is Kind.ROLE:
        return _role(w, k, n, rule)
    if relation == WORKS_AT and rule.change and not rule.retracts:
        member = _membership(w, k, n)
        if member is not None:
            return member
    if kind is Kind.ORG and is_time(w, k, n):
        return None
    bare = k
    k = skip_article(w, k, n)
    if kind is Kind.PLACE:
        end = place_end(w, k, n) if k == bare or not w.low[k].isalpha() or w.proper(k) else k
    else:
        end = name_end(w, k, n)
        if end > k:
            end = region_end(w, end, n) if kind is Kind.ORG else end
        elif k == bare and (w.lowercase or (kind is Kind.ORG and w.low[k - 1] == "at")):
            end = small_name_end(w, k, n)
    if not k < end <= k + MAX_NAME_WORDS:
        return None
    if relation in MULTI_VALUED:
        return _listed(w, k, end, n, relation)
    joined = _joined(w, end, n)
    if joined > end and rule.change:
        return None  # "joined Ann and Bob"
    return Objects(relation, [(k, joined)], joined)


def _joined(w: Words, end: int, n: int) -> int:
    """Return the end of "and Sons" behind a name that ends at `end`, where the clause ends there; else `end`."""
    if end + 1 < n and w.low[end] in ("and", "&") and w.proper(end + 1) and w.low[end + 1] not in v.PRONOUNS:
        second = name_end(w, end + 1, n)
        if second == n:
            return second
    return end


def _listed(w: Words, k: int, end: int, n: int, relation: str) -> Objects:
    """Read "French, German and Dutch" as three objects."""
    found = [(k, end)]
    while end + 1 < n and w.low[end] in (",", "and", "&"):
        at = end + 1
        if w.low[end] == "," and w.low[at] == "and":
            at += 1
        at = skip_article(w, at, n) if at < n else at
        follows = name_end(w, at, n) if at < n else at
        if follows == at or (follows < n and not _closes(w, follows)):
            break
        found.append((at, follows))
        end = follows
    return Objects(relation, found, end)


def _closes(w: Words, at: int) -> bool:
    word = w.low[at]
    return word in v.CUTS or word in v.TAIL_WORDS or word in v.PUNCTUATION


def _phrases(w: Words, k: int, n: int, relation: str) -> Objects | None:
    """Read bare noun phrases: "sushi", "hiking in the mountains", "the Beatles", "tea, coffee and cake"."""
    low = w.low
    if low[k] == "the":
        if k + 1 >= n or not w.proper(k + 1):
            return None
        k += 1
    end = _phrase_end(w, k, n)
    if not k < end <= k + MAX_PHRASE_WORDS:
        return None
    found = [(k, end)]
    while end + 1 < n and low[end] == ",":
        at = end + 2 if low[end + 1] == "and" else end + 1
        follows = _phrase_end(w, at, n) if at < n else at
        if not at < follows <= at + 3 or (follows < n and not _closes(w, follows)):
            break
        found.append((at, follows))
        end = follows
    if (len(found) > 1 or relation in SPLIT_AT_AND) and "and" in low[found[-1][0] : found[-1][1]]:
        at, follows = found[-1]
        middle = low.index("and", at, follows)
        found[-1:] = [(at, middle), (middle + 1, follows)] if at < middle < follows - 1 else found[-1:]
    return Objects(relation, found, end)


def _phrase_end(w: Words, k: int, n: int) -> int:
    """Return the end of a bare noun phrase, or `k` where it is none (a clause, a pronoun, a judgement)."""
    low = w.low
    gerund = low[k].endswith("ing") and len(low[k]) > 4
    if not w.proper(k) and (low[k] in v.NOT_VALUES or low[k] in v.ARTICLES or low[k] in v.CUTS):
        return k
    at = k
    while at < n:
        word = low[at]
        if word in v.PUNCTUATION or word in v.CLAUSAL or word in v.TAIL_WORDS or word in v.CONTRAST:
            break
        if word in ("so", "very", "the", "more", "over", "than", "anymore", "any") and not gerund:
            break
        if word in v.CUTS and word not in ("and", "with") and not gerund:
            break
        if (
            word in ("and", "with")
            and not gerund
            and (at + 1 >= n or low[at + 1] in v.NOT_IN_NAMES or low[at + 1] in v.ARTICLES)
        ):
            break
        if word in v.PRONOUNS or word in v.POSSESSIVES or word in v.MY or word == POSSESSIVE:
            return k
        if word in v.NOT_IN_NAMES and not w.proper(at) and word not in v.ALSO_NOUNS and word != "to":
            return k
        at += 1
    return at


def value_end_word(w: Words, k: int, n: int) -> int:
    """Return the end of free text that is a value: not a judgement, clause, pronoun or plan."""
    low = w.low
    first = low[k]
    if first in v.PUNCTUATION or (first in v.NOT_VALUES and not (w.proper(k) and first not in v.PRONOUNS)):
        return k
    end = clause_end(w, k, n)
    for at in range(k + 1, end):
        if (
            low[at] in ("and", "or", "&")
            and at + 1 < end
            and (
                low[at + 1] in v.PRONOUNS
                or low[at + 1] in v.MY
                or low[at + 1] in v.POSSESSIVES
                or low[at + 1] in v.QUESTION_OPENERS
            )
        ):
            end = at
            break
    if any(low[at] in v.PRONOUNS and not w.proper(at) for at in range(k, end)):
        return k
    end = trim_tail(w, k, end)
    return end if end - k <= MAX_VALUE_WORDS else k


def _role(w: Words, k: int, n: int, rule: Rule) -> Objects | None:
    """Read a job ("a senior engineer") or a possession that has a name ("a Tesla")."""
    low = w.low
    first = skip_article(w, k, n, v.ARTICLES)
    end = first
    while (
        end < n
        and low[end] not in ("anymore", "any")
        and low[end] not in v.PUNCTUATION
        and low[end] not in v.CUTS
        and low[end] not in v.TAIL_WORDS
    ):
        if low[end] in v.PRONOUNS or low[end] in v.POSSESSIVES or low[end] == POSSESSIVE or low[end] == QUOTED:
            return None
        end += 1
    if not first < end <= first + MAX_PHRASE_WORDS or any(
        low[at] in v.NOT_OCCUPIED or (low[at] in v.NOT_IN_NAMES and not w.proper(at) and low[at] not in v.ALSO_NOUNS)
        for at in range(first, end)
    ):
        return None
    named = any(w.proper(at) for at in range(first, end))
    job = low[end - 1] in v.OCCUPATIONS or low[end - 1] in v.ROLES
    if rule.relation in ("owns", "drives"):
        if not named:
            return None
    elif not job and (first == k or low[end - 1] in v.NOT_JOBS):
        return None
    return Objects(rule.relation, [(first, end)], end)


def _membership(w: Words, k: int, n: int) -> Objects | None:
    """Read "the chess club", "Oslo Runners Club" behind "joined": one is a member of those, not employed there."""
    low = w.low
    if not w.proper(k) and low[k] != "the":
        return None
    k = skip_article(w, k, n)
    for end in range(k + 1, min(n, k + 5) + 1):
        word = low[end - 1]
        if word in v.PUNCTUATION or word in v.PRONOUNS or (word in v.CUTS and not w.proper(end - 1)):
            return None
        if word in v.MEMBERSHIPS and end > k + 1 and (end == n or not w.proper(end)):
            return Objects("member of", [(k, end)], end)
    return None


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
        if word in ("anymore", "any"):
            if word == "any" and low[j + 1 : j + 2] not in (["more"], ["longer"]):
                return None
            ended = True
            j += 1 if word == "anymore" else 2
            continue
        step = _tail_length(w, j, n)
        if step:
            lasting = lasting or word in ("for", "since")
            j += step
        elif word == "," and j + 1 < n and (_tail_length(w, j + 1, n) or low[j + 1] in v.SUFFIXES):
            j += 1
        else:
            break
    if rule.lasting and not lasting:
        return None
    if j >= n:
        return Rest(n, ended=ended)
    word = low[j]
    if word in v.CONJUNCTIONS or word in (";", "–", ","):
        return _rest_after_mark(w, j, n, uncertain, ended)
    if word not in v.CUTS and word not in ("(", ":", "!", "?", "…", *v.CONTRAST):
        return None
    return _attached(w, j, n, uncertain, rule, ended)


def _rest_after_mark(w: Words, j: int, n: int, uncertain: int, ended: bool) -> Rest | None:
    """Judge what follows a comma, dash or conjunction at `j`: a new clause, a list that goes on, an afterthought."""
    low = w.low
    at = j
    while at < n and (low[at] in v.CONJUNCTIONS or low[at] in (",", ";", "–")):
        at += 1
    joined = any(word in v.CONJUNCTIONS or word == ";" for word in low[j:at])
    if not v.DOUBT.isdisjoint(low[at:n]) and (not joined or "but" in low[j:at]):
        return None
    if uncertain < n and uncertain - at < (1 if joined else 4) and uncertain >= j:
        return None
    if joined or low[j] == "–" or at >= n:
        return Rest(at, ended=ended)
    if low[at] in v.CONTRAST or low[at] in v.CUTS or low[at].endswith("ing"):
        return _attached(w, at, n, uncertain, None, ended)
    if (
        low[at] in v.FIRST_PERSON
        or low[at] in v.MY
        or low[at] in ("the", "he", "she", "it", "they", "we", "his", "her")
    ):
        return Rest(at, ended=ended)
    if w.proper(at) and any(low[p] in v.QUESTION_OPENERS or low[p] in v.VERB_SIGNS for p in range(at, min(n, at + 6))):
        return Rest(at, ended=ended)  # "Bob lives in Rome, Ann lives in Paris"
    if w.proper(at) and name_end(w, at, n) == n and n - at <= 2:
        return Rest(n, ended=ended)  # "..., Mel!"
    return None


def _attached(w: Words, j: int, n: int, uncertain: int, rule: Rule | None, ended: bool) -> Rest | None:
    """Judge a phrase or clause that hangs on the statement: it may not cast doubt on it or date it long ago."""
    low = w.low
    end = j
    while end < n and low[end] != ";" and not (low[end] in (",", "–", *v.CONJUNCTIONS) and _speaker_follows(w, end, n)):
        end += 1
    if uncertain < end:
        return None
    if (
        rule is not None
        and rule.change
        and any(
            low[at] in v.LONG_AGO or (low[at].isdigit() and len(low[at]) == 4 and rule.relation in v.PLACES_CHANGE)
            for at in range(j, end)
        )
    ):
        return None
    if rule is not None and rule.relation == WORKS_AT and rule.change and low[j] in ("for", "to", "at", "with", "by"):
        return None  # "left Rome for Paris", "joined Bob for lunch" need not be jobs
    if low[j] == "on" and low[j + 1 : j + 2] and low[j + 1].endswith(("days", "ends")):
        return None
    if not v.LIMITS.isdisjoint(low[j:end]):
        return None
    unread = any(low[at] in v.CLAUSAL or low[at] in v.CONJUNCTIONS for at in range(j, end))
    return Rest(end, unread, ended)


def _speaker_follows(w: Words, at: int, n: int) -> bool:
    while at < n and (w.low[at] in v.CONJUNCTIONS or w.low[at] in (",", "–", "now")):
        at += 1
    return at < n and (w.low[at] in v.FIRST_PERSON or w.low[at] in v.MY)


def _tail_length(w: Words, j: int, n: int) -> int:
    """Return how many words at `j` are a closing adverb ("these days", "since 2020", "two weeks ago"), or 0."""
    low = w.low
    for length in (3, 2, 1):
        if j + length <= n and tuple(low[j : j + length]) in v.TAILS:
            return length
    word = low[j]
    if word in ("since", "starting", "from", "as"):
        at = j + (2 if low[j + 1 : j + 2] in (["of"], ["on"]) else 1)
        if word in ("from", "as") and at == j + 1:
            return 0
        if at < n and (is_time(w, at, n) or low[at] in ("last", "now", "today", "yesterday")):
            end = when_end(w, at, n)
            return (end if end > at else min(at + (2 if low[at] == "last" else 1), n)) - j
        return 0
    at = j + 1 if word in ("for", "about", "over", "almost") else j
    start = at
    while (
        at < n
        and at - start < 4
        and (low[at] in v.NUMBERS or low[at].isdigit() or low[at] in ("of", "about", "over", "the", "past", "last"))
    ):
        at += 1
    if start < at < n and low[at] in v.AGO_UNITS:
        if word == "for":
            return at + 1 - j
        if low[at + 1 : at + 2] == ["ago"]:
            return at + 2 - j
    return 0
