"""The tables, the same on SQLite and PostgreSQL, and how scopes, keys and texts become column values."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Dialect,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    text,
)
from typing_extensions import override

from memory_evidence.records import Scope

_MAX_KEY = 1_000
_DIGEST = b"\xff"


def encode(value: str) -> bytes:
    """Return `value` as UTF-8, lone surrogates included: different strings always give different bytes."""
    return value.encode("utf-8", "surrogatepass")


def scope_name(scope: Scope) -> str:
    """Return `scope` as the text of a JSON array.

    Not in ASCII: there, a pair of lone surrogates and the character they spell would be written alike.
    """
    return json.dumps(scope, ensure_ascii=False)


def digest(value: str) -> bytes:
    """Return 32 bytes that stand for `value` in an index, whose rows PostgreSQL holds to about 2,700 bytes."""
    return hashlib.sha256(encode(value)).digest()


def index_key(key: str) -> bytes:
    """Return what stands for `key` in the index: itself, so that neighbours stay neighbours, or a digest if long."""
    value = encode(key)
    # No UTF-8 begins with this byte, so a digest is never taken for a key.
    return value if len(value) <= _MAX_KEY else _DIGEST + digest(key)


def is_digest(indexed: bytes) -> bool:
    """Whether `index_key` put a digest in place of the key."""
    return indexed.startswith(_DIGEST)


class Verbatim(TypeDecorator[str]):
    """Any Python string, kept exactly: PostgreSQL refuses NUL in text, and both databases refuse lone surrogates."""

    impl = LargeBinary
    cache_ok = True

    @override
    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:
        return None if value is None else encode(value)

    @override
    def process_result_value(self, value: Any | None, dialect: Dialect) -> str | None:
        return None if value is None else value.decode("utf-8", "surrogatepass")


metadata = MetaData()

meta = Table(
    "memory_evidence_meta",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
"""Marks the database as ours: the row `schema` holds the version of the tables."""

scopes = Table(
    "memory_evidence_scopes",
    metadata,
    # Never given out twice, so that it serves as the epoch of a scope that was forgotten and filled again.
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("digest", LargeBinary(32), nullable=False, unique=True),
    Column("name", Verbatim, nullable=False),
    Column("last", BigInteger, nullable=False, server_default=text("0")),
    Column("revision", BigInteger, nullable=False, server_default=text("0")),
    sqlite_autoincrement=True,
)
"""One row per scope that holds something: its last position, and how often compiled results were saved."""


def _scope_id() -> Column[int]:
    return Column("scope_id", ForeignKey(scopes.c.id), primary_key=True, autoincrement=False)


records = Table(
    "memory_evidence_records",
    metadata,
    _scope_id(),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("text", Verbatim, nullable=False),
    Column("speaker", Verbatim, nullable=False),
    Column("time", Verbatim),
    Column("key", LargeBinary),
    Column("long_key", Verbatim),
)
"""`key` is what `index_key` makes of it; `long_key` is the key itself where that is a digest."""

Index(
    "memory_evidence_records_key",
    records.c.scope_id,
    records.c.key,
    unique=True,
    sqlite_where=records.c.key.is_not(None),
    postgresql_where=records.c.key.is_not(None),
)

compiled = Table(
    "memory_evidence_compiled",
    metadata,
    _scope_id(),
    Column("compiler", Verbatim, primary_key=True),
    Column("hash", Verbatim, primary_key=True),
    Column("payload", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

link_scopes = Table(
    "memory_evidence_link_scopes",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("digest", LargeBinary(32), nullable=False, unique=True),
    Column("name", Verbatim, nullable=False),
    sqlite_autoincrement=True,
)
"""One row per scope whose memories may be linked; not those of the log, so that neither deletes the other's."""


def _link_scope_id() -> Column[int]:
    return Column("scope_id", ForeignKey(link_scopes.c.id), primary_key=True, autoincrement=False)


nodes = Table(
    "memory_evidence_nodes",
    metadata,
    _link_scope_id(),
    Column("key", LargeBinary, primary_key=True),
    Column("long_key", Verbatim),
    Column("position", Double, nullable=False),
    Column("hash", Verbatim, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    Column("reason", Verbatim),
    Column("owner", Text),
    Column("until", Double, nullable=False, server_default=text("0")),
    Column("changed", Double),
    Column("stated", Integer, nullable=False, server_default=text("0")),
    sqlite_with_rowid=False,
)
"""The host's memories that we know, by their id (`key` as in `records`), and which of them wait to be linked.

`position` is the write order; not whole where a memory was found later between two others. `changed` is the place in
that order at which its text was last changed, if it was. While a worker links a memory, `owner` is that worker and
`until` (seconds since 1970) is when its claim ends; without an owner, `until` is when a failed memory may be tried
again. `stated` is 1 when what the memory states was read into `facts`, 0 where an earlier release linked it.
"""

Index("memory_evidence_nodes_position", nodes.c.scope_id, nodes.c.position)

_CHANGED = nodes.c.changed.is_not(None)
NODES_CHANGED = Index(
    "memory_evidence_nodes_changed",
    nodes.c.scope_id,
    nodes.c.changed,
    sqlite_where=_CHANGED,
    postgresql_where=_CHANGED,
)

_PENDING = nodes.c.state == "pending"
Index(
    "memory_evidence_nodes_pending",
    nodes.c.scope_id,
    nodes.c.position,
    sqlite_where=_PENDING,
    postgresql_where=_PENDING,
)

links = Table(
    "memory_evidence_links",
    metadata,
    _link_scope_id(),
    Column("prior", LargeBinary, primary_key=True),
    Column("new", LargeBinary, primary_key=True),
    Column("long_prior", Verbatim),
    Column("long_new", Verbatim),
    Column("reason", Verbatim, nullable=False),
    Column("verifier", Verbatim, nullable=False),
    Column("time", Verbatim, nullable=False),
    Column("prior_hash", Verbatim, nullable=False),
    Column("new_hash", Verbatim, nullable=False),
    sqlite_with_rowid=False,
)
"""Verified links from an earlier memory to a later one, with the hashes of both texts as they were verified."""

LINKS_BY_NEW = "memory_evidence_links_new"

Index(LINKS_BY_NEW, links.c.scope_id, links.c.new)

facts = Table(
    "memory_evidence_facts",
    metadata,
    _link_scope_id(),
    Column("key", LargeBinary, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("long_key", Verbatim),
    Column("place", Double, nullable=False),
    Column("slot", LargeBinary(32), nullable=False),
    Column("value", LargeBinary(32), nullable=False),
    Column("wording", Verbatim, nullable=False),
    Column("retracts", Integer, nullable=False),
    Column("more", Integer, nullable=False),
    Column("hash", Verbatim, nullable=False),
)
"""What memories state about things that have one value at a time: the `number`-th statement of memory `key`.

`slot` and `value` are digests of what is compared, `value` is empty in a retraction of whatever it was; `wording` is
the value as written. `place` is where in the order of `nodes` it was stated. `more`: the memory says more than this.
"""

Index("memory_evidence_facts_slot", facts.c.scope_id, facts.c.slot, facts.c.retracts, facts.c.place, facts.c.number)
