"""The tables of `docs/figures.md` and of the README, made from the kept results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"
REACHES = tuple((host, *budget) for host in ("dense", "bm25", "fused") for budget in ((10, 2), (20, 3), (45, 5)))
"""Host, entries, and how many of them may be exchanged, for which reach on LoCoMo is kept."""


def cmc() -> str:
    """Return the tables about CMC."""
    facts, reader = _result("factconsolidation"), _result("factconsolidation_reader")
    stream, english = _result("memstream"), _result("memstream_english")
    updates, growth = _result("knowledge_updates"), _result("growth")
    lines = ["FactConsolidation: is the gold string in the evidence (100 questions a source)?", ""]
    lines += _table(
        ["source", "records", "CMC", "shown", "BM25 top 10", "BM25, as many", "read, ms (median / p95)", "BM25, ms"],
        (
            [
                _source(source),
                f"{source['records']:,}",
                f"**{_percent(source['coverage'])}**",
                f"{source['records_mean']:.1f}",
                _percent(source["arms"]["fact_bm25"]["coverage"]),
                _percent(source["arms"]["fact_bm25_matched"]["coverage"]),
                _spread(source["read_ms"]),
                f"{source['arms']['fact_bm25']['read_ms']['median']:.2f}",
            ]
            for source in facts["sources"]
        ),
    )
    lines += ["", "A 135M reader (SmolLM2) answers from it, accuracy over 100 questions each:", ""]
    names = list(reader["sources"][0]["accuracy"])
    lines += _table(
        ["source", *(f"`{name}`" for name in names)],
        ([_source(s), *(_percent(s["accuracy"][name]) for name in names)] for s in reader["sources"]),
    )
    lines += ["", "Knowledge updates in natural dialogue, recorded extraction:", ""]
    lines += _table(
        ["arm", "answer in evidence", "questions with an outdated value unmarked", "records shown"],
        (
            [
                f"`{name}`",
                _percent(arm["gold_in_evidence"]),
                f"{arm['stale_unmarked']} of {updates['questions']}",
                f"{arm['records_mean']:.1f}",
            ]
            for name, arm in updates["arms"].items()
        ),
    )
    lines += ["", "MQuAKE-MemStream, gold string in the evidence:", ""]
    lines += _table(
        ["questions", "CMC, patterns", "CMC, default English grammar", "BM25 top 10"],
        (
            [
                source["source"],
                *map(_percent, (source["coverage"], plain["coverage"], source["arms"]["fact_bm25"]["coverage"])),
            ]
            for source, plain in zip(stream["sources"], english["sources"], strict=True)
        ),
    )
    lines += ["", "Growth:", ""]
    lines += _table(
        ["records", "ingest/s, memory", "ingest/s, file", "read, ms (median / p95)", "BM25, ms", "bytes a record"],
        (
            [
                f"{size['records']:,}",
                f"{size['memory_ingest_per_s']:,}",
                f"{size['file_ingest_per_s']:,}",
                _spread(size["read_ms"]),
                f"{size['bm25_ms']['median']:.2f}" if "bm25_ms" in size else "",
                str(size.get("bytes_per_record", "")),
            ]
            for size in growth["sizes"]
        ),
    )
    return "\n".join(lines)


def tally() -> str:
    """Return the tables about TallyMem."""
    probe, counts = _result("ama_probe"), _result("ama_counts")
    commits, growth = _result("commits"), _result("tally_growth")
    titles = {"rules": "rules, no model", "fixed_counter": "one plan for all: count by tool", "view_only": "view alone"}
    lines = [
        f"Generated questions with known event sets ({probe['questions']} over AMA-Bench's household and code logs):",
        "",
    ]
    lines += _table(
        ["arm", "exactly the event set", "needed steps found", "value correct"],
        (
            [
                title,
                _percent(probe["arms"][name]["exact_rate"]),
                _percent(probe["arms"][name]["recall"]),
                "computes none" if name == "view_only" else _percent(probe["arms"][name]["answer_correct"]),
            ]
            for name, title in titles.items()
        ),
    )
    lines += ["", "Real counting and listing questions of AMA-Bench with parseable gold answers:", ""]
    lines += _table(
        ["steps in the answer", "questions", "block holds all of it", "view shows all steps"],
        (
            [load, str(row["questions"]), _percent(row["held_rate"]), _percent(row["view_rate"])]
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
    lines += _table(
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


def cable() -> str:
    """Return the tables about CABLE."""
    lines = [
        "Evidence reached on LoCoMo with recorded links, recall in points, conversations 26 / 30, entry for entry:",
        "",
    ]
    lines += _table(
        ["host", "entries / open", "host alone", "paper's score", "ours", "ours, random links of the same degrees"],
        (
            [
                host,
                f"{budget} / {replace}",
                *_reach(reach["by_conversation"], "host"),
                *_reach(reach["scores"]["paper"]["by_conversation"], "cable"),
                *(f"**{cell}**" for cell in _reach(reach["scores"]["default"]["by_conversation"], "cable")),
                *_reach(reach["scores"]["default"]["random_links"], "cable"),
            ]
            for host, budget, replace in REACHES
            for reach in [_result(f"locomo_{host}_{budget}")]
        ),
    )
    rules, growth = _result("locomo_rules"), _result("cable_growth")
    lines += [
        "",
        "Links made by rules, without any model (dense, 45 / 5): "
        f"{_reach(rules['by_conversation'], 'host')[0]} becomes {_reach(rules['by_conversation'], 'cable')[0]}; "
        f"with random links in their place {_reach(rules['scores']['default']['random_links'], 'cable')[0]}.",
        "",
    ]
    lines += _table(
        ["memories", "links", "added to a read of 20, ms (median / p95)", "of 45", "links written/s"],
        (
            [
                f"{size['memories']:,}",
                f"{size['kept_links']:,}",
                _spread(size["read_20_ms"]["added"]),
                _spread(size["read_45_ms"]["added"]),
                f"{size['links_per_s']:,}",
            ]
            for size in growth["sizes"]
        ),
    )
    return "\n".join(lines)


def headlines() -> str:
    """Return the README's table: one figure or two of each technique, beside what is used today."""
    facts, reader = _result("factconsolidation"), _result("factconsolidation_reader")
    probe, counts = _result("ama_probe"), _result("ama_counts")
    large = next(source for source in facts["sources"] if source["source"].endswith("mh_262k"))
    small = next(source for source in reader["sources"] if source["source"].endswith("mh_6k"))
    reach = _result("locomo_dense_45")["by_conversation"]
    accuracy, bm25 = small["accuracy"], large["arms"]["fact_bm25"]
    best = max(accuracy["cmc"], accuracy["cmc_path"])
    rules, counter = (probe["arms"][name]["exact_rate"] for name in ("rules", "fixed_counter"))
    return "\n".join(
        _table(
            ["question", "today's choice", "with this package"],
            [
                [
                    "multi-hop over 18,332 changing facts: answer in the evidence",
                    f"BM25, 10 facts: {_percent(bm25['coverage'])} in {bm25['read_ms']['median']:.1f} ms",
                    f"CMC: **{_percent(large['coverage'])}** in {large['read_ms']['median']:.2f} ms",
                ],
                [
                    "the same over 455 facts: a 135M model's answer is right",
                    f"BM25: {_percent(accuracy['fact_bm25'])}, dense: {_percent(accuracy['fact_dense'])}",
                    f"CMC: **{_percent(best)}**",
                ],
                [
                    f"{probe['questions']} counts, groups and orders over agents' logs: exact",
                    f"one counter for all: {_percent(counter)}",
                    f"TallyMem, rules: **{_percent(rules)}**",
                ],
                [
                    f"{counts['questions']} counting questions of AMA-Bench: the whole answer is there",
                    f"a view of 26,000 tokens: {_percent(counts['view_rate'])}",
                    f"TallyMem: **{_percent(counts['held_rate'])}**",
                ],
                [
                    "LoCoMo, 45 entries: evidence recall, two conversations",
                    f"dense: {_reach(reach, 'host')[0]}",
                    f"CABLE: **{_reach(reach, 'cable')[0]}**",
                ],
            ],
        )
    )


def _reach(by_conversation: dict[str, dict[str, float]], arm: str) -> list[str]:
    return [" / ".join(f"{100 * figures[arm]:.1f}" for figures in by_conversation.values())]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [_row(head), "|---" * len(head) + "|", *map(_row, rows)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _source(source: dict[str, Any]) -> str:
    return str(source["source"]).removeprefix("factconsolidation_")


def _spread(times: dict[str, float]) -> str:
    return f"{times['median']:.3f} / {times['p95']:.3f}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def _result(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return found
