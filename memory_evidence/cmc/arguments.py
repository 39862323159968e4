"""Check what a memory is opened with, so that a mistake is an error at once and not at the first read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from memory_evidence.cmc.evidence import Order
from memory_evidence.cmc.render import Fallback, Overflow
from memory_evidence.errors import ConfigError
from memory_evidence.models import check_model

_FRONTEND = (
    "a frontend with extract(record), such as EnglishGrammar() or PatternGrammar([...]), or one that reads with a model"
)


def check_arguments(
    *,
    model: object,
    frontend: object,
    multi_valued: object,
    synonyms: object,
    aliases: object,
    measure: object,
    words: Mapping[str, object],
    counts: Mapping[str, object],
    hub_limit: object,
    unresolved_limit: object,
) -> None:
    """Raise `ConfigError` for the first argument that cannot be used.

    Args:
        model: None or a `ChatModel`.
        frontend: None, a `Frontend` or a `ModelFrontend`.
        multi_valued: A set of names.
        synonyms: Names by name.
        aliases: Names by name, or None.
        measure: A function from a text to its cost.
        words: `order`, `overflow` and `fallback`.
        counts: Whole numbers of at least 1.
        hub_limit: None or a whole number of at least 1.
        unresolved_limit: None or a whole number of at least 0.
    """
    check_model(model)
    if frontend is not None and (
        isinstance(frontend, type) or not (_has(frontend, "extract") or _has(frontend, "steps"))
    ):
        raise ConfigError("frontend", frontend, _FRONTEND)
    if isinstance(multi_valued, str) or not _all_text(multi_valued):
        raise ConfigError("multi_valued", multi_valued, "a set of relation names")
    for name, mapping, example in (
        ("synonyms", synonyms, '{"boss": "manager"}: wording to common name'),
        ("aliases", aliases, '{"NYC": "New York City"}: other name to the name in the records'),
    ):
        if mapping is not None and not (isinstance(mapping, Mapping) and _all_text([*mapping, *mapping.values()])):
            raise ConfigError(name, mapping, f"a mapping of texts such as {example}")
    if not callable(measure):
        raise ConfigError("measure", measure, "a function from a text to its cost, such as len or approximate_tokens")
    for name, allowed in (("order", Order), ("overflow", Overflow), ("fallback", Fallback)):
        if words[name] not in get_args(allowed):
            raise ConfigError(name, words[name], " or ".join(map(repr, get_args(allowed))))
    for name, value in counts.items():
        if not _whole(value, 1):
            raise ConfigError(name, value, "a whole number of at least 1")
    for name, limit, least in (("hub_limit", hub_limit, 1), ("unresolved_limit", unresolved_limit, 0)):
        if limit is not None and not _whole(limit, least):
            raise ConfigError(name, limit, f"None or a whole number of at least {least}")


def _has(thing: object, method: str) -> bool:
    return callable(getattr(thing, method, None))


def _all_text(values: Any) -> bool:
    try:
        return all(isinstance(value, str) for value in values)
    except TypeError:
        return False


def _whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least
