"""LangChain and LangGraph messages: objects, their `model_dump`, `messages_to_dict` and `dumpd` forms, or a state."""

from __future__ import annotations

from collections.abc import Mapping

from memory_evidence.errors import InputError
from memory_evidence.tallymem.importers.calls import Calls
from memory_evidence.tallymem.importers.sources import field, is_error_status, listed, text_of, word
from memory_evidence.tallymem.steps import Step

_FORM = "a list of LangChain messages, or a state with `messages`"
_ROLES = {"assistant": "ai", "user": "human", "developer": "system"}


def langchain_steps(source: object, first: int, nested: bool) -> tuple[tuple[Step, ...], str]:
    """Return a step for each executed call, and what the user asked first."""
    messages = [_unpacked(message) for message in listed(source, ("messages",), _FORM)]
    calls = Calls()
    _read(messages, calls, nested)
    asked = (text_of(field(m, "content")) for m in messages if _kind(m) == "human")
    return calls.steps(first), next(filter(None, asked), "")


def _read(messages: list[object], calls: Calls, nested: bool) -> None:
    for place, message in enumerate(messages):
        kind = _kind(message)
        if kind == "ai":
            _take_calls(message, calls)
        elif kind == "tool":
            artifact = field(message, "artifact")
            inner = artifact if isinstance(artifact, (list, tuple)) else field(artifact, "messages")
            if nested and isinstance(inner, (list, tuple)):
                _read([_unpacked(each) for each in inner], calls, nested)
            error = is_error_status(field(message, "status"))
            calls.answer(field(message, "tool_call_id"), text_of(field(message, "content")), error=error)
        elif kind not in ("human", "system", "chat", "remove"):
            raise InputError(f"message {place}", message, _FORM)


def _take_calls(message: object, calls: Calls) -> None:
    for call in field(message, "tool_calls") or ():
        function = field(call, "function")  # a message in OpenAI's words, as LangChain takes them too
        if function is None:
            calls.call(field(call, "name"), field(call, "args"), field(call, "id"))
        else:
            calls.call(field(function, "name"), field(function, "arguments"), field(call, "id"))
    for call in field(message, "invalid_tool_calls") or ():
        calls.call(field(call, "name") or "invalid", field(call, "args"), field(call, "id"), valid=False)


def _unpacked(message: object) -> object:
    """Return the fields of a serialised message in one flat dict; an object, as it is."""
    if isinstance(message, Mapping):
        if isinstance(message.get("data"), Mapping):  # messages_to_dict
            return {**message["data"], "type": message.get("type")}
        if isinstance(message.get("kwargs"), Mapping) and isinstance(message.get("id"), list):  # dumpd
            return {"type": str(message["id"][-1]).removesuffix("Chunk").removesuffix("Message"), **message["kwargs"]}
    return message


def _kind(message: object) -> str:
    kind = word(field(message, "type")) or word(field(message, "role"))
    kind = kind.removesuffix("MessageChunk").lower()
    return _ROLES.get(kind, kind)
