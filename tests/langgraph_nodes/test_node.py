from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.tools import tool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.store.base import BaseStore
from langgraph.types import Command, interrupt

from langgraph_nodes import BaseStoreLog, ContractMemoryNode, RememberNode
from memory_evidence.cmc import ContractMemory, Evidence, MemoryPool
from memory_evidence.errors import ConfigError, ScopeError
from tests.langgraph_nodes.graphs import KESTREL, QUESTION, SECRET, Context, CountingMemory, State, graph, kept_by
from tests.langgraph_nodes.helpers import TAG, WAYS, ScriptedModel, once_a_tool, run, system_texts

SCOPE = ("mem", "{user_id}")


@tool
def weather(city: str) -> str:
    """Say what the weather is like."""
    return f"Rain in {city}."


@tool
def approve(city: str) -> str:
    """Ask a person."""
    return f"They say {interrupt('go on?')} to {city}."


def ask(text: Any = QUESTION) -> dict[str, Any]:
    return {"messages": [HumanMessage(text)]}


@pytest.fixture
def memory() -> Any:
    with CountingMemory(("mem", "ann"), store="sqlite://") as memory:
        memory.add(KESTREL)
        yield memory


@pytest.mark.parametrize("way", WAYS)
async def test_model_sees_the_current_evidence_on_every_call_and_the_state_never_does(memory: Any, way: str) -> None:
    llm = ScriptedModel(reply=once_a_tool("weather", city="Bergen"))
    app = graph(ContractMemoryNode(memory), llm, tools=[weather]).compile()
    state = await run(app, way, ask())
    evidence = memory.read(QUESTION)
    assert evidence.positions == (1, 3)
    assert [system_texts(seen) for seen in llm.seen] == [[str(evidence)], [str(evidence)]]
    assert [message.type for message in llm.seen[1]] == ["system", "human", "ai", "tool"]
    assert [message.type for message in state["messages"]] == ["human", "ai", "tool", "ai"]
    assert state["evidence"].positions == (1, 3)


@pytest.mark.parametrize("way", WAYS)
async def test_evidence_is_read_once_a_turn_though_the_model_loops(memory: Any, way: str) -> None:
    llm = ScriptedModel(reply=lambda n, m: once_a_tool("weather", city="x")(1, [m[1]]) if n < 5 else "done")
    app = graph(ContractMemoryNode(memory), llm, tools=[weather]).compile()
    await run(app, way, ask())
    assert len(llm.seen) == 5
    assert memory.reads == 1


@pytest.mark.parametrize("way", WAYS)
async def test_empty_memory_adds_nothing_and_is_read_once(way: str) -> None:
    with CountingMemory(("ann",), store="sqlite://") as memory:
        llm = ScriptedModel(reply=once_a_tool("weather", city="Bergen"))
        await run(graph(ContractMemoryNode(memory), llm, tools=[weather]).compile(), way, ask())
        assert [system_texts(seen) for seen in llm.seen] == [[], []]
        assert memory.reads == 1


async def test_each_turn_has_its_own_evidence(memory: Any) -> None:
    llm = ScriptedModel()
    app = graph(ContractMemoryNode(memory), llm).compile(InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    await run(app, "ainvoke", ask("Where is Blue Team located?"), config)
    memory.add("Blue Team is located in Turku.")
    state = await run(app, "ainvoke", ask("Where is Blue Team located?"), config)
    assert [texts[0].count("Turku") for texts in map(system_texts, llm.seen)] == [0, 1]
    assert state["evidence"].positions == (4,)


def no_op(state: State) -> dict[str, Any]:
    return {}


def test_checkpoints_of_fifty_turns_hold_no_evidence_and_little_of_ours(
    memory: ContractMemory, new_saver: Callable[[], BaseCheckpointSaver[str]]
) -> None:
    def turns(node: Any) -> bytes:
        llm = ScriptedModel(reply=lambda number, messages: "Noted.")
        builder = graph(ContractMemoryNode(memory), llm)
        builder.nodes["memory"] = StateGraph(State).add_node("memory", node).nodes["memory"]
        saver = new_saver()
        app = builder.compile(saver)
        for number in range(50):
            given = {"messages": [HumanMessage(QUESTION, id=f"m{number:02d}")]}
            app.invoke(given, {"configurable": {"thread_id": "t"}})
        assert SECRET in llm.seen[-1][0].text
        return kept_by(saver)

    kept = turns(ContractMemoryNode(memory))
    assert kept.count(QUESTION.encode()) >= 50
    for ours in (SECRET, TAG, "positions"):
        assert ours.encode() not in kept
    # A node that does nothing in the same place costs the same, up to the version numbers of one more channel.
    assert len(kept) - len(turns(no_op)) < 50 * 600


@pytest.mark.parametrize("way", WAYS)
async def test_evidence_is_there_again_after_an_interrupt(memory: Any, way: str) -> None:
    llm = ScriptedModel(reply=once_a_tool("approve", city="Bergen"))
    saver = InMemorySaver()
    app = graph(ContractMemoryNode(memory), llm, tools=[approve]).compile(saver)
    config = {"configurable": {"thread_id": "t"}}
    await run(app, way, ask(), config)
    assert app.get_state(config).next == ("tools",)
    await run(app, way, Command(resume="yes"), config)
    assert [message.text for message in llm.seen[1][3:]] == ["They say yes to Bergen."]
    assert system_texts(llm.seen[0]) == system_texts(llm.seen[1]) == [str(memory.read(QUESTION))]
    assert SECRET.encode() not in kept_by(saver)


@pytest.mark.parametrize("way", WAYS)
async def test_system_prompt_in_the_state_is_kept_and_stays_the_only_one(memory: Any, way: str) -> None:
    llm = ScriptedModel()
    app = graph(ContractMemoryNode(memory), llm).compile()
    given = [HumanMessage(QUESTION), SystemMessage("Be brief.")]
    state = await run(app, way, {"messages": given})
    assert system_texts(llm.seen[0]) == [f"Be brief.\n\n{memory.read(QUESTION)}"]
    assert [message.content for message in state["messages"]] == [QUESTION, "Be brief.", "answer 1"]


@pytest.mark.parametrize("way", WAYS)
async def test_text_blocks_are_asked_for_and_images_alone_are_not(memory: Any, way: str) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    llm = ScriptedModel()
    app = graph(ContractMemoryNode(memory), llm).compile()
    state = await run(app, way, ask([{"type": "text", "text": QUESTION}, image]))
    assert state["evidence"].question == QUESTION
    assert state["evidence"].positions == (1, 3)
    memory.reads = 0
    state = await run(app, way, ask([image]))
    assert system_texts(llm.seen[1]) == []
    assert state["evidence"] == Evidence("", "", (), ())
    assert memory.reads == 0


@pytest.mark.parametrize("way", WAYS)
async def test_store_and_user_come_from_the_graph(any_store: BaseStore, way: str) -> None:
    ContractMemory(("mem", "ann"), store=BaseStoreLog(any_store)).add(KESTREL)
    llm = ScriptedModel()
    app = graph(ContractMemoryNode(scope=SCOPE), llm, remember=RememberNode(scope=SCOPE)).compile(store=any_store)
    await run(app, way, ask(), context=Context("ann"))
    await run(app, way, ask(), context=Context("bob"))
    await run(app, way, ask("Blue Team is located in Turku."), context=Context("ann"))
    await run(app, way, ask(), {"configurable": {"user_id": "ann"}})
    found = [system_texts(seen) for seen in llm.seen]
    assert "3. Blue Team is located in Bergen." in found[0][0]
    assert SECRET not in found[1][0]
    assert "5. Blue Team is located in Turku." in found[3][0]


@pytest.mark.parametrize("way", WAYS)
async def test_user_that_nobody_names_is_an_error(pool: MemoryPool, way: str) -> None:
    app = graph(ContractMemoryNode(pool, scope=SCOPE, on_error="skip"), ScriptedModel()).compile()
    with pytest.raises(ScopeError, match="user_id"):
        await run(app, way, ask())


@pytest.mark.parametrize("way", WAYS)
async def test_graph_without_a_store_is_an_error(way: str) -> None:
    app = graph(ContractMemoryNode(scope=SCOPE), ScriptedModel()).compile()
    with pytest.raises(ConfigError, match="compiled with a store"):
        await run(app, way, ask(), context=Context())


async def test_users_in_parallel_never_see_each_other(pool: MemoryPool) -> None:
    llm = ScriptedModel(reply=lambda number, messages: messages[0].text)
    nodes = {"remember": RememberNode(pool, scope=SCOPE)}
    app = graph(ContractMemoryNode(pool, scope=SCOPE), llm, **nodes).compile(InMemorySaver())

    async def turns(user: str) -> list[str]:
        config = {"configurable": {"thread_id": user}}
        answers = []
        for city in ("Oslo", "Bergen", "Turku"):
            said = f"I moved to {city}{user}. Where do I live?"
            state = await run(app, "ainvoke", ask(said), config, context=Context(user))
            answers.append(state["messages"][-1].content)
        return answers

    users = [f"x{number}x" for number in range(20)]
    for user, answers in zip(users, await asyncio.gather(*map(turns, users)), strict=True):
        for answer, city in zip(answers, ("Oslo", "Bergen", "Turku"), strict=True):
            assert f"{city}{user}" in answer
            assert not any(other in answer for other in users if other != user)


async def test_state_that_does_not_declare_the_key_works_too(memory: Any) -> None:
    from langgraph.graph import MessagesState

    node = ContractMemoryNode(memory, key="found")
    builder = StateGraph(MessagesState).add_node("memory", node).add_edge(START, "memory")
    builder.add_node("model", lambda state: {"messages": [AIMessage(node.messages(state)[0].text)]})
    state = builder.add_edge("memory", "model").compile().invoke(ask())
    assert SECRET in state["messages"][-1].text
    assert "found" not in state


def test_node_works_outside_of_a_graph(memory: Any, pool: MemoryPool) -> None:
    assert ContractMemoryNode(memory).invoke(ask())["evidence"].positions == (1, 3)
    pool.get(("mem", "ann")).add(KESTREL)
    node = ContractMemoryNode(pool, scope=SCOPE)
    assert SECRET in node.messages(ask(), {"configurable": {"user_id": "ann"}})[0].text


async def test_receipts_reach_the_caller(memory: Any) -> None:
    found: list[Evidence] = []
    app = graph(ContractMemoryNode(memory, on_evidence=found.append), ScriptedModel()).compile()
    for way in WAYS:
        await run(app, way, ask())
    assert [evidence.receipt.anchors for evidence in found] == [("Kestrel",)] * 4
