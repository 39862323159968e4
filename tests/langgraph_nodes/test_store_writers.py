"""What a log on a `BaseStore` adds to the contract: several writers, odd stores, and where things are kept."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from langgraph.store.base import BaseStore, Op, PutOp, Result
from langgraph.store.memory import InMemoryStore
from langgraph.store.postgres.aio import AsyncPostgresStore
from langgraph.store.sqlite import SqliteStore
from langgraph.store.sqlite.aio import AsyncSqliteStore
from typing_extensions import override

from langgraph_nodes import BaseStoreLog, ContractMemoryNode, RememberNode
from langgraph_nodes.store_items import label
from memory_evidence.cmc import ContractMemory
from memory_evidence.errors import ConfigError, StoreError
from memory_evidence.records import Draft
from tests.contract.log_contract import ANN, BOB, texts
from tests.langgraph_nodes.graphs import KESTREL, QUESTION, SECRET, graph
from tests.langgraph_nodes.helpers import ScriptedModel, run, system_texts
from tests.langgraph_nodes.store_writer import SCOPE

any_part = st.text(st.characters(exclude_categories=()), min_size=1, max_size=8)


class Twin(InMemoryStore):
    """A store object of its own over another's data, as a second process has, with something to do between two puts."""

    def __init__(self, other: InMemoryStore) -> None:
        super().__init__()
        self._data = other._data
        self.after_put: Callable[[], object] | None = None

    @override
    def batch(self, ops: Iterable[Op]) -> list[Result]:
        ops = list(ops)
        results = super().batch(ops)
        if self.after_put is not None and any(isinstance(op, PutOp) for op in ops):
            action, self.after_put = self.after_put, None
            action()
        return results


@pytest.fixture
def twins() -> tuple[Twin, Twin]:
    store = InMemoryStore()
    return Twin(store), Twin(store)


# Where things are kept


@given(any_part)
@example("ann.b+c@example.org")
@example("a_b%c")
def test_label_is_legal_in_every_store_and_can_be_read_back(part: str) -> None:
    text = label(part)
    assert text.isascii()
    assert text.replace("~", "").replace("-", "").isalnum() or set(part) == {"-"}
    assert unquote(text.replace("~", "%"), errors="surrogatepass") == part


def test_labels_of_long_parts_are_short_and_differ() -> None:
    long = [label("x" * size) for size in (100, 101, 5_000, 5_001)]
    assert len(set(long)) == 4
    assert max(map(len, long)) == 100


def test_what_others_keep_in_the_store_is_left_alone(any_store: BaseStore) -> None:
    log = BaseStoreLog(any_store, ("app", "memory"))
    others = [("app",), ("app", "memory"), ("app", "memory", "ann", "batches", "x"), ("app", "memory2")]
    for namespace in others:
        any_store.put(namespace, "theirs", {"text": "theirs"}, index=False)
    log.append(("ann",), [Draft("ours")])
    log.append(("ann", "batches"), [Draft("ours as well")])
    assert texts(log, ("ann",)) == ["ours"]
    assert log.forget(("ann",)) == 1
    assert texts(log, ("ann", "batches")) == ["ours as well"]
    for namespace in others:
        item = any_store.get(namespace, "theirs")
        assert item is not None
        assert item.value == {"text": "theirs"}


def test_forgotten_scope_leaves_no_text_and_no_name(any_store: BaseStore) -> None:
    log = BaseStoreLog(any_store)
    log.append(("ann@example.org",), [Draft("secret") for _ in range(1_500)])
    log.save_compiled(("ann@example.org",), "c", {str(number): b"secret" for number in range(1_500)})
    log.forget(("ann@example.org",))
    left = any_store.search(("memory_evidence",), limit=10_000)
    assert [item.namespace[-1] for item in left] == ["forgotten"]
    assert "secret" not in str(left)
    assert "example" not in str(left)


def test_records_neither_expire_nor_are_embedded(tmp_path: Path) -> None:
    with SqliteStore.from_conn_string(str(tmp_path / "s.db"), ttl={"default_ttl": 0.001}) as store:
        store.setup()
        BaseStoreLog(store).append(ANN, [Draft("kept")])
        assert store.conn.execute("SELECT count(*) FROM store WHERE ttl_minutes IS NOT NULL").fetchone()[0] == 0
        assert store.sweep_ttl() == 0

    def embed(texts: Any) -> Any:
        raise AssertionError("nothing of ours is to be embedded")

    indexed = BaseStoreLog(InMemoryStore(index={"dims": 3, "embed": embed}))
    indexed.append(ANN, [Draft("kept")])
    assert texts(indexed, ANN) == ["kept"]


@pytest.mark.parametrize("namespace", [(), "mem", ("a.b",), ("",), ("langgraph", "x"), (1,)])
def test_namespace_that_a_store_refuses_is_refused_at_once(namespace: Any) -> None:
    with pytest.raises(ConfigError, match="namespace"):
        BaseStoreLog(InMemoryStore(), namespace)


def test_something_else_is_no_store() -> None:
    with pytest.raises(ConfigError, match="store"):
        BaseStoreLog({})  # type: ignore[arg-type]


def test_store_that_fails_is_an_error_that_says_so(tmp_path: Path) -> None:
    with SqliteStore.from_conn_string(str(tmp_path / "s.db")) as store:
        log = BaseStoreLog(store)
    with pytest.raises(StoreError, match="SqliteStore failed: ProgrammingError: Cannot operate on a closed") as error:
        log.append(ANN, [Draft("a")])
    assert error.value.__cause__ is not None


# Several logs over one store


def test_logs_over_one_store_write_without_gaps(any_store: BaseStore) -> None:
    def write(number: int) -> list[int]:
        log = BaseStoreLog(any_store)
        return [position for i in range(10) for position in log.append(ANN, [Draft(f"{number} {i}")])]

    with ThreadPoolExecutor(6) as pool:
        positions = [position for each in pool.map(write, range(6)) for position in each]
    assert sorted(positions) == list(range(1, 61))
    assert [record.position for record in BaseStoreLog(any_store).records(ANN)] == list(range(1, 61))


def test_change_through_one_log_is_seen_by_another(any_store: BaseStore) -> None:
    one, other = BaseStoreLog(any_store), BaseStoreLog(any_store)
    one.append(ANN, [Draft("a", key="k")])
    seen = [other.version(ANN)]
    for change in (
        lambda: one.append(ANN, [Draft("b")]),
        lambda: one.save_compiled(ANN, "c", {"h": b"1"}),
        lambda: one.forget(ANN),
        lambda: one.append(ANN, [Draft("c", key="k")]),
    ):
        change()
        seen.append(other.version(ANN))
    assert len(set(seen)) == 5
    assert seen[0].epoch == seen[1].epoch == seen[2].epoch != seen[4].epoch
    assert other.append(ANN, [Draft("again", key="k"), Draft("d")]) == [1, 2]
    assert texts(one, ANN) == texts(other, ANN) == ["c", "d"]


# Several processes, which share no lock


def test_processes_that_count_the_same_position_lose_nothing_and_agree(twins: tuple[Twin, Twin]) -> None:
    one, other = map(BaseStoreLog, twins)
    memories = [ContractMemory(ANN, store=log) for log in (one, other)]
    for memory in memories:
        memory.add("Blue Team is located in Oslo.")
    twins[0].after_put = lambda: memories[1].add("Blue Team is located in Bergen.")
    memories[0].add("Blue Team is located in Turku.")
    assert texts(one, ANN) == texts(other, ANN) == texts(BaseStoreLog(Twin(twins[0])), ANN)
    assert sorted(texts(one, ANN)[2:]) == ["Blue Team is located in Bergen.", "Blue Team is located in Turku."]
    assert [record.position for record in one.records(ANN)] == [1, 2, 3, 4]
    last = texts(one, ANN)[-1]
    for memory in memories:
        assert memory.current("Blue Team")[0].object in last
        assert memory.read("Where is Blue Team located?").positions == (4,)


@pytest.mark.parametrize("page", [4, 1_000])
def test_many_processes_that_came_and_went_are_all_read(page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("langgraph_nodes.store_items._PAGE", page)
    store = InMemoryStore()
    for number in range(23):
        BaseStoreLog(Twin(store)).append(ANN, [Draft(str(number))])
    assert texts(BaseStoreLog(store), ANN) == list(map(str, range(23)))


def test_processes_that_store_one_key_at_the_same_moment_keep_one_record(twins: tuple[Twin, Twin]) -> None:
    one, other = map(BaseStoreLog, twins)
    twins[0].after_put = lambda: other.append(ANN, [Draft("told", key="m1"), Draft("more", key="m2")])
    one.append(ANN, [Draft("told", key="m1")])
    for log in (one, other):
        assert sorted(texts(log, ANN)) == ["more", "told"]
        assert [record.position for record in log.records(ANN)] == [1, 2]
        assert log.append(ANN, [Draft("told", key="m1")])[0] <= 2


def test_what_is_forgotten_during_a_write_stays_forgotten(twins: tuple[Twin, Twin]) -> None:
    one, other = map(BaseStoreLog, twins)
    memory = ContractMemory(ANN, store=one)
    memory.add("Blue Team is located in Oslo.")
    twins[0].after_put = lambda: other.forget(ANN)
    memory.add("Blue Team is located in Bergen.")
    assert texts(one, ANN) == texts(other, ANN) == []
    assert memory.current("Blue Team") == ()
    assert one.append(ANN, [Draft("new")]) == [1]
    assert other.append(ANN, [Draft("newer")]) == [2]
    assert texts(one, ANN) == texts(other, ANN) == ["new", "newer"]


def test_write_that_fails_half_way_leaves_nothing(twins: tuple[Twin, Twin]) -> None:
    def fail() -> None:
        raise ConnectionError("gone")

    log = BaseStoreLog(twins[0])
    log.append(ANN, [Draft("kept")])
    twins[0].after_put = fail
    with pytest.raises(StoreError, match="gone"):
        log.append(ANN, [Draft(f"lost {number}") for number in range(2_500)])
    assert texts(log, ANN) == texts(BaseStoreLog(twins[1]), ANN) == ["kept"]
    assert log.append(ANN, [Draft("next")]) == [2]
    assert texts(log, ANN) == texts(BaseStoreLog(twins[1]), ANN) == ["kept", "next"]


def test_real_processes_lose_nothing_and_keep_their_own_order(sqlite_store: SqliteStore, store_path: Path) -> None:
    program = Path(__file__).with_name("store_writer.py")
    command = [sys.executable, "-W", "error", str(program), str(store_path)]
    writers = [subprocess.Popen([*command, name]) for name in "abc"]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    log = BaseStoreLog(sqlite_store)
    written = texts(log, SCOPE)
    assert [record.position for record in log.records(SCOPE)] == list(range(1, 91))
    for name in "abc":
        assert [text for text in written if text.startswith(name)] == [
            f"{name} {i} {j}" for i in range(10) for j in "xyz"
        ]


# Async stores


async def test_async_sqlite_store_serves_a_graph(tmp_path: Path) -> None:
    async with AsyncSqliteStore.from_conn_string(str(tmp_path / "s.db")) as store:
        await store.setup()
        await _serve(store)


async def test_async_postgres_store_serves_a_graph(postgres_url: str) -> None:
    async with AsyncPostgresStore.from_conn_string(postgres_url) as store:
        await _serve(store)


async def _serve(store: BaseStore) -> None:
    memory = ContractMemory(BOB, store=BaseStoreLog(store))
    await memory.aadd(KESTREL)
    assert (await memory.aread(QUESTION)).positions == (1, 3)
    llm = ScriptedModel()
    nodes = {"remember": RememberNode(scope=BOB)}
    app = graph(ContractMemoryNode(scope=BOB), llm, **nodes).compile(store=store)
    for way in ("ainvoke", "astream"):
        await run(app, way, {"messages": [("user", QUESTION)]})
        assert SECRET in system_texts(llm.seen[-1])[0]
