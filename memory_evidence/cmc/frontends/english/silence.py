"""Sentences that assert nothing as a whole: bare questions, requests, suppositions, greetings.

Whoever asks or supposes something often states something with it ("If you need it, my password is ...", "Did I tell
you I moved?"). Only what certainly holds no statement is silent; in doubt a sentence is not.
"""

from __future__ import annotations

from typing import Final

from memory_evidence.cmc.frontends.english import vocabulary as v
from memory_evidence.cmc.frontends.english.embedded import (
    FINITE,
    IRREALIS,
    MODALS,
    OPENERS,
    PERFECT,
    REASONS,
    WHO,
    in_past,
    is_finite,
    is_past,
    states,
)
from memory_evidence.cmc.frontends.english.questions import asks, requests
from memory_evidence.cmc.frontends.english.words import Words
from memory_evidence.cmc.frontends.sentences import word_set

_SUPPOSING: Final = word_set("if suppose supposing imagine pretend assuming assume hypothetically")
_FEELINGS: Final = word_set(
    "surprise joy delight shock relief excitement reaction face happiness horror disappointment"
)
_MANNERS: Final = v.GREETINGS | word_set("either or not bro dude man guys folks")
_SALUTES: Final = word_set(
    "hey hi hello bye goodbye morning evening night wow yeah ok okay congrats congratulations dear"
)
_AMENDING: Final = word_set("actually update correction no nope sorry wait reminder")


def says_nothing(w: Words, i: int, *, marked: bool) -> bool:
    """Whether the words from `i` to the end of the sentence assert nothing; `marked`: a question mark closes them."""
    n = len(w)
    supposed = counterfactual = False
    a = i
    exclaimed = n > 0 and w.text.startswith("!", w.ends[n - 1])
    while a < n:
        b = a
        while b < n and (w.low[b] not in v.PUNCTUATION):
            b += 1
        if b > a:
            first = _skip(w, a, b)
            if marked and w.low[first : first + 2] == ["what", "if"]:
                first += 1
            if _supposes(w, first, b) and not exclaimed:
                supposed = True
                counterfactual = w.low[first] not in ("if", "assuming", "assume") or in_past(w, first, b)
            elif not (
                _is_courtesy(w, a, b)
                or (supposed and counterfactual and _is_unreal(w, first, b))
                or asks(w, first, b, marked and b == n)
                or requests(w, first, b)
            ):
                return False
        a = b + 1
    return True


def _skip(w: Words, a: int, b: int) -> int:
    """Return the first word behind conjunctions and "please"."""
    while a < b - 1 and (w.low[a] in v.LEAD_BARE or w.low[a] in v.CONJUNCTIONS or w.low[a] in ("please", "kindly")):
        a += 1
    return a


def _is_courtesy(w: Words, a: int, b: int) -> bool:
    """Whether words `a` to `b` greet, thank, or name who is spoken to."""
    low = w.low
    if low[a] in ("thanks", "thank"):
        return "to" not in low[a:b] and v.SPEAKER.isdisjoint(low[a:b]) and not states(w, a + 1, b)
    if all(word in _MANNERS for word in low[a:b]):
        return True
    if low[0] in _AMENDING and low[1:2] not in (["problem"], ["worries"]):
        return False  # "Actually, Kim": an answer that is taken back
    if low[a] in _SALUTES and b > a + 1:
        a += 1
    elif a == 0 and not (b < len(low) and low[b] == ","):
        return False
    return b - a <= 3 and all(w.proper(at) and low[at] not in v.PRONOUNS for at in range(a, b))


def _supposes(w: Words, a: int, b: int) -> bool:
    """Whether words `a` to `b` suppose something, with or without a clause that says what would follow."""
    low = w.low
    word = low[a]
    at = a + 1
    if word == "i" and low[at : at + 1] == ["wish"] and at < b:
        word, at = "wish", at + 1
    elif word == "let" and low[at : at + 1] in (["us"], ["is"]):
        if low[at + 1 : at + 2] not in (["say"], ["suppose"], ["assume"], ["imagine"], ["pretend"]):
            return False
        word, at = "suppose", at + 2
    if word == "wish":
        if low[at : at + 1] in (["to"], ["you"], ["me"], ["us"]):
            return False
    elif word not in _SUPPOSING:
        return False
    while at < b and low[at] in ("that", "only"):
        at += 1
    if at >= b:
        return word in ("if", "hypothetically")
    if word != "if" and low[at] in WHO and low[at + 1 : at + 2] and low[at + 1] in MODALS:
        return False  # "suppose I should mention ..."
    if word == "imagine" and not _FEELINGS.isdisjoint(low[at : at + 4]):
        return False
    verb = at + 1
    if low[at] in v.PRONOUNS:
        while verb < b and (low[verb] in v.ADVERBS or low[verb] == "not"):
            verb += 1
    else:
        while verb < b and not (is_finite(w, verb, False, False) or is_past(low[verb])):
            if low[verb] in REASONS or low[verb] in WHO:
                return False
            verb += 1
        if verb >= b:
            return not states(w, at, b)
    participles = verb < b and low[verb] in PERFECT
    return not states(w, verb + 1, b, unreal=in_past(w, a, b) or word != "if", participles=participles)


def _is_unreal(w: Words, a: int, b: int) -> bool:
    """Whether words `a` to `b` say what would be."""
    for at in range(a, b):
        if w.low[at] in IRREALIS:
            return not states(w, a + (w.low[a] in OPENERS or w.low[a] == "then"), at) and not states(w, at + 1, b)
        if w.low[at] in FINITE:
            return False
    return False
