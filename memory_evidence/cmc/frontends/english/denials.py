"""Sentences and asides with which a record takes back what it says: "I made that up", "Ignore that", "..., not."."""

from __future__ import annotations

from typing import Final

from memory_evidence.cmc.frontends.english import vocabulary as v
from memory_evidence.cmc.frontends.english.words import Words
from memory_evidence.cmc.frontends.sentences import word_set

_WORDS: Final = v.DENIALS | word_set(
    "lies nonsense bullshit bs fake invented made-up hoax prank sarcasm sarcastic irony ironic bogus rubbish false"
)
_PHRASES: Final = (
    "not|not true|not really|all lies|as if|in my dreams|yeah right|yea right|ya right|yeah , right|haha right|"
    "haha sure|lol sure|lol right|oh sure|yeah sure|april fools|april fool|april fool 's|gotcha|got you|got ya|"
    "fooled you|or not|not so|not correct|not right|i wish|if only|you wish|just a joke|just a prank|only a joke|"
    "a joke|a lie|not anymore|psych|sike|on second thought|strike that|never mind|nevermind|"
    "that was a test|this is a test|this was a test|just a test|just testing"
)
_ALONE: Final = {tuple(phrase.split()) for phrase in _PHRASES.split("|")} | {(word,) for word in _WORDS}
"""Alone in a sentence these take back what stands before."""
_LONGEST: Final = max(map(len, _ALONE))
_ABOUT: Final = word_set("that this it none nothing all everything these those they half the what i")
"""First words of what may say that something said was not so."""
_POINTING: Final = word_set("that this it none nothing all everything these those statement above message said wrote")
_SAID: Final = word_set("above statement message said wrote")
_PRONOUN: Final = word_set("it that this he she they we i there")
_UNSAID: Final = word_set("lied lying misspoke joking kidding fibbed fibbing sarcastic bluffing")
_LYING: Final = word_set("lied lying fibbed fibbing bluffing")
_DROPPING: Final = word_set("ignore disregard forget scratch strike delete undo cancel retract discard")
_DROPPED: Final = word_set("that this it everything all above previous last what me the my")
_SARCASTIC: Final = frozenset(("/s", "/jk", "/j"))
_GUARD: Final = (
    _WORDS
    | _UNSAID
    | _DROPPING
    | v.JOKES
    | _SARCASTIC
    | word_set(
        "not true made take took make wrong april fools fool gotcha got fooled right sure lies if wish never nevermind "
        "dreams sike psych thought joke prank test testing"
    )
)
_IRONIC: Final = {
    "oh": word_set("sure great wonderful lovely perfect brilliant fantastic joy"),
    **dict.fromkeys(("yeah", "yea", "ya"), word_set("right sure")),
    **dict.fromkeys(("haha", "hahaha", "ha", "lol"), word_set("sure right great yeah")),
    "sure": word_set("sure jan"),
    "as": word_set("if"),
}
_REACH: Final = 8


def takes_back(w: Words, i: int) -> bool:
    """Whether the sentence, whose words begin at `i` behind its leads, says that what the record says is not so."""
    low = w.low
    if _GUARD.isdisjoint(low):
        return False
    if not v.JOKES.isdisjoint(low):
        return True
    marks = len(low)
    while marks > 0 and low[marks - 1] in v.PUNCTUATION:
        marks -= 1
    if marks <= _LONGEST and (tuple(low[:marks]) in _ALONE or tuple(low[i:marks]) in _ALONE):
        return True
    first = low[i] if i < marks else ""
    if first in _DROPPING:
        return (
            i + 1 < marks
            and low[i + 1] in _DROPPED
            and (
                low[i + 1] not in ("the", "my", "me", "last")
                or not _POINTING.isdisjoint(low[i + 2 : i + 5])
                or low[i + 2 : i + 3] in (["last"], ["previous"])
            )
        )
    if first == "i" and _speaker_denies(low, i, marks):
        return True
    if first in _PRONOUN and _is_elliptic(low, i, marks):
        return True
    if first not in _ABOUT or _POINTING.isdisjoint(low[i : i + _REACH]):
        return False
    if first in ("the", "what", "i") and _SAID.isdisjoint(low[i + 1 : i + 5]):
        return False
    return (
        not _WORDS.isdisjoint(low[i:])
        or ("true" in low and (first in ("none", "nothing") or "not" in low))
        or ("not" in low and low[marks - 1] in ("right", "correct", "so", "accurate"))
    )


def admits_lying(w: Words, i: int) -> bool:
    """Whether a sentence that takes something back leaves open what is true: "I lied", "Yeah right!"."""
    if w.low[0] in ("yeah", "yea", "ya") and w.low[-1] == "right":
        return True
    return w.low[i : i + 1] == ["i"] and not _LYING.isdisjoint(w.low[i + 1 : i + _REACH])


def _speaker_denies(low: list[str], i: int, n: int) -> bool:
    """Whether "I ..." says that something said was made up."""
    for at in range(i + 1, min(n, i + _REACH)):
        word = low[at]
        if word in _UNSAID:
            # "I lied to Ann about it" tells of another lie than this
            return at + 1 >= n or low[at + 1] in v.PUNCTUATION or low[at + 1] in ("about", "earlier", "before", "again")
        if word in ("made", "make", "take", "took"):
            last = "up" if word.startswith("m") else "back"
            return last in low[at + 1 : at + 5] and not _POINTING.isdisjoint(low[at + 1 : at + 6])
    return low[i + 1 : i + 3] == ["was", "wrong"] and (n == i + 3 or low[i + 3] in v.PUNCTUATION)


def _is_elliptic(low: list[str], i: int, n: int) -> bool:
    """Whether the sentence is no more than "it isn't", "she does not"."""
    rest = [word for word in low[i + 1 : min(n, i + 6)] if word not in v.ADVERBS]
    return n - i <= 5 and len(rest) == 2 and rest[0] in v.AUXILIARIES and rest[1] == "not"


def is_ironic(low: list[str]) -> bool:
    """Whether the sentence opens with irony ("Yeah right, ...") or closes with a denial of itself ("..., not")."""
    n = len(low)
    if low[0] in _IRONIC:
        at = 1 + (low[1:2] == [","])
        if at < n and low[at] in _IRONIC[low[0]] and low[at + 1 : at + 2] and low[at + 1] in (",", "!", "–", "…", ":"):
            return True
    while n > 1 and low[n - 1] in v.PUNCTUATION:
        n -= 1
    return n > 2 and (low[n - 1] in _SARCASTIC or (low[n - 1] == "not" and low[n - 2] in v.PUNCTUATION))
