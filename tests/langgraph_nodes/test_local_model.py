"""End to end with a real model behind an OpenAI-compatible server on this machine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from langchain.agents import create_agent
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from typing_extensions import override

from langgraph_nodes import ContractMemoryMiddleware, ContractMemoryNode, RememberNode
from memory_evidence.cmc import MemoryPool
from tests.langgraph_nodes.graphs import Context, graph
from tests.langgraph_nodes.helpers import WAYS, run, system_texts

PROMPT = "Be brief."
QUESTION = "Which city did I move to?"


class Recorder(BaseCallbackHandler):
    """Keeps what is sent to the model."""

    def __init__(self) -> None:
        self.sent: list[list[BaseMessage]] = []

    @override
    def on_chat_model_start(self, serialized: Any, messages: list[list[BaseMessage]], **kwargs: Any) -> None:
        self.sent.append(messages[0])


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
async def llm(local_model_url: str, recorder: Recorder) -> AsyncIterator[ChatOpenAI]:
    options: dict[str, Any] = {"base_url": local_model_url, "api_key": "x", "model": "local", "max_tokens": 12}
    with httpx.Client() as client:
        async with httpx.AsyncClient() as async_client:
            options |= {"http_client": client, "http_async_client": async_client}
            yield ChatOpenAI(**options, temperature=0, seed=1, callbacks=[recorder])


def as_agent(pool: MemoryPool, llm: ChatOpenAI) -> Any:
    memory = ContractMemoryMiddleware(pool, scope=("mem", "{user_id}"), remember=True)
    return create_agent(
        llm, system_prompt=PROMPT, middleware=[memory], context_schema=Context, checkpointer=InMemorySaver()
    )


def as_graph(pool: MemoryPool, llm: ChatOpenAI) -> Any:
    remember = RememberNode(pool, scope=("mem", "{user_id}"))
    node = ContractMemoryNode(pool, scope=("mem", "{user_id}"))
    return graph(node, llm, remember=remember).compile(InMemorySaver())  # type: ignore[arg-type]


@pytest.mark.parametrize(("kind", "way"), [*zip([as_agent, as_graph, as_graph, as_agent], WAYS, strict=True)])
async def test_real_model_answers_from_the_current_state(
    pool: MemoryPool, llm: ChatOpenAI, recorder: Recorder, kind: Any, way: str
) -> None:
    app = kind(pool, llm)
    state: Any = None
    # Each in a thread of its own: what is known of the others comes from memory alone.
    for text in ("I live in Oslo.", "I moved to Bergen.", QUESTION):
        config = {"configurable": {"thread_id": text}}
        state = await run(app, way, {"messages": [("user", text)]}, config, context=Context("ann"))
    (system,) = system_texts(recorder.sent[2])
    assert "2. I moved to Bergen." in system
    assert "Oslo" not in system
    assert [message.type for message in recorder.sent[2]] == ["system", "human"]
    answer = state["messages"][-1].text
    assert "Bergen" in answer
    assert "Oslo" not in answer
