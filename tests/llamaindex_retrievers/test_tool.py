"""The tally as a tool of real LlamaIndex agents; their model is LlamaIndex's own for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from llama_index.core.agent.workflow import FunctionAgent, ReActAgent, ToolCallResult
from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM

from llamaindex_retrievers import tally_query_engine_tool
from memory_evidence.errors import ConfigError
from memory_evidence.tallymem import Step, TallyMem
from tests.llamaindex_retrievers.helpers import LOG, MANY, OPENED, WHY, ScriptedLLM

# LlamaIndex's agents call what pydantic and LlamaIndex's own workflows have deprecated.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def asks(*questions: str) -> MockFunctionCallingLLM:
    """A model that asks the log each question, and then says what the last answer was."""
    left = list(questions)

    def reply(messages: Sequence[ChatMessage], **options: Any) -> ChatMessage:
        if left:
            call = ToolCallBlock(tool_call_id="1", tool_name="ask_log", tool_kwargs={"input": left.pop(0)})
            return ChatMessage(role=MessageRole.ASSISTANT, blocks=[call])
        return ChatMessage(role=MessageRole.ASSISTANT, content=messages[-1].content)

    return MockFunctionCallingLLM(response_generator=reply, is_chat_model=True)


async def test_function_agent_gets_the_count() -> None:
    tally = TallyMem(LOG)
    agent = FunctionAgent(tools=[tally_query_engine_tool(tally)], llm=asks(MANY), streaming=False)
    handler = agent.run(user_msg="Did it open the drawer often?")
    results = [event async for event in handler.stream_events() if isinstance(event, ToolCallResult)]
    assert str(tally.evidence(MANY).computed) in str(await handler)
    assert results[0].tool_output.raw_output.metadata["matched_steps"] == OPENED


async def test_react_agent_gets_the_count() -> None:
    replies = [
        f'Thought: I need to count.\nAction: ask_log\nAction Input: {{"input": "{MANY}"}}',
        "Thought: I can answer.\nAnswer: Twenty times.",
    ]
    llm = ScriptedLLM(replies=replies)
    agent = ReActAgent(tools=[tally_query_engine_tool(TallyMem(LOG))], llm=llm, streaming=False)
    assert str(await agent.run(user_msg="Did it open the drawer often?")) == "Twenty times."
    assert "count = 20 (20 matched steps)" in llm.prompts[1]


async def test_agent_asks_about_its_own_growing_run() -> None:
    tally = TallyMem(LOG)
    tool = tally_query_engine_tool(tally)
    assert "count = 20" in str((await tool.acall(input=MANY)).content)
    tally.append(Step(60, "open drawer 1", "You open the drawer 1."))
    assert "count = 21" in str((await tool.acall(input=MANY)).content)


async def test_sync_and_async_calls_give_the_same() -> None:
    tool = tally_query_engine_tool(TallyMem(LOG))
    for question in (MANY, WHY, ""):
        assert tool.call(question).content == (await tool.acall(question)).content


def test_tool_with_a_model_gives_the_models_answer() -> None:
    tool = tally_query_engine_tool(TallyMem(LOG), ScriptedLLM(replies=["Twenty times."]), name="log", description="d")
    assert tool.call(input=MANY).content == "Twenty times."
    assert (tool.metadata.name, tool.metadata.description) == ("log", "d")


def test_model_is_offered_one_argument_and_a_description() -> None:
    metadata = tally_query_engine_tool(TallyMem(LOG)).metadata
    assert list(metadata.get_parameters_dict()["properties"]) == ["input"]
    assert "exactly" in metadata.description


def test_wrong_arguments_are_errors_that_name_them() -> None:
    with pytest.raises(ConfigError, match="`tally`"):
        tally_query_engine_tool(LOG)  # type: ignore[arg-type]
