"""The statements that read and write the known memories of a scope, their order, and which of them wait."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, delete, func, insert, or_, select, update

from memory_evidence.store.rows import look_up
from memory_evidence.store.tables import index_key, is_digest, nodes

_KEYS = 500


class Claimed(NamedTuple):
    """A memory that this worker, and no other, is to link."""

    id: str
    attempts: int
    """How often linking it has failed."""
    position: float
    changed: float | None = None
    """The place in the order of writing at which its text was last changed; None: never."""


class Written(NamedTuple):
    """A known memory."""

    id: str
    position: float
    """Its place in the order of writing."""
    hash: str
    """The `text_hash` that it was last written with."""


class Counts(NamedTuple):
    """How many memories of a scope are in which state."""

    done: int
    pending: int
    failed: int

    @property
    def known(self) -> int:
        """All of them."""
        return sum(self)


def hashes_of(connection: Connection, scope_id: int, ids: Iterable[str]) -> dict[str, str]:
    """Return the hash that each of `ids` was last written with; unknown ones are absent."""
    by_key = {index_key(i): i for i in ids}
    found = look_up(connection, nodes.c.key, by_key, nodes.c.hash, nodes.c.scope_id == scope_id)
    return {by_key[key]: value for key, value in found}


def places_of(connection: Connection, scope_id: int, ids: Iterable[str]) -> dict[str, float]:
    """Return the place of each of `ids` in the order of writing; unknown ones are absent."""
    by_key = {index_key(i): i for i in ids}
    found = look_up(connection, nodes.c.key, by_key, nodes.c.position, nodes.c.scope_id == scope_id)
    return {by_key[key]: value for key, value in found}


def nodes_before(connection: Connection, scope_id: int, position: float, count: int) -> list[str]:
    """Return the last `count` memories that were written before `position`, in the order of writing."""
    query = (
        select(func.coalesce(nodes.c.long_key, nodes.c.key))
        .where(nodes.c.scope_id == scope_id, nodes.c.position < position)
        .order_by(nodes.c.position.desc())
        .limit(count)
    )
    return list(connection.execute(query).scalars())[::-1]


def written_nodes(connection: Connection, scope_id: int) -> list[Written]:
    """Return every memory of the scope, in the order of writing."""
    columns = func.coalesce(nodes.c.long_key, nodes.c.key), nodes.c.position, nodes.c.hash
    query = select(*columns).where(nodes.c.scope_id == scope_id).order_by(nodes.c.position)
    return [Written(*row) for row in connection.execute(query)]


def count_after(connection: Connection, scope_id: int, position: float, most: int) -> int:
    """Return how many memories were written after `position`, `most` of them at most."""
    later = select(nodes.c.position).where(nodes.c.scope_id == scope_id, nodes.c.position > position).limit(most)
    return connection.execute(select(func.count()).select_from(later.subquery())).scalar_one()


def last_written(connection: Connection, scope_id: int) -> tuple[int, float]:
    """Return how many memories the scope has, and the last place in the order at which one was written or changed."""
    last = func.max(nodes.c.position), func.max(nodes.c.changed)
    count, *ends = connection.execute(select(func.count(), *last).where(nodes.c.scope_id == scope_id)).one()
    return count, max(float(end or 0.0) for end in ends)


def write_nodes(connection: Connection, scope_id: int, hashes: dict[str, str], before: str | None) -> int:
    """Queue what is new or has another hash than before, and return how many that are.

    New memories go to the end of the order; with `before`, just before that memory. A changed one keeps its place, and
    the change gets one at the end.
    """
    there = hashes_of(connection, scope_id, hashes)
    waiting = {"state": "pending", "attempts": 0, "reason": None, "owner": None, "until": 0.0}
    changed = [memory for memory, value in hashes.items() if memory in there and there[memory] != value]
    for memory, place in zip(changed, _places(connection, scope_id, len(changed), None), strict=True):
        now = {**waiting, "hash": hashes[memory], "changed": place}
        connection.execute(update(nodes).where(_is(scope_id, memory)).values(now))
    fresh = [memory for memory in hashes if memory not in there]
    rows = [
        {
            "scope_id": scope_id,
            "key": (key := index_key(memory)),
            "long_key": memory if is_digest(key) else None,
            "position": position,
            "hash": hashes[memory],
            "state": "pending",
        }
        for memory, position in zip(fresh, _places(connection, scope_id, len(fresh), before), strict=True)
    ]
    if rows:
        connection.execute(insert(nodes), rows)
    return len(rows) + len(changed)


def _places(connection: Connection, scope_id: int, count: int, before: str | None) -> list[float]:
    if not count:
        return []
    last = select(func.max(nodes.c.position)).where(nodes.c.scope_id == scope_id)
    stop = None if before is None else places_of(connection, scope_id, [before]).get(before)
    if stop is None:
        change = select(func.max(nodes.c.changed)).where(nodes.c.scope_id == scope_id, nodes.c.changed.is_not(None))
        ends = connection.execute(select(last.scalar_subquery(), change.scalar_subquery())).one()
        start = max(float(end or 0.0) for end in ends) // 1
        return [start + number for number in range(1, count + 1)]
    previous = connection.scalar(last.where(nodes.c.position < stop))
    if previous is None:
        return [stop - count + number for number in range(count)]
    return [previous + (stop - previous) * number / (count + 1) for number in range(1, count + 1)]


def claim_nodes(
    connection: Connection,
    scope_id: int,
    owner: str,
    until: float,
    limit: int,
    *conditions: ColumnElement[bool],
    newest: bool = False,
) -> list[Claimed]:
    """Claim the first pending memories that fulfil `conditions` for `owner`; with `newest` the last ones."""
    query = (
        select(
            nodes.c.key,
            func.coalesce(nodes.c.long_key, nodes.c.key),
            nodes.c.attempts,
            nodes.c.position,
            nodes.c.changed,
        )
        .where(nodes.c.scope_id == scope_id, nodes.c.state == "pending", *conditions)
        .order_by(nodes.c.position.desc() if newest else nodes.c.position)
        .limit(limit)
    )
    rows = connection.execute(query).all()
    keys = [row[0] for row in rows]
    if keys:
        connection.execute(
            update(nodes).where(nodes.c.scope_id == scope_id, nodes.c.key.in_(keys)).values(owner=owner, until=until)
        )
    return [Claimed(*row[1:]) for row in rows]


def free(now: float) -> ColumnElement[bool]:
    """No one links it, or whoever did has not been heard of."""
    return or_(nodes.c.owner.is_(None), nodes.c.until <= now)


def due(now: float) -> ColumnElement[bool]:
    """`free`, and it did not fail a short while ago."""
    return nodes.c.until <= now


def after_position(position: float) -> ColumnElement[bool]:
    """It comes later in the order of writing."""
    return nodes.c.position > position


def among(ids: Sequence[str]) -> ColumnElement[bool]:
    """It is one of `ids`."""
    return nodes.c.key.in_([index_key(i) for i in ids])


def update_node(
    connection: Connection, scope_id: int, owner: str, claimed: Claimed, values: Mapping[str, object]
) -> bool:
    """Change a memory unless `owner` has lost it; return whether it was changed.

    It is lost when the claim ends, and when the memory is written again.
    """
    same = and_(_is(scope_id, claimed.id), nodes.c.owner == owner)
    return connection.execute(update(nodes).where(same).values(values)).rowcount == 1


def renew_nodes(connection: Connection, owner: str, until: float) -> None:
    """Keep what `owner` has claimed, but for what someone is changing at this moment.

    Waiting for it could end in a deadlock; it is lost to `owner`, finished, or renewed the next time.
    """
    mine = select(nodes.c.scope_id, nodes.c.key).where(nodes.c.state == "pending", nodes.c.owner == owner)
    rows = connection.execute(mine.with_for_update(skip_locked=True)).all()
    for scope_id, key in rows:
        connection.execute(update(nodes).where(nodes.c.scope_id == scope_id, nodes.c.key == key).values(until=until))


def release_nodes(connection: Connection) -> None:
    """End all claims."""
    connection.execute(update(nodes).where(nodes.c.owner.is_not(None)).values(owner=None, until=0.0))


def retry_nodes(connection: Connection, scope_id: int) -> int:
    """Queue again what was given up, and return how many memories that are."""
    given_up = and_(nodes.c.scope_id == scope_id, nodes.c.state == "failed")
    values = {"state": "pending", "attempts": 0, "reason": None}
    return connection.execute(update(nodes).where(given_up).values(values)).rowcount


def first_until(connection: Connection, scope_id: int, claimed: bool) -> float | None:
    """Return when the first pending memory may be claimed; with `claimed`, the first of those that someone links.

    None where there is none.
    """
    same = [nodes.c.scope_id == scope_id, nodes.c.state == "pending"]
    if claimed:
        same.append(nodes.c.owner.is_not(None))
    first: float | None = connection.scalar(select(func.min(nodes.c.until)).where(*same))
    return first


def delete_nodes(connection: Connection, scope_id: int, keys: Iterable[bytes]) -> int:
    """Delete memories, and return how many of `keys` were there."""
    count = 0
    remaining = iter(keys)
    while part := list(islice(remaining, _KEYS)):
        count += connection.execute(delete(nodes).where(nodes.c.scope_id == scope_id, nodes.c.key.in_(part))).rowcount
    return count


def count_nodes(connection: Connection, scope_id: int) -> Counts:
    """Return how many memories of the scope are in which state."""
    query = select(nodes.c.state, func.count()).where(nodes.c.scope_id == scope_id).group_by(nodes.c.state)
    found: dict[str, int] = {row[0]: row[1] for row in connection.execute(query)}
    return Counts(found.get("done", 0), found.get("pending", 0), found.get("failed", 0))


def _is(scope_id: int, memory: str) -> ColumnElement[bool]:
    return and_(nodes.c.scope_id == scope_id, nodes.c.key == index_key(memory))
