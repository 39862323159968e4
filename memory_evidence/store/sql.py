"""The log in a SQL database: SQLite in memory, an SQLite file, or PostgreSQL."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import NamedTuple, Self

from sqlalchemy import Connection, Engine, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError
from typing_extensions import override

from memory_evidence.errors import StoreError
from memory_evidence.records import Draft, Record, Scope, check_scope
from memory_evidence.store import database
from memory_evidence.store.database import find_database, store_error
from memory_evidence.store.log import Log, LogVersion
from memory_evidence.store.rows import as_row, damaged, insert_records, look_up, read_records, upsert_compiled
from memory_evidence.store.schema import prepare
from memory_evidence.store.tables import compiled, digest, index_key, records, scope_name, scopes

logger = logging.getLogger(__name__)

_MAX_VERSIONS = 10_000
"""Scopes whose version is kept between calls."""


class SqlLog(Log):
    """The log in one SQL database; see `open_log` for the URLs.

    Every call is a transaction of its own, acknowledged after commit. Any number of threads, processes and (on
    PostgreSQL) machines may write: a scope's writers take turns at its row in the table of scopes.

    After `os.fork` the child gets its own connections, and a log in memory becomes its own copy. As with any SQLite
    file, do not fork while another thread is in the middle of reading one.

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
        self._watches = 0
        self._versions: dict[Scope, tuple[tuple[int, int], LogVersion]] = {}
        self._closed = False
        try:
            prepare(self._db)
        except BaseException:
            self._db.engine.dispose()
            raise
        _logs.add(self)

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
        self._empty_wal()
        return count

    @override
    def close(self) -> None:
        with self._turn, self._watching:
            self._closed = True
            self._disconnect()
        _logs.discard(self)

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

    def _stamp(self) -> tuple[int, int] | None:
        """Return what changes with every commit to the database; None where only a query can tell."""
        self._check_open("read the version")
        if self._db.in_memory:
            return 0, self._writes
        if self._db.path is None:
            return None
        try:
            with self._watching:
                if self._watch is None:
                    # Never used to write: `data_version` shows the commits of all connections but its own.
                    self._watch = sqlite3.connect(self._db.path, timeout=database.WAIT_S, check_same_thread=False)
                    # The numbers of one connection mean nothing to another.
                    self._watches += 1
                return self._watches, self._watch.execute("PRAGMA data_version").fetchone()[0]
        except sqlite3.Error as error:
            raise store_error("read the version", error) from error

    def _empty_wal(self) -> None:
        """Take what was deleted out of the write-ahead file, too; if a reader is in the way, a later commit will."""
        if self._db.path is None:
            return
        with self._read("forget") as connection:
            driver = connection.connection.driver_connection
            assert isinstance(driver, sqlite3.Connection)
            try:
                driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            except sqlite3.Error as error:
                logger.warning(
                    "forgotten records stay in the write-ahead file of %s for now: %s", self._db.place, error
                )

    def _disconnect(self) -> None:
        if self._watch is not None:
            self._watch.close()
            self._watch = None
        self._db.engine.dispose()

    def _before_fork(self) -> None:
        self._turn.acquire()
        self._watching.acquire()
        # SQLite keeps its file locks per process and would believe in the child that it holds the parent's:
        # https://www.sqlite.org/howtocorrupt.html section 2.6. So none of its connections lives across the fork.
        if self._db.path is not None:
            self._disconnect()

    def _after_fork_in_parent(self) -> None:
        self._watching.release()
        self._turn.release()

    def _after_fork_in_child(self) -> None:
        self._turn = threading.RLock()
        self._watching = threading.Lock()
        if not self._db.in_memory:
            # Kept, not closed: closing would end the parent's sessions.
            _inherited.append(self._db.engine)
            self._db = self._db.renewed()


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


_logs: weakref.WeakSet[SqlLog] = weakref.WeakSet()
_inherited: list[Engine] = []
_forking = threading.local()


def _before_fork() -> None:
    _forking.logs = list(_logs)
    for log in _forking.logs:
        log._before_fork()


def _after_fork_in_parent() -> None:
    for log in _forking.logs:
        log._after_fork_in_parent()
    del _forking.logs


def _after_fork_in_child() -> None:
    for log in _forking.logs:
        log._after_fork_in_child()
    del _forking.logs


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
