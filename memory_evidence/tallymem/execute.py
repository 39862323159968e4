"""Runs a plan over the ledger: grounding checks, exact operations over every selected row, one relaxed retry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from memory_evidence.tallymem.actions import EDITOR_COMMANDS
from memory_evidence.tallymem.grouping import group, names, union, within
from memory_evidence.tallymem.ledger import ANY, Ledger
from memory_evidence.tallymem.plan import Filter, Key, Operation, Plan, Predicate, Scope, SubQuery
from memory_evidence.tallymem.results import UNTOLD, Dropped, Execution, Result, Value
from memory_evidence.tallymem.rows import Effect, Outcome
from memory_evidence.tallymem.terms import contains


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
    key = _key(query)
    if key is not None and not any(names(ledger, key)):
        return f"no step of the log has {_KEYS.get(key, key)}"
    for term in query.only:
        if query.by and not any(map(contains(term), names(ledger, query.by))):
            return f"the log knows no {query.by} {term!r}"
    found = _scope(ledger, query.scope)
    if isinstance(found, str):
        return found
    scope, edge = found
    if not scope:
        return f"no logged step lies in {query.scope}"
    result = _mixed(ledger, query, scope) or (_compare if query.versus else _count)(ledger, query, scope)
    if isinstance(result, str) or not edge:
        return result
    return replace(result, edge=edge, verified_zero=False)


_KEYS: dict[Key, str] = {
    "tool": "a tool",
    "target": "a target",
    "object": "a target",
    "place": "a target",
    "exit_code": "an exit code",
    "changed": "a recorded change",
}


def _key(query: SubQuery) -> Key | None:
    return query.by or ("target" if query.operation == "breakdown" else None)


def _count(ledger: Ledger, query: SubQuery, scope: range) -> Result | str:
    found = _select(ledger, query.where, scope)
    if not found and query.operation in ("list", "timeline"):
        relaxed = tuple(part for part in query.where if part.field in _KEPT or part.exclude)
        # Only what a reader of the log judged, or left open, can be wrong: an exit code, an effect or an outcome that
        # no row has is a zero.
        judged = any(part.field in ("change", "difference") for part in query.where)
        if (judged or _unsure(ledger, query.where, scope)) and any(not part.exclude for part in relaxed):
            found = _select(ledger, relaxed, scope)
            if found:
                return replace(_result(ledger, query, found, scope), relaxed=True)
    if not found and (open_ := _left_open(ledger, query.where, scope)):
        return open_
    result = _result(ledger, query, found, scope)
    return _with_absent(ledger, result, scope) if result.groups else result


def _left_open(ledger: Ledger, where: Predicate, scope: range) -> str:
    """Say what keeps a count of 0 from being one; "" for nothing."""
    if unsure := _unsure(ledger, where, scope):
        return f"nothing matches, but the outcome of {unsure} such steps is unknown"
    if naming := _naming(ledger, where, scope):
        return f"no call that tells its effect matches, but {naming} steps that {UNTOLD}, may have done it"
    return ""


def _with_absent(ledger: Ledger, result: Result, scope: range) -> Result | str:
    """Return `result` with a group of 0 for each name that the question gives and no matched row has."""
    query = result.query
    if _key(query) != "target" or query.operation != "breakdown":
        return result
    groups = dict(result.groups)
    for part in query.where:
        for term in part.terms if part.field == "target" and not part.exclude and len(part.terms) > 1 else ():
            alone = tuple(Filter("target", (term,)) if one is part else one for one in query.where)
            if not _select(ledger, alone, scope):
                if open_ := _left_open(ledger, alone, scope):
                    return f"of {term!r} {open_}"
                groups[term] = ()
    return replace(result, groups=groups, value=_value(query.operation, result.steps, groups))


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
    if condition.field == "tool":  # a command that the log's editor has and was never told
        return term in EDITOR_COMMANDS and ledger.has_editor
    if condition.field == "outcome":
        return term in set(Outcome)
    if condition.field == "exit_code":
        # Codes are logged, this one is not among them; to exclude one changes nothing where there are none.
        return condition.exclude or bool(ledger.values("exit_code"))
    if condition.field == "effect":
        return term in set(Effect) and (condition.exclude or bool(ledger.values("effect")))
    return condition.field == "change" and condition.exclude and term == ANY


def _scope(ledger: Ledger, scope: Scope) -> tuple[range, int] | str:
    """Return the positions in scope, and how many rows leave open where it begins or ends; or why there is none."""
    span = ledger.span(scope.low, scope.high)
    edge = 0
    for event, begins in ((scope.after, True), (scope.before, False)):
        if not event:
            continue
        at = min(_select(ledger, event, span), default=None)
        if at is None:
            return f"the event that the question {'starts from' if begins else 'ends with'} does not occur in scope"
        earlier = range(span.start, at)
        if any(part.field == "target" for part in event) and (naming := _naming(ledger, event, earlier)):
            what = "starts from" if begins else "ends with"
            return f"the event that the question {what} may be one of {naming} earlier steps that {UNTOLD}"
        edge += len(_running(ledger, event, earlier)) + _unsure(ledger, event, earlier)
        span = range(at + 1, span.stop) if begins else earlier
    return span, edge


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
    key = _key(query)
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
        unsure=(unsure := _unsure(ledger, query.where, scope)),
        commands=(commands := len(_running(ledger, query.where, scope))),
        refused=_refused(ledger, query.where, found),
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


def _unsure(ledger: Ledger, where: Predicate, scope: range) -> int:
    """Return how many rows would match, or might not, were their outcome known."""
    asked = [part for part in where if part.field == "outcome"]
    if not any(part.exclude or Outcome.UNKNOWN.value not in part.terms for part in asked):
        return 0
    rest = tuple(part for part in where if part.field != "outcome")
    return len(_select(ledger, (*rest, Filter("outcome", (Outcome.UNKNOWN.value,))), scope))


def _refused(ledger: Ledger, where: Predicate, found: Sequence[int]) -> int:
    """Return how many of the matched rows came to nothing, where the filters say nothing of outcomes."""
    if not found or any(part.field == "outcome" for part in where):
        return 0
    rows = ledger.positions("outcome", (Outcome.FAILURE.value, Outcome.NO_EFFECT.value))
    return sum(1 for at in rows if at in found) if isinstance(found, range) else len(rows.intersection(found))


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


def _compare(ledger: Ledger, query: SubQuery, scope: range) -> Result | str:
    sides = (query.where, query.versus)
    first, second = (_select(ledger, where, scope) for where in sides)
    for where, found in zip(sides, (first, second), strict=True):
        if not found and (open_ := _left_open(ledger, where, scope)):
            return open_
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
        unsure=(unsure := sum(_unsure(ledger, where, scope) for where in sides)),
        commands=(commands := len(set().union(*(_running(ledger, where, scope) for where in sides)))),
        refused=sum(_refused(ledger, where, found) for where, found in zip(sides, (first, second), strict=True)),
        verified_zero=not first and not second and not commands and not unsure,
    )


def _number(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else round(float(value), 4)
