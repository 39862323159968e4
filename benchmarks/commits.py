"""The commit ledger against git: generated questions over a real repository, answered by both.

    python -m benchmarks.commits REPO [REPO ...] [--seed N] [--most N] [--json]

REPO: a folder that holds `.git`, or a bare repository. The questions, and how git answers them by other commands than
the ledger reads with: `benchmarks.commit_questions`. A question is correct when the computed value and the commits are
git's own.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.commit_questions import Git, Question, questions
from benchmarks.common import SEED, emit, environment, milliseconds, say
from memory_evidence.tallymem.commits import CommitLedger


def run(path: str, seed: int, most: int) -> dict[str, Any]:
    """Return the figures of one repository."""
    started = perf_counter()
    ledger = CommitLedger.from_repository(path)
    read_s = perf_counter() - started
    families: dict[str, list[bool]] = {}
    wrong: list[dict[str, object]] = []
    seconds: list[float] = []
    for question in questions(Git(path), seed, most):
        started = perf_counter()
        execution = ledger.execute(ledger.plan(question.text))
        seconds.append(perf_counter() - started)
        got = [
            (result.value, tuple(ledger.commits[number - 1].id for number in result.steps))
            for result in execution.results
        ]
        correct = len(got) == 1 and _same(got[0], question)
        families.setdefault(question.family, []).append(correct)
        if not correct:
            wrong.append({"question": question.text, "got": repr(got or execution.reason)[:300]})
    asked = sum(map(len, families.values()))
    return {
        "repository": Path(path).resolve().name,
        "commits": len(ledger.commits),
        "changes": len(ledger.rows),
        "read_s": round(read_s, 3),
        "answer_ms": milliseconds(seconds) if seconds else None,
        "questions": asked,
        "correct": asked - len(wrong),
        "correct_rate": round(1 - len(wrong) / max(asked, 1), 4),
        "families": {
            name: {"questions": len(right), "correct": sum(right), "correct_rate": round(sum(right) / len(right), 4)}
            for name, right in families.items()
        },
        "wrong": wrong,
    }


def _same(got: tuple[object, tuple[str, ...]], question: Question) -> bool:
    value, commits = got
    answer = question.answer
    if question.family == "order" or not isinstance(answer, tuple):
        return (value, sorted(commits)) == (answer, sorted(question.commits))
    if question.text.startswith("Which file was"):  # a tie has no order
        return isinstance(value, tuple) and sorted(value) == sorted(map(str, answer)) and commits == question.commits
    return (value, commits) == (answer, question.commits)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(prog="benchmarks.commits", description="The commit ledger against git itself.")
    parser.add_argument("repository", nargs="+", metavar="REPO")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--most", type=int, default=40, help="questions of a family, about")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    given = parser.parse_args(arguments)
    repositories = []
    for path in given.repository:
        say(f"{path} ...")
        repositories.append(run(path, given.seed, given.most))
    asked = sum(figures["questions"] for figures in repositories)
    correct = sum(figures["correct"] for figures in repositories)
    result = {
        "benchmark": "commits",
        "environment": environment(),
        "seed": given.seed,
        "questions": asked,
        "correct": correct,
        "correct_rate": round(correct / max(asked, 1), 4),
        "repositories": repositories,
    }
    rows = [
        {"repository": figures["repository"], "family": name, **row}
        for figures in repositories
        for name, row in figures["families"].items()
    ]
    emit(
        result, as_json=given.json, rows=rows, columns=["repository", "family", "questions", "correct", "correct_rate"]
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
