"""What the benchmarks share: scoring, intervals, percentiles, output."""

from __future__ import annotations

import json
import platform
import random
import re
import string
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from statistics import median
from time import perf_counter
from typing import Any

SEED = 20260101
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = frozenset(string.punctuation)


def normalise(text: str) -> str:
    """Return `text` as the official scorer compares it: lower case, no punctuation, no articles, single spaces."""
    plain = "".join(character for character in text.lower() if character not in _PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", plain).split())


def contains(text: str, golds: Iterable[str]) -> bool:
    """Substring exact match: whether any gold answer occurs in `text`, both normalised."""
    normal = normalise(text)
    return any(normalise(gold) in normal for gold in golds)


def equals(text: str, golds: Iterable[str]) -> bool:
    """Strict match: whether `text` is one of the gold answers, both normalised."""
    normal = normalise(text)
    return any(normalise(gold) == normal for gold in golds)


def milliseconds(seconds: Sequence[float]) -> dict[str, float]:
    """Return median and 95th percentile of durations, in milliseconds."""
    ordered = sorted(seconds)
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return {"median": round(1e3 * median(ordered), 4), "p95": round(1e3 * p95, 4)}


def paired(ours: Sequence[bool], other: Sequence[bool], clusters: Sequence[str]) -> dict[str, Any]:
    """Compare two arms question by question.

    Returns:
        Wins, ties and losses of `ours`, the difference in points, and its 95% percentile bootstrap interval, resampling
        `clusters` (questions that occur in several sources count as one).
    """
    groups: dict[str, list[int]] = {}
    for cluster, a, b in zip(clusters, ours, other, strict=True):
        groups.setdefault(cluster, []).append(int(a) - int(b))
    sums = [(sum(group), len(group)) for group in groups.values()]
    draw = random.Random(SEED)
    differences = []
    for _ in range(2_000):
        sample = draw.choices(sums, k=len(sums))
        differences.append(sum(s for s, _ in sample) / sum(n for _, n in sample))
    differences.sort()
    return {
        "wins": sum(a and not b for a, b in zip(ours, other, strict=True)),
        "ties": sum(a == b for a, b in zip(ours, other, strict=True)),
        "losses": sum(b and not a for a, b in zip(ours, other, strict=True)),
        "difference": round(100 * (sum(ours) - sum(other)) / len(ours), 2),
        "interval_95": [round(100 * differences[50], 2), round(100 * differences[1949], 2)],
    }


def environment(*packages: str) -> dict[str, str]:
    """Return the versions that figures depend on."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for name in ("memory-evidence", *packages):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def emit(
    result: Mapping[str, Any], *, as_json: bool, rows: Sequence[Mapping[str, Any]], columns: Sequence[str]
) -> None:
    """Print `result` as one JSON object, or `rows` as a table."""
    if as_json:
        print(json.dumps(result, ensure_ascii=False))
        return
    cells = [[_cell(row.get(column)) for column in columns] for row in rows]
    widths = [
        max(len(column), *(len(line[i]) for line in cells)) if cells else len(column)
        for i, column in enumerate(columns)
    ]
    for line in [list(columns), *cells]:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())


def say(text: str) -> None:
    """Tell a waiting person how far it is, on a terminal only."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, Mapping):
        return "/".join(_cell(v) for v in value.values())
    return "" if value is None else str(value)


def timed(call: Callable[[], object]) -> float:
    """Return how long `call` took, in seconds."""
    started = perf_counter()
    call()
    return perf_counter() - started
