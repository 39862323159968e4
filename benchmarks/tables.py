"""The tables of `docs/figures.md` and of the README, made from the kept results; CABLE's are in `cable_tables`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"


def cmc() -> str:
    """Return the tables about CMC."""
    facts, reader = result_of("factconsolidation"), result_of("factconsolidation_reader")
    stream, english = result_of("memstream"), result_of("memstream_english")
    updates, growth = result_of("knowledge_updates"), result_of("growth")
    lines = ["FactConsolidation: is the gold string in the evidence (100 questions a source)?", ""]
    lines += table(
        ["source", "records", "CMC", "shown", "BM25 top 10", "BM25, as many", "read, ms (median / p95)", "BM25, ms"],
        (
            [
                _source(source),
                f"{source['records']:,}",
                f"**{percent(source['coverage'])}**",
                f"{source['records_mean']:.1f}",
                percent(source["arms"]["fact_bm25"]["coverage"]),
                percent(source["arms"]["fact_bm25_matched"]["coverage"]),
                spread(source["read_ms"]),
                f"{source['arms']['fact_bm25']['read_ms']['median']:.2f}",
            ]
            for source in facts["sources"]
        ),
    )
    lines += ["", "A 135M reader (SmolLM2) answers from it, accuracy over 100 questions each:", ""]
    names = list(reader["sources"][0]["accuracy"])
    lines += table(
        ["source", *(f"`{name}`" for name in names)],
        ([_source(s), *(percent(s["accuracy"][name]) for name in names)] for s in reader["sources"]),
    )
    lines += ["", "Knowledge updates in natural dialogue, recorded extraction:", ""]
    lines += table(
        ["arm", "answer in evidence", "questions with an outdated value unmarked", "records shown"],
        (
            [
                f"`{name}`",
                percent(arm["gold_in_evidence"]),
                f"{arm['stale_unmarked']} of {updates['questions']}",
                f"{arm['records_mean']:.1f}",
            ]
            for name, arm in updates["arms"].items()
        ),
    )
    lines += ["", "MQuAKE-MemStream, gold string in the evidence:", ""]
    lines += table(
        ["questions", "CMC, patterns", "CMC, default English grammar", "BM25 top 10"],
        (
            [
                source["source"],
                *map(percent, (source["coverage"], plain["coverage"], source["arms"]["fact_bm25"]["coverage"])),
            ]
            for source, plain in zip(stream["sources"], english["sources"], strict=True)
        ),
    )
    lines += ["", "Growth:", ""]
    lines += table(
        ["records", "ingest/s, memory", "ingest/s, file", "read, ms (median / p95)", "BM25, ms", "bytes a record"],
        (
            [
                f"{size['records']:,}",
                f"{size['memory_ingest_per_s']:,}",
                f"{size['file_ingest_per_s']:,}",
                spread(size["read_ms"]),
                f"{size['bm25_ms']['median']:.2f}" if "bm25_ms" in size else "",
                str(size.get("bytes_per_record", "")),
            ]
            for size in growth["sizes"]
        ),
    )
    return "\n".join(lines)


_NO_VALUE = {"fixed_counter": "gives groups, no value", "view_only": "computes none"}


def tally() -> str:
    """Return the tables about TallyMem."""
    probe, counts = result_of("ama_probe"), result_of("ama_counts")
    commits, growth = result_of("commits"), result_of("tally_growth")
    titles = {"rules": "rules, no model", "fixed_counter": "one plan for all: count by tool", "view_only": "view alone"}
    lines = [
        f"Generated questions with known event sets ({probe['questions']} over AMA-Bench's household and code logs):",
        "",
    ]
    lines += table(
        ["arm", "exactly the event set", "needed steps found", "value correct"],
        (
            [
                title,
                percent(probe["arms"][name]["exact_rate"]),
                percent(probe["arms"][name]["recall"]),
                _NO_VALUE.get(name) or percent(probe["arms"][name]["answer_correct"]),
            ]
            for name, title in titles.items()
        ),
    )
    lines += ["", "Real counting and listing questions of AMA-Bench with parseable gold answers:", ""]
    lines += table(
        ["steps in the answer", "questions", "block holds all of it", "view shows all steps", "and none of them cut"],
        (
            [load, str(row["questions"]), *(percent(row[f"{name}_rate"]) for name in ("held", "view", "view_whole"))]
            for load, row in {**counts["bins"], "all": counts}.items()
        ),
    )
    (repository,) = commits["repositories"]
    lines += [
        "",
        f"This repository's history of {repository['commits']} commits: {commits['correct']} of {commits['questions']} "
        "generated questions answered as git answers them by other commands.",
        "",
    ]
    lines += table(
        ["steps", "rows built/s", "slowest operation over all rows, ms", "one more step, ms", "compile a question, ms"],
        (
            [
                f"{size['steps']:,}",
                f"{size['rows_per_s']:,}",
                f"{size['slowest_ms']:.1f}",
                f"{size['append_ms']['median']:.2f}",
                f"{size['compile_ms']['median']:.2f}",
            ]
            for size in growth["sizes"]
        ),
    )
    return "\n".join(lines)


def headlines() -> str:
    """Return the README's table: one figure or two of each technique, beside what is used today."""
    facts, reader = result_of("factconsolidation"), result_of("factconsolidation_reader")
    probe, counts = result_of("ama_probe"), result_of("ama_counts")
    large = next(source for source in facts["sources"] if source["source"].endswith("mh_262k"))
    small = next(source for source in reader["sources"] if source["source"].endswith("mh_6k"))
    dense = result_of("locomo_dense_45")
    reach, control = dense["by_conversation"], dense["scores"]["default"]["random_links"]
    accuracy, bm25 = small["accuracy"], large["arms"]["fact_bm25"]
    best = max(accuracy["cmc"], accuracy["cmc_path"])
    rules, counter = (probe["arms"][name]["exact_rate"] for name in ("rules", "fixed_counter"))
    return "\n".join(
        table(
            ["question", "today's choice", "with this package"],
            [
                [
                    "multi-hop over 18,332 changing facts: answer in the evidence",
                    f"BM25, 10 facts: {percent(bm25['coverage'])} in {bm25['read_ms']['median']:.1f} ms",
                    f"CMC: **{percent(large['coverage'])}** in {large['read_ms']['median']:.2f} ms",
                ],
                [
                    "the same over 455 facts: a 135M model's answer is right",
                    f"BM25: {percent(accuracy['fact_bm25'])}, dense: {percent(accuracy['fact_dense'])}",
                    f"CMC: **{percent(best)}**",
                ],
                [
                    f"{probe['questions']} counts, groups and orders over agents' logs: exact",
                    f"one counter for all: {percent(counter)}",
                    f"TallyMem, rules: **{percent(rules)}**",
                ],
                [
                    f"{counts['questions']} counting questions of AMA-Bench: the whole answer is there",
                    f"a view of 26,000 tokens (cl100k): {percent(counts['view_rate'])}",
                    f"TallyMem: **{percent(counts['held_rate'])}**",
                ],
                [
                    "LoCoMo, 45 entries: evidence recall, two conversations",
                    f"dense: {recalls(reach, 'host')[0]}",
                    f"CABLE: **{recalls(reach, 'cable')[0]}** (random links: {recalls(control, 'cable')[0]})",
                ],
            ],
        )
    )


def recalls(by_conversation: dict[str, dict[str, float]], arm: str) -> list[str]:
    """Return recall in points of each conversation, in one cell."""
    return [" / ".join(f"{100 * figures[arm]:.1f}" for figures in by_conversation.values())]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a Markdown table line by line."""
    return [_row(head), "|---" * len(head) + "|", *map(_row, rows)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _source(source: dict[str, Any]) -> str:
    return str(source["source"]).removeprefix("factconsolidation_")


def spread(times: dict[str, float]) -> str:
    """Return median and 95th percentile in milliseconds."""
    return f"{times['median']:.3f} / {times['p95']:.3f}"


def percent(share: float) -> str:
    """Return a share as a percentage without decimals."""
    return f"{100 * share:.0f}%"


def result_of(name: str) -> dict[str, Any]:
    """Return the kept result of this name."""
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return found
