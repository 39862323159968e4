"""Noun phrases: what may be the subject of a fact, and where its object ends."""

from __future__ import annotations

from typing import Final, NamedTuple

from memory_evidence.cmc.facts import Span
from memory_evidence.cmc.frontends import vocabulary as v
from memory_evidence.cmc.frontends.words import POSSESSIVE, QUOTED, Words

MAX_SUBJECT_WORDS: Final = 12
MAX_ROLE_WORDS: Final = 6


class Subject(NamedTuple):
    """Whose fact it is."""

    span: Span | None
    """None: the speaker."""
    role: str = ""
    """What is meant of them: "sister" in "my sister", "headquarters" in "Acme's headquarters"."""
    whole: Span | None = None
    """The phrase with the role."""
    definite: bool = False
    """A thing known from the conversation: "the meeting"."""
    apposed: str = ""
    """What the name is to the speaker: "sister" in "my sister Ann"."""


def read_subject(w: Words, i: int, e: int) -> Subject | None:
    """Read words `i` to `e` as the subject of a statement; None where they are anything else."""
    if not 0 < e - i <= MAX_SUBJECT_WORDS:
        return None
    low = w.low
    first = low[i]
    if e == i + 1:
        if first in v.FIRST_PERSON:
            return Subject(None)
        if first in v.SELF_KIN:
            return Subject(None, first, (w.starts[i], w.ends[i]))
    whole = (w.starts[i], w.ends[e - 1])
    if first in v.MY:
        for at in range(i + 1, e - 1):
            if low[at] in v.RELATED and all(w.proper(n) for n in range(at + 1, e)):
                name, role = read_name(w, at + 1, e), read_role(w, i + 1, at + 1)
                return Subject(name, apposed=role) if name is not None and role else None
        role = read_role(w, i + 1, e)
        return Subject(None, role, whole) if role else None
    if POSSESSIVE in low[i:e]:
        at = low.index(POSSESSIVE, i, e)
        if all(w.proper(n) and low[n] not in v.ROLES and low[n] not in v.KIN for n in range(at + 1, e)):
            name = read_name(w, i, e)  # McDonald's, Schindler's List
            return Subject(name) if name is not None else None
        owner = read_owner(w, i, at)
        role = read_role(w, at + 1, e) if owner is not None else ""
        return Subject(owner, role, whole) if role else None
    if first == "the":
        if "of" in low[i + 2 : e]:
            of = low.index("of", i + 2, e)
            if not w.proper(i + 1) or low[of - 1] in v.ROLES:  # not "the University of Oslo"
                return _read_the_of(w, i, of, e)
        name = read_name(w, i + 1, e)
        if name is not None:
            return Subject(name)
        return Subject((w.starts[i + 1], whole[1]), definite=True) if _is_thing(w, i + 1, e) else None
    name = read_name(w, i, e)
    return Subject(name) if name is not None else None


def _read_the_of(w: Words, i: int, of: int, e: int) -> Subject | None:
    """Read "the R of X"."""
    role = read_role(w, i + 1, of)
    if not role or w.low[of - 1] in v.PARTITIVES or w.low[i + 1] in v.PARTITIVES or of + 1 >= e:
        return None
    whole = (w.starts[i], w.ends[e - 1])
    if w.low[of + 1] in v.MY:
        inner = read_role(w, of + 2, e)
        return Subject(None, f"{inner}'s {role}", whole) if inner else None
    owner = read_owner(w, of + 1, e)
    return Subject(owner, role, whole) if owner is not None else None


def read_owner(w: Words, i: int, e: int) -> Span | None:
    """Read a name or "the thing", without the article."""
    if e <= i:
        return None
    if w.low[i] == "the" and e > i + 1:
        return read_name(w, i + 1, e) or ((w.starts[i + 1], w.ends[e - 1]) if _is_thing(w, i + 1, e) else None)
    return read_name(w, i, e)


def read_role(w: Words, i: int, e: int) -> str:
    """Return the wording of a role or attribute ("sister", "favorite color"), or "" where it is none."""
    low = w.low
    while i < e - 1 and low[i] in v.FRESH:
        i += 1
    if not 0 < e - i <= MAX_ROLE_WORDS or low[e - 1] in v.NOT_ROLES or low[i] in v.ROLE_PREPOSITIONS:
        return ""
    for at in range(i, e):
        word = low[at]
        if word == POSSESSIVE:
            if at in (i, e - 1):
                return ""
        elif word in v.PUNCTUATION or word in v.CONJUNCTIONS or word == QUOTED or (
            word in v.NOT_IN_NAMES and word not in v.ALSO_NOUNS and not (word in v.ROLE_PREPOSITIONS and i < at < e - 1)
        ):
            return ""
    return " ".join(low[i:e]).replace(" 's", "'s")


def read_name(w: Words, i: int, e: int) -> Span | None:
    """Return the span of a name: capitalised words, with small ones ("of", "van") only between them."""
    if e <= i:
        return None
    low = w.low
    for at in range(i, e):
        word = low[at]
        if w.proper(at):
            # "Who" or "Is" stand inside titles, but open none; in capital letters nothing can be told apart.
            if word in v.NOT_IN_NAMES and word not in v.NAMEABLE:
                if at == i or w.shouts:
                    return None
            elif at == i and word in v.ADVERBS:
                return None
        elif word == POSSESSIVE:
            if at == i:
                return None
        elif word in v.CONNECTORS:
            if at == e - 1 or (word not in v.NAME_OPENERS and at == i):
                return None
        elif word in v.INNER_WORDS:
            if at in (i, e - 1):
                return None
        elif word == ",":
            if at in (i, e - 1) or low[at + 1] not in v.SUFFIXES:
                return None
        elif not (w.lowercase and e - i <= 2 and word not in v.NOT_IN_NAMES and word not in v.PUNCTUATION):
            return None
    if low[e - 1] in v.ADVERBS:
        return None
    return w.starts[i], w.ends[e - 1]


def _is_thing(w: Words, i: int, e: int) -> bool:
    """Whether words `i` to `e` behind "the" name a thing: no person, clause, pronoun or punctuation."""
    low = w.low
    if not 0 < e - i <= MAX_ROLE_WORDS or low[i] in v.PARTITIVES:
        return False
    for at in range(i, e):
        word = low[at]
        if word in v.PUNCTUATION or word in v.POSSESSIVES or word in v.PERSONS or word == POSSESSIVE:
            return False
        if w.proper(at) and at > i:
            continue
        if word in v.NOT_IN_NAMES and word not in v.ALSO_NOUNS and not (word in v.ROLE_PREPOSITIONS and i < at < e - 1):
            return False
        if word.endswith("ed") and len(word) > 4:
            return False
        if i < at - 1 and w.proper(at - 1) and not w.proper(at - 2) and word not in v.ROLE_PREPOSITIONS:
            return False  # "the book Bob wrote"
    return low[e - 1] not in v.PARTITIVES


# --- objects: each function returns where what begins at `k` ends; `k` itself means that nothing of the kind is there --


def skip_article(w: Words, k: int, n: int, articles: frozenset[str] = v.THE) -> int:
    """Return `k` behind a lower-case article; "The Hague" keeps its own."""
    return k + 1 if k < n - 1 and w.low[k] in articles and not w.proper(k) else k


def name_end(w: Words, k: int, n: int) -> int:
    """Return the end of a run of name words."""
    low = w.low
    at = k
    while at < n:
        word = low[at]
        if word == "," and at > k and at + 1 < n and low[at + 1] in v.SUFFIXES:
            at += 2
        elif word == POSSESSIVE and at > k:
            at += 1
        elif word in v.PUNCTUATION:
            break
        elif w.proper(at):
            if word in v.PRONOUNS and (at == k or word == "i"):
                break
            at += 1
        else:
            inner = word in v.CONNECTORS or (word in ("at", "for") and low[k] in v.INSTITUTIONS)
            if not inner or (at == k and word not in v.NAME_OPENERS):
                break
            follows = at + 1
            while follows < n and low[follows] in v.CONNECTORS and not w.proper(follows):
                follows += 1
            if follows >= n or not w.proper(follows) or low[follows] in v.PRONOUNS:
                break
            at = follows
    return at


def region_end(w: Words, k: int, n: int) -> int:
    """Return the end of ", Norway" or ", MA, USA", where nothing but a cut or the end follows it."""
    at = k
    for _ in range(2):
        if at + 1 >= n or w.low[at] != "," or not w.proper(at + 1):
            break
        end = name_end(w, at + 1, n)
        if end == at + 1 or end - at > 4 or (end < n and not _may_follow(w, end)):
            break
        at = end
    return at


def _may_follow(w: Words, at: int) -> bool:
    word = w.low[at]
    return word in v.CUTS or word in v.TAIL_WORDS or word in v.PUNCTUATION


def place_end(w: Words, k: int, n: int) -> int:
    """Return the end of the name of a place, a numbered room or floor, or a lower-case one that cannot be mistaken."""
    low = w.low
    if low[k] in v.UNITS and k + 1 < n and (low[k + 1][0].isdigit() or w.proper(k + 1)):
        return k + 2
    if low[k][0].isdigit() and k + 1 < n and low[k + 1] in v.UNITS:
        return k + 2
    end = name_end(w, k, n)
    if end > k:
        return region_end(w, end, n)
    return small_name_end(w, k, n)


def small_name_end(w: Words, k: int, n: int) -> int:
    """Return the end of one word (in a text without capitals, up to three) that may be a name in lower case."""
    low = w.low
    at = k
    while at < n and at - k < (3 if w.lowercase else 1):
        word = low[at]
        if word in v.NOT_IN_NAMES or word in v.NOT_PLACES or word in v.CUTS or word in v.TAIL_WORDS:
            break
        if not word.isalpha() or word in v.ARTICLES or word in v.MY or word in v.CONJUNCTIONS:
            break
        at += 1
    return at if at == n or _may_follow(w, at) else k


def is_time(w: Words, k: int, n: int) -> bool:
    """Whether a point in time begins at `k`."""
    if k >= n:
        return False
    word, after = w.low[k], w.low[k + 1] if k + 1 < n else ""
    if word in ("the", "this", "early", "late", "mid", "around", "about", "end"):
        return (
            (after[:1].isdigit() and after[-1:] not in "%") or after in v.TIME_WORDS or after in ("end", "week", "month")
        )
    if word in v.TIME_WORDS:
        return word not in v.TIME_NAMES or w.proper(k)
    if not word[0].isdigit():
        return word in v.NUMBERS and after in v.TIME_UNITS
    if ":" in word or word.rstrip(".").endswith(v.TIME_ENDINGS) or _is_date(word):
        return True
    if after.rstrip(".") in v.TIME_UNITS or after in v.TIME_WORDS:
        return True
    return len(word) == 4 and word.isdigit() and word[:2] in v.CENTURIES


def _is_date(word: str) -> bool:
    return any(
        len(parts) in (2, 3) and all(part.isdigit() for part in parts) for parts in (word.split("/"), word.split("-"))
    )


def when_end(w: Words, k: int, n: int) -> int:
    """Return the end of a point in time."""
    if not is_time(w, k, n):
        return k
    low = w.low
    at = end = k
    while at < n:
        word = low[at]
        if word in v.TIME_WORDS or word in v.TIME_UNITS or word[0].isdigit() or word in v.WHEN_NOUNS:
            end = at + 1
        elif word == "," and at + 1 < n and low[at + 1][:1].isdigit():
            pass
        elif word not in v.WHEN_WORDS and word not in v.NUMBERS:
            break
        at += 1
    return end


def clause_end(w: Words, k: int, n: int) -> int:
    """Return the end of free text: before punctuation or a word that begins another clause."""
    low = w.low
    at = k
    while at < n:
        word = low[at]
        if word == "," and at > k and at + 1 < n and low[at + 1] in v.SUFFIXES:
            at += 2
        elif word in v.PUNCTUATION or word in v.CLAUSAL or word == "anymore":
            break
        else:
            at += 1
    return at


def trim_tail(w: Words, k: int, end: int) -> int:
    """Return `end` without trailing adverbs ("now", "these days") of the words from `k`."""
    low = w.low
    while end > k + 1:
        for length in (3, 2, 1):
            if end - length > k and tuple(low[end - length : end]) in v.TAILS:
                end -= length
                break
        else:
            break
    return end
