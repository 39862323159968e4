"""Verdicts on pairs that are known to be candidates: by the model, or by the rules (ours)."""

from __future__ import annotations

from collections.abc import Sequence, Set

from memory_evidence.cable.host import Memory
from memory_evidence.cable.rules import follows_on, looks_back
from memory_evidence.cable.verify import read_verdict, verify_ask
from memory_evidence.errors import ModelError, ModelOutputError
from memory_evidence.models import Steps

__all__ = ["verdict_steps"]


def verdict_steps(
    memory: Memory, priors: Sequence[Memory], *, use_model: bool, just_before: Set[str]
) -> Steps[list[str | None]]:
    """Return for each of `priors` why it is an antecedent of `memory`, or None.

    Args:
        memory: The later memory.
        priors: The earlier ones.
        use_model: False: the rules judge, and no question is yielded.
        just_before: Ids of what was written just before `memory`; only the rules look at them.

    Raises:
        ModelError: The model failed, so that nothing can be said.
    """
    if not use_model:
        return [
            looks_back(memory, prior) or (follows_on(memory, prior) if prior.id in just_before else None)
            for prior in priors
        ]
    answers = yield [verify_ask(memory, prior) for prior in priors]
    for answer in answers:
        if isinstance(answer, ModelError) and not isinstance(answer, ModelOutputError):
            raise answer
    return [read_verdict(answer) for answer in answers]
