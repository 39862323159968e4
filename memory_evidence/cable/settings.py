"""The settings of `Cable`: what they may be, and the form in which wrappers of hosts hand them on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypedDict, get_args

from memory_evidence.cable.construct import LinkOptions
from memory_evidence.cable.expand import ExpandOptions
from memory_evidence.errors import ConfigError
from memory_evidence.models import ChatModel

__all__ = ["CableSettings", "LinkingMode", "OnError", "check_known", "check_replace", "check_settings"]

LinkingMode = Literal["background", "inline", "deferred", "asyncio"]
"""When written memories are linked: by a thread, before the write returns, when told to, or by a task of the loop."""

OnError = Literal["raise", "skip"]
"""What a failing store or host does: raise, or give the host's plain result, with a warning."""


class CableSettings(TypedDict, total=False):
    """The settings of `Cable` that wrappers of hosts hand on."""

    linking: LinkingMode
    rules: bool
    on_error: OnError
    concurrency: int
    link_options: LinkOptions
    expand_options: ExpandOptions


def check_settings(open_host: object, model: object, linking: object, on_error: object, concurrency: object) -> None:
    """Raise `ConfigError` for a value that cannot be used."""
    if model is not None and not isinstance(model, ChatModel):
        raise ConfigError("model", model, "a ChatModel, or None for rules alone")
    if not callable(open_host):
        raise ConfigError("open_host", open_host, "a function that returns the MemoryHost of a scope")
    for name, got, known in (("linking", linking, get_args(LinkingMode)), ("on_error", on_error, get_args(OnError))):
        if got not in known:
            raise ConfigError(name, got, f"one of {', '.join(map(repr, known))}")
    if not isinstance(concurrency, int) or concurrency < 1:
        raise ConfigError("concurrency", concurrency, "a whole number of at least 1")


def check_known(unknown: Mapping[str, object]) -> None:
    """Raise `ConfigError` for settings that are none, as wrappers of hosts were given them."""
    if unknown:
        known = ", ".join(sorted({"store", "model", "replace", *CableSettings.__annotations__}))
        raise ConfigError("settings", unknown, f"out of: {known}")


def check_replace(replace: object) -> None:
    """Raise `ConfigError` for a number of entries that is none."""
    if not isinstance(replace, int) or isinstance(replace, bool) or replace < 0:
        raise ConfigError("replace", replace, "a whole number of at least 0")
