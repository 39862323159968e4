"""Importers read the hosts' own message classes, and import none of the hosts."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from memory_evidence.errors import InputError
from memory_evidence.tallymem import Observed, Trajectory


def told(trajectory: Trajectory) -> list[tuple[int, str, str, str]]:
    return [(step.id, step.action, step.observation, step.observed.value) for step in trajectory]


def test_the_engine_imports_no_framework():
    code = (
        "import sys; from memory_evidence.tallymem import Trajectory;"
        "Trajectory.from_langchain([]); Trajectory.from_llamaindex([]); Trajectory.from_openai([]);"
        "print([n for n in ('langchain_core', 'llama_index', 'openai', 'langgraph') if n in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


# LangChain


@pytest.fixture
def chat() -> list[Any]:
    messages = pytest.importorskip("langchain_core.messages")
    return [
        messages.SystemMessage("You can search."),
        messages.HumanMessage([{"type": "text", "text": "Where is Oslo?"}]),
        messages.AIMessage(
            "",
            tool_calls=[{"name": "search", "args": {"q": "Øst"}, "id": "1"}, {"name": "look", "args": {}, "id": "2"}],
            invalid_tool_calls=[
                {"name": "search", "args": "{broken", "id": "3", "error": "no JSON"},
                {"name": "search", "args": "{never run", "id": "4", "error": "no JSON"},
            ],
        ),
        messages.ToolMessage("boom", tool_call_id="2", status="error"),
        messages.ToolMessage([{"type": "text", "text": "Norway"}], tool_call_id="1"),
        messages.ToolMessage("not JSON", tool_call_id="3", status="error"),
        messages.AIMessage("In Norway.", tool_calls=[{"name": "end", "args": {}, "id": "5"}]),
    ]


CHAT_TOLD = [
    (0, 'search: {"q": "Øst"}', "Norway", "text"),
    (1, "look: {}", "boom", "error"),
    (2, "search: {broken", "not JSON", "error"),
    (3, "end: {}", "", "missing"),
]


def test_langchain_messages_give_a_step_a_call(chat: list[Any]):
    trajectory = Trajectory.from_langchain(chat)
    assert told(trajectory) == CHAT_TOLD
    assert trajectory.task == "Where is Oslo?"
    assert [step.call_id for step in trajectory] == ["1", "2", "3", "5"]


def test_every_serialised_form_of_langchain_gives_the_same(chat: list[Any]):
    messages, load = pytest.importorskip("langchain_core.messages"), pytest.importorskip("langchain_core.load")
    forms: list[Any] = [
        {"messages": chat},
        [message.model_dump() for message in chat],
        messages.messages_to_dict(chat),
        [load.dumpd(message) for message in chat],
        json.loads(json.dumps({"messages": messages.messages_to_dict(chat)})),
    ]
    for form in forms:
        assert told(Trajectory.from_langchain(form)) == CHAT_TOLD


def test_a_real_langgraph_run_is_read_from_its_state():
    graph = pytest.importorskip("langgraph.graph")
    prebuilt = pytest.importorskip("langgraph.prebuilt")
    messages = pytest.importorskip("langchain_core.messages")

    def divide(a: int, b: int) -> str:
        """Divide."""
        return str(a // b)

    def ask(state: Any) -> dict[str, Any]:
        calls = [
            {"name": "divide", "args": {"a": 6, "b": 3}, "id": "1"},
            {"name": "divide", "args": {"a": 1, "b": 0}, "id": "2"},
        ]
        return {"messages": [messages.AIMessage("", tool_calls=calls)]}

    builder = graph.StateGraph(graph.MessagesState)
    builder.add_node("ask", ask)
    builder.add_node("tools", prebuilt.ToolNode([divide], handle_tool_errors="it failed"))
    builder.add_edge(graph.START, "ask")
    builder.add_edge("ask", "tools")
    state = builder.compile().invoke({"messages": [messages.HumanMessage("Divide.")]})
    first, second = Trajectory.from_langchain(state)
    assert (first.action, first.observation) == ('divide: {"a": 6, "b": 3}', "2")
    assert (second.observation, second.observed) == ("it failed", Observed.ERROR)


def test_a_real_agent_run_serialised_as_openai_messages_gives_the_same_steps():
    agents = pytest.importorskip("langchain.agents")
    messages = pytest.importorskip("langchain_core.messages")
    openai_chat = pytest.importorskip("openai.types.chat")
    from tests.langgraph_nodes.helpers import ScriptedModel, calls

    def search(query: str, most: int = 3) -> str:
        """Search."""
        return f"{most} results for {query}\nØst"

    def remove(path: str) -> str:
        """Remove a file."""
        return ""

    def reply(number: int, seen: list[Any]) -> Any:
        made = {
            1: calls(("search", {"query": 'a "quoted" {brace}'}), ("search", {"query": "Øst", "most": 1})),
            2: calls(("remove", {"path": "/tmp/a b.txt"})),
        }.get(number, messages.AIMessage("Done."))
        for call in getattr(made, "tool_calls", ()):
            call["id"] = f"call_{number}_{call['id']}"
        return made

    run = agents.create_agent(ScriptedModel(reply=reply), [search, remove]).invoke({"messages": [("user", "Find it.")]})
    sent = messages.convert_to_openai_messages(run["messages"])
    # As the SDK writes what it received: every field that an assistant's message has, also those without a value.
    kept = [
        openai_chat.ChatCompletionMessage.model_validate(message).model_dump(mode="json")
        if message["role"] == "assistant"
        else message
        for message in sent
    ]
    assert "refusal" in kept[1]
    expected = told(Trajectory.from_langchain(run))
    assert [(action, observation) for _, action, observation, _ in expected] == [
        ('search: {"query": "a \\"quoted\\" {brace}"}', '3 results for a "quoted" {brace}\nØst'),
        ('search: {"query": "Øst", "most": 1}', "1 results for Øst\nØst"),
        ('remove: {"path": "/tmp/a b.txt"}', ""),
    ]
    for trace in (sent, kept, {"messages": kept}):
        assert told(Trajectory.from_openai(json.loads(json.dumps(trace)))) == expected


def test_calls_of_a_sub_agent_count_only_when_asked_for(chat: list[Any]):
    messages = pytest.importorskip("langchain_core.messages")
    outer = [
        messages.AIMessage("", tool_calls=[{"name": "delegate", "args": {}, "id": "d"}]),
        messages.ToolMessage("done", tool_call_id="d", artifact={"messages": chat}),
    ]
    assert [step.tool for step in Trajectory.from_langchain(outer)] == ["delegate"]
    assert [step.tool for step in Trajectory.from_langchain(outer, nested=True)] == [
        "delegate",
        "search",
        "look",
        "search",
        "end",
    ]


def test_a_trimmed_langchain_history_is_an_error(chat: list[Any]):
    with pytest.raises(InputError, match="that of a call in the same messages"):
        Trajectory.from_langchain(chat[3:])


@pytest.mark.parametrize("source", [["hello"], [{"type": "event"}], {"state": []}, 7, [None]])
def test_what_is_no_langchain_message_is_refused(source: Any):
    with pytest.raises(InputError):
        Trajectory.from_langchain(source)


# LlamaIndex


def test_llamaindex_messages_give_a_step_a_call():
    llms = pytest.importorskip("llama_index.core.base.llms.types")
    chat = [
        llms.ChatMessage(role="user", content="Where is Oslo?"),
        llms.ChatMessage(
            role="assistant",
            blocks=[
                llms.TextBlock(text="I search."),
                llms.ToolCallBlock(tool_call_id="1", tool_name="search", tool_kwargs={"q": "Oslo"}),
                llms.ToolCallBlock(tool_call_id="2", tool_name="look", tool_kwargs="{broken"),
            ],
        ),
        llms.ChatMessage(role="tool", content="", additional_kwargs={"tool_call_id": "2"}),
        llms.ChatMessage(role="tool", content="Norway", additional_kwargs={"tool_call_id": "1"}),
    ]
    expected = [(0, 'search: {"q": "Oslo"}', "Norway", "text"), (1, "look: {broken", "", "empty")]
    for form in (
        chat,
        [message.model_dump() for message in chat],
        [message.model_dump(mode="json") for message in chat],
    ):
        trajectory = Trajectory.from_llamaindex(form)
        assert told(trajectory) == expected
        assert trajectory.task == "Where is Oslo?"


def test_calls_that_an_older_integration_keeps_beside_the_message_are_read():
    llms = pytest.importorskip("llama_index.core.base.llms.types")
    beside = {"tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]}
    chat = [
        llms.ChatMessage(role="assistant", content="", additional_kwargs=beside),
        llms.ChatMessage(role="tool", content="done", additional_kwargs={"tool_call_id": "1"}),
    ]
    assert told(Trajectory.from_llamaindex(chat)) == [(0, "f: {}", "done", "text")]


def test_start_and_result_of_a_workflow_call_are_one_step():
    workflow = pytest.importorskip("llama_index.core.agent.workflow")
    tools = pytest.importorskip("llama_index.core.tools")

    def done(id: str, text: str, error: bool = False) -> Any:
        output = tools.ToolOutput(tool_name="f", content=text, raw_input={}, raw_output=text, is_error=error)
        return workflow.ToolCallResult(
            tool_name="f", tool_kwargs={"n": 1}, tool_id=id, tool_output=output, return_direct=False
        )

    def started(id: str) -> Any:
        return workflow.ToolCall(tool_name="f", tool_kwargs={"n": 1}, tool_id=id)

    events = [started("1"), started("2"), done("2", "bad", error=True), done("1", "ok"), started("3"), done("4", "")]
    assert told(Trajectory.from_llamaindex(events)) == [
        (0, 'f: {"n": 1}', "ok", "text"),
        (1, 'f: {"n": 1}', "bad", "error"),
        (2, 'f: {"n": 1}', "", "missing"),
        (3, 'f: {"n": 1}', "", "empty"),
    ]


# The host looks at attributes of its own that pydantic has deprecated.
@pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecationWarning")
async def test_a_real_agent_run_gives_the_same_steps_from_its_events_and_from_its_messages():
    workflow = pytest.importorskip("llama_index.core.agent.workflow")
    mock = pytest.importorskip("llama_index.core.llms.mock")
    llms = pytest.importorskip("llama_index.core.base.llms.types")
    memories = pytest.importorskip("llama_index.core.memory")

    def divide(a: int, b: int) -> str:
        """Divide."""
        return str(a // b)

    def reply(messages: Any, **_: Any) -> Any:
        if messages[-1].role == "tool":
            return llms.ChatMessage(role="assistant", content="Done.")
        calls = [
            llms.ToolCallBlock(tool_call_id=str(b), tool_name="divide", tool_kwargs={"a": 6, "b": b}) for b in (3, 0)
        ]
        return llms.ChatMessage(role="assistant", blocks=calls)

    memory = memories.ChatMemoryBuffer.from_defaults(token_limit=100_000)
    agent = workflow.FunctionAgent(tools=[divide], llm=mock.MockFunctionCallingLLM(response_generator=reply))
    handler = agent.run("Divide.", memory=memory)
    events = [event async for event in handler.stream_events()]
    await handler
    by_event, by_message = Trajectory.from_llamaindex(events), Trajectory.from_llamaindex(memory.get_all())
    assert [step.action for step in by_event] == ['divide: {"a": 6, "b": 3}', 'divide: {"a": 6, "b": 0}']
    assert [step.observed for step in by_event] == [Observed.TEXT, Observed.ERROR]
    assert [step.action for step in by_message] == [step.action for step in by_event]
    assert [step.observation for step in by_message] == [step.observation for step in by_event]


@pytest.mark.parametrize("source", [["hello"], [{"type": "x"}], {"nothing": []}, 7])
def test_what_is_no_llamaindex_log_is_refused(source: Any):
    with pytest.raises(InputError):
        Trajectory.from_llamaindex(source)
