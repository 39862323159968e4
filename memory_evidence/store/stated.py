"""What is kept of what a memory states, and of what superseded it."""

from __future__ import annotations

from typing import NamedTuple


class Stated(NamedTuple):
    """One thing that a memory states of what has one value at a time."""

    slot: str
    """What it is about: equal for all statements about the same."""
    value: str
    """What is compared; "" in a retraction of whatever it was."""
    wording: str
    """The value as the memory has it."""
    retracts: bool = False
    """The memory says that this no longer holds."""


class Statements(NamedTuple):
    """What was read of one memory's text."""

    stated: tuple[Stated, ...] = ()
    more: bool = False
    """Whether the text says more than this."""


class Outdated(NamedTuple):
    """One statement of a memory that a later memory superseded."""

    id: str
    hash: str
    """Of the text that was read of the memory; as for links, its marks count while it has this text."""
    wording: str
    """The value as the memory has it."""
    by: str
    """The memory that has the last word."""
    by_hash: str
    value: str | None
    """The value now, as that memory has it; None: it says that the value ended."""
    whole: bool
    """Whether everything that the memory says is superseded."""
