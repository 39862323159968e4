"""The tables of schema version 2: those of version 1, and links; two memories in them that are linked."""

from __future__ import annotations

import sqlite3
from typing import Any

from memory_evidence.cable import Link, Memory, text_hash
from memory_evidence.store.tables import digest, encode, scope_name
from tests.store import version_1

SCOPE = ("user",)
MEMORIES = [Memory("a", "I live in Rome."), Memory("b", "I moved to Oslo.")]
_HASHES = [text_hash(memory.text) for memory in MEMORIES]
LINK = Link("a", "b", "r", "v", "t", *_HASHES)

_TABLES = """
CREATE TABLE memory_evidence_link_scopes ({id}, digest {blob} NOT NULL, name {blob} NOT NULL, UNIQUE (digest));
CREATE TABLE memory_evidence_nodes (scope_id {integer} NOT NULL, "key" {blob} NOT NULL, long_key {blob},
    position {double} NOT NULL, hash {blob} NOT NULL, state TEXT NOT NULL, attempts INTEGER DEFAULT 0 NOT NULL,
    reason {blob}, owner TEXT, until {double} DEFAULT 0 NOT NULL, PRIMARY KEY (scope_id, "key"),
    FOREIGN KEY(scope_id) REFERENCES memory_evidence_link_scopes (id)) {rowid};
CREATE INDEX memory_evidence_nodes_pending ON memory_evidence_nodes (scope_id, position) WHERE state = 'pending';
CREATE INDEX memory_evidence_nodes_position ON memory_evidence_nodes (scope_id, position);
CREATE TABLE memory_evidence_links (scope_id {integer} NOT NULL, prior {blob} NOT NULL, "new" {blob} NOT NULL,
    long_prior {blob}, long_new {blob}, reason {blob} NOT NULL, verifier {blob} NOT NULL, time {blob} NOT NULL,
    prior_hash {blob} NOT NULL, new_hash {blob} NOT NULL, PRIMARY KEY (scope_id, prior, "new"),
    FOREIGN KEY(scope_id) REFERENCES memory_evidence_link_scopes (id)) {rowid};
CREATE INDEX memory_evidence_links_new ON memory_evidence_links (scope_id, "new");
UPDATE memory_evidence_meta SET value = '2';
"""
_SCOPE = "INSERT INTO memory_evidence_link_scopes (digest, name) VALUES (?, ?)"
_NODE = (
    'INSERT INTO memory_evidence_nodes (scope_id, "key", position, hash, state) '
    "VALUES ((SELECT id FROM memory_evidence_link_scopes), ?, ?, ?, 'done')"
)
_LINK = (
    'INSERT INTO memory_evidence_links (scope_id, prior, "new", reason, verifier, time, prior_hash, new_hash) '
    "VALUES ((SELECT id FROM memory_evidence_link_scopes), ?, ?, ?, ?, ?, ?, ?)"
)


def create(url: str) -> None:
    """Make a database of version 2 at `url`."""
    version_1.create(url)
    if url.startswith("sqlite"):
        connection: Any = sqlite3.connect(url.removeprefix("sqlite:///"))
        kinds = {"blob": "BLOB", "integer": "INTEGER", "double": "DOUBLE", "rowid": "WITHOUT ROWID"}
        connection.executescript(_TABLES.format(id="id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT", **kinds))
        mark = "?"
    else:
        import psycopg

        connection = psycopg.connect(url, autocommit=True)
        kinds = {"blob": "BYTEA", "integer": "BIGINT", "double": "DOUBLE PRECISION", "rowid": ""}
        connection.execute(_TABLES.format(id="id BIGSERIAL PRIMARY KEY", **kinds))
        mark = "%s"
    name = scope_name(SCOPE)
    connection.execute(_SCOPE.replace("?", mark), (digest(name), encode(name)))
    for place, (memory, text) in enumerate(zip(MEMORIES, _HASHES, strict=True), 1):
        connection.execute(_NODE.replace("?", mark), (encode(memory.id), float(place), encode(text)))
    connection.execute(_LINK.replace("?", mark), tuple(map(encode, LINK)))
    connection.commit()
    connection.close()
