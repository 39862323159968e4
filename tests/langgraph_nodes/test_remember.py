from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import RetryPolicy

from langgraph_nodes import ContractMemoryNode, RememberNode
from memory_evidence.cmc import MemoryPool
from memory_evidence.errors import ConfigError
from tests.langgraph_nodes.graphs import graph
from tests.langgraph_nodes.helpers import WAYS, ScriptedModel, run, system_texts

SCOPE = ("mem", "{user_id}")
CONFIG = {"configurable": {"thread_id": "t", "user_id": "ann"}}


def told(pool: MemoryPool, user: str = "ann") -> list[str]:
    return [record.text for record in pool.get(("mem", user)).records()]


def remembering(pool: MemoryPool, llm: ScriptedModel, **options: Any) -> Any:
    return graph(ContractMemoryNode(pool, scope=SCOPE), llm, remember=RememberNode(pool, scope=SCOPE, **options))


@pytest.mark.parametrize("way", WAYS)
async def test_turn_is_remembered_before_it_is_asked_about(pool: MemoryPool, way: str) -> None:
    llm = ScriptedModel()
    app = remembering(pool, llm).compile()
    state = await run(app, way, {"messages": [("user", "I moved to Bergen."), ("user", "Where do I live?")]}, CONFIG)
    assert "I moved to Bergen." in system_texts(llm.seen[0])[0]
    assert told(pool) == ["I moved to Bergen.", "Where do I live?"]
    assert [message.type for message in state["messages"]] == ["human", "human", "ai"]


@pytest.mark.parametrize("way", WAYS)
async def test_full_history_given_again_and_again_is_remembered_once(pool: MemoryPool, way: str) -> None:
    app = remembering(pool, ScriptedModel()).compile()
    history: list[Any] = []
    for number in range(4):
        history.append({"role": "user", "content": f"I moved to city {number}."})
        await run(app, way, {"messages": list(history)}, CONFIG)
        history.append({"role": "assistant", "content": "Noted."})
    assert told(pool) == [f"I moved to city {number}." for number in range(4)]


@pytest.mark.parametrize("way", WAYS)
async def test_thread_with_a_checkpointer_is_remembered_once(pool: MemoryPool, way: str) -> None:
    app = remembering(pool, ScriptedModel()).compile(InMemorySaver())
    for number in range(3):
        await run(app, way, {"messages": [("user", f"I moved to city {number}.")]}, CONFIG)
    await run(app, way, {"messages": []}, CONFIG)
    assert told(pool) == [f"I moved to city {number}." for number in range(3)]


@pytest.mark.parametrize("way", WAYS)
async def test_retry_after_a_failure_half_way_writes_nothing_twice(pool: MemoryPool, way: str) -> None:
    attempts: list[int] = []

    def remember_and_fail(state: Any, config: RunnableConfig) -> dict[str, Any]:
        update = RememberNode(pool, scope=SCOPE).invoke(state, config)
        attempts.append(1)
        if len(attempts) < 3:
            raise ConnectionError("lost on the way back")
        return update

    builder = graph(ContractMemoryNode(pool, scope=SCOPE), ScriptedModel())
    policy = RetryPolicy(initial_interval=0.0, jitter=False)
    builder.add_node("remember", remember_and_fail, retry_policy=policy).add_edge("__start__", "remember")
    await run(builder.compile(), way, {"messages": [("user", "I moved to Bergen.")]}, CONFIG)
    assert len(attempts) == 3
    assert told(pool) == ["I moved to Bergen."]


async def test_runs_at_the_same_time_write_a_message_once(pool: MemoryPool) -> None:
    app = remembering(pool, ScriptedModel()).compile(InMemorySaver())
    given = {"messages": [HumanMessage("I moved to Bergen.", id="m1")]}
    await asyncio.gather(*(run(app, WAYS[number % 4], given, CONFIG) for number in range(12)))
    assert told(pool) == ["I moved to Bergen."]


async def test_equal_words_in_two_threads_and_of_two_users_are_records_of_their_own(pool: MemoryPool) -> None:
    app = remembering(pool, ScriptedModel()).compile(InMemorySaver())
    for user, thread in (("ann", "t1"), ("ann", "t2"), ("bob", "t1")):
        config = {"configurable": {"user_id": user, "thread_id": thread}}
        await run(app, "ainvoke", {"messages": [HumanMessage("I moved to Bergen.", id="1")]}, config)
    assert told(pool) == ["I moved to Bergen."] * 2
    assert told(pool, "bob") == ["I moved to Bergen."]


@pytest.mark.parametrize("way", WAYS)
async def test_answers_are_remembered_only_where_asked_for(pool: MemoryPool, way: str) -> None:
    def app(*roles: Any) -> Any:
        builder = remembering(pool, ScriptedModel(reply=lambda number, messages: "You live in Turku."))
        builder.add_node("remember all", RememberNode(pool, scope=SCOPE, roles=roles))
        return builder.add_edge("model", "remember all").compile()

    await run(app("human"), way, {"messages": [("user", "I live in Oslo.")]}, CONFIG)
    assert told(pool) == ["I live in Oslo."]
    await run(app("human", "ai"), way, {"messages": [("user", "Where do I live?")]}, CONFIG)
    assert told(pool) == ["I live in Oslo.", "Where do I live?", "You live in Turku."]
    # What the assistant says is said of the assistant: it does not move the user.
    assert pool.get(("mem", "ann")).current("user")[0].object == "Oslo"


async def test_evidence_that_a_model_repeats_is_not_written_back(pool: MemoryPool) -> None:
    pool.get(("mem", "ann")).add("I live in Oslo.")
    llm = ScriptedModel(reply=lambda number, messages: f"I was shown {messages[0].text}")
    builder = graph(ContractMemoryNode(pool, scope=SCOPE), llm)
    builder.add_node("remember", RememberNode(pool, scope=SCOPE, roles=("human", "ai")))
    await run(builder.add_edge("model", "remember").compile(), "ainvoke", {"messages": [("user", "Hm?")]}, CONFIG)
    assert told(pool) == ["I live in Oslo.", "Hm?"]


def test_node_works_outside_of_a_graph_and_without_ids(pool: MemoryPool) -> None:
    node = RememberNode(pool, scope=("mem", "ann"))
    config: Any = {"configurable": {"thread_id": "t"}}
    for _ in range(2):
        assert node.invoke({"messages": [AIMessage("Hi."), HumanMessage("I live in Oslo.")]}, config) == {}
    assert told(pool) == ["I live in Oslo."]


@pytest.mark.parametrize("roles", [(), "human", ("tool",), ("human", "system")])
def test_other_roles_are_refused(pool: MemoryPool, roles: Any) -> None:
    with pytest.raises(ConfigError, match="roles"):
        RememberNode(pool, scope=("mem",), roles=roles)
