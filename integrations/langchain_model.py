"""The LangChain chat model that an agent already has, as a `ChatModel` for the engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from integrations._calls import Options, host_error, prepared
from memory_evidence.errors import ConfigError, MissingExtraError, ModelOutputError
from memory_evidence.models import Completion, Message

try:
    from langchain_core.language_models import LanguageModelInput
    from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
    from langchain_core.runnables import Runnable, RunnableConfig
except ImportError as error:
    raise MissingExtraError("langchain") from error

_MESSAGES: dict[str, type[BaseMessage]] = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}


class LangChainModel:
    """A `ChatModel` over a LangChain chat model, or a runnable made of one (`model.bind(...)`, `with_retry()`).

    A schema is asked for in the prompt, which every model understands. `temperature` and `max_tokens` are passed along
    unless the model refuses them by name; then they are left out for good. Calls made inside a running graph or agent
    stay out of its streams (`stream_mode="messages"`, `astream_events`) and away from its callbacks; the model's own
    callbacks fire as always.

    Raises:
        ConfigError: `chat_model` is no LangChain runnable.
    """

    def __init__(self, chat_model: Runnable[LanguageModelInput, Any]) -> None:
        if not isinstance(chat_model, Runnable):
            raise ConfigError("chat_model", chat_model, "a LangChain chat model, such as ChatOpenAI(...)")
        self._chat_model = chat_model
        self._options = Options()
        self._operation = f"call of {type(chat_model).__name__}"

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
    ) -> Completion:
        """Answer; content blocks other than text are dropped.

        Raises:
            ModelError: The chat model raised; its error is the cause.
            ModelOutputError: It answered with something else than a message.
        """
        sent = _translated(messages, schema)
        options = self._options.asked(temperature, max_tokens)
        while True:
            try:
                answer = self._chat_model.invoke(sent, _config(), **options)
            except Exception as error:
                fewer = self._options.without(error, options)
                if fewer is None:
                    raise host_error(self._operation, error) from error
                options = fewer
            else:
                self._options.learn(options)
                return self._completion(answer)

    async def acomplete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
    ) -> Completion:
        """`complete` without blocking the event loop."""
        sent = _translated(messages, schema)
        options = self._options.asked(temperature, max_tokens)
        while True:
            try:
                answer = await self._chat_model.ainvoke(sent, _config(), **options)
            except Exception as error:
                fewer = self._options.without(error, options)
                if fewer is None:
                    raise host_error(self._operation, error) from error
                options = fewer
            else:
                self._options.learn(options)
                return self._completion(answer)

    def _completion(self, answer: object) -> Completion:
        if not isinstance(answer, AIMessage):
            raise ModelOutputError(self._operation, f"answered with {type(answer).__name__}, no AIMessage", str(answer))
        usage = answer.usage_metadata
        return Completion(
            str(answer.text), usage["input_tokens"] if usage else 0, usage["output_tokens"] if usage else 0
        )


def _config() -> RunnableConfig:
    # No callbacks: without this, LangChain takes over those of the graph that is running, and with them its stream. The
    # tag is LangGraph's own (langgraph.constants.TAG_NOSTREAM), for handlers that sit on the model itself.
    return {"callbacks": [], "tags": ["nostream"], "run_name": "memory_evidence"}


def _translated(messages: Sequence[Message], schema: type[BaseModel] | None) -> list[BaseMessage]:
    return [_MESSAGES[one.role](content=one.content) for one in prepared(messages, schema)]
