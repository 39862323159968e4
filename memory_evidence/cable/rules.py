"""The verifier without a model: accepts few pairs, each for a reason that can be read off the two texts (ours).

Two kinds are accepted. What was said just before is the background of what follows if the later text answers it, points
back to it or goes on about it. What lies further back needs two content words in common and a cue of time or cause.
"""

from __future__ import annotations

import re

from memory_evidence.cable.filter import content_words, spoken, statements
from memory_evidence.cable.host import Memory
from memory_evidence.cable.words import stem

__all__ = ["follows_on", "looks_back"]

LEAST_SHARED = 2
"""Content words that a memory must share with one that was not written just before."""

_SHOWN = 4
_ANSWER = re.compile(
    r"\W*(?:yes|yeah|yep|yup|no|nope|nah|sure|absolutely|definitely|exactly|totally|of course|right|true|agreed|i agree"
    r"|thanks|thank you|thx|aw+|wow|cool|nice|great|awesome|ok|okay|oh|hmm|haha|glad|sorry|congrats|same|me too|really"
    r"|sounds|well|and|but|so|because|also|then|actually)\b",
    re.IGNORECASE,
)
_BACKWARD = re.compile(
    r"\b(?:it|its|it's|that|that's|this|these|those|they|they're|them|their|there|he|she|him|her|his|ones?|so|too|also"
    r"|then|both|same|such|here)\b",
    re.IGNORECASE,
)
_CUE = re.compile(
    r"\b(?:because|since|so that|that'?s why|thanks to|due to|after|before|led|inspired|motivated|made me|helped"
    r"|decided|finally|again|still|remember|reminds?|ago|last|yesterday)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?]+")


def follows_on(memory: Memory, previous: Memory) -> str | None:
    """Return why `previous`, which was written just before `memory`, is its background, or None."""
    who, said = spoken(memory.text)
    asker, asked = spoken(previous.text)
    if "?" in asked and who != asker:
        return f"Answers what {asker or 'the one before'} had just asked."
    if shared := _shared(memory, previous):
        return f"Goes on about {', '.join(shared[:_SHOWN])}, said just before."
    if _ANSWER.match(said):
        return "Responds to what was said just before."
    if match := _BACKWARD.search("".join(_SENTENCE.findall(said)[:2])):
        return f'Points back ("{match[0].lower()}") to what was said just before.'
    return None


def looks_back(memory: Memory, candidate: Memory) -> str | None:
    """Return why `candidate`, which lies further back, is an antecedent of `memory`, or None: in doubt it is none."""
    shared = _shared(memory, candidate)
    cue = _CUE.search(" ".join(statements(memory.text)))
    if len(shared) < LEAST_SHARED or cue is None:
        return None
    return f'Looks back ("{cue[0].lower()}") on {", ".join(shared[:_SHOWN])}.'


def _shared(memory: Memory, other: Memory) -> list[str]:
    """Return the content words of `memory` that `other` holds as well, whatever their ending, without speakers."""
    held = {stem(word) for word in content_words(spoken(other.text)[1])}
    found = content_words(spoken(memory.text)[1])
    return [word for word in dict.fromkeys(found) if stem(word) in held]
