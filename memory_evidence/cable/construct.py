"""Finds the antecedents of a new memory: type, queries, dual retrieval, subtraction, verification (paper section 3.1).

The engine yields its questions to the model (`memory_evidence.models.run` drives it); the caller says where prior
memories are searched, and stores what is accepted. Nothing about older memories is computed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_evidence.blocks import holds_block
from memory_evidence.cable.classify import MemoryType, keyword_type, read_type, type_ask
from memory_evidence.cable.filter import low_information
from memory_evidence.cable.host import Hit, Memory
from memory_evidence.cable.priors import FindPriors
from memory_evidence.cable.queries import MOST_QUERIES, queries_ask, read_queries, template_queries
from memory_evidence.cable.rules import follows_on, looks_back, one_sitting
from memory_evidence.cable.verify import read_verdict, verify_ask
from memory_evidence.errors import ConfigError, ModelError, ModelOutputError
from memory_evidence.models import Answer, Steps

__all__ = ["READ_BEFORE", "Accepted", "LinkOptions", "Linking", "link_steps"]

READ_BEFORE = 8
"""Memories written just before that are worth handing to `link_steps`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkOptions:
    """Bounds of link construction, and the paper's ablations."""

    direct_k: int = 10
    """Direct neighbours (Kb), at least 0."""
    antecedent_k: int = 5
    """Hits of each query (Kh), at least 1."""
    queries: int = MOST_QUERIES
    """Queries for one memory (Nq), at least 1."""
    subtract: bool = True
    """Whether direct neighbours are no candidates; off: the ablation without subtraction."""
    verify: bool = True
    """Whether each candidate is verified; off: the ablation that links every candidate."""
    generic_queries: bool = False
    """Whether the model is asked for topics instead of antecedents: the ablation of the queries."""
    previous: int = 2
    """Substantive memories written just before that the rules look at, at least 0."""
    rules_beside_model: bool = False
    """Whether the rules link what was written just before also where a model judges (ours); no more calls."""

    def __post_init__(self) -> None:
        for name, least in (("direct_k", 0), ("antecedent_k", 1), ("queries", 1), ("previous", 0)):
            if getattr(self, name) < least:
                raise ConfigError(name, getattr(self, name), f"at least {least}")


@dataclass(frozen=True, slots=True)
class Accepted:
    """A prior memory that was accepted as an antecedent."""

    prior: Memory
    reason: str
    verifier: str
    """What judged it: "model", "rules", or "none" where verification was off."""


@dataclass(frozen=True, slots=True)
class Linking:
    """What was found for one memory, and how."""

    memory: Memory
    verifier: str
    """What judged the candidates of the queries, as in `Accepted`."""
    memory_type: MemoryType | None = None
    """None for a memory that was skipped."""
    queries: tuple[str, ...] = ()
    direct: tuple[str, ...] = ()
    """Ids of the prior memories nearest to the memory itself, best first (B)."""
    candidates: tuple[str, ...] = ()
    """Ids of the prior memories that were judged: those that the queries found, best first (C), then what was written
    just before, where the rules looked at it."""
    accepted: tuple[Accepted, ...] = ()
    rejected: int = 0
    """Those of them that were not accepted."""
    skipped: str | None = None
    """Why no candidate was looked for; None where one was."""


def link_steps(
    memory: Memory,
    find: FindPriors,
    *,
    options: LinkOptions,
    use_model: bool,
    before: Sequence[Memory] = (),
) -> Steps[Linking]:
    """Find the antecedents of `memory` among the memories that were written before it.

    Args:
        memory: The new memory; it need not be in the host yet.
        find: Searches those memories; called once, with the memory's own text and its queries.
        options: Bounds and ablations.
        use_model: False: keyword types, template queries and the rule verifier, and no question is yielded.
        before: What was written just before `memory`, the nearest last: `READ_BEFORE` of them are enough. Only the
            rules look at them; empty where it is not known.

    Yields:
        One question for the type, one for the queries, then one for each surviving candidate, together: no more than
        2 + candidates calls. An answer that cannot be read is replaced by keywords or templates; an unread verdict is
        a no.

    Raises:
        HostError: The host failed.
        ModelError: The model cannot be reached, so that the memory should be tried again later.
    """
    verifier = ("model" if use_model else "rules") if options.verify else "none"
    if low_information(memory.text):
        return Linking(memory, verifier, skipped="too little information")
    if holds_block(memory.text):
        return Linking(memory, verifier, skipped="it holds evidence that was recalled from memory")
    if use_model:
        (answer,) = yield [type_ask(memory)]
        memory_type = read_type(_readable(answer), memory)
        (answer,) = yield [queries_ask(memory, memory_type, most=options.queries, generic=options.generic_queries)]
        queries = read_queries(_readable(answer), memory, memory_type, most=options.queries)
    else:
        memory_type = keyword_type(memory.text)
        queries = template_queries(memory.text, memory_type, most=options.queries)
    direct, *behind = find([(memory.text, options.direct_k), *((query, options.antecedent_k) for query in queries)])
    candidates = _candidates(memory, direct, behind, options)
    if not options.verify:
        reasons: list[str | None] = ["not verified"] * len(candidates)
    elif use_model and candidates:
        answers = yield [verify_ask(memory, candidate) for candidate in candidates]
        reasons = [read_verdict(answer) for answer in _answered(answers)]
    else:
        reasons = [looks_back(memory, candidate) for candidate in candidates]
    judged = [(candidate, reason, verifier) for candidate, reason in zip(candidates, reasons, strict=True)]
    if verifier == "rules" or options.rules_beside_model:
        recent = _previous(before, memory, options.previous)
        known = {prior.id for prior, reason, _ in judged if reason is not None}
        judged += [(m, follows_on(memory, m, recent), "rules") for m in recent if m.id not in known]
    accepted = tuple(Accepted(prior, reason, judge) for prior, reason, judge in judged if reason is not None)
    return Linking(
        memory,
        verifier,
        memory_type,
        queries,
        tuple(hit.memory.id for hit in direct),
        tuple(candidate.id for candidate, _, _ in judged),
        accepted,
        len(judged) - len(accepted),
    )


def _previous(before: Sequence[Memory], memory: Memory, count: int) -> list[Memory]:
    """Return the last `count` substantive memories of its sitting written before `memory`, the nearest last."""
    recent = [m for m in before if m.id != memory.id and one_sitting(memory, m) and not low_information(m.text)]
    return recent[max(0, len(recent) - count) :]


def _readable(answer: Answer) -> Answer:
    if isinstance(answer, ModelError) and not isinstance(answer, ModelOutputError):
        raise answer
    return answer


def _answered(answers: Sequence[Answer]) -> Sequence[Answer]:
    """Return `answers`, unless the model may do better later: a call worth repeating failed, or none succeeded."""
    failed = [a for a in answers if isinstance(a, ModelError) and not isinstance(a, ModelOutputError)]
    again = next((error for error in failed if error.retryable), None)
    if again is not None or len(failed) == len(answers) > 0:
        raise again or failed[0]
    return answers


def _candidates(
    memory: Memory, direct: Sequence[Hit], behind: Sequence[Sequence[Hit]], options: LinkOptions
) -> list[Memory]:
    """Return the antecedent hits that direct search does not find, each once, by its best score (C = H minus B)."""
    best: dict[str, tuple[float, int, Memory]] = {}
    for hits in behind:
        for place, hit in enumerate(hits):
            # A host without scores still has an order.
            ranked = (hit.score if hit.score is not None else float("-inf"), -place, hit.memory)
            if hit.memory.id not in best or ranked[:2] > best[hit.memory.id][:2]:
                best[hit.memory.id] = ranked
    near = {hit.memory.id for hit in direct} if options.subtract else set()
    ranked_hits = sorted(best.items(), key=lambda item: item[1][:2], reverse=True)
    return [
        found
        for memory_id, (_, _, found) in ranked_hits
        if memory_id not in near and found.text != memory.text and not low_information(found.text)
    ]
