"""mem0's own language model, for the engine."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from memory_evidence.errors import ConfigError
from memory_evidence.function_model import FunctionModel
from memory_evidence.models import Message

__all__ = ["mem0_model"]


def mem0_model(llm: Any) -> FunctionModel:
    """Return the `llm` of a mem0 memory as a `ChatModel`.

    Temperature and token limit are set on a copy of mem0's settings, whose own token limit is not exceeded. Where an
    answer needs a form, JSON is asked for in the way in which mem0 asks for it.

    Raises:
        ConfigError: `llm` is no model of mem0.
    """
    if not callable(getattr(llm, "generate_response", None)):
        raise ConfigError("model", llm, 'a ChatModel or "rules", for this memory has no model of its own')

    def answer(messages: Sequence[Message], schema: type[BaseModel] | None, temperature: float, max_tokens: int) -> Any:
        form = {} if schema is None else {"response_format": {"type": "json_object"}}
        sent = [{"role": one.role, "content": one.content} for one in messages]
        return _with(llm, temperature, max_tokens).generate_response(messages=sent, **form)

    return FunctionModel(f"mem0's {type(llm).__name__}", answer)


def _with(llm: Any, temperature: float, max_tokens: int) -> Any:
    """Return `llm` with other settings; the model itself, with its connections, is shared."""
    config: Any = getattr(llm, "config", None)
    if not hasattr(config, "temperature") or not hasattr(config, "max_tokens"):
        return llm
    twin, settings = copy.copy(llm), copy.copy(config)
    settings.temperature = temperature
    settings.max_tokens = min(max_tokens, settings.max_tokens or max_tokens)
    twin.config = settings
    return twin
