"""One database shared by threads, processes and forks: how its transactions begin, wait and fail."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError
from typing_extensions import override

from memory_evidence.closing import Closing
from memory_evidence.errors import StoreError
from memory_evidence.store import database
from memory_evidence.store.database import find_database, store_error
from memory_evidence.store.schema import prepare

logger = logging.getLogger(__name__)


def sqlite_rows(connection: Connection, sql: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return all rows of one statement, read by the driver: SQLAlchemy's own work takes longer than SQLite's.

    Inside `_read` it is a transaction of its own, inside `_write` a part of that one.
    """
    return _driver(connection).execute(sql, parameters).fetchall()


def _driver(connection: Connection) -> sqlite3.Connection:
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver


class SqlStore(Closing):
    """What is kept in one SQL database; subclasses say what.

    Every call is a transaction of its own, acknowledged after commit. Any number of threads, processes and (on
    PostgreSQL) machines may write.

    After `os.fork` the child gets its own connections, and a store in memory becomes its own copy. As with any SQLite
    file, do not fork while another thread is in the middle of reading one.

    Args:
        url: Where; the tables are created in an empty database.

    Raises:
        ConfigError: The URL is not one of SQLite or PostgreSQL.
        MissingExtraError: PostgreSQL's driver is not installed.
        StoreSchemaError: The database belongs to something else or to another release.
        StoreError: It cannot be opened, or (from all methods) the call failed and nothing of it was kept.
    """

    _name: ClassVar[str]
    """What messages call it."""
    _opener: ClassVar[str]
    """The function that opens it."""

    def __init__(self, url: str) -> None:
        self._db = find_database(url)
        # SQLite lets one writer in at a time, and its own waiting is a blind retry: threads queue here instead.
        self._turn = threading.RLock()
        self._watch: sqlite3.Connection | None = None
        self._watching = threading.Lock()
        self._writes = 0
        self._watches = 0
        self._closed = False
        try:
            prepare(self._db)
        except BaseException:
            self._db.engine.dispose()
            raise
        _stores.add(self)

    @override
    def close(self) -> None:
        """Release connections; the store may not be used afterwards."""
        with self._turn, self._watching:
            self._closed = True
            self._disconnect()
        _stores.discard(self)

    def _check_open(self, operation: str) -> None:
        if self._closed:
            raise StoreError(
                operation, f"the {self._name} {self._db.place} is closed; open it again with {self._opener}"
            )

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
        except (SQLAlchemyError, sqlite3.Error) as error:
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
        except (SQLAlchemyError, sqlite3.Error) as error:
            raise store_error(operation, error) from error

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

    def _empty_wal(self, operation: str) -> None:
        """Take what was deleted out of the write-ahead file, too; if a reader is in the way, a later commit will."""
        if self._db.path is None:
            return
        with self._read(operation) as connection:
            try:
                _driver(connection).execute("PRAGMA wal_checkpoint(TRUNCATE)")
            except sqlite3.Error as error:
                logger.warning(
                    "what was deleted stays in the write-ahead file of %s for now: %s", self._db.place, error
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


_stores: weakref.WeakSet[SqlStore] = weakref.WeakSet()
_inherited: list[Engine] = []
_forking = threading.local()


def _before_fork() -> None:
    _forking.stores = list(_stores)
    for store in _forking.stores:
        store._before_fork()


def _after_fork_in_parent() -> None:
    for store in _forking.stores:
        store._after_fork_in_parent()
    del _forking.stores


def _after_fork_in_child() -> None:
    for store in _forking.stores:
        store._after_fork_in_child()
    del _forking.stores


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
