"""What is remembered, whose it is, and where every shown text comes from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from memory_evidence.errors import InputError, ScopeError

Scope = tuple[str, ...]
"""Whose memory: tenant, user, agent, thread...; compared exactly, part by part."""

USER = "user"
"""The default speaker, and the subject of what a speaker says in the first person."""


def check_scope(value: object) -> Scope:
    """Return `value` as a scope.

    Raises:
        ScopeError: It is missing, a plain string, not a sequence of strings, or empty in whole or in part.
    """
    if not isinstance(value, (tuple, list)) or not value:
        raise ScopeError(value)
    parts: list[object] = list(value)
    for part in parts:
        if not isinstance(part, str) or not part.strip():
            raise ScopeError(value)
    return tuple(str(part) for part in parts)


@dataclass(frozen=True, slots=True)
class Draft:
    """A record that has no position yet."""

    text: str
    speaker: str = USER
    """Who said it; "I" and "my" in the text mean this speaker."""
    time: str | None = None
    """When it was said, ISO 8601, as the caller has it; order comes from the position, never from this."""
    key: str | None = None
    """The caller's own id. A key is stored once per scope: adding it again changes nothing."""

    def __post_init__(self) -> None:
        # Written out: a loop over the names would take as long as all the rest of making a draft.
        if not isinstance(self.text, str):
            raise InputError("a record's text", self.text, "a string")
        if not isinstance(self.speaker, str):
            raise InputError("a record's speaker", self.speaker, "a string")
        if self.time is not None and not isinstance(self.time, str):
            raise InputError("a record's time", self.time, "a string or None")
        if self.key is not None and not isinstance(self.key, str):
            raise InputError("a record's key", self.key, "a string or None")


@dataclass(frozen=True, slots=True)
class Record:
    """One remembered text, stored verbatim."""

    position: int
    """1 for the first record of its scope, then without gaps; later means larger."""
    text: str
    speaker: str = USER
    time: str | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class SourceRef:
    """A span of stored text: `text == source[start:stop]` holds for every span that is shown."""

    record: int
    """Position of the record (or id of the step)."""
    field: str
    start: int
    stop: int

    def of(self, source: str) -> str:
        """Return the span of `source`, the full text of the field that this points into."""
        return source[self.start : self.stop]


def as_drafts(items: str | Draft | Sequence[str | Draft]) -> list[Draft]:
    """Turn one text, one draft or a sequence of either into drafts.

    Raises:
        InputError: An item is neither a string nor a `Draft`, or the items have no order.
    """
    if isinstance(items, (str, Draft)):
        items = [items]
    elif isinstance(items, (Mapping, Set)) or not isinstance(items, Iterable):
        raise InputError("records", items, "a text, a Draft, or a list of them in the order they were said")
    drafts: list[Draft] = []
    for item in items:
        if isinstance(item, Draft):
            drafts.append(item)
        elif isinstance(item, str):
            drafts.append(Draft(item))
        else:
            raise InputError("a record", item, "a string or a Draft(text, speaker, time, key)")
    return drafts
