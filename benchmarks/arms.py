"""The ways of choosing evidence that CMC is compared with, all over one and the same extraction.

Every arm sees the same records, facts and resolved graph; they differ in what they select (section 4, appendix G).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from benchmarks.retrieval import BM25, Dense
from memory_evidence.cmc.index import CompiledIndex
from memory_evidence.cmc.reading import ReadOptions, read
from memory_evidence.cmc.render import BUDGET
from memory_evidence.cmc.resolve import StateGraph, Statement
from memory_evidence.cmc.traverse import traverse

TOP = 10
"""Records that a retrieval arm shows, where it has no budget to match."""
TIGHT = 150
"""Characters of the arms `tight_nearest` and `tight_newest`: the two ways to overflow, where the budget binds."""


@dataclass(frozen=True)
class Shown:
    """The records an arm shows, in the order it shows them."""

    positions: tuple[int, ...]
    texts: tuple[str, ...]

    @property
    def text(self) -> str:
        """One line a record."""
        return "\n".join(self.texts)


class Arms:
    """All arms over one compiled history."""

    NAMES: ClassVar[tuple[str, ...]] = (
        "cmc",
        "cmc_path",
        "stale_closure",
        "prior_read_refresh",
        "latest_state",
        "all_current_facts",
        "fact_bm25",
        "fact_bm25_matched",
        "fact_dense",
        "current_bm25_top3",
        "hops_1",
        "hops_2",
        "hops_3",
        "hops_5",
        "tight_nearest",
        "tight_newest",
    )

    def __init__(self, index: CompiledIndex) -> None:
        self.index = index

    def arm(self, name: str) -> Callable[[str], Shown]:
        """Return the arm called `name`: a function from a question to what it shows."""
        if name.startswith("hops_"):
            return lambda question: self._cmc(question, hops=int(name[5:]))
        if name.startswith("tight_"):
            return lambda question: self._cmc(question, budget=TIGHT, overflow=name[6:])
        found: dict[str, Callable[[str], Shown]] = {
            "cmc": self._cmc,
            "cmc_path": lambda question: self._cmc(question, order="path"),
            "stale_closure": self._stale_closure,
            "prior_read_refresh": self._prior_read_refresh,
            "latest_state": self._latest_state,
            "all_current_facts": self._all_current_facts,
            "fact_bm25": lambda question: self._records(row + 1 for row in self._bm25.top(question, TOP)),
            "fact_bm25_matched": self._bm25_matched,
            "fact_dense": lambda question: self._records(row + 1 for row in self._dense.top(question, TOP)),
            "current_bm25_top3": lambda question: self._records(
                self._current[row] for row in self._current_bm25.top(question, 3)
            ),
        }
        return found[name]

    def _cmc(
        self, question: str, *, hops: int = 5, order: str = "source", budget: int = BUDGET, overflow: str = "nearest"
    ) -> Shown:
        how = options(hops=hops, order=order, budget=budget, overflow=overflow)
        evidence = read(self.index, question, how, None)
        return self._records(evidence.positions, keep_order=True)

    def _stale_closure(self, question: str) -> Shown:
        """Traverse the current graph, then show the value before the latest of every selected key."""
        closure = traverse(self.index.graph, self.index.anchors.find(question))
        return self._records(self._prior(statement).position for statement, _ in closure.edges)

    def _prior_read_refresh(self, question: str) -> Shown:
        """Traverse the graph before each key's last change, then show the current value of the keys it selected."""
        closure = traverse(self._prior_graph, self.index.anchors.find(question))
        current = (statement.slot.current() for statement, _ in closure.edges)
        return self._records(statement.position for statements in current for statement in statements)

    def _latest_state(self, question: str) -> Shown:
        """Show the newest current facts that fit the budget, whatever the question."""
        del question
        left, kept = BUDGET, []
        for position in reversed(self._current):
            left -= len(self.index.text(position)) + len(f"{position}. ") + 1
            if left < 0:
                break
            kept.append(position)
        return self._records(kept)

    def _all_current_facts(self, question: str) -> Shown:
        del question
        return self._records(self._current)

    def _bm25_matched(self, question: str) -> Shown:
        count = len(self._cmc(question).positions)
        return self._records(row + 1 for row in self._bm25.top(question, count))

    def _records(self, positions: Iterable[int], *, keep_order: bool = False) -> Shown:
        found = list(positions)
        ordered = tuple(found) if keep_order else tuple(sorted(set(found)))
        return Shown(ordered, tuple(self.index.text(position) for position in ordered))

    def _prior(self, statement: Statement) -> Statement:
        statements = statement.slot.statements
        earlier = [s for s in statements if not s.retracts and s.object_key != statement.object_key]
        return earlier[-1] if earlier else statement

    @cached_property
    def _prior_graph(self) -> StateGraph:
        graph = StateGraph()
        for subject in self.index.graph.subjects():
            for statement in self.index.graph.current(subject):
                graph.add(self._prior(statement))
        return graph

    @cached_property
    def _current(self) -> list[int]:
        graph = self.index.graph
        return sorted({statement.position for subject in graph.subjects() for statement in graph.current(subject)})

    @cached_property
    def _bm25(self) -> BM25:
        return BM25(self.index.texts)

    @cached_property
    def _current_bm25(self) -> BM25:
        return BM25([self.index.text(position) for position in self._current])

    @cached_property
    def _dense(self) -> Dense:
        return Dense(self.index.texts)


def options(*, hops: int = 5, order: str = "source", budget: int = BUDGET, overflow: str = "nearest") -> ReadOptions:
    """Return the read options of an arm; all but the arguments as `ContractMemory` has them."""
    return ReadOptions(
        hops=hops,
        budget=budget,
        measure=len,
        order="path" if order == "path" else "source",
        overflow="newest" if overflow == "newest" else "nearest",
        unresolved_limit=None,
        earlier=True,
        fallback="history",
    )
