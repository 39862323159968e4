"""The contract of a log, on every LangGraph store."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from langgraph_nodes.base_store_log import BaseStoreLog
from memory_evidence.errors import StoreError
from memory_evidence.records import Draft
from memory_evidence.store import Log
from tests.contract.log_contract import ANN, BOB, LogContract, texts


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


RECORDS = [["a", "user", None, None]]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("heads", {}),
        ("heads", {"process": "p", "since": "", "batches": "1", "compiled": 0}),
        ("heads", {"process": "p", "since": "", "batches": 1, "compiled": 0, "more": 1}),
        ("heads", {"process": 5, "since": "", "batches": 1, "compiled": 0}),
        ("batches", {}),
        ("batches", {"first": "1", "records": RECORDS}),
        ("batches", {"first": 1, "records": None}),
        ("batches", {"first": 1, "records": [["a"], 5]}),
        ("batches", {"first": 1, "records": [["a", "user", None, None, None]]}),
        ("batches", {"first": 1, "records": [[5, "user", None, None]]}),
        ("batches", {"first": 1, "records": [[{"base64": "/w=="}, "user", None, None]]}),
        ("batches", {"first": 1, "records": [[{"base64": "a"}, "user", None, None]]}),
        ("batches", {"first": 1, "records": [[{}, "user", None, None]]}),
    ],
)
def test_damaged_item_is_named_and_its_scope_can_be_forgotten(kind: str, value: dict[str, Any]) -> None:
    store = InMemoryStore()
    written = BaseStoreLog(store)
    written.append(ANN, [Draft("a")])
    written.append(BOB, [Draft("kept")])
    namespace = ("memory_evidence", *ANN, kind)
    [item] = store.search(namespace)
    store.put(namespace, item.key, value)
    log = BaseStoreLog(store)
    for call in (lambda: list(log.records(ANN)), lambda: log.append(ANN, [Draft("b")]), lambda: log.version(ANN)):
        with pytest.raises(StoreError, match=rf"item '{item.key}' in \('memory_evidence', .*'{kind}'\) is damaged"):
            call()
    assert texts(log, BOB) == ["kept"]
    log.forget(ANN)
    assert log.append(ANN, [Draft("new")]) == [1]
    assert texts(log, ANN) == ["new"]


def test_batch_that_lost_records_after_it_was_counted_is_named() -> None:
    store = InMemoryStore()
    log = BaseStoreLog(store)
    log.append(ANN, [Draft("a"), Draft("b")])
    [item] = store.search(("memory_evidence", *ANN, "batches"))
    store.put(item.namespace, item.key, {"first": 1, "records": RECORDS})
    with pytest.raises(StoreError, match=f"item '{item.key}' in .* is damaged"):
        list(log.records(ANN))


@pytest.mark.parametrize("value", [{}, {"payload": 5}, {"payload": "a"}, {"payload": "?"}])
def test_damaged_result_is_named(value: dict[str, Any]) -> None:
    store = InMemoryStore()
    log = BaseStoreLog(store)
    log.append(ANN, [Draft("a")])
    log.save_compiled(ANN, "c", {"h": b"x"})
    store.put(("memory_evidence", *ANN, "compiled"), "c/h", value)
    with pytest.raises(StoreError, match=r"item 'c/h' in .* is damaged"):
        log.load_compiled(ANN, "c", ["h"])


def test_damaged_mark_of_a_forgetting_is_named() -> None:
    store = InMemoryStore()
    log = BaseStoreLog(store)
    log.append(ANN, [Draft("a")])
    log.forget(ANN)
    [item] = store.search(("memory_evidence", "forgotten"))
    store.put(item.namespace, item.key, {})
    with pytest.raises(StoreError, match=f"item '{item.key}' in .*'forgotten'.* is damaged"):
        log.version(ANN)
