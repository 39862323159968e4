"""What a read returns: the evidence, what it rests on, and a receipt of how it was chosen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from typing_extensions import override

from memory_evidence.blocks import block
from memory_evidence.labels import chart_label, one_line
from memory_evidence.models import Usage

Order = Literal["source", "path"]
"""Records in the order they were told (the paper's way), or edges in the order they connect (ours)."""


# Tuples, for every read makes dozens of these, and a frozen dataclass takes three times as long to make.
class Edge(NamedTuple):
    """One current fact that was selected."""

    subject: str
    relation: str
    object: str
    position: int
    """The record that states it (the last one that confirmed it)."""
    depth: int
    """Edges between its subject and an anchor: 0 for a subject that the question names."""


class Superseded(NamedTuple):
    """An earlier value of a selected slot."""

    subject: str
    relation: str
    object: str
    position: int
    by: int
    """Position of the record that ended it."""


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of the history of one slot in which one value held."""

    value: str
    since: int
    """Position of the record that first stated it."""
    confirmed: int
    """Position of the last record that stated it."""
    until: int | None
    """Position of the record that ended it; None while it is current."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """How the evidence of one read was chosen, and what was left out."""

    anchors: tuple[str, ...] = ()
    """Subjects that the question names."""
    hops: int = 0
    """Hops used."""
    cap_reached: bool = False
    """Whether more edges lay beyond the hop limit."""
    overflow: int = 0
    """Records that were selected but did not fit into the budget."""
    fallback: Literal["history"] | None = None
    """"history": nothing was selected, and the newest records are shown instead."""
    superseded: tuple[Superseded, ...] = ()
    """Earlier values of the selected slots, and what replaced them."""
    retracted: tuple[int, ...] = ()
    """Records shown because they say that a value no longer holds and nothing took its place."""
    hubs: tuple[tuple[str, int, int], ...] = ()
    """Subjects with too many edges: name, edges kept, edges there were."""
    unresolved: int = 0
    """Unresolved records among those shown."""
    pending: int = 0
    """Records that the model has not read yet; they count as unresolved."""
    earlier: bool = False
    """Whether the question asks for earlier values, so that superseded records are shown, marked."""
    as_of: int | None = None
    elapsed_ms: float = 0.0
    error: str | None = None
    """Why there is no evidence, where an adapter was told to go on without it."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The records that answer one question, ready for a prompt: `str(evidence)` is the block to put there."""

    question: str
    text: str
    """The numbered records alone, one line or more each."""
    positions: tuple[int, ...]
    """Positions of exactly the records in `text`, in the order shown."""
    edges: tuple[Edge, ...]
    """The selected facts, nearest to the question first, whether or not their record fitted."""
    receipt: Receipt = field(default_factory=Receipt)
    order: Order = "source"

    def __bool__(self) -> bool:
        return bool(self.text)

    @override
    def __str__(self) -> str:
        notes = "Current state, each record numbered in the order it was told."
        if self.receipt.fallback:
            notes = "Nothing in memory matched the question; these are the newest records, in the order they were told."
        if "[superseded by " in self.text:
            notes += " A value in [superseded by N: ...] no longer holds; record N replaced it."
        return block(self.text, notes=notes)

    def explain(self) -> str:
        """Return the receipt for a person to read, one fact a line."""
        receipt = self.receipt
        lines = [f"Question: {one_line(self.question[:200])}"]
        if receipt.error:
            lines.append(f"No evidence: {one_line(receipt.error)}")
        lines.append(f"Anchors: {', '.join(map(one_line, receipt.anchors)) or 'none'}")
        shown = set(self.positions)
        for edge in self.edges:
            left_out = "" if edge.position in shown else ", did not fit"
            lines.append(f"{'  ' * edge.depth}{_arrow(edge)}  [record {edge.position}{left_out}]")
        lines += [
            f"Superseded: {_arrow(old)} [record {old.position}], by record {old.by}" for old in receipt.superseded
        ]
        if receipt.retracted:
            lines.append(f"No longer holds: records {', '.join(map(str, receipt.retracted))}")
        lines += [f"Hub: {one_line(name)} kept {kept} of {total} edges" for name, kept, total in receipt.hubs]
        if receipt.cap_reached:
            lines.append(f"Hop limit: more edges lie beyond {receipt.hops} hops")
        if receipt.overflow:
            lines.append(f"Budget: {receipt.overflow} records did not fit")
        if receipt.fallback:
            lines.append("Fallback: nothing was selected, so the newest records are shown")
        if receipt.unresolved or receipt.pending:
            lines.append(
                f"Unresolved records shown: {receipt.unresolved}; not yet read by the model: {receipt.pending}"
            )
        lines.append(f"Records shown: {len(self.positions)} in {receipt.elapsed_ms:.2f} ms")
        return "\n".join(lines)

    def to_mermaid(self) -> str:
        """Return the selected path as a Mermaid flow chart; superseded values hang on dotted lines."""
        names: dict[str, str] = {}

        def node(name: str) -> str:
            if name not in names:
                names[name] = f"n{len(names)}"
                lines.append(f'  {names[name]}["{chart_label(name)}"]')
            return names[name]

        lines = ["flowchart LR"]
        for edge in self.edges:
            source, target = node(edge.subject), node(edge.object)
            lines.append(f'  {source} -->|"{chart_label(edge.relation)} ({edge.position})"| {target}')
        for old in self.receipt.superseded:
            source, target = node(old.subject), node(old.object)
            lines.append(f'  {source} -.->|"until {old.by}: {chart_label(old.relation)}"| {target}')
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Added:
    """What one `add` did."""

    positions: tuple[int, ...]
    """Position of each item given, in order; an item whose key was known has its old position."""
    facts: int = 0
    """Facts read from the new records."""
    unresolved: int = 0
    """New records that were kept whole because something in them could not be read."""
    pending: int = 0
    """Records that still wait for the model, because it failed; the next `add` or `compile` tries again."""
    usage: Usage = field(default_factory=Usage)


def _arrow(fact: Edge | Superseded) -> str:
    return one_line(f"{fact.subject} --{fact.relation}--> {fact.object}")
