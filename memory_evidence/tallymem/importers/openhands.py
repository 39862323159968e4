"""OpenHands events: actions of the agent, and observations that name the action they answer as their `cause`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_evidence.errors import InputError
from memory_evidence.tallymem.importers.sources import as_json, field, listed
from memory_evidence.tallymem.steps import Observed, Step

_FORM = "a list of OpenHands events, each with an `action` or an `observation`"
# Not calls: what is said or switched, and not done to anything.
_NOT_EXECUTED = ("message", "system", "change_agent_state", "null", "pause", "resume", "stop", "start", "recall",
                 "condensation", "condensation_request", "task_tracking_state")  # fmt: skip
_ARGUMENTS_OF_NONE = ("thought", "confirmation_state", "security_risk", "impl_source", "translated_ipython_code")


def openhands_steps(source: object, first: int, nested: bool) -> tuple[tuple[Step, ...], str]:
    """Return a step for each executed action of the agent, and what the user asked first."""
    events = listed(source, ("history", "trajectory", "events"), _FORM)
    for place, event in enumerate(events):
        if not isinstance(event, Mapping) or not ("action" in event or "observation" in event):
            raise InputError(f"event {place}", event, _FORM)
    answers = {event["cause"]: event for event in events if "observation" in event and event.get("cause") is not None}
    steps: list[Step] = []
    task, depth = "", 0
    for event in events:
        kind = event.get("action")
        if event.get("observation") == "delegate":
            depth = max(0, depth - 1)
        if event.get("source") == "user" and kind == "message" and not task:
            task = str(field(event.get("args"), "content") or "")
        if kind is None or kind in _NOT_EXECUTED or event.get("source") != "agent":
            continue
        if not isinstance(kind, str) or event.get("id") is None:
            raise InputError("an action of the agent", event, "an event with an `id` and an `action` that is a word")
        if nested or depth == 0:
            steps.append(_step(first + len(steps), event, answers.get(event.get("id"))))
        if kind == "delegate":
            depth += 1
    return tuple(steps), task


def _step(number: int, event: Mapping[str, Any], answer: Mapping[str, Any] | None) -> Step:
    called = event.get("tool_call_metadata") or {}
    call_id = called.get("tool_call_id")
    name = called.get("function_name") or event["action"]
    arguments = _model_arguments(called.get("model_response"), call_id)
    if arguments is None:
        args = event.get("args") or {}
        arguments = as_json({key: value for key, value in args.items() if key not in _ARGUMENTS_OF_NONE})
    text = None if answer is None else _seen(answer)
    error = answer is not None and answer.get("observation") == "error"
    observed = Observed.ERROR if error else Observed.MISSING if text is None else Observed.TEXT
    return Step(number, f"{name}: {arguments}", text or "", observed, name, arguments, call_id)


def _model_arguments(response: object, call_id: object) -> str | None:
    """Return the arguments as the model wrote them."""
    for choice in field(response, "choices") or ():
        for call in field(field(choice, "message"), "tool_calls") or ():
            arguments = field(field(call, "function"), "arguments")
            if field(call, "id") == call_id and isinstance(arguments, str):
                return arguments
    return None


def _seen(event: Mapping[str, Any]) -> str:
    """Return an observation as the agent saw it: OpenHands keeps the editor's receipt and the exit code as extras."""
    extras = event.get("extras") or {}
    receipt = extras.get("formatted_output_and_error")
    if isinstance(receipt, str) and receipt:
        return receipt
    text = str(event.get("content") or "")
    metadata = extras.get("metadata")
    if not isinstance(metadata, Mapping):
        return text
    text = f"{metadata.get('prefix') or ''}{text}{metadata.get('suffix') or ''}"
    code = metadata.get("exit_code")
    if isinstance(code, int) and code != -1 and "exit code" not in str(metadata.get("suffix")):
        text += f"\n[Command finished with exit code {code}]"
    return text
