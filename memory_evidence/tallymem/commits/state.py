"""Whether a name of a history is one thing, and the value that it has at the end: told by the files themselves.

Lines that were added are no state. A value is current where the file holds it after the last commit in scope; a name
that a file gives several values at a time (a key of several sections, a variable of several functions) has no value and
no changes of its own that its name alone would tell.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory_evidence.errors import HostError
from memory_evidence.tallymem.commits.continued import goes_on
from memory_evidence.tallymem.commits.history import MOST_VALUES
from memory_evidence.tallymem.commits.index import History
from memory_evidence.tallymem.plan import SubQuery
from memory_evidence.tallymem.results import Result
from memory_evidence.tallymem.rows import Row

_MOST_SHOWN = 60


def names(query: SubQuery) -> tuple[str, ...]:
    """Return the names whose assignments a query asks for; () where it asks for files."""
    return tuple(term for part in query.where if part.field == "change" for term in part.terms)


def paths_of(query: SubQuery) -> tuple[str, ...]:
    """Return the files that a query keeps to; () for all."""
    return tuple(term for part in query.where if part.field == "target" for term in part.terms)


def values(row: Row, wanted: Sequence[str]) -> list[str]:
    """Return the values that a row assigns to the wanted names, in order."""
    return [change.value for change in row.changes[:MOST_VALUES] if change.object in wanted]


def several_lines(history: History, query: SubQuery, found: Sequence[int]) -> str:
    """Say which value that a query rests on goes on over several lines, so that not all changes are seen; "" for none.

    Such a value counts from its line on, also where the file has another name later: what changes it then are other
    lines.
    """
    wanted, asked = names(query), paths_of(query)
    files = {name for path in asked for name in history.lineage(path)}
    end = history.places(query.scope.low, query.scope.high).stop
    before = sorted({at for name in wanted for at in history.by_name.get(name, ()) if at < end})
    before = [at for at in before if not asked or history.rows[at].targets[-1] in files]
    if query.operation == "first" and found:
        before = [at for at in before if at <= found[0]]
    elif query.operation == "last":
        before = before[-1:]
    for row in (history.rows[at] for at in before):
        if any(map(goes_on, values(row, wanted))):
            return _goes_on(wanted[0], row.targets[-1], row.step)
    return ""


def unclear(history: History, query: SubQuery, found: Sequence[int]) -> str:
    """Say why what a query asks of a name is not asked of one thing; "" where it is."""
    wanted = names(query)
    assigning = [at for at in found if values(history.rows[at], wanted)]
    if not assigning:
        return ""
    end = history.places(query.scope.low, query.scope.high).stop
    if query.operation in ("first", "last"):
        paths = _files(history, query, assigning, end)
        if len(paths) > 1:
            return f"{wanted[0]!r} is assigned in {len(paths)} files, such as {paths[0]!r} and {paths[1]!r}; name one"
        if query.operation == "first" and (earlier := _earlier(history, query, paths[0], wanted)):
            return f"{paths[0]!r} was {earlier!r} before, where {wanted[0]!r} was assigned as well; name that"
        assigning = assigning[:1] if query.operation == "first" else assigning[-1:]
    try:
        if several := _several(history, assigning, wanted):
            return several
        return _not_last(history, query, assigning[-1], wanted[0]) if query.operation == "last" else ""
    except HostError as error:
        return f"the files of the history cannot be read: {error}"


def current(history: History, query: SubQuery, found: Sequence[int]) -> Result | str:
    """Return the value that the one file which assigns a name holds at the end of the scope, or say why there is none.

    The result rests on the commit at the end, after which the file was looked at.
    """
    (name, *more), high = names(query), query.scope.high or len(history.commits)
    high = min(high, len(history.commits))
    if more or query.scope.low is not None:
        return "a current value is that of one name, and has no commit to begin with"
    if history.versions is None:
        return "the files of the history are not at hand, which tell what is current"
    if len(history.heads(high)) > 1:
        return f"commits 1 to {high} are on several branches, which have no state in common"
    end = history.places(None, high).stop
    if not found and len(paths_of(query)) != 1:  # a file that is named is looked at, whoever assigned what is in it
        return f"no line that is read assigns {name!r} there"
    id = history.commits[high - 1].id
    named, paths = _files(history, query, found, end), list(_last_names(history, found, end))
    looked = [*named, *(path for path in (paths if paths_of(query) else history.resolved) if path not in named)]
    try:
        told = history.versions.assigned([(id, path) for path in looked], name)
    except HostError as error:
        return f"the files of the history cannot be read: {error}"
    if unread := [path for path, held in zip(looked, told, strict=True) if held is None]:
        return f"{unread[0]!r} is very large or has a name that is not read, and may assign {name!r}"
    holding = {path: held for path, held in zip(looked, told, strict=True) if held}
    if len(paths_of(query)) == 1 and named[0] in holding:  # not what was moved elsewhere from under this name
        holding = {named[0]: holding[named[0]]}
    if below := next((path for path, held in holding.items() if any(map(goes_on, held))), None):
        return _goes_on(name, below, high)
    if len(holding) > 1 or any(len(set(held)) > 1 for held in holding.values()):
        shown = "; ".join(f"{path!r}: {_listed(held)}" for path, held in list(holding.items())[:4])
        return f"{name!r} has several values after commit {high}: {shown}"
    if not holding:
        path = paths[-1] if paths else named[0]
        gone = _gone(history, path, found[-1], end) if found else ""
        return gone or f"no line of {path!r} that is read assigns {name!r} after commit {high}"
    ((path, held),) = holding.items()
    return Result(query, (high,), held[0], {path: (high,)}, (1, high), high)


def _last_names(history: History, found: Sequence[int], end: int) -> dict[str, None]:
    return dict.fromkeys(history.renamed_to(at, end - 1) for at in found)


def _files(history: History, query: SubQuery, found: Sequence[int], end: int) -> list[str]:
    """Return the files that a query is about: the one that it names, else those in which there is something."""
    asked = paths_of(query)
    return list(asked) if len(asked) == 1 else list(_last_names(history, found, end))


def _earlier(history: History, query: SubQuery, path: str, wanted: Sequence[str]) -> str:
    """Return the name that a file had before, if it was assigned a value under it that the query leaves out."""
    line, asked = history.lineage(path), paths_of(query)
    before = line[: line.index(path)] if asked else []
    left = {history.rows[at].targets[-1] for name in wanted for at in history.by_name[name]} - set(asked)
    return next((name for name in before if name in left), "")


def _several(history: History, assigning: Sequence[int], wanted: Sequence[str]) -> str:
    """Say which file gives a name several values at a time; "" where none does."""
    for name in wanted:
        rows = [history.rows[at] for at in assigning if values(history.rows[at], (name,))]
        told: Sequence[Sequence[str] | None] = [values(row, (name,)) for row in rows]
        if history.versions is not None:
            files = [(history.commits[row.step - 1].id, row.targets[-1]) for row in rows]
            told = history.versions.assigned(files, name)
        for row, held in zip(rows, told, strict=True):
            if held is None:
                return f"{row.targets[-1]!r} is very large after commit {row.step}, or has a name that is not read"
            if len(set(held)) > 1:
                return (
                    f"{name!r} is assigned several values in {row.targets[-1]!r} by commit {row.step}, or has them"
                    f" there at a time: {_listed(held)}; its name does not tell which is meant"
                )
    return ""


def _not_last(history: History, query: SubQuery, at: int, name: str) -> str:
    """Say why the value that was assigned last is not the last one; "" where it is, or where that cannot be told."""
    row, end = history.rows[at], history.places(query.scope.low, query.scope.high).stop
    path = history.renamed_to(at, end - 1)
    if gone := _gone(history, path, at, end):
        return f"{gone}, where {name!r} was assigned last"
    high = min(query.scope.high or len(history.commits), len(history.commits))
    if history.versions is None or path not in row.targets or len(history.heads(high)) > 1:
        return ""
    (held,) = history.versions.assigned([(history.commits[high - 1].id, path)], name)
    last = values(row, (name,))[-1]
    if held and last not in held:
        shown = _listed(held)
        return (
            f"{path!r} gives {name!r} the value {shown} after commit {high}, though {last!r} was assigned last,"
            f" by commit {row.step}: on another branch, or the other line was removed"
        )
    return ""


def _gone(history: History, path: str, at: int, end: int) -> str:
    later = (history.rows[place] for place in history.by_path[path] if at < place < end)
    gone = next((each for each in later if each.tool == "delete"), None)
    return f"{path!r} was deleted by commit {gone.step}" if gone else ""


def _goes_on(name: str, path: str, number: int) -> str:
    return (
        f"{name!r} has a value in {path!r} after commit {number} that is not read: it goes on over several lines, is an"
        f" object or very long; ask for the commits that changed the file"
    )


def _listed(held: Sequence[str]) -> str:
    return " and ".join(value[:_MOST_SHOWN].rstrip() for value in dict.fromkeys(held[:4]))
