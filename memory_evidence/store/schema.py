"""Opening a database for the first time and after an upgrade: check, create, migrate. Never touches a foreign one."""

from __future__ import annotations

import logging
import re
import sqlite3
import time
from collections.abc import Callable

from sqlalchemy import Connection, insert, inspect, select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.schema import CreateColumn

from memory_evidence.errors import StoreSchemaError
from memory_evidence.store import database
from memory_evidence.store.database import Database, store_error
from memory_evidence.store.tables import NODES_CHANGED, facts, link_scopes, links, meta, metadata, nodes

logger = logging.getLogger(__name__)

SCHEMA_VERSION = 3
"""The version of the tables that this release reads and writes."""


def _add_links(connection: Connection) -> None:
    metadata.create_all(connection, tables=[link_scopes, nodes, links])


def _add_facts(connection: Connection) -> None:
    there = {column["name"] for column in inspect(connection).get_columns(nodes.name)}
    for column in (nodes.c.changed, nodes.c.stated):
        if column.name not in there:  # it is where version 1 was upgraded just now
            spelled = CreateColumn(column).compile(dialect=connection.dialect)
            connection.exec_driver_sql(f"ALTER TABLE {nodes.name} ADD COLUMN {spelled}")
    NODES_CHANGED.create(connection, checkfirst=True)
    metadata.create_all(connection, tables=[facts])


MIGRATIONS: dict[int, Callable[[Connection], None]] = {1: _add_links, 2: _add_facts}
"""By version: what turns the tables of that version into those of the next, inside the caller's transaction."""

_VERSION = re.compile(r"[0-9]{1,9}")

_LOCK = 0x6D656D6576
"""Any number that other users of `pg_advisory_xact_lock` are unlikely to choose."""


def prepare(db: Database) -> None:
    """Create the tables in an empty database, or bring ours to the current version; safe to run in many processes.

    Raises:
        StoreSchemaError: The database belongs to something else, or its version can be neither used nor upgraded.
        StoreError: It cannot be read or written.
    """
    try:
        with db.engine.connect() as connection:
            version = _version(db, connection)
        if version != SCHEMA_VERSION:
            with db.writer.begin() as connection:
                if not db.is_sqlite:
                    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
                # Another process may have been first, so look again now that nobody else can.
                _upgrade(db, connection, _version(db, connection))
        if db.path is not None:
            _use_wal(db)
    except SQLAlchemyError as error:
        raise store_error(f"open {db.place}", error) from error


def _version(db: Database, connection: Connection) -> int | None:
    """Return the version of our tables, or None where there are none yet and ours may be created."""
    # Before looking for ours, which another process may be creating: its tables appear all at once.
    strangers = _strangers(db, connection)
    if inspect(connection).has_table(meta.name):
        value = connection.scalar(select(meta.c.value).where(meta.c.name == "schema"))
        if not isinstance(value, str) or not _VERSION.fullmatch(value):
            raise StoreSchemaError(
                f"open {db.place}", f"its table {meta.name} holds no schema version, but {value!r}; restore a backup"
            )
        return int(value)
    if strangers:
        raise StoreSchemaError(
            f"open {db.place}",
            f"it has no table {meta.name}, but holds {', '.join(sorted(strangers)[:5])} of another application; "
            "give the path of a new file or another database",
        )
    return None


def _strangers(db: Database, connection: Connection) -> list[str]:
    """Return what another application has here, should it turn out that there is no table `meta`."""
    inspector = inspect(connection)
    if not db.is_sqlite:
        return [name for name in metadata.tables if inspector.has_table(name)]
    # A file is ours alone: another application would not expect tables of ours in its file, or our settings.
    application = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
    named = [f"application_id {application}"] if application else []
    return [*inspector.get_table_names(), *inspector.get_view_names(), *named]


def _upgrade(db: Database, connection: Connection, version: int | None) -> None:
    if version is None:
        metadata.create_all(connection)
        connection.execute(insert(meta).values(name="schema", value=str(SCHEMA_VERSION)))
        return
    if version > SCHEMA_VERSION:
        raise StoreSchemaError(
            f"open {db.place}",
            f"it was written by a newer release (schema {version}; this one knows {SCHEMA_VERSION}); "
            "upgrade with: pip install -U memory-evidence",
        )
    for step in range(version, SCHEMA_VERSION):
        if step not in MIGRATIONS:
            raise StoreSchemaError(
                f"open {db.place}",
                f"its schema {version} is too old (this release needs {SCHEMA_VERSION} and cannot upgrade {step}); "
                "open it once with an earlier release",
            )
        MIGRATIONS[step](connection)
        logger.info("upgraded %s from schema %d to %d", db.place, step, step + 1)
    connection.execute(update(meta).where(meta.c.name == "schema").values(value=str(SCHEMA_VERSION)))


def _use_wal(db: Database) -> None:
    with db.engine.connect() as connection:
        # Not through `connection.execute`, which would begin a transaction: the mode cannot be changed inside one.
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        deadline = time.monotonic() + database.WAIT_S
        while (mode := _journal_mode(db, driver, deadline)) is None:
            time.sleep(0.01)
    if mode != "wal":
        logger.warning("%s stays in journal mode %s: readers and writers will wait for each other", db.place, mode)


def _journal_mode(db: Database, driver: sqlite3.Connection, deadline: float) -> str | None:
    """Switch to WAL and return the mode the file is in, or None while others who open it stand in the way."""
    try:
        (mode,) = driver.execute("PRAGMA journal_mode").fetchone()
        if mode != "wal":
            (mode,) = driver.execute("PRAGMA journal_mode = WAL").fetchone()
    except sqlite3.Error as error:
        # SQLite does not always wait by itself here.
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY and time.monotonic() < deadline:
            return None
        raise store_error(f"open {db.place}", error) from error
    return str(mode)
