"""One step of an agent: an executed action and what was observed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memory_evidence.errors import InputError

LAST_ID = 2**53 - 1
"""The largest step id: every store, and every program that reads JSON, holds numbers up to it exactly."""


class Observed(StrEnum):
    """What came back for an action."""

    TEXT = "text"
    """Something was observed."""
    EMPTY = "empty"
    """The observation is there and holds nothing."""
    MISSING = "missing"
    """There is no observation: the call was cut off, or the log does not have it."""
    ERROR = "error"
    """The source format itself marks the observation as an error."""


@dataclass(frozen=True, slots=True)
class Step:
    """One executed action and what was observed, verbatim."""

    id: int
    """The trajectory's own number of it, as questions name it: 0 to `LAST_ID`, unique, ascending; gaps are allowed."""
    action: str
    """Verbatim; "" where there is none."""
    observation: str = ""
    """Verbatim; "" where it is empty or missing."""
    observed: Observed = Observed.TEXT
    """With an observation of "", TEXT is stored as EMPTY."""
    tool: str | None = None
    """The tool's name where the source format has it as a field of its own; None: only the action tells."""
    arguments: str | None = None
    """The arguments where the source format has them as a field: the raw text, whether or not it parses."""
    call_id: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.id, int) or isinstance(self.id, bool) or not 0 <= self.id <= LAST_ID:
            raise InputError("a step's id", self.id, "a whole number of at least 0 and below 2**53")
        for name in ("action", "observation"):
            if not isinstance(getattr(self, name), str):
                raise InputError(f"the {name} of step {self.id}", getattr(self, name), 'a string ("" for none)')
        for name in ("tool", "arguments", "call_id"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise InputError(f"the {name} of step {self.id}", value, "a string or None")
        if not isinstance(self.observed, Observed):
            raise InputError(f"`observed` of step {self.id}", self.observed, "a member of Observed")
        if not self.observation and self.observed is Observed.TEXT:
            object.__setattr__(self, "observed", Observed.EMPTY)
        if self.observation and self.observed in (Observed.EMPTY, Observed.MISSING):
            raise InputError(f"the observation of step {self.id}", self.observation, f'"", as it is {self.observed}')
