"""The log in a SQL database: SQLite in memory, an SQLite file, or PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from typing_extensions import override

from memory_evidence.records import Draft, Record, Scope, check_scope
from memory_evidence.store.connections import SqlStore
from memory_evidence.store.log import Log, LogVersion
from memory_evidence.store.rows import as_row, damaged, insert_records, look_up, read_records, upsert_compiled
from memory_evidence.store.tables import compiled, digest, index_key, records, scope_name, scopes

_MAX_VERSIONS = 10_000
"""Scopes whose version is kept between calls."""


class SqlLog(SqlStore, Log):
    """The log in one SQL database; see `open_log` for the URLs.

    A scope's writers take turns at its row in the table of scopes.
    """

    _name = "log"
    _opener = "open_log"

    def __init__(self, url: str) -> None:
        self._versions: dict[Scope, tuple[tuple[int, int], LogVersion]] = {}
        super().__init__(url)

    @override
    def append(self, scope: Scope, drafts: Sequence[Draft]) -> list[int]:
        scope = check_scope(scope)
        if not drafts:
            return []
        keys = [None if draft.key is None else index_key(draft.key) for draft in drafts]
        with self._write("append") as connection:
            while (row := _find(connection, scope, lock=True)) is None:
                # Again afterwards: before it is locked, another process may forget it.
                self._add(connection, scope)
            scope_id = row.id
            _check_last(connection, row, "append")
            wanted = [key for key in keys if key is not None]
            known = dict(look_up(connection, records.c.key, wanted, records.c.position, records.c.scope_id == scope_id))
            positions: list[int] = []
            fresh: list[int] = []
            last = row.last
            for index, key in enumerate(keys):
                position = None if key is None else known.get(key)
                if position is None:
                    last = position = last + 1
                    fresh.append(index)
                    if key is not None:
                        known[key] = position
                positions.append(position)
            insert_records(connection, (as_row(scope_id, positions[i], drafts[i], keys[i]) for i in fresh))
            if last > row.last:
                connection.execute(update(scopes).where(scopes.c.id == row.id).values(last=last))
        return positions

    @override
    def records(self, scope: Scope, after: int = 0) -> Iterator[Record]:
        scope = check_scope(scope)
        self._check_open("read records")
        return self._scan(scope, after)

    @override
    def version(self, scope: Scope) -> LogVersion:
        scope = check_scope(scope)
        # Taken before reading, so that a commit in between makes the next call read again.
        stamp = self._stamp()
        if stamp is not None:
            seen = self._versions.get(scope)
            if seen is not None and seen[0] == stamp:
                return seen[1]
        with self._read("read the version") as connection:
            row = _find(connection, scope)
        version = LogVersion(0, None) if row is None else LogVersion(row.id, (row.last, row.revision))
        if stamp is not None:
            if len(self._versions) >= _MAX_VERSIONS:
                self._versions.clear()
            self._versions[scope] = (stamp, version)
        return version

    @override
    def save_compiled(self, scope: Scope, compiler: str, results: Mapping[str, bytes]) -> None:
        scope = check_scope(scope)
        if not results:
            return
        with self._write("save compiled results") as connection:
            row = _find(connection, scope, lock=True)
            if row is None:
                return
            upsert_compiled(connection, row.id, compiler, results)
            connection.execute(update(scopes).where(scopes.c.id == row.id).values(revision=scopes.c.revision + 1))

    @override
    def load_compiled(self, scope: Scope, compiler: str, hashes: Iterable[str]) -> dict[str, bytes]:
        scope = check_scope(scope)
        # Before connecting: they may be computed from records of this very log.
        wanted = list(hashes)
        with self._read("load compiled results") as connection:
            row = _find(connection, scope)
            if row is None:
                return {}
            same = (compiled.c.scope_id == row.id, compiled.c.compiler == compiler)
            found = dict(look_up(connection, compiled.c.hash, wanted, compiled.c.payload, *same))
            for key, payload in found.items():
                if not isinstance(payload, bytes):  # SQLite keeps any type of value in any column
                    what = f"the result {key!r} of compiler {compiler!r} in scope id {row.id} is not bytes"
                    raise damaged("load compiled results", what)
            return found

    @override
    def forget(self, scope: Scope) -> int:
        """Delete everything of exactly this scope and return how many records there were.

        It frees no full disk: SQLite has to write down what it deletes before the space is free, so that some other
        file has to go first. Nothing is deleted where that fails.
        """
        scope = check_scope(scope)
        with self._write("forget") as connection:
            row = _find(connection, scope, lock=True)
            if row is None:
                return 0
            count = connection.execute(delete(records).where(records.c.scope_id == row.id)).rowcount
            connection.execute(delete(compiled).where(compiled.c.scope_id == row.id))
            connection.execute(delete(scopes).where(scopes.c.id == row.id))
        self._empty_wal("forget")
        return count

    def _add(self, connection: Connection, scope: Scope) -> None:
        insert = sqlite.insert(scopes) if self._db.is_sqlite else postgresql.insert(scopes)
        name = scope_name(scope)
        connection.execute(insert.values(digest=digest(name), name=name).on_conflict_do_nothing())

    def _scan(self, scope: Scope, after: int) -> Iterator[Record]:
        with self._read("read records") as connection:
            row = _find(connection, scope)
            if row is not None:
                row = _check_last(connection, row, "read records")
        # By id: should the scope be forgotten and filled again meanwhile, old and new records do not mix.
        while row is not None and after < row.last:
            with self._read("read records") as connection:
                chunk = read_records(connection, row.id, after)
            if not chunk:
                return
            yield from chunk
            after = chunk[-1].position


class _Found(NamedTuple):
    id: int
    last: int
    revision: int


def _find(connection: Connection, scope: Scope, lock: bool = False) -> _Found | None:
    """Return the row of `scope`; with `lock`, no one else changes it before this transaction ends."""
    query = select(scopes.c.id, scopes.c.last, scopes.c.revision).where(scopes.c.digest == digest(scope_name(scope)))
    # SQLite has no row locks and leaves the clause out: there, the transaction itself is the lock.
    row = connection.execute(query.with_for_update() if lock else query).one_or_none()
    return None if row is None else _Found(*row)


def _check_last(connection: Connection, row: _Found, operation: str) -> _Found | None:
    """Return `row` as it is now, None if it was deleted, once its `last` is that of the records there are."""
    # One statement, so that no append comes between the two.
    last = select(func.max(records.c.position)).where(records.c.scope_id == scopes.c.id).scalar_subquery()
    query = select(scopes.c.last, last).where(scopes.c.id == row.id)
    now = connection.execute(query).one_or_none()
    if now is None:
        return None
    if now[0] != (now[1] or 0):
        what = f"scope id {row.id} should end with record {now[0]!r}, but its last record is {now[1] or 0!r}"
        raise damaged(operation, what)
    return row._replace(last=now[0])
