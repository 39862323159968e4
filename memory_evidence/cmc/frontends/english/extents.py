"""Where what begins at a word ends: names, places, points in time, free text.

Every function takes the words, the first word `k` and the number of words `n` that may be read, and returns the word
behind the last; `k` itself means that nothing of the kind begins there.
"""

from __future__ import annotations

from typing import Final

from memory_evidence.cmc.frontends.english import nouns
from memory_evidence.cmc.frontends.english import vocabulary as v
from memory_evidence.cmc.frontends.english.words import POSSESSIVE, Words

_MAX_VALUE_WORDS: Final = 12
_MAX_REGION_WORDS: Final = 4


def skip_article(w: Words, k: int, n: int, articles: frozenset[str] = v.THE) -> int:
    """Return `k` behind an article; "The Hague" loses its own as it does where it is a subject, "A Star" does not."""
    return k + 1 if k < n - 1 and w.low[k] in articles and (w.low[k] == "the" or not w.proper(k)) else k


def may_follow(w: Words, at: int, n: int) -> bool:
    """Whether an object may end before word `at`."""
    if at >= n:
        return True
    word = w.low[at]
    return word in v.CUTS or word in v.TAIL_WORDS or word in v.PUNCTUATION


def name_end(w: Words, k: int, n: int) -> int:
    """Return the end of a name."""
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
            # "Paul I of Russia" is a name, "Bob I think" is not.
            regnal = word == "i" and at > k and at + 1 < n and (low[at + 1] == "of" or w.proper(at + 1))
            if word in v.PRONOUNS and not regnal and (at == k or word == "i"):
                break
            at += 1
        else:
            follows = _behind_connectors(w, k, at, n)
            if follows == at:
                break
            at = follows
    return at


def _behind_connectors(w: Words, k: int, at: int, n: int) -> int:
    """Return the capitalised word behind "of the" and the like at `at`, in a name that begins at `k`; else `at`."""
    low = w.low
    inner = low[at] in v.CONNECTORS or (low[at] in ("at", "for") and low[k] in nouns.INSTITUTIONS)
    if not inner or (at == k and low[at] not in v.NAME_OPENERS):
        return at
    follows = at + 1
    while follows < n and low[follows] in v.CONNECTORS and not w.proper(follows):
        follows += 1
    return follows if follows < n and w.proper(follows) and low[follows] not in v.PRONOUNS else at


def is_either(w: Words, k: int, end: int) -> bool:
    """Whether words `k` to `end` hold a choice of names: "Ann/Bob", but "AC/DC" is one."""
    return any(
        "/" in word and all(len(part) > 2 and part.isalpha() for part in word.split("/")) for word in w.low[k:end]
    )


def joined_end(w: Words, k: int, n: int) -> int:
    """Return the end of "and Sons", where the clause ends there."""
    if k + 1 < n and w.low[k] in ("and", "&") and w.proper(k + 1) and w.low[k + 1] not in v.PRONOUNS:
        end = name_end(w, k + 1, n)
        return end if end == n else k
    return k


def region_end(w: Words, k: int, n: int) -> int:
    """Return the end of ", Norway" or ", MA, USA", where nothing but a cut or the end follows it."""
    at = k
    for _ in range(2):
        if at + 1 >= n or w.low[at] != "," or not w.proper(at + 1):
            break
        end = name_end(w, at + 1, n)
        if not at + 1 < end <= at + _MAX_REGION_WORDS or not may_follow(w, end, n):
            break
        at = end
    return at


def place_end(w: Words, k: int, n: int) -> int:
    """Return the end of the name of a place, a numbered room or floor, or a lower-case one that cannot be mistaken."""
    low = w.low
    if k + 1 < n and (
        (low[k] in nouns.UNITS and (low[k + 1][0].isdigit() or w.proper(k + 1)))
        or (low[k][0].isdigit() and low[k + 1] in nouns.UNITS)
    ):
        return k + 2
    end = name_end(w, k, n)
    return region_end(w, end, n) if end > k else small_name_end(w, k, n)


def small_name_end(w: Words, k: int, n: int) -> int:
    """Return the end of one word (in a text without capitals, up to three) that may be a name in lower case."""
    at = k
    while at < n and at - k < (3 if w.lowercase else 1):
        word = w.low[at]
        if word in v.PLACEHOLDERS or word in v.NOT_IN_NAMES or word in nouns.NOT_PLACES or not word.isalpha():
            break
        if word in v.CUTS or word in v.TAIL_WORDS or word in v.ARTICLES:
            break
        at += 1
    return at if may_follow(w, at, n) else k


def is_time(w: Words, k: int, n: int) -> bool:
    """Whether a point in time begins at `k`."""
    if k >= n:
        return False
    word, after = w.low[k], w.low[k + 1] if k + 1 < n else ""
    if word in v.TIME_OPENERS:
        return after in v.TIME_WORDS or after in ("end", "week", "month") or (after[:1].isdigit() and after[-1] != "%")
    if word in v.TIME_WORDS:
        return word not in v.TIME_NAMES or w.proper(k)
    if not word[0].isdigit():
        return word in v.NUMBERS and after in v.TIME_UNITS
    if ":" in word or word.rstrip(".").endswith(v.TIME_ENDINGS) or _is_date(word):
        return True
    if after.rstrip(".") in v.TIME_UNITS or after in v.TIME_WORDS:
        return True
    return is_year(word)


def is_year(word: str) -> bool:
    """Whether `word` is a year."""
    return len(word) == 4 and word.isdecimal() and word.startswith(v.CENTURIES)


def _is_date(word: str) -> bool:
    return any(
        len(parts) in (2, 3) and all(part.isdecimal() for part in parts) for parts in (word.split("/"), word.split("-"))
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
        elif not (word == "," and at + 1 < n and low[at + 1][:1].isdigit()) and word not in v.WHEN_WORDS | v.NUMBERS:
            break
        at += 1
    return end


def settled_end(w: Words, k: int, n: int) -> int:
    """Return the end of a point in time that is not to come ("today", "March 2024", "last week"); `k` for others."""
    if k >= n:
        return k
    low = w.low
    if low[k] in ("now", "today", "yesterday"):
        return k + 1
    if low[k] == "last":
        return min(k + 2, n)
    end = when_end(w, k, n)
    return end if any(is_year(word) for word in low[k:end]) else k


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


def value_end(w: Words, k: int, n: int) -> int:
    """Return the end of free text that is a value: no judgement, clause, pronoun or plan."""
    low = w.low
    if k >= n:
        return k
    first = low[k]
    if first in v.PUNCTUATION or first in v.PLACEHOLDERS:
        return k
    if first in v.NOT_VALUES and (first in v.PRONOUNS or not w.proper(k)):
        return k
    end = clause_end(w, k, n)
    for at in range(k + 1, end - 1):
        if low[at] in ("and", "or", "&") and _opens_clause(low[at + 1]):
            end = at
            break
    if any((low[at] in v.PRONOUNS or low[at] == "or") and not w.proper(at) for at in range(k, end)):
        return k
    end = trim_tail(w, k, end)
    return end if end - k <= _MAX_VALUE_WORDS else k


def _opens_clause(word: str) -> bool:
    return word in v.PRONOUNS or word in v.MY or word in v.POSSESSIVES or word in v.QUESTION_OPENERS


def qualified(w: Words, k: int, end: int, *, strict: bool, open_: bool = False) -> bool:
    """Whether the value of words `k` to `end` goes on with what limits it: "blue on walls", "b@x.io for work".

    `strict`: a name behind the preposition limits it as well ("Bob on Twitter"). `open_`: only what begins with "for"
    or a point in time limits it; "a teacher in training" is a value.
    """
    low = w.low
    for at in range(k + 1, end - 1):
        word = low[at]
        if w.proper(at) or not (word in v.QUALIFYING or word in v.STARTING):
            continue
        if word in v.STARTING or is_time(w, at + 1, end) or strict:
            return True
        follows = skip_article(w, at + 1, end)
        if not w.proper(follows) and (word in ("for", "during", "as", "at") or not open_):
            return True
    return False


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


def noun_end(w: Words, k: int, n: int) -> int:
    """Return the end of a bare noun phrase of at most six words: before anything that may follow an object."""
    at = k
    while at < n and at - k < 6:
        word = w.low[at]
        if may_follow(w, at, n) or word in v.CONTRAST or word in v.ENDED or word == POSSESSIVE:
            break
        at += 1
    return at
