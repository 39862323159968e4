"""Measures for budgets: what a line of evidence costs."""

from __future__ import annotations

import re
from collections.abc import Callable

Measure = Callable[[str], int]
"""Returns the cost of a text in the unit of the budget; `len` counts characters."""

_PIECE = re.compile(r"[a-zA-Z]+|\d{1,3}|\s+|[^\sa-zA-Z\d]")


def approximate_tokens(text: str) -> int:
    """Estimate the tokens of `text` offline: a word counts 1 per 6 letters, any other symbol 1.

    That is on the high side for English; a tokenizer that knows little of a script may need more. Pass a tokenizer's
    own counter where the exact number matters.
    """
    return sum(1 + (len(piece) - 1) // 6 if piece.isalpha() else not piece.isspace() for piece in _PIECE.findall(text))
