"""Words with which speakers take back what they have just said: "no, Rome", "sorry, Kim", "I mean Rome", "Not!"."""

from __future__ import annotations

from typing import Final

from memory_evidence.cmc.frontends.english import vocabulary as v
from memory_evidence.cmc.frontends.sentences import word_set

_ALONE: Final = word_set("nope oops whoops correction psych sike scratch strike err edit nevermind")
_PAIRS: Final = frozenset(
    (
        *(("i", "mean"), ("i", "meant"), ("make", "that"), ("my", "mistake"), ("my", "bad"), ("hold", "on")),
        *(("hang", "on"), ("on", "second"), ("or", "rather"), ("or", "was"), ("or", "is"), ("or", "maybe")),
        *(("or", "did"), ("used", "to"), ("never", "mind"), ("i", "misspoke"), ("i", "take")),
        *((verb, what) for verb in ("ignore", "forget", "disregard") for what in ("that", "this", "it")),
    )
)
_MARKED: Final = word_set("no wait sorry")
"""Correct before a mark or another such word: "no, Rome" does, "no worries" does not."""
_FOLLOWING: Final = word_set("no not wait sorry actually scratch i that it he she they nope") | v.PUNCTUATION
_LIMITS: Final = word_set("for until till only temporarily supposedly allegedly maybe probably perhaps") | v.STARTING
_MAX_LIMIT_WORDS: Final = 4
_TRUTHS: Final = word_set("true right correct current valid accurate anymore")
_NEGATIONS: Final = word_set("not no")
_CONTRARY: Final = word_set("no not wait nope scratch")


def corrects(low: list[str], i: int) -> bool:
    """Whether what begins at word `i` corrects what was said before it."""
    word = low[i] if i < len(low) else ""
    after = low[i + 1] if i + 1 < len(low) else ""
    if word in _ALONE or (word, after) in _PAIRS:
        return True
    if word in _MARKED:
        return after in _FOLLOWING or (after == "" and word != "sorry")
    return word == "actually" and (after in _CONTRARY or (after == "," and low[i + 2 : i + 3] in (["no"], ["not"])))


def sentence_corrects(low: list[str]) -> bool:
    """Whether the sentence of these words corrects or limits the one before it."""
    denied = low[0] == "not" and low[1:2] not in (["sure"], ["bad"], ["much"], ["to"])
    if denied or low[0] == "or" or corrects(low, 0) or low[-2:] in (["i", "mean"], ["i", "meant"]):
        return True
    if low[0] in ("that", "this", "it") and not _TRUTHS.isdisjoint(low) and not _NEGATIONS.isdisjoint(low):
        return True  # "That is no longer true."
    if len(low) <= 3 and (low[0] in v.DENIALS or low[:1] == ["well"]):
        return True  # "Wrong!", "Well, Rome."
    # "For now.", "Starting Monday.", "Only this week.": what came before holds with a limit.
    return low[0] in _LIMITS and len(low) <= _MAX_LIMIT_WORDS and low[1:2] not in (["sure"], ["example"])
