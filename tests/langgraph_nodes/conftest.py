from __future__ import annotations

import os
import sqlite3
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from langgraph.store.postgres import PostgresStore
from langgraph.store.sqlite import SqliteStore

from memory_evidence.cmc import MemoryPool


@pytest.fixture
def pool() -> Iterator[MemoryPool]:
    pool = MemoryPool("sqlite://")
    yield pool
    pool.close()


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def sqlite_store(store_path: Path) -> Iterator[SqliteStore]:
    with SqliteStore.from_conn_string(str(store_path)) as store:
        store.setup()
        yield store


@pytest.fixture(scope="session")
def postgres_schema() -> Iterator[str]:
    """The URL of a schema with a store's tables on the server in MEMORY_EVIDENCE_POSTGRES, gone after the tests."""
    server = os.environ.get("MEMORY_EVIDENCE_POSTGRES")
    if not server:
        pytest.skip("set MEMORY_EVIDENCE_POSTGRES to the URL of a PostgreSQL database to run this")
    psycopg = pytest.importorskip("psycopg")
    name = f"memory_evidence_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f"CREATE SCHEMA {name}")
        url = f"{server}?options=-csearch_path%3D{name}"
        with PostgresStore.from_conn_string(url) as store:
            store.setup()
        yield url
        admin.execute(f"DROP SCHEMA {name} CASCADE")


@pytest.fixture
def postgres_url(postgres_schema: str) -> Iterator[str]:
    yield postgres_schema
    with PostgresStore.from_conn_string(postgres_schema) as store:
        store.conn.execute("DELETE FROM store")


@pytest.fixture
def postgres_store(postgres_url: str) -> Iterator[PostgresStore]:
    with PostgresStore.from_conn_string(postgres_url) as store:
        yield store


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def any_store(request: pytest.FixtureRequest) -> BaseStore:
    if request.param == "memory":
        return InMemoryStore()
    store: BaseStore = request.getfixturevalue(f"{request.param}_store")
    return store


@pytest.fixture(params=["memory", "sqlite"])
def new_saver(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], BaseCheckpointSaver[str]]]:
    """Makes empty checkpointers."""
    with ExitStack() as stack:

        def new() -> BaseCheckpointSaver[str]:
            if request.param == "memory":
                return InMemorySaver()
            connection = sqlite3.connect(tmp_path / f"{uuid.uuid4().hex}.db", check_same_thread=False)
            return SqliteSaver(stack.enter_context(closing(connection)))

        yield new
