"""Phrases that change nothing about what is asked.

A word such as "total" or "log" says nothing in "in total" or "in the log", and is a name in "how many times was total
edited". So it is never a filler by itself: only the phrases here are taken out, and what is left must be understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LOG = r"(?:logs?|trajector(?:y|ies)|episodes?|sessions?|histor(?:y|ies)|runs?|traces?|transcript|task|recording)"
_ACTOR = r"(?:agents?|assistants?|bots?|models?|players?)"
_WHOLE = r"(?:(?:whole|entire|full|complete|given|same)\s+)?"
_THIS = r"(?:the|this|that|its)\s+"
_COUNT = r"(?:number|count|tally|frequency|amount|total)s?"

_FILLERS = re.compile(
    "|".join(
        (
            # How much is asked for.
            r"\bin\s+(?:total|all)\b|,\s*(?:in\s+)?total\b|\A\W*(?:the\s+)?total\b|\bis\s+the\s+(?:grand\s+)?total\b",
            r"\b(?:the\s+|a\s+|an\s+)?(?:grand\s+|overall\s+|exact\s+|precise\s+|actual\s+)*"
            rf"(?:total|exact|precise|actual|overall)\s+(?={_COUNT}\b|of\b|times\b|order\b|steps?\b|[a-z]+s\b)",
            rf"\b(?:the|an?|what|which|give|report|state|and|with|find)\s+{_COUNT}(?=\s+(?:of|for|with|is)\b)",
            rf"(?:\b(?:is|was|what|which|give|report|state|find)\s+(?:the\s+)?|\A\W*|,\s*){_COUNT}"
            r"(?=\s*[?:,]|\.?\s*\Z|\s{2,})",
            r"\b(?:exactly|precisely)\s+(?=how|which|what|when|at)\b|\b(?:step|turn)\s+(?:numbers?|ids?|index|indices)\b",
            # Where it is looked for.
            rf"\b(?:in|over|during|throughout|across|within|for|from)\s+{_THIS}{_WHOLE}{_LOG}\b",
            r"\b(?:steps?|actions?|events?|calls?|turns?|course|length|end|start|beginning|rest|whole|entirety|remainder)"
            rf"\s+of\s+{_THIS}{_WHOLE}{_LOG}\b",
            rf"\b(?:do|does|did)\s+{_THIS}{_WHOLE}{_LOG}\b|\b{_THIS}{_WHOLE}(?:log|trajectory|episode|session|run)'s\b",
            rf"\b(?:within|in|inside|from)\s+{_THIS}environment\b",
            r"\b(?:at|by|until|up\s+to|to)\s+(?:any|that|this|which|what|some)\s+(?:point|moment|stage)\b(?:\s+in\s+time)?",
            # Who acts, and which of several.
            rf"\b(?:(?:do|does|did|has|have|had)\s+(?:the\s+|an?\s+)?|by\s+(?:the\s+|an?\s+)?){_ACTOR}\b",
            rf"\b(?:the\s+)?{_ACTOR}(?:'s|s')(?!\w)",
            r"\b(?<!in )(?<!on )(?<!at )(?<!per )(?<!for )(?<!during )(?:each|every)\s+(?=(?:steps?|turns?)\b)",
            r"\b(?:which|what|each|any|every)\s+ones?\b|\bones?\s+(?=(?:where|that|which|in|at|when)\b)",
            r"\b(?:each|every|any|which|what|all)\s+(?:individual|particular|specific|given|single)\b",
            r"\b(?:kind|type|sort)s?\s+of\b|\b(?:action|tool|command)\s+types?\b",
            r"\b(?:list|give|show|name|report|tell|count|of|at|find|identify|enumerate|me|over|across|what|which|are)\s+"
            r"all\b",
        )
    ),
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(r"[\w./@+-]\Z")
_NAME_AFTER = re.compile(r"[./@+-]\w|[_/]")


def filler_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of `text` that say nothing about what is asked."""
    for match in _FILLERS.finditer(text):
        # A word of a file's name ("total.py", "/log/a") is none.
        if not _NAME_BEFORE.search(text, 0, match.start()) and not _NAME_AFTER.match(text, match.end()):
            yield match.span()
