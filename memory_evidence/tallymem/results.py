"""What comes of a plan: the value of each sub-query with the steps that support it, and what stayed open."""

from __future__ import annotations

from dataclasses import dataclass, field

from memory_evidence.tallymem.plan import Operation, SubQuery

UNTOLD = "ran commands or code, or do not say what they do to a file"
"""What is said of the steps that may have had an effect on files."""

Value = int | float | str | tuple[int, ...] | tuple[str, ...] | dict[str, int] | None


@dataclass(frozen=True, slots=True)
class Result:
    """The value of one sub-query, with the steps that support it."""

    query: SubQuery
    steps: tuple[int, ...]
    """Ids of the matched steps, in step order."""
    value: Value
    """A number for count, distinct, difference and ratio; a step id for first and last (None: none); step ids for list
    and timeline; {name: count} for group and breakdown; the names in order of first occurrence for order; the names,
    ties included, for most and least."""
    groups: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Step ids by name, the most frequent first (order: the first to occur); the two sides of a difference or ratio are
    "first" and "second"."""
    scope: tuple[int | None, int | None] = (None, None)
    """Ids of the first and last step in scope; None where the scope holds no step."""
    scanned: int = 0
    """Number of rows in scope, all of them looked at."""
    relaxed: bool = False
    """Whether outcome, change and other filters were dropped because nothing matched all of them."""
    unsure: int = 0
    """Rows in scope whose outcome is unknown, though it is asked for: they could match as well, or, where outcomes are
    excluded, they are counted and might not be."""
    commands: int = 0
    """Rows in scope that ran commands or code, or do not tell what they do to a file, and may have done the same to
    it; only where an effect is filtered by, and none of these rows is counted."""
    edge: int = 0
    """Rows in front of the event that the scope begins or ends with that may be such an event as well: their effect or
    outcome is not told."""
    refused: int = 0
    """Matched rows whose action failed or had no effect, where the question does not ask what came of it."""
    verified_zero: bool = False
    """Whether nothing matched although the log knows every term: all rows in scope were looked at, and none matches."""

    @property
    def operation(self) -> Operation:
        """The operation of the sub-query."""
        return self.query.operation

    @property
    def load(self) -> int:
        """Number of matched steps; a step used twice counts twice."""
        if self.query.operation in ("difference", "ratio"):
            return sum(map(len, self.groups.values()))
        return len(self.steps)


@dataclass(frozen=True, slots=True)
class Dropped:
    """A sub-query that contributes nothing, and why."""

    query: SubQuery
    reason: str


@dataclass(frozen=True, slots=True)
class Execution:
    """What came of a plan."""

    results: tuple[Result, ...]
    dropped: tuple[Dropped, ...] = ()
    reason: str = ""
    """Why there is no result; "" where there is one."""

    @property
    def load(self) -> int:
        """Matched steps, summed over the sub-queries (the paper's compiled load)."""
        return sum(result.load for result in self.results)
