"""Follow current relations from the anchors (paper section 3: breadth first, five hops, shortest depth kept)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from memory_evidence.cmc.resolve import StateGraph, Statement

MAX_HOPS = 5
"""The paper's hop limit: edges of subjects at depth 0 to 4."""

HubFilter = Callable[[str], tuple[Sequence[Statement], int] | None]
"""Given a subject key with too many edges, those to keep and how many there are; else None: keep all."""


Named = Callable[[str], Sequence[str]]
"""Given the key of an object, the subjects that it names."""


@dataclass(slots=True)
class Closure:
    """The current edges within reach, breadth first."""

    edges: list[tuple[Statement, int]] = field(default_factory=list)
    """With the depth of their subject, 0 for an anchor."""
    depths: dict[str, int] = field(default_factory=dict)
    """Shortest depth of every subject reached."""
    cap_reached: bool = False
    """Whether subjects with edges lay beyond the hop limit."""
    retractions: list[Statement] = field(default_factory=list)
    """What left slots of the subjects reached without a value."""
    hubs: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Subjects cut down by the hub filter: edges kept, edges there are."""

    @property
    def hops(self) -> int:
        """Hops used: 1 + the greatest depth of a subject with an edge; 0 for an empty closure."""
        return 1 + self.edges[-1][1] if self.edges else 0


def traverse(
    graph: StateGraph,
    anchors: Sequence[str],
    *,
    hops: int = MAX_HOPS,
    as_of: int | None = None,
    hub_filter: HubFilter | None = None,
    named: Named | None = None,
) -> Closure:
    """Return every current edge whose subject lies fewer than `hops` edges from an anchor.

    Args:
        graph: The resolved graph.
        anchors: Subject keys, depth 0.
        hops: At least 1.
        as_of: Use the state after this record instead of the latest.
        hub_filter: Cuts subjects with too many edges down; None keeps all (the paper's way).
        named: Returns the subjects that an object key stands for (aligned names); None: the subject of that key.
    """
    closure = Closure()
    depths, edges = closure.depths, closure.edges
    frontier = list(dict.fromkeys(anchors))
    for subject in frontier:
        depths[subject] = 0
    depth = 0
    while frontier and depth < hops:
        following: list[str] = []
        for subject in frontier:
            cut = None if hub_filter is None else hub_filter(subject)
            if cut is None:
                standing: Iterable[Statement] = graph.standing(subject, as_of)
            else:
                standing = cut[0]
                closure.hubs[subject] = (len(cut[0]), cut[1])
            for statement in standing:
                if statement.retracts:
                    closure.retractions.append(statement)
                    continue
                edges.append((statement, depth))
                key = statement.object_key
                for reached in (key,) if named is None else named(key):
                    if reached not in depths and reached in graph:
                        depths[reached] = depth + 1
                        following.append(reached)
        frontier = following
        depth += 1
    closure.cap_reached = any(True for subject in frontier for _ in graph.current(subject, as_of))
    return closure
