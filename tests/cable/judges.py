"""A scripted model that judges as a test says, in whatever order it is asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence

from memory_evidence.errors import ModelError
from memory_evidence.models import Message
from memory_evidence.testing import ScriptedModel

MANY = 2_000
"""Replies, more than any test needs."""


def answering(accepted: Collection[tuple[str, str]], queries: Sequence[str] = ()) -> Callable[[Sequence[Message]], str]:
    """Return what answers every question: `accepted` has the texts of earlier and later memory of each true link."""

    def answer(messages: Sequence[Message]) -> str:
        asked = json.loads(messages[-1].content)
        if "earlier" in asked:
            valid = (asked["earlier"], asked["later"]) in accepted
            return json.dumps({"valid": valid, "reason": f"{asked['earlier']} is behind it." if valid else "No."})
        if '"queries"' in messages[0].content:
            return json.dumps({"queries": list(queries)})
        return json.dumps({"type": "event"})

    return answer


def judge(accepted: Collection[tuple[str, str]], queries: Sequence[str] = ()) -> ScriptedModel:
    """Return a model that accepts exactly `accepted`, and looks for `queries` behind every memory."""
    return ScriptedModel([answering(accepted, queries)] * MANY)


def down(times: int = MANY, *, retryable: bool = True) -> ScriptedModel:
    """Return a model that cannot be reached, for `times` calls."""
    return ScriptedModel([ModelError("call", "connection refused", retryable)] * times)
