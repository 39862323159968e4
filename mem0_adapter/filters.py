"""mem0's search filters, checked against one memory: what is reached over a link must satisfy them, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any

__all__ = ["expired", "matches"]

_MISSING = object()

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, wanted: value == wanted,
    "ne": lambda value, wanted: value != wanted,
    "in": lambda value, wanted: value in wanted,
    "nin": lambda value, wanted: value not in wanted,
    "gt": lambda value, wanted: value > wanted,
    "gte": lambda value, wanted: value >= wanted,
    "lt": lambda value, wanted: value < wanted,
    "lte": lambda value, wanted: value <= wanted,
    "contains": lambda value, wanted: wanted in value,
    "icontains": lambda value, wanted: wanted.casefold() in value.casefold(),
}
_LOGICAL = {"$and": "AND", "$or": "OR", "$not": "NOT"}


def matches(payload: Mapping[str, Any], filters: Mapping[str, Any]) -> bool:
    """Whether a memory's payload satisfies `filters` as mem0 documents them.

    A filter that cannot be checked (an unknown operator, values that cannot be compared, a key that the memory lacks)
    is not satisfied: in doubt a memory is not shown.
    """
    return all(_condition(payload, key, wanted) for key, wanted in filters.items())


def _condition(payload: Mapping[str, Any], key: str, wanted: Any) -> bool:
    logical = _LOGICAL.get(key, key)
    if logical in ("AND", "OR", "NOT"):
        if not isinstance(wanted, list) or not all(isinstance(part, Mapping) for part in wanted):
            return False
        if logical == "NOT":
            return all(_checkable(payload, part) and not matches(payload, part) for part in wanted)
        return (all if logical == "AND" else any)(matches(payload, part) for part in wanted)
    if wanted == "*":
        return True
    value = payload.get(key, _MISSING)
    if value is _MISSING:
        return False
    if isinstance(wanted, list):
        return value in wanted
    if not isinstance(wanted, Mapping):
        return bool(value == wanted)
    return bool(wanted) and all(_operator(value, name, operand) for name, operand in wanted.items())


def _operator(value: Any, name: str, operand: Any) -> bool:
    operator = _OPERATORS.get(name)
    try:
        return operator is not None and operator(value, operand)
    except (TypeError, AttributeError):
        return False


def _checkable(payload: Mapping[str, Any], filters: Mapping[str, Any]) -> bool:
    """Whether "not satisfied" can be told from "cannot be checked": its keys are there, its operators known."""
    for key, wanted in filters.items():
        if key in _LOGICAL or key in _LOGICAL.values() or key not in payload:
            return False
        if isinstance(wanted, Mapping) and not wanted.keys() <= {"eq", "ne", "in", "nin"}:
            return False
    return True


def expired(payload: Mapping[str, Any]) -> bool:
    """Whether mem0 hides this memory because its `expiration_date` has passed."""
    value = payload.get("expiration_date")
    try:
        return bool(value) and date.fromisoformat(str(value)) < datetime.now(UTC).date()
    except ValueError:
        return False
