"""The memories of each scope that we know, in the order they were written, and which of them wait to be linked."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, select
from sqlalchemy.dialects import postgresql, sqlite
from typing_extensions import override

from memory_evidence.cable.host import Memory
from memory_evidence.errors import InputError
from memory_evidence.records import Scope, check_scope
from memory_evidence.store.connections import SqlStore
from memory_evidence.store.link import text_hash
from memory_evidence.store.link_rows import delete_backward
from memory_evidence.store.node_rows import (
    Claimed,
    Counts,
    Written,
    after_position,
    among,
    claim_nodes,
    count_after,
    count_nodes,
    due,
    first_until,
    free,
    hashes_of,
    last_written,
    nodes_before,
    places_of,
    release_nodes,
    renew_nodes,
    retry_nodes,
    update_node,
    write_nodes,
    written_nodes,
)
from memory_evidence.store.tables import digest, link_scopes, nodes, scope_name

MAX_ATTEMPTS = 5
"""How often linking one memory may fail before it is given up."""


class QueueStore(SqlStore):
    """What is known of the memories of each scope; the base of `LinkStore`."""

    _orphaned = False
    """Whether the claims are those of another process, of which this one got a copy."""

    def enqueue(self, scope: Scope, memories: Iterable[Memory], *, before: str | None = None) -> int:
        """Note `memories` as written, in the order given, and queue those that are new or have another text.

        Args:
            scope: Whose memories.
            memories: As the host holds them now. A changed one keeps its place in the order of writing.
            before: Id of a known memory that new ones come just before; None: they come last.

        Returns:
            How many were queued.
        """
        return self.enqueue_hashes(scope, {memory.id: text_hash(memory.text) for memory in memories}, before=before)

    def enqueue_hashes(self, scope: Scope, hashes: dict[str, str], *, before: str | None = None) -> int:
        """`enqueue` by the hashes of the texts, for many at a time."""
        scope = check_scope(scope)
        for memory in hashes:
            if not isinstance(memory, str) or not memory:
                raise InputError("a memory's id", memory, "a string that is not empty")
        if not hashes:
            return 0
        with self._write("queue memories") as connection:
            scope_id = self._enter(connection, scope)
            queued = write_nodes(connection, scope_id, hashes, before)
            if queued:
                # The host showed them to whoever linked meanwhile: unknown then, they were taken as older.
                delete_backward(connection, scope, scope_id, hashes)
            return queued

    def known(self, scope: Scope, ids: Iterable[str]) -> dict[str, str]:
        """Return the `text_hash` that each of `ids` was last written with; unknown ids are absent."""
        scope = check_scope(scope)
        with self._read("look up memories") as connection:
            scope_id = find_scope(connection, scope)
            return {} if scope_id is None else hashes_of(connection, scope_id, ids)

    def order(self, scope: Scope, ids: Iterable[str]) -> dict[str, float]:
        """Return the place of each of `ids` in the order of writing: later is larger; unknown ids are absent."""
        scope = check_scope(scope)
        with self._read("read the order") as connection:
            scope_id = find_scope(connection, scope)
            return {} if scope_id is None else places_of(connection, scope_id, ids)

    def before(self, scope: Scope, position: float, count: int) -> list[str]:
        """Return the ids of the last `count` memories written before `position`, the nearest last."""
        scope = check_scope(scope)
        with self._read("read the order") as connection:
            scope_id = find_scope(connection, scope)
            return [] if scope_id is None else nodes_before(connection, scope_id, position, count)

    def written(self, scope: Scope) -> list[Written]:
        """Return every known memory of the scope, in the order of writing."""
        scope = check_scope(scope)
        with self._read("read the order") as connection:
            scope_id = find_scope(connection, scope)
            return [] if scope_id is None else written_nodes(connection, scope_id)

    def written_after(self, scope: Scope, position: float, most: int) -> int:
        """Return how many memories were written after `position`, counted up to `most`."""
        scope = check_scope(scope)
        with self._read("read the order") as connection:
            scope_id = find_scope(connection, scope)
            return 0 if scope_id is None else count_after(connection, scope_id, position, most)

    def last_written(self, scope: Scope) -> tuple[int, float]:
        """Return how many memories are known, and the last place in the order at which one was written or changed.

        As long as it stays the same, so does what `written` returns.
        """
        scope = check_scope(scope)
        with self._read("read the order") as connection:
            scope_id = find_scope(connection, scope)
            return (0, 0.0) if scope_id is None else last_written(connection, scope_id)

    def scopes(self, *, pending: bool = False) -> list[Scope]:
        """Return the scopes of which anything is known, the oldest first; with `pending`, where something waits."""
        query = select(link_scopes.c.name).order_by(link_scopes.c.id)
        if pending:
            waits = select(nodes.c.key).where(nodes.c.scope_id == link_scopes.c.id, nodes.c.state == "pending")
            query = query.where(waits.exists())
        with self._read("list scopes") as connection:
            return [tuple(json.loads(name)) for name in connection.execute(query).scalars()]

    def counts(self, scope: Scope) -> Counts:
        """Return how many memories of the scope are done, pending and given up."""
        scope = check_scope(scope)
        with self._read("count memories") as connection:
            scope_id = find_scope(connection, scope)
            return Counts(0, 0, 0) if scope_id is None else count_nodes(connection, scope_id)

    def claim(
        self,
        scope: Scope,
        owner: str,
        limit: int,
        lease_s: float,
        *,
        after: float | None = None,
        ids: Sequence[str] | None = None,
        newest: bool = False,
    ) -> list[Claimed]:
        """Claim pending memories of the scope for `owner`, the oldest first.

        Args:
            scope: Whose memories.
            owner: The worker; a name that no other uses.
            limit: Most memories, >= 1.
            lease_s: Seconds for which no one else may claim them.
            after: Only those with a larger place in the order, also where they failed a short while ago. None: any
                place, but not those.
            ids: Only these.
            newest: Whether the newest come first.
        """
        now = time.time()
        conditions = [due(now) if after is None else free(now)]
        if after is not None:
            conditions.append(after_position(after))
        if ids is not None:
            conditions.append(among(ids))
        with self._write("claim memories") as connection:
            if self._orphaned:
                release_nodes(connection)
                self._orphaned = False
            scope_id = find_scope(connection, scope, lock=True)
            if scope_id is None:
                return []
            return claim_nodes(connection, scope_id, owner, now + lease_s, limit, *conditions, newest=newest)

    def renew(self, owner: str, lease_s: float) -> None:
        """Keep everything that `owner` has claimed for another `lease_s` seconds."""
        with self._write("renew claims") as connection:
            renew_nodes(connection, owner, time.time() + lease_s)

    def failed(self, scope: Scope, owner: str, claimed: Claimed, reason: str, wait_s: float) -> bool:
        """Note that linking failed; the memory is tried again after `wait_s` seconds, or given up.

        Returns:
            Whether it was given up: it has failed `MAX_ATTEMPTS` times.
        """
        attempts = claimed.attempts + 1
        given_up = attempts >= MAX_ATTEMPTS
        values = {"attempts": attempts, "reason": reason, "owner": None, "until": time.time() + wait_s}
        self._end(scope, owner, [claimed], values | ({"state": "failed", "until": 0.0} if given_up else {}))
        return given_up

    def release(self, scope: Scope, owner: str, claims: Sequence[Claimed]) -> None:
        """Give claims back, those that have not ended: the memories were not tried."""
        self._end(scope, owner, claims, {"owner": None, "until": 0.0})

    def retry(self, scope: Scope) -> int:
        """Queue again what was given up, and return how many memories that are."""
        scope = check_scope(scope)
        with self._write("retry memories") as connection:
            scope_id = find_scope(connection, scope, lock=True)
            return 0 if scope_id is None else retry_nodes(connection, scope_id)

    def first_until(self, scope: Scope, *, claimed: bool = False) -> float | None:
        """Return from when on the first pending memory may be claimed, in seconds since 1970; None: there is none.

        With `claimed`, the first of those that a worker has claimed.
        """
        scope = check_scope(scope)
        with self._read("read claims") as connection:
            scope_id = find_scope(connection, scope)
            return None if scope_id is None else first_until(connection, scope_id, claimed)

    @override
    def _after_fork_in_child(self) -> None:
        super()._after_fork_in_child()
        self._orphaned = self._db.in_memory

    def _end(self, scope: Scope, owner: str, claims: Sequence[Claimed], values: Mapping[str, object]) -> None:
        scope = check_scope(scope)
        with self._write("end claims") as connection:
            scope_id = find_scope(connection, scope, lock=True)
            if scope_id is not None:
                for claimed in claims:
                    update_node(connection, scope_id, owner, claimed, values)

    def _enter(self, connection: Connection, scope: Scope) -> int:
        """Return the id of `scope`, locked; a new one where nothing is known of it."""
        while (scope_id := find_scope(connection, scope, lock=True)) is None:
            # Again afterwards: before it is locked, another process may clear it.
            insert = sqlite.insert(link_scopes) if self._db.is_sqlite else postgresql.insert(link_scopes)
            name = scope_name(scope)
            connection.execute(insert.values(digest=digest(name), name=name).on_conflict_do_nothing())
        return scope_id


def find_scope(connection: Connection, scope: Scope, lock: bool = False) -> int | None:
    """Return the id of `scope`; with `lock`, no one else changes what belongs to it before this transaction ends."""
    query = select(link_scopes.c.id).where(link_scopes.c.digest == digest(scope_name(scope)))
    # SQLite has no row locks and leaves the clause out: there, the transaction itself is the lock.
    return connection.execute(query.with_for_update() if lock else query).scalar_one_or_none()
