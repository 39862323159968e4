"""How a step is shown: verbatim spans under labels of ours, each cut marked, and nothing stored that can pass for them.

Labels and marks stand at the start of a line; no line of stored text does, but for the first of a field, which follows
its label (see `memory_evidence.blocks`).
"""

from __future__ import annotations

from dataclasses import dataclass

from memory_evidence.blocks import safe_line
from memory_evidence.records import SourceRef
from memory_evidence.tallymem.archive import Field
from memory_evidence.tallymem.files import FileEvent
from memory_evidence.tallymem.trajectory import Observed, Step

WIDE = 4_000
NARROW = 1_200
BRIEF = 120
"""Characters of the action that an index record shows (ours)."""
_TAIL = 4
"""A cut field keeps its end in one part of so many (ours): there stand exit codes and error messages."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A step or an index record as it is shown."""

    text: str
    spans: tuple[SourceRef, ...]
    """The source spans in it, in order; each stands there as `safe_line(archive.text(span))`."""


def show_step(step: Step, cap: int) -> Passage:
    """Show a step with at most `cap` characters of each field."""
    lines, spans = [f"Step {step.id}"], list[SourceRef]()
    for name, label, none in (
        ("action", "Action:", "No action"),
        ("observation", "Error:" if step.observed is Observed.ERROR else "Observation:", _nothing(step)),
    ):
        text, refs = _field(step, "action" if name == "action" else "observation", cap)
        lines.append(f"{label} {text}" if refs else none)
        spans += refs
    return Passage("\n".join(lines), tuple(spans))


def is_cut(step: Step, cap: int) -> bool:
    """Whether a field of `step` is cut under this cap."""
    return max(len(step.action), len(step.observation)) > cap


def show_brief(step: Step) -> Passage:
    """Show a step as an index record: the first line of its action, up to `BRIEF` characters."""
    end = min((at for mark in "\n\r" if (at := step.action.find(mark)) >= 0), default=len(step.action))
    stop = min(end, BRIEF)
    mark = " (error)" if step.observed is Observed.ERROR else ""
    if not stop:
        return Passage(f"Step {step.id} in brief{mark}: no action", ())
    rest = " ..." if stop < len(step.action) else ""
    text = f"Step {step.id} in brief{mark}: {safe_line(step.action[:stop])}{rest}"
    return Passage(text, (SourceRef(step.id, "action", 0, stop),))


def show_file(events: tuple[FileEvent, ...]) -> Passage:
    """Show all that steps did to one file, as an index record."""
    done = ", ".join(f"{e.access} {e.step}{'' if e.confirmed else ' (attempted)'}" for e in events)
    return Passage(f"File {safe_line(events[0].path)} by step: {done}", ())


def show_gap(first: int, last: int) -> str:
    """Mark steps that are left out."""
    return f"[Step {first} left out]" if first == last else f"[Steps {first} to {last} left out]"


def _nothing(step: Step) -> str:
    if step.observed is Observed.MISSING:
        return "No observation recorded"
    return "Error without a message" if step.observed is Observed.ERROR else "Empty observation"


def _field(step: Step, name: Field, cap: int) -> tuple[str, list[SourceRef]]:
    source = step.action if name == "action" else step.observation
    size = len(source)
    if size <= cap:
        return safe_line(source), [SourceRef(step.id, name, 0, size)] if size else []
    tail = cap // _TAIL
    head = cap - tail
    mark = f"\n[{size - cap:,} characters left out]\n    "
    refs = [SourceRef(step.id, name, 0, head), SourceRef(step.id, name, size - tail, size)]
    return safe_line(source[:head]) + mark + safe_line(source[size - tail :]), refs
