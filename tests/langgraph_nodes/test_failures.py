"""A store that fails, hangs or blocks, and a model that talks while it reads records."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessageChunk, HumanMessage
from langgraph.store.base import Op, Result
from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel
from typing_extensions import override

from langgraph_nodes import (
    ContractMemoryMiddleware,
    ContractMemoryNode,
    RememberMiddleware,
    RememberNode,
    memory_tools,
)
from memory_evidence.cmc import ContractMemory, Evidence
from memory_evidence.errors import ConfigError, HostError, StoreError
from memory_evidence.models import Completion, Message
from tests.langgraph_nodes.graphs import KESTREL, QUESTION, SECRET, WatchedLog, graph
from tests.langgraph_nodes.helpers import WAYS, ScriptedModel, once_a_tool, run, system_texts


def ask() -> dict[str, Any]:
    return {"messages": [HumanMessage(QUESTION)]}


@pytest.fixture
def log() -> Iterator[WatchedLog]:
    log = WatchedLog()
    yield log
    log.gate.set()
    log.close()


def as_graph(memory: Any, llm: ScriptedModel, **options: Any) -> Any:
    found = options.pop("on_evidence", None)
    node = ContractMemoryNode(memory, on_evidence=found, **options)
    return graph(node, llm, remember=RememberNode(memory, **options)).compile()


def as_agent(memory: Any, llm: ScriptedModel, **options: Any) -> Any:
    return create_agent(llm, middleware=[ContractMemoryMiddleware(memory, remember=True, **options)])


kinds = pytest.mark.parametrize("kind", [as_graph, as_agent])
ways = pytest.mark.parametrize("way", WAYS)


@kinds
@ways
@pytest.mark.parametrize("error", [ConnectionError("no route"), StoreError("reading", "disk full")])
async def test_failing_store_raises_one_of_our_errors(log: WatchedLog, kind: Any, way: str, error: Exception) -> None:
    memory = ContractMemory(("ann",), store=log)
    log.error = error
    llm = ScriptedModel()
    with pytest.raises((HostError, StoreError), match=str(error)) as raised:
        await run(kind(memory, llm), way, ask())
    assert error in (raised.value, raised.value.__cause__)
    assert llm.seen == []


@kinds
@ways
async def test_turn_goes_on_without_a_failing_store(
    log: WatchedLog, kind: Any, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    memory = ContractMemory(("ann",), store=log)
    memory.add(KESTREL)
    log.error = ConnectionError("no route")
    llm, found = ScriptedModel(), list[Evidence]()
    app = kind(memory, llm, on_error="skip", on_evidence=found.append)
    with caplog.at_level(logging.WARNING):
        state = await run(app, way, ask())
    assert state["messages"][-1].content == "answer 1"
    assert system_texts(llm.seen[0]) == []
    assert [(evidence.text, "no route" in (evidence.receipt.error or "")) for evidence in found] == [("", True)]
    # The graph has two nodes that need the store, the middleware does both in one.
    assert len(caplog.messages) == (2 if kind is as_graph else 1)
    assert all("goes on without memory" in message for message in caplog.messages)
    log.error = None
    await run(app, way, ask())
    assert SECRET in system_texts(llm.seen[1])[0]
    assert found[1].receipt.error is None


@ways
async def test_failure_is_not_tried_again_for_every_model_call(
    log: WatchedLog, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    memory = ContractMemory(("ann",), store=log)
    log.error = ConnectionError("no route")
    llm = ScriptedModel(reply=once_a_tool("memory_history", subject="user", relation="lives in"))
    middleware = [ContractMemoryMiddleware(memory, on_error="skip")]
    agent = create_agent(llm, memory_tools(memory, on_error="skip"), middleware=middleware)
    with caplog.at_level(logging.WARNING):
        await run(agent, way, ask())
    assert len(llm.seen) == 2
    assert len(caplog.messages) == 2  # the turn, and the tool


@kinds
@ways
async def test_store_that_hangs_is_given_up(log: WatchedLog, kind: Any, way: str) -> None:
    memory = ContractMemory(("ann",), store=log)
    log.gate.clear()
    llm, found = ScriptedModel(), list[Evidence]()
    await run(kind(memory, llm, on_error="skip", on_evidence=found.append, timeout_s=0.05), way, ask())
    assert found[0].receipt.error == "memory failed: no answer within 0.05 s"
    with pytest.raises(HostError, match="no answer within"):
        await run(kind(memory, llm, timeout_s=0.05), way, ask())


@kinds
@ways
async def test_store_that_answers_in_time_is_used(log: WatchedLog, kind: Any, way: str) -> None:
    memory = ContractMemory(("ann",), store=log)
    memory.add(KESTREL)
    llm = ScriptedModel()
    await run(kind(memory, llm, timeout_s=60), way, ask())
    assert SECRET in system_texts(llm.seen[0])[0]


@pytest.mark.parametrize(
    "app",
    [
        lambda memory, llm: as_graph(memory, llm),
        lambda memory, llm: as_graph(memory, llm, timeout_s=60),
        lambda memory, llm: as_agent(memory, llm),
        lambda memory, llm: as_agent(memory, llm, timeout_s=60),
        lambda memory, llm: create_agent(llm, middleware=[RememberMiddleware(memory)]),
        lambda memory, llm: create_agent(llm, memory_tools(memory)),
        # The evidence is read by the model's node, since the graph has no other.
        lambda memory, llm: graph(ContractMemoryNode(memory), llm).compile(),
    ],
)
async def test_async_run_leaves_the_event_loop_free(log: WatchedLog, app: Any) -> None:
    memory = ContractMemory(("ann",), store=log)
    llm = ScriptedModel(reply=once_a_tool("search_memory", question=QUESTION))
    log.gate.clear()
    running = asyncio.create_task(run(app(memory, llm), "ainvoke", ask()))
    while not log.threads:  # it waits at the gate, and the loop goes round
        await asyncio.sleep(0)
        assert not running.done()
    log.gate.set()
    await running
    assert threading.get_ident() not in log.threads


async def test_async_run_on_a_store_leaves_the_event_loop_free() -> None:
    class Watched(InMemoryStore):
        threads: set[int] = set()  # noqa: RUF012

        @override
        def batch(self, ops: Iterable[Op]) -> list[Result]:
            self.threads.add(threading.get_ident())
            return super().batch(ops)

    store = Watched()
    nodes = {"remember": RememberNode(scope=("ann",))}
    app = graph(ContractMemoryNode(scope=("ann",)), ScriptedModel(), **nodes).compile(store=store)
    await run(app, "ainvoke", ask())
    assert store.threads
    assert threading.get_ident() not in store.threads


@ways
async def test_failing_langgraph_store_is_skipped_like_any_other(way: str) -> None:
    class Failing(InMemoryStore):
        @override
        def batch(self, ops: Iterable[Op]) -> list[Result]:
            raise ConnectionError("no route")

    node = ContractMemoryNode(scope=("ann",), on_error="skip")
    state = await run(graph(node, ScriptedModel()).compile(store=Failing()), way, ask())
    assert "Failing failed: ConnectionError: no route" in state["evidence"].receipt.error


@pytest.mark.parametrize("options", [{"on_error": "ignore"}, {"timeout_s": 0}, {"timeout_s": -1}, {"timeout_s": "1"}])
def test_settings_that_mean_nothing_are_refused(log: WatchedLog, options: Any) -> None:
    memory = ContractMemory(("ann",), store=log)
    for kind in (ContractMemoryNode, RememberNode, ContractMemoryMiddleware, RememberMiddleware, memory_tools):
        with pytest.raises(ConfigError, match=next(iter(options))):
            kind(memory, **options)


class Extractor:
    """A `ChatModel` over a LangChain model, which streams whenever it is called inside a graph that streams."""

    def __init__(self) -> None:
        self.llm = ScriptedModel(reply=lambda number, messages: "EXTRACTED")

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
    ) -> Completion:
        return Completion(str(self.llm.invoke([(message.role, message.content) for message in messages]).content))

    async def acomplete(self, messages: Sequence[Message], **options: Any) -> Completion:
        raise NotImplementedError


@kinds
@pytest.mark.parametrize("way", ["stream", "astream"])
@pytest.mark.parametrize("timeout_s", [None, 60])
async def test_model_that_reads_records_is_not_heard_in_the_stream(kind: Any, way: str, timeout_s: Any) -> None:
    extractor = Extractor()
    with ContractMemory(("ann",), store="sqlite://", model=extractor) as memory:
        app = kind(memory, ScriptedModel(), timeout_s=timeout_s)
        given = {"messages": [("user", "Kim, my manager since the spring, has a cat that nobody likes.")]}
        if way == "stream":
            heard = await asyncio.to_thread(lambda: list(app.stream(given, stream_mode="messages")))
        else:
            heard = [each async for each in app.astream(given, stream_mode="messages")]
        assert len(extractor.llm.seen) >= 1
        said = [message.content for message, _ in heard if isinstance(message, AIMessageChunk)]
        assert "".join(said) == "answer 1"
