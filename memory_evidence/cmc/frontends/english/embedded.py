"""Clauses inside questions, requests and suppositions that may assert something: "Did I tell you I moved?"."""

from __future__ import annotations

from typing import Final

from memory_evidence.cmc.frontends.english import vocabulary as v
from memory_evidence.cmc.frontends.english.verbs import BASE_FORMS, HEADS
from memory_evidence.cmc.frontends.english.words import QUOTED, Words
from memory_evidence.cmc.frontends.sentences import word_set

PERFECT: Final = word_set("is are am was were have has had be been")
MODALS: Final = word_set("can could will would should shall may might must ought")
IRREALIS: Final = word_set("would could might")
_IRREGULAR: Final = word_set(
    "got won became bought went came took made gave met wed began quit sold said told found lost left had died grew "
    "fell rose broke wrote saw knew ran did"
)
FINITE: Final = (
    v.VERB_SIGNS
    | word_set("is are am was were has had does did says said")
    | (HEADS - BASE_FORMS - word_set("can cannot do does have take"))
)
WHO: Final = word_set("i we he she they")
_ACTORS: Final = WHO | word_set("it someone somebody everyone everybody nobody")
OPENERS: Final = v.PRONOUNS | v.POSSESSIVES | v.ARTICLES
"""A subject begins with one of these, or a name."""
REASONS: Final = word_set("because but although though whereas yet cause cuz")
_CONTENTS: Final = word_set(
    "fact news note message memo email idea point rumor rumour info information update claim truth word"
)
"""Behind these "that" tells what they say."""
_TIES: Final = word_set("since as so now given considering")
"""Before a subject these begin a clause that is stated: "since I live in Rome"."""
_ASKED: Final = word_set(
    "know knows remember remembers tell me us see sure recall wonder wondering guess say explain and ask decide"
)
_NOT_ROLE: Final = v.PREPOSITIONS | v.CONJUNCTIONS | word_set("of or is are was were than that")
_ROLE_REACH: Final = 4
"""Within so many words behind "my" a name says whose it is: "my old manager Carl"."""


def states(w: Words, a: int, b: int, *, unreal: bool = False, participles: bool = False) -> bool:
    """Whether a clause that may assert something begins among words `a` to `b`, behind the subject of the main one.

    Args:
        w: The words.
        a: Behind the first subject.
        b: Where to stop.
        unreal: A clause with "would" asserts nothing.
        participles: "moved", "married" and the like belong to "is" or "has" before them.
    """
    low = w.low
    asked = False  # behind "where", "whether": what follows is asked, not said
    mine = -_ROLE_REACH - 1
    for at in range(a, b):
        word = low[at]
        before, after = low[at - 1] if at else "", low[at + 1] if at + 1 < b else ""
        opens = after in OPENERS or (after != "" and w.proper(at + 1) and after not in v.TIME_WORDS)
        if word in ("i'm", "im") or word in REASONS or (word in _TIES and opens and not after[:1].isdigit()):
            return True
        if word == "that" and opens and before != "true" and before not in v.AUXILIARIES:
            if after in v.SPEAKER or before in _CONTENTS or at < 2 or low[at - 2] not in v.ARTICLES:
                return True
            asked = True  # "the company that Ann works at"
            continue
        if word in ("if", "whether") or (word in v.WH_WORDS and word != "when"):
            if at > 0 and at > a and w.proper(at - 1) and before not in v.PRONOUNS:
                return True  # "Rome, where I live"
            asked = True
        elif word == "when":
            asked = before in _ASKED
        elif word in ("anything", "anyone", "anywhere") or (word == "that" and before == "true"):
            asked = True  # "is there anything I should know"
        elif word in ("and", "or"):
            asked = False
        elif word in WHO:
            if not asked and not (unreal and after in IRREALIS):
                return True
        elif word in v.MY:
            mine = at
        elif (w.proper(at) or word == QUOTED) and 1 < at - mine <= _ROLE_REACH:
            if _NOT_ROLE.isdisjoint(low[mine + 1 : at]):
                return True  # "my manager Carl"
        elif not asked and is_finite(w, at, participles, unreal):
            return True
    return False


def is_finite(w: Words, at: int, participles: bool, unreal: bool) -> bool:
    """Whether word `at` looks like the verb of a clause of its own."""
    word = w.low[at]
    if w.proper(at) and at > 0:
        return False
    if word in MODALS:
        return not (unreal and word in IRREALIS) and w.low[at - 1] != "you"
    if word in FINITE and not (participles and not word.endswith("s")):
        return True
    before = w.low[at - 1] if at else ""
    named = before in _ACTORS or (at > 0 and w.proper(at - 1) and before not in v.QUESTION_OPENERS)
    if participles or not word.isalpha():
        return False
    if word in _IRREGULAR or (len(word) > 3 and word.endswith(("ed", "s")) and not word.endswith("ss")):
        return named or _of_speaker(w, at)
    return word == "have" and before.endswith("s")


def _of_speaker(w: Words, at: int) -> bool:
    """Whether word `at` stands right behind "my sister"."""
    return at > 1 and not v.MY.isdisjoint(w.low[at - 2 : at - 1])


def in_past(w: Words, a: int, b: int) -> bool:
    """Whether a verb among words `a` to `b` stands in the past, as it does in what is not so."""
    return any(is_past(word) for word in w.low[a:b])


def is_past(word: str) -> bool:
    """Whether `word` may be a verb in the past tense."""
    return word in _IRREGULAR or word in ("were", "was", "could") or (len(word) > 3 and word.endswith("ed"))
