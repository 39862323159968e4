"""mem0, in the installed version and over two vector stores, does all that every host must do."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from mem0_adapter import AsyncCableMemory, CableMemory
from memory_evidence.cable.evidence import Expansion
from memory_evidence.records import Scope
from memory_evidence.testing import CableContract, WrappedHost
from tests.mem0_adapter.memories import asynchronous, ids, open_memory, plain, release, remember
from tests.mem0_adapter.test_mem0g import GraphLLM, graph_only


class WrappedMem0(WrappedHost):
    def __init__(self, memory: Any, store: Path, settings: dict[str, Any]) -> None:
        self.memory, self.store = memory, store
        self.options: dict[str, Any] = {"linking": "deferred", "model": "rules", "on_error": "skip", **settings}
        self.cable = CableMemory(memory, store=f"sqlite:///{store}", **self.options)
        self.cable.backfill = partial(self.cable.backfill, user_id="ann")

    @override
    def scope(self, user: str = "ann") -> Scope:
        return self.cable.scope(user_id=user)

    @override
    def add(self, text: str, *, user: str = "ann", behind: bool = False) -> str:
        return remember(self.memory if behind else self.cable, text, user)

    @override
    def edit(self, memory_id: str, text: str, *, user: str = "ann", behind: bool = False) -> None:
        (self.memory if behind else self.cable).update(memory_id, text)

    @override
    def delete(self, memory_id: str, *, user: str = "ann", behind: bool = False) -> None:
        (self.memory if behind else self.cable).delete(memory_id)

    @override
    def search(self, query: str, k: int, *, user: str = "ann", replace: int | None = None) -> list[str]:
        return ids(self.cable.search(query, user_id=user, limit=k, replace=replace))

    @override
    async def asearch(self, query: str, k: int, *, user: str = "ann") -> list[str]:
        cable = AsyncCableMemory(asynchronous(self.memory), store=self.cable.links, **self.options)
        return ids(await cable.search(query, user_id=user, limit=k))

    @override
    def plain(self, query: str, k: int, *, user: str = "ann") -> list[str]:
        return ids(plain(self.memory, query, k, user))

    @override
    def explain(self, query: str, k: int, *, user: str = "ann") -> Expansion:
        return self.cable.explain(query, user_id=user, limit=k)

    @override
    def close(self) -> None:
        super().close()
        release(self.memory)


class TestChroma(CableContract):
    provider, graph = "chroma", False

    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> None:
        self.path = tmp_path

    @override
    def open(self, **settings: Any) -> WrappedHost:
        memory = open_memory(self.path / "mem0", self.provider, graph=self.graph)
        if self.graph:
            memory.graph.llm = GraphLLM(("Emma", "works_at", "office"), ("Noah", "retired_from", "fire brigade"))
        return WrappedMem0(memory, self.path / "links.db", settings)


class TestQdrant(TestChroma):
    provider = "qdrant"


@graph_only
class TestGraph(TestChroma):
    """Mem0g: relations of a graph in Kuzu come with each search."""

    graph = True
