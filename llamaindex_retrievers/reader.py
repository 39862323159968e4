"""One LlamaIndex LLM, asked at once or streamed, sync or async; the async ways never block the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator

from llama_index.core.llms import LLM, CustomLLM
from llama_index.core.prompts import BasePromptTemplate


class Reader:
    """Answers questions from a context.

    `template` is a prompt with the variables `context_str` and `query_str`.
    """

    def __init__(self, llm: LLM, template: BasePromptTemplate) -> None:
        self.llm, self.template = llm, template

    def predict(self, context: str, question: str) -> str:
        """Return the whole answer."""
        return self.llm.predict(self.template, context_str=context, query_str=question)

    async def apredict(self, context: str, question: str) -> str:
        """`predict` without blocking the event loop."""
        if self._blocks("achat", "acomplete"):
            return await asyncio.to_thread(self.predict, context, question)
        return await self.llm.apredict(self.template, context_str=context, query_str=question)

    def stream(self, context: str, question: str) -> Generator[str, None, None]:
        """Return the answer token by token."""
        return self.llm.stream(self.template, context_str=context, query_str=question)

    async def astream(self, context: str, question: str) -> AsyncGenerator[str, None]:
        """`stream` without blocking the event loop."""
        if self._blocks("astream_chat", "astream_complete"):
            return in_threads(await asyncio.to_thread(self.stream, context, question))
        return await self.llm.astream(self.template, context_str=context, query_str=question)

    def _blocks(self, chat: str, complete: str) -> bool:
        # CustomLLM's own async calls run the sync ones on the event loop:
        # https://github.com/run-llama/llama_index/issues/18090
        name = chat if self.llm.metadata.is_chat_model else complete
        return next(one for one in type(self.llm).__mro__ if name in vars(one)) is CustomLLM


def once(text: str) -> Generator[str, None, None]:
    """Stream a text that is there already."""
    yield text


async def in_threads(tokens: Generator[str, None, None]) -> AsyncGenerator[str, None]:
    """Take each token in a thread."""
    while (token := await asyncio.to_thread(next, tokens, None)) is not None:
        yield token
