"""The statements that read and write links, on either database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, delete, func, insert, or_, select, tuple_, update

from memory_evidence.store.rows import damaged
from memory_evidence.store.tables import digest, index_key, is_digest, link_scopes, links, scope_name

READ_LINKS = 2_000
"""Most links read at a time when all are read."""

_IDS = 400
"""Ids looked for at a time, at both ends: older SQLite takes no more than 999 values in a statement."""
_WRITE_LINKS = 200


class LinkRow(NamedTuple):
    """One link: the ids of its ends, why, who and when, and the hashes of both texts."""

    prior: str
    new: str
    reason: str
    verifier: str
    time: str
    prior_hash: str
    new_hash: str


# Raw SQL where SQLAlchemy's work would take longer than the database's: links are read for every question.
_COLUMNS = (
    "coalesce(l.long_prior, l.prior), coalesce(l.long_new, l.new), l.reason, l.verifier, l.time, l.prior_hash, "
    "l.new_hash"
)
_SCOPE = f"(SELECT id FROM {link_scopes.name} WHERE digest = {{0}})"
_AROUND_SQLITE = (
    f"SELECT {_COLUMNS} FROM {links.name} l WHERE l.scope_id = {_SCOPE.format('?')} AND l.prior IN ({{0}}) "
    f"UNION ALL "
    f"SELECT {_COLUMNS} FROM {links.name} l WHERE l.scope_id = {_SCOPE.format('?')} AND l.new IN ({{0}})"
)
# OFFSET 0 keeps the index look-up per id: wherever its statistics are behind, PostgreSQL would read the whole scope.
_AROUND_POSTGRES = " UNION ALL ".join(
    f"SELECT l.* FROM unnest(%b::bytea[]) AS wanted(id), LATERAL (SELECT {_COLUMNS} FROM {links.name} l "
    f"WHERE l.scope_id = {_SCOPE.format('%b')} AND l.{end} = wanted.id OFFSET 0) AS l"
    for end in ("prior", "new")
)


def links_around(connection: Connection, scope: tuple[str, ...], ids: Iterable[str]) -> list[LinkRow]:
    """Return the links of `scope` with an end among `ids`, each once."""
    name = digest(scope_name(scope))
    found: dict[tuple[str, str], LinkRow] = {}
    keys = iter(dict.fromkeys(map(index_key, ids)))
    while part := list(islice(keys, _IDS)):
        if connection.dialect.name == "sqlite":
            marks = ", ".join("?" * len(part))
            rows = connection.exec_driver_sql(_AROUND_SQLITE.format(marks), (name, *part, name, *part))
        else:
            rows = connection.exec_driver_sql(_AROUND_POSTGRES, (part, name, part, name))
        for row in rows:
            link = _link(row)
            found[link.prior, link.new] = link
    return list(found.values())


def all_links(connection: Connection, scope_id: int, after: tuple[bytes, bytes] | None) -> list[LinkRow]:
    """Return the next links after the pair of keys `after`, at most `READ_LINKS`, in the order of their keys."""
    query = select(
        func.coalesce(links.c.long_prior, links.c.prior),
        func.coalesce(links.c.long_new, links.c.new),
        links.c.reason,
        links.c.verifier,
        links.c.time,
        links.c.prior_hash,
        links.c.new_hash,
    ).where(links.c.scope_id == scope_id)
    if after is not None:
        query = query.where(tuple_(links.c.prior, links.c.new) > tuple_(*after))
    rows = connection.execute(query.order_by(links.c.prior, links.c.new).limit(READ_LINKS))
    return [_link(row) for row in rows]


def _link(row: Sequence[Any]) -> LinkRow:
    try:
        return LinkRow(*(v if isinstance(v, str) else v.decode("utf-8", "surrogatepass") for v in row))
    except (UnicodeDecodeError, AttributeError) as error:  # SQLite keeps any type of value in any column
        raise damaged("read links", "a link is not UTF-8 text") from error


def insert_links(connection: Connection, scope_id: int, rows: Iterable[LinkRow], max_degree: int) -> tuple[int, int]:
    """Store links; one that is there already is stated anew.

    Returns:
        How many were new, and how many were refused because an end had `max_degree` links already.
    """
    added = refused = 0
    remaining = iter(rows)
    while part := list(islice(remaining, _WRITE_LINKS)):
        keys = [(index_key(row.prior), index_key(row.new)) for row in part]
        ends = list({key for pair in keys for key in pair})
        touching = or_(links.c.prior.in_(ends), links.c.new.in_(ends))
        known = {
            (prior, new)
            for prior, new in connection.execute(
                select(links.c.prior, links.c.new).where(links.c.scope_id == scope_id, touching)
            )
        }
        degree = Counter(key for pair in known for key in pair)
        fresh: list[dict[str, Any]] = []
        for (prior, new), row in zip(keys, part, strict=True):
            if (prior, new) in known:
                # Also one that this part holds twice: the later statement of it counts.
                _restate(connection, scope_id, prior, new, row)
            elif degree[prior] >= max_degree or degree[new] >= max_degree:
                refused += 1
            else:
                fresh.append(_values(scope_id, prior, new, row))
                known.add((prior, new))
                degree.update((prior, new))
        if fresh:
            connection.execute(insert(links), fresh)
            added += len(fresh)
    return added, refused


def restate_links(connection: Connection, scope_id: int, rows: Iterable[LinkRow]) -> int:
    """State anew those of `rows` that are there, and return how many were."""
    return sum(_restate(connection, scope_id, index_key(row.prior), index_key(row.new), row) for row in rows)


def _restate(connection: Connection, scope_id: int, prior: bytes, new: bytes, row: LinkRow) -> int:
    same = (links.c.scope_id == scope_id, links.c.prior == prior, links.c.new == new)
    stated = {name: getattr(row, name) for name in ("reason", "verifier", "time", "prior_hash", "new_hash")}
    return connection.execute(update(links).where(*same).values(stated)).rowcount


def _values(scope_id: int, prior: bytes, new: bytes, row: LinkRow) -> dict[str, Any]:
    return {
        **row._asdict(),
        "scope_id": scope_id,
        "prior": prior,
        "new": new,
        "long_prior": row.prior if is_digest(prior) else None,
        "long_new": row.new if is_digest(new) else None,
    }


def delete_pairs(connection: Connection, scope_id: int, pairs: Iterable[tuple[str, str]]) -> int:
    """Delete the links between `pairs` of prior and new memory, and return how many there were."""
    return sum(
        connection.execute(
            delete(links).where(
                links.c.scope_id == scope_id, links.c.prior == index_key(prior), links.c.new == index_key(new)
            )
        ).rowcount
        for prior, new in pairs
    )


def delete_around(connection: Connection, scope_id: int, keys: Iterable[bytes]) -> int:
    """Delete all links with an end among `keys`, and return how many there were."""
    count = 0
    remaining = iter(keys)
    while part := list(islice(remaining, _IDS)):
        touching = or_(links.c.prior.in_(part), links.c.new.in_(part))
        count += connection.execute(delete(links).where(links.c.scope_id == scope_id, touching)).rowcount
    return count


def delete_stale(connection: Connection, scope_id: int, memory: str, text_hash: str) -> int:
    """Delete the links of `memory` that were verified for another text of it, and return how many there were."""
    key = index_key(memory)
    stale = or_(
        and_(links.c.prior == key, links.c.prior_hash != text_hash),
        and_(links.c.new == key, links.c.new_hash != text_hash),
    )
    return connection.execute(delete(links).where(links.c.scope_id == scope_id, stale)).rowcount


def key_of(row: LinkRow) -> tuple[bytes, bytes]:
    """Return where `row` stands in the order of `all_links`."""
    return index_key(row.prior), index_key(row.new)
