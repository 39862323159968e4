"""Is the answer among the records that CMC selects from a contradictory history, and what does a reader make of it?

    python -m benchmarks.factconsolidation FILE... [--reader URL] [--limit N] [--arms a,b] [--json]

FILE: FactConsolidation of MemoryAgentBench, one JSON object a file (`context`, `questions`, `answers`, `metadata`),
plain or gzipped. `coverage` is the share of questions whose gold string occurs in the evidence; `label_superseded`
counts those among the misses whose gold answer is an earlier value of a key that was reached.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.evaluation import Source, command_line, report
from memory_evidence.cmc.frontends.factconsolidation import FACTCONSOLIDATION
from memory_evidence.cmc.frontends.patterns import PatternGrammar
from memory_evidence.cmc.history import split_history


def read_json(path: Path) -> Any:
    """Read a JSON file, plain or gzipped."""
    raw = path.read_bytes()
    return json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)


def load(path: Path) -> Source:
    """Read one file of the benchmark."""
    data = read_json(path)
    golds = tuple((gold,) if isinstance(gold, str) else tuple(gold) for gold in data["answers"])
    return Source(data["metadata"]["source"], tuple(split_history(data["context"])), tuple(data["questions"]), golds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    parser = command_line("benchmarks.factconsolidation", "Coverage and reader accuracy on FactConsolidation.")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    given = parser.parse_args(arguments)
    sources = [load(path) for path in given.files]
    report("factconsolidation", sources, PatternGrammar(FACTCONSOLIDATION), parser, given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
