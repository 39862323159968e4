"""How much of the evidence for LoCoMo's questions a host's search reaches, alone and with CABLE, entry for entry.

    python -m benchmarks.locomo_reach FILE --host dense|bm25|fused|chroma|mem0|amem|simplemem --budget N --replace M
        [--links FILE] [--queries FILE] [--candidates FILE] [--model URL]
        [--ablate subtraction|verification|queries|generic] [--score default|similarity|paper] [--half-life DAYS]
        [--compare] [--beside] [--random-links] [--only NAME ...] [--cache FOLDER] [--json]

One memory a turn. Recall of a question is the share of its evidence turns among the entries, averaged over questions.
Where links come from: `--links` takes recorded ones (one JSON object a line: `conversation`, `prior`, `new`) and scores
only conversations that have some; with `--queries`, recorded types and queries, the whole of link construction runs,
judged by what `--links` holds; `--model` asks an OpenAI-compatible server; without any the rules link, and no model.
`--beside` adds the rules' links to those of a model or of a record. `--random-links` puts random links of the same
degrees in their place. `--ablate generic` asks for a memory's topics, by rule, in the place of the recorded queries; a
pair that nobody judged counts as rejected, so that its figures are a lower bound. `--half-life` lets the support over a
link fade: a link is as old as the session of its later turn, and questions are asked when the last session ends.
`--compare` also reports every score, with the links and with five draws of random ones. With `--beside`, `--links` and
`--candidates`, `agreement` says how many of the rules' links the record judged and accepted, beside the share that it
accepted of all that it judged. Reading is timed without embedding the question, except in hosts that embed for
themselves (a-mem, simplemem).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any

from benchmarks.common import SEED, emit, environment, milliseconds, say
from benchmarks.locomo import CATEGORIES, Conversation, Pair, random_pairs, read_conversations, read_lines
from benchmarks.locomo_hosts import HOSTS, Searched, Vectors, open_host
from benchmarks.locomo_links import ABLATIONS, Agreement, linked, times
from memory_evidence.cable.cable import CableSettings
from memory_evidence.cable.expand import PAPER, SIMILARITY, ExpandOptions
from memory_evidence.cable.links import Link, text_hash
from memory_evidence.models import ChatModel, Usage

SCORES = {"default": ExpandOptions(), "similarity": SIMILARITY, "paper": PAPER}
CONTROLS = 5
"""Draws of random links that a comparison is held against."""
_TIME = "2026-01-01T00:00:00+00:00"


@dataclass(slots=True)
class Asked:
    """One question, as both arms answered it."""

    conversation: str
    question: str
    category: str
    host: float
    cable: float
    replaced: bool


@dataclass(slots=True)
class Run:
    """What was measured over all conversations."""

    asked: list[Asked] = field(default_factory=list)
    seconds: dict[str, list[float]] = field(default_factory=lambda: {"host": [], "cable": []})
    memories: int = 0
    links: int = 0
    usage: dict[str, Usage] = field(default_factory=dict)
    agreement: Agreement = field(default_factory=Agreement)

    def recall(self, arm: str) -> dict[str, float | None]:
        """Return the mean recall of "host" or "cable", of all questions and by category."""
        by = {name: [a for a in self.asked if a.category == name] for name in CATEGORIES.values()}
        return {name: _mean(asked, arm) for name, asked in {"all": self.asked, **by}.items()}

    def by_conversation(self) -> dict[str, dict[str, float | None]]:
        """Return the mean recall of both arms for each conversation."""
        by = {a.conversation: [b for b in self.asked if b.conversation == a.conversation] for a in self.asked}
        return {name: {arm: _mean(asked, arm) for arm in ("host", "cable")} for name, asked in by.items()}


def _mean(asked: Sequence[Asked], arm: str) -> float | None:
    return round(fmean(getattr(one, arm) for one in asked), 4) if asked else None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    given = _arguments(arguments)
    recorded = {
        name: read_lines(getattr(given, name)) for name in ("links", "queries", "candidates") if getattr(given, name)
    }
    chosen = [c for c in read_conversations(given.file) if not given.only or c.name in given.only]
    if "links" in recorded:
        chosen = [conversation for conversation in chosen if conversation.name in recorded["links"]]
    if not chosen:
        raise SystemExit("no conversation of the file is left to score: look at --only and --links")
    vectors = Vectors(given.cache)
    run = Run()
    others = {name: (Run(), [Run() for _ in range(CONTROLS)]) for name in SCORES if given.compare}
    for conversation in chosen:
        say(f"{conversation.name}: {len(conversation.turns)} turns, {len(conversation.questions)} questions")
        if given.host not in ("amem", "simplemem"):  # those embed for themselves
            vectors.learn([turn.text for turn in conversation.turns])
            vectors.learn([question.text for question in conversation.questions])
        links = _linked(given, conversation, vectors, recorded, run)
        shuffled = [random_pairs(links, conversation.turns, given.seed + number) for number in range(CONTROLS)]
        _measure(given, conversation, vectors, shuffled[0] if given.random_links else links, given.score, run)
        for name, (real, controls) in others.items():
            _measure(given, conversation, vectors, links, name, real)
            for at_random, control in zip(shuffled, controls, strict=True):
                _measure(given, conversation, vectors, at_random, name, control)
    result = _result(given, run, others, [c.name for c in chosen])
    rows = [{"arm": arm, **result[arm]["recall"], "read_ms": result[arm]["read_ms"]} for arm in ("host", "cable")]
    emit(result, as_json=given.json, rows=rows, columns=["arm", "all", *CATEGORIES.values(), "read_ms"])
    return 0


def _linked(
    given: argparse.Namespace,
    conversation: Conversation,
    vectors: Vectors,
    recorded: dict[str, Any],
    run: Run,
) -> list[Pair]:
    # Neighbours of every kind of search are the vector's: links made in one host are compared in all.
    kind = given.host if given.host not in ("bm25", "fused") else "dense"
    opened = partial(_opened, given, conversation, vectors, kind)
    return linked(
        conversation,
        opened,
        recorded,
        run.usage,
        url=given.model,
        ablate=given.ablate,
        beside=given.beside,
        agreement=run.agreement,
    )


def _measure(
    given: argparse.Namespace,
    conversation: Conversation,
    vectors: Vectors,
    links: Sequence[Pair],
    score: str,
    run: Run,
) -> None:
    """Ask every question of `conversation` with and without `links`, and add what was found to `run`."""
    hashes = {turn.id: text_hash(turn.text) for turn in conversation.turns}
    verified = times(conversation) if given.half_life else dict.fromkeys(hashes, _TIME)
    settings = CableSettings(expand_options=replace(SCORES[score], half_life_days=given.half_life))
    with _opened(given, conversation, vectors, given.host, None, settings) as host:
        host.links.add(
            host.scope,
            [
                Link(host.ids[prior], host.ids[new], reason, "recorded", verified[new], hashes[prior], hashes[new])
                for prior, new, reason in links
            ],
        )
        run.memories += len(conversation.turns)
        run.links += host.links.count(host.scope)
        for question in conversation.questions:
            started = perf_counter()
            plain = host.plain(question.text, given.budget)
            between = perf_counter()
            expanded = host.expanded(question.text, given.budget, given.replace)
            ended = perf_counter()
            if len(expanded) > len(plain) or len(set(expanded)) < len(expanded):
                raise AssertionError(f"more entries than the host returned, or one twice: {question.text!r}")
            run.seconds["host"].append(between - started)
            run.seconds["cable"].append(ended - between)
            run.asked.append(
                Asked(
                    conversation.name,
                    question.text,
                    question.category,
                    host=len(question.evidence & set(plain)) / len(question.evidence),
                    cable=len(question.evidence & set(expanded)) / len(question.evidence),
                    replaced=set(plain) != set(expanded),
                )
            )


@contextmanager
def _opened(
    given: argparse.Namespace,
    conversation: Conversation,
    vectors: Vectors,
    kind: str,
    model: ChatModel | None,
    settings: CableSettings,
) -> Iterator[Searched]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        deferred: CableSettings = {**settings, "linking": "deferred"}
        host = open_host(kind, conversation, vectors, model, deferred, folder=Path(folder), budget=given.budget)
        with closing(host):
            yield host


def _result(
    given: argparse.Namespace, run: Run, others: dict[str, tuple[Run, list[Run]]], names: Sequence[str]
) -> dict[str, Any]:
    arms: dict[str, Any] = {
        arm: {"recall": run.recall(arm), "read_ms": milliseconds(run.seconds[arm])} for arm in ("host", "cable")
    }
    changed = sorted((a for a in run.asked if a.cable != a.host), key=lambda a: a.host - a.cable)
    listed = [{key: value for key, value in asdict(a).items() if key != "replaced"} for a in changed]
    added = arms["cable"]["read_ms"]["median"] - arms["host"]["read_ms"]["median"]
    result: dict[str, Any] = {
        "benchmark": "locomo_reach",
        "environment": environment("numpy", "bm25s", "mem0ai", "chromadb", "a-mem", "simplemem"),
        "host_name": given.host,
        "budget": given.budget,
        "replace": given.replace,
        "score": given.score,
        "half_life_days": given.half_life,
        "ablate": given.ablate,
        "seed": given.seed,
        "conversations": list(names),
        "questions": len(run.asked),
        **arms,
        "by_conversation": run.by_conversation(),
        "difference": round(100 * (arms["cable"]["recall"]["all"] - arms["host"]["recall"]["all"]), 2),
        "added_read_ms": round(added, 4),
        "replaced": round(fmean(asked.replaced for asked in run.asked), 4),
        "gains": [item for item in listed if item["cable"] > item["host"]],
        "losses": [item for item in listed if item["cable"] < item["host"]],
        "links": {"count": run.links, "per_memory": round(run.links / run.memories, 3), "random": given.random_links},
        "agreement": run.agreement.as_dict(),
        "usage": {stage: asdict(usage) for stage, usage in run.usage.items()},
    }
    if others:
        result["scores"] = {
            name: {"by_conversation": real.by_conversation(), "random_links": _spread(controls)}
            for name, (real, controls) in others.items()
        }
    return result


def _spread(controls: Sequence[Run]) -> dict[str, dict[str, Any]]:
    """Return for each conversation the mean recall with random links, and the least and the most of all draws."""
    runs = [control.by_conversation() for control in controls]
    found: dict[str, dict[str, Any]] = {}
    for name, arms in runs[0].items():
        cable = [float(one[name]["cable"] or 0.0) for one in runs]
        found[name] = {**arms, "cable": round(fmean(cable), 4), "least": min(cable), "most": max(cable)}
    return found


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks.locomo_reach", description="Evidence recall, alone and with CABLE."
    )
    parser.add_argument("file", type=Path, help="LoCoMo's JSON, plain or gzipped")
    parser.add_argument("--host", choices=HOSTS, default="dense")
    parser.add_argument("--budget", type=int, default=45, help="entries of one search")
    parser.add_argument("--replace", type=int, default=5, help="entries that CABLE may exchange")
    parser.add_argument("--links", type=Path, help="recorded links")
    parser.add_argument("--queries", type=Path, help="recorded types and queries: link construction runs on them")
    parser.add_argument("--candidates", type=Path, help="recorded candidates, for the ablation of the subtraction")
    parser.add_argument("--model", help="URL of an OpenAI-compatible server that links")
    parser.add_argument("--ablate", choices=ABLATIONS, help="leave out a part of link construction")
    parser.add_argument("--score", choices=SCORES, default="default")
    parser.add_argument("--half-life", type=float, metavar="DAYS", help="the support over a link fades; off by default")
    parser.add_argument("--compare", action="store_true", help="also every score, and each with random links")
    parser.add_argument("--beside", action="store_true", help="the rules link beside a model or a record")
    parser.add_argument("--random-links", action="store_true", help="random links of the same degrees")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="conversations to score")
    parser.add_argument("--cache", type=Path, help="folder for vectors, to embed once")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    given = parser.parse_args(arguments)
    if given.ablate and not (given.model or given.queries):
        parser.error("--ablate is about link construction: give --model, or --queries with --links")
    if given.ablate == "queries" and not given.model:
        parser.error("--ablate queries asks for other queries than the recorded ones: give --model")
    if given.ablate == "generic" and (given.model or not given.queries):
        parser.error("--ablate generic takes topics in the place of recorded queries: give --queries, and no --model")
    if given.ablate == "subtraction" and not (given.model or given.candidates):
        parser.error("--ablate subtraction has to know which pairs were judged: give --candidates, or --model")
    return given


if __name__ == "__main__":
    sys.exit(main())
