"""`CommitLedger`: exact counts, orders and histories over the commits of a git repository, asked like a `TallyMem`."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import Self, TypedDict

from typing_extensions import Unpack

from memory_evidence.errors import ConfigError, InputError
from memory_evidence.tallymem.archive import Archive
from memory_evidence.tallymem.commits.execute import execute
from memory_evidence.tallymem.commits.git import Repository
from memory_evidence.tallymem.commits.history import Commit, read_history
from memory_evidence.tallymem.commits.index import History
from memory_evidence.tallymem.commits.questions import compile_question
from memory_evidence.tallymem.commits.render import render_commits
from memory_evidence.tallymem.commits.versions import Versions
from memory_evidence.tallymem.evidence import MOST_EVENTS, Computed, TallyEvidence
from memory_evidence.tallymem.plan import Plan
from memory_evidence.tallymem.render import BUDGET
from memory_evidence.tallymem.results import Execution
from memory_evidence.tallymem.router import ATTACH_ABOVE, attach
from memory_evidence.tallymem.rows import Row
from memory_evidence.tallymem.trajectory import Step, Trajectory
from memory_evidence.tallymem.view import BUDGET as VIEW_BUDGET
from memory_evidence.tallymem.view import ReadingIndex
from memory_evidence.tokens import Measure, approximate_tokens

_MOST_LINES = 200


class LedgerOptions(TypedDict, total=False):
    """The keyword arguments of `CommitLedger`, where they are described."""

    attach_above: int | None
    view_budget: int
    measure: Measure
    block_budget: int


class RepositoryOptions(LedgerOptions, total=False):
    """Those of `CommitLedger.from_repository`."""

    revision: str
    first_parent: bool


class CommitLedger:
    """The ledger of a history; safe to share between threads.

    A commit is a step, numbered from 1 for the oldest. It has a row for each file it changed: what was done to the
    file, and the names that its added lines assign.
    """

    def __init__(
        self,
        entries: Iterable[tuple[Commit, Sequence[Row]]],
        *,
        attach_above: int | None = ATTACH_ABOVE,
        view_budget: int = VIEW_BUDGET,
        measure: Measure = approximate_tokens,
        block_budget: int = BUDGET,
        versions: Versions | None = None,
    ) -> None:
        """Build the ledger of commits; see `from_repository`.

        Args:
            entries: Commits in order, each with its rows.
            attach_above: The computed block is attached when it rests on more commits than this; None: always.
            view_budget: Most that the reading view over commits may cost, in the unit of `measure`.
            measure: Cost of a text.
            block_budget: Most characters of computed evidence.
            versions: The files of the history; without them no current value is told.

        Raises:
            ConfigError: An argument is out of range.
        """
        if not isinstance(block_budget, int) or isinstance(block_budget, bool) or block_budget < 200:
            raise ConfigError("block_budget", block_budget, "a whole number of at least 200")
        self._history = History(entries, versions=versions)
        self._attach_above, self._block_budget = attach_above, block_budget
        self._index = ReadingIndex(budget=view_budget, measure=measure)
        self._trajectory: Trajectory | None = None
        self._lock = threading.Lock()

    @classmethod
    def from_repository(
        cls,
        path: str | os.PathLike[str],
        *,
        revision: str = "HEAD",
        first_parent: bool = False,
        **options: Unpack[LedgerOptions],
    ) -> Self:
        """Read the history of a git repository on this machine; nothing is written, and nothing of it is run.

        Parents come before their children, otherwise the older commit first. A merge has no changes of its own: what
        it brings was changed by the commits that it merges, and where it differs from all of them the block says so. A
        rename is what git takes for one at half the content. Questions for values read the files of the repository
        again.

        Args:
            path: The folder that holds `.git`, or a bare repository.
            revision: Where the history ends: a branch, a tag, a commit.
            first_parent: Follow the main line alone, on which a merge changes what differs from its first parent.
            options: As for the class.

        Raises:
            InputError: There is no repository, it is a shallow copy, or `revision` names no commit in it.
            HostError: Git is not installed, or failed while it read.
        """
        repository = Repository(path)
        if not isinstance(revision, str) or "\0" in revision:
            raise InputError("revision", revision, "the name of a commit, a branch or a tag")
        start = repository.commit(revision)
        if start is None and not (revision == "HEAD" and repository.empty):
            raise InputError("revision", revision, "the name of a commit, a branch or a tag of the repository")
        if repository.shallow:
            need = (
                "a whole history; in a shallow copy the oldest commit seems to add every file (git fetch --unshallow)"
            )
            raise InputError("the repository", os.fspath(path), need)
        entries = read_history(repository, start, first_parent=first_parent) if start else ()
        return cls(entries, versions=Versions(repository), **options)

    @classmethod
    async def afrom_repository(cls, path: str | os.PathLike[str], **options: Unpack[RepositoryOptions]) -> Self:
        """`from_repository` without blocking the event loop."""
        return await asyncio.to_thread(cls.from_repository, path, **options)

    @property
    def commits(self) -> Sequence[Commit]:
        """The commits, the oldest first."""
        return self._history.commits

    @property
    def rows(self) -> Sequence[Row]:
        """One row for each file that a commit changed, in the order of the commits; `step` is the commit's number."""
        return self._history.rows

    @property
    def trajectory(self) -> Trajectory:
        """The commits as steps: what was committed, and what it changed; very long ones are cut."""
        with self._lock:
            if self._trajectory is None:
                self._trajectory = Trajectory(tuple(map(self._step, self._history.commits)))
                for step in self._trajectory:
                    self._index.add(step)
            return self._trajectory

    @property
    def archive(self) -> Archive:
        """The texts of the commits, addressed by source references."""
        return Archive(self.trajectory)

    def plan(self, question: str) -> Plan:
        """Return the plan of `question`, or one that says why there is none.

        Raises:
            InputError: `question` is not a string.
        """
        if not isinstance(question, str):
            raise InputError("the question", question, "a string")
        return compile_question(question, self._history)

    def execute(self, plan: Plan) -> Execution:
        """Compute a plan over all commits; the steps of its results are the numbers of commits."""
        if not isinstance(plan, Plan):
            raise InputError("the plan", plan, "a Plan; see CommitLedger.plan and tallymem.plan")
        return execute(self._history, plan)

    def evidence(self, question: str) -> TallyEvidence:
        """Return the view of the commits for `question`, and what was computed for it.

        Raises:
            InputError: `question` is not a string.
        """
        started = perf_counter()
        plan = self.plan(question)
        execution = self.execute(plan)
        bounds = {(result.query.scope.low, result.query.scope.high) for result in execution.results}
        _ = self.trajectory
        view = self._index.view(question, scope=bounds.pop() if len(bounds) == 1 else (None, None))
        computed = None
        if execution.results:
            text = render_commits(self._history, execution.results, execution.dropped, budget=self._block_budget)
            shown = {number for result in execution.results for number in result.steps[:MOST_EVENTS]}
            actions = {number: self.commits[number - 1].subject for number in sorted(shown)}
            computed = Computed(execution.results, execution.load, text, execution.dropped, actions)
        return TallyEvidence(
            question=question,
            view=view,
            computed=computed,
            attached=attach(execution, above=self._attach_above),
            plan=plan,
            reason=execution.reason,
            elapsed_ms=(perf_counter() - started) * 1_000,
        )

    async def aplan(self, question: str) -> Plan:
        """`plan` without blocking the event loop."""
        return await asyncio.to_thread(self.plan, question)

    async def aexecute(self, plan: Plan) -> Execution:
        """`execute` without blocking the event loop."""
        return await asyncio.to_thread(self.execute, plan)

    async def aevidence(self, question: str) -> TallyEvidence:
        """`evidence` without blocking the event loop."""
        return await asyncio.to_thread(self.evidence, question)

    def _step(self, commit: Commit) -> Step:
        rows = [self._history.rows[at] for at in self._history.places(commit.number, commit.number)]
        lines: list[str] = []
        for row in rows:
            lines.append(row.action)
            told = row.changes[: _MOST_LINES - len(lines)]
            lines += [f"  {change.object} = {change.value.rstrip()}" for change in told]
            if len(lines) >= _MOST_LINES:
                lines.append(f"({len(rows)} files in all; the rest is not listed)")
                break
        return Step(commit.number, f"commit {commit.id}: {commit.subject}", "\n".join(lines))
