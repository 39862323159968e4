"""What the bridges to foreign models have in common: messages made ready, options that a host refuses, errors."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from memory_evidence.errors import ModelError
from memory_evidence.models import Message

_BUSY = frozenset({408, 409, 429})
_MAX_REASON_CHARS = 400
_UNWANTED = re.compile(
    r"unexpected|unsupported|not support|unrecogni[sz]ed|unknown|not permitted|not allowed", re.IGNORECASE
)


def prepared(messages: Sequence[Message], schema: type[BaseModel] | None = None) -> list[Message]:
    """Return `messages` as they can be sent, with `schema` asked for in words at the end of the last prompt.

    Lone surrogates, which stored text may hold and UTF-8 cannot, become "?".
    """
    sent = [Message(one.role, one.content.encode("utf-8", "replace").decode("utf-8")) for one in messages]
    if schema is None:
        return sent
    form = json.dumps(schema.model_json_schema(), ensure_ascii=False, separators=(",", ":"))
    wish = f"Answer with one JSON value that matches this JSON schema, and with nothing else:\n{form}"
    # At the end, where small models still heed it; and in the user's message, for some models have no system role.
    last = next((at for at in range(len(sent) - 1, -1, -1) if sent[at].role != "assistant"), None)
    if last is None:
        return [*sent, Message("user", wish)]
    sent[last] = Message(sent[last].role, f"{sent[last].content}\n\n{wish}")
    return sent


def named_in(error: BaseException, options: Collection[str]) -> frozenset[str]:
    """Return those of `options` that `error` names as not known or not supported.

    An option that is named for another reason stays: "reduce max_tokens" is no wish for answers without end.
    """
    text = str(error)
    return frozenset(option for option in options if option in text) if _UNWANTED.search(text) else frozenset()


class Options:
    """The options of a host framework's model, less those that it has refused by name."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._refused: frozenset[str] = frozenset()

    def asked(self, temperature: float, max_tokens: int) -> dict[str, Any]:
        """Return what to ask with."""
        options = {"temperature": temperature, "max_tokens": max_tokens}
        return {name: value for name, value in options.items() if name not in self._refused}

    def without(self, error: BaseException, options: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return what to ask with after `error`; None where the options do not explain it."""
        named = named_in(error, options)
        return {name: value for name, value in options.items() if name not in named} if named else None

    def learn(self, options: Mapping[str, Any]) -> None:
        """Remember what was left out in a call that went well."""
        with self._lock:
            self._refused |= {"temperature", "max_tokens"} - options.keys()


def retryable_status(status: object) -> bool:
    """Whether asking again later may help after this HTTP status; without one (a timeout, a lost line) it may."""
    return not isinstance(status, int) or status in _BUSY or status >= 500


def host_error(operation: str, error: Exception) -> ModelError:
    """Return the `ModelError` for an error of a host framework's model; raise it `from` that error."""
    text = " ".join(str(error).split())[:_MAX_REASON_CHARS]
    retryable = not isinstance(error, (TypeError, ValueError)) and retryable_status(getattr(error, "status_code", None))
    return ModelError(operation, f"{type(error).__name__}: {text}" if text else type(error).__name__, retryable)
