"""LlamaIndex: chat messages with tool call blocks, and the events of an agent workflow."""

from __future__ import annotations

from memory_evidence.errors import InputError
from memory_evidence.tallymem.importers.calls import Calls
from memory_evidence.tallymem.importers.sources import field, listed, text_of, word
from memory_evidence.tallymem.steps import Step

_FORM = "a list of LlamaIndex chat messages, or of the events of an agent workflow"
# Events that say what an agent reads and writes; the calls in them have events of their own.
_OTHER_EVENTS = ("AgentWorkflowStartEvent", "AgentInput", "AgentSetup", "AgentStream", "AgentStreamStructuredOutput",
                 "AgentOutput", "StartEvent", "StopEvent")  # fmt: skip


def llamaindex_steps(source: object, first: int) -> tuple[tuple[Step, ...], str]:
    """Return a step for each executed call, and what the user asked first."""
    items = listed(source, ("messages", "chat_history", "events"), _FORM)
    calls = Calls()
    for place, item in enumerate(items):
        role = word(field(item, "role"))
        if role == "assistant":
            _take_calls(item, calls)
        elif role in ("tool", "function"):
            extra = field(item, "additional_kwargs")
            call_id = field(extra, "tool_call_id") or field(item, "tool_call_id")
            calls.answer(call_id, _text(item))
        elif role in ("user", "system", "developer"):
            continue
        elif field(item, "tool_id") is not None and field(item, "tool_name") is not None:
            _take_event(item, calls)
        elif type(item).__name__ not in _OTHER_EVENTS:
            raise InputError(f"item {place}", item, _FORM)
    asked = (_text(item) for item in items if word(field(item, "role")) == "user")
    return calls.steps(first), next(filter(None, asked), "")


def _take_calls(message: object, calls: Calls) -> None:
    blocks = [block for block in field(message, "blocks") or () if word(field(block, "block_type")) == "tool_call"]
    for block in blocks:
        calls.call(field(block, "tool_name"), field(block, "tool_kwargs"), field(block, "tool_call_id"))
    if not blocks:  # older integrations keep the client's own calls beside the message
        for call in field(field(message, "additional_kwargs"), "tool_calls") or ():
            function = field(call, "function") or call
            calls.call(field(function, "name"), field(function, "arguments"), field(call, "id"))


def _take_event(event: object, calls: Calls) -> None:
    """Take the start of a call, or its result; a result whose start is in the log belongs to the same step."""
    call_id, output = field(event, "tool_id"), field(event, "tool_output")
    if output is None or not calls.waits(call_id):
        calls.call(field(event, "tool_name"), field(event, "tool_kwargs"), call_id)
    if output is not None:
        content = field(output, "content")
        text = text_of(field(output, "blocks")) if content is None else text_of(content)
        calls.answer(call_id, text, error=field(output, "is_error") is True)


def _text(message: object) -> str | None:
    blocks = field(message, "blocks")
    return text_of(field(message, "content") if blocks is None else blocks)
