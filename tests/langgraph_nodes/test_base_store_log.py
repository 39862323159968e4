"""The contract of a log, on every LangGraph store."""

from __future__ import annotations

import pytest
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from langgraph_nodes.base_store_log import BaseStoreLog
from memory_evidence.store import Log
from tests.contract.log_contract import LogContract


class TestInMemoryStore(LogContract):
    @pytest.fixture
    def log(self) -> Log:
        return BaseStoreLog(InMemoryStore())


class TestSqliteStore(LogContract):
    @pytest.fixture
    def log(self, sqlite_store: BaseStore) -> Log:
        return BaseStoreLog(sqlite_store)


class TestPostgresStore(LogContract):
    @pytest.fixture
    def log(self, postgres_store: BaseStore) -> Log:
        return BaseStoreLog(postgres_store)
