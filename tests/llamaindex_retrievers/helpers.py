"""A log of the tests' own making, questions about it, an LLM that answers by script, and one way to ask in all four."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.llms.types import CompletionResponse, CompletionResponseGen, LLMMetadata
from llama_index.core.base.response.schema import AsyncStreamingResponse, Response, StreamingResponse
from llama_index.core.llms import CustomLLM
from pydantic import Field

from memory_evidence.tallymem import TallyMem, Trajectory
from memory_evidence.testing import ScriptEndedError

LOG = Trajectory.from_pairs(
    [
        ("open drawer 1", "You open the drawer 1.")
        if n % 3 == 0
        else (f"go to shelf {n}", f"You arrive at shelf {n}. On it you see a mug {n}.")
        for n in range(60)
    ]
)
OPENED = list(range(0, 60, 3))
MANY = "How many times was drawer 1 opened?"
"""Matches more steps than the router's threshold."""
FEW = "How many times was drawer 1 opened up to step 9?"
WHY = "Why was drawer 1 opened?"
"""Nothing is computed for it."""

WAYS = ("query", "aquery", "stream", "astream")


class ScriptedLLM(CustomLLM):
    """Gives `replies` one after another, in two tokens where it streams, and keeps the prompts."""

    replies: list[str]
    chat_model: bool = True
    prompts: list[str] = Field(default_factory=list)

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_chat_model=self.chat_model, context_window=100_000)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text=self._next(prompt))

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        reply = self._next(prompt)

        def tokens() -> CompletionResponseGen:
            half = len(reply) // 2
            yield CompletionResponse(text=reply[:half], delta=reply[:half])
            yield CompletionResponse(text=reply, delta=reply[half:])

        return tokens()

    def _next(self, prompt: str) -> str:
        self.prompts.append(prompt)
        if len(self.prompts) > len(self.replies):
            raise ScriptEndedError(len(self.replies), ())
        return self.replies[len(self.prompts) - 1]


async def asked(make: Callable[..., BaseQueryEngine], way: str, question: str) -> Response:
    """Ask an engine in one of `WAYS`; `make(streaming=...)` makes it."""
    engine = make(streaming=way.endswith("stream"))
    if way.startswith("a"):
        response = await engine.aquery(question)
    else:
        response = await asyncio.to_thread(engine.query, question)
    if way == "astream":
        assert isinstance(response, AsyncStreamingResponse)
        return await response.get_response()
    if way == "stream":
        assert isinstance(response, StreamingResponse)
        return await asyncio.to_thread(response.get_response)
    assert isinstance(response, Response)
    return response


def tally_that_needs_a_free_loop(**settings: Any) -> tuple[TallyMem, threading.Event]:
    """Make a tally that counts tokens only once the event is set, which only a loop that is free can do."""
    turn, waits = threading.Event(), threading.Event()

    def measure(text: str) -> int:
        if waits.is_set() and not turn.wait(timeout=5):
            raise AssertionError("the event loop was blocked")
        return len(text)

    tally = TallyMem(LOG, measure=measure, **settings)
    waits.set()
    return tally, turn
