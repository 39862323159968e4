"""What stands around a question: courtesies, where to look, and how to answer. None of it changes what is asked."""

from __future__ import annotations

import re

from memory_evidence.tallymem.phrases import QUOTED, SIGNED
from memory_evidence.tallymem.wording import WORD, words

# What is said around a question, and short forms of its words.
_AROUND = re.compile(
    r"\b(?:take|takes|took|taken|taking)\s+place\b|"
    r"^\s*(?:question\s*:\s*)?(?:please\s+)?(?:(?:can|could|would|will)\s+you\s+(?:please\s+)?)?"
    r"(?:(?:i(?:'d|\s+would)\s+like|i\s+want|i\s+need)\s+to\s+know\s+)?"
    r"|\b(?:according\s+to|based\s+on|looking\s+at|given|judging\s+by)\s+(?:the|this)\s+(?:(?:entire|whole|full)\s+)?"
    r"(?:log|logs|trajectory|history|record|records|trace|episode|run)\b\s*,?"
    r"|\b(?:the\s+)?(?:names|paths)\s+of\s+(?=(?:the|all)\b)"
    r"|\b(?:over|during|in|throughout)\s+the\s+(?:(?:entire|whole|full)\s+)?(?:course|length)\s+of\b"
    r"|\b(?:from|since)\s+the\s+(?:very\s+)?(?:beginning|start)\b(?:\s+of\s+the\s+(?:log|trajectory|episode|run)\b)?"
    r"|\bend(?:s|ed)?\s+up(?=\s+\w+ing\b)"
    r"|\b(?<!was )(?<!were )(?<!is )(?<!to )(?:got|gets)(?=\s+\w+(?:ed|en)\b)|,?\s*\bplease\b"
    r"|\b(?:considering|counting|looking\s+at)\s+only\b|\bonly\s+(?:considering|counting)\b|,\s*counting(?=\s+steps)",
    re.IGNORECASE,
)
_YOU, _YOUR = re.compile(r"\byou\b", re.IGNORECASE), re.compile(r"\byour\b", re.IGNORECASE)
"""The agent, where it is asked about its own log."""
_GET = re.compile(r"(\b(?:did|does|do)\b[^?.;]*?)\bget(?=\s+\w+(?:ed|en)\b)", re.IGNORECASE)
_SHORT = re.compile(r"\b(what|which|where|when|who|how)'s\b", re.IGNORECASE)
_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d\u2032\u00a0", "''\"\"' ")
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z(\[])")
_FORMAT = re.compile(
    r"\s*\(?(?:please\s+)?(?:answer|give|respond|reply|return|output|report|write|state|use|format)\b", re.IGNORECASE
)
_FORMAT_WORDS = words(
    """
    please answer give respond reply return output report write state use format with an a the as integer integers
    number numbers single one only just name names comma separated comma-separated list of step steps turn or none
    if there are is no id ids in ascending order whole digit digits word plain your final be should nothing else
    exactly it its by location path file by
    """
)


def unframed(question: str) -> str:
    """Return `question` without what stands around it, its quotes and short forms written out."""
    asked = _without_format(_without_courtesies(question.translate(_QUOTES)))
    return _GET.sub(r"\1", _SHORT.sub(r"\1 is", asked))


def _without_courtesies(question: str) -> str:
    return _outside_names(
        _YOUR, "the agent's", _outside_names(_YOU, "the agent", _outside_names(_AROUND, " ", question))
    )


def _outside_names(pattern: re.Pattern[str], said: str, question: str) -> str:
    """Return `question` with `said` for what `pattern` finds, but within quotes and names with a dot."""
    named = [match.span() for names in (QUOTED, SIGNED) for match in names.finditer(question)]

    def put(match: re.Match[str]) -> str:
        return match[0] if any(start < match.end() and match.start() < stop for start, stop in named) else said

    return pattern.sub(put, question)


def _without_format(question: str) -> str:
    """Return the question without sentences that only say how to answer it."""
    sentences = _SENTENCE.split(question.strip())
    kept = [sentence for sentence in sentences if not _is_format(sentence)]
    return " ".join(kept) if kept else question


def _is_format(sentence: str) -> bool:
    if not _FORMAT.match(sentence):
        return False
    return all(word.casefold() in _FORMAT_WORDS for word in WORD.findall(sentence))
