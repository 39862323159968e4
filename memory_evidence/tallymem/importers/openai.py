"""OpenAI messages: Chat Completions (`tool_calls`, `tool` messages) and items of the Responses API (`*_call`)."""

from __future__ import annotations

from memory_evidence.errors import InputError
from memory_evidence.tallymem.importers.calls import Calls
from memory_evidence.tallymem.importers.sources import as_json, field, is_error_status, listed, text_of, word
from memory_evidence.tallymem.steps import Step

_FORM = "a list of OpenAI messages (role, content, tool_calls) or Responses items (type), or an object with `messages`"
_NO_CALLS = ("message", "reasoning", "compaction", "item_reference", "mcp_list_tools", "mcp_approval_request",
             "mcp_approval_response")  # fmt: skip
# Where the items of hosted tools keep what they were asked, and what came of it.
_ASKED = ("arguments", "input", "code", "action", "operation", "queries")
_CAME = ("output", "outputs", "results", "result")


def openai_steps(source: object, first: int, nested: bool) -> tuple[tuple[Step, ...], str]:
    """Return a step for each executed call, and what the user asked first."""
    messages = listed(source, ("messages", "input", "output"), _FORM)
    calls = Calls()
    _read(messages, calls, nested)
    asked = (text_of(field(m, "content")) for m in messages if word(field(m, "role")) == "user")
    return calls.steps(first), next(filter(None, asked), "")


def _read(messages: list[object], calls: Calls, nested: bool) -> None:
    for place, message in enumerate(messages):
        role, kind = word(field(message, "role")), word(field(message, "type"))
        if role == "assistant":
            _assistant(place, message, calls)
        elif role in ("tool", "function"):
            inner = field(message, "messages")
            if nested and isinstance(inner, (list, tuple)):
                _read(list(inner), calls, nested)
            answer_id = field(message, "tool_call_id") if role == "tool" else None
            calls.answer(answer_id, text_of(field(message, "content")), error=is_error_status(field(message, "status")))
        elif role in ("user", "system", "developer"):
            _refuse_foreign(place, message)
        elif kind.endswith("_call_output"):
            text = text_of(field(message, "output"))
            calls.answer(field(message, "call_id"), text, error=is_error_status(field(message, "status")))
        elif kind.endswith("_call"):
            _item(kind, message, calls)
        elif kind not in _NO_CALLS:
            raise InputError(f"message {place}", message, _FORM)


def _assistant(place: int, message: object, calls: Calls) -> None:
    _refuse_foreign(place, message)
    for call in field(message, "tool_calls") or ():
        function = field(call, "function") or field(call, "custom")
        arguments = field(function, "arguments")
        calls.call(field(function, "name"), field(function, "input") if arguments is None else arguments,
                   field(call, "id"))  # fmt: skip
    if legacy := field(message, "function_call"):
        calls.call(field(legacy, "name"), field(legacy, "arguments"), None)


def _refuse_foreign(place: int, message: object) -> None:
    """Refuse another API's calls: to pass them over would count them as none."""
    content = field(message, "content")
    for block in content if isinstance(content, (list, tuple)) else ():
        if word(field(block, "type")) in ("tool_use", "tool_result", "functionCall", "functionResponse"):
            raise InputError(f"message {place}", block, "OpenAI's `tool_calls` and `tool` messages (convert it first)")


def _item(kind: str, item: object, calls: Calls) -> None:
    """Take a call of the Responses API; what a hosted tool brought is part of the same item."""
    name = field(item, "name") or kind.removesuffix("_call")
    call_id = field(item, "call_id") or field(item, "id")
    asked = next((value for key in _ASKED if (value := field(item, key)) is not None), None)
    calls.call(name, asked if isinstance(asked, str) or asked is None else as_json(_plain(asked)), call_id)
    came = next((value for key in _CAME if (value := field(item, key)) is not None), None)
    problem = field(item, "error")
    if problem is not None:
        calls.answer(call_id, problem if isinstance(problem, str) else as_json(_plain(problem)), error=True)
    elif came is not None or is_error_status(field(item, "status")):
        text = came if isinstance(came, str) or came is None else as_json(_plain(came))
        calls.answer(call_id, text, error=is_error_status(field(item, "status")))


def _plain(value: object) -> object:
    """Return the client's own objects as plain data."""
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    dump = getattr(value, "model_dump", None)
    return dump() if callable(dump) else value
