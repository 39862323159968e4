"""The statements that touch many rows, written for speed on either database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import ARRAY, Column, ColumnElement, Connection, func, literal, select
from sqlalchemy.dialects import postgresql, sqlite

from memory_evidence.errors import StoreError
from memory_evidence.records import Draft, Record
from memory_evidence.store.tables import compiled, encode, is_digest, records

READ_ROWS = 5_000
"""Most records read at a time."""
READ_BYTES = 16_000_000
"""Most bytes of text read at a time, unless one record is longer."""

_WRITE_ROWS = 2_000
_WRITE_BYTES = 16_000_000
_VALUES = 500
"""Values looked up at a time: older SQLite takes no more than 999 in a statement."""

T = TypeVar("T")
Row = tuple[int, int, bytes, bytes, bytes | None, bytes | None, bytes | None]

# Raw SQL where SQLAlchemy's work per row would take longer than the database's.
_COLUMNS = ", ".join(column.name for column in records.c)
_INSERT_SQLITE = f"INSERT INTO {records.name} ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"
_INSERT_POSTGRES = (
    f"INSERT INTO {records.name} ({_COLUMNS}) SELECT * FROM unnest("
    "%b::bigint[], %b::bigint[], %b::bytea[], %b::bytea[], %b::bytea[], %b::bytea[], %b::bytea[])"
)
_SELECT = (
    f"SELECT position, text, speaker, time, coalesce(long_key, key) FROM {records.name} "
    "WHERE scope_id = {0} AND position > {0} AND position <= {0} ORDER BY position"
)
_SELECT_SQLITE, _SELECT_POSTGRES = _SELECT.format("?"), _SELECT.format("%s")


def as_row(scope_id: int, position: int, draft: Draft, key: bytes | None) -> Row:
    """Return the row of table `records` that keeps `draft`, whose key is `key` in the index."""
    return (
        scope_id,
        position,
        encode(draft.text),
        encode(draft.speaker),
        None if draft.time is None else encode(draft.time),
        key,
        encode(draft.key) if draft.key is not None and key is not None and is_digest(key) else None,
    )


def insert_records(connection: Connection, rows: Iterable[Row]) -> None:
    """Insert `rows`, encoding no more than a part of them at a time."""
    part: list[Row] = []
    size = 0
    for row in rows:
        part.append(row)
        size += len(row[2])
        if len(part) == _WRITE_ROWS or size > _WRITE_BYTES:
            _insert(connection, part)
            part, size = [], 0
    if part:
        _insert(connection, part)


def _insert(connection: Connection, rows: list[Row]) -> None:
    if _is_sqlite(connection):
        connection.exec_driver_sql(_INSERT_SQLITE, rows)
    else:
        connection.exec_driver_sql(_INSERT_POSTGRES, tuple(map(list, zip(*rows, strict=True))))


def read_records(connection: Connection, scope_id: int, after: int) -> list[Record]:
    """Return the next records with position > `after`: at most `READ_ROWS`, and `READ_BYTES` of text or one record.

    Raises:
        StoreError: One of them is damaged, or is not there although later ones are.
    """
    limit = READ_ROWS
    while True:
        sizes = (
            select(records.c.position, func.length(records.c.text).label("size"))
            .where(records.c.scope_id == scope_id, records.c.position > after)
            .order_by(records.c.position)
            .limit(limit)
            .subquery()
        )
        stop, size = connection.execute(select(func.max(sizes.c.position), func.sum(sizes.c.size))).one()
        if stop is None:
            return []
        if limit == 1 or size <= READ_BYTES:
            break
        limit = max(1, limit // 8)
    sql = _SELECT_SQLITE if _is_sqlite(connection) else _SELECT_POSTGRES
    found: list[Record] = []
    for wanted, row in enumerate(connection.exec_driver_sql(sql, (scope_id, after, stop)), max(after, 0) + 1):
        if row[0] != wanted:
            raise damaged("read records", f"record {wanted} of scope id {scope_id} is missing before record {row[0]!r}")
        found.append(_record(scope_id, *row))
    return found


def _record(scope_id: int, position: int, text: Any, speaker: Any, time: Any, key: Any) -> Record:
    try:
        return Record(
            position,
            text.decode("utf-8", "surrogatepass"),
            speaker.decode("utf-8", "surrogatepass"),
            None if time is None else time.decode("utf-8", "surrogatepass"),
            None if key is None else key.decode("utf-8", "surrogatepass"),
        )
    except (UnicodeDecodeError, AttributeError) as error:  # SQLite keeps any type of value in any column
        raise damaged("read records", f"record {position} of scope id {scope_id} is not UTF-8 text") from error


def damaged(operation: str, what: str) -> StoreError:
    """Return the error for rows that this package cannot have written."""
    return StoreError(operation, f"the database is damaged: {what}; restore it from a backup, or forget the scope")


def look_up(
    connection: Connection, column: Column[T], values: Iterable[T], result: Column[Any], *same: ColumnElement[bool]
) -> Iterator[tuple[T, Any]]:
    """Yield value and `result` of the rows whose `column` is among `values`; with `same`, `column` is unique."""
    remaining = iter(values)
    while part := list(islice(remaining, _VALUES)):
        if _is_sqlite(connection):
            query = select(column, result).where(*same, column.in_(part))
            yield from ((value, found) for value, found in connection.execute(query))
        else:
            # PostgreSQL would read the whole scope and compare each row with each value wherever its statistics are
            # behind; one row by a unique index, once per value, is a plan that it cannot miss.
            value = func.unnest(literal(part, ARRAY(column.type)), type_=column.type).column_valued("value")
            found = select(result).where(*same, column == value).scalar_subquery()
            yield from ((key, found) for key, found in connection.execute(select(value, found)) if found is not None)


def upsert_compiled(connection: Connection, scope_id: int, compiler: str, results: Mapping[str, bytes]) -> None:
    """Insert `results` into table `compiled`, or replace what is there."""
    insert = sqlite.insert(compiled) if _is_sqlite(connection) else postgresql.insert(compiled)
    replacing = insert.on_conflict_do_update(
        index_elements=[column.name for column in compiled.primary_key],
        set_={"payload": insert.excluded.payload},
    )
    items = iter(results.items())
    while part := list(islice(items, _WRITE_ROWS)):
        rows = [{"scope_id": scope_id, "compiler": compiler, "hash": key, "payload": value} for key, value in part]
        connection.execute(replacing, rows)


def _is_sqlite(connection: Connection) -> bool:
    return connection.dialect.name == "sqlite"
