"""Reads JSON out of a model's answer: exactly where it is JSON, repaired where it nearly is.

Small models fence their JSON, explain it before and after, give the list without its object or one object instead of a
list, choose another key, stop halfway or run into a loop. All of these are read; what is not there is never made up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, TypeVar

from json_repair import repair_json
from pydantic import BaseModel, ValidationError

from memory_evidence.errors import ModelOutputError

T = TypeVar("T", bound=BaseModel)

MAX_JSON_CHARS = 400_000
"""Longer answers are refused unread: no prompt of ours asks for that much."""

MAX_REPAIR_CHARS = 32_000
"""Longer broken JSON is not repaired: the time for it grows with the square of the length."""

# Raw line breaks in strings are a common, harmless slip; NaN and Infinity are not JSON and would pass as numbers.
_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _name: None)
# What tells broken JSON from a brace or bracket in prose, such as `{x}` or `[see below]`.
_LIKE_JSON = re.compile(r"""\{\s*(?:["'{}/]|\w+\s*:)|\[\s*(?:["'\[{\]/\d-]|true|false|null)""")
_OPENING, _CLOSING = re.compile(r"[{\[]"), re.compile(r"[}\]]")
# A model that repeats itself until its tokens run out; repair is slowest on exactly this.
_LOOP = re.compile(r"(.{1,80}?)\1{15,}", re.DOTALL)
_MIN_LOOP_CHARS = 200


def parse_json(text: str, schema: type[T], *, unanimous: bool = False, whole: bool = False) -> T:
    """Read a model's answer as `schema`, whatever it is wrapped in.

    JSON in fences or prose is found; of several answers the last one wins, for models correct themselves. Broken JSON
    is repaired (by the library `json-repair`). Then a bare list or value is taken for the schema's only required field
    (or only field), a single entry for a list of one, and an object under one wrong key is unwrapped. An object that
    has none of the schema's fields is no answer, even where every field has a default.

    Args:
        text: What the model said.
        schema: What its answer must validate as.
        unanimous: Whether answers that differ are none: the last may be quoted from what the model was shown.
        whole: Whether an answer that broke off is none: what it lacks would change what the rest means.

    Raises:
        ModelOutputError: Nothing in the answer validates, or answers differ; `.raw` keeps the answer.
    """
    if len(text) > MAX_JSON_CHARS:
        raise ModelOutputError("read answer", f"longer than {MAX_JSON_CHARS} characters", text)
    reason = ""
    values = _values(text, whole)
    found: list[T] = []
    for value in chain(_exact(values, schema), _reshaped(values, schema)):
        try:
            found.append(schema.model_validate(value))
        except ValidationError as error:
            reason = reason or _first(error, schema)
        if found and not unanimous:
            break
    if found and all(answer == found[0] for answer in found):
        return found[0]
    if found:
        reason = "several answers that differ"
    raise ModelOutputError("read answer", reason or (f"not a {schema.__name__}" if values else "no JSON found"), text)


def _values(text: str, whole: bool) -> list[Any]:
    """The JSON values in `text`, in order: whole ones as they are, and the first broken one repaired to the end."""
    try:
        return [_DECODER.decode(text)]
    except (ValueError, RecursionError):
        pass
    values: list[Any] = []
    opening = first = _OPENING.search(text)
    while opening:
        try:
            value, stop = _DECODER.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            if _LIKE_JSON.match(text, opening.start()):
                # Not scanned further: what lies within a broken object is a part of the answer, not the answer.
                return values + _repaired(text[opening.start() :], whole)
            stop = opening.end()
        else:
            values.append(value)
        opening = _OPENING.search(text, stop)
    return values or (_repaired(text[first.start() :], whole) if first else [])


def _repaired(text: str, whole: bool) -> list[Any]:
    loop = _LOOP.search(text)
    if loop and len(loop[0]) >= _MIN_LOOP_CHARS:
        text = text[: loop.end(1)]
    if len(text) > MAX_REPAIR_CHARS:
        return []
    try:
        value = repair_json(text, return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError, TypeError, IndexError):
        return []
    if not isinstance(value, (dict, list)):
        return []
    if (whole or _is_empty(value)) and len(_OPENING.findall(text)) > len(_CLOSING.findall(text)):
        return []  # cut off before it said anything, which is not the same as saying that there is nothing
    if isinstance(value, list) and not text.startswith("["):
        return value  # several values one after another
    return [value]


def _is_empty(value: Any) -> bool:
    if isinstance(value, (dict, list)):
        return all(_is_empty(part) for part in (value.values() if isinstance(value, dict) else value))
    return value is None or value == ""


def _exact(values: list[Any], schema: type[BaseModel]) -> Iterator[Any]:
    for value in reversed(values):
        if _speaks(value, schema):
            yield value
        if isinstance(value, list) and len(value) == 1 and _speaks(value[0], schema):
            yield value[0]


def _speaks(value: Any, schema: type[BaseModel]) -> bool:
    """Whether an object that validates would owe it to something it holds, not to defaults alone."""
    fields = schema.model_fields
    if not isinstance(value, dict) or not value or any(info.is_required() for info in fields.values()):
        return True
    return any(name in value or _key(schema, name) in value for name in fields)


def _reshaped(values: list[Any], schema: type[BaseModel]) -> Iterator[Any]:
    fields = schema.model_fields
    required = [name for name, info in fields.items() if info.is_required()] or list(fields)
    only = _key(schema, required[0]) if len(required) == 1 else None
    # Objects one after another are the entries of a list before the last of them is a list of one.
    for value in ([values] if len(values) > 1 else []) + values[::-1]:
        if isinstance(value, dict) and len(value) == 1:
            (inner,) = value.values()
            if isinstance(inner, dict) and inner and _speaks(inner, schema):
                yield inner
            if only is not None:
                yield {only: inner}
        if only is not None:
            if not isinstance(value, dict):
                yield {only: value}
            yield {only: [value]}


def _key(schema: type[BaseModel], name: str) -> str:
    alias = schema.model_fields[name].validation_alias
    return alias if isinstance(alias, str) else name


def _first(error: ValidationError, schema: type[BaseModel]) -> str:
    detail = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in detail["loc"])
    return f"not a {schema.__name__}: {where}{': ' if where else ''}{detail['msg']}"
