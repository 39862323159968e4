"""Whether a question asks for a cause (English), so that what came after cannot be its answer (ours)."""

from __future__ import annotations

import re

__all__ = ["asks_for_cause"]

_CAUSE = re.compile(
    r"\b(?:why|how come|reasons?|what (?:led|made|caused|drove|inspired|motivated|prompted))\b", re.IGNORECASE
)


def asks_for_cause(question: str) -> bool:
    """Return whether `question` has the words of one that asks why."""
    return _CAUSE.search(question) is not None
