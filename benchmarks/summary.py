"""Run every benchmark, keep the results in `benchmarks/results/`, and write the tables of README and docs from them.

    python -m benchmarks.summary --data FOLDER [--port N] [--only NAME,...]
    python -m benchmarks.summary --tables        # only the tables, from the kept results

The reader is a local server on loopback (`python -m tests.local_server`), started and ended here.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks import cable_tables, tables
from benchmarks.common import say
from benchmarks.tables import RESULTS

ROOT = Path(__file__).resolve().parent.parent
PAGES: dict[Path, dict[str, Callable[[], str]]] = {
    ROOT / "README.md": {"headlines": tables.headlines},
    ROOT / "docs" / "figures.md": {"CMC": tables.cmc, "TallyMem": tables.tally, "CABLE": cable_tables.cable},
}


def jobs(data: Path, url: str, cache: str) -> dict[str, list[str]]:
    """Return the command line of each result, by the name of its file; vectors are kept in the folder `cache`."""
    facts = sorted(map(str, (data / "factconsolidation").glob("*.json.gz")))
    ama = str(data / "ama_bench" / "ama_dev.jsonl.gz")
    mquake = [str(path) for path in sorted((data / "mquake").glob("*.json.gz"))]
    recorded = {
        name: ["--" + name, str(data / "locomo" / f"{name}.jsonl.gz")] for name in ("links", "queries", "candidates")
    }
    links = recorded["links"]
    locomo = ["benchmarks.locomo_reach", str(data / "locomo" / "locomo_dev.json.gz"), "--cache", cache]
    dense = [*locomo, *_reach("dense", 45, 5), "--compare"]
    constructed = [*dense, *links, *recorded["queries"]]
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
        "ama_counts": ["benchmarks.ama_counts", ama, "--cl100k"],
        "commits": ["benchmarks.commits", str(ROOT)],
        "tally_growth": ["benchmarks.tally_growth"],
        **{
            f"locomo_{host}_{n}": [*locomo, *links, *_reach(host, n, m), "--compare"]
            for host, n, m in cable_tables.REACHES
        },
        **{f"locomo_{host}_{n}": [*locomo, *links, *_reach(host, n, m)] for host, n, m in cable_tables.REAL_HOSTS},
        # These embed each question anew, with torch: one conversation takes minutes.
        **{
            f"locomo_{host}_45": [*locomo, *links, *_reach(host, 45, 5), "--only", cable_tables.JUDGED[-1]]
            for host in ("amem", "simplemem")
        },
        "locomo_rules": [*dense, "--only", *cable_tables.JUDGED],
        "locomo_beside": [*dense, *links, *recorded["candidates"], "--beside"],
        "locomo_construction": constructed,
        "locomo_no_subtraction": [*constructed, *recorded["candidates"], "--ablate", "subtraction"],
        "locomo_no_verification": [*constructed, "--ablate", "verification"],
        "locomo_generic": [*constructed, "--ablate", "generic"],
        "cable_soak": ["benchmarks.cable_growth", "--most", "1", "--soak", "60"],
        "cable_growth": ["benchmarks.cable_growth"],
    }


def _reach(host: str, budget: int, replace: int) -> list[str]:
    return ["--host", host, "--budget", str(budget), "--replace", str(replace)]


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
    with tempfile.TemporaryDirectory() as cache:
        for name, command in jobs(data, f"http://127.0.0.1:{port}/v1", cache).items():
            if only and name not in only:
                continue
            if (needed := cable_tables.NEEDS.get(name)) and find_spec(needed) is None:
                say(f"{name}: {needed} is not installed here; its environment is that of `make test-hosts`")
                continue
            say(f"{name} ...")
            with local_server(port) if "--reader" in command else contextlib.nullcontext():
                done = subprocess.run(
                    [sys.executable, "-m", *command, "--json"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
                )
            text = json.dumps(without_texts(json.loads(done.stdout)), indent=1, ensure_ascii=False)
            (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def without_texts(result: Any) -> Any:
    """Return a result without the questions and answers in it: data is measured on, never kept here."""
    if isinstance(result, dict):
        texts = ("question", "gold", "answer", "text")
        return {k: without_texts(v) for k, v in result.items() if not (k in texts and isinstance(v, str))}
    return [without_texts(each) for each in result] if isinstance(result, list) else result


def pages() -> dict[Path, str]:
    """Return README and page of figures as they should be, with tables from the kept results."""
    found: dict[Path, str] = {}
    for path, sections in PAGES.items():
        text = path.read_text(encoding="utf-8")
        for name, table in sections.items():
            start, stop = f"<!-- {name}: written by `make bench` -->", f"<!-- end of {name} -->"
            head, rest = text.split(start, 1)
            text = f"{head}{start}\n\n{table()}\n\n{stop}{rest.split(stop, 1)[1]}"
        found[path] = text
    return found


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
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
