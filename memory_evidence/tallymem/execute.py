"""Runs a plan over the ledger: grounding checks, exact operations over every selected row, one relaxed retry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from memory_evidence.tallymem.actions import EDITOR_COMMANDS
from memory_evidence.tallymem.grouping import group, names, union, within
from memory_evidence.tallymem.ledger import Ledger
from memory_evidence.tallymem.plan import Filter, Operation, Plan, Predicate, Scope, SubQuery
from memory_evidence.tallymem.rows import Outcome
from memory_evidence.tallymem.terms import contains

UNTOLD = "ran commands or code, or do not say what they do to a file,"
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
    """Rows in scope that could match as well, but their outcome is unknown; only where the outcome is filtered by."""
    commands: int = 0
    """Rows in scope that ran commands or code, or do not tell what they do to a file, and may have done the same to
    it; only where an effect is filtered by, and none of these rows is counted."""
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


def execute(ledger: Ledger, plan: Plan) -> Execution:
    """Compute every sub-query of `plan` that the log can support; a failing one leaves its siblings alone."""
    if not plan.applicable:
        return Execution((), (), plan.reason)
    results: list[Result] = []
    dropped: list[Dropped] = []
    for query in plan.queries:
        outcome = _run(ledger, query)
        if isinstance(outcome, Result):
            results.append(outcome)
        else:
            dropped.append(Dropped(query, outcome))
    reason = "" if results else "; ".join(dict.fromkeys(drop.reason for drop in dropped))
    return Execution(tuple(results), tuple(dropped), reason)


def _run(ledger: Ledger, query: SubQuery) -> Result | str:
    if not len(ledger):
        return "the trajectory holds no steps"
    for condition in query.filters():
        for term in condition.terms:
            if not ledger.knows(condition.field, term) and not _settled(ledger, condition, term):
                return f"the log knows no {condition.field} {term!r}"
    for term in query.only:
        if query.by and not any(map(contains(term), names(ledger, query.by))):
            return f"the log knows no {query.by} {term!r}"
    scope = _scope(ledger, query.scope)
    if isinstance(scope, str):
        return scope
    if not scope:
        return f"no logged step lies in {query.scope}"
    if mixed := _mixed(ledger, query, scope):
        return mixed
    if query.versus:
        return _compare(ledger, query, scope)
    found = _select(ledger, query.where, scope)
    if not found and query.operation in ("list", "timeline"):
        relaxed = tuple(part for part in query.where if part.field in _KEPT or part.exclude)
        # Only what a reader of the log judged, or left open, can be wrong: an exit code, an effect or an outcome that
        # no row has is a zero.
        judged = any(part.field in ("change", "difference") for part in query.where) or _unsure(ledger, query, scope)
        if judged and any(not part.exclude for part in relaxed):
            found = _select(ledger, relaxed, scope)
            if found:
                return replace(_result(ledger, query, found, scope), relaxed=True)
    result = _result(ledger, query, found, scope)
    if not result.steps and result.unsure:
        return f"nothing matches, but the outcome of {result.unsure} such steps is unknown"
    if not result.steps and result.commands and (naming := _naming(ledger, query.where, scope)):
        return f"no call that tells its effect matches, but {naming} steps that {UNTOLD} may have done it"
    return result


def _mixed(ledger: Ledger, query: SubQuery, scope: range) -> str:
    """Say between which files a name does not tell apart, where one number would mix them; "" for none."""
    if query.operation not in ("count", "first", "last", "difference", "ratio"):
        return ""
    for where in filter(None, (query.where, query.versus)):
        names = [term for part in where if part.field == "target" and not part.exclude for term in part.terms]
        found = _select(ledger, where, scope) if names else ()
        for name in names:
            paths = ledger.namesakes(name, found)
            if len(paths) > 1:
                shown = ", ".join(f"{path!r} ({count} steps)" for path, count in list(paths.items())[:4])
                return f"{name!r} may be any of {shown}"
    return ""


_KEPT = ("tool", "action", "target", "effect")
"""Fields of the filters that a relaxed retry keeps; `effect` is a part of the action."""


def _settled(ledger: Ledger, condition: Filter, term: str) -> bool:
    """Whether an absent term is a fact about the log rather than a word that the log does not know."""
    if condition.exclude:
        return True
    if condition.field == "tool":  # a command that the log's editor has and was never told
        return term in EDITOR_COMMANDS and ledger.has_editor
    if condition.field == "outcome":
        return term in set(Outcome)
    if condition.field == "exit_code":
        return bool(ledger.values("exit_code"))  # codes are logged, this one is not among them
    return condition.field == "effect" and bool(ledger.values("effect"))


def _scope(ledger: Ledger, scope: Scope) -> range | str:
    span = ledger.span(scope.low, scope.high)
    if scope.after:
        at = min(_select(ledger, scope.after, span), default=None)
        if at is None:
            return "the event that the question starts from does not occur in scope"
        span = range(at + 1, span.stop)
    if scope.before:
        at = min(_select(ledger, scope.before, span), default=None)
        if at is None:
            return "the event that the question ends with does not occur in scope"
        span = range(span.start, at)
    return span


def _select(ledger: Ledger, where: Predicate, scope: range) -> Sequence[int]:
    """Return the positions in `scope` that satisfy every filter, ascending."""
    kept: Sequence[int] | set[int] = scope
    for place, condition in enumerate(sorted(where, key=lambda part: part.exclude)):
        found = [within(places, scope) for places in ledger.postings(condition.field, condition.terms)]
        if condition.exclude:
            out = set().union(*found)
            kept = sorted(kept) if isinstance(kept, set) else kept
            kept = [at for at in kept if at not in out]
        elif place == 0:
            kept = union(found, len(ledger))
        else:
            kept = set().union(*found).intersection(kept)
    return sorted(kept) if isinstance(kept, set) else kept


def _result(ledger: Ledger, query: SubQuery, found: Sequence[int], scope: range) -> Result:
    groups: dict[str, tuple[int, ...]] = {}
    key = query.by or ("target" if query.operation == "breakdown" else None)
    if key is not None:
        grouped = group(ledger, found, key, query.only)
        groups, found = grouped.groups, grouped.found
    if query.operation == "order":
        groups = dict(sorted(groups.items(), key=lambda item: item[1][0]))
    steps = ledger.ids_at(found)
    value = _value(query.operation, steps, groups)
    if query.operation in ("first", "last"):
        steps = steps[:1] if query.operation == "first" else steps[-1:]
    return Result(
        query=query,
        steps=steps,
        value=value,
        groups=groups,
        scope=(ledger.ids[scope.start], ledger.ids[scope.stop - 1]),
        scanned=len(scope),
        unsure=(unsure := _unsure(ledger, query, scope)),
        commands=(commands := len(_running(ledger, query.where, scope))),
        verified_zero=not steps and not unsure and not commands,
    )


def _running(ledger: Ledger, where: Predicate, scope: range) -> set[int]:
    """Return the positions in scope of rows that may have the effect that is asked for, and do not tell."""
    fields = {part.field for part in where if not part.exclude}
    if "effect" not in fields or fields & {"tool", "action", "exit_code"}:
        return set()
    return ledger.untold(scope)


def _naming(ledger: Ledger, where: Predicate, scope: range) -> int:
    """Return how many of them name all the targets asked about; none for an outcome, which asks about told calls."""
    if any(part.field == "outcome" and not part.exclude for part in where):
        return 0
    things = tuple(part for part in where if part.field == "target" and not part.exclude)
    found = _running(ledger, where, scope)
    return len(found.intersection(_select(ledger, things, scope)) if things else found)


def _unsure(ledger: Ledger, query: SubQuery, scope: range) -> int:
    asked = [part for part in query.where if part.field == "outcome" and not part.exclude]
    if not any(Outcome.UNKNOWN.value not in part.terms for part in asked):
        return 0
    rest = tuple(part for part in query.where if part.field != "outcome" or part.exclude)
    return len(_select(ledger, (*rest, Filter("outcome", (Outcome.UNKNOWN.value,))), scope))


def _value(operation: Operation, steps: tuple[int, ...], groups: dict[str, tuple[int, ...]]) -> Value:
    if operation == "count":
        return len(steps)
    if operation == "first":
        return steps[0] if steps else None
    if operation == "last":
        return steps[-1] if steps else None
    if operation == "distinct":
        return len(groups)
    if operation == "order":
        return tuple(groups)
    if operation in ("most", "least"):
        sizes = [len(ids) for ids in groups.values()]
        extreme = (max if operation == "most" else min)(sizes, default=0)
        return tuple(name for name, ids in groups.items() if len(ids) == extreme)
    if operation in ("group", "breakdown"):
        return {name: len(ids) for name, ids in groups.items()}
    return steps


def _compare(ledger: Ledger, query: SubQuery, scope: range) -> Result:
    first, second = (_select(ledger, where, scope) for where in (query.where, query.versus))
    value: Value = len(first) - len(second)
    if query.operation == "ratio":
        value = None if not second else _number(Fraction(len(first), len(second)))
    groups = {"first": ledger.ids_at(first), "second": ledger.ids_at(second)}
    return Result(
        query=query,
        steps=ledger.ids_at(sorted({*first, *second})),
        value=value,
        groups=groups,
        scope=(ledger.ids[scope.start], ledger.ids[scope.stop - 1]),
        scanned=len(scope),
        commands=(commands := len(_running(ledger, query.where, scope) | _running(ledger, query.versus, scope))),
        verified_zero=not first and not second and not commands,
    )


def _number(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else round(float(value), 4)
