"""Chroma's metadata filters, told without Chroma, which takes a millisecond for each of some ids that it filters.

Only what it takes as a filter at all is told, and as it tells it: numbers equal numbers, truth values are none, and a
record without the key is unequal to any value. Whatever else a filter says is left to Chroma.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["Condition", "condition_of"]

Condition = Callable[[Mapping[str, Any]], bool]
"""Whether a record with these metadata satisfies a filter."""

_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": lambda value, than: value > than,
    "$gte": lambda value, than: value >= than,
    "$lt": lambda value, than: value < than,
    "$lte": lambda value, than: value <= than,
}


def condition_of(where: Any) -> Condition | None:
    """Return the condition that `where` states, or None: it holds something that only Chroma can tell."""
    if not isinstance(where, Mapping) or len(where) != 1:
        return None
    ((key, stated),) = where.items()
    if key in ("$and", "$or"):
        return _joined(key, stated)
    if not isinstance(key, str) or key.startswith("$"):
        return None
    if not isinstance(stated, Mapping):
        return _compared(key, "$eq", stated)
    if len(stated) != 1:
        return None
    ((operator, operand),) = stated.items()
    return _compared(key, operator, operand)


def _joined(operator: str, parts: Any) -> Condition | None:
    conditions = [condition_of(part) for part in parts] if isinstance(parts, list) and len(parts) > 1 else [None]
    known = [condition for condition in conditions if condition is not None]
    if len(known) < len(conditions):
        return None
    every = all if operator == "$and" else any
    return lambda metadata: every(condition(metadata) for condition in known)


def _compared(key: str, operator: Any, operand: Any) -> Condition | None:
    if operator in ("$in", "$nin"):
        if (
            not isinstance(operand, list)
            or not operand
            or None in (keys := list(map(_comparable, operand)))
            or any(map(_is_fraction, operand))
        ):
            return None
        return lambda metadata: (_comparable(metadata.get(key)) in keys) is (operator == "$in")
    wanted = _comparable(operand)
    if wanted is None or _is_fraction(operand):
        return None
    if operator in ("$eq", "$ne"):
        return lambda metadata: (_comparable(metadata.get(key)) == wanted) is (operator == "$eq")
    compare = _ORDERS.get(operator) if isinstance(operator, str) and wanted[0] == "number" else None
    if compare is None:
        return None

    def ordered(metadata: Mapping[str, Any]) -> bool:
        value = _comparable(metadata.get(key))
        return value is not None and value[0] == "number" and compare(value[1], operand)

    return ordered


def _is_fraction(operand: Any) -> bool:
    # Chroma takes 2 for equal to 2.5 where the record holds a whole number.
    return isinstance(operand, float) and not operand.is_integer()


def _comparable(value: Any) -> tuple[str, Any] | None:
    """Return a value with its kind, for only values of one kind are equal to Chroma; None for no value of Chroma's."""
    if isinstance(value, bool):
        return "truth", value
    if isinstance(value, (int, float)):
        return "number", value
    return ("text", value) if isinstance(value, str) else None
