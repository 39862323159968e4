"""Databases that this package cannot have written so: an error that names what is damaged, never a wrong answer."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_evidence.errors import StoreError
from memory_evidence.records import Draft
from memory_evidence.store import Log, open_log
from tests.contract.log_contract import ANN, BOB, texts


@pytest.fixture
def log(file_url: str) -> Iterator[Log]:
    log = open_log(file_url)
    log.append(ANN, [Draft(f"text {n}", time="2024", key=f"key {n}") for n in range(1, 6)])
    log.save_compiled(ANN, "c", {"h": b"result"})
    log.append(BOB, [Draft("kept")])
    yield log
    log.close()


@pytest.fixture
def damage(log: Log, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(tmp_path / "memory.db", isolation_level=None)) as connection:
        yield connection


@pytest.mark.parametrize("column", ["text", "speaker", "time", "key", "long_key"])
@pytest.mark.parametrize("value", ["x'ff00'", "'text'", "5"])
def test_record_that_is_not_utf8_is_named(log: Log, damage: sqlite3.Connection, column: str, value: str) -> None:
    damage.execute(f"UPDATE memory_evidence_records SET {column} = {value} WHERE scope_id = 1 AND position = 3")
    with pytest.raises(StoreError, match=r"read records failed: .*record 3 of scope id 1 is not UTF-8 text"):
        list(log.records(ANN))
    assert texts(log, BOB) == ["kept"]
    assert log.append(ANN, [Draft("more")]) == [6]


@pytest.mark.parametrize("after", [0, 1, 2])
def test_missing_record_is_named(log: Log, damage: sqlite3.Connection, after: int) -> None:
    damage.execute("DELETE FROM memory_evidence_records WHERE scope_id = 1 AND position = 3")
    with pytest.raises(StoreError, match=r"record 3 of scope id 1 is missing before record 4"):
        list(log.records(ANN, after))
    assert [record.position for record in log.records(ANN, 3)] == [4, 5]


def test_reading_may_start_anywhere(log: Log) -> None:
    assert [[record.position for record in log.records(ANN, after)] for after in (-2, 4, 5, 9)] == [
        [1, 2, 3, 4, 5],
        [5],
        [],
        [],
    ]


@pytest.mark.parametrize("last", ["0", "4", "6", "1000000", "'five'", "-1"])
def test_wrong_count_is_named_and_nothing_is_written(log: Log, damage: sqlite3.Connection, last: str) -> None:
    damage.execute(f"UPDATE memory_evidence_scopes SET last = {last} WHERE id = 1")
    named = rf"scope id 1 should end with record {last}, but its last record is 5"
    with pytest.raises(StoreError, match=named):
        list(log.records(ANN))
    with pytest.raises(StoreError, match=f"append failed: .*{named}"):
        log.append(ANN, [Draft("more")])
    assert damage.execute("SELECT count(*) FROM memory_evidence_records").fetchone() == (6,)
    log.version(ANN)
    assert log.append(BOB, [Draft("more")]) == [2]


def test_scope_whose_records_are_gone_is_named(log: Log, damage: sqlite3.Connection) -> None:
    damage.execute("DELETE FROM memory_evidence_records WHERE scope_id = 1")
    with pytest.raises(StoreError, match="should end with record 5, but its last record is 0"):
        list(log.records(ANN))


@pytest.mark.parametrize("value", ["'text'", "'result'"])
def test_result_that_is_not_bytes_is_named(log: Log, damage: sqlite3.Connection, value: str) -> None:
    damage.execute(f"UPDATE memory_evidence_compiled SET payload = {value}")
    with pytest.raises(StoreError, match=r"load compiled results failed: .*compiler 'c' in scope id 1"):
        log.load_compiled(ANN, "c", ["h"])


def test_damaged_scope_can_be_forgotten_and_filled_again(log: Log, damage: sqlite3.Connection) -> None:
    damage.execute("UPDATE memory_evidence_scopes SET last = 'five' WHERE id = 1")
    damage.execute("UPDATE memory_evidence_records SET text = x'ff' WHERE position = 2")
    assert log.forget(ANN) == 5
    assert log.append(ANN, [Draft("new")]) == [1]
    assert texts(log, ANN) == ["new"]
