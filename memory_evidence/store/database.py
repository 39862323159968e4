"""Which databases can be opened, how connections to them are set up, and what their errors mean."""

from __future__ import annotations

import os
import re
import sqlite3
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import URL, Connection, Engine, StaticPool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from memory_evidence.errors import ConfigError, MissingExtraError, StoreError, StoreSchemaError

WAIT_S = 30
"""How long to wait for another writer before giving up, in seconds."""

_NEED = '"sqlite:///path/to/memory.db", "sqlite://" (in memory) or "postgresql://user@host/database"'

_FIXES = {
    sqlite3.SQLITE_BUSY: "another process keeps the database locked; end its transaction and try again",
    sqlite3.SQLITE_READONLY: "make the file and its folder writable for this user",
    sqlite3.SQLITE_CANTOPEN: "check that the path is a file in a folder which this user may write to",
    sqlite3.SQLITE_FULL: "free some space and try again; nothing of this call was kept",
    sqlite3.SQLITE_CORRUPT: "the file is damaged; restore it from a backup",
    sqlite3.SQLITE_NOTADB: "give the path of a new file, or of one that this package wrote",
}


@dataclass(frozen=True, slots=True)
class Database:
    """One database: its engine, and the two ways of connecting."""

    url: URL
    place: str
    """The URL without password and options, for messages."""
    path: str | None
    """The absolute path of an SQLite file; None in memory and on PostgreSQL."""
    engine: Engine
    reader: Engine
    """Connections that see committed data, statement by statement."""
    writer: Engine
    """Connections whose `begin()` starts a transaction that writes."""

    @property
    def is_sqlite(self) -> bool:
        """Whether it is SQLite, which allows one writer at a time."""
        return self.engine.dialect.name == "sqlite"

    @property
    def in_memory(self) -> bool:
        """Whether all threads share one connection, with no file behind it."""
        return self.is_sqlite and self.path is None

    def renewed(self) -> Database:
        """Return the same database with no connection of this one."""
        engine, reader, writer = _engines(self.url, self.path)
        return replace(self, engine=engine, reader=reader, writer=writer)


def find_database(store: str) -> Database:
    """Read the URL `store`; nothing is connected or created yet.

    Raises:
        ConfigError: It is not a URL of SQLite or PostgreSQL.
        MissingExtraError: PostgreSQL's driver `psycopg` is not installed.
        StoreError: The folder of the SQLite file does not exist.
    """
    shown = store
    if not store.startswith("sqlite:"):
        # A password may be in there, and a malformed URL cannot be taken apart to find it.
        shown = re.sub(r"^([\w+]*://)?.*@", r"\1***@", store).partition("?")[0]
    try:
        url = make_url(store)
    except (ArgumentError, ValueError) as error:
        raise ConfigError("store", shown, _NEED) from error
    if not _can_be_passed_on(url.database or ""):
        raise ConfigError("store", shown, f"{_NEED}, without NUL and unpaired surrogates in it")
    path = None
    if url.drivername == "sqlite":
        if url.database == "":
            raise ConfigError("store", shown, f'{_NEED}; "sqlite://" is the one in memory, with no third slash')
        if url.host or url.query or (url.database or "").startswith("file:"):
            raise ConfigError("store", shown, f"{_NEED}, with three slashes before a path and nothing after it")
        if url.database and url.database != ":memory:":
            # A later change of the working directory must not lead new connections to another file.
            path = os.path.abspath(url.database)
            url = url.set(database=path)
            folder = os.path.dirname(path)
            if not os.path.isdir(folder):
                raise StoreError(f"open {shown}", f"the folder {folder} does not exist; create it first")
    elif url.drivername in ("postgresql", "postgres", "postgresql+psycopg"):
        url = url.set(drivername="postgresql+psycopg")
    else:
        raise ConfigError("store", shown, _NEED)
    try:
        engine, reader, writer = _engines(url, path)
    except ImportError as error:
        raise MissingExtraError("postgres") from error
    return Database(url, shown, path, engine, reader, writer)


def _can_be_passed_on(name: str) -> bool:
    """Whether the operating system takes `name` as that of a file or database."""
    try:
        return "\0" not in os.fsdecode(os.fsencode(name))
    except UnicodeError:
        return False


def _engines(url: URL, path: str | None) -> tuple[Engine, Engine, Engine]:
    # Parameters are people's memories: they stay out of error messages and logs.
    options: dict[str, Any] = {"hide_parameters": True}
    if url.drivername == "sqlite":
        options["connect_args"] = {"check_same_thread": False}
        if path is None:
            options["poolclass"] = StaticPool
        engine = create_engine(url, **options)
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine, engine, engine.execution_options(memory_evidence_writes=True)
    if "connect_timeout" not in url.query:
        options["connect_args"] = {"connect_timeout": WAIT_S}
    engine = create_engine(url, pool_pre_ping=True, **options)
    reader = engine.execution_options(isolation_level="AUTOCOMMIT")
    # Whatever the role's default is: after waiting for a scope's lock, a writer must see what its predecessor wrote.
    return engine, reader, engine.execution_options(isolation_level="READ COMMITTED")


def _set_up_sqlite(connection: sqlite3.Connection, _: object) -> None:
    # Transactions are begun by `_begin_sqlite`, not by the driver's guess from each statement.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {WAIT_S * 1000:.0f}")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    # A read of links looks up hundreds of rows all over the file, and the default of 2 MB is soon used up.
    connection.execute("PRAGMA cache_size = -32000")
    # What is forgotten is overwritten in the file, too.
    connection.execute("PRAGMA secure_delete = ON")


def _begin_sqlite(connection: Connection) -> None:
    # IMMEDIATE: a transaction that reads first and writes later could fail halfway when another writer came between.
    writes = connection.get_execution_options().get("memory_evidence_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def store_error(operation: str, error: SQLAlchemyError | sqlite3.Error) -> StoreError:
    """Return our error for `error`, with the driver's words and, where there is one, the fix."""
    cause = getattr(error, "orig", None) or error
    reason = " ".join(str(cause).split())
    # The low byte is the primary result code: https://www.sqlite.org/rescode.html
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    if code in _FIXES:
        reason = f"{reason}; {_FIXES[code]}"
    return (StoreSchemaError if code == sqlite3.SQLITE_NOTADB else StoreError)(operation, reason)
