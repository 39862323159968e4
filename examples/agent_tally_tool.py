"""A LlamaIndex agent with the tally as a tool: it asks about a log, and gets counts with the steps behind them.

Runs offline, with a scripted model; a real one would choose the questions itself. Prints:

    the agent asks: How often was login called, and at which steps?
      1. count = 4 (4 matched steps)
         filters: tool 'login'; scope: all steps; looked at steps 0-7 (8); 3 of these failed or had no effect
         steps: 0, 2, 4-5
    steps to show a reader: [0, 2, 4, 5]
    the agent says: It took four calls.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent, ToolCallResult
from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM

from llamaindex_retrievers import tally_query_engine_tool
from memory_evidence.tallymem import TallyMem, Trajectory

LOG = Trajectory.from_pairs(
    [
        ("login: {}", "Error: timeout"),
        ("wait: {}", "ok"),
        ("login: {}", "Error: wrong code"),
        ("fetch_code: {}", "code 1234"),
        ("login: {}", "welcome"),
        ("login: {}", "Error: session is open already"),
        ("list_orders: {}", "3 orders"),
        ("logout: {}", "bye"),
    ]
)
QUESTION = "How often was login called, and at which steps?"


def scripted(messages: Sequence[ChatMessage], **_: Any) -> ChatMessage:
    """Ask the log first, and answer when its answer is there."""
    if messages[-1].role == MessageRole.TOOL:
        return ChatMessage(role=MessageRole.ASSISTANT, content="It took four calls.")
    call = ToolCallBlock(tool_call_id="1", tool_name="ask_log", tool_kwargs={"input": QUESTION})
    return ChatMessage(role=MessageRole.ASSISTANT, blocks=[call])


async def main() -> None:
    """Let the agent answer a question about the log."""
    tally = TallyMem(LOG)
    llm = MockFunctionCallingLLM(response_generator=scripted, is_chat_model=True)
    agent = FunctionAgent(tools=[tally_query_engine_tool(tally)], llm=llm, streaming=False)
    run = agent.run(user_msg="Was it hard to log in?")
    async for event in run.stream_events():
        if isinstance(event, ToolCallResult):
            print(f"the agent asks: {event.tool_kwargs['input']}")
            print("\n".join(f"  {line}" for line in str(event.tool_output.content).splitlines()[2:-1]))
            print(f"steps to show a reader: {event.tool_output.raw_output.metadata['matched_steps']}")
    print(f"the agent says: {await run}")


if __name__ == "__main__":
    asyncio.run(main())
