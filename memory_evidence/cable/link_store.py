"""The links of all scopes and the queue of memories to link, in a SQL database."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Connection, delete, func, select

from memory_evidence.cable.exports import to_json, to_mermaid, to_networkx
from memory_evidence.cable.fact_store import FactStore
from memory_evidence.cable.queue_store import find_scope
from memory_evidence.errors import ConfigError, InputError
from memory_evidence.records import Scope, check_scope
from memory_evidence.store.fact_rows import delete_facts, replace_facts
from memory_evidence.store.link import Link
from memory_evidence.store.link_rows import (
    all_links,
    delete_around,
    delete_pairs,
    delete_stale,
    in_order,
    insert_links,
    links_around,
    restate_links,
)
from memory_evidence.store.node_rows import Claimed, delete_nodes, update_node
from memory_evidence.store.stated import Statements
from memory_evidence.store.tables import facts, index_key, link_scopes, links, nodes

if TYPE_CHECKING:
    import networkx  # type: ignore[import-untyped]  # published without types

logger = logging.getLogger(__name__)

MAX_DEGREE = 32
"""Most links of one memory, in both directions together."""


class Found(NamedTuple):
    """What was found for a claimed memory."""

    claimed: Claimed
    hash: str
    """`text_hash` of the text that was linked."""
    links: Sequence[Link]
    skipped: bool = False
    """Whether the memory has too little information to look for any."""
    statements: Statements = Statements()
    """What the memory states."""


class LinkStore(FactStore):
    """Links between the memories of each scope, the order in which they were written, and which wait to be linked.

    See `open_links` for the URLs. All methods are safe to call from several threads, and raise `StoreError` where the
    database refuses; nothing of the call was kept then.

    Args:
        url: Where; the tables are created in an empty database.
        max_degree: Most links of one memory, >= 1; further ones are refused.
    """

    _name = "link store"
    _opener = "open_links"

    def __init__(self, url: str, *, max_degree: int = MAX_DEGREE) -> None:
        if not isinstance(max_degree, int) or max_degree < 1:
            raise ConfigError("max_degree", max_degree, "a whole number of at least 1")
        self._max_degree = max_degree
        super().__init__(url)

    # Links

    def add(self, scope: Scope, links: Iterable[Link]) -> int:
        """Store all links or none, and return how many were new.

        One that is there already is stated anew. One whose end has `max_degree` links is refused, the newest first.

        Raises:
            InputError: A link holds something else than strings, or links a memory with itself.
        """
        scope = check_scope(scope)
        rows = [_checked(link) for link in links]
        if not rows:
            return 0
        with self._write("add links") as connection:
            added, refused = insert_links(connection, scope, self._enter(connection, scope), rows, self._max_degree)
        _log_refused(refused, self._max_degree)
        return added

    def around(self, scope: Scope, ids: Sequence[str]) -> list[Link]:
        """Return every link with an end among `ids`, each once, current or not."""
        scope = check_scope(scope)
        if not ids:
            return []
        with self._read("read links") as connection:
            return links_around(connection, scope, ids)

    def count(self, scope: Scope) -> int:
        """Return how many links the scope has, stale ones included."""
        scope = check_scope(scope)
        with self._read("count links") as connection:
            scope_id = find_scope(connection, scope)
            query = select(func.count()).select_from(links).where(links.c.scope_id == scope_id)
            return 0 if scope_id is None else connection.execute(query).scalar_one()

    def all(self, scope: Scope) -> Iterator[Link]:
        """Yield every link of the scope, without holding all in memory."""
        scope = check_scope(scope)
        self._check_open("read links")
        return self._scan(scope)

    def to_networkx(self, scope: Scope) -> networkx.DiGraph:
        """Return the scope's links as a directed graph of memory ids, from the earlier memory to the later.

        Raises:
            MissingExtraError: networkx is not installed.
        """
        return to_networkx(self.all(scope))

    def to_mermaid(
        self, scope: Scope, ids: Sequence[str] | None = None, *, texts: Mapping[str, str] | None = None
    ) -> str:
        """Return the scope's links as a Mermaid flow chart.

        Args:
            scope: Whose links, as `scopes()` gives it.
            ids: Only links with an end among these.
            texts: What to show of a memory, by id; where it is not given, the id is shown.
        """
        return to_mermaid(self.all(scope) if ids is None else self.around(scope, ids), texts or {})

    def to_json(self, scope: Scope) -> str:
        """Return the scope's links as one JSON object: `scope`, and `links` with the fields of `Link`."""
        return to_json(check_scope(scope), self.all(scope))

    def restate(self, scope: Scope, verified: Iterable[Link], rejected: Iterable[tuple[str, str]]) -> int:
        """Keep what was verified again, delete pairs of prior and new that were not; return how many were deleted."""
        scope = check_scope(scope)
        with self._write("restate links") as connection:
            scope_id = find_scope(connection, scope, lock=True)
            if scope_id is None:
                return 0
            restate_links(connection, scope_id, map(_checked, verified))
            return delete_pairs(connection, scope_id, rejected)

    def drop(self, scope: Scope, ids: Iterable[str]) -> int:
        """Forget memories that the host deleted, and return how many links went with them."""
        scope = check_scope(scope)
        keys = list(map(index_key, ids))
        with self._write("drop memories") as connection:
            scope_id = find_scope(connection, scope, lock=True)
            if scope_id is None:
                return 0
            count = _drop(connection, scope, scope_id, keys)
        self._empty_wal("drop memories")
        return count

    def clear(self, scope: Scope) -> int:
        """Forget everything of exactly this scope, and return how many links there were."""
        scope = check_scope(scope)
        with self._write("clear links") as connection:
            scope_id = find_scope(connection, scope, lock=True)
            if scope_id is None:
                return 0
            count = connection.execute(delete(links).where(links.c.scope_id == scope_id)).rowcount
            connection.execute(delete(facts).where(facts.c.scope_id == scope_id))
            connection.execute(delete(nodes).where(nodes.c.scope_id == scope_id))
            connection.execute(delete(link_scopes).where(link_scopes.c.id == scope_id))
        self._empty_wal("clear links")
        return count

    def clear_all(self) -> int:
        """Forget everything of every scope, and return how many links there were."""
        return sum(self.clear(scope) for scope in self.scopes())

    def finish(self, scope: Scope, owner: str, found: Sequence[Found]) -> list[tuple[int, int] | None]:
        """End claims: these memories are linked. All of it is kept or nothing.

        Links that were verified for another text of a memory are deleted; those whose prior turned out to be written
        after their new are not kept.

        Returns:
            For each memory how many links were new, and how many were refused because an end has too many. None where
            it was written again, deleted or claimed by another worker meanwhile: then its links count for nothing.
        """
        scope = check_scope(scope)
        if not found:
            return []
        counted: list[tuple[int, int] | None] = []
        read: dict[str, tuple[str, Statements]] = {}
        places: dict[str, tuple[float, float | None]] = {}
        with self._write("finish memories") as connection:
            scope_id = find_scope(connection, scope, lock=True)
            for each in found:
                values = {"state": "done", "hash": each.hash, "reason": None, "owner": None, "until": 0.0, "stated": 1}
                if scope_id is None or not update_node(connection, scope_id, owner, each.claimed, values):
                    counted.append(None)
                    continue
                delete_stale(connection, scope, scope_id, each.claimed.id, each.hash)
                rows = in_order(connection, scope_id, list(map(_checked, each.links)))
                counted.append(insert_links(connection, scope, scope_id, rows, self._max_degree))
                read[each.claimed.id] = each.hash, each.statements
                places[each.claimed.id] = each.claimed.position, each.claimed.changed
            if scope_id is not None:
                replace_facts(connection, scope_id, read, places)
        _log_refused(sum(each[1] for each in counted if each is not None), self._max_degree)
        return counted

    def discard(self, scope: Scope, owner: str, claimed: Claimed) -> int:
        """End a claim: the host no longer holds the memory. Return how many links went with it."""
        scope = check_scope(scope)
        with self._write("drop memories") as connection:
            scope_id = find_scope(connection, scope, lock=True)
            if scope_id is None or not update_node(connection, scope_id, owner, claimed, {"owner": None}):
                return 0
            count = _drop(connection, scope, scope_id, [index_key(claimed.id)])
        self._empty_wal("drop memories")
        return count

    def _scan(self, scope: Scope) -> Iterator[Link]:
        after = None
        with self._read("read links") as connection:
            scope_id = find_scope(connection, scope)
        # By id: should the scope be cleared and filled again meanwhile, old and new links do not mix.
        while scope_id is not None:
            with self._read("read links") as connection:
                rows = all_links(connection, scope_id, after)
            if not rows:
                return
            yield from rows
            after = rows[-1].prior, rows[-1].new


def _drop(connection: Connection, scope: Scope, scope_id: int, keys: Sequence[bytes]) -> int:
    delete_nodes(connection, scope_id, keys)
    delete_facts(connection, scope_id, keys)
    return delete_around(connection, scope, scope_id, keys)


def _checked(link: Link) -> Link:
    """Return `link`.

    Raises:
        InputError: Something in it is not a string, or its ends are not two memories.
    """
    for name, value in zip(Link._fields, link, strict=True):
        if not isinstance(value, str):
            raise InputError(f"a link's {name}", value, "a string")
    if not link.prior or not link.new or link.prior == link.new:
        raise InputError("the ends of a link", (link.prior, link.new), "the ids of two different memories")
    return link


def _log_refused(count: int, max_degree: int) -> None:
    if count:
        logger.info("%d links were refused: one of their memories has %d already", count, max_degree)
