"""Runs a plan over a history: the trajectory engine's plans and results, whose steps are the numbers of commits.

Terms are compared exactly: a path is that path, a name that name. A plan counts commits; `distinct` counts files. With
a name among its filters they run "by changed" over the different values that it was assigned; `first` and `last` "by
changed" are the first and last of these values, and `last` "by object" the one that the file holds at the end of the
scope. What runs by file counts a file under the last name that it
goes by in the scope; where files are named, and in an `order` of any change, it runs by path, so that a file's commits
are those that git lists for its path.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from memory_evidence.tallymem.commits.assignments import READ
from memory_evidence.tallymem.commits.history import KINDS, MOST_VALUES
from memory_evidence.tallymem.commits.index import History
from memory_evidence.tallymem.commits.state import current, names, paths_of, several_lines, unclear, values
from memory_evidence.tallymem.grouping import within
from memory_evidence.tallymem.plan import Filter, Plan, SubQuery
from memory_evidence.tallymem.results import Dropped, Execution, Result, Value

_PLAIN = ("count", "list", "timeline", "first", "last")
_BY_FILE = ("group", "most", "least", "distinct", "order")
_BY_VALUE = ("group", "distinct")
_ENDS = ("first", "last")
_LINES = ("list", "timeline")
"""What shows each line with its file and its commit, so that several places of one name can be told apart."""


_OF_NAMES = {("last", "object"), *((operation, "changed") for operation in (*_BY_VALUE, *_ENDS))}


def execute(history: History, plan: Plan) -> Execution:
    """Compute every sub-query of `plan` that the history can support; a failing one leaves its siblings alone."""
    if not plan.applicable:
        return Execution((), (), plan.reason)
    results: list[Result] = []
    dropped: list[Dropped] = []
    for query in plan.queries:
        outcome = _refused(history, query) or _run(history, query)
        if isinstance(outcome, Result):
            results.append(outcome)
        else:
            dropped.append(Dropped(query, outcome))
    reason = "" if results else "; ".join(dict.fromkeys(drop.reason for drop in dropped))
    return Execution(tuple(results), tuple(dropped), reason)


def selected(history: History, query: SubQuery) -> list[int]:
    """Return the places of the rows that a query selects, ascending."""
    scope = history.places(query.scope.low, query.scope.high)
    kept: set[int] | None = None
    for condition in query.where:
        postings = _postings(history, condition)
        found = {at for term in condition.terms for at in within(postings.get(term, ()), scope)}
        kept = found if kept is None else kept & found
    if kept is None:
        return list(scope)
    paths = paths_of(query)
    if names(query) and paths:  # what a rename assigns is in the file under its new name
        kept = {at for at in kept if history.rows[at].targets[-1] in paths}
    return sorted(kept)


def unread_merges(history: History, query: SubQuery) -> list[int]:
    """Return the merges in scope that may have changed what a query asks for, of which nothing is counted."""
    if not query.where and not query.by:
        return []
    last = len(history.commits)
    return history.resolving(paths_of(query) or None, query.scope.low or 1, min(query.scope.high or last, last))


def _refused(history: History, query: SubQuery) -> str:
    if not history.commits:
        return "the history holds no commits"
    if query.operation not in (*_PLAIN, *_BY_FILE) or query.versus or query.scope.after or query.scope.before:
        return f"{query.operation} with these conditions is not computed over commits"
    if names(query) and (query.operation, query.by) in _OF_NAMES:
        pass
    elif (query.operation in _BY_FILE or query.by) and (query.by != "target" or query.operation in _PLAIN):
        return f"{query.operation} by {query.by} is not computed over commits"
    for condition in query.where:
        if condition.exclude or condition.field not in ("tool", "target", "change"):
            return f"commits are not filtered by {condition}"
        known = KINDS.values() if condition.field == "tool" else _postings(history, condition)
        for term in condition.terms:
            if term not in known:
                if condition.field == "change":
                    return f"no line that is read as an assignment sets {term!r}; {READ}{_left_out(history)}"
                if condition.field == "target":
                    return history.unknown(term)
                return f"the history knows no kind of change {term!r}"
    return ""


def _left_out(history: History) -> str:
    said = f"; {len(history.cut)} changes of single files that assign more than {MOST_VALUES} names are left out"
    merges = history.resolving(None, 1, len(history.commits))
    unread = f"; what {len(merges)} merges changed themselves is not read" if merges else ""
    return (said if history.cut else "") + unread


def _postings(history: History, condition: Filter) -> Mapping[str, Sequence[int]]:
    if condition.field == "tool":
        return history.by_kind
    return history.by_path if condition.field == "target" else history.by_name


def _run(history: History, query: SubQuery) -> Result | str:
    low, high = max(query.scope.low or 1, 1), min(query.scope.high or len(history.commits), len(history.commits))
    if low > high:
        return f"no commit lies in {query.scope}"
    found = selected(history, query)
    wanted = names(query)
    if wanted and (unread := _unread(history, query)):
        return (
            f"{unread} changes of the files in question assign more than {MOST_VALUES} names each, which are not kept"
        )
    if query.by == "object":
        return current(history, query, found)
    if wanted and (why := several_lines(history, query, found)):
        return why
    if wanted and query.operation not in _LINES and (why := unclear(history, query, found)):
        return why
    # With no condition it is the commits that count, also those that change no file.
    steps = _commits(history, found) if query.where or query.by else tuple(range(low, high + 1))
    groups: dict[str, tuple[int, ...]] = {}
    if query.by == "target":
        groups = _by_file(history, query, found)
        steps = tuple(sorted({number for numbers in groups.values() for number in numbers}))
    elif wanted and query.operation in (*_LINES, *_BY_VALUE):
        groups = _by_value(history, found, wanted)
    value = _value(history, query, steps, groups, found)
    if query.operation in _ENDS:
        steps = steps[:1] if query.operation == "first" else steps[-1:]
    sure = not wanted and not unread_merges(history, query)
    return Result(query, steps, value, groups, (low, high), high - low + 1, verified_zero=not steps and sure)


def _commits(history: History, found: Iterable[int]) -> tuple[int, ...]:
    return tuple(number for number, _ in groupby(history.rows[at].step for at in found))


def _by_file(history: History, query: SubQuery, found: Sequence[int]) -> dict[str, tuple[int, ...]]:
    only = paths_of(query)
    renames = any(part.field == "tool" and "rename" in part.terms for part in query.where)
    whole = not only and (renames or query.operation != "order")
    end = history.places(query.scope.low, query.scope.high).stop - 1
    places: dict[str, dict[int, None]] = {}
    for at in found:
        row = history.rows[at]
        for path in (history.renamed_to(at, end),) if whole else row.targets:
            if not only or path in only:
                places.setdefault(path, {})[row.step] = None
    if query.operation == "order":
        return {path: (next(iter(numbers)),) for path, numbers in places.items()}
    ordered = sorted(places.items(), key=lambda item: -len(item[1]))
    return {path: tuple(numbers) for path, numbers in ordered}


def _by_value(history: History, found: Sequence[int], wanted: Sequence[str]) -> dict[str, tuple[int, ...]]:
    places: dict[str, dict[int, None]] = {}
    for at in found:
        for value in values(history.rows[at], wanted):
            places.setdefault(value, {})[history.rows[at].step] = None
    return {value: tuple(numbers) for value, numbers in places.items()}


def _unread(history: History, query: SubQuery) -> int:
    scope = history.places(query.scope.low, query.scope.high)
    paths = {term for part in query.where if part.field == "target" for term in part.terms}
    return sum(history.rows[at].targets[-1] in paths for at in within(history.cut, scope))


def _value(
    history: History, query: SubQuery, steps: tuple[int, ...], groups: dict[str, tuple[int, ...]], found: Sequence[int]
) -> Value:
    wanted = names(query)
    if query.operation == "count":
        return len(steps)
    if query.operation == "order":
        return tuple(groups)
    if query.operation in _ENDS:
        if not query.by:
            return (steps[0] if query.operation == "first" else steps[-1]) if steps else None
        told = [value for at in found for value in values(history.rows[at], wanted)]
        return (told[0] if query.operation == "first" else told[-1]) if told else None
    if query.operation == "distinct":
        return len(groups)
    if query.operation in ("most", "least"):
        extreme = (max if query.operation == "most" else min)(map(len, groups.values()), default=0)
        return tuple(path for path, numbers in groups.items() if len(numbers) == extreme)
    if query.operation == "group":
        return {path: len(numbers) for path, numbers in groups.items()}
    if query.operation == "timeline" and wanted:
        told = [value for at in found for value in values(history.rows[at], wanted)]
        return tuple(value for value, _ in groupby(told))
    return steps
