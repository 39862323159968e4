"""What a question gets: the reading view, the computed results, and why each is there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from typing_extensions import override

from memory_evidence.blocks import block
from memory_evidence.labels import one_line
from memory_evidence.models import Usage
from memory_evidence.tallymem.plan import Plan
from memory_evidence.tallymem.render import ranges
from memory_evidence.tallymem.results import UNTOLD, Dropped, Result
from memory_evidence.tallymem.view import View

_NOTES = "Computed over every logged step in scope, also over steps that are not shown; step ids are those of the log."
_MARKUP = re.compile(r"""["'`<>&#|\\{}\[\]:;,]""")
MOST_EVENTS = 40
"""Steps of a result that a time line shows."""


@dataclass(frozen=True, slots=True)
class Computed:
    """The results of a plan, and their text for a prompt."""

    results: tuple[Result, ...]
    load: int
    """Matched steps, summed over the results."""
    text: str
    """The results, within the budget of computed evidence."""
    dropped: tuple[Dropped, ...] = ()
    """Sub-queries that contribute nothing, and why."""
    actions: Mapping[int, str] = field(default_factory=dict)
    """What was done in the matched steps that a time line shows, by step id."""

    @override
    def __str__(self) -> str:
        return block(self.text, notes=_NOTES)


@dataclass(frozen=True, slots=True)
class TallyEvidence:
    """The evidence for one question: `str(evidence)` is what goes into a prompt."""

    question: str
    view: View
    computed: Computed | None
    """None where nothing was computed; `reason` says why."""
    attached: bool
    """The router's decision: whether the computed block is part of `str(evidence)`."""
    plan: Plan
    reason: str = ""
    compiler: str = "rules"
    """What compiled the plan: "rules" or "model"."""
    usage: Usage = field(default_factory=Usage)
    """Model use of compiling this question."""
    elapsed_ms: float = 0.0
    error: str | None = None
    """Why the log could not be read, where an adapter was told to go on (`on_error="skip"`); `reason` says so, too."""

    @override
    def __str__(self) -> str:
        view = str(self.view)
        if self.computed is None or not self.attached:
            return view
        return f"{view}\n\n{self.computed}" if view else str(self.computed)

    def explain(self) -> str:
        """Return the receipt for a person to read, one fact a line."""
        lines = [f"Question: {one_line(self.question)[:200]}"]
        if self.reason:
            lines.append(f"No computed evidence: {one_line(self.reason)}")
        lines += [f"Plan ({self.compiler}): {one_line(str(query))}" for query in self.plan.queries]
        if self.computed is not None:
            for result in self.computed.results:
                steps = ", ".join(list(ranges(result.steps))[:30]) or "none"
                note = " (relaxed)" if result.relaxed else " (verified zero)" if result.verified_zero else ""
                if result.commands:
                    note += f" ({result.commands} steps that {UNTOLD} are not counted)"
                if result.unsure or result.edge:
                    note += f" ({result.unsure + result.edge} steps leave it open)"
                value = f"; value {one_line(str(result.value))[:200]}" if result.value != result.steps else ""
                lines.append(
                    f"Result: {result.operation}, {len(result.steps)} of {result.scanned} steps{note}: {steps}{value}"
                )
            lines += [
                f"Dropped: {one_line(str(drop.query))}: {one_line(drop.reason)}" for drop in self.computed.dropped
            ]
            lines.append(
                f"Load: {self.computed.load}; computed block {'attached' if self.attached else 'not attached'}"
            )
        lines.append(f"View: {len(self.view.steps)} steps shown, {len(self.view.omitted)} omitted")
        lines.append(f"Took {self.elapsed_ms:.2f} ms, {self.usage.calls} model calls")
        return "\n".join(lines)

    def to_mermaid(self) -> str:
        """Return the matched steps with what was done in them as a Mermaid time line, one section for each result."""
        lines = ["timeline", f"  title {_label(self.question)}"]
        if self.computed is None:
            return "\n".join(lines)
        for number, result in enumerate(self.computed.results, 1):
            lines.append(f"  section {number} {_label(str(result.query.operation))}")
            shown = result.steps[:MOST_EVENTS]
            lines += [f"    step {step} : {_label(self.computed.actions.get(step, 'matched'))}" for step in shown]
            if len(result.steps) > MOST_EVENTS:
                lines.append(f"    later : {len(result.steps) - MOST_EVENTS} more steps")
        return "\n".join(lines)


def _label(text: str) -> str:
    text = one_line(text)
    text = text if len(text) <= 60 else text[:57] + "..."
    return _MARKUP.sub(" ", text).strip() or "-"
