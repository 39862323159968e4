"""One row of the ledger for each logged step (paper section 5): what was done to what, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from typing_extensions import override


class Outcome(StrEnum):
    """What came of an action, as far as its observation says so."""

    SUCCESS = "success"
    FAILURE = "failure"
    NO_EFFECT = "no_effect"
    UNKNOWN = "unknown"


class Effect(StrEnum):
    """What a call does to the file or folder it names; never guessed from words inside arguments."""

    READ = "read"
    CREATE = "create"
    EDIT = "edit"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Change:
    """`object.property -> value`, as one action brought it about."""

    object: str
    property: str
    value: str
    before: str = ""
    """The value that held before, where the action or an earlier change says it; "" where none does."""
    verified: bool = True
    """Whether the value stands in the step's own text; an unverified change is kept, and no filter asks for this."""

    @override
    def __str__(self) -> str:
        arrow = f"{self.before} -> {self.value}" if self.before else f"-> {self.value}"
        return f"{self.object}.{self.property} {arrow}"


@dataclass(frozen=True, slots=True)
class Row:
    """What the ledger holds about one step."""

    step: int
    tool: str
    """The action's leading identifier, and after a space the `command` of its JSON arguments where that is a name."""
    act: str
    """The normalised kind of action: the verb of a text command, the programs of a shell command, an editor command."""
    action: str
    """The raw action."""
    targets: tuple[str, ...] = ()
    outcome: Outcome = Outcome.UNKNOWN
    quote: str = ""
    """The part of the observation that shows the outcome; "" for an unknown one."""
    changes: tuple[Change, ...] = ()
    difference: str = ""
    """What differs from the arguments of the last action with the same tool and path."""
    exit_code: int | None = None
    """The last "exit code N" of the observation; it says nothing about success: `grep` without a match exits with 1."""
    effect: Effect | None = None
    untold: bool = False
    """Whether the call may have done anything to files: it runs commands or code, or names a file and does not tell
    what it does to it."""
    annotated: bool = False
    """Whether a model has read this step."""
