"""Natural dialogue in which a user's facts change: is the answer shown, and is no outdated value shown as if it held?

    python -m benchmarks.knowledge_updates FOLDER [--model URL] [--json]

FOLDER holds `turns.jsonl.gz`, `questions.jsonl.gz` and `extraction.jsonl.gz`. Each question has a scope of its own: its
evidence turns and 40 turns of other questions that share no slot with them, in order of date. The LLM frontend reads
them with the recorded extraction as a scripted model, or with a live one.

`cmc_paper` keeps every edge of the first person and never shows earlier values: the paper's way (see `hub_limit` and
`earlier` of `ContractMemory`).

`gold_in_evidence`: share of the questions with a literal answer (one that occurs in an evidence turn) whose answer is
shown. `stale_unmarked`: questions for which some superseded value stands in its record unmarked.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from pydantic import BaseModel

from benchmarks.common import SEED, contains, emit, environment, milliseconds
from benchmarks.retrieval import BM25, Dense, dense_available
from integrations.openai_model import OpenAIModel
from memory_evidence.cmc import ContractMemory
from memory_evidence.cmc.frontends.llm import LLMFrontend
from memory_evidence.cmc.keys import fold, token_spans
from memory_evidence.models import ChatModel, Completion, Message
from memory_evidence.records import Draft

DISTRACTORS = 40
_MARK = re.compile(r"\[superseded by \d+: .*?\]", re.DOTALL)


@dataclass(frozen=True)
class Case:
    """One question with the dialogue that it is asked about."""

    question: str
    gold: str
    literal: bool
    """Whether the answer occurs in an evidence turn."""
    turns: tuple[Mapping[str, Any], ...]


class Recorded:
    """A recorded model: answers the two prompts of `LLMFrontend` from the extraction file, and nothing else."""

    def __init__(self, turns: Sequence[Mapping[str, Any]], extraction: Mapping[str, Mapping[str, Any]]) -> None:
        self._by_text = {turn["content"]: extraction[turn["id"]] for turn in turns}
        self._slots = {
            (fact["subject"], fact["relation"]): fact["slot"]
            for turn in turns
            for fact in extraction[turn["id"]]["facts"]
        }

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
    ) -> Completion:
        """Answer from the recording; a text or slot that was not recorded ends the benchmark."""
        del schema, temperature, max_tokens
        try:
            return self._answer(json.loads(messages[-1].content))
        except KeyError as error:
            raise AssertionError(f"not recorded: {error}") from error

    def _answer(self, data: Any) -> Completion:
        if isinstance(data, list):
            answer: dict[str, Any] = {"records": [self._record(row) for row in data]}
        else:
            answer = {"slots": [{"id": r["id"], **self._slots[r["subject"], r["relation"]]} for r in data["slots"]]}
        return Completion(json.dumps(answer))

    async def acomplete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
    ) -> Completion:
        """`complete`."""
        return self.complete(messages, schema=schema, temperature=temperature, max_tokens=max_tokens)

    def _record(self, row: Mapping[str, Any]) -> dict[str, Any]:
        recorded = self._by_text[row["text"]]
        facts = [{key: fact[key] for key in ("subject", "relation", "object")} for fact in recorded["facts"]]
        return {"id": row["id"], "label": recorded["label"], "facts": facts}


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read a gzipped file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def cases(folder: Path, extraction: Mapping[str, Mapping[str, Any]]) -> Iterator[Case]:
    """Yield one case a question."""
    turns = {turn["id"]: turn for turn in read_lines(folder / "turns.jsonl.gz")}
    slots = {name: {_slot(fact) for fact in row["facts"]} for name, row in extraction.items()}
    for question in read_lines(folder / "questions.jsonl.gz"):
        own = [turns[name] for name in question["turns"]]
        taken = set().union(*(slots[turn["id"]] for turn in own))
        texts = {turn["content"] for turn in own}
        others = [t for name, t in turns.items() if not slots[name] & taken and t["content"] not in texts]
        mixed = own + random.Random(f"{SEED}/{question['question_id']}").sample(others, min(DISTRACTORS, len(others)))
        gold = str(question["answer"])
        literal = any(contains(turn["content"], [gold]) for turn in own)
        yield Case(question["question"], gold, literal, tuple(sorted(mixed, key=lambda turn: turn["date"])))


def stale(case: Case, extraction: Mapping[str, Mapping[str, Any]]) -> dict[int, list[str]]:
    """Return, by position, the values in a case that a later turn supersedes (single-valued, as the paper has it)."""
    latest: dict[tuple[str, str], str] = {}
    for turn in case.turns:
        for fact in extraction[turn["id"]]["facts"]:
            latest[_slot(fact)] = fold(fact["object"])
    found: dict[int, list[str]] = {}
    for position, turn in enumerate(case.turns, 1):
        for fact in extraction[turn["id"]]["facts"]:
            if latest[_slot(fact)] != fold(fact["object"]):
                found.setdefault(position, []).append(fact["object"])
    return found


def run(found: Sequence[Case], extraction: Mapping[str, Mapping[str, Any]], live: ChatModel | None) -> dict[str, Any]:
    """Return the figures of every arm."""
    names = ["cmc", "cmc_paper", "bm25_3", "bm25_5", "bm25_10", *(["dense_10"] if dense_available() else [])]
    shown: dict[str, list[dict[int, str]]] = {name: [] for name in names}
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for case in found:
        arms = _arms(case, live or Recorded(case.turns, extraction), names)
        for name, arm in arms.items():
            started = perf_counter()
            shown[name].append(arm())
            seconds[name].append(perf_counter() - started)
    literal = [case.literal for case in found]
    figures: dict[str, Any] = {}
    for name in names:
        hits = [
            contains("\n".join(lines.values()), [case.gold]) for case, lines in zip(found, shown[name], strict=True)
        ]
        unmarked = [_unmarked(lines, stale(case, extraction)) for case, lines in zip(found, shown[name], strict=True)]
        figures[name] = {
            "gold_in_evidence": round(
                sum(h for h, is_literal in zip(hits, literal, strict=True) if is_literal) / sum(literal), 4
            ),
            "stale_unmarked": sum(unmarked),
            "records_mean": round(sum(map(len, shown[name])) / len(found), 2),
            "read_ms": milliseconds(seconds[name]),
            "missed": [case.question for case, hit in zip(found, hits, strict=True) if case.literal and not hit],
        }
    return {"questions": len(found), "literal": sum(literal), "arms": figures}


def _arms(case: Case, model: ChatModel, names: Sequence[str]) -> dict[str, Callable[[], dict[int, str]]]:
    texts = [turn["content"] for turn in case.turns]
    drafts = [Draft(turn["content"], speaker=turn["role"], time=turn["date"]) for turn in case.turns]
    ours = ContractMemory(("knowledge-updates",), store="sqlite://", model=model, frontend=LLMFrontend())
    paper = ContractMemory(
        ("knowledge-updates",), store="sqlite://", model=model, frontend=LLMFrontend(), hub_limit=None, earlier=False
    )
    ours.add(drafts)
    paper.add(drafts)
    bm25 = BM25(texts)
    dense = Dense(texts) if "dense_10" in names else None

    def rows(found: Sequence[int]) -> dict[int, str]:
        return {row + 1: texts[row] for row in sorted(found)}

    arms: dict[str, Callable[[], dict[int, str]]] = {
        "cmc": lambda: _lines(ours.read(case.question).text),
        "cmc_paper": lambda: _lines(paper.read(case.question).text),
        "bm25_3": lambda: rows(bm25.top(case.question, 3)),
        "bm25_5": lambda: rows(bm25.top(case.question, 5)),
        "bm25_10": lambda: rows(bm25.top(case.question, 10)),
    }
    if dense is not None:
        arms["dense_10"] = lambda: rows(dense.top(case.question, 10))
    return arms


def _lines(text: str) -> dict[int, str]:
    starts = list(re.finditer(r"^(\d+)\. ", text, re.MULTILINE))
    stops = [match.start() for match in starts[1:]] + [len(text)]
    return {int(match[1]): text[match.end() : stop] for match, stop in zip(starts, stops, strict=True)}


def _unmarked(lines: Mapping[int, str], values: Mapping[int, Sequence[str]]) -> bool:
    """Whether a superseded value can be read in its own record outside every mark, as whole words."""
    for position, olds in values.items():
        rest = fold(_MARK.sub(" ", lines.get(position, "")))
        spans = token_spans(rest)
        starts, stops = {start for start, _ in spans}, {stop for _, stop in spans}
        for old in map(fold, olds):
            at = rest.find(old)
            while at >= 0:
                if at in starts and at + len(old) in stops:
                    return True
                at = rest.find(old, at + 1)
    return False


def _slot(fact: Mapping[str, Any]) -> tuple[str, str]:
    return fold(fact["slot"]["subject"]), fold(fact["slot"]["relation"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(prog="benchmarks.knowledge_updates", description="Updates in natural dialogue.")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--model", metavar="URL", help="a live OpenAI-compatible server instead of the recording")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    given = parser.parse_args(arguments)
    extraction = {row["id"]: row for row in read_lines(given.folder / "extraction.jsonl.gz")}
    live = OpenAIModel("local", base_url=given.model, timeout_s=600) if given.model else None
    result = {
        "benchmark": "knowledge_updates",
        "environment": environment("bm25s"),
        "model": "live" if live else "recorded extraction",
        **run(list(cases(given.folder, extraction)), extraction, live),
    }
    rows = [{"arm": name, **figure} for name, figure in result["arms"].items()]
    emit(
        result,
        as_json=given.json,
        rows=rows,
        columns=["arm", "gold_in_evidence", "stale_unmarked", "records_mean", "read_ms"],
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
