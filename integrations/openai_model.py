"""A chat model behind any OpenAI-compatible endpoint: OpenAI itself, a gateway, or a local server."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import threading
from collections.abc import AsyncGenerator, Sequence
from typing import Any, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ValidationError

from integrations._calls import named_in, prepared, retryable_status
from integrations._gate import Gate
from integrations._schemas import response_format
from memory_evidence.errors import ConfigError, MissingExtraError, ModelError, ModelOutputError
from memory_evidence.models import Completion, Message

try:
    import openai
except ImportError as error:
    raise MissingExtraError("openai") from error

logger = logging.getLogger(__name__)

RESPONSE_FORMAT, MAX_TOKENS, TEMPERATURE = "response_format", "max_tokens", "temperature"
# How servers say that they do not take an option; some answer 500 to a schema that they cannot turn into a grammar.
_REFUSING = frozenset({400, 404, 422, 501})
_UNSUPPORTED = re.compile(r"response_format|json_schema|grammar|unsupported|not supported", re.IGNORECASE)
_MIN_SECRET_CHARS = 8
_MAX_REASON_CHARS = 400
_NO_KEY = "none"


class OpenAIModel:
    """A `ChatModel` that calls `/chat/completions` with the `openai` library.

    Answers are held to a schema by `response_format` (strict where the schema permits it). A server that refuses that
    is asked in plain words from then on; likewise `max_tokens` becomes `max_completion_tokens`, and `temperature` is
    left out, for models that insist. What was refused is remembered for the life of the object and logged once.

    One object may be shared by any number of threads and event loops. Connections are opened at the first call: one
    client for all threads, and one per event loop, which ends with its loop.

    Args:
        model: The model's name; local servers usually take any.
        base_url: Where the server's API begins, such as "http://127.0.0.1:8000/v1"; None: the environment variable
            OPENAI_BASE_URL, or else OpenAI.
        api_key: None: the environment variable OPENAI_API_KEY; servers of one's own need none.
        timeout_s: Seconds until one try is given up, > 0.
        retries: Further tries after lost connections, timeouts, 408, 409, 429 and 5xx answers, with growing pauses.
        concurrency: Calls at a time, over all threads and event loops, >= 1.

    Raises:
        ConfigError: An argument is out of range, or there is no key for OpenAI.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = 60.0,
        retries: int = 2,
        concurrency: int = 4,
    ) -> None:
        base_url = base_url or os.environ.get("OPENAI_BASE_URL") or None
        api_key = (api_key or os.environ.get("OPENAI_API_KEY") or "").strip()
        if not isinstance(model, str) or not model.strip():
            raise ConfigError("model", model, "the name of a model")
        if base_url is not None and not base_url.startswith(("http://", "https://")):
            raise ConfigError("base_url", base_url, "a URL that begins with http:// or https://")
        if base_url is None and not api_key:
            raise ConfigError("api_key", None, "given, or set in the environment variable OPENAI_API_KEY")
        for name, value, least in (("retries", retries, 0), ("concurrency", concurrency, 1)):
            if value < least:
                raise ConfigError(name, value, f"at least {least}")
        if not timeout_s > 0:
            raise ConfigError("timeout_s", timeout_s, "more than 0 seconds")
        self.model = model
        self._base_url, self._api_key = base_url, api_key or _NO_KEY
        self._timeout_s, self._retries = timeout_s, retries
        self._gate = Gate(concurrency)
        self._lock = threading.Lock()
        self._refused: frozenset[str] = frozenset()
        self._client: openai.OpenAI | None = None
        self._clients: dict[asyncio.AbstractEventLoop, tuple[openai.AsyncOpenAI, AsyncGenerator[None, None]]] = {}

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
    ) -> Completion:
        """Answer, with an empty text where the server sends no content; a refusal is returned as the answer.

        Raises:
            ModelError: The server could not be reached, did not answer in time, or refused.
            ModelOutputError: What it sent is no chat completion.
        """
        with self._gate.entered():
            refused = self._refused
            while True:
                request = self._request(messages, schema, temperature, max_tokens, refused)
                try:
                    response = self._sync_client().chat.completions.with_raw_response.create(**request)
                except openai.OpenAIError as error:
                    refused = self._without(error, request, refused)
                    continue
                self._learn(refused)
                return self._read(response.text)

    async def acomplete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
    ) -> Completion:
        """`complete` without blocking the event loop."""
        async with self._gate.aentered():
            refused = self._refused
            while True:
                request = self._request(messages, schema, temperature, max_tokens, refused)
                client = await self._async_client()
                try:
                    response = await client.chat.completions.with_raw_response.create(**request)
                except openai.OpenAIError as error:
                    refused = self._without(error, request, refused)
                    continue
                self._learn(refused)
                return self._read(response.text)

    def close(self) -> None:
        """Close the connections that threads use; a later call opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    async def aclose(self) -> None:
        """Close the connections of threads and of this event loop; those of other loops end with their loops."""
        self.close()
        with self._lock:
            entry = self._clients.get(asyncio.get_running_loop())
        if entry is not None:
            await entry[1].aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _options(self) -> dict[str, Any]:
        return {
            "base_url": self._base_url,
            "api_key": self._api_key,
            "timeout": self._timeout_s,
            "max_retries": self._retries,
        }

    def _sync_client(self) -> openai.OpenAI:
        with self._lock:
            if self._client is None:
                self._client = openai.OpenAI(**self._options())
            return self._client

    async def _async_client(self) -> openai.AsyncOpenAI:
        loop = asyncio.get_running_loop()
        with self._lock:
            entry = self._clients.get(loop)
            if entry is None:
                for closed in [other for other in self._clients if other.is_closed()]:
                    del self._clients[closed]
                client = openai.AsyncOpenAI(**self._options())
                entry = self._clients[loop] = (client, self._lifetime(loop, client))
                new = True
            else:
                new = False
        if new:
            await anext(entry[1])
        return entry[0]

    async def _lifetime(
        self, loop: asyncio.AbstractEventLoop, client: openai.AsyncOpenAI
    ) -> AsyncGenerator[None, None]:
        # Pooled connections belong to one loop and cannot be closed after it. A loop closes the generators begun in it
        # when it ends (asyncio.run does so, and the runners of web servers and tests), and with this one its client.
        try:
            yield
        finally:
            with self._lock:
                self._clients.pop(loop, None)
            await client.close()

    def _request(
        self,
        messages: Sequence[Message],
        schema: type[BaseModel] | None,
        temperature: float,
        max_tokens: int,
        refused: frozenset[str],
    ) -> dict[str, Any]:
        formatted = schema is not None and RESPONSE_FORMAT not in refused
        sent = prepared(messages, None if formatted else schema)
        request: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": one.role, "content": one.content} for one in sent],
            "max_completion_tokens" if MAX_TOKENS in refused else MAX_TOKENS: max_tokens,
        }
        if TEMPERATURE not in refused:
            request[TEMPERATURE] = temperature
        if schema is not None and formatted:
            request[RESPONSE_FORMAT] = response_format(schema)
        return request

    def _without(self, error: openai.OpenAIError, request: dict[str, Any], refused: frozenset[str]) -> frozenset[str]:
        """Return what to leave out in the next try after `error`.

        Raises:
            ModelError: Nothing that could be left out explains it.
        """
        status = getattr(error, "status_code", None)
        if status in _REFUSING or (status is not None and status >= 500 and _UNSUPPORTED.search(str(error))):
            sent = request.keys() & {MAX_TOKENS, TEMPERATURE}
            if named := named_in(error, sent):
                return refused | named
            # Not every server says what it does not like; if it is something else, the next try fails of it too.
            if RESPONSE_FORMAT in request:
                return refused | {RESPONSE_FORMAT}
        raise self._failed(error) from error

    def _learn(self, refused: frozenset[str]) -> None:
        # Only after a try that went well: until then, the error may have had another reason.
        with self._lock:
            new = refused - self._refused
            self._refused |= new
        if new:
            logger.warning("model %s: the server does not take %s; asking without", self.model, ", ".join(sorted(new)))

    def _failed(self, error: openai.OpenAIError) -> ModelError:
        status = getattr(error, "status_code", None)
        retryable = retryable_status(status) and getattr(error, "code", None) != "insufficient_quota"
        if isinstance(error, openai.APITimeoutError):
            reason = f"no answer from {self._where()} within {self._timeout_s:g} s (tries: {self._retries + 1})"
        elif isinstance(error, openai.APIConnectionError):
            reason = f"no connection to {self._where()}: {error.__cause__ or error}"
        else:
            body = getattr(error, "body", None)
            said = body.get("message") if isinstance(body, dict) else None
            reason = f"{status or type(error).__name__}: {said or error}"
        return ModelError(self._operation(), self._clean(reason), retryable)

    def _operation(self) -> str:
        return f"call of {self.model}"

    def _where(self) -> str:
        if self._base_url is None:
            return "OpenAI"
        url = urlsplit(self._base_url)
        return f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"

    def _clean(self, reason: str) -> str:
        # Servers quote the key that they refuse. Very short keys are placeholders and would blank out plain letters.
        if len(self._api_key) >= _MIN_SECRET_CHARS:
            reason = reason.replace(self._api_key, "***")
        return " ".join(reason.split())[:_MAX_REASON_CHARS]

    def _read(self, text: str) -> Completion:
        try:
            body = _Body.model_validate_json(text)
        except ValidationError as error:
            raise ModelOutputError(self._operation(), "the server's answer is no chat completion", text) from error
        if not body.choices:
            # Gateways pass on an error of the server behind them with status 200.
            if body.error is not None:
                raise ModelError(self._operation(), self._clean(f"the server answered with an error: {body.error}"))
            raise ModelOutputError(self._operation(), "the server's answer has no choices", text)
        message, usage = body.choices[0].message, body.usage or _Usage()
        return Completion(
            message.content or message.refusal or "", usage.prompt_tokens or 0, usage.completion_tokens or 0
        )


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Body(BaseModel):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: Any = None
