"""Run the arms of evidence selection over histories with questions, and pool the figures."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from benchmarks.arms import Arms, Shown, options
from benchmarks.common import contains, emit, environment, equals, milliseconds, paired, say
from benchmarks.readers import Reader
from benchmarks.retrieval import dense_available
from memory_evidence.bulk import bulk
from memory_evidence.cmc.evidence import Evidence
from memory_evidence.cmc.facts import Frontend
from memory_evidence.cmc.index import CompiledIndex
from memory_evidence.cmc.reading import read
from memory_evidence.cmc.traverse import traverse
from memory_evidence.records import Record

SLICE = 500
"""Records indexed at a time, as `ContractMemory` does."""
DENSE_LIMIT = 5_000
"""Records above which the dense arm is left out unless it is asked for: embedding them takes minutes."""


@dataclass(frozen=True)
class Source:
    """One history with its questions."""

    name: str
    records: tuple[str, ...]
    questions: tuple[str, ...]
    golds: tuple[tuple[str, ...], ...]


def compile_records(records: Sequence[str], frontend: Frontend) -> tuple[CompiledIndex, float]:
    """Compile `records`; returns the index and records per second."""
    index = CompiledIndex(
        multi_valued=frozenset(), synonyms={}, aliases={}, hub_limit=8, rank_unresolved=False, list_slots=False
    )
    started = perf_counter()
    for start in range(0, len(records), SLICE):
        part = records[start : start + SLICE]
        with bulk(part):  # as a memory does it
            for position, text in enumerate(part, start + 1):
                record = Record(position, text)
                index.add(record, frontend.extract(record))
    return index, len(records) / max(perf_counter() - started, 1e-9)


@dataclass(frozen=True)
class Outcome:
    """One source's figures, with what pooling several sources needs."""

    source: Source
    figures: dict[str, Any]
    right: dict[str, list[bool]]
    """Per arm, which questions came out right: by the reader, or without one by coverage."""
    read_s: list[float]


def evaluate(source: Source, frontend: Frontend, names: Sequence[str] | None, reader: Reader | None) -> Outcome:
    """Run the chosen arms over one source."""
    index, rate = compile_records(source.records, frontend)
    arms = Arms(index)
    chosen = list(names) if names else _default_arms(len(source.records))
    figures: dict[str, dict[str, Any]] = {}
    right: dict[str, list[bool]] = {}
    for name in ["cmc", *(name for name in chosen if name != "cmc")]:
        say(f"{source.name}: {name}")
        figures[name], right[name] = _run(arms.arm(name), source, reader)
    for name in figures:
        if name != "cmc":
            figures[name]["cmc_against_it"] = paired(right["cmc"], right[name], source.questions)
    read_s, misses = _reads(index, source)
    cmc = figures["cmc"]
    result: dict[str, Any] = {
        "source": source.name,
        "records": len(source.records),
        "questions": len(source.questions),
        "coverage": cmc["coverage"],
        "label_superseded": sum(miss["reason"] == "label superseded" for miss in misses),
        "records_mean": cmc["records_mean"],
        "build_records_per_s": round(rate),
        "read_ms": milliseconds(read_s),
        "misses": misses,
        "arms": figures,
    }
    bm25 = figures.get("fact_bm25")
    if bm25:
        result["times_faster_than_bm25"] = round(bm25["read_ms"]["median"] / result["read_ms"]["median"], 1)
    if reader:
        result["accuracy"] = {name: figure["accuracy"] for name, figure in figures.items()}
    return Outcome(source, result, right, read_s)


def _default_arms(records: int) -> list[str]:
    dense = records <= DENSE_LIMIT and dense_available()
    return [name for name in Arms.NAMES if name != "fact_dense" or dense]


def _run(arm: Callable[[str], Shown], source: Source, reader: Reader | None) -> tuple[dict[str, Any], list[bool]]:
    arm(source.questions[0])  # builds what the arm searches
    shown: list[Shown] = []
    seconds: list[float] = []
    for question in source.questions:
        started = perf_counter()
        shown.append(arm(question))
        seconds.append(perf_counter() - started)
    covered = [contains(s.text, gold) for s, gold in zip(shown, source.golds, strict=True)]
    figure: dict[str, Any] = {
        "coverage": round(sum(covered) / len(covered), 4),
        "records_mean": round(sum(len(s.positions) for s in shown) / len(shown), 2),
        "read_ms": milliseconds(seconds),
    }
    if reader is None:
        return figure, covered
    answers = [reader.answer(q, s.texts) for q, s in zip(source.questions, shown, strict=True)]
    right = [contains(answer, gold) for answer, gold in zip(answers, source.golds, strict=True)]
    figure["accuracy"] = round(sum(right) / len(right), 4)
    strict = [equals(answer, gold) for answer, gold in zip(answers, source.golds, strict=True)]
    figure["strict_accuracy"] = round(sum(strict) / len(strict), 4)
    return figure, right


def _reads(index: CompiledIndex, source: Source) -> tuple[list[float], list[dict[str, str]]]:
    """Time whole reads, from anchoring to rendered text, and say why each miss is one."""
    how = options()
    for question in source.questions:
        read(index, question, how, None)
    seconds: list[float] = []
    shown: list[Evidence] = []
    for question in source.questions:  # nothing else in between, as for every arm
        started = perf_counter()
        evidence = read(index, question, how, None)
        seconds.append(perf_counter() - started)
        shown.append(evidence)
    misses = [
        {"question": evidence.question, "gold": golds[0], "reason": _reason(index, evidence.question, golds)}
        for evidence, golds in zip(shown, source.golds, strict=True)
        if not contains(evidence.text, golds) or evidence.receipt.fallback
    ]
    return seconds, misses


def _reason(index: CompiledIndex, question: str, golds: Sequence[str]) -> str:
    anchors = index.anchors.find(question)
    if not anchors:
        return "no subject named"
    evidence = read(index, question, options(), None)
    if any(contains(old.object, golds) for old in evidence.receipt.superseded):
        return "label superseded"
    farther = traverse(index.graph, anchors, hops=50)
    if any(contains(statement.object, golds) for statement, _ in farther.edges):
        return "beyond the hop limit"
    graph = index.graph
    if not any(contains(s.object, golds) for subject in graph.subjects() for s in graph.current(subject)):
        return "label is no current value of any key"
    return "no current link leads to the label"


def totals(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Pool the sources: sums, means over questions, and paired comparisons over all questions."""
    results = [outcome.figures for outcome in outcomes]
    questions = sum(result["questions"] for result in results)

    def mean(key: str) -> float:
        return float(round(sum(result[key] * result["questions"] for result in results) / questions, 4))

    shared = [name for name in outcomes[0].right if all(name in outcome.right for outcome in outcomes)]
    pooled = {name: [value for outcome in outcomes for value in outcome.right[name]] for name in shared}
    clusters = [question for outcome in outcomes for question in outcome.source.questions]
    build_s = sum(result["records"] / result["build_records_per_s"] for result in results)
    total: dict[str, Any] = {
        "questions": questions,
        "coverage": mean("coverage"),
        "label_superseded": sum(result["label_superseded"] for result in results),
        "records_mean": mean("records_mean"),
        "build_records_per_s": round(sum(result["records"] for result in results) / build_s),
        "read_ms": milliseconds([seconds for outcome in outcomes for seconds in outcome.read_s]),
        "cmc_against": {name: paired(pooled["cmc"], pooled[name], clusters) for name in shared if name != "cmc"},
    }
    if "accuracy" in results[0]:
        total["accuracy"] = {name: round(sum(pooled[name]) / questions, 4) for name in shared}
    return total


def command_line(prog: str, about: str) -> argparse.ArgumentParser:
    """Return a parser with the options that every benchmark of arms has."""
    parser = argparse.ArgumentParser(prog=prog, description=about)
    parser.add_argument("--reader", metavar="URL", help="OpenAI-compatible server that answers")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N questions of each source")
    parser.add_argument("--arms", metavar="A,B", help="only these arms (cmc is always run)")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    return parser


def report(
    name: str, sources: Sequence[Source], frontend: Frontend, parser: argparse.ArgumentParser, given: argparse.Namespace
) -> None:
    """Evaluate `sources` as the command line asks, and print the figures."""
    names = given.arms.split(",") if given.arms else None
    if unknown := sorted(set(names or ()) - set(Arms.NAMES)):
        parser.error(f"unknown arms {', '.join(unknown)}; known: {', '.join(Arms.NAMES)}")
    reader = Reader(given.reader) if given.reader else None
    outcomes = [evaluate(_limited(source, given.limit), frontend, names, reader) for source in sources]
    results = [outcome.figures for outcome in outcomes]
    result = {
        "benchmark": name,
        "environment": environment("bm25s"),
        "sources": results,
        "total": totals(outcomes),
    }
    rows = [{"source": r["source"], "arm": arm, **figure} for r in results for arm, figure in r["arms"].items()]
    columns = ["source", "arm", "coverage", "accuracy", "records_mean", "read_ms"]
    emit(result, as_json=given.json, rows=rows, columns=columns)


def _limited(source: Source, limit: int | None) -> Source:
    if limit is None:
        return source
    return Source(source.name, source.records, source.questions[:limit], source.golds[:limit])
