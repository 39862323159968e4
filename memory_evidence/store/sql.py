"""The log in a SQL database: SQLite in memory, an SQLite file, or PostgreSQL."""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from types import TracebackType

from sqlalchemy import Connection, Row, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError
from typing_extensions import Self, override

from memory_evidence.errors import StoreError
from memory_evidence.records import Draft, Record, Scope, check_scope
from memory_evidence.store import database
from memory_evidence.store.database import Database, find_database, store_error
from memory_evidence.store.log import Log, LogVersion
from memory_evidence.store.schema import prepare
from memory_evidence.store.tables import compiled, digest, encode, records, scope_name, scopes

READ_ROWS = 5_000
"""Most records read at a time."""
READ_BYTES = 16_000_000
"""Most bytes of text read at a time, unless one record is longer."""
_WRITE_ROWS = 2_000
_HASHES = 500
"""Older SQLite takes no more than 999 values in a statement."""
_MAX_VERSIONS = 10_000

_COLUMNS = [column.name for column in records.c]


class SqlLog(Log):
    """The log in one SQL database; see `open_log` for the URLs.

    Every call is a transaction of its own, acknowledged after commit. Any number of threads, processes and (on
    PostgreSQL) machines may write: a scope's writers take turns at its row in the table of scopes.

    After `os.fork` the child gets its own connections; a log in memory becomes the child's own copy.

    Args:
        url: Where; the tables are created in an empty database.

    Raises:
        ConfigError: The URL is not one of SQLite or PostgreSQL.
        MissingExtraError: PostgreSQL's driver is not installed.
        StoreSchemaError: The database belongs to something else or to another release.
        StoreError: It cannot be opened, or (from all methods) the call failed and nothing of it was kept.
    """

    def __init__(self, url: str) -> None:
        self._db = find_database(url)
        # SQLite lets one writer in at a time, and its own waiting is a blind retry: threads queue here instead.
        self._turn = threading.RLock()
        self._watch: sqlite3.Connection | None = None
        self._watching = threading.Lock()
        self._writes = 0
        self._versions: dict[Scope, tuple[int, LogVersion]] = {}
        self._closed = False
        try:
            prepare(self._db)
        except StoreError:
            self._db.engine.dispose()
            raise
        marks = ", ".join(["?" if self._db.is_sqlite else "%s"] * len(_COLUMNS))
        self._insert_records = f"INSERT INTO {records.name} ({', '.join(_COLUMNS)}) VALUES ({marks})"
        _logs.add(self)

    @override
    def append(self, scope: Scope, drafts: Sequence[Draft]) -> list[int]:
        scope = check_scope(scope)
        if not drafts:
            return []
        digests = [None if draft.key is None else digest(draft.key) for draft in drafts]
        with self._write("append") as connection:
            while (row := self._locked(connection, scope)) is None:
                self._add_scope(connection, scope)
            known = self._positions(connection, row.id, [value for value in digests if value is not None])
            positions: list[int] = []
            last = row.last
            fresh: list[tuple[object, ...]] = []
            for draft, key_digest in zip(drafts, digests, strict=True):
                position = None if key_digest is None else known.get(key_digest)
                if position is None:
                    last = position = last + 1
                    if key_digest is not None:
                        known[key_digest] = position
                    fresh.append(_row(row.id, position, draft, key_digest))
                    if len(fresh) == _WRITE_ROWS:
                        connection.exec_driver_sql(self._insert_records, fresh)
                        fresh = []
                positions.append(position)
            if fresh:
                connection.exec_driver_sql(self._insert_records, fresh)
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
            row = connection.execute(
                select(scopes.c.id, scopes.c.last, scopes.c.revision).where(scopes.c.digest == digest(scope_name(scope)))
            ).one_or_none()
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
            row = self._locked(connection, scope)
            if row is None:
                return
            insert = sqlite.insert(compiled) if self._db.is_sqlite else postgresql.insert(compiled)
            replacing = insert.on_conflict_do_update(
                index_elements=[column.name for column in compiled.primary_key],
                set_={"payload": insert.excluded.payload},
            )
            items = iter(results.items())
            while chunk := list(islice(items, _WRITE_ROWS)):
                connection.execute(
                    replacing,
                    [
                        {"scope_id": row.id, "compiler": compiler, "hash": key, "payload": payload}
                        for key, payload in chunk
                    ],
                )
            connection.execute(
                update(scopes).where(scopes.c.id == row.id).values(revision=scopes.c.revision + 1)
            )

    @override
    def load_compiled(self, scope: Scope, compiler: str, hashes: Iterable[str]) -> dict[str, bytes]:
        scope_id = select(scopes.c.id).where(scopes.c.digest == digest(scope_name(check_scope(scope))))
        found: dict[str, bytes] = {}
        wanted = iter(hashes)
        with self._read("load compiled results") as connection:
            while chunk := list(islice(wanted, _HASHES)):
                query = select(compiled.c.hash, compiled.c.payload).where(
                    compiled.c.scope_id == scope_id.scalar_subquery(),
                    compiled.c.compiler == compiler,
                    compiled.c.hash.in_(chunk),
                )
                found.update((key, payload) for key, payload in connection.execute(query))
        return found

    @override
    def forget(self, scope: Scope) -> int:
        scope = check_scope(scope)
        with self._write("forget") as connection:
            row = self._locked(connection, scope)
            if row is None:
                return 0
            count = connection.execute(delete(records).where(records.c.scope_id == row.id)).rowcount
            connection.execute(delete(compiled).where(compiled.c.scope_id == row.id))
            connection.execute(delete(scopes).where(scopes.c.id == row.id))
        self._empty_wal()
        return count

    @override
    def close(self) -> None:
        with self._turn:
            self._closed = True
            self._disconnect()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check_open(self, operation: str) -> None:
        if self._closed:
            raise StoreError(operation, f"the log {self._db.place} is closed; open it again with open_log")

    @contextmanager
    def _taking_turns(self, operation: str) -> Iterator[None]:
        if not self._turn.acquire(timeout=database.WAIT_S):
            raise StoreError(operation, f"another thread has been writing for {database.WAIT_S} s; try again")
        try:
            self._check_open(operation)
            yield
        finally:
            self._turn.release()

    @contextmanager
    def _read(self, operation: str) -> Iterator[Connection]:
        self._check_open(operation)
        try:
            if self._db.in_memory:
                with self._taking_turns(operation), self._db.reader.connect() as connection:
                    yield connection
            else:
                with self._db.reader.connect() as connection:
                    yield connection
        except SQLAlchemyError as error:
            raise store_error(operation, error) from error

    @contextmanager
    def _write(self, operation: str) -> Iterator[Connection]:
        self._check_open(operation)
        try:
            if self._db.is_sqlite:
                with self._taking_turns(operation):
                    self._writes += 1
                    with self._db.writer.begin() as connection:
                        yield connection
            else:
                with self._db.writer.begin() as connection:
                    connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{database.WAIT_S}s'")
                    yield connection
        except SQLAlchemyError as error:
            raise store_error(operation, error) from error

    def _locked(self, connection: Connection, scope: Scope) -> Row[tuple[int, int]] | None:
        """Return id and last position of `scope`, which no other writer can change before this transaction ends."""
        query = select(scopes.c.id, scopes.c.last).where(scopes.c.digest == digest(scope_name(scope)))
        return connection.execute(query.with_for_update()).one_or_none()

    def _add_scope(self, connection: Connection, scope: Scope) -> None:
        insert = sqlite.insert(scopes) if self._db.is_sqlite else postgresql.insert(scopes)
        name = scope_name(scope)
        connection.execute(insert.values(digest=digest(name), name=name).on_conflict_do_nothing())

    def _positions(self, connection: Connection, scope_id: int, digests: list[bytes]) -> dict[bytes, int]:
        found: dict[bytes, int] = {}
        for start in range(0, len(digests), _HASHES):
            query = select(records.c.key_digest, records.c.position).where(
                records.c.scope_id == scope_id, records.c.key_digest.in_(digests[start : start + _HASHES])
            )
            found.update((value, position) for value, position in connection.execute(query))
        return found

    def _scan(self, scope: Scope, after: int) -> Iterator[Record]:
        with self._read("read records") as connection:
            query = select(scopes.c.id, scopes.c.last).where(scopes.c.digest == digest(scope_name(scope)))
            row = connection.execute(query).one_or_none()
        # By id: should the scope be forgotten and filled again meanwhile, old and new records do not mix.
        while row is not None and after < row.last:
            with self._read("read records") as connection:
                chunk = _chunk(connection, row.id, after)
            if not chunk:
                return
            yield from chunk
            after = chunk[-1].position

    def _stamp(self) -> int | None:
        """Return a number that changes with every commit to the database; None where only a query can tell."""
        self._check_open("read the version")
        if self._db.in_memory:
            return self._writes
        if self._db.path is None:
            return None
        try:
            with self._watching:
                if self._watch is None:
                    # Never used to write: `data_version` shows the commits of all connections but its own.
                    self._watch = sqlite3.connect(self._db.path, database.WAIT_S, check_same_thread=False)
                stamp: int = self._watch.execute("PRAGMA data_version").fetchone()[0]
                return stamp
        except sqlite3.Error as error:
            raise store_error("read the version", error) from error

    def _empty_wal(self) -> None:
        """Take what was deleted out of the write-ahead file, too; if a reader is in the way, a later commit will."""
        if self._db.path is None:
            return
        with self._read("forget") as connection:
            driver = connection.connection.driver_connection
            assert isinstance(driver, sqlite3.Connection)
            driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _disconnect(self) -> None:
        with self._watching:
            if self._watch is not None:
                self._watch.close()
                self._watch = None
                self._versions.clear()
            self._db.engine.dispose()

    def _before_fork(self) -> None:
        self._turn.acquire()
        # SQLite keeps its file locks per process and would believe in the child that it holds the parent's:
        # https://www.sqlite.org/howtocorrupt.html section 2.6. So none of its connections lives across the fork.
        if self._db.path is not None:
            self._disconnect()

    def _after_fork_in_parent(self) -> None:
        self._turn.release()

    def _after_fork_in_child(self) -> None:
        self._turn = threading.RLock()
        self._watching = threading.Lock()
        if not self._db.in_memory:
            # Kept, not closed: closing would end the parent's sessions.
            _inherited.append((self._db, self._watch))
            self._db, self._watch = self._db.renewed(), None


def _row(scope_id: int, position: int, draft: Draft, key_digest: bytes | None) -> tuple[object, ...]:
    return (
        scope_id,
        position,
        encode(draft.text),
        encode(draft.speaker),
        None if draft.time is None else encode(draft.time),
        None if draft.key is None else encode(draft.key),
        key_digest,
    )


def _chunk(connection: Connection, scope_id: int, after: int) -> list[Record]:
    here = (records.c.scope_id == scope_id, records.c.position > after)
    rows = READ_ROWS
    while True:
        sizes = (
            select(records.c.position, func.length(records.c.text).label("size"))
            .where(*here)
            .order_by(records.c.position)
            .limit(rows)
            .subquery()
        )
        stop, size = connection.execute(select(func.max(sizes.c.position), func.sum(sizes.c.size))).one()
        if stop is None:
            return []
        if size <= READ_BYTES or rows == 1:
            break
        rows = max(1, rows // 8)
    query = (
        select(records.c.position, records.c.text, records.c.speaker, records.c.time, records.c.key)
        .where(*here, records.c.position <= stop)
        .order_by(records.c.position)
    )
    return [Record(*row) for row in connection.execute(query)]


_logs: weakref.WeakSet[SqlLog] = weakref.WeakSet()
_inherited: list[tuple[Database, sqlite3.Connection | None]] = []


def _before_fork() -> None:
    for log in _logs:
        log._before_fork()


def _after_fork_in_parent() -> None:
    for log in _logs:
        log._after_fork_in_parent()


def _after_fork_in_child() -> None:
    for log in _logs:
        log._after_fork_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child
    )
