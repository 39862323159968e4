"""What type checkers see of the engine's public surface; checked by mypy, never run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_type

from memory_evidence.cmc import (
    Added,
    CardReader,
    ContractMemory,
    Edge,
    Evidence,
    MemoryPool,
    Period,
    Receipt,
    Superseded,
    WindowReader,
)
from memory_evidence.cmc.cards import CardEvidence
from memory_evidence.cmc.frontends.english import EnglishGrammar
from memory_evidence.cmc.frontends.factconsolidation import FACTCONSOLIDATION
from memory_evidence.cmc.frontends.hybrid import HybridFrontend
from memory_evidence.cmc.frontends.llm import LLMFrontend
from memory_evidence.cmc.frontends.patterns import PatternGrammar
from memory_evidence.cmc.windows import WindowEvidence
from memory_evidence.models import ChatModel, Usage
from memory_evidence.records import Draft, Record, Scope
from memory_evidence.store import Log, LogVersion, open_log
from memory_evidence.testing import ScriptedModel
from memory_evidence.tokens import approximate_tokens


def contract() -> None:
    m = ContractMemory(scope=("u1",))
    assert_type(m.scope, Scope)
    assert_type(m.add("text"), Added)
    assert_type(m.add(["text", Draft("text", speaker="Ann")]), Added)
    r = m.read("question?")
    assert_type(r, Evidence)
    assert_type((r.text, r.positions, r.edges), tuple[str, tuple[int, ...], tuple[Edge, ...]])
    assert_type(r.receipt, Receipt)
    assert_type(r.receipt.superseded, tuple[Superseded, ...])
    assert_type(m.read("question?", as_of=2), Evidence)
    assert_type(m.current("Ann"), tuple[Edge, ...])
    assert_type(m.history("Ann", "seat"), tuple[Period, ...])
    assert_type(m.records(after=3), Iterator[Record])
    assert_type(m.version(), LogVersion)
    assert_type(m.forget(), int)
    m.read("question?", 2)  # type: ignore[call-arg]  # as_of goes by name
    m.add([5])  # type: ignore[list-item]
    r.text = ""  # type: ignore[misc]  # results are frozen


async def async_twins(m: ContractMemory) -> None:
    assert_type(await m.aadd("text"), Added)
    assert_type(await m.acompile(), Usage)
    assert_type(await m.aread("question?"), Evidence)


def settings(log: Log) -> None:
    ContractMemory(["acme", "ann"], store=log, order="path", overflow="newest", fallback="nothing", hub_limit=None)
    ContractMemory(("ann",), measure=approximate_tokens, aliases={"NYC": "New York"}, multi_valued={"likes"})
    ContractMemory(("ann",), frontend=EnglishGrammar())
    ContractMemory(("ann",), frontend=PatternGrammar(FACTCONSOLIDATION))
    ContractMemory(("ann",), frontend=LLMFrontend(), model=ScriptedModel([]))
    ContractMemory(("ann",), frontend=HybridFrontend(EnglishGrammar(), LLMFrontend()), model=ScriptedModel([]))
    ContractMemory(("ann",), order="newest")  # type: ignore[arg-type]
    ContractMemory(scope=5)  # type: ignore[arg-type]


def pool() -> None:
    memories = MemoryPool(open_log("sqlite://"), open_memory=lambda scope, log: ContractMemory(scope, store=log))
    assert_type(memories.get(("acme", "ann")), ContractMemory)
    with ContractMemory(("ann",)) as memory:
        assert_type(memory, ContractMemory)


async def readers(memory: ContractMemory, model: ChatModel) -> None:
    windows, cards = WindowReader(memory, measure=approximate_tokens), CardReader(memory, model)
    assert_type(windows.read("question?", until="2024-05-01"), WindowEvidence)
    assert_type(await windows.aread("question?"), WindowEvidence)
    assert_type(cards.write(progress=lambda done, total: None), Usage)
    assert_type(await cards.aread("question?"), CardEvidence)
