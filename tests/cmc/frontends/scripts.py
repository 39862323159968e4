"""Replies of a scripted model that reads records the way a test says."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memory_evidence.cmc import ContractMemory
from memory_evidence.cmc.facts import Extraction, Slot
from memory_evidence.cmc.frontends.llm import LLMFrontend
from memory_evidence.errors import ModelError
from memory_evidence.models import Message, run
from memory_evidence.records import Record
from memory_evidence.testing import Call, ScriptedModel

Facts = Mapping[str, Sequence[tuple[str, ...]]]
"""By record text: subject, relation, object and, where it retracts, a fourth entry."""
Names = Mapping[tuple[str, str], tuple[str, str]]


def rows(messages: Sequence[Message]) -> Any:
    return json.loads(messages[-1].content)


def extraction(*records: tuple[int, str, Sequence[tuple[str, ...]]]) -> str:
    """Return an extraction answer of rows (id, label, facts)."""
    return json.dumps(
        {
            "records": [
                {
                    "id": number,
                    "label": label,
                    "facts": [
                        {"subject": fact[0], "relation": fact[1], "object": fact[2], "retracts": len(fact) > 3}
                        for fact in facts
                    ],
                }
                for number, label, facts in records
            ]
        }
    )


def reads(facts: Facts, names: Names | None = None) -> Callable[[Sequence[Message]], str]:
    """Return a reply that reads each record as `facts` has it, and aligns slots as `names` has it."""

    def reply(messages: Sequence[Message]) -> str:
        data = rows(messages)
        if isinstance(data, dict):
            slots = []
            for row in data["slots"]:
                slot = row["subject"], row["relation"]
                subject, relation = (names or {}).get(slot, slot)
                slots.append({"id": row["id"], "subject": subject, "relation": relation})
            return json.dumps({"slots": slots})
        found = [(row["id"], facts.get(row["text"], ())) for row in data]
        return extraction(*((number, "facts" if given else "no_fact", given) for number, given in found))

    return reply


def reader(facts: Facts, names: Names | None = None, *, calls: int = 50) -> ScriptedModel:
    return ScriptedModel([reads(facts, names)] * calls)


def asked(model: ScriptedModel) -> list[list[str]]:
    """Return, for each extraction call, the texts that it asked about."""
    return [[row["text"] for row in data] for data in map(_data, model.calls) if isinstance(data, list)]


def _data(call: Call) -> Any:
    return rows(call.messages)


SCOPE = ("acme", "ann")
PLAIN = LLMFrontend(align=False)
DOWN = ModelError("complete", "timed out")

OSLO = "Finally settled down in Oslo!"
ROME = "These days Rome is where I hang my hat."
NESTS = {OSLO: [("user", "home", "Oslo")], ROME: [("user", "residence", "Rome")]}
SAME = {("user", "residence"): ("user", "home")}


def read_with(
    reply: Any, *texts: str, frontend: LLMFrontend = PLAIN, known: Sequence[Slot] = (), speaker: str = "user"
) -> list[Extraction | None]:
    records = [Record(position, text, speaker) for position, text in enumerate(texts, 1)]
    return run(frontend.steps(records, known), ScriptedModel([reply]))


def open_memory(model: Any, store: Any = "sqlite://", **settings: Any) -> ContractMemory:
    return ContractMemory(SCOPE, store=store, model=model, frontend=LLMFrontend(), **settings)
