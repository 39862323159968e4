"""What TallyMem costs as a trajectory grows, from 100 to 1,000,000 steps.

    python -m benchmarks.tally_growth [--most 1000000] [--seed N] [--json]

The log is made up: an agent goes to, opens and closes drawers, takes and moves spoons and runs commands. For each size:
rows per second while the ledger is built, the median and 95th percentile of every operation over all rows (grounding,
selection and value; and with the block rendered), the cost of one appended step (of its row; of a trajectory of that
size made step by step), and of a compiled question. The view is measured at the size of a usual history, 150 steps,
short and so long that the budget binds, and must not cost more than its budget.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

from benchmarks.common import SEED, emit, environment, milliseconds, say, timed
from memory_evidence.tallymem import Filter, Ledger, Plan, ReadingIndex, Scope, Step, SubQuery, Trajectory
from memory_evidence.tallymem.execute import execute
from memory_evidence.tallymem.render import render
from memory_evidence.tallymem.rules import RuleCompiler

SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
HISTORY, LONG = 150, 3_000
REPEATS = 7

OPEN, DRAWER = Filter("tool", ("open",)), Filter("target", ("drawer 1",))
QUERIES: dict[str, SubQuery] = {
    "count": SubQuery("count", (OPEN,)),
    "count target": SubQuery("count", (OPEN, DRAWER)),
    "first": SubQuery("first", (OPEN,)),
    "last": SubQuery("last", (OPEN,)),
    "list": SubQuery("list", (OPEN, DRAWER)),
    "timeline": SubQuery("timeline", (Filter("change", ("*",)),)),
    "group by tool": SubQuery("group", by="tool"),
    "group by action": SubQuery("group", by="action"),
    "group by outcome": SubQuery("group", by="outcome"),
    "group by target": SubQuery("group", by="target"),
    "group by place": SubQuery("group", by="place"),
    "group by changed": SubQuery("group", by="changed"),
    "group what changed": SubQuery("group", (Filter("change", ("*",)),), by="changed"),
    "breakdown": SubQuery("breakdown", (OPEN,)),
    "distinct": SubQuery("distinct", (OPEN,), by="target"),
    "distinct drawers": SubQuery("distinct", by="place", only=("drawer",)),
    "order": SubQuery("order", by="target"),
    "most": SubQuery("most", (OPEN,), by="target"),
    "least": SubQuery("least", by="object"),
    "difference": SubQuery("difference", (OPEN,), versus=(Filter("tool", ("close",)),)),
    "ratio": SubQuery("ratio", (OPEN,), versus=(Filter("tool", ("close",)),)),
    "exclude": SubQuery("count", (Filter("tool", ("go",), exclude=True),)),
    "after event": SubQuery("count", (OPEN,), Scope(after=(DRAWER,))),
    "before event": SubQuery("count", (OPEN,), Scope(before=(Filter("action", ("take spoon 7",)),))),
}


def steps(size: int, seed: int) -> Iterator[Step]:
    """Yield a made-up log of `size` steps."""
    draw = random.Random(seed)
    for number in range(size):
        drawer, spoon = draw.randrange(1, 40), draw.randrange(1, 20)
        action, observation = draw.choice(
            (
                (f"go to drawer {drawer}", f"You arrive at drawer {drawer}."),
                (f"open drawer {drawer}", f"You open the drawer {drawer}."),
                (f"close drawer {drawer}", f"You close the drawer {drawer}."),
                (
                    f"take spoon {spoon} from drawer {drawer}",
                    f"You pick up the spoon {spoon} from the drawer {drawer}.",
                ),
                (f"move spoon {spoon} to drawer {drawer}", f"You move the spoon {spoon} to the drawer {drawer}."),
                ('bash: {"command": "make test"}', f"exit code {draw.choice((0, 0, 0, 2))}"),
            )
        )
        yield Step(number, action, observation)


def measure(size: int, seed: int) -> dict[str, Any]:
    """Return the figures of one size."""
    say(f"{size:,} steps")
    log = list(steps(size + REPEATS, seed))
    started = perf_counter()
    ledger = Ledger(log[:size])
    built = perf_counter() - started
    operations: dict[str, Any] = {}
    for name, query in QUERIES.items():
        plan = Plan((query,))
        computed = milliseconds(_times(partial(execute, ledger, plan)))
        shown = milliseconds(_times(partial(_block, ledger, plan)))
        operations[name] = {"compute_ms": computed, "with_block_ms": shown}
    compiler = RuleCompiler(ledger)
    question = f"How many times was drawer 1 opened up to step {size - 1}?"
    compiler.compile(question)
    compiled = milliseconds(_times(partial(compiler.compile, question)))
    appended = milliseconds([timed(partial(ledger.append, step)) for step in log[size:]])
    started = perf_counter()
    grown = Trajectory(())
    for step in log[:size]:
        grown = grown.append(step)
    growing = perf_counter() - started
    return {
        "steps": size,
        "rows_per_s": round(size / built),
        "slowest_ms": max(figures["with_block_ms"]["median"] for figures in operations.values()),
        "compile_ms": compiled,
        "append_ms": appended,
        "trajectory_append_us": round(1e6 * growing / size, 3),
        "operations": operations,
    }


def view(seed: int, padding: int) -> dict[str, Any]:
    """Return what a view of a usual history costs, whose observations go on for `padding` more characters."""
    words = " ".join(f"word{number}" for number in range(padding // 7))
    log = (replace(step, observation=f"{step.observation} {words}") for step in steps(HISTORY, seed))
    index = ReadingIndex(Trajectory(tuple(log)))
    draw = random.Random(seed)
    asks = [
        f"What happened to drawer {draw.randrange(1, 40)} before step {draw.randrange(HISTORY)}?" for _ in range(50)
    ]
    views = [index.view(ask) for ask in asks]
    seconds = [timed(partial(index.view, ask)) for ask in asks]
    return {"steps": HISTORY, "view_ms": milliseconds(seconds), "most_tokens": max(view.tokens for view in views)}


def _block(ledger: Ledger, plan: Plan) -> str:
    return render(ledger, execute(ledger, plan).results)


def _times(call: Callable[[], object]) -> list[float]:
    return [timed(call) for _ in range(REPEATS)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(prog="benchmarks.tally_growth", description="Cost of TallyMem by size.")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="largest number of steps")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    given = parser.parse_args(arguments)
    sizes = [measure(size, given.seed) for size in SIZES if size <= given.most]
    result = {
        "benchmark": "tally_growth",
        "environment": environment(),
        "seed": given.seed,
        "view": view(given.seed, 0),
        "view_long": view(given.seed, LONG),
        "sizes": sizes,
    }
    rows = [
        {"steps": size["steps"], "operation": name, **figures}
        for size in sizes
        for name, figures in size["operations"].items()
    ]
    emit(result, as_json=given.json, rows=rows, columns=["steps", "operation", "compute_ms", "with_block_ms"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
