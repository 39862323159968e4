"""The statements that read and write links, on either database."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import Connection, delete, insert, update

from memory_evidence.records import Scope
from memory_evidence.store.connections import sqlite_rows
from memory_evidence.store.link import Link
from memory_evidence.store.node_rows import places_of
from memory_evidence.store.rows import damaged
from memory_evidence.store.tables import LINKS_BY_NEW, digest, index_key, is_digest, link_scopes, links, scope_name

READ_LINKS = 2_000
"""Most links read at a time when all are read."""

_IDS = 400
"""Ids looked for at a time, at both ends: older SQLite takes no more than 999 values in a statement."""
_WRITE_LINKS = 200


# Raw SQL where SQLAlchemy's work would take longer than the database's: links are read for every question.
_ENDS = "l.prior, l.new"
_VALUES = (
    "coalesce(l.long_prior, l.prior)",
    "coalesce(l.long_new, l.new)",
    *("l.reason", "l.verifier", "l.time", "l.prior_hash", "l.new_hash"),
)
_COLUMNS = ", ".join(_VALUES)
_TEXTS = ", ".join(f"CAST({value} AS TEXT)" for value in _VALUES)
_SCOPE = f"(SELECT id FROM {link_scopes.name} WHERE digest = {{0}})"
# Left to itself, SQLite would rather read the whole scope than look up some later ends.
_SQLITE = (
    f"SELECT {{0}} FROM {links.name} l WHERE l.scope_id = {_SCOPE.format('?')} AND l.prior IN ({{1}}) UNION ALL "
    f"SELECT {{0}} FROM {links.name} l INDEXED BY {LINKS_BY_NEW} "
    f"WHERE l.scope_id = {_SCOPE.format('?')} AND l.new IN ({{1}})"
)
# And so would PostgreSQL wherever its statistics are behind, but for OFFSET 0.
_POSTGRES = " UNION ALL ".join(
    f"SELECT l.* FROM unnest(%b::bytea[]) AS wanted(id), LATERAL (SELECT {{0}} FROM {links.name} l "
    f"WHERE l.scope_id = {_SCOPE.format('%b')} AND l.{end} = wanted.id OFFSET 0) AS l"
    for end in ("prior", "new")
)

_ALL = (
    f"SELECT {_COLUMNS} FROM {links.name} l WHERE l.scope_id = ? AND (l.prior, l.new) > (?, ?) "
    f"ORDER BY l.prior, l.new LIMIT {READ_LINKS}"
)


def links_around(connection: Connection, scope: Scope, ids: Iterable[str]) -> list[Link]:
    """Return the links of `scope` with an end among `ids`, each once."""
    keys = dict.fromkeys(map(index_key, ids))
    if connection.dialect.name == "sqlite":
        try:  # the driver decodes in half the time, which was most of a read
            rows = {(row[0], row[1]): row for row in _around(connection, scope, keys, _TEXTS)}
        except sqlite3.OperationalError:
            pass  # something in it is no UTF-8 text: a lone surrogate, or damage, which is told below
        else:
            return list(map(Link._make, rows.values()))
    return list({(row[0], row[1]): _link(*row) for row in _around(connection, scope, keys, _COLUMNS)}.values())


def _pairs_around(connection: Connection, scope: Scope, keys: Iterable[bytes]) -> set[tuple[bytes, bytes]]:
    return {(prior, new) for prior, new in _around(connection, scope, keys, _ENDS)}


def _around(connection: Connection, scope: Scope, keys: Iterable[bytes], columns: str) -> Iterator[Sequence[Any]]:
    name = digest(scope_name(scope))
    remaining = iter(keys)
    while part := list(islice(remaining, _IDS)):
        if connection.dialect.name == "sqlite":
            marks = ", ".join("?" * len(part))
            yield from sqlite_rows(connection, _SQLITE.format(columns, marks), (name, *part, name, *part))
        else:
            yield from connection.exec_driver_sql(_POSTGRES.format(columns), (part, name, part, name)).all()


def all_links(connection: Connection, scope_id: int, after: tuple[str, str] | None) -> list[Link]:
    """Return the next links after `after`, at most `READ_LINKS`, in the order of their keys."""
    ends = (b"", b"") if after is None else (index_key(after[0]), index_key(after[1]))
    sql = _ALL if connection.dialect.name == "sqlite" else _ALL.replace("?", "%b")
    return [_link(*row) for row in connection.exec_driver_sql(sql, (scope_id, *ends))]


def _link(prior: Any, new: Any, reason: Any, verifier: Any, time: Any, prior_hash: Any, new_hash: Any) -> Link:
    row = (prior, new, reason, verifier, time, prior_hash, new_hash)
    # Spelled out, and strictly first, because this is most of the time of a read.
    try:
        return Link(
            prior.decode(),
            new.decode(),
            reason.decode(),
            verifier.decode(),
            time.decode(),
            prior_hash.decode(),
            new_hash.decode(),
        )
    except (UnicodeDecodeError, AttributeError):
        pass
    try:
        return Link(*(value.decode("utf-8", "surrogatepass") for value in row))
    except (UnicodeDecodeError, AttributeError) as error:  # SQLite keeps any type of value in any column
        raise damaged("read links", "a link is not UTF-8 text") from error


def insert_links(
    connection: Connection, scope: Scope, scope_id: int, rows: Iterable[Link], max_degree: int
) -> tuple[int, int]:
    """Store links; one that is there already is stated anew.

    Returns:
        How many were new, and how many were refused because an end had `max_degree` links already.
    """
    added = refused = 0
    remaining = iter(rows)
    while part := list(islice(remaining, _WRITE_LINKS)):
        keys = [(index_key(row.prior), index_key(row.new)) for row in part]
        known = _pairs_around(connection, scope, {key for pair in keys for key in pair})
        degree = Counter(key for pair in known for key in pair)
        fresh: dict[tuple[bytes, bytes], dict[str, Any]] = {}
        for (prior, new), row in zip(keys, part, strict=True):
            if (prior, new) in known:
                _restate(connection, scope_id, prior, new, row)
            elif (prior, new) in fresh:
                fresh[prior, new] = _values(scope_id, prior, new, row)
            elif degree[prior] >= max_degree or degree[new] >= max_degree:
                refused += 1
            else:
                fresh[prior, new] = _values(scope_id, prior, new, row)
                degree.update((prior, new))
        if fresh:
            connection.execute(insert(links), list(fresh.values()))
            added += len(fresh)
    return added, refused


def restate_links(connection: Connection, scope_id: int, rows: Iterable[Link]) -> int:
    """State anew those of `rows` that are there, and return how many were."""
    return sum(_restate(connection, scope_id, index_key(row.prior), index_key(row.new), row) for row in rows)


def _restate(connection: Connection, scope_id: int, prior: bytes, new: bytes, row: Link) -> int:
    same = (links.c.scope_id == scope_id, links.c.prior == prior, links.c.new == new)
    stated = {name: getattr(row, name) for name in ("reason", "verifier", "time", "prior_hash", "new_hash")}
    return connection.execute(update(links).where(*same).values(stated)).rowcount


def _values(scope_id: int, prior: bytes, new: bytes, row: Link) -> dict[str, Any]:
    return {
        **row._asdict(),
        "scope_id": scope_id,
        "prior": prior,
        "new": new,
        "long_prior": row.prior if is_digest(prior) else None,
        "long_new": row.new if is_digest(new) else None,
    }


def delete_around(connection: Connection, scope: Scope, scope_id: int, keys: Iterable[bytes]) -> int:
    """Delete all links with an end among `keys`, and return how many there were."""
    return _delete(connection, scope_id, _pairs_around(connection, scope, keys))


def delete_stale(connection: Connection, scope: Scope, scope_id: int, memory: str, text_hash: str) -> int:
    """Delete the links of `memory` that were verified for another text of it, and return how many there were."""
    around = links_around(connection, scope, [memory])
    stale = [
        (prior, new)
        for prior, new, _, _, _, prior_hash, new_hash in around
        if (prior_hash if prior == memory else new_hash) != text_hash
    ]
    return delete_pairs(connection, scope_id, stale)


def delete_backward(connection: Connection, scope: Scope, scope_id: int, memories: Iterable[str]) -> int:
    """Delete the links of `memories` whose prior was written after their new, and return how many there were."""
    rows = links_around(connection, scope, memories)
    kept = set(in_order(connection, scope_id, rows))
    return delete_pairs(connection, scope_id, ((row.prior, row.new) for row in rows if row not in kept))


def in_order(connection: Connection, scope_id: int, rows: Sequence[Link]) -> list[Link]:
    """Return those of `rows` whose prior was not written after their new; what is unknown was there before us."""
    places = places_of(connection, scope_id, dict.fromkeys(end for row in rows for end in (row.prior, row.new)))
    unknown = float("-inf")
    return [row for row in rows if places.get(row.prior, unknown) <= places.get(row.new, float("inf"))]


def delete_pairs(connection: Connection, scope_id: int, pairs: Iterable[tuple[str, str]]) -> int:
    """Delete the links between `pairs` of prior and new memory, and return how many there were."""
    return _delete(connection, scope_id, ((index_key(prior), index_key(new)) for prior, new in pairs))


def _delete(connection: Connection, scope_id: int, pairs: Iterable[tuple[bytes, bytes]]) -> int:
    return sum(
        connection.execute(
            delete(links).where(links.c.scope_id == scope_id, links.c.prior == prior, links.c.new == new)
        ).rowcount
        for prior, new in pairs
    )
