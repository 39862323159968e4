"""Words of a text without a model or language pack: those that carry content, and those a query shares (ours)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping
from itertools import chain

__all__ = ["FUNCTION_WORDS", "POLITE_WORDS", "TIME_WORDS", "shared_words", "stem", "words"]

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
# Scripts that are written without spaces: each of their characters counts as a word.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff"
_UNIT = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])[^\W_])+")
_SPACED = re.compile(r"[^\W_]+")
_LONE = re.compile(rf"[{_UNSPACED}]\Z")
_ENDINGS = ("ings", "ing", "ies", "ied", "ed", "es", "s", "ly", "e", "y")


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION_WORDS = _listed(
    "a about above after again all almost also although always am an and another any anyone anything are aren't as at "
    "away be because been before being below between both but by can can't cannot could couldn't did didn't do does "
    "doesn't doing don't down during each either else even ever every few for from further get gets getting go goes "
    "going gonna got had hadn't has hasn't have haven't having he he's her here hers herself him himself his how i "
    "i'd i'll i'm i've if in into is isn't it it'll it's its itself just let let's lot lots made make makes making "
    "many may maybe me might more most much must my myself need no nor not now of off often on once one only or other "
    "our ours ourselves out over own perhaps put quite rather really same say said see seem seems shall she she's "
    "should shouldn't so some someone something soon still such take than that that's the their theirs them "
    "themselves then there there's these they they'll they're they've thing things this those though through to today "
    "together too under until up upon us very was wasn't way we we'd we'll we're we've well were weren't what what's "
    "when where which while who whom whose why will with within without won't would wouldn't yet you you'd you'll "
    "you're you've your yours yourself"
)
"""English words that say nothing about what a text is about."""
POLITE_WORDS = _listed(
    "absolutely agree ah aha alright amazing appreciate awesome aw aww bet bye cheers congrats congratulations cool "
    "course cute definitely exactly excellent excited fantastic feel fine glad good goodbye gosh great guess guys "
    "haha happy hear hello hey hi hmm hope hug impressive inspiring interesting keep know later like look lol looking "
    "looks love lovely luck mate nice oh ok okay perfect please pleased pretty proud right see seeing sorry sound "
    "sounds sure sweet talk tell thank thanks that'd that'll think totally true understand wait want welcome wish "
    "wonderful wow yay yeah yep yes yup"
)
"""English words of greeting, thanks, praise and agreement."""
TIME_WORDS = _listed(
    "afternoon afternoons april august autumn birthday christmas date day days december easter evening evenings fall "
    "february friday fridays hour hours january july june last march minute minutes moment monday mondays month months "
    "morning mornings next night nights noon november october past saturday saturdays season semester september "
    "spring summer sunday sundays term thursday thursdays time times today tomorrow tuesday tuesdays wednesday "
    "wednesdays week weekday weekend weekends weeks winter winters year years yesterday"
)
"""English words that say when something was: sharing one makes no connection, and "this winter" points at none."""


def words(text: str) -> list[str]:
    """Return the words of `text` in order, in lower case with typewriter apostrophes; function words included."""
    return [word.replace("’", "'").lower() for word in _WORD.findall(text)]


def shared_words(query: str, texts: Mapping[str, str]) -> dict[str, float]:
    """Return how much of a query's words each text holds, the rarer among these texts the more it counts.

    A word is held also with another English ending ("paints", "painting"). The weight of a word that `n` of `N` texts
    hold is `ln(1 + (N - n + 0.5) / (n + 0.5))`, that of Lucene's BM25.

    Returns:
        A share in [0, 1] for each key of `texts`: 1 where the text holds every word, 0 for a query without words.
    """
    stems = {stem(word) for word in _units(query.lower()) if word not in FUNCTION_WORDS}
    stems = {stem for stem in stems if len(stem) > 1 or _LONE.match(stem) or stem.isdigit()}
    if not stems:
        return dict.fromkeys(texts, 0.0)
    spellings = {stem + ending: stem for ending in (*_ENDINGS, "") for stem in stems}
    spelled = frozenset(spellings)
    held: dict[str, set[str]] = {}
    for key, text in texts.items():
        lowered = text.lower()
        if _holds_any(lowered, stems):  # most texts hold none, and this is quicker told
            held[key] = {spellings[unit] for unit in spelled.intersection(_units(lowered))}
    counts = Counter(chain.from_iterable(held.values()))
    weights = {stem: math.log(1 + (len(texts) - counts[stem] + 0.5) / (counts[stem] + 0.5)) for stem in stems}
    total = sum(weights.values())
    return {key: sum(weights[stem] for stem in held.get(key, ())) / total for key in texts}


def stem(word: str) -> str:
    """Return `word` without a possessive, and without a plural or verb ending that leaves at least three letters."""
    word = word.removesuffix("'s")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and word.isascii():
            return word[: -len(ending)]
    return word


def _holds_any(text: str, parts: Collection[str]) -> bool:
    # Not `any` of a generator, which takes longer to make than this takes.
    for part in parts:  # noqa: SIM110
        if part in text:
            return True
    return False


def _units(lowered: str) -> list[str]:
    return _SPACED.findall(lowered) if lowered.isascii() else _UNIT.findall(lowered)
