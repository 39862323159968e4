"""Read "my R is Y", "X's R is Y", "the R of X is Y", and where or when things are."""

from __future__ import annotations

from typing import Final

from memory_evidence.cmc.facts import Fact
from memory_evidence.cmc.frontends.english import nouns
from memory_evidence.cmc.frontends.english import vocabulary as v
from memory_evidence.cmc.frontends.english.extents import (
    is_either,
    is_time,
    joined_end,
    name_end,
    place_end,
    qualified,
    region_end,
    skip_article,
    value_end,
    when_end,
)
from memory_evidence.cmc.frontends.english.relations import LOCATED, MULTI_VALUED, SCHEDULED, role_name
from memory_evidence.cmc.frontends.english.statements import Reading, Scene, Verb, conclude, make_fact, role_fact
from memory_evidence.cmc.frontends.english.subjects import Subject
from memory_evidence.cmc.frontends.english.verbs import BECOMING, EVENT, STATE, Rule
from memory_evidence.cmc.frontends.english.words import POSSESSIVE, Words

_PREPOSITIONS: Final = frozenset(("in", "at", "on", "by"))
_FAVORITES: Final = frozenset(("favorite", "favourite", "preferred"))


def finish(
    scene: Scene, subject: Subject, verb: Verb, *facts: Fact | None, end: int, rule: Rule = STATE
) -> Reading | None:
    """Return the reading of an "is" whose predicate ends at word `end`."""
    return conclude(scene, subject, facts, end, EVENT if scene.w.low[verb.head] in BECOMING else rule, verb.negated)


def read_attribute(scene: Scene, subject: Subject, verb: Verb) -> Reading | None:
    """Read "my manager is Ann", "Bob's favorite color is now blue", "the capital of France is Paris"."""
    w, n, k = scene.w, scene.n, verb.object
    low = w.low
    head = subject.head
    if low[k] in _PREPOSITIONS or (head in nouns.THINGS and head not in nouns.DATES and is_time(w, k, n)):
        return read_place_or_time(scene, subject, verb)
    favorite = not _FAVORITES.isdisjoint(subject.role.split())
    if favorite or head in nouns.ATTRIBUTES or head in nouns.STATUSES:
        first = skip_article(w, k, n, v.ARTICLES)
        end = _favorite_end(w, first, n, head) if favorite else _attribute_end(w, first, n, head)
    else:
        first = _holder_start(w, k, n, head)
        end = _holder_end(w, first, n, head, role_name(subject.role) in MULTI_VALUED)
    if end <= first or (verb.negated and not (favorite or w.proper(first) or w.lowercase)):
        return None
    if role_name(subject.role) in MULTI_VALUED and end == n:
        facts = [role_fact(scene, subject, scene.span(*words), verb.negated) for words in _items(w, first, end)]
    elif low[verb.head] == "are" and head.removesuffix("s") in nouns.AGED:
        return None  # "my managers are Ann, Bob"
    else:
        facts = [role_fact(scene, subject, scene.span(first, end), verb.negated)]
    return finish(scene, subject, verb, *facts, end=end)


def _favorite_end(w: Words, k: int, n: int, head: str) -> int:
    """Return the end of a favourite; `k` for what only says whose it is."""
    end = value_end(w, k, n)
    owned = not _FAVORITES.isdisjoint(w.low[k:end]) or (w.low[end - 1] == POSSESSIVE and head in nouns.ATTRIBUTES)
    return k if owned or qualified(w, k, end, strict=False) else end


def _attribute_end(w: Words, k: int, n: int, head: str) -> int:
    """Return the end of the value of an attribute; `k` for what only looks like one."""
    first = w.low[k]
    if head in nouns.NAMES and (POSSESSIVE in w.low[k:n] or not (w.proper(k) or w.lowercase)):
        return k
    if head in nouns.DATES and (not is_time(w, k, n) or (head in nouns.YEARLY and not _dated(w, k, n))):
        return k
    participle = first.endswith(("ing", "ed")) and len(first) > 4 and not w.proper(k)
    if participle and head not in nouns.STATUSES:
        return k
    end = value_end(w, k, n)
    owned = any(w.low[at] == POSSESSIVE and (at + 1 == end or not w.proper(at + 1)) for at in range(k, end))
    loose = head in nouns.OPEN_VALUES or head in nouns.PLACED
    several = "and" in w.low[k:end] and not (head in nouns.OPEN_VALUES or head in nouns.MANY)
    if several and (head in nouns.INVERTIBLE or head in nouns.PLACED):
        return k
    if owned or qualified(w, k, end, strict=head in nouns.INVERTIBLE and not loose, open_=loose):
        return k  # "Bob's", "b@x.io for work"
    return region_end(w, end, n) if end > k and head in nouns.PLACED else end


def _dated(w: Words, k: int, n: int) -> bool:
    """Whether the point in time at `k` is a day of the year ("May 5"), not one of this week ("tomorrow", "Friday")."""
    return any(word[0].isdigit() or word in v.MONTHS for word in w.low[k : when_end(w, k, n)])


def _holder_start(w: Words, k: int, n: int, head: str) -> int:
    """Return the first word of who or what has a role, without article; `n` where there is none."""
    first = skip_article(w, k, n)
    if w.low[k] in ("a", "an") and head not in nouns.RELATED:
        first = skip_article(w, k, n, v.ARTICLES)
        if not w.proper(first):
            return n  # "my car is a Tesla" says which, "my car is a mess" does not
    word = w.low[first]
    if word in nouns.DEMONYMS or word in nouns.ROLES or word in nouns.OCCUPATIONS:
        return n  # "my sister is CEO of Acme" does not say who she is
    unnamed = word[0].isdigit() or word[0] in "#$€£¥" or word in nouns.NUMERALS or w.shouts
    if word in v.PLACEHOLDERS or (unnamed and role_name(head) in nouns.AGED):
        return n  # in "MY BOSS IS ANGRY" nothing shows a name
    capitals = len(word) > 2 and w.text[w.starts[first] : w.ends[first]].isupper() and w.text[w.starts[first]].isalpha()
    if role_name(head) in nouns.AGED and (capitals or word in nouns.GROUPS):
        return n  # "my boss is AWESOME", "my boss is Marketing"
    return n if word in v.NOT_VALUES and not w.proper(first) else first


def _holder_end(w: Words, first: int, n: int, head: str, several: bool) -> int:
    """Return the end of a name; `first` for what is none, or holds several where one is wanted."""
    if first >= n:
        return first
    end = name_end(w, first, n)
    if POSSESSIVE in w.low[first:end] and head not in nouns.PLACES_OF:
        return first  # "Ann's house is Bob's", but "my company is McDonald's"
    if end > first and (head in nouns.PLACES_OF or head in nouns.PLACED):
        end = region_end(w, end, n)
    joined = joined_end(w, end, n)
    if several:
        return joined
    pair = is_either(w, first, end) or ("&" in w.low[first:end] and role_name(head) in nouns.AGED)
    return first if pair or joined > end else end


def _items(w: Words, first: int, end: int) -> list[tuple[int, int]]:
    """Read "hiking, chess and painting" as three."""
    found: list[tuple[int, int]] = []
    begin = first
    for at in range(first, end + 1):
        suffix = at + 1 < end and w.low[at + 1] in v.SUFFIXES
        if at == end or (w.low[at] in ("and", ",") and not suffix):
            if begin < at:
                found.append((begin, at))
            begin = at + 1
    return found


def read_place_or_time(scene: Scene, subject: Subject, verb: Verb) -> Reading | None:
    """Read "the Atlas meeting is in Room B", "my flight is at 5 pm", "my birthday is on May 5": things, not persons."""
    w, n, k = scene.w, scene.n, verb.object
    preposition = w.low[k] in _PREPOSITIONS
    first = k + 1 if preposition else k
    named = (subject.role or ("" if subject.span is None else scene.written(subject.span))).lower().split()
    if not named or first >= n:
        return None
    thing = named[-1] in nouns.THINGS or named[0] in nouns.THINGS or named[0] in nouns.UNITS
    dated = named[-1] in nouns.DATES
    if is_time(w, first, n):
        end = when_end(w, first, n)
        span = scene.span(first, end)
        if named[-1] in nouns.YEARLY and not _dated(w, first, n):
            return None
        if dated and subject.role:
            return finish(scene, subject, verb, role_fact(scene, subject, span, verb.negated), end=end)
        fact = make_fact(scene, subject, SCHEDULED, span, verb.negated) if thing or dated else None
        return finish(scene, subject, verb, fact, end=end)
    if not thing or not preposition or w.low[k] == "by" or w.low[first] in nouns.DEMONYMS:
        return None
    first = skip_article(w, first, n)
    unit = w.low[first] in nouns.UNITS or w.low[first][0].isdigit()
    if not unit and (not w.proper(first) or named[-1] in nouns.CONTENTS or w.low[first] in nouns.TOOLS):
        return None
    end = place_end(w, first, n)
    if end == first:
        return None
    fact = make_fact(scene, subject, LOCATED, scene.span(first, end), verb.negated)
    return finish(scene, subject, verb, fact, end=end)
