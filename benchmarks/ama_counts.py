"""Counting and listing questions of AMA-Bench: does the computed block hold what the gold answer says?

    python -m benchmarks.ama_counts FILE [--all] [--cl100k] [--json]

FILE: AMA-Bench episodes (`.jsonl`, `.jsonl.gz`). From each gold answer the numbers of "N times" and "N interactions"
(with the name before them, where there is one) and the cited step numbers are parsed; a block holds the answer when a
group of that name has that count and every cited step is among the matched steps. The gold load is the larger of the
counts' sum and the number of cited steps. What a block holds is read from its text, which goes into a prompt.

Needed are the cited steps, and for counts the steps that a block which holds the answer has matched. Of all questions:

- `held_rate`: the block holds the whole answer.
- `view_rate`: the view shows every needed step, though it may have cut a field of some.
- `view_whole_rate`: the view shows every needed step, and none of them cut. A reader has to count them still.
- `precision`, of the questions whose gold answer cites steps: the mean share of a block's matched steps that are cited.
  It is below 1 where a block counts more than was asked for, and where an answer cites only some of what it counts.

The view's 26,000 tokens are estimated, on the high side, so that it shows less than one that is counted exactly;
`--cl100k` counts them with that tokenizer, which comes with LlamaIndex.

Only embodied questions of the counting and listing families are taken unless `--all`: action frequencies, interaction
counts, actions on an object, actions between steps, changes of an inventory, of a state and of the environment,
location histories and containers. Not taken from a gold answer: what a container holds at the end ("At step 93, it
contains: ..."), which is the content of one observation.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.common import emit, environment
from benchmarks.trajectories import episodes
from memory_evidence.tallymem import TallyMem, Trajectory
from memory_evidence.tallymem.evidence import TallyEvidence
from memory_evidence.tokens import Measure, approximate_tokens

FAMILIES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("action frequencies", r"what actions has the agent performed and how frequently"),
        ("interaction counts", r"interacted with so far .* how many times"),
        ("actions on an object", r"which actions were performed on"),
        ("actions between steps", r"what actions were performed between"),
        ("environment changes", r"what actions made the environment changes"),
        ("inventory changes", r"what changes occurred to the inventory"),
        ("location histories", r"what were the location histories"),
        ("state history", r"when did this change occur|how did the attributes of"),
        ("containers", r"including what objects were placed in or removed|which containers"),
    )
)
BINS = ((1, 5), (6, 15), (16, 100), (101, None))

_NAMED = re.compile(r"(?:'([^'\n]+)'|([\w][\w ]*?)) \((\d+) (?:times|interactions?)\)")
_TIMES = re.compile(r"\b(\d+) (?:times|interactions?)\b")
_STEP = re.compile(r"\b(?:steps?|turns?) (\d+)", re.IGNORECASE)
_ECHO = re.compile(r"\b(?:before|until|after|up to) step \d+", re.IGNORECASE)
"""The question's own bound, said again."""
_GROUP_LINE = re.compile(r"^   (.+): (\d+)(?: \(steps|$)", re.MULTILINE)
_MATCHED = re.compile(r"\b(\d+) matched steps\b")
_STEP_LINE = re.compile(r"^   step (\d+)[,:]", re.MULTILINE)
_LISTED = re.compile(r"(?:\(steps|   steps:|not shown in full:) ([\d, -]+)")
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
_CONTENT = re.compile(r"at step \d+, (?:it contains|state)[^\n]*?(?=$|\n|specific)", re.IGNORECASE)
_ASKED_BOUND = re.compile(r"\b(?:between|from) step (\d+) (?:and|to) step (\d+),? the agent", re.IGNORECASE)


@dataclass(frozen=True)
class Gold:
    """The numbers and steps of a gold answer."""

    named: tuple[tuple[str, int], ...]
    counts: tuple[int, ...]
    """Counts without a name."""
    steps: frozenset[int]

    @property
    def load(self) -> int:
        """The larger of the counts' sum and the number of steps."""
        return max(sum(count for _, count in self.named) + sum(self.counts), len(self.steps))


def parse_gold(answer: str) -> Gold:
    """Parse the numbers of a gold answer."""
    text = _CONTENT.sub(" ", _ECHO.sub(" ", _ASKED_BOUND.sub(" ", answer)))
    named = tuple((a or b.removeprefix("with ").strip(), int(count)) for a, b, count in _NAMED.findall(text))
    counts = tuple(int(count) for count in _TIMES.findall(_NAMED.sub(" ", text)))
    return Gold(named, counts, frozenset(map(int, _STEP.findall(text))))


@dataclass(frozen=True)
class Block:
    """What a reader finds in the text of a computed block."""

    named: frozenset[tuple[str, int]]
    counts: frozenset[int]
    steps: frozenset[int]


def read_block(evidence: TallyEvidence) -> Block:
    """Read names with counts, numbers of matched steps, and step ids out of a block's text, ranges written out."""
    text = evidence.computed.text if evidence.computed else ""
    named = frozenset((name.casefold(), int(count)) for name, count in _GROUP_LINE.findall(text))
    counts = frozenset(map(int, _MATCHED.findall(text))) | {count for _, count in named}
    steps: set[int] = set(map(int, _STEP_LINE.findall(text)))
    for listed in _LISTED.findall(text):
        for first, last in _RANGE.findall(listed):
            steps.update(range(int(first), int(last or first) + 1))
    return Block(named, counts, frozenset(steps))


def holds(evidence: TallyEvidence, gold: Gold) -> bool:
    """Whether the text of the computed block states every count and step of `gold`."""
    block = read_block(evidence)
    named = all((name.casefold(), count) in block.named for name, count in gold.named)
    return named and block.counts >= set(gold.counts) and block.steps >= gold.steps


def miss(memory: TallyMem, evidence: TallyEvidence, gold: Gold, answer: str) -> str:
    """Return why a block does not hold its gold answer.

    "reference": the gold answer contradicts the raw log; "ledger": a cited step is there without its change;
    "specification": the plan selects other events.
    """
    if evidence.computed is None:
        return "not compiled"
    actions = {step.id: step.action for step in memory.trajectory}
    for step, action in re.findall(r"step (\d+)(?::|,| \() ?'?([a-z][^;'.)\n|]*)", answer):
        if action.split(" ")[0] in ("take", "move", "go", "open", "close", "look", "use", "examine") and (
            actions.get(int(step), "").strip() != action.strip()
        ):
            return "reference"
    # A history ends where the question's bound ends: an action named by the gold answer cannot occur more often.
    spoken = Counter(actions.values())
    if any(name in spoken and count > spoken[name] for name, count in gold.named) or gold.steps - set(actions):
        return "reference"
    if any(not memory.ledger.row(step).changes for step in gold.steps - _steps(evidence)):
        return "ledger"
    return "specification"


def _steps(evidence: TallyEvidence) -> frozenset[int]:
    results = evidence.computed.results if evidence.computed else ()
    return frozenset(step for result in results for step in result.steps)


def run(path: Path, *, everything: bool, measure: Measure = approximate_tokens) -> dict[str, Any]:
    """Return the figures of one file; `measure` counts the view's tokens."""
    rows: list[dict[str, Any]] = []
    for episode in episodes(path):
        if not everything and episode.get("task_type") != "alfworld":
            continue
        memory: TallyMem | None = None
        for pair in episode["qa_pairs"]:
            family = next((name for name, pattern in FAMILIES if pattern.search(pair["question"])), "other")
            gold = parse_gold(pair["answer"])
            if (family == "other" and not everything) or not gold.load:
                continue
            memory = memory or TallyMem(Trajectory.from_ama(episode), measure=measure)
            rows.append(_row(memory, pair, family, gold))
    return _figures(rows)


def _row(memory: TallyMem, pair: Mapping[str, str], family: str, gold: Gold) -> dict[str, Any]:
    evidence = memory.evidence(pair["question"])
    held = holds(evidence, gold)
    matched, view = _steps(evidence), evidence.view
    needed = gold.steps | (matched if held else frozenset())
    return {
        "family": family,
        "load": gold.load,
        "held": held,
        "compiled": evidence.computed is not None,
        "viewed": bool(needed) and needed <= set(view.steps),
        "viewed_whole": bool(needed) and needed <= set(view.steps) - set(view.truncated),
        "precision": len(matched & gold.steps) / len(matched) if matched and gold.steps else None,
        "miss": None if held else miss(memory, evidence, gold, pair["answer"]),
        "question": pair["question"],
    }


def _figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    def share(chosen: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        count = max(len(chosen), 1)
        precisions = [row["precision"] for row in chosen if row["precision"] is not None]
        return {
            "questions": len(chosen),
            "compiled": sum(row["compiled"] for row in chosen),
            "held": sum(row["held"] for row in chosen),
            "held_rate": round(sum(row["held"] for row in chosen) / count, 4),
            "view_rate": round(sum(row["viewed"] for row in chosen) / count, 4),
            "view_whole_rate": round(sum(row["viewed_whole"] for row in chosen) / count, 4),
            "precision": round(fmean(precisions), 4) if precisions else None,
        }

    bins = {
        f"{low}-{high}" if high else f">{low - 1}": share(
            [row for row in rows if low <= row["load"] and (high is None or row["load"] <= high)]
        )
        for low, high in BINS
    }
    return {
        "benchmark": "ama_counts",
        "environment": environment(),
        **share(rows),
        "bins": bins,
        "above_15": share([row for row in rows if row["load"] > 15]),
        "families": {
            name: share([r for r in rows if r["family"] == name]) for name in sorted({r["family"] for r in rows})
        },
        "misses": dict(Counter(row["miss"] for row in rows if row["miss"])),
        "missed": [{key: row[key] for key in ("family", "load", "miss", "question")} for row in rows if row["miss"]],
    }


def _cl100k() -> Measure:
    from llama_index.core.utils import get_tokenizer  # here, because without the option nothing needs it

    encode = get_tokenizer()
    return lambda text: len(encode(text))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(prog="benchmarks.ama_counts", description="Real counting and listing questions.")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--all", action="store_true", help="every question whose gold answer has a count or a step")
    parser.add_argument("--cl100k", action="store_true", help="count the view's tokens with cl100k (needs llamaindex)")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    given = parser.parse_args(arguments)
    result = run(given.file, everything=given.all, measure=_cl100k() if given.cl100k else approximate_tokens)
    table = [{"group": "all", **result}, *({"group": name, **row} for name, row in result["families"].items())]
    table += [{"group": f"load {name}", **row} for name, row in result["bins"].items()]
    emit(
        result,
        as_json=given.json,
        rows=table,
        columns=["group", "questions", "compiled", "held", "held_rate", "view_rate", "view_whole_rate", "precision"],
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
