"""What reads and writes cost as a memory grows, from 1,000 to 1,000,000 records.

    python -m benchmarks.growth [--most 1000000] [--questions 300] [--seed N] [--json]

The history is made up: people work at firms, firms are located in cities, cities lie in countries, and one record in
four changes what an earlier one said. Questions follow three hops. For each size: records per second in memory (grammar
and compilation), through the in-memory store and through a SQLite file in batches of 1,000; bytes of memory a record;
seconds to reopen the file; read times from anchoring to rendered text, in memory and with the look at the file that
notices other writers. `hub` is a subject with one edge for every tenth record, asked by a word of one of them.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import tracemalloc
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.arms import options
from benchmarks.common import SEED, emit, environment, milliseconds, say, timed
from benchmarks.evaluation import compile_records
from benchmarks.retrieval import BM25
from memory_evidence.cmc import ContractMemory
from memory_evidence.cmc.frontends.patterns import Pattern, PatternGrammar
from memory_evidence.cmc.reading import read

PATTERNS = (
    Pattern("{subject} works at {object}"),
    Pattern("{subject} is located in {object}"),
    Pattern("{subject} lies in {object}"),
    Pattern("the {relation} of {subject} is {object}"),
)
BATCH = 1_000
SIZES = (1_000, 10_000, 100_000, 1_000_000)
BM25_LIMIT = 100_000


def history(size: int, seed: int) -> Iterator[str]:
    """Yield `size` records: people, firms, cities, and changes of what was said before."""
    draw = random.Random(seed)
    for number in range(size):
        group = number // 4
        kind = number % 4
        if kind == 0:
            yield f"Person {group} works at Firm {draw.randrange(group + 1)}."
        elif kind == 1:
            yield f"Firm {group} is located in City {draw.randrange(group + 1)}."
        elif kind == 2:
            yield f"City {group} lies in Country {draw.randrange(200)}."
        else:
            yield f"Person {draw.randrange(group + 1)} works at Firm {draw.randrange(group + 1)}."


def questions(size: int, count: int, seed: int) -> list[str]:
    """Return three-hop questions about people of the history."""
    draw = random.Random(seed + 1)
    return [f"In which country is the employer of Person {draw.randrange(max(size // 4, 1))}?" for _ in range(count)]


def measure(size: int, asked: int, seed: int) -> dict[str, Any]:
    """Return the figures of one size."""
    texts = list(history(size, seed))
    asks = questions(size, asked, seed)
    grammar = PatternGrammar(PATTERNS)
    say(f"{size:,} records")
    index, rate = compile_records(texts, grammar)
    how = options()
    for question in asks[:20]:
        read(index, question, how, None)
    reads: list[float] = []
    shown = 0
    for question in asks:
        started = perf_counter()
        evidence = read(index, question, how, None)
        reads.append(perf_counter() - started)
        shown += len(evidence.positions)
    figures: dict[str, Any] = {
        "records": size,
        "compile_records_per_s": round(rate),
        "read_ms": milliseconds(reads),
        "records_mean": round(shown / len(asks), 2),
        "memory_ingest_per_s": _ingest("sqlite://", texts, grammar, asks)["ingest_per_s"],
    }
    if size <= BM25_LIMIT:
        bm25 = BM25(texts)
        bm25.top(asks[0], 10)
        figures["bm25_ms"] = milliseconds([timed(partial(bm25.top, question, 10)) for question in asks[:100]])
        figures["bytes_per_record"] = _bytes(texts, grammar)
    del index
    with tempfile.TemporaryDirectory() as folder:
        file = _ingest(f"sqlite:///{Path(folder) / 'growth.db'}", texts, grammar, asks)
    figures |= {f"file_{name}": value for name, value in file.items()}
    figures["hub_read_ms"] = _hub(max(size // 10, 10))
    return figures


def _ingest(url: str, texts: Sequence[str], grammar: PatternGrammar, asks: Sequence[str]) -> dict[str, Any]:
    memory = ContractMemory(("growth",), store=url, frontend=grammar)
    rows = iter(texts)
    started = perf_counter()
    while batch := list(islice(rows, BATCH)):
        memory.add(batch)
    elapsed = perf_counter() - started
    seconds = [timed(partial(memory.read, question)) for question in asks]
    memory.close()
    found: dict[str, Any] = {"ingest_per_s": round(len(texts) / elapsed), "read_ms": milliseconds(seconds)}
    if url != "sqlite://":
        started = perf_counter()
        with ContractMemory(("growth",), store=url, frontend=grammar) as again:
            again.read(asks[0])
        found["reopen_s"] = round(perf_counter() - started, 3)
    return found


def _bytes(texts: Sequence[str], grammar: PatternGrammar) -> int:
    """Return the memory that a compiled record takes, its text not counted."""
    tracemalloc.start()
    index, _ = compile_records(texts, grammar)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return round(held / len(index))


def _hub(edges: int) -> dict[str, float]:
    """Return read times of a subject with `edges` edges, after a first read that ranks them."""
    texts = [f"The code of item {number} of Depot is K{number}." for number in range(edges)]
    index, _ = compile_records(texts, PatternGrammar([Pattern("The code of {relation} of {subject} is {object}")]))
    how = options()
    read(index, "What is the code of item 1 of Depot?", how, None)
    draw = random.Random(edges)
    asks = [f"What is the code of item {draw.randrange(edges)} of Depot?" for _ in range(20)]
    return milliseconds([timed(partial(read, index, question, how, None)) for question in asks])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(prog="benchmarks.growth", description="Cost of reads and writes by size.")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="largest number of records")
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    given = parser.parse_args(arguments)
    sizes = [measure(size, given.questions, given.seed) for size in SIZES if size <= given.most]
    ratio = sizes[-1]["read_ms"]["median"] / sizes[0]["read_ms"]["median"]
    result = {
        "benchmark": "growth",
        "environment": environment("bm25s", "sqlalchemy"),
        "seed": given.seed,
        "sizes": sizes,
        "read_median_last_against_first": round(ratio, 2),
    }
    columns = [
        "records",
        "compile_records_per_s",
        "memory_ingest_per_s",
        "file_ingest_per_s",
        "read_ms",
        "file_read_ms",
        "bm25_ms",
    ]
    emit(result, as_json=given.json, rows=sizes, columns=columns)
    return 0


if __name__ == "__main__":
    sys.exit(main())
