"""Which memories are worth linking: a rule, no model (paper section 3.1.1 names the filter; its rules are ours).

A greeting, a thank-you or a bare question has no antecedent worth a model call, and explains nothing later on.
"""

from __future__ import annotations

import re

from memory_evidence.cable.words import FUNCTION_WORDS, POLITE_WORDS, words

__all__ = ["LEAST_WORDS", "content_words", "low_information", "spoken", "statements"]

LEAST_WORDS = 2
"""Different content words that the statements of a memory need."""

_SPEAKER = re.compile(r"\s*([^\W\d_][\w .'’-]{0,39}):\s+(?=\S)")
_SENTENCE = re.compile(r"[^.!?…\n。！？]+[.!?…。！？]*")
_LISTENER = frozenset(("you", "you're", "you've", "you'll", "you'd", "your", "yours", "yourself"))
_SPEAKERS = frozenset(
    ("i", "i'm", "i've", "i'd", "i'll", "me", "my", "mine", "myself", "we", "we're", "we've", "we'll", "us", "our")
)
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff]")


def spoken(text: str) -> tuple[str, str]:
    """Return the name in front of a turn ("Ann: ..."), or "", and what was said."""
    match = _SPEAKER.match(text)
    return (match[1].strip(), text[match.end() :]) if match else ("", text)


def statements(text: str) -> list[str]:
    """Return the sentences of `text` that assert something: no questions, and without the name of the speaker."""
    said = (sentence.strip() for sentence in _SENTENCE.findall(spoken(text)[1]))
    return [sentence for sentence in said if sentence and not sentence.endswith(("?", "？"))]


def content_words(text: str) -> list[str]:
    """Return the words of `text` that carry content, in lower case, without possessives, in order, with repeats."""
    found = (word.removesuffix("'s") for word in words(text) if word not in FUNCTION_WORDS)
    return [word for word in found if word not in FUNCTION_WORDS and word not in POLITE_WORDS and len(word) > 1]


def low_information(text: str, *, least: int = LEAST_WORDS) -> bool:
    """Whether `text` asserts too little to be linked: greetings, thanks, praise, questions alone.

    Args:
        text: The memory, with or without "name: " in front.
        least: Different content words that its statements need; statements about the one spoken to do not count. Two
            characters of a script that is written without spaces count as one word.
    """
    said = " ".join(sentence for sentence in statements(text) if not _is_about_listener(sentence))
    spaced = {word for word in content_words(said) if not _UNSPACED.search(word)}
    return len(spaced) + len(set(_UNSPACED.findall(said))) // 2 < least


def _is_about_listener(sentence: str) -> bool:
    held = set(words(sentence))
    return not held.isdisjoint(_LISTENER) and held.isdisjoint(_SPEAKERS)
