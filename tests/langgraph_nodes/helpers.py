"""A chat model that answers by script and keeps what it was shown, and one way to run a graph in all four ways."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, SystemMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import Field

WAYS = ("invoke", "ainvoke", "stream", "astream")
TAG = "<memory-evidence>"


class ScriptedModel(BaseChatModel):
    """Answers with `reply(number of the call, messages)`, and keeps the messages of each call in `seen`."""

    reply: Callable[[int, list[BaseMessage]], str | AIMessage] = lambda number, _: f"answer {number}"
    seen: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> ScriptedModel:
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next(messages))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        message = self._next(messages)
        calls = [
            tool_call_chunk(name=c["name"], args=_json(c["args"]), id=c["id"], index=0) for c in message.tool_calls
        ]
        yield ChatGenerationChunk(message=AIMessageChunk(content=message.content, tool_call_chunks=calls))

    def _next(self, messages: list[BaseMessage]) -> AIMessage:
        self.seen.append(list(messages))
        reply = self.reply(len(self.seen), messages)
        return reply if isinstance(reply, AIMessage) else AIMessage(reply)


def calls(*tool_calls: tuple[str, dict[str, Any]]) -> AIMessage:
    """A reply that calls tools."""
    return AIMessage(
        "", tool_calls=[{"name": name, "args": args, "id": f"{name}-{i}"} for i, (name, args) in enumerate(tool_calls)]
    )


def once_a_tool(name: str, **arguments: Any) -> Callable[[int, list[BaseMessage]], str | AIMessage]:
    """Call a tool first and answer when its result is there."""
    return lambda number, messages: calls((name, arguments)) if messages[-1].type == "human" else f"answer {number}"


async def run(graph: Any, way: str, given: Any, config: Any = None, **options: Any) -> Any:
    """Run a graph in one of `WAYS` and return the final state."""
    if way == "invoke":
        return await asyncio.to_thread(graph.invoke, given, config, **options)
    if way == "ainvoke":
        return await graph.ainvoke(given, config, **options)
    if way == "stream":
        return await asyncio.to_thread(lambda: list(graph.stream(given, config, stream_mode="values", **options))[-1])
    return [state async for state in graph.astream(given, config, stream_mode="values", **options)][-1]


def system_texts(messages: Sequence[BaseMessage]) -> list[str]:
    """The text of every system message, which must be at most one and at the front."""
    assert not any(isinstance(message, SystemMessage) for message in messages[1:])
    return [message.text for message in messages if isinstance(message, SystemMessage)]


def _json(value: Any) -> str:
    import json

    return json.dumps(value)
