"""The LlamaIndex LLM that an index or agent already has, as a `ChatModel` for the engines."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from integrations._calls import Options, host_error, prepared
from memory_evidence.errors import ConfigError, MissingExtraError
from memory_evidence.models import Completion, Message

try:
    from llama_index.core.base.llms.types import ChatMessage, ChatResponse, MessageRole
    from llama_index.core.llms import CustomLLM
    from llama_index.core.llms.llm import LLM
except ImportError as error:
    raise MissingExtraError("llamaindex") from error

_ROLES = {"system": MessageRole.SYSTEM, "user": MessageRole.USER, "assistant": MessageRole.ASSISTANT}
# The token counts of an answer, as servers and LlamaIndex's own packages spell them.
_PROMPT_TOKENS, _COMPLETION_TOKENS = ("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens")


class LlamaIndexModel:
    """A `ChatModel` over a LlamaIndex LLM.

    A schema is asked for in the prompt, which every model understands. `temperature` and `max_tokens` are passed along
    unless the LLM refuses them by name; then they are left out for good. Some LLM classes of LlamaIndex let their own
    `max_tokens` win. An LLM without an async chat of its own is called in a thread.

    Raises:
        ConfigError: `llm` is not a LlamaIndex LLM.
    """

    def __init__(self, llm: LLM) -> None:
        if not isinstance(llm, LLM):
            raise ConfigError("llm", llm, "a LlamaIndex LLM, such as OpenAILike(...)")
        self._llm = llm
        self._options = Options()
        self._operation = f"call of {llm.class_name()}"
        # CustomLLM's `achat` calls `chat` on the event loop: https://github.com/run-llama/llama_index/issues/18090
        self._threaded = next(one for one in type(llm).__mro__ if "achat" in vars(one)) is CustomLLM

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
            ModelError: The LLM raised; its error is the cause.
        """
        sent = _translated(messages, schema)
        options = self._options.asked(temperature, max_tokens)
        while True:
            try:
                answer = self._llm.chat(sent, **options)
            except Exception as error:
                fewer = self._options.without(error, options)
                if fewer is None:
                    raise host_error(self._operation, error) from error
                options = fewer
            else:
                self._options.learn(options)
                return _completion(answer)

    async def acomplete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
    ) -> Completion:
        """`complete` without blocking the event loop."""
        if self._threaded:
            return await asyncio.to_thread(
                self.complete, messages, schema=schema, temperature=temperature, max_tokens=max_tokens
            )
        sent = _translated(messages, schema)
        options = self._options.asked(temperature, max_tokens)
        while True:
            try:
                answer = await self._llm.achat(sent, **options)
            except Exception as error:
                fewer = self._options.without(error, options)
                if fewer is None:
                    raise host_error(self._operation, error) from error
                options = fewer
            else:
                self._options.learn(options)
                return _completion(answer)


def _translated(messages: Sequence[Message], schema: type[BaseModel] | None) -> list[ChatMessage]:
    return [ChatMessage(content=one.content, role=_ROLES[one.role]) for one in prepared(messages, schema)]


def _completion(answer: ChatResponse) -> Completion:
    usage = getattr(answer.raw, "usage", None) or (answer.raw.get("usage") if isinstance(answer.raw, Mapping) else None)
    places = (answer.additional_kwargs, usage)
    return Completion(answer.message.content or "", _count(places, _PROMPT_TOKENS), _count(places, _COMPLETION_TOKENS))


def _count(places: Sequence[Any], names: Sequence[str]) -> int:
    for place in places:
        for name in names:
            value = place.get(name) if isinstance(place, Mapping) else getattr(place, name, None)
            if isinstance(value, int):
                return value
    return 0
