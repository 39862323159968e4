"""Of memories whose values a later one supersedes, how many are known as such, and how many are shown unmarked?

    python -m benchmarks.cable_superseded FOLDER [--host dense|bm25] [--budget N] [--replace M] [--cache FOLDER]
        [--json]

FOLDER as for `knowledge_updates`: each question has a scope of its own, with its evidence turns among 40 others, one
memory a turn, linked by the rules. What a turn states is read by the English grammar, as `Cable` does it (`grammar`),
and for an upper bound taken from the recorded extraction (`recorded`), which is also what counts as true here.

`found`, `wrong`: superseded memories that are known as such, of `superseded`; and memories that are taken for it where
the record does not bear it out. `unmarked`: entries that show a superseded value without a mark, over all questions;
`questions_unmarked`: questions with one. `whole`: entries all of which is superseded, so that they are demoted where
they compete. `answered`: share of the questions with a literal answer that is shown. Each for the host alone, and for
each `superseded_weight`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.common import contains, emit, environment, say
from benchmarks.knowledge_updates import Case, cases, read_lines, stale
from benchmarks.locomo import Conversation
from benchmarks.locomo_hosts import ArrayHost, Vectors
from memory_evidence.cable.cable import Cable
from memory_evidence.cable.evidence import Entry
from memory_evidence.cable.expand import ExpandOptions
from memory_evidence.cable.host import Memory
from memory_evidence.cable.links import text_hash
from memory_evidence.cable.stated import Stated, Statements
from memory_evidence.cmc.keys import fold

WEIGHTS = (1.0, 0.5, 0.0)
READERS = ("grammar", "recorded")


@dataclass(slots=True)
class Arm:
    """What was shown over all questions."""

    unmarked: int = 0
    questions_unmarked: int = 0
    whole: int = 0
    answered: int = 0
    added: int = 0

    def count(self, entries: Sequence[Entry], case: Case, old: Mapping[str, Sequence[str]]) -> None:
        """Add what one question was shown; `old`: the superseded values of each memory."""
        unmarked = sum(_shows_old(entry, old.get(entry.memory.id, ())) for entry in entries)
        self.unmarked += unmarked
        self.questions_unmarked += unmarked > 0
        self.whole += sum(any(mark.whole for mark in entry.superseded_by) for entry in entries)
        self.answered += case.literal and contains("\n".join(entry.memory.text for entry in entries), [case.gold])
        self.added += sum(entry.origin == "cable" for entry in entries)


@dataclass(slots=True)
class Reader:
    """How well superseded memories are known by one way of reading."""

    superseded: int = 0
    found: int = 0
    wrong: int = 0
    arms: dict[str, Arm] = field(default_factory=dict)


def _shows_old(entry: Entry, olds: Sequence[str]) -> bool:
    marked = {fold(mark.stated) for mark in entry.superseded_by}
    return any(fold(old) not in marked and contains(entry.memory.text, [old]) for old in olds)


def ask(case: Case, number: int, given: argparse.Namespace, vectors: Vectors, extraction: Any) -> dict[str, Reader]:
    """Ask the question of one case in every arm, with what both readers know."""
    memories = tuple(
        Memory(str(position), f"{turn['role']}: {turn['content']}", turn["date"])
        for position, turn in enumerate(case.turns, 1)
    )
    old = {str(position): values for position, values in stale(case, extraction).items()}
    host = ArrayHost(Conversation(f"question-{number}", memories, ()), given.host, vectors)
    found = {}
    with closing(Cable(lambda _: host, store="sqlite://", linking="deferred")) as cable:
        cable.backfill(host)
        for name in READERS:
            if name == "recorded":
                read = {
                    memory.id: (text_hash(memory.text), _recorded(extraction[turn["id"]]))
                    for memory, turn in zip(memories, case.turns, strict=True)
                }
                cable.links.note_statements(host.scope, read)
            known = {one.id for one in cable.links.outdated(host.scope, [memory.id for memory in memories])}
            reader = Reader(len(old), len(known & old.keys()), len(known - old.keys()))
            hits = host.search(case.question, given.budget)
            plain = reader.arms["host"] = Arm()
            plain.count([Entry(hit.memory, "host", hit.score) for hit in hits], case, old)
            for weight in WEIGHTS:
                cable_options = replace(ExpandOptions(), replace=given.replace, superseded_weight=weight)
                with closing(
                    Cable(lambda _: host, store=cable.links, linking="deferred", expand_options=cable_options)
                ) as reading:
                    entries = reading.expand(host, case.question, hits, limit=given.budget).entries
                arm = reader.arms[f"weight_{weight:g}"] = Arm()
                arm.count(entries, case, old)
            found[name] = reader
    return found


def _recorded(row: Mapping[str, Any]) -> Statements:
    stated = tuple(
        Stated(
            json.dumps([fold(fact["slot"]["subject"]), fold(fact["slot"]["relation"])]),
            fold(fact["object"]),
            fact["object"],
        )
        for fact in row["facts"]
    )
    return Statements(stated, more=row["label"] == "unresolved")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(prog="benchmarks.cable_superseded", description="Superseded memories, marked.")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--host", choices=("dense", "bm25"), default="dense")
    parser.add_argument("--budget", type=int, default=10, help="entries of one search")
    parser.add_argument("--replace", type=int, default=5, help="entries that CABLE may exchange")
    parser.add_argument("--cache", type=Path, help="folder for vectors, to embed once")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    given = parser.parse_args(arguments)
    extraction = {row["id"]: row for row in read_lines(given.folder / "extraction.jsonl.gz")}
    found = list(cases(given.folder, extraction))
    vectors = Vectors(given.cache)
    texts = {f"{turn['role']}: {turn['content']}" for case in found for turn in case.turns}
    vectors.learn([*sorted(texts), *(case.question for case in found)])
    totals = {name: Reader() for name in READERS}
    for number, case in enumerate(found):
        if number % 10 == 0:
            say(f"{number} of {len(found)} questions")
        for name, reader in ask(case, number, given, vectors, extraction).items():
            _add(totals[name], reader)
    literal = sum(case.literal for case in found)
    rows = [
        {
            "reader": name,
            "arm": arm_name,
            "superseded": reader.superseded,
            "found": reader.found,
            "wrong": reader.wrong,
            "unmarked": arm.unmarked,
            "questions_unmarked": arm.questions_unmarked,
            "whole": arm.whole,
            "added": arm.added,
            "answered": round(arm.answered / literal, 4),
        }
        for name, reader in totals.items()
        for arm_name, arm in reader.arms.items()
    ]
    result = {
        "benchmark": "cable_superseded",
        "environment": environment("numpy", "bm25s"),
        "host_name": given.host,
        "budget": given.budget,
        "replace": given.replace,
        "questions": len(found),
        "literal": literal,
        "rows": rows,
    }
    emit(result, as_json=given.json, rows=rows, columns=list(rows[0]))
    return 0


def _add(total: Reader, reader: Reader) -> None:
    for name in ("superseded", "found", "wrong"):
        setattr(total, name, getattr(total, name) + getattr(reader, name))
    for arm_name, arm in reader.arms.items():
        held = total.arms.setdefault(arm_name, Arm())
        for name in ("unmarked", "questions_unmarked", "whole", "answered", "added"):
            setattr(held, name, getattr(held, name) + getattr(arm, name))


if __name__ == "__main__":
    sys.exit(main())
