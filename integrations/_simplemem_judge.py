"""SimpleMem's adaptive retrieval as it is, with what its own judge said of the result; and its model, for links."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

from memory_evidence.function_model import FunctionModel
from memory_evidence.models import Message

__all__ = ["JUDGE", "gathered", "own_model", "unneeded"]

JUDGE = "_analyze_information_completeness"
"""SimpleMem's method that judges a result: "complete", or anything else."""
_PLANNED, _MISSING = 4, 3
"""Queries that SimpleMem plans at most, and that it asks its model for in each round of reflection."""


def gathered(
    retriever: Any, query: str, enable_reflection: bool | None, max_entries: int | None
) -> tuple[list[Any], list[str]]:
    """Return the entries that SimpleMem finds, and its verdicts on them in order.

    Args:
        retriever: SimpleMem's, which stays as it is: others may use it at the same time.
        query: The question.
        enable_reflection: As for SimpleMem's `retrieve`.
        max_entries: Most entries, at least 1; None: what its protocol asks for at most.
    """
    verdicts: list[str] = []
    ours = copy(retriever)
    judge = getattr(ours, JUDGE)

    def judged(*args: Any, **options: Any) -> str:
        verdicts.append(judge(*args, **options))
        return verdicts[-1]

    setattr(ours, JUDGE, judged)
    most = ours.semantic_top_k * (_PLANNED + _MISSING * ours.max_reflection_rounds)
    return ours.retrieve(query, enable_reflection)[: max_entries or most], verdicts


def unneeded(verdicts: list[str]) -> str | None:
    """Return why links are not used on a result of which this was said; None where they are."""
    if not verdicts:
        return "SimpleMem did not judge its result: planning or reflection is off"
    return "SimpleMem judged its result complete" if verdicts[-1] == "complete" else None


def own_model(system: Any) -> FunctionModel:
    """Return SimpleMem's model as one that judges links; looked up for each call, for people exchange it."""

    def ask(messages: Sequence[Message], _schema: object, temperature: float, _max_tokens: int) -> str:
        # Without a response format, which not every server of SimpleMem's takes.
        chat = [{"role": message.role, "content": message.content} for message in messages]
        return str(system.llm_client.chat_completion(chat, temperature=temperature))

    return FunctionModel("SimpleMem's model", ask)
