"""A `ChatModel` made of one blocking function, for a language model that a host framework already has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from pydantic import BaseModel

from memory_evidence.errors import ModelError
from memory_evidence.models import Completion, Message

__all__ = ["FunctionModel"]

Answering = Callable[[Sequence[Message], type[BaseModel] | None, float, int], str]
"""Takes messages, schema, temperature and the most tokens of the answer; returns the answer's text."""


class FunctionModel:
    """Asks `answer`, which may block and may raise anything. Token counts are not known, so they are 0.

    Args:
        name: The model in error messages, "A-MEM's model".
        answer: The host's model.
    """

    def __init__(self, name: str, answer: Answering) -> None:
        self._name, self._answer = name, answer

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
    ) -> Completion:
        """Return what the function answers.

        Raises:
            ModelError: It raised, or answered no text.
        """
        try:
            text = self._answer(messages, schema, temperature, max_tokens)
        except AssertionError:
            raise  # a test's own
        except Exception as error:
            raise ModelError(f"call of {self._name}", f"{type(error).__name__}: {error}") from error
        if not isinstance(text, str):
            raise ModelError(f"call of {self._name}", f"it answered {type(text).__name__}, not text", False)
        return Completion(text)

    async def acomplete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
    ) -> Completion:
        """`complete` in a thread."""
        return await asyncio.to_thread(
            self.complete, messages, schema=schema, temperature=temperature, max_tokens=max_tokens
        )
