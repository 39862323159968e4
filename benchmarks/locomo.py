"""Reads LoCoMo conversations and what a strong model recorded about them: turns as memories, questions, links."""

from __future__ import annotations

import gzip
import json
import random
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from memory_evidence.cable.classify import TypeOut
from memory_evidence.cable.host import Memory
from memory_evidence.cable.prompts import shown
from memory_evidence.cable.queries import QueriesOut
from memory_evidence.models import Completion, Message
from memory_evidence.tokens import approximate_tokens

CATEGORIES = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop"}
"""The answerable kinds of question, by LoCoMo's number."""

Pair = tuple[str, str, str]
"""Ids of the earlier and the later turn of a link, and its reason."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the turns that it needs."""

    text: str
    category: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation: a memory for each turn, in order, and its questions."""

    name: str
    turns: tuple[Memory, ...]
    questions: tuple[Question, ...]


def read_conversations(path: Path) -> list[Conversation]:
    """Return the conversations of a LoCoMo file.

    A turn's text is `speaker: text`, with ` [image: caption]` where a picture was shared. Left out are adversarial
    questions, and those whose evidence is missing or names no turn.
    """
    with _opened(path) as file:
        return [_conversation(item) for item in json.load(file)]


def read_lines(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the JSON objects of a file, one a line, by their `conversation`."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with _opened(path) as file:
        for line in file:
            if line.strip():
                item = json.loads(line)
                found[item["conversation"]].append(item)
    return found


def pairs(items: Sequence[dict[str, Any]]) -> list[Pair]:
    """Return recorded links as pairs."""
    return [(item["prior"], item["new"], item.get("reason", "recorded")) for item in items]


def random_pairs(links: Sequence[Pair], turns: Sequence[Memory], seed: int) -> list[Pair]:
    """Return as many links between random turns, each turn with as many as it has in `links` (but for repetitions)."""
    place = {turn.id: number for number, turn in enumerate(turns)}
    priors = [prior for prior, _, _ in links]
    random.Random(seed).shuffle(priors)
    ends = {
        tuple(sorted((prior, new), key=place.__getitem__))
        for prior, (_, new, _) in zip(priors, links, strict=True)
        if prior != new
    }
    return [(prior, new, "random") for prior, new in sorted(ends)]


class RecordedModel:
    """A `ChatModel` that gives the types, queries and verdicts that a strong model once gave about a conversation.

    What it never judged it rejects, unless the later memory was recorded and `judged` lacks the pair (given for the
    ablation without subtraction, whose further pairs nobody judged): that it accepts. Tokens are estimated.
    """

    def __init__(
        self,
        turns: Sequence[Memory],
        recorded: Sequence[dict[str, Any]],
        links: Sequence[Pair],
        judged: Collection[tuple[str, str]] | None = None,
    ) -> None:
        self._ids = {shown(turn.text): turn.id for turn in turns}
        self._recorded = {item["id"]: item for item in recorded}
        self._reasons = {(prior, new): reason for prior, new, reason in links}
        self._judged = judged

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,  # noqa: ARG002 - part of the protocol
        max_tokens: int = 1024,  # noqa: ARG002
    ) -> Completion:
        """Answer from the record."""
        data = json.loads(messages[-1].content)
        if schema is TypeOut or schema is QueriesOut:
            item = self._recorded.get(self._ids[data["memory"]], {"type": "event", "queries": []})
            answer: dict[str, Any] = {"type": item["type"]} if schema is TypeOut else {"queries": item["queries"]}
        else:
            answer = self._verdict(self._ids[data["earlier"]], self._ids[data["later"]])
        text = json.dumps(answer)
        return Completion(text, sum(approximate_tokens(m.content) for m in messages), approximate_tokens(text))

    async def acomplete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
    ) -> Completion:
        """`complete`; there is nothing to wait for."""
        return self.complete(messages, schema=schema, temperature=temperature, max_tokens=max_tokens)

    def _verdict(self, prior: str, new: str) -> dict[str, Any]:
        if (reason := self._reasons.get((prior, new))) is not None:
            return {"valid": True, "reason": reason}
        unjudged = self._judged is not None and new in self._recorded and (prior, new) not in self._judged
        return {"valid": unjudged, "reason": "nobody judged it" if unjudged else "rejected"}


def _opened(path: Path) -> Any:
    return gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")


def _conversation(item: dict[str, Any]) -> Conversation:
    turns = tuple(_turns(item["conversation"]))
    known = {turn.id for turn in turns}
    questions = []
    for asked in item["qa"]:
        evidence = asked.get("evidence") or []
        if asked["category"] in CATEGORIES and evidence and known.issuperset(evidence):
            questions.append(Question(asked["question"], CATEGORIES[asked["category"]], frozenset(evidence)))
    return Conversation(item["sample_id"], turns, tuple(questions))


def _turns(sessions: dict[str, Any]) -> Iterator[Memory]:
    number = 1
    while f"session_{number}_date_time" in sessions or f"session_{number}" in sessions:
        for turn in sessions.get(f"session_{number}", ()):
            picture = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            time = sessions.get(f"session_{number}_date_time")
            yield Memory(turn["dia_id"], f"{turn['speaker']}: {turn['text']}{picture}", time)
        number += 1
