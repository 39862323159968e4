"""The statements that read and write what memories state, and find what superseded it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from memory_evidence.records import Scope
from memory_evidence.store.connections import sqlite_rows
from memory_evidence.store.rows import damaged, look_up
from memory_evidence.store.stated import Outdated, Statements
from memory_evidence.store.tables import digest, facts, index_key, is_digest, link_scopes, nodes, scope_name

_KEYS = 400


# Of each statement the last that gives its slot a value, and the last that takes that value back again. Raw SQL, for
# this is asked at every read; by the index, so that a slot with a long history costs no more than another.
_P = "p.scope_id = f.scope_id AND p.slot = f.slot AND p.retracts = 0 ORDER BY p.place DESC, p.number DESC LIMIT 1"
_R = (
    "r.scope_id = f.scope_id AND r.slot = f.slot AND r.retracts = 1 AND (r.place, r.number) > (p.place, p.number) "
    "AND (r.value = p.value OR length(r.value) = 0) ORDER BY r.place DESC, r.number DESC LIMIT 1"
)
_COLUMNS = (
    "coalesce(f.long_key, f.key), f.hash, f.wording, f.value, f.retracts, f.more, f.place, f.number, "
    "coalesce(p.long_key, p.key), p.hash, p.wording, p.value, p.place, p.number, coalesce(r.long_key, r.key), r.hash"
)
_SCOPE = f"(SELECT id FROM {link_scopes.name} WHERE digest = {{0}})"
_SQLITE = (
    f"SELECT {_COLUMNS} FROM {facts.name} f "
    f"LEFT JOIN {facts.name} p ON p.rowid = (SELECT p.rowid FROM {facts.name} p WHERE {_P}) "
    f"LEFT JOIN {facts.name} r ON r.rowid = (SELECT r.rowid FROM {facts.name} r WHERE {_R}) "
    f"WHERE f.scope_id = {_SCOPE.format('?')} AND f.key IN ({{0}})"
)
_POSTGRES = (
    f"SELECT {_COLUMNS} FROM unnest(%b::bytea[]) AS wanted(id), "
    f"LATERAL (SELECT * FROM {facts.name} f WHERE f.scope_id = {_SCOPE.format('%b')} AND f.key = wanted.id OFFSET 0) f "
    f"LEFT JOIN LATERAL (SELECT * FROM {facts.name} p WHERE {_P}) p ON true "
    f"LEFT JOIN LATERAL (SELECT * FROM {facts.name} r WHERE {_R}) r ON true"
)


def outdated(connection: Connection, scope: Scope, ids: Iterable[str]) -> list[Outdated]:
    """Return which statements of the memories `ids` of `scope` later memories superseded."""
    name = digest(scope_name(scope))
    remaining = iter(dict.fromkeys(map(index_key, ids)))
    by_memory: dict[str, list[tuple[bool, Outdated | None]]] = {}
    while part := list(islice(remaining, _KEYS)):
        if connection.dialect.name == "sqlite":
            marks = ", ".join("?" * len(part))
            rows: Iterable[Sequence[Any]] = sqlite_rows(connection, _SQLITE.format(marks), (name, *part))
        else:
            rows = connection.exec_driver_sql(_POSTGRES, (part, name)).all()
        for row in rows:
            found = _judged(row)
            by_memory.setdefault(_text(row[0]), []).append((bool(row[4]), found))
    return [
        found._replace(whole=found.whole and _all_of(each))
        for each in by_memory.values()
        for _, found in each
        if found is not None
    ]


def _all_of(each: Sequence[tuple[bool, Outdated | None]]) -> bool:
    """Whether all statements of a memory are superseded; where it states values, retractions beside them are none."""
    values = [found for retracts, found in each if not retracts] or [found for _, found in each]
    return all(found is not None for found in values)


def _judged(row: Sequence[Any]) -> Outdated | None:
    """Return what superseded the statement of a row of `_COLUMNS`, or None: it stands."""
    memory, text_hash, wording, value, retracts, more, place, number = row[:8]
    last, last_hash, last_wording, last_value, last_place, last_number, ended_by, ended_hash = row[8:]
    if last is None:
        return None  # nothing but retractions
    if retracts:
        # "No longer in Rome" stands until somebody is in Rome again.
        again = (last_place, last_number) > (place, number) and (last_value == value or not value) and ended_by is None
        by, by_hash, now = (last, last_hash, last_wording) if again else (None, None, None)
    elif ended_by is not None:
        by, by_hash, now = ended_by, ended_hash, None
    else:
        by, by_hash, now = (last, last_hash, last_wording) if last_value != value else (None, None, None)
    if by is None or by == memory:
        return None
    current = None if now is None else _text(now)
    return Outdated(_text(memory), _text(text_hash), _text(wording), _text(by), _text(by_hash), current, whole=not more)


def _text(value: Any) -> str:
    try:
        text: str = value.decode("utf-8", "surrogatepass")
    except (UnicodeDecodeError, AttributeError) as error:  # SQLite keeps any type of value in any column
        raise damaged("read facts", "a fact is not UTF-8 text") from error
    return text


def replace_facts(
    connection: Connection,
    scope_id: int,
    read: Mapping[str, tuple[str, Statements]],
    places: Mapping[str, tuple[float, float | None]],
) -> None:
    """Put what was read of memories in the place of what was known of them.

    Args:
        connection: Of a transaction that writes.
        scope_id: Whose memories.
        read: By memory: the hash of the text that was read, and what it states.
        places: By memory: its place in the order of writing, and that of its last change, if there was one. What it
            stated before and states still keeps the place at which it was stated.
    """
    keys = {index_key(memory): memory for memory in read}
    before: dict[tuple[bytes, bytes, bytes, int], float] = {}
    known = list(keys)
    columns = (facts.c.key, facts.c.slot, facts.c.value, facts.c.retracts, facts.c.place)
    for start in range(0, len(known), _KEYS):
        among = (facts.c.scope_id == scope_id, facts.c.key.in_(known[start : start + _KEYS]))
        held = connection.execute(select(*columns).where(*among)).all()
        before |= {(key, slot, value, retracts): place for key, slot, value, retracts, place in held}
        if held:
            connection.execute(delete(facts).where(*among))
    rows = []
    for key, memory in keys.items():
        text_hash, (stated, more) = read[memory]
        position, changed = places[memory]
        for number, one in enumerate(stated):
            slot, value = digest(one.slot), digest(one.value) if one.value else b""
            place = before.get((key, slot, value, int(one.retracts)), position if changed is None else changed)
            rows.append(
                {
                    "scope_id": scope_id,
                    "key": key,
                    "number": number,
                    "long_key": memory if is_digest(key) else None,
                    "place": place,
                    "slot": slot,
                    "value": value,
                    "wording": one.wording,
                    "retracts": int(one.retracts),
                    "more": int(more),
                    "hash": text_hash,
                }
            )
    if rows:
        connection.execute(insert(facts), rows)


def delete_facts(connection: Connection, scope_id: int, keys: Sequence[bytes]) -> None:
    """Delete what the memories of `keys` state."""
    for start in range(0, len(keys), _KEYS):
        part = keys[start : start + _KEYS]
        connection.execute(delete(facts).where(facts.c.scope_id == scope_id, facts.c.key.in_(part)))


def unread_nodes(connection: Connection, scope_id: int, ids: Iterable[str]) -> set[str]:
    """Return those of `ids` that an earlier release linked, so that what they state was not read."""
    by_key = {index_key(i): i for i in ids}
    same = (nodes.c.scope_id == scope_id, nodes.c.state == "done", nodes.c.stated == 0)
    return {by_key[key] for key, _ in look_up(connection, nodes.c.key, by_key, nodes.c.stated, *same)}


def note_facts(connection: Connection, scope_id: int, read: Mapping[str, tuple[str, Statements]]) -> int:
    """Keep what was read of memories that are linked already, and return how many still have the text that was read."""
    keys = {index_key(memory): memory for memory in read}
    places: dict[str, tuple[float, float | None]] = {}
    columns = (func.coalesce(nodes.c.long_key, nodes.c.key), nodes.c.hash, nodes.c.position, nodes.c.changed)
    for start in range(0, len(keys), _KEYS):
        part = list(keys)[start : start + _KEYS]
        same = (nodes.c.scope_id == scope_id, nodes.c.key.in_(part), nodes.c.state == "done")
        for memory, text_hash, position, changed in connection.execute(select(*columns).where(*same)).all():
            if read[memory][0] == text_hash:
                places[memory] = position, changed
        connection.execute(update(nodes).where(*same).values(stated=1))
    replace_facts(connection, scope_id, {memory: read[memory] for memory in places}, places)
    return len(places)
