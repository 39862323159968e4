"""Fakes for tests of code that uses this package: a model that says what the test wrote down."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from typing_extensions import override

from memory_evidence.errors import ModelError
from memory_evidence.models import Completion, Message

Reply = str | Completion | ModelError | Callable[[Sequence[Message]], str]
"""A text, a text with its token counts, an error to raise, or a function of the messages that returns a text."""


class ScriptEndedError(AssertionError):
    """The model was asked once more than the script has replies.

    No `ModelError`, so that no fallback takes it for a failing server.
    """

    def __init__(self, replies: int, messages: Sequence[Message]) -> None:
        super().__init__(replies, messages)
        self.replies, self.messages = replies, messages

    @override
    def __str__(self) -> str:
        asked = self.messages[-1].content if self.messages else "(no messages)"
        return f"the script's {self.replies} replies are used up, and the model was asked again:\n{asked}"


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a `ScriptedModel`, as it was made."""

    messages: tuple[Message, ...]
    schema: type[BaseModel] | None
    temperature: float
    max_tokens: int


class ScriptedModel:
    """A `ChatModel` that gives `replies` one after another, whatever it is asked; safe to share between threads.

    Calls made at the same time take their replies in no fixed order: give a function where the reply must fit the
    question. `calls` lists every call, also the one that found the script at its end.
    """

    def __init__(self, replies: Iterable[Reply]) -> None:
        self.calls: list[Call] = []
        self._replies = list(replies)
        self._lock = threading.Lock()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
    ) -> Completion:
        """Return or raise the next reply.

        Raises:
            ModelError: The next reply is one.
            ScriptEndedError: There is none.
        """
        call = Call(tuple(messages), schema, temperature, max_tokens)
        with self._lock:
            place = len(self.calls)
            self.calls.append(call)
        if place >= len(self._replies):
            raise ScriptEndedError(len(self._replies), call.messages)
        reply = self._replies[place]
        if isinstance(reply, ModelError):
            raise reply
        if isinstance(reply, Completion):
            return reply
        return Completion(reply if isinstance(reply, str) else reply(call.messages))

    async def acomplete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
    ) -> Completion:
        """`complete`, giving other tasks a turn first."""
        await asyncio.sleep(0)
        return self.complete(messages, schema=schema, temperature=temperature, max_tokens=max_tokens)


def __getattr__(name: str) -> Any:
    # Only these need numpy.
    if name in ("CableContract", "WrappedHost"):
        from memory_evidence import testing_cable

        return getattr(testing_cable, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
