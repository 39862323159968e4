"""SWE-agent `.traj` files: `trajectory` is a list of {action, observation, thought, ...}, one entry a step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memory_evidence.errors import InputError
from memory_evidence.tallymem.importers.sources import load, text_of
from memory_evidence.tallymem.steps import Observed, Step

_FORM = "the content of a SWE-agent .traj file: an object with `trajectory`"


def sweagent_steps(source: object, first: int) -> tuple[tuple[Step, ...], str]:
    """Return a step for each entry of the log, and what the agent was told first.

    An entry without an action (the agent was stopped) stays a step: its number is its place in the log.
    """
    data = load(source, _FORM)
    if not isinstance(data, Mapping) or not isinstance(data.get("trajectory"), list):
        raise InputError("the source", source, _FORM)
    history = [entry for entry in data.get("history") or () if isinstance(entry, Mapping)]
    called = _function_calls(history)
    steps = []
    for number, entry in enumerate(data["trajectory"], first):
        if not isinstance(entry, Mapping) or "action" not in entry:
            raise InputError(
                f"entry {number - first} of the trajectory", entry, "an object with action and observation"
            )
        observation = entry.get("observation")
        observed = Observed.MISSING if observation is None else Observed.TEXT
        action = entry["action"] or ""
        tool, arguments, call_id = next(called.get(action, iter(())), (None, None, None))
        text = "" if observation is None else observation
        steps.append(Step(number, action, text, observed, tool, arguments, call_id))
    told = (text_of(e.get("content")) for e in history if e.get("role") == "user" and not e.get("is_demo"))
    return tuple(steps), next(filter(None, told), "")


def _function_calls(history: list[Mapping[str, Any]]) -> dict[str, Iterator[tuple[Any, Any, Any]]]:
    """Return tool, arguments and id of the calls by the action they became, where the model called functions."""
    found: dict[str, list[tuple[Any, Any, Any]]] = {}
    for entry in history:
        calls, action = entry.get("tool_calls"), entry.get("action")
        if entry.get("role") == "assistant" and isinstance(action, str) and isinstance(calls, list) and len(calls) == 1:
            call = calls[0]
            function = call.get("function") or {}
            found.setdefault(action, []).append((function.get("name"), function.get("arguments"), call.get("id")))
    return {action: iter(calls) for action, calls in found.items()}
