"""The one door to language models: protocol, usage meter, JSON answers, and steps that run sync or async.

An engine never calls a model itself. It writes a generator that yields lists of `Ask` and receives, in the same order,
the validated answers (or the `ModelError` that took their place); `run` and `arun` drive it with bounded concurrency.
So each engine has one logic for both worlds, and each caller says what happens when an answer cannot be had.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel

from memory_evidence.errors import ConfigError, ModelError, ModelOutputError
from memory_evidence.json_answers import MAX_JSON_CHARS, parse_json

__all__ = [
    "MAX_JSON_CHARS",
    "Answer",
    "Ask",
    "ChatModel",
    "Completion",
    "Message",
    "Steps",
    "Usage",
    "UsageMeter",
    "arun",
    "parse_json",
    "run",
]

logger = logging.getLogger(__name__)

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered, and what it cost in tokens (0 where the server does not say)."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0


@runtime_checkable
class ChatModel(Protocol):
    """Anything that completes a chat. `schema` asks for JSON of that form where the model can be held to it."""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
    ) -> Completion:
        """Answer, or raise `ModelError`."""
        ...

    async def acomplete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
    ) -> Completion:
        """Answer without blocking the event loop, or raise `ModelError`."""
        ...


def check_model(model: object) -> None:
    """Raise `ConfigError` unless `model` is None or has both methods of a `ChatModel`."""
    if model is not None and not all(callable(getattr(model, name, None)) for name in ("complete", "acomplete")):
        need = (
            "None or a ChatModel: integrations.openai_model.OpenAIModel(...), or your own chat model wrapped in "
            "integrations.langchain_model.LangChainModel or integrations.llamaindex_model.LlamaIndexModel"
        )
        raise ConfigError("model", model, need)


@dataclass(frozen=True, slots=True)
class Usage:
    """Model use of one stage: calls made, tokens in and out, answers that could not be read."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    unreadable: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.unreadable + other.unreadable,
        )


@dataclass(slots=True)
class UsageMeter:
    """Adds up model use per stage; safe to share between threads."""

    _stages: dict[str, Usage] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, stage: str, usage: Usage) -> None:
        """Add `usage` to `stage`."""
        with self._lock:
            self._stages[stage] = self._stages.get(stage, Usage()) + usage

    @property
    def stages(self) -> Mapping[str, Usage]:
        """A copy of the totals so far, by stage."""
        with self._lock:
            return dict(self._stages)

    @property
    def total(self) -> Usage:
        """All stages together."""
        return sum(self.stages.values(), Usage())


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to a model whose answer must validate as `schema`."""

    stage: str
    messages: tuple[Message, ...]
    schema: type[BaseModel]
    temperature: float = 0.0
    max_tokens: int = 1024
    unanimous: bool = False
    """Whether an answer that holds several which differ cannot be read; otherwise the last of them counts."""
    whole: bool = False
    """Whether an answer that broke off cannot be read; otherwise what is there of it counts."""


Answer = BaseModel | ModelError
Steps = Generator[Sequence[Ask], Sequence[Answer], R]


def run(steps: Steps[R], model: ChatModel, *, meter: UsageMeter | None = None, concurrency: int = 4) -> R:
    """Drive `steps` to its result, asking `model` with at most `concurrency` calls at a time.

    Whatever else than `ModelError` the model raises, and whatever else than a `Completion` it returns, counts as a
    failed call; only an `AssertionError` comes through, so that a test of a model's calls can fail. The steps are
    closed at the end, also when they or the model raise.

    Raises:
        ConfigError: `concurrency` is below 1.
    """
    _check_concurrency(concurrency)
    answers: Sequence[Answer] | None = None
    with closing(steps):
        while True:
            try:
                asks = next(steps) if answers is None else steps.send(answers)
            except StopIteration as stop:
                result: R = stop.value
                return result
            if len(asks) <= 1 or concurrency == 1:
                answers = [_ask(model, ask, meter) for ask in asks]
                continue
            # Each call gets the caller's context (tracing, request ids), as tasks do in `arun`.
            contexts = [copy_context() for _ in asks]
            with ThreadPoolExecutor(max_workers=min(concurrency, len(asks))) as pool:
                answers = list(pool.map(lambda context, ask: context.run(_ask, model, ask, meter), contexts, asks))


async def arun(steps: Steps[R], model: ChatModel, *, meter: UsageMeter | None = None, concurrency: int = 4) -> R:
    """`run` without blocking the event loop; the same answers in the same order."""
    _check_concurrency(concurrency)
    limit = asyncio.Semaphore(concurrency)

    async def one(ask: Ask) -> Answer:
        async with limit:
            try:
                reply = await model.acomplete(
                    ask.messages, schema=ask.schema, temperature=ask.temperature, max_tokens=ask.max_tokens
                )
            except AssertionError:
                raise
            except Exception as error:  # noqa: BLE001 - a user's model may raise anything, and records must not be lost
                return _failed(ask, _as_model_error(model, error), meter)
            # In a thread: a long broken answer takes a while to repair.
            return await asyncio.to_thread(_read, ask, reply, meter)

    answers: Sequence[Answer] | None = None
    with closing(steps):
        while True:
            try:
                asks = next(steps) if answers is None else steps.send(answers)
            except StopIteration as stop:
                result: R = stop.value
                return result
            tasks = [asyncio.create_task(one(ask)) for ask in asks]
            try:
                answers = await asyncio.gather(*tasks)
            except BaseException:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                raise


def _check_concurrency(value: int) -> None:
    if value < 1:
        raise ConfigError("concurrency", value, "at least 1")


def _ask(model: ChatModel, ask: Ask, meter: UsageMeter | None) -> Answer:
    try:
        reply = model.complete(ask.messages, schema=ask.schema, temperature=ask.temperature, max_tokens=ask.max_tokens)
    except AssertionError:
        raise
    except Exception as error:  # noqa: BLE001 - a user's model may raise anything, and records must not be lost
        return _failed(ask, _as_model_error(model, error), meter)
    return _read(ask, reply, meter)


def _as_model_error(model: ChatModel, error: Exception) -> ModelError:
    if isinstance(error, ModelError):
        return error
    kind = type(error).__name__
    logger.warning(
        "%s raised %s where it should raise ModelError; the call counts as failed", type(model).__name__, kind
    )
    failure = ModelError(f"call of {type(model).__name__}", f"{kind}: {error}" if str(error) else kind)
    failure.__cause__ = error
    return failure


def _failed(ask: Ask, error: ModelError, meter: UsageMeter | None) -> ModelError:
    if meter is not None:
        meter.add(ask.stage, Usage(calls=1, unreadable=int(isinstance(error, ModelOutputError))))
    return error


def _read(ask: Ask, reply: object, meter: UsageMeter | None) -> Answer:
    # A user's model may fill a Completion with what its server sent, None included.
    text = (reply.text or "") if isinstance(reply, Completion) else None
    if not isinstance(reply, Completion) or not isinstance(text, str):
        got = type(reply).__name__ if text is None else f"Completion of {type(text).__name__}"
        return _failed(
            ask, ModelError("read answer", f"the model returned {got}, not a Completion of text", False), meter
        )
    usage = Usage(1, reply.prompt_tokens or 0, reply.completion_tokens or 0)
    answer: Answer
    try:
        answer = parse_json(text, ask.schema, unanimous=ask.unanimous, whole=ask.whole)
    except ModelOutputError as error:
        answer, usage = error, replace(usage, unreadable=1)
    if meter is not None:
        meter.add(ask.stage, usage)
    return answer
