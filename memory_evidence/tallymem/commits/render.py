"""Writes results over commits as text for a reader: operation, filters, values, and the commits that support them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from memory_evidence.tallymem.commits.assignments import READ
from memory_evidence.tallymem.commits.execute import selected, unread_merges
from memory_evidence.tallymem.commits.history import MOST_VALUES
from memory_evidence.tallymem.commits.index import History
from memory_evidence.tallymem.commits.state import names, paths_of, values
from memory_evidence.tallymem.grouping import within
from memory_evidence.tallymem.plan import Scope
from memory_evidence.tallymem.render import shortened
from memory_evidence.tallymem.results import Dropped, Result

ID = 10
"""Characters of a commit's id that are shown."""

_MOST_MERGES = 5
"""Merges, and other names of a file, that are named."""

_TEXT = 160
_ROOM = 60


def render_commits(history: History, results: Sequence[Result], dropped: Sequence[Dropped] = (), *, budget: int) -> str:
    """Return the results in plan order within `budget` characters; what does not fit is said to be left out.

    What was asked for as well and not computed stands behind them, so that they do not pass for the whole answer.
    """
    parts: list[str] = []
    most = budget // 3 // max(len(dropped), 1)
    missing = "\n".join(shortened(f"not computed: {drop.reason}", most) for drop in dropped)
    left = budget - len(missing) - 1 if missing else budget
    apart = len({paths_of(result.query) for result in results}) > 1
    for place, result in enumerate(results):
        rest = len(results) - place
        part = _result(history, result, place + 1, max((left - rest) // rest, 0), apart=apart)
        parts.append(part)
        left -= len(part) + 1
    return "\n".join([*parts, missing] if missing else parts)[:budget]


def label(history: History, number: int) -> str:
    """Return how a commit is named in a text: its number, and the beginning of its id."""
    return f"{number} ({history.commits[number - 1].id[:ID]})"


def _result(history: History, result: Result, number: int, budget: int, *, apart: bool) -> str:
    lines = [f"{number}. {_headline(history, result)}", f"   {_conditions(history, result)}"]
    if apart:
        lines[1] += "; this by itself, whatever else these commits changed"
    left = budget - sum(len(line) + 1 for line in lines)
    for line in _details(history, result, left):
        lines.append(line)
        left -= len(line) + 1
    return "\n".join(lines)[: max(budget, 1)]


def _headline(history: History, result: Result) -> str:
    name, value = result.operation, result.value
    if not result.steps:
        zero, seen = "0" if name in ("count", "distinct") else "none", f"all {result.scanned} commits in scope"
        if names(result.query):
            return f"{name} = {zero} ({seen} were looked at: no assignment that is read matches; {READ})"
        if unread_merges(history, result.query):
            return f"{name} = {zero} ({seen} were looked at, and none matches but for what merges changed)"
        return f"{name} = {zero} (verified: {seen} were looked at, and none matches)"
    matched = f"{len(result.steps)} matched commits"
    if name == "order":
        kinds = [term for part in result.query.where if part.field == "tool" for term in part.terms]
        return f"order of first {' or '.join(kinds) or 'appearance'}: {len(result.groups)} files"
    if result.query.by == "object":
        (path,) = result.groups
        commit = label(history, result.steps[0])
        return f"value = {shortened(str(value))}, as {shortened(path)} is after commit {commit}"
    if name in ("first", "last"):
        commit = f"commit {label(history, result.steps[0])}"
        return (
            f"{name} value assigned = {shortened(str(value))}, in {commit}" if result.query.by else f"{name} = {commit}"
        )
    if name in ("most", "least") and isinstance(value, tuple) and value:
        tie = f" (a tie of {len(value)})" if len(value) > 1 else ""
        shown = ", ".join(shortened(str(path)) for path in value[:20])
        return f"{name} frequent by file = {shown}{tie}, in {len(result.groups[str(value[0])])} commits"
    if name == "group":
        return f"commits by {_key(result)}: {len(result.groups)} different, {matched}"
    if name == "distinct":
        return f"distinct {_key(result)}s = {value} ({matched})"
    if name == "count":
        of = " that assign it, its first value included" if names(result.query) else ""
        return f"count = {value} ({matched}{of})"
    return f"{'values' if names(result.query) else 'changes'}: {matched}"


def _key(result: Result) -> str:
    return "value" if result.query.by == "changed" else "file"


def _conditions(history: History, result: Result) -> str:
    low, high = result.scope
    where = " and ".join(shortened(str(part)) for part in result.query.where) or "every commit"
    scope = "all commits" if result.query.scope == Scope() else f"commits {low} to {high}, both included"
    text = f"filters: {where}; scope: {scope} ({result.scanned} looked at, numbered from the oldest)"
    state = result.query.by == "object"
    if not state and (merges := unread_merges(history, result.query)):
        shown = ", ".join(label(history, number) for number in merges[:_MOST_MERGES])
        more = ", ..." if len(merges) > _MOST_MERGES else ""
        text += (
            f"; {len(merges)} merges in scope differ from all that they merge in"
            f" {'these files' if paths_of(result.query) else 'some files'}, which is not counted: {shown}{more}"
        )
    bounded = result.query.scope != Scope()
    if bounded and any(len(history.heads(end)) > 1 for end in ((low or 1) - 1, high or 0)):
        text += "; bounds are numbers: commits of other branches that were made beside one are on its side by date"
    asked = paths_of(result.query)
    other = dict.fromkeys(name for path in asked for name in history.lineage(path) if name not in asked)
    if other and not state and not _asks_for_renames(result):
        text += f"; under other names, not counted: {', '.join(map(shortened, list(other)[:_MOST_MERGES]))}"
    if names(result.query) and not state and result.operation in ("last", "timeline"):
        text += "; lines that assign it, whether or not they were removed later"
    if names(result.query) and (cut := within(history.cut, history.places(low, high))):
        text += f"; {len(cut)} changes of single files that assign more than {MOST_VALUES} names are left out"
    return text


def _asks_for_renames(result: Result) -> bool:
    return any(part.field == "tool" and "rename" in part.terms for part in result.query.where)


def _details(history: History, result: Result, budget: int) -> Iterator[str]:
    if result.operation in ("list", "timeline"):
        yield from _fitting(_rows(history, result), budget, "changes")
    elif result.operation == "order":
        yield from _fitting(_order(history, result), budget, "files")
    elif result.query.by and result.operation not in ("first", "last"):
        yield from _fitting(_groups(history, result), budget, f"{_key(result)}s")
    elif result.operation == "count" and result.query.where and result.steps:
        yield _commits(history, "   commits: ", result.steps, budget)


def _rows(history: History, result: Result) -> list[str]:
    wanted = names(result.query)
    lines = []
    for at in selected(history, result.query):
        row = history.rows[at]
        commit = f"   commit {label(history, row.step)}: "
        if wanted:
            said = (f"{change.object} = {shortened(change.value)}" for change in row.changes if change.object in wanted)
            lines += [
                f"{commit}{shortened(row.targets[-1])}: {line}" for line in list(said)[: len(values(row, wanted))]
            ]
        else:
            lines.append(commit + shortened(row.action))
    return lines


def _order(history: History, result: Result) -> list[str]:
    """Return a line for each file, in order; files of one commit have one number, those asked for in vain have none."""
    lines = []
    for place, (number, paths) in enumerate(groupby(result.groups, key=lambda path: result.groups[path][0]), 1):
        lines += [f"   {place}. {shortened(path)}: commit {label(history, number)}" for path in paths]
    asked = (term for part in result.query.where if part.field == "target" for term in part.terms)
    return [*lines, *(f"   {shortened(path)}: no such commit" for path in asked if path not in result.groups)]


def _groups(history: History, result: Result) -> list[str]:
    most = 3 if len(result.groups) > 5 else 20
    return [
        _commits(history, f"   {shortened(path)}: {len(numbers)} commits: ", numbers, _TEXT + most * (ID + 8))
        for path, numbers in result.groups.items()
    ]


def _fitting(lines: Sequence[str], budget: int, what: str) -> Iterator[str]:
    for done, line in enumerate(lines):
        rest = len(lines) - done
        if len(line) + 1 + (_ROOM if rest > 1 else 0) > budget:
            yield f"   {rest} more {what} are not shown"
            return
        budget -= len(line) + 1
        yield line


def _commits(history: History, start: str, numbers: Iterable[int], budget: int) -> str:
    """Return commits one after another, as many as fit."""
    text, left = start, list(numbers)
    for shown, number in enumerate(left):
        piece = label(history, number) if not shown else f", {label(history, number)}"
        if len(text) + len(piece) + _ROOM // 2 > budget and shown + 1 < len(left):
            return f"{text}{', and' if shown else ''} {len(left) - shown} more"
        text += piece
    return text
