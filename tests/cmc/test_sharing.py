"""One memory used by many threads, and one scope by many memories and processes."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memory_evidence.cmc import ContractMemory, MemoryPool
from memory_evidence.errors import ConfigError, ScopeError, StoreError
from memory_evidence.records import Draft
from memory_evidence.store import Log, open_log
from tests.cmc.histories import timeless

SCOPE = ("acme", "shared")
ADDER = Path(__file__).with_name("adder.py")


@pytest.fixture(params=["sqlite://", "file"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    log = open_log(f"sqlite:///{tmp_path / 'memory.db'}" if request.param == "file" else request.param)
    yield log
    log.close()


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'memory.db'}"


# Threads


def test_threads_that_add_and_read_at_once_lose_and_mix_up_nothing(log: Log) -> None:
    memory = ContractMemory(SCOPE, store=log)
    names = ["Ann", "Bo", "Cy"]
    rounds = 12
    start = threading.Barrier(len(names) * 2)

    def add(name: str) -> list[int]:
        start.wait()
        return [
            memory.add([f"{name} lives in City {n}.", f"{name} likes Song {n}."]).positions[0] for n in range(rounds)
        ]

    def read(name: str) -> list[list[str]]:
        start.wait()
        return [[edge.object for edge in memory.current(name)[:1]] for _ in range(rounds * 2)]

    with ThreadPoolExecutor(len(names) * 2) as pool:
        adding = [pool.submit(add, name) for name in names]
        reading = [pool.submit(read, name) for name in names]
        positions = [future.result() for future in adding]
        seen = [future.result() for future in reading]
    assert all(own == sorted(own) for own in positions)
    assert len({position for own in positions for position in own}) == len(names) * rounds
    for cities in seen:
        # What a thread saw of a slot never went back.
        numbers = [int(city[0].removeprefix("City ")) for city in cities if city]
        assert numbers == sorted(numbers)
    for name in names:
        assert memory.current(name)[0].object == f"City {rounds - 1}"
        assert len(memory.history(name, "likes")) == rounds
    fresh = ContractMemory(SCOPE, store=log)
    assert timeless(fresh.read("Where does Ann live?")) == timeless(memory.read("Where does Ann live?"))


def test_threads_that_add_one_key_store_it_once(log: Log) -> None:
    memory = ContractMemory(SCOPE, store=log)
    with ThreadPoolExecutor(6) as pool:
        added = list(pool.map(lambda _: memory.add(Draft("Ann lives in Oslo.", key="k")).positions, range(12)))
    assert set(added) == {(1,)}
    assert len(list(memory.records())) == 1


def test_forgetting_while_others_add_leaves_a_history_that_is_read_as_it_is(log: Log) -> None:
    memory = ContractMemory(SCOPE, store=log)

    def add(n: int) -> None:
        memory.add(f"Ann lives in City {n}.")
        if n % 5 == 0:
            memory.forget()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(30)))
    memory.add("Ann lives in Rome.")
    texts = [record.text for record in memory.records()]
    assert len(memory.history("Ann", "lives in")) == len(texts)
    assert memory.read("Where does Ann live?").text == f"{len(texts)}. Ann lives in Rome."


# Memories


def test_two_memories_of_a_scope_see_what_the_other_wrote(url: str) -> None:
    with ContractMemory(SCOPE, store=url) as one, ContractMemory(SCOPE, store=url) as other:
        one.add("Ann lives in Oslo.")
        assert other.read("Where does Ann live?").positions == (1,)
        assert other.add("Ann lives in Rome.").positions == (2,)
        assert one.read("Where does Ann live?").text == "2. Ann lives in Rome."
        one.add(["Ann works at Acme.", "Acme is located in Lima."])
        assert other.add("Ann lives in Paris.").positions == (5,)
        assert timeless(one.read("Ann?")) == timeless(other.read("Ann?"))


def test_what_one_memory_forgets_the_other_has_forgotten(url: str) -> None:
    with ContractMemory(SCOPE, store=url) as one, ContractMemory(SCOPE, store=url) as other:
        one.add(["Ann lives in Oslo.", "Ann works at Acme."])
        assert other.read("Ann?")
        assert one.forget() == 2
        assert not other.read("Ann?")
        assert other.current("Ann") == ()
        assert other.add("Ann lives in Rome.").positions == (1,)
        assert one.read("Ann?").text == "1. Ann lives in Rome."


def test_a_scope_forgotten_and_filled_again_is_read_anew_by_the_other_memory(url: str) -> None:
    with ContractMemory(SCOPE, store=url) as one, ContractMemory(SCOPE, store=url) as other:
        one.add(["Ann lives in Oslo.", "Ann works at Acme."])
        assert len(other.current("Ann")) == 2
        one.forget()
        one.add(["Bo lives in Rome.", "Bo works at Globex."])
        assert other.current("Ann") == ()
        assert [edge.object for edge in other.current("Bo")] == ["Rome", "Globex"]


class FailingLog:
    """A log whose reads fail once, after so many records."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.fail_after: int | None = None

    def __getattr__(self, name: str) -> object:
        return getattr(self._log, name)

    def records(self, scope: tuple[str, ...], after: int = 0) -> Iterator[object]:
        for record in self._log.records(scope, after):
            if self.fail_after is not None and record.position > self.fail_after:
                self.fail_after = None
                raise StoreError("read records", "the disk is gone")
            yield record


def test_a_read_that_failed_halfway_is_made_good_by_the_next(log: Log) -> None:
    log.append(SCOPE, [Draft(f"Ann lives in City {n}.") for n in range(2_500)])
    failing = FailingLog(log)
    failing.fail_after = 2_400
    memory = ContractMemory(SCOPE, store=failing)  # type: ignore[arg-type]
    with pytest.raises(StoreError):
        memory.read("Where does Ann live?")
    assert memory.read("Where does Ann live?").text == "2500. Ann lives in City 2499."


def test_what_was_forgotten_after_a_failed_read_is_not_read_from_what_was_left_of_it(log: Log) -> None:
    failing = FailingLog(log)
    memory = ContractMemory(SCOPE, store=failing)  # type: ignore[arg-type]
    assert not memory.read("Where does Ann live?")
    log.append(SCOPE, [Draft(f"Ann lives in City {n}.") for n in range(2_500)])
    failing.fail_after = 2_400
    with pytest.raises(StoreError):
        memory.read("Where does Ann live?")
    log.forget(SCOPE)
    assert not memory.read("Where does Ann live?")


# Processes


def test_processes_that_add_at_once_and_a_memory_that_looks_on_agree(url: str) -> None:
    names = ("Ann", "Bo")
    count = 8
    with ContractMemory(SCOPE, store=url) as memory:
        programs = [
            subprocess.Popen(
                [sys.executable, "-W", "error", str(ADDER), url, name, str(count)], stdout=subprocess.PIPE, text=True
            )
            for name in names
        ]
        outputs = [program.communicate()[0].splitlines() for program in programs]
        assert [program.returncode for program in programs] == [0, 0]
        positions = [int(line) for output in outputs for line in output[:count]]
        assert sorted(positions) == list(range(1, count * len(names) + 1))
        for name, output in zip(names, outputs, strict=True):
            assert output[count:] == [f"{output[count - 1]}. {name} lives in City {count - 1}."]
            assert memory.read(f"Where does {name} live?").text == output[-1]
        memory.forget()
        (after,) = {
            subprocess.run(
                [sys.executable, str(ADDER), url, "Cy", "1"], capture_output=True, text=True, check=True
            ).stdout
        }
        assert after == "1\n1. Cy lives in City 0.\n"


# Pools


def test_a_pool_gives_one_memory_a_scope(log: Log) -> None:
    pool = MemoryPool(log)
    assert pool.get(("acme", "ann")) is pool.get(["acme", "ann"])
    assert pool.get(("acme", "ann")) is not pool.get(("acme", "bo"))
    pool.get(("acme", "ann")).add("Ann lives in Oslo.")
    assert not pool.get(("acme", "bo")).read("Ann?")


def test_a_pool_keeps_the_most_recently_used_and_loses_nothing(log: Log) -> None:
    pool = MemoryPool(log, capacity=2)
    ann, bo = pool.get(("ann",)), pool.get(("bo",))
    bo.add("Bo lives in Rome.")
    assert pool.get(("ann",)) is ann
    pool.get(("cy",))
    assert pool.get(("ann",)) is ann
    again = pool.get(("bo",))
    assert again is not bo
    assert again.read("Where does Bo live?").text == bo.read("Where does Bo live?").text == "1. Bo lives in Rome."


def test_a_pool_opens_memories_as_it_is_told(log: Log) -> None:
    pool = MemoryPool(log, open_memory=lambda scope, log: ContractMemory(scope, store=log, hops=1))
    pool.get(SCOPE).add(["Ann works at Acme.", "Acme is located in Oslo."])
    assert pool.get(SCOPE).read("Where does Ann work?").receipt.cap_reached


def test_threads_that_ask_a_pool_at_once_get_one_memory(log: Log) -> None:
    pool = MemoryPool(log)
    with ThreadPoolExecutor(8) as threads:
        assert len(set(map(id, threads.map(lambda _: pool.get(SCOPE), range(32))))) == 1


def test_closing_a_pool_closes_the_store_it_opened(url: str, log: Log) -> None:
    pool = MemoryPool(url)
    memory = pool.get(SCOPE)
    pool.close()
    with pytest.raises(StoreError, match="closed"):
        memory.read("Ann?")
    MemoryPool(log).close()
    assert ContractMemory(SCOPE, store=log).add("Ann lives in Oslo.").positions == (1,)


@pytest.mark.parametrize("capacity", [0, -1, 2.5, None])
def test_a_pool_of_no_capacity_is_refused(log: Log, capacity: int) -> None:
    with pytest.raises(ConfigError, match="`capacity` must be a whole number of at least 1"):
        MemoryPool(log, capacity=capacity)


def test_a_pool_refuses_what_is_no_scope(log: Log) -> None:  # report 39
    with pytest.raises(ScopeError):
        MemoryPool(log).get("acme")
