"""The tables of schema version 1, as the first release made them, with one scope in them."""

from __future__ import annotations

import sqlite3
from typing import Any

from memory_evidence.records import Record

SCOPE = ("acme", "ann")
RECORDS = [Record(1, "I live in Oslo.", "Ann", "2024-05-01", "k1"), Record(2, "I moved to Rome.")]

_TABLES = """
CREATE TABLE memory_evidence_meta (name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (name));
CREATE TABLE memory_evidence_scopes ({id}, digest {blob} NOT NULL, name {blob} NOT NULL,
    last BIGINT DEFAULT 0 NOT NULL, revision BIGINT DEFAULT 0 NOT NULL, UNIQUE (digest));
CREATE TABLE memory_evidence_compiled (scope_id {integer} NOT NULL, compiler {blob} NOT NULL, hash {blob} NOT NULL,
    payload {blob} NOT NULL, PRIMARY KEY (scope_id, compiler, hash),
    FOREIGN KEY(scope_id) REFERENCES memory_evidence_scopes (id)) {rowid};
CREATE TABLE memory_evidence_records (scope_id {integer} NOT NULL, position BIGINT NOT NULL, text {blob} NOT NULL,
    speaker {blob} NOT NULL, time {blob}, "key" {blob}, long_key {blob}, PRIMARY KEY (scope_id, position),
    FOREIGN KEY(scope_id) REFERENCES memory_evidence_scopes (id));
CREATE UNIQUE INDEX memory_evidence_records_key ON memory_evidence_records (scope_id, "key") WHERE "key" IS NOT NULL;
INSERT INTO memory_evidence_meta VALUES ('schema', '1');
INSERT INTO memory_evidence_scopes (digest, name, last, revision) VALUES (
    {x}f7bc3a8d55847a712952fcb3fc3b53a3942d4a7dc2119d5920722de99e613e42', {x}5b2261636d65222c2022616e6e225d', 2, 1);
INSERT INTO memory_evidence_compiled VALUES (1, {x}63', {x}68', {x}78');
INSERT INTO memory_evidence_records VALUES
    (1, 1, {x}49206c69766520696e204f736c6f2e', {x}416e6e', {x}323032342d30352d3031', {x}6b31', NULL),
    (1, 2, {x}49206d6f76656420746f20526f6d652e', {x}75736572', NULL, NULL, NULL);
"""


def create(url: str) -> None:
    """Make a database of version 1 at `url`."""
    if url.startswith("sqlite"):
        connection: Any = sqlite3.connect(url.removeprefix("sqlite:///"))
        kinds = {"id": "id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT", "blob": "BLOB", "integer": "INTEGER"}
        connection.executescript(_TABLES.format(**kinds, rowid="WITHOUT ROWID", x="X'"))
    else:
        import psycopg

        connection = psycopg.connect(url, autocommit=True)
        kinds = {"id": "id BIGSERIAL PRIMARY KEY", "blob": "BYTEA", "integer": "BIGINT"}
        connection.execute(_TABLES.format(**kinds, rowid="", x="'\\x"))
    connection.close()
