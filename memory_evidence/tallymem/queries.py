"""Makes sub-queries of a clause that has been read and of what it asks for."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from memory_evidence.tallymem.actions import is_bare_command
from memory_evidence.tallymem.asked import Asked
from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.checks import (
    as_done,
    check_actors,
    check_read,
    check_second,
    check_things,
    check_together,
    check_ways,
    shell_commands,
    where_of,
)
from memory_evidence.tallymem.clause import Clause
from memory_evidence.tallymem.filed import check_files_alone, check_told_apart
from memory_evidence.tallymem.grouping import names
from memory_evidence.tallymem.joining import ACTS
from memory_evidence.tallymem.ledger import Field, Ledger
from memory_evidence.tallymem.light import check_used
from memory_evidence.tallymem.plan import Key, Operation, Predicate, Scope, SubQuery
from memory_evidence.tallymem.roles import check_roles
from memory_evidence.tallymem.wording import WORD, words

_NAMES: dict[Key, str] = {
    "tool": "tools",
    "base": "tools",
    "action": "actions",
    "target": "names of things",
    "object": "names of things",
    "place": "names of places",
    "outcome": "outcomes",
    "exit_code": "exit codes",
    "changed": "changes",
}
_SAMPLE, _LONG = 50, 80
_COUNTABLE = words("action actions step steps turn turns call calls command commands operation operations")


def make_queries(clause: Clause, asked: Asked, scope: Scope, earlier: list[SubQuery]) -> list[SubQuery]:
    """Return the sub-queries of a clause.

    Args:
        clause: After it has been read.
        asked: What it asks for.
        scope: The steps that count.
        earlier: The sub-queries of the clauses before it.

    Raises:
        Unread: A word of it is not understood, or the log cannot tell what it asks for.
    """
    where = where_of(clause, asked.only)
    check_things(clause, asked, where)
    if asked.same:
        where = _with_earlier(where, earlier[-1].where)
    elif "it" in clause.nouns:
        where = (*where, *(part for part in earlier[-1].where if part.field == "target"))
    check_files_alone(clause, where)
    if asked.by in ("target", "object"):
        check_told_apart(clause.ledger, where)
    check_together(clause.ledger, where)
    check_ways(clause, where)
    check_used(clause, where)
    check_second(clause)
    check_actors(clause)
    check_roles(clause, asked, where)
    check_read(clause, named=bool(where) or asked.by in ("tool", "base"))
    if asked.ever:
        where = as_done(clause, where)
    operation = asked.operation
    both = clause.several("effect") or clause.several("tool")
    if both and asked.by not in ("tool", "base") and operation not in ("count", "list", "timeline"):
        raise Unread("it names two actions, and not whether both were done, or one of them")
    shell = shell_commands(clause, where, scope)
    if shell is not None and asked.by is not None:
        raise Unread("it does not say whether 'commands' are those of the shell or all calls")
    if operation in ("group", "distinct", "order", "most", "least"):
        return _keyed(clause.ledger, asked, where, scope)
    if operation == "count" and clause.several("effect"):
        rest = tuple(part for part in where if part.field != "effect")
        return [SubQuery("count", (part, *rest), scope) for part in clause.each_effect()]
    query = _of_events(clause, asked, where, scope)
    if shell is not None:  # both are computed, each under its name
        return [replace(query, where=(shell, *query.where)), query]
    return [query]


def _with_earlier(where: Predicate, earlier: Predicate) -> Predicate:
    """Return the filters of "and how many failed": what is done, and to what, is as before where it is left out."""
    fields: set[Field] = {part.field for part in where if not part.exclude}
    if fields & ACTS:
        fields |= ACTS
    return (*where, *(part for part in earlier if part.field in {*ACTS, "target"} - fields))


def _keyed(ledger: Ledger, asked: Asked, where: Predicate, scope: Scope) -> list[SubQuery]:
    if asked.by is None:
        raise Unread("it does not say what to group by")
    if asked.by in ("object", "place", "target") and all(part.field == "target" or part.exclude for part in where):
        raise Unread("it does not say what was done to what it counts")
    if asked.by == "place" and any(part.field == "effect" for part in where):
        raise Unread("it asks where in a file, which the log does not tell")
    by = _key(ledger, asked.by, asked.operation)
    if not any(names(ledger, by)):
        raise Unread(f"the log has no {_NAMES[by]}")
    if asked.each:
        return [SubQuery(asked.operation, where, scope, by, only=(class_,)) for class_ in asked.only]
    query = SubQuery(asked.operation, where, scope, by, only=asked.only)
    if by == "action" and asked.operation != "group" and any(ledger.held("tool")):
        # "The most frequent action" may mean `go to drawer 1` or `go`: both are computed, each under its name.
        return [query, replace(query, by="tool")]
    return [query]


def _key(ledger: Ledger, by: Key, operation: Operation) -> Key:
    """Return what to group by: tools as the log tells them, and for actions that hardly ever recur, their tools.

    Raises:
        Unread: A number of tools is asked of a log of bare command lines.
    """
    tools = ledger.held("tool")
    if by == "base" and operation != "group" and any(is_bare_command(ledger.rows[at[0]]) for at in tools.values()):
        raise Unread("a command line names no tool: ask for commands")
    plain = by == "base" and not any(" " in name for name in tools)
    return "tool" if plain or (by == "action" and _long(ledger)) else by


def _long(ledger: Ledger) -> bool:
    """Whether actions are calls with arguments, which hardly ever recur."""
    some = list(islice(ledger.values("action"), _SAMPLE))
    long = sum("{" in action or "\n" in action or len(action) > _LONG for action in some)
    return 2 * long > len(some)


def _of_events(clause: Clause, asked: Asked, where: Predicate, scope: Scope) -> SubQuery:
    operation = asked.operation
    listed = operation == "list" and scope != Scope() and not WORD.search(clause.left)  # "list the first 5 actions"
    said = map(str.casefold, WORD.findall(clause.text))
    events = listed or clause.acting or any(word in _COUNTABLE for word in said)
    if not where and not (events and operation in ("count", "timeline", "list", "first", "last")):
        raise Unread("it names no tool, target, outcome or change of the log")
    if not where and operation not in ("count", "first", "last"):
        if scope == Scope():
            raise Unread("it asks for everything that was done, which the view shows")
        operation = "timeline"
    if not events and all(part.field == "target" for part in where):
        raise Unread("it does not say what was done")
    if operation == "count":
        for part in where:
            kind = part.field
            if (kind == "target" or kind == "tool") and len(part.terms) > 1 and clause.several(kind):
                only = part.terms if kind == "target" else ()
                return SubQuery("breakdown", where, scope, kind, only=only)
    return SubQuery(operation, where, scope, asked.by)
