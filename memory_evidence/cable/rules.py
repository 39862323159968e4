"""The verifier without a model: accepts few pairs, each for a reason that can be read off the two texts (ours)."""

from __future__ import annotations

import re

from memory_evidence.cable.filter import content_words
from memory_evidence.cable.host import Memory

__all__ = ["rule_verdict"]

_CUE = re.compile(
    r"\b(?:because|since|so that|that'?s why|thanks to|due to|after|before|ever since|led (?:me|us|to)|inspired"
    r"|motivated|made me|made us|helped|decided|finally|again|still|remember|reminds?"
    r"|like i (?:said|mentioned)|as i said)\b",
    re.IGNORECASE,
)


def rule_verdict(memory: Memory, candidate: Memory) -> str | None:
    """Return why `candidate` is taken for an antecedent of `memory`, or None: in doubt it is not."""
    shared = [word for word in dict.fromkeys(content_words(candidate.text)) if word in set(content_words(memory.text))]
    if len(shared) < 2 or not _CUE.search(memory.text):
        return None
    return f"Both mention {', '.join(shared[:4])}, and the later one looks back."
