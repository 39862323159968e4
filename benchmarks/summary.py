"""Run every benchmark, keep the results in `benchmarks/results/`, and write the README's tables from them.

    python -m benchmarks.summary --data FOLDER [--port N] [--only NAME,...]
    python -m benchmarks.summary --tables        # only the README, from the kept results

The reader is a local server on loopback (`python -m tests.local_server`), started and ended here.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import say

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
README = ROOT / "README.md"
START, STOP = "<!-- figures: written by `make bench` -->", "<!-- end of figures -->"
TALLY_START, TALLY_STOP = "<!-- tally figures: written by `make bench` -->", "<!-- end of tally figures -->"


def jobs(data: Path, url: str) -> dict[str, list[str]]:
    """Return the command line of each result, by the name of its file."""
    facts = sorted(map(str, (data / "factconsolidation").glob("*.json.gz")))
    ama = str(data / "ama_bench" / "ama_dev.jsonl.gz")
    mquake = [str(path) for path in sorted((data / "mquake").glob("*.json.gz"))]
    return {
        "factconsolidation": ["benchmarks.factconsolidation", *facts],
        "factconsolidation_reader": [
            "benchmarks.factconsolidation",
            *(name for name in facts if "_6k" in name),
            "--reader",
            url,
            "--arms",
            "cmc,cmc_path,current_bm25_top3,fact_bm25,fact_bm25_matched,fact_dense",
        ],
        "memstream": ["benchmarks.memstream", *mquake],
        "memstream_english": ["benchmarks.memstream", *mquake, "--frontend", "english", "--arms", "cmc,fact_bm25"],
        "knowledge_updates": ["benchmarks.knowledge_updates", str(data / "knowledge_updates")],
        "growth": ["benchmarks.growth"],
        "ama_probe": ["benchmarks.ama_probe", ama],
        "ama_counts": ["benchmarks.ama_counts", ama],
        "commits": ["benchmarks.commits", str(ROOT)],
        "tally_growth": ["benchmarks.tally_growth"],
    }


@contextlib.contextmanager
def local_server(port: int) -> Iterator[str]:
    """Serve the local model on loopback while the block runs; yields its URL."""
    server = subprocess.Popen([sys.executable, "-m", "tests.local_server", "--port", str(port)], cwd=ROOT)
    url = f"http://127.0.0.1:{port}/v1"
    try:
        for _ in range(120):
            with contextlib.suppress(urllib.error.URLError, ConnectionError), urllib.request.urlopen(f"{url}/models"):
                break
            if server.poll() is not None:
                raise RuntimeError("the local model server ended; are the packages of requirements-models installed?")
            time.sleep(0.5)
        yield url
    finally:
        server.terminate()
        server.wait(timeout=30)


def run(data: Path, port: int, only: Sequence[str]) -> None:
    """Run the jobs and keep what each prints."""
    RESULTS.mkdir(exist_ok=True)
    for name, command in jobs(data, f"http://127.0.0.1:{port}/v1").items():
        if only and name not in only:
            continue
        say(f"{name} ...")
        with local_server(port) if "--reader" in command else contextlib.nullcontext():
            done = subprocess.run(
                [sys.executable, "-m", *command, "--json"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
            )
        result = json.loads(done.stdout)
        (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def tables() -> str:
    """Return the README's tables, from the kept results."""
    facts, reader = _result("factconsolidation"), _result("factconsolidation_reader")
    stream, english = _result("memstream"), _result("memstream_english")
    updates, growth = _result("knowledge_updates"), _result("growth")
    lines = [
        "FactConsolidation: is the gold string in the evidence (100 questions a source)?",
        "",
        "| source | records | CMC | shown | BM25 top 10 | BM25, as many | read, ms (median / p95) | BM25, ms |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for source in facts["sources"]:
        arms = source["arms"]
        lines.append(
            f"| {source['source'].removeprefix('factconsolidation_')} | {source['records']:,} "
            f"| **{_percent(source['coverage'])}** | {source['records_mean']:.1f} "
            f"| {_percent(arms['fact_bm25']['coverage'])} | {_percent(arms['fact_bm25_matched']['coverage'])} "
            f"| {source['read_ms']['median']:.3f} / {source['read_ms']['p95']:.3f} "
            f"| {arms['fact_bm25']['read_ms']['median']:.2f} |"
        )
    lines += ["", "A 135M reader (SmolLM2) answers from it, accuracy over 100 questions each:", ""]
    names = list(reader["sources"][0]["accuracy"])
    lines += ["| source | " + " | ".join(f"`{name}`" for name in names) + " |", "|---" * (len(names) + 1) + "|"]
    for source in reader["sources"]:
        cells = " | ".join(_percent(source["accuracy"][name]) for name in names)
        lines.append(f"| {source['source'].removeprefix('factconsolidation_')} | {cells} |")
    lines += ["", "Knowledge updates in natural dialogue, recorded extraction:", ""]
    lines += [
        "| arm | answer in evidence | questions with an outdated value unmarked | records shown |",
        "|---|---|---|---|",
    ]
    for name, arm in updates["arms"].items():
        cells = f"{_percent(arm['gold_in_evidence'])} | {arm['stale_unmarked']} of {updates['questions']}"
        lines.append(f"| `{name}` | {cells} | {arm['records_mean']:.1f} |")
    lines += ["", "MQuAKE-MemStream, gold string in the evidence:", ""]
    lines += ["| questions | CMC, patterns | CMC, default English grammar | BM25 top 10 |", "|---|---|---|---|"]
    for source, plain in zip(stream["sources"], english["sources"], strict=True):
        bm25 = source["arms"]["fact_bm25"]["coverage"]
        cells = " | ".join(map(_percent, (source["coverage"], plain["coverage"], bm25)))
        lines.append(f"| {source['source']} | {cells} |")
    lines += ["", "Growth:", ""]
    lines += [
        "| records | ingest/s in memory | ingest/s to a file | read, ms (median / p95) | BM25, ms | bytes a record |",
        "|---|---|---|---|---|---|",
    ]
    for size in growth["sizes"]:
        bm25_ms = f"{size['bm25_ms']['median']:.2f}" if "bm25_ms" in size else ""
        lines.append(
            f"| {size['records']:,} | {size['memory_ingest_per_s']:,} | {size['file_ingest_per_s']:,} "
            f"| {size['read_ms']['median']:.3f} / {size['read_ms']['p95']:.3f} | {bm25_ms} "
            f"| {size.get('bytes_per_record', '')} |"
        )
    return "\n".join(lines)


def tally_tables() -> str:
    """Return the README's tables about TallyMem, from the kept results."""
    probe, counts = _result("ama_probe"), _result("ama_counts")
    commits, growth = _result("commits"), _result("tally_growth")
    names = {"rules": "rules, no model", "fixed_counter": "one plan for all: count by tool", "view_only": "view alone"}
    lines = [
        f"Generated questions with known event sets ({probe['questions']} over AMA-Bench's household and code logs):",
        "",
        "| arm | exactly the event set | needed steps found | value correct |",
        "|---|---|---|---|",
    ]
    for name, title in names.items():
        arm = probe["arms"][name]
        exact, recall, correct = (_percent(arm[key]) for key in ("exact_rate", "recall", "answer_correct"))
        lines.append(f"| {title} | {exact} | {recall} | {correct if name != 'view_only' else 'computes none'} |")
    lines += ["", "Real counting and listing questions of AMA-Bench with parseable gold answers:", ""]
    lines += ["| steps in the answer | questions | block holds all of it | view shows all steps |", "|---|---|---|---|"]
    for load, row in {**counts["bins"], "all": counts}.items():
        lines.append(f"| {load} | {row['questions']} | {_percent(row['held_rate'])} | {_percent(row['view_rate'])} |")
    (repository,) = commits["repositories"]
    lines += [
        "",
        f"This repository's history of {repository['commits']} commits: {commits['correct']} of {commits['questions']} "
        "generated questions answered as git answers them by other commands.",
        "",
        "| steps | rows built/s | slowest operation over all rows, ms | one more step, ms | compile a question, ms |",
        "|---|---|---|---|---|",
    ]
    for size in growth["sizes"]:
        append, compiled = (size[key]["median"] for key in ("append_ms", "compile_ms"))
        lines.append(
            f"| {size['steps']:,} | {size['rows_per_s']:,} | {size['slowest_ms']:.1f} | {append:.2f} | {compiled:.2f} |"
        )
    return "\n".join(lines)


def readme_with(figures: str, tally: str) -> str:
    """Return the README with the figures between their markers."""
    text = _between(README.read_text(encoding="utf-8"), START, STOP, figures)
    return _between(text, TALLY_START, TALLY_STOP, tally) if TALLY_START in text else text


def _between(text: str, start: str, stop: str, figures: str) -> str:
    head, rest = text.split(start, 1)
    tail = rest.split(stop, 1)[1]
    return f"{head}{start}\n\n{figures}\n\n{stop}{tail}"


def _result(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks, or only write the README's tables."""
    parser = argparse.ArgumentParser(prog="benchmarks.summary", description="Every benchmark, and the README's tables.")
    parser.add_argument("--data", type=Path, metavar="FOLDER")
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--only", metavar="NAME,...", default="")
    parser.add_argument("--tables", action="store_true")
    given = parser.parse_args(arguments)
    if not given.tables:
        if given.data is None or not given.data.is_dir():
            parser.error("--data must name the folder that holds ama_bench/, factconsolidation/, mquake/ and others")
        run(given.data, given.port, [name for name in given.only.split(",") if name])
    README.write_text(readme_with(tables(), tally_tables()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
