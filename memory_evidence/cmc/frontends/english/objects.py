"""Read what follows a verb as the object that its rule wants."""

from __future__ import annotations

from typing import Final, NamedTuple

from memory_evidence.cmc.frontends.english import nouns
from memory_evidence.cmc.frontends.english import vocabulary as v
from memory_evidence.cmc.frontends.english.extents import (
    is_either,
    is_time,
    joined_end,
    may_follow,
    name_end,
    noun_end,
    place_end,
    qualified,
    region_end,
    skip_article,
    small_name_end,
    value_end,
    when_end,
)
from memory_evidence.cmc.frontends.english.relations import (
    LOCATED,
    MEMBER,
    MULTI_VALUED,
    OWNS,
    PERSONAL,
    PRICE,
    SCHEDULED,
    SPLIT_AT_AND,
)
from memory_evidence.cmc.frontends.english.subjects import is_nested
from memory_evidence.cmc.frontends.english.verbs import HEADS, Kind, Rule
from memory_evidence.cmc.frontends.english.words import POSSESSIVE, QUOTED, Words

_MAX_NAME_WORDS: Final = 10
_MAX_PHRASE_WORDS: Final = 6
_MAX_KIND_WORDS: Final = 3
_OLDEST: Final = 120
_CLAUSE_REACH: Final = 6
"""Words behind "and" in which the verb of a clause is looked for."""
_TIMED: Final = {LOCATED: SCHEDULED, "born in": "born on", "died in": "died on", "founded in": "founded on"}


class Objects(NamedTuple):
    """One or more objects of one relation."""

    relation: str
    words: list[tuple[int, int]]
    """First word of each, and the word behind it."""
    end: int


def read_objects(w: Words, k: int, n: int, rule: Rule) -> Objects | None:
    """Read the object of `rule` that begins at word `k`, or return None where nothing fit stands there."""
    if k >= n:
        return None
    kind = rule.kind
    if kind is Kind.NAME or kind is Kind.ORG:
        return _read_name(w, k, n, rule)
    if kind is Kind.WHERE_OR_WHEN:
        if is_time(w, k, n):
            return _one(_TIMED[rule.relation], k, when_end(w, k, n))
        return _read_place(w, k, n, rule)
    if kind is Kind.PLACE:
        return _read_place(w, k, n, rule)
    if kind is Kind.WHEN:
        return _one(rule.relation, k, when_end(w, k, n))
    if kind is Kind.PLAYED:
        first = skip_article(w, k, n)
        return _one(rule.relation, first, first + (w.low[first] in nouns.PLAYED))
    if kind is Kind.PHRASE:
        return _read_phrases(w, k, n, rule.relation)
    if kind is Kind.AGE:
        years = w.low[k]
        return _one(rule.relation, k, k + (years.isdecimal() and 0 < int(years) <= _OLDEST))
    if kind is Kind.MEASURE and not w.low[k][0].isdigit():
        return None
    if kind is Kind.VALUE or kind is Kind.MEASURE:
        end = value_end(w, k, n)
        number = rule.relation != PRICE or any(c.isdigit() for at in range(k, end) for c in w.low[at])
        return _one(rule.relation, k, end) if number and not qualified(w, k, end, strict=True) else None
    return _read_job(w, k, n, rule)


def _one(relation: str, k: int, end: int) -> Objects | None:
    return Objects(relation, [(k, end)], end) if end > k else None


def _read_place(w: Words, k: int, n: int, rule: Rule) -> Objects | None:
    low = w.low
    first = skip_article(w, k, n)
    bare = first == k
    if not bare and low[first] in nouns.SETTLEMENTS and low[first + 1 : first + 2] == ["of"] and first + 2 < n:
        first, bare = first + 2, True  # "the city of Rome"
    known = w.proper(first) or low[first] in nouns.UNITS or low[first][0].isdigit()
    if low[first] in nouns.TOOLS or low[first] in v.PLACEHOLDERS or (rule.change and not (known or w.lowercase)):
        return None  # "moved to Slack", "moved to tears"
    if not bare and not known:
        return None  # "lives in the moment"
    end = place_end(w, first, n)
    if "&" in low[first:end] or low[end - 1] == POSSESSIVE or not nouns.GROUPS.isdisjoint(low[first:end]):
        return None  # "moved to Marketing", "moved to the Blue Team"
    return _join(w, first, end, n, rule)


def _read_name(w: Words, k: int, n: int, rule: Rule) -> Objects | None:
    org = rule.kind is Kind.ORG
    if org and rule.change and not rule.retracts:
        member = _membership_end(w, k, n)
        if member is not None:
            return member
    if org and is_time(w, k, n):
        return None  # "works at 9am"
    first = skip_article(w, k, n)
    end = name_end(w, first, n)
    if w.low[first] in v.PLACEHOLDERS or (rule.vague and not _employs(w, first, end, n)):
        return None
    if end > first:
        if org and region_end(w, end, n) > end:
            return None  # "Acme, Globex" may be two, and "Acme, Oslo" one
    elif first == k and (w.lowercase or (org and w.low[k - 1] == "at")):
        end = small_name_end(w, first, n)
    return _join(w, first, end, n, rule)


def _employs(w: Words, first: int, end: int, n: int) -> bool:
    """Whether the name of words `first` to `end`, or a job behind it, shows that who joined it is employed there."""
    if any(word in nouns.EMPLOYERS for word in w.low[first:end]):
        return True
    if end + 1 >= n or w.low[end] != "as":
        return False
    begin = skip_article(w, end + 1, n, v.ARTICLES)
    job = w.low[noun_end(w, begin, n) - 1]
    return (job in nouns.OCCUPATIONS or job in nouns.ROLES) and job not in nouns.VISITING


def _join(w: Words, k: int, end: int, n: int, rule: Rule) -> Objects | None:
    """Return the name of words `k` to `end`, with what is joined to it by "and"."""
    if not k < end <= k + _MAX_NAME_WORDS:
        return None
    if rule.relation in MULTI_VALUED:
        return _listed(w, k, end, n, rule.relation)
    several = joined_end(w, end, n) > end or is_either(w, k, end) or (rule.relation in PERSONAL and "&" in w.low[k:end])
    if several or is_nested(w, k, end):
        return None  # "reports to Ann and Bob", "reports to the CEO of Acme"
    return Objects(rule.relation, [(k, end)], end)


def _listed(w: Words, k: int, end: int, n: int, relation: str) -> Objects:
    """Read "French, German and Dutch" as three objects."""
    low = w.low
    found = [(k, end)]
    while end + 1 < n and low[end] in (",", "and", "&"):
        at = end + 2 if low[end] == "," and low[end + 1] == "and" else end + 1
        if at >= n:
            break
        at = skip_article(w, at, n)
        follows = name_end(w, at, n)
        if follows == at or not may_follow(w, follows, n):
            break
        found.append((at, follows))
        end = follows
    return Objects(relation, found, end)


def _membership_end(w: Words, k: int, n: int) -> Objects | None:
    """Read "the chess club", "Oslo Runners Club" behind "joined": one is a member of those, not employed there."""
    low = w.low
    if not w.proper(k) and low[k] != "the":
        return None
    k = skip_article(w, k, n)
    for end in range(k + 1, min(n, k + 5) + 1):
        word = low[end - 1]
        if word in v.PUNCTUATION or word in v.PRONOUNS or (word in v.CUTS and not w.proper(end - 1)):
            return None
        if word in nouns.MEMBERSHIPS and end > k + 1 and (end == n or not w.proper(end)):
            return Objects(MEMBER, [(k, end)], end)
    return None


def _read_phrases(w: Words, k: int, n: int, relation: str) -> Objects | None:
    """Read bare noun phrases: "sushi", "hiking in the mountains", "the Beatles", "tea, coffee and cake"."""
    low = w.low
    first = skip_article(w, k, n)
    if first > k and not w.proper(first):
        return None  # "the idea", "the way you sing"
    end = _phrase_end(w, first, n)
    if not first < end <= first + _MAX_PHRASE_WORDS:
        return None
    found = [(first, end)]
    while end + 1 < n and low[end] == ",":
        at = end + 2 if low[end + 1] == "and" else end + 1
        follows = _phrase_end(w, at, n)
        if not at < follows <= at + 3 or not may_follow(w, follows, n) or _opens_clause(w, at, n):
            break
        found.append((at, follows))
        end = follows
    at, follows = found[-1]
    if (len(found) > 1 or relation in SPLIT_AT_AND) and "and" in low[at + 1 : follows - 1]:
        middle = low.index("and", at + 1)
        found[-1:] = [(at, middle), (middle + 1, follows)]
    return Objects(relation, found, end)


def _phrase_end(w: Words, k: int, n: int) -> int:
    """Return the end of a bare noun phrase, or `k` where it is none (a clause, a pronoun, a judgement)."""
    low = w.low
    if k >= n or (not w.proper(k) and (low[k] in v.NOT_VALUES or low[k] in v.ARTICLES or low[k] in v.CUTS)):
        return k
    gerund = low[k].endswith("ing") and len(low[k]) > 4  # "hiking in the mountains" goes on where "coffee" would end
    at = k
    while at < n:
        word = low[at]
        if word in v.PUNCTUATION or word in v.CLAUSAL or word in v.TAIL_WORDS or word in v.CONTRAST:
            break
        if at > k and (tuple(low[at : at + 2]) in v.TAILS or tuple(low[at : at + 3]) in v.TAILS):
            break  # "VS Code last week"
        if (word == "and" and _opens_clause(w, at + 1, n)) or (not gerund and _ends_phrase(low, at, n)):
            break
        if word == "and" and _may_open_clause(w, at + 1, n):
            return k
        if word in v.PRONOUNS or word in v.POSSESSIVES or word in v.MY or word == POSSESSIVE:
            return k
        if word in v.NOT_IN_NAMES and word not in v.ALSO_NOUNS and word not in ("to", "about") and not w.proper(at):
            return k
        at += 1
    return at


def _opens_clause(w: Words, k: int, n: int) -> bool:
    """Whether a clause, not another item of a list, begins at word `k`: "Ann likes blues", "hates blues"."""
    low = w.low
    stop = min(n, k + _CLAUSE_REACH)
    for at in range(k, stop):
        word = low[at]
        if word in v.PUNCTUATION or word == "and":
            break
        if (word in HEADS or word in v.AUXILIARIES) and not w.proper(at):
            return True
    return False


def _may_open_clause(w: Words, k: int, n: int) -> bool:
    """Whether a name and what may be a verb that is in no table stand at word `k`: "Ann eats fish", "Robin comics"."""
    after = w.low[k + 1] if k + 1 < n else ""
    named = k < n and w.proper(k) and after.endswith("s") and not w.proper(k + 1)
    return named and after not in v.CUTS and after != POSSESSIVE and after not in v.TAIL_WORDS


def _ends_phrase(low: list[str], at: int, n: int) -> bool:
    word = low[at]
    if word in ("and", "with"):
        return at + 1 >= n or low[at + 1] in v.NOT_IN_NAMES or low[at + 1] in v.ARTICLES
    return word in v.CUTS or word in v.ENDED or word in ("so", "very", "the", "more", "than")


def _is_kind(w: Words, first: int, end: int, k: int) -> bool:
    """Whether words `first` to `end` behind the article at `k` say of what kind a thing is: "a car"."""
    head = w.low[end - 1]
    return (
        w.low[k] in ("a", "an")
        and first < end <= first + _MAX_KIND_WORDS
        and "of" not in w.low[first:end]
        and not (head in nouns.PARTITIVES or head in nouns.NOT_ROLES or head in nouns.SHARES)
    )


def _read_job(w: Words, k: int, n: int, rule: Rule) -> Objects | None:
    """Read a job ("a senior engineer") or a possession that has a name ("a Tesla")."""
    low = w.low
    first = skip_article(w, k, n, v.ARTICLES)
    end = noun_end(w, first, n)
    if end == first or not (may_follow(w, end, n) or low[end] in v.ENDED):
        return None
    for at in range(first, end):
        word = low[at]
        if word in nouns.NOT_OCCUPIED or word in v.POSSESSIVES or word == QUOTED:
            return None
        if word in v.NOT_IN_NAMES and word not in v.ALSO_NOUNS and not w.proper(at):
            return None
    if rule.kind is Kind.POSSESSION:
        fits = any(w.proper(at) for at in range(first, end)) or (rule.relation == OWNS and _is_kind(w, first, end, k))
    else:
        job = low[end - 1] in nouns.OCCUPATIONS or low[end - 1] in nouns.ROLES
        fits = job or (first > k and low[end - 1] not in nouns.NOT_JOBS)
    return Objects(rule.relation, [(first, end)], end) if fits else None
