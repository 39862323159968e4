"""Steps as texts, and rows and what a model said of a step as bytes, for a store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

from memory_evidence.tallymem.annotate import Said
from memory_evidence.tallymem.receipts import Receipt
from memory_evidence.tallymem.rows import Change, Effect, Outcome, Row
from memory_evidence.tallymem.trajectory import Observed, Step

_OPTIONAL = ("tool", "arguments", "call_id")


def encode_step(step: Step, *, numbered: bool = True) -> str:
    """Return `step` as canonical JSON: equal steps give equal texts.

    Args:
        step: The step.
        numbered: Whether its id is a part of it; if not, the place in the log gives it one.
    """
    data: dict[str, Any] = {"action": step.action, "observation": step.observation, "observed": step.observed.value}
    data |= {name: value for name in _OPTIONAL if (value := getattr(step, name)) is not None}
    return _json(data | {"id": step.id} if numbered else data)


def encode_task(task: str) -> str:
    """Return the task of a trajectory as it is kept beside the steps."""
    return _json({"task": task})


def decode(text: str, next_id: int) -> Step | str:
    """Return the step or the task that was encoded; a step without a number of its own gets `next_id`.

    Raises:
        ValueError: It is neither.
    """
    try:
        data = json.loads(text)
        if data.keys() == {"task"} and isinstance(data["task"], str):
            return str(data["task"])
        rest = {name: data.get(name) for name in _OPTIONAL}
        return Step(data.get("id", next_id), data["action"], data["observation"], Observed(data["observed"]), **rest)
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError("neither a step nor a task") from error


def encode_row(row: Row) -> bytes:
    """Return `row` without its step and action, which the step itself tells."""
    data = [
        row.tool,
        row.act,
        row.targets,
        row.outcome,
        row.quote,
        [astuple(change) for change in row.changes],
        row.difference,
        row.exit_code,
        row.effect,
        row.annotated,
        row.untold,
    ]
    return _json(data).encode("utf-8", "surrogatepass")


def decode_row(payload: bytes, step: Step) -> Row:
    """Return the row of `step` that `encode_row` wrote.

    Raises:
        ValueError: It is none.
        TypeError: The same.
    """
    tool, act, targets, outcome, quote, changes, difference, code, effect, annotated, *more = json.loads(payload)
    return Row(
        step=step.id,
        tool=tool,
        act=act,
        action=step.action,
        targets=tuple(targets),
        outcome=Outcome(outcome),
        quote=quote,
        changes=tuple(Change(*change) for change in changes),
        difference=difference,
        exit_code=code,
        effect=None if effect is None else Effect(effect),
        annotated=annotated,
        untold=bool(more and more[0]),  # rows of reading 2 do not have it
    )


def encode_said(said: Said) -> bytes:
    """Return what a model said as bytes."""
    return _json(said.model_dump()).encode("utf-8", "surrogatepass")


def decode_said(payload: bytes) -> Said:
    """Return what `encode_said` wrote.

    Raises:
        ValueError: It is nothing of that kind.
    """
    return Said.model_validate(json.loads(payload))


def fingerprint(receipts: Sequence[Receipt], prefixes: Sequence[str]) -> str:
    """Return a hash of the options that rows depend on."""
    forms = [[form.pattern.pattern, form.pattern.flags, form.outcome, form.changes] for form in receipts]
    return hashlib.sha256(_json([forms, list(prefixes)]).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def link(before: bytes, text: str) -> bytes:
    """Return the hash of a log that goes on with `text`: a row depends on all the steps before it."""
    return hashlib.sha256(before + text.encode("utf-8", "surrogatepass")).digest()


def _json(value: object) -> str:
    # Not in ASCII: there, a pair of lone surrogates and the character they spell would be written alike.
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
