"""What no count answers: causes, advice, suppositions, and how far two events lie apart."""

from __future__ import annotations

import re

from memory_evidence.tallymem.bounds import Unread

_EXPLAINING = re.compile(
    r"\b(?:why|explain|explains|explanation|because|reasons?|should|would|could|might|if|suggest|recommend"
    r"|advice|advise|improve"
    r"|better|best|strateg(?:y|ies|ic)|imply|implies|implication|infer(?:red)?|purpose|significan(?:t|ce)"
    r"|counterfactual"
    r"|hypothetical(?:ly)?|suppose|assuming|instead|predict|understand(?:ing)?|root\s+cause|lesson|critical"
    r"|justify|describe"
    r"|summari[sz]e|compare)\b|\bhow\s+(?:did|does|do|can|was|were|is)\b(?!.*\b(?:chang|evolv|interact))"
    r"|\bwhat\s+(?:caused|led|enabled|motivated)\b",
    re.IGNORECASE,
)
_CAUSING = re.compile(r"\bcaus(?:e|ed|es|ing|al)\b", re.IGNORECASE)
_TAKES = re.compile(
    r"\bhow\s+many\s+(?:steps|turns|actions)\s+(?:did|does)\s+it\s+take\b|\bhow\s+long\b"
    r"|\bhow\s+many\s+(?:steps|turns|actions)\s+(?:after|before|later|between)\b",
    re.IGNORECASE,
)
_STATED = re.compile(r"[.!]\s+(?=[A-Z(\[])")


def check_asked(text: str) -> None:
    """Refuse a question that no count answers.

    Raises:
        Unread: It is one.
    """
    if match := _EXPLAINING.search(text):
        raise _explains(match)
    if _STATED.search(text):
        raise Unread("a sentence in front of the question is not read")
    if _TAKES.search(text):
        raise Unread("distances between events are not computed")


def check_causes(text: str) -> None:
    """Refuse a question for a cause; what changed, and what caused the change, is read before.

    Raises:
        Unread: It is one.
    """
    if match := _CAUSING.search(text):
        raise _explains(match)


def _explains(match: re.Match[str]) -> Unread:
    return Unread(f"not a question of counting, grouping, ordering or listing ({match[0].strip()!r})")
