"""The `response_format` of an OpenAI-compatible request, made from a pydantic class."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

# JSON schema keywords that OpenAI's strict mode refuses: https://platform.openai.com/docs/guides/structured-outputs
_NOT_STRICT = {"minLength", "maxLength", "uniqueItems", "contains", "prefixItems", "oneOf", "allOf", "not", "if"} | {
    "minProperties",
    "maxProperties",
    "propertyNames",
    "patternProperties",
    "dependentRequired",
    "dependentSchemas",
}


@lru_cache(maxsize=128)
def response_format(schema: type[BaseModel]) -> dict[str, Any]:
    """Return the `response_format` that holds a model to `schema`; the result is shared, so leave it as it is.

    Every property is required and no others are allowed, which small models need as much as strict mode does. `strict`
    is set where OpenAI's strict mode takes the schema.
    """
    form = schema.model_json_schema()
    if "$ref" in form:  # a class that contains itself; the root must be an object, not a reference to one
        form = {**form["$defs"][form["$ref"].rpartition("/")[2]], "$defs": form["$defs"]}
    strict = _close(form) and form.get("type") == "object"
    name = re.sub(r"[^A-Za-z0-9_-]", "_", schema.__name__)[:64]
    return {"type": "json_schema", "json_schema": {"name": name, "schema": form, "strict": strict}}


def _close(form: Any) -> bool:
    """Close `form` and the schemas in it, in place; return whether strict mode takes it."""
    if not isinstance(form, dict):
        return False
    if "$ref" in form:
        # Strict mode allows nothing beside a reference; a description there is for people.
        for key in form.keys() - {"$ref"}:
            del form[key]
        return True
    form.pop("default", None)
    properties = form.get("properties", {})
    if form.get("type") == "object" and properties:
        form.setdefault("additionalProperties", False)
        form["required"] = list(properties)
    parts = [*properties.values(), *form.get("$defs", {}).values(), *form.get("anyOf", [])]
    if form.get("type") == "array":
        parts.append(form.get("items"))
    closed = [_close(part) for part in parts]
    return (
        all(closed)
        and not _NOT_STRICT & form.keys()
        and ("type" in form or "anyOf" in form)
        and (form.get("type") != "object" or form.get("additionalProperties") is False)
    )
