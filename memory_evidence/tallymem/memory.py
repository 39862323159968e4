"""`TallyMem`: read a trajectory, and count, group, order and list over all of it (the paper's system, live)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from typing_extensions import Unpack

from memory_evidence.errors import ConfigError, InputError
from memory_evidence.models import Answer, Ask, ChatModel, Usage, UsageMeter, arun, run
from memory_evidence.progress import Progress
from memory_evidence.tallymem.annotate import Said, annotate_steps, rounds
from memory_evidence.tallymem.compile import answered, asks_for, read_answers
from memory_evidence.tallymem.evidence import MOST_EVENTS, Computed, TallyEvidence
from memory_evidence.tallymem.execute import execute
from memory_evidence.tallymem.live import LiveTrajectory
from memory_evidence.tallymem.options import Compiler, Options, check_options
from memory_evidence.tallymem.plan import Plan
from memory_evidence.tallymem.receipts import HOUSEHOLD, Receipt
from memory_evidence.tallymem.render import BUDGET, render
from memory_evidence.tallymem.results import Execution
from memory_evidence.tallymem.router import ATTACH_ABOVE, attach
from memory_evidence.tallymem.trajectory import Step, Trajectory
from memory_evidence.tallymem.view import BUDGET as VIEW_BUDGET
from memory_evidence.tallymem.view import ReadingIndex
from memory_evidence.tokens import Measure, approximate_tokens

if TYPE_CHECKING:
    from memory_evidence.store.log import Log
    from memory_evidence.tallymem.durable import DurableTallyMem


class TallyMem(LiveTrajectory):
    """The memory of one trajectory; safe to share between threads.

    Without a model everything works by program and rules. A question that cannot be compiled gets the view alone, and
    the evidence says why; it never gets a wrong number.
    """

    def __init__(
        self,
        trajectory: Trajectory,
        model: ChatModel | None = None,
        *,
        compiler: Compiler = "auto",
        attach_above: int | None = ATTACH_ABOVE,
        view_budget: int = VIEW_BUDGET,
        measure: Measure = approximate_tokens,
        block_budget: int = BUDGET,
        receipts: Sequence[Receipt] = HOUSEHOLD,
        tool_prefixes: Sequence[str] = (),
        samples: int = 0,
        concurrency: int = 4,
    ) -> None:
        """Build ledger and index of a trajectory; no model is called.

        Args:
            trajectory: The steps; append further ones as they come.
            model: Compiles questions that the rules do not read, and annotates the ledger when `annotate` is called.
            compiler: "auto", "rules" or "model" (the paper's way: every question goes to the model).
            attach_above: The computed block is attached when it rests on more steps than this (paper: 15);
                None: always.
            view_budget: Most that the reading view may cost, in the unit of `measure` (paper: 26,000 tokens).
            measure: Cost of a text.
            block_budget: Most characters of computed evidence (paper: 6,000).
            receipts: Forms of the sentences with which tools confirm what they did.
            tool_prefixes: What is cut off the front of tool names, such as "functions." or "mcp__web__".
            samples: Further plans sampled at temperature 0.7; results that at least three plans agree on are kept
                (the paper's ablation took 4). 0: the greedy plan alone.
            concurrency: Model calls at a time, >= 1.

        Raises:
            InputError: `trajectory` is none.
            ConfigError: Another argument is out of range.
        """
        check_options(model, compiler, attach_above, block_budget, samples, concurrency)
        self._model, self._compiler = model, compiler
        self._attach_above, self._block_budget = attach_above, block_budget
        self._samples, self._concurrency = samples, concurrency
        super().__init__(
            trajectory,
            receipts=receipts,
            tool_prefixes=tool_prefixes,
            new_index=partial(ReadingIndex, budget=view_budget, measure=measure),
        )

    @staticmethod
    def open(
        scope: Sequence[str],
        *,
        store: str | Log = "sqlite:///memory.db",
        model: ChatModel | None = None,
        **options: Unpack[Options],
    ) -> DurableTallyMem:
        """Open the trajectory that a store keeps under `scope`; empty where it keeps none.

        Args:
            scope: Whose trajectory: a tuple of non-empty strings, compared exactly.
            store: `sqlite:///FILE`, `sqlite://` (in memory), a PostgreSQL URL, or a `Log` to share between memories.
            model: As for `TallyMem`.
            options: As for `TallyMem`.

        Raises:
            ScopeError: The scope is missing or malformed.
            ConfigError: Another argument is out of range.
            StoreError: The store cannot be opened or read, or holds something else under this scope.
        """
        from memory_evidence.tallymem.durable import DurableTallyMem  # it derives from this class

        return DurableTallyMem(scope, store=store, model=model, **options)

    def evidence(self, question: str) -> TallyEvidence:
        """Return the view for `question`, and what was computed for it.

        Raises:
            InputError: `question` is not a string.
        """
        started = perf_counter()
        found = self._by_rules(question, started)
        if isinstance(found, TallyEvidence):
            return found
        model, asks = found
        meter = UsageMeter()
        answers = run(answered(asks), model, meter=meter, concurrency=self._concurrency)
        return self._by_model(question, answers, meter.total, started)

    async def aevidence(self, question: str) -> TallyEvidence:
        """`evidence` without blocking the event loop."""
        started = perf_counter()
        found = await asyncio.to_thread(self._by_rules, question, started)
        if isinstance(found, TallyEvidence):
            return found
        model, asks = found
        meter = UsageMeter()
        answers = await arun(answered(asks), model, meter=meter, concurrency=self._concurrency)
        return await asyncio.to_thread(self._by_model, question, answers, meter.total, started)

    def plan(self, question: str) -> Plan:
        """Return the plan of `question`, or one that says why there is none.

        Raises:
            InputError: `question` is not a string.
        """
        found = self._compile(question)
        if isinstance(found, Plan):
            return found
        model, asks = found
        return self._plan_of(run(answered(asks), model, concurrency=self._concurrency), question)

    async def aplan(self, question: str) -> Plan:
        """`plan` without blocking the event loop."""
        found = await asyncio.to_thread(self._compile, question)
        if isinstance(found, Plan):
            return found
        model, asks = found
        answers = await arun(answered(asks), model, concurrency=self._concurrency)
        return await asyncio.to_thread(self._plan_of, answers, question)

    def execute(self, plan: Plan) -> Execution:
        """Compute a plan over the whole ledger."""
        if not isinstance(plan, Plan):
            raise InputError("the plan", plan, "a Plan; see TallyMem.plan and tallymem.plan")
        with self._lock:
            self._catch_up()
            return execute(self._ledger, plan)

    async def aexecute(self, plan: Plan) -> Execution:
        """`execute` without blocking the event loop."""
        return await asyncio.to_thread(self.execute, plan)

    def annotate(self, *, progress: Progress | None = None) -> Usage:
        """Let the model annotate every row that it has not read, and return what that used.

        Raises:
            ConfigError: There is no model.
        """
        model, steps = self._to_annotate()
        meter = UsageMeter()
        said: list[tuple[Step, Said]] = []
        done = 0
        for part in rounds(steps):
            read = run(annotate_steps(part), model, meter=meter, concurrency=self._concurrency)
            self._keep(read)
            said += read
            done += len(part)
            if progress is not None:
                progress(done, len(steps))
        self._say(said)
        return meter.total

    async def aannotate(self, *, progress: Progress | None = None) -> Usage:
        """`annotate` without blocking the event loop."""
        model, steps = await asyncio.to_thread(self._to_annotate)
        meter = UsageMeter()
        said: list[tuple[Step, Said]] = []
        done = 0
        for part in rounds(steps):
            read = await arun(annotate_steps(part), model, meter=meter, concurrency=self._concurrency)
            await asyncio.to_thread(self._keep, read)
            said += read
            done += len(part)
            if progress is not None:
                progress(done, len(steps))
        await asyncio.to_thread(self._say, said)
        return meter.total

    def _catch_up(self) -> None:
        """Take in what was appended elsewhere; there is nothing like that without a store."""

    def _keep(self, said: Sequence[tuple[Step, Said]]) -> None:
        """Keep what the model said before it is asked of the next steps; nothing to do without a store."""

    def _to_annotate(self) -> tuple[ChatModel, list[Step]]:
        if self._model is None:
            raise ConfigError("model", None, "a ChatModel to annotate with")
        with self._lock:
            self._catch_up()
            rows = self._ledger.rows
            return self._model, [s for s, row in zip(self._trajectory, rows, strict=True) if not row.annotated]

    def _compile(self, question: str) -> Plan | tuple[ChatModel, list[Ask]]:
        """Return the plan by the rules, or where it does not stand, the model and what to ask it."""
        if not isinstance(question, str):
            raise InputError("the question", question, "a string")
        with self._lock:
            self._catch_up()
            plan = self._rules.compile(question)
            stands = plan.applicable and self._compiler != "model"
            if stands or self._model is None or self._compiler == "rules" or not (question.strip() and self._ledger):
                return plan
            return self._model, asks_for(question, self._ledger, samples=self._samples)

    def _plan_of(self, answers: Sequence[Answer], question: str) -> Plan:
        with self._lock:
            return read_answers(answers, question, self._ledger)

    def _by_rules(self, question: str, started: float) -> TallyEvidence | tuple[ChatModel, list[Ask]]:
        with self._lock:  # the log does not grow between a plan, whose bounds may count from its end, and its execution
            found = self._compile(question)
            return self._evidence(question, found, "rules", Usage(), started) if isinstance(found, Plan) else found

    def _by_model(self, question: str, answers: Sequence[Answer], usage: Usage, started: float) -> TallyEvidence:
        with self._lock:
            return self._evidence(question, self._plan_of(answers, question), "model", usage, started)

    def _evidence(self, question: str, plan: Plan, compiler: str, usage: Usage, started: float) -> TallyEvidence:
        execution = execute(self._ledger, plan)
        # Steps outside of the bounds that a question states are not read either (paper section 4).
        bounds = {(result.query.scope.low, result.query.scope.high) for result in execution.results}
        view = self._index.view(question, scope=bounds.pop() if len(bounds) == 1 else (None, None))
        computed = None
        if execution.results:
            text = render(self._ledger, execution.results, budget=self._block_budget)
            shown = {step for result in execution.results for step in result.steps[:MOST_EVENTS]}
            actions = {step: self._ledger.row(step).action for step in sorted(shown)}
            computed = Computed(execution.results, execution.load, text, execution.dropped, actions)
        return TallyEvidence(
            question=question,
            view=view,
            computed=computed,
            attached=attach(execution, above=self._attach_above),
            plan=plan,
            reason=execution.reason,
            compiler=compiler,
            usage=usage,
            elapsed_ms=(perf_counter() - started) * 1_000,
        )
