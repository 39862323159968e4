"""The plan language (paper section 5): at most four sub-queries, each a scope, a predicate and an operation.

Beyond the paper: exclusion of terms, scopes that begin or end at an event, `distinct`, `order` (names by first
occurrence), `most`, `least`, and `difference` and `ratio` of two counts. There is no arithmetic over values, no join
and no code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from typing_extensions import override

from memory_evidence.errors import ConfigError
from memory_evidence.tallymem.ledger import FIELDS, Field

MAX_SUBQUERIES = 4

Operation = Literal[
    "count",
    "first",
    "last",
    "list",
    "timeline",
    "group",
    "breakdown",
    "distinct",
    "order",
    "most",
    "least",
    "difference",
    "ratio",
]
OPERATIONS: tuple[Operation, ...] = get_args(Operation)

Key = Literal["tool", "base", "action", "target", "object", "place", "outcome", "exit_code", "changed"]
"""What `group`, `breakdown`, `distinct`, `order`, `most` and `least` run over.

"tool" is a row's tool with its command (`editor view`), "base" the tool alone (`editor`).
"object" is the first target of a row and "place" the last ("take X from Y"), "target" is all of its targets, and
"changed" is what its recorded changes are about.
"""

KEYS: tuple[Key, ...] = get_args(Key)


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows in which a field matches one of the terms, or with `exclude` those in which it matches none."""

    field: Field
    terms: tuple[str, ...]
    exclude: bool = False

    def __post_init__(self) -> None:
        if self.field not in FIELDS:
            raise ConfigError("a filter's field", self.field, "one of " + ", ".join(FIELDS))
        if isinstance(self.terms, str):  # its letters would be taken for terms
            raise ConfigError("a filter's terms", self.terms, f"a tuple of texts, such as ({self.terms!r},)")
        object.__setattr__(self, "terms", tuple(self.terms))
        if not self.terms or not all(isinstance(term, str) and term.strip() for term in self.terms):
            raise ConfigError("a filter's terms", self.terms, "one or more texts that are not empty")

    @override
    def __str__(self) -> str:
        terms = " or ".join(map(repr, self.terms))
        return f"{self.field} {'not ' if self.exclude else ''}{terms}"


Predicate = tuple[Filter, ...]
"""A conjunction of filters, each a disjunction of literal terms; () admits every row."""


def _filters(name: str, value: object) -> Predicate:
    found = tuple(value) if isinstance(value, Iterable) else (value,)
    if all(isinstance(part, Filter) for part in found):
        return found
    raise ConfigError(name, value, "a tuple of Filters, such as (Filter('tool', ('open',)),)")


@dataclass(frozen=True, slots=True)
class Scope:
    """The steps that count: [low, high], both ends included; None is open.

    With `after` (or `before`) the scope begins behind (ends in front of) the first event of that kind in [low, high].
    """

    low: int | None = None
    high: int | None = None
    after: Predicate = ()
    before: Predicate = ()

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
                raise ConfigError(f"a scope's {name}", value, "a step id or None")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ConfigError("a scope", [self.low, self.high], "[low, high] with low not above high")
        for name in ("after", "before"):
            object.__setattr__(self, name, _filters(f"a scope's {name}", getattr(self, name)))

    @override
    def __str__(self) -> str:
        low = "start" if self.low is None else str(self.low)
        high = "end" if self.high is None else str(self.high)
        text = "all steps" if self.low is None and self.high is None else f"steps [{low}, {high}], both included"
        if self.after:
            text += f", after the first with {_conjunction(self.after)}"
        if self.before:
            text += f", before the first with {_conjunction(self.before)}"
        return text


@dataclass(frozen=True, slots=True)
class SubQuery:
    """One quantity that a question asks for."""

    operation: Operation
    where: Predicate = ()
    scope: Scope = Scope()
    by: Key | None = None
    """Needed by `group`, `distinct`, `order`, `most` and `least`; a `breakdown` runs over targets unless told
    otherwise."""
    versus: Predicate = ()
    """The second count of a `difference` or `ratio`; no other operation takes one."""
    only: tuple[str, ...] = ()
    """Values of `by` that count, as terms; () for all: "how many drawers" counts targets that are drawers."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "where", _filters("`where` of a sub-query", self.where))
        object.__setattr__(self, "versus", _filters("`versus` of a sub-query", self.versus))
        if not isinstance(self.scope, Scope):
            raise ConfigError("a sub-query's scope", self.scope, "a Scope")
        if self.operation not in OPERATIONS:
            raise ConfigError("an operation", self.operation, "one of " + ", ".join(OPERATIONS))
        if self.by is not None and self.by not in KEYS:
            raise ConfigError("a group key", self.by, "one of " + ", ".join(KEYS))
        if self.by is None and self.operation in ("group", "distinct", "order", "most", "least"):
            raise ConfigError(f"`by` of the operation {self.operation}", None, "one of " + ", ".join(KEYS))
        if not self.versus and self.operation in ("difference", "ratio"):
            raise ConfigError(f"`versus` of the operation {self.operation}", (), "the filters of the second count")
        if self.versus and self.operation not in ("difference", "ratio"):
            need = "empty: only difference and ratio compare two counts"
            raise ConfigError(f"`versus` of the operation {self.operation}", self.versus, need)

    def filters(self) -> Iterator[Filter]:
        """Yield every filter, those of the scope and of the second count as well."""
        yield from (*self.where, *self.versus, *self.scope.after, *self.scope.before)

    @override
    def __str__(self) -> str:
        text: str = self.operation
        if self.by:
            text += f" by {self.by}"
            if self.only:
                text += f" ({' or '.join(self.only)})"
        text += f" | {_conjunction(self.where)} | {self.scope}"
        return f"{text} | against {_conjunction(self.versus)}" if self.versus else text


@dataclass(frozen=True, slots=True)
class Plan:
    """What to compute for a question, or why nothing is."""

    queries: tuple[SubQuery, ...] = ()
    reason: str = ""
    """Why there is no plan; "" where there is one."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "queries", tuple(self.queries))
        if not all(isinstance(query, SubQuery) for query in self.queries):
            raise ConfigError("a plan", self.queries, "a tuple of SubQueries")
        if len(self.queries) > MAX_SUBQUERIES:
            raise ConfigError("a plan", len(self.queries), f"at most {MAX_SUBQUERIES} sub-queries; split the question")
        if not self.queries and not self.reason:
            raise ConfigError("a plan", (), "one sub-query or more, or the reason why there is none")

    @property
    def applicable(self) -> bool:
        """Whether there is anything to compute."""
        return bool(self.queries)


def not_applicable(reason: str) -> Plan:
    """Return the plan of a question that nothing is computed for."""
    return Plan((), reason)


def _conjunction(where: Predicate) -> str:
    return " and ".join(map(str, where)) or "every step"
