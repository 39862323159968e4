"""TallyMem's evidence in LlamaIndex's words: nodes of steps, a node of computed evidence, a receipt of plain data.

No metadata of these nodes is ever put into a prompt or an embedding: the text of a step says its number, action and
observation, and stands there exactly as the view shows it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from llama_index.core.schema import NodeWithScore, TextNode

from memory_evidence.errors import ConfigError
from memory_evidence.tallymem import Result, TallyEvidence, TallyMem
from memory_evidence.tallymem.passages import NARROW, show_step


@dataclass(frozen=True, slots=True)
class EvidenceNodes:
    """Makes the nodes of one tally.

    Raises:
        ConfigError: `tally` is no `TallyMem`, or `name` no text.
    """

    tally: TallyMem
    name: str
    """Begins every node id, so that the nodes of several trajectories can be told apart."""

    def __post_init__(self) -> None:
        if not isinstance(self.tally, TallyMem):
            raise ConfigError("tally", self.tally, "a TallyMem, such as TallyMem(Trajectory.from_pairs(...))")
        if not isinstance(self.name, str) or not self.name:
            raise ConfigError("name", self.name, "a text that is not empty")

    def shown(self, evidence: TallyEvidence) -> list[NodeWithScore]:
        """Return a node for each step of the view, in order.

        The score is 1 / (1 + distance to the nearest anchor, in steps): the order in which the paper admits steps.
        Where the question has no anchor, the newest step of the view takes its place.
        """
        view = evidence.view
        anchors = view.anchors or view.steps[-1:]
        scored = zip(view.steps, view.shown, strict=True)
        return [self._step(step, text, 1 / (1 + _distance(step, anchors))) for step, text in scored]

    def sources(self, evidence: TallyEvidence, most: int | None = None) -> list[NodeWithScore]:
        """Return a node for each step that an answer rests on, the first `most` of them.

        Those are the matched steps, or where nothing was computed the steps of the view.

        A matched step that the view does not show is cut to 1,200 characters a field, as the view would cut it.
        """
        if evidence.computed is None:
            return self.shown(evidence)[:most]
        shown = dict(zip(evidence.view.steps, evidence.view.shown, strict=True))
        trajectory = self.tally.trajectory
        return [
            self._step(step, shown.get(step) or show_step(trajectory.step(step), NARROW).text, 1.0)
            for step in matched(evidence)[:most]
        ]

    def computed(self, evidence: TallyEvidence) -> list[NodeWithScore]:
        """Return the node of computed evidence, its score 1.0; none where the router attaches none."""
        if evidence.computed is None or not evidence.attached:
            return []
        text = str(evidence.computed)
        return [_node(f"{self.name}-computed-{_digest(text)}", text, receipt(evidence), 1.0)]

    def _step(self, id: int, text: str, score: float) -> NodeWithScore:
        step, row = self.tally.trajectory.step(id), self.tally.ledger.row(id)
        metadata = {"step": id, "tool": row.tool, "outcome": row.outcome.value}
        return _node(f"{self.name}-step-{id}-{_digest(step.action, step.observation)}", text, metadata, score)


def matched(evidence: TallyEvidence) -> list[int]:
    """Return the ids of the steps that the results match, each once and in order."""
    return sorted({step for result in _results(evidence) for step in result.steps})


def receipt(evidence: TallyEvidence) -> dict[str, Any]:
    """Return what was computed and how, in types that JSON has."""
    results = _results(evidence)
    dropped = evidence.computed.dropped if evidence.computed else ()
    return {
        "route": "computed" if evidence.attached else "view",
        "operation": "; ".join(result.operation for result in results),
        "filters": "; ".join(map(_filters, results)),
        "matched_steps": matched(evidence),
        "total_steps": len(evidence.view.steps) + len(evidence.view.omitted),
        "results": [_plain(result) for result in results],
        "plan": [str(query) for query in evidence.plan.queries],
        "compiler": evidence.compiler,
        "reason": evidence.reason or "; ".join(drop.reason for drop in dropped),
    }


def _results(evidence: TallyEvidence) -> tuple[Result, ...]:
    return evidence.computed.results if evidence.computed else ()


def _plain(result: Result) -> dict[str, Any]:
    value = result.value
    return {
        "operation": result.operation,
        "filters": _filters(result),
        "scope": str(result.query.scope),
        "value": list(value) if isinstance(value, tuple) else value,
        "relaxed": result.relaxed,
        "left_open": {"outcome": result.unsure, "effect": result.commands, "scope": result.edge},
        "verified_zero": result.verified_zero,
    }


def _filters(result: Result) -> str:
    where = " and ".join(map(str, result.query.where)) or "every step"
    return f"{where}; against: {' and '.join(map(str, result.query.versus))}" if result.query.versus else where


def _node(id: str, text: str, metadata: dict[str, Any], score: float) -> NodeWithScore:
    hidden = list(metadata)
    node = TextNode(
        id_=id,
        text=text,
        metadata=metadata,
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
    )
    return NodeWithScore(node=node, score=score)


def _distance(step: int, anchors: Sequence[int]) -> int:
    at = bisect_left(anchors, step)
    return min(abs(step - anchor) for anchor in anchors[max(at - 1, 0) : at + 1])


def _digest(*parts: str) -> str:
    """Return what tells steps of one number apart, those of different trajectories that go by one name."""
    digest = sha256()
    for part in parts:
        digest.update(b"%d:" % len(part) + part.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:12]
