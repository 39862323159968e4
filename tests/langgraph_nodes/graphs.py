"""Graphs and memories that the tests share."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from typing_extensions import override

from langgraph_nodes import ContractMemoryNode, EvidenceState
from memory_evidence.cmc import ContractMemory, Evidence
from memory_evidence.records import Draft, Record, Scope
from memory_evidence.store import Log, LogVersion, open_log
from tests.langgraph_nodes.helpers import ScriptedModel

KESTREL = ["The owner of Kestrel is Blue Team.", "Blue Team is located in Oslo.", "Blue Team is located in Bergen."]
QUESTION = "In which city is the owner of Kestrel located?"
SECRET = "Blue Team"
"""In the evidence for QUESTION, and in nothing that anyone says."""


@dataclass
class Context:
    user_id: str = "ann"


class State(MessagesState, EvidenceState):
    pass


def graph(memory: ContractMemoryNode, llm: ScriptedModel, *, tools: Sequence[Any] = (), **before: Any) -> Any:
    """START, the nodes in `before`, memory, model, and back to the model after tools; not compiled."""

    async def amodel(state: State) -> dict[str, Any]:
        return {"messages": [await llm.ainvoke(await memory.amessages(state))]}

    def model(state: State) -> dict[str, Any]:
        return {"messages": [llm.invoke(memory.messages(state))]}

    builder = StateGraph(State, context_schema=Context)
    for name, node in {**before, "memory": memory}.items():
        builder.add_node(name, node)
    builder.add_node("model", RunnableLambda(model, afunc=amodel))
    path = [START, *before, "memory", "model"]
    for one, next_ in pairwise(path):
        builder.add_edge(one, next_)
    if tools:
        builder.add_node("tools", ToolNode(tools))
        builder.add_conditional_edges("model", tools_condition)
        builder.add_edge("tools", "model")
    else:
        builder.add_edge("model", END)
    return builder


class CountingMemory(ContractMemory):
    """Counts how often it is read."""

    reads = 0

    @override
    def read(self, question: str, *, as_of: int | None = None) -> Evidence:
        self.reads += 1
        return super().read(question, as_of=as_of)


class WatchedLog(Log):
    """A log in memory that keeps the threads it was called from, and can fail or wait."""

    def __init__(self) -> None:
        self.inner = open_log("sqlite://")
        self.threads: set[int] = set()
        self.error: Exception | None = None
        self.gate = threading.Event()
        self.gate.set()

    def _enter(self) -> None:
        self.threads.add(threading.get_ident())
        if not self.gate.wait(30):
            raise TimeoutError("the gate stayed shut")
        if self.error is not None:
            raise self.error

    @override
    def append(self, scope: Scope, drafts: Sequence[Draft]) -> list[int]:
        self._enter()
        return self.inner.append(scope, drafts)

    @override
    def records(self, scope: Scope, after: int = 0) -> Iterator[Record]:
        self._enter()
        return self.inner.records(scope, after)

    @override
    def version(self, scope: Scope) -> LogVersion:
        self._enter()
        return self.inner.version(scope)

    @override
    def save_compiled(self, scope: Scope, compiler: str, results: Mapping[str, bytes]) -> None:
        self._enter()
        self.inner.save_compiled(scope, compiler, results)

    @override
    def load_compiled(self, scope: Scope, compiler: str, hashes: Any) -> dict[str, bytes]:
        self._enter()
        return self.inner.load_compiled(scope, compiler, hashes)

    @override
    def forget(self, scope: Scope) -> int:
        self._enter()
        return self.inner.forget(scope)

    @override
    def close(self) -> None:
        self.inner.close()


def kept_by(saver: BaseCheckpointSaver[str]) -> bytes:
    """Everything that a checkpointer holds: checkpoints, channel values, pending writes and metadata."""
    if isinstance(saver, InMemorySaver):
        return b"\n".join(_leaves([dict(saver.storage), dict(saver.writes), dict(saver.blobs)]))
    assert isinstance(saver, SqliteSaver)
    rows = [*saver.conn.execute("SELECT * FROM checkpoints"), *saver.conn.execute("SELECT * FROM writes")]
    return b"\n".join(_leaves(rows))


def _leaves(value: Any) -> Iterator[bytes]:
    if isinstance(value, Mapping):
        for each in value.items():
            yield from _leaves(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _leaves(each)
    else:
        yield value if isinstance(value, bytes) else str(value).encode()
