"""The one door to language models: protocol, usage meter, JSON answers, and steps that run sync or async.

An engine never calls a model itself. It writes a generator that yields lists of `Ask` and receives, in the same order,
the validated answers (or the `ModelError` that took their place); `run` and `arun` drive it with bounded concurrency.
So each engine has one logic for both worlds, and each caller says what happens when an answer cannot be had.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel, ValidationError

from memory_evidence.errors import ModelError, ModelOutputError

T = TypeVar("T", bound=BaseModel)
R = TypeVar("R")

MAX_JSON_CHARS = 400_000
"""Longer answers are refused unread: no prompt of ours asks for that much, and repair is slow on it."""


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


Answer = BaseModel | ModelError
Steps = Generator[Sequence[Ask], Sequence[Answer], R]


def run(steps: Steps[R], model: ChatModel, *, meter: UsageMeter | None = None, concurrency: int = 4) -> R:
    """Drive `steps` to its result, asking `model` with at most `concurrency` calls at a time."""
    answers: Sequence[Answer] | None = None
    while True:
        try:
            asks = next(steps) if answers is None else steps.send(answers)
        except StopIteration as stop:
            result: R = stop.value
            return result
        if len(asks) <= 1 or concurrency == 1:
            answers = [_ask(model, ask, meter) for ask in asks]
        else:
            with ThreadPoolExecutor(max_workers=min(concurrency, len(asks))) as pool:
                answers = list(pool.map(lambda ask: _ask(model, ask, meter), asks))


async def arun(steps: Steps[R], model: ChatModel, *, meter: UsageMeter | None = None, concurrency: int = 4) -> R:
    """`run` without blocking the event loop; the same answers in the same order."""
    limit = asyncio.Semaphore(concurrency)

    async def one(ask: Ask) -> Answer:
        async with limit:
            try:
                reply = await model.acomplete(
                    ask.messages, schema=ask.schema, temperature=ask.temperature, max_tokens=ask.max_tokens
                )
            except ModelError as error:
                return _failed(ask, error, meter)
            return _read(ask, reply, meter)

    answers: Sequence[Answer] | None = None
    while True:
        try:
            asks = next(steps) if answers is None else steps.send(answers)
        except StopIteration as stop:
            result: R = stop.value
            return result
        answers = await asyncio.gather(*(one(ask) for ask in asks))


def _ask(model: ChatModel, ask: Ask, meter: UsageMeter | None) -> Answer:
    try:
        reply = model.complete(ask.messages, schema=ask.schema, temperature=ask.temperature, max_tokens=ask.max_tokens)
    except ModelError as error:
        return _failed(ask, error, meter)
    return _read(ask, reply, meter)


def _failed(ask: Ask, error: ModelError, meter: UsageMeter | None) -> ModelError:
    if meter is not None:
        meter.add(ask.stage, Usage(calls=1))
    return error


def _read(ask: Ask, reply: Completion, meter: UsageMeter | None) -> Answer:
    usage = Usage(1, reply.prompt_tokens, reply.completion_tokens)
    answer: Answer
    try:
        answer = parse_json(reply.text, ask.schema)
    except ModelOutputError as error:
        answer, usage = error, replace(usage, unreadable=1)
    if meter is not None:
        meter.add(ask.stage, usage)
    return answer


def parse_json(text: str, schema: type[T]) -> T:
    """Read a model's answer as `schema`, whatever it is wrapped in.

    Fenced, prefixed, trailing and slightly broken JSON is repaired (by the library `json-repair`). A bare list or
    value is taken for the schema's only field, and an object that holds a valid one under a single wrong key is
    unwrapped.

    Raises:
        ModelOutputError: Nothing in the answer validates; `.raw` keeps the answer.
    """
    if len(text) > MAX_JSON_CHARS:
        raise ModelOutputError("read answer", f"longer than {MAX_JSON_CHARS} characters", text)
    reason = "no JSON found"
    for value in _candidates(text):
        for shaped in _shapes(value, schema):
            try:
                return schema.model_validate(shaped)
            except ValidationError as error:
                reason = f"not a {schema.__name__}: {error.errors(include_url=False, include_input=False)[0]['msg']}"
    raise ModelOutputError("read answer", reason, text)


def _candidates(text: str) -> list[Any]:
    # json-repair also reads plain JSON, but drops what it cannot place; a strict parse first keeps good answers exact.
    try:
        return [json.loads(text)]
    except (ValueError, RecursionError):
        pass
    from json_repair import repair_json  # deferred: only broken answers need it

    found: list[Any] = []
    start = min((i for i in (text.find("{"), text.find("[")) if i >= 0), default=-1)
    for piece in [text[start:], text] if start > 0 else [text] if start == 0 else []:
        try:
            value = repair_json(piece, return_objects=True, skip_json_loads=True)
        except (ValueError, RecursionError, TypeError, IndexError):
            continue
        # Several values in one answer come back as a list: try each, then the list itself.
        if isinstance(value, list):
            found.extend(item for item in value if isinstance(item, (dict, list)))
        found.append(value)
    return found


def _shapes(value: Any, schema: type[BaseModel]) -> list[Any]:
    shapes = [value]
    names = list(schema.model_fields)
    if isinstance(value, dict) and len(value) == 1:
        (inner,) = value.values()
        shapes.append(inner)
        if len(names) == 1:
            shapes.append({names[0]: inner})
    if len(names) == 1 and not isinstance(value, dict):
        shapes.append({names[0]: value})
    return shapes
