"""Which memories are worth linking: a rule, no model (paper section 3.1.1 names the filter; its rules are ours).

A greeting, a thank-you or a bare question has no antecedent worth a model call, and explains nothing later on.
"""

from __future__ import annotations

import re

__all__ = ["LEAST_WORDS", "content_words", "low_information", "statements"]

LEAST_WORDS = 3
"""Different content words that the statements of a memory need."""

_SPEAKER = re.compile(r"^\s*[^\W\d_][\w .'’-]{0,39}:\s+(?=\S)")
_SENTENCE = re.compile(r"[^.!?…\n]+[.!?…]*")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FUNCTION = _words(
    "a about above after again all almost also although always am an and another any anyone anything are aren't "
    "as at away be because been before being below between both but by can can't cannot could couldn't did didn't "
    "do does doesn't doing don't down during each either else even ever every few for from further get gets "
    "getting go goes going gonna got had hadn't has hasn't have haven't having he he's her here hers herself him "
    "himself his how i i'd i'll i'm i've if in into is isn't it it'll it's its itself just let let's lot lots "
    "made make makes making many may maybe me might more most much must my myself need no nor not now of off "
    "often on once one only or other our ours ourselves out over own perhaps put quite rather really same say "
    "said see seem seems shall she she's should shouldn't so some someone something soon still such take than "
    "that that's the their theirs them themselves then there there's these they they'll they're they've thing "
    "things this those though through to today together too under until up upon us very was wasn't way we we'd "
    "we'll we're we've well were weren't what what's when where which while who whom whose why will with within "
    "without won't would wouldn't yet you you'd you'll you're you've your yours yourself"
)
_POLITE = _words(
    "absolutely agree ah aha alright amazing appreciate awesome aw aww bet bye cheers congrats congratulations "
    "cool course cute definitely exactly excellent excited fantastic feel fine glad good goodbye gosh great guess "
    "guys haha happy hear hello hey hi hmm hope hug impressive inspiring interesting keep know later like look "
    "lol looking looks love lovely luck mate nice oh ok okay perfect please pleased pretty proud right see seeing "
    "sorry sound sounds sure sweet talk tell thank thanks that'd that'll think totally true understand wait want "
    "welcome wish wonderful wow yay yeah yep yes yup"
)


def statements(text: str) -> list[str]:
    """Return the sentences of `text` that assert something: no questions, and without the name of the speaker."""
    spoken = _SPEAKER.sub("", text, count=1)
    return [sentence.strip() for sentence in _SENTENCE.findall(spoken) if not sentence.rstrip().endswith("?")]


def content_words(text: str) -> list[str]:
    """Return the folded words of `text` that carry content, in order, repeats included."""
    words = (word.replace("’", "'").casefold() for word in _WORD.findall(text))
    return [word for word in words if word not in _FUNCTION and word not in _POLITE and len(word) > 1]


def low_information(text: str, *, least: int = LEAST_WORDS) -> bool:
    """Whether `text` asserts too little to be linked.

    Args:
        text: The memory, with or without "name: " in front.
        least: Different content words that its statements need.

    Returns:
        True for greetings, thanks, questions alone and other talk. A text in a script that is written without spaces
        counts its characters, two for a word.
    """
    said = " ".join(statements(text))
    words = set(content_words(said))
    unspaced = sum(len(word) // 2 - 1 for word in words if not word.isascii() and len(word) > 3 and _is_unspaced(word))
    return len(words) + unspaced < least


def _is_unspaced(word: str) -> bool:
    return any("\u2e80" <= character <= "\u9fff" or "\u0e00" <= character <= "\u0fff" for character in word)
