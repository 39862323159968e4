"""A trajectory that grows, with what is built of it: its ledger, the rules that know its words, its index of views."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence

from memory_evidence.errors import InputError
from memory_evidence.tallymem.annotate import Said, annotated
from memory_evidence.tallymem.archive import Archive
from memory_evidence.tallymem.ledger import Ledger
from memory_evidence.tallymem.receipts import Receipt
from memory_evidence.tallymem.rows import Row
from memory_evidence.tallymem.rules import RuleCompiler
from memory_evidence.tallymem.trajectory import Step, Trajectory
from memory_evidence.tallymem.view import ReadingIndex


class LiveTrajectory:
    """The steps of one trajectory and what is built of them, all of one state; safe to share between threads."""

    def __init__(
        self,
        trajectory: Trajectory,
        *,
        receipts: Sequence[Receipt],
        tool_prefixes: Sequence[str],
        new_index: Callable[[Trajectory], ReadingIndex],
    ) -> None:
        """Build everything of `trajectory`.

        Args:
            trajectory: The steps so far.
            receipts: As for `Ledger`.
            tool_prefixes: As for `Ledger`.
            new_index: Makes the index of views.

        Raises:
            InputError: `trajectory` is none.
        """
        if not isinstance(trajectory, Trajectory):
            raise InputError("the trajectory", trajectory, "a Trajectory; see Trajectory.from_pairs and its siblings")
        self._receipts, self._prefixes = tuple(receipts), tuple(tool_prefixes)
        self._new_index = new_index
        self._lock = threading.RLock()
        self._begin(trajectory)

    @property
    def trajectory(self) -> Trajectory:
        """The steps so far."""
        return self._trajectory

    @property
    def ledger(self) -> Ledger:
        """The event ledger: one row for each step."""
        return self._ledger

    @property
    def archive(self) -> Archive:
        """The verbatim steps, addressed by source references."""
        return Archive(self._trajectory)

    def append(self, step: Step) -> Row:
        """Add one more step; nothing that was built before is built again.

        Raises:
            InputError: The step's id is not above the last one; nothing is added.
        """
        with self._lock:
            return self._take(step)

    def extend(self, steps: Iterable[Step]) -> None:
        """Add further steps, all of them or none.

        Raises:
            InputError: An id is not above the one before it; nothing is added.
        """
        with self._lock:
            before = self._trajectory
            last = before.steps[-1:]
            new = Trajectory((*last, *steps)).steps[len(last) :]
            try:
                for step in new:
                    self._take(step)
            except BaseException:
                self._restore(before)
                raise

    async def aappend(self, step: Step) -> Row:
        """`append` without blocking the event loop."""
        return await asyncio.to_thread(self.append, step)

    async def aextend(self, steps: Iterable[Step]) -> None:
        """`extend` without blocking the event loop."""
        await asyncio.to_thread(self.extend, steps)

    def _begin(self, trajectory: Trajectory) -> None:
        """Build what is read from, of `trajectory` alone."""
        self._trajectory = trajectory
        self._ledger = Ledger(trajectory, receipts=self._receipts, tool_prefixes=self._prefixes)
        self._rules = RuleCompiler(self._ledger)
        self._index = self._new_index(trajectory)

    def _take(self, step: Step, row: Row | None = None) -> Row:
        """Add a step, with its row where that was made before; after an error nothing is added."""
        before = self._trajectory
        longer = before.append(step)
        try:
            self._index.add(step)
            if row is None:
                row = self._ledger.append(step)
            else:
                self._ledger.resume(step, row)
            self._trajectory = longer
        except BaseException:
            self._restore(before)
            raise
        return row

    def _restore(self, trajectory: Trajectory) -> None:
        """Go back to `trajectory`; what was annotated stays."""
        annotated = {row.step: row for row in self._ledger.rows if row.annotated}
        # Of this class alone: what the log of a store says of each record is not undone by it.
        LiveTrajectory._begin(self, trajectory)
        if annotated:
            self._replace(annotated)

    def _say(self, said: Iterable[tuple[Step, Said]]) -> None:
        """Take in what a model said of steps, as far as it holds; a step that is gone, or annotated, stays as it is."""
        with self._lock:
            rows = ((step, self._ledger.row(step.id), one) for step, one in said if self._has(step))
            found = {step.id: annotated(row, step, one) for step, row, one in rows if not row.annotated}
            if found:
                self._replace(found)

    def _has(self, step: Step) -> bool:
        """Whether this very step is there."""
        return bool(self._ledger.span(step.id, step.id)) and self._trajectory.step(step.id) == step

    def _replace(self, rows: Mapping[int, Row]) -> None:
        """Put annotated rows, by step id, in the place of those that were there."""
        self._ledger = self._ledger.annotated(rows)
        self._rules = RuleCompiler(self._ledger)
