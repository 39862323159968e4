"""What happens when a database refuses, fails or is gone: our error, nothing half-written, and life goes on."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_evidence.errors import StoreError
from memory_evidence.records import Draft
from memory_evidence.store import Log, database, open_log
from tests.contract.log_contract import ANN, texts


@contextlib.contextmanager
def unwritable(path: Path) -> Iterator[None]:
    """Make a file or folder read-only; root ignores permission bits, but not the immutable flag."""
    if os.geteuid() != 0:
        mode = path.stat().st_mode
        path.chmod(mode & ~0o222)
        yield
        path.chmod(mode)
        return
    try:
        subprocess.run(["chattr", "+i", str(path)], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"root can write anywhere here: {error}")
    try:
        yield
    finally:
        subprocess.run(["chattr", "-i", str(path)], check=True)


@pytest.fixture
def file_log(file_url: str) -> Iterator[Log]:
    log = open_log(file_url)
    yield log
    log.close()


@pytest.mark.parametrize(
    "call",
    [
        lambda log: log.append(ANN, [Draft("a")]),
        lambda log: log.records(ANN),
        lambda log: log.version(ANN),
        lambda log: log.save_compiled(ANN, "c", {"h": b""}),
        lambda log: log.load_compiled(ANN, "c", ["h"]),
        lambda log: log.forget(ANN),
    ],
)
@pytest.mark.parametrize("where", ["memory", "file"])
def test_closed_log_refuses_every_call(file_url: str, where: str, call: Callable[[Log], Any]) -> None:
    with open_log(file_url if where == "file" else "sqlite://") as log:
        log.append(ANN, [Draft("a")])
    log.close()
    with pytest.raises(StoreError, match="closed"):
        call(log)


def test_closing_ends_a_reading_that_is_under_way(file_url: str) -> None:
    log = open_log(file_url)
    log.append(ANN, [Draft("text")] * 5_001)
    reading = log.records(ANN)
    next(reading)
    log.close()
    with pytest.raises(StoreError, match="closed"):
        list(reading)


def test_closing_leaves_one_file(file_url: str, tmp_path: Path) -> None:
    with open_log(file_url) as log:
        log.append(ANN, [Draft("a")])
        log.version(ANN)
    assert [path.name for path in tmp_path.iterdir()] == ["memory.db"]


# Full disk


@pytest.mark.parametrize("where", ["memory", "file"])
def test_full_disk_keeps_nothing_of_the_call_and_the_log_works_on(file_url: str, where: str) -> None:
    with open_log(file_url if where == "file" else "sqlite://") as log:
        log.append(ANN, [Draft("before")])
        before = log.version(ANN)
        limit_pages(log, 40)
        for _ in range(2):
            with pytest.raises(StoreError, match=r"append failed: .*full.*free some space") as caught:
                log.append(ANN, [Draft(f"{i} " + "x" * 1_000) for i in range(5_000)])
            assert "xxx" not in "".join(traceback.format_exception(caught.value, limit=0))
        with pytest.raises(StoreError, match="full"):
            log.save_compiled(ANN, "c", {str(i): b"x" * 1_000 for i in range(500)})
        assert texts(log, ANN) == ["before"]
        assert log.load_compiled(ANN, "c", map(str, range(500))) == {}
        assert log.version(ANN) == before
        limit_pages(log, 1_000_000)
        assert log.append(ANN, [Draft("after")]) == [2]
        assert texts(log, ANN) == ["before", "after"]


def limit_pages(log: Any, pages: int) -> None:
    # The limit belongs to a connection, and a log that is used by one thread has one.
    with log._db.engine.connect() as connection:
        assert connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}").scalar_one() == pages


# Locked


def test_database_locked_by_another_process_is_a_store_error(
    file_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "WAIT_S", 0.05)
    log = open_log(file_url)
    log.append(ANN, [Draft("before")])
    other = sqlite3.connect(tmp_path / "memory.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    for call in (
        lambda: log.append(ANN, [Draft("a")]),
        lambda: log.save_compiled(ANN, "c", {"h": b""}),
        lambda: log.forget(ANN),
    ):
        with pytest.raises(StoreError, match=r"locked; another process"):
            call()
    assert texts(log, ANN) == ["before"]
    other.execute("ROLLBACK")
    other.close()
    assert log.append(ANN, [Draft("after")]) == [2]
    log.close()


def test_writer_waits_for_the_lock_of_another_process(file_log: Log, tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "memory.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.2, lambda: other.execute("COMMIT"))
    release.start()
    assert file_log.append(ANN, [Draft("a")]) == [1]
    release.join()
    other.close()


def test_thread_does_not_wait_for_ever_for_another_thread(file_log: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "WAIT_S", 0.05)
    errors: list[StoreError] = []

    def write() -> None:
        try:
            file_log.append(ANN, [Draft("a")])
        except StoreError as error:
            errors.append(error)

    with file_log._taking_turns("test"):
        thread = threading.Thread(target=write)
        thread.start()
        thread.join(10)
    thread.join()
    assert "another thread" in str(errors[0])
    assert file_log.append(ANN, [Draft("a")]) == [1]


def test_readers_are_not_held_up_by_a_writer(file_log: Log, tmp_path: Path) -> None:
    file_log.append(ANN, [Draft("before")])
    other = sqlite3.connect(tmp_path / "memory.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    other.execute("DELETE FROM memory_evidence_records")
    assert texts(file_log, ANN) == ["before"]
    file_log.version(ANN)
    other.execute("ROLLBACK")
    other.close()


def test_reading_holds_no_transaction_between_chunks(file_log: Log, tmp_path: Path) -> None:
    file_log.append(ANN, [Draft("text")] * 6_000)
    reading = file_log.records(ANN)
    next(reading)
    file_log.append(ANN, [Draft("more")])
    with contextlib.closing(sqlite3.connect(tmp_path / "memory.db", timeout=0)) as other:
        busy, _, _ = other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    assert busy == 0
    assert [record.position for record in reading][:5_999] == list(range(2, 6_001))


def test_version_is_not_stale_after_a_fork(file_log: Any, file_url: str) -> None:
    file_log.append(ANN, [Draft("a")])
    before = file_log.version(ANN)
    file_log._before_fork()
    with open_log(file_url) as other:
        other.append(ANN, [Draft("b")])
    file_log._after_fork_in_parent()
    assert file_log.version(ANN) != before
    assert file_log.append(ANN, [Draft("c")]) == [3]


# Read-only


def test_read_only_file_can_be_read_and_says_how_to_write(file_url: str, tmp_path: Path) -> None:
    with open_log(file_url) as log:
        log.append(ANN, [Draft("kept")])
    with unwritable(tmp_path / "memory.db"), open_log(file_url) as log:
        assert texts(log, ANN) == ["kept"]
        with pytest.raises(StoreError, match=r"append failed: .*readonly.*; make the file and its folder writable"):
            log.append(ANN, [Draft("lost")])
        assert texts(log, ANN) == ["kept"]


def test_read_only_folder_says_what_to_check(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    with unwritable(folder), pytest.raises(StoreError, match=r"memory\.db failed: .*; check that the path"):
        open_log(f"sqlite:///{folder / 'memory.db'}")
    assert list(folder.iterdir()) == []


# Forgetting


def test_forgotten_text_is_not_left_in_any_file(file_log: Log, tmp_path: Path) -> None:
    file_log.append(ANN, [Draft(f"secret {i}", key=f"secret key {i}") for i in range(300)])
    file_log.save_compiled(ANN, "c", {"h": b"secret result"})
    file_log.append(("acme", "bob"), [Draft("kept")])
    file_log.forget(ANN)
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"kept" in left
    assert b"secret" not in left
    assert b'"ann"' not in left


# PostgreSQL


@pytest.fixture
def postgres_log(postgres_url: str) -> Iterator[Log]:
    log = open_log(postgres_url)
    yield log
    log.close()


@pytest.fixture
def admin(postgres_url: str) -> Iterator[Any]:
    """Another session on the same tables; it is not found by `cut`, which goes by name."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgres_url, application_name="admin") as connection:
        yield connection


def cut(postgres_url: str) -> int:
    """End all sessions of the log, as a restart of the server would."""
    psycopg = pytest.importorskip("psycopg")
    name = postgres_url.rpartition("=")[2]
    with psycopg.connect(postgres_url, application_name="cut", autocommit=True) as connection:
        rows = connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = %s", [name]
        ).fetchall()
    return len(rows)


def test_idle_connection_that_was_cut_is_replaced(postgres_log: Log, postgres_url: str) -> None:
    postgres_log.append(ANN, [Draft("before")])
    assert cut(postgres_url) == 1
    assert postgres_log.append(ANN, [Draft("after")]) == [2]
    assert cut(postgres_url) == 1
    assert texts(postgres_log, ANN) == ["before", "after"]


def test_connection_cut_while_writing_leaves_nothing_half_written(
    postgres_log: Log, postgres_url: str, admin: Any
) -> None:
    postgres_log.append(ANN, [Draft("before", key="k")])
    before = postgres_log.version(ANN)
    # The table is locked for inserts, so the cut comes when the scope's row is already taken.
    admin.execute("LOCK TABLE memory_evidence_records IN SHARE MODE")
    errors: list[StoreError] = []

    def write() -> None:
        try:
            postgres_log.append(ANN, [Draft("lost", key=str(i)) for i in range(5_000)])
        except StoreError as error:
            errors.append(error)

    thread = threading.Thread(target=write)
    thread.start()
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s AND wait_event_type = 'Lock'"
    while not admin.execute(waiting, [postgres_url.rpartition("=")[2]]).fetchone()[0]:
        time.sleep(0.01)
    assert cut(postgres_url) == 1
    thread.join()
    admin.rollback()
    assert "append failed" in str(errors[0])
    assert texts(postgres_log, ANN) == ["before"]
    assert postgres_log.version(ANN) == before
    assert postgres_log.append(ANN, [Draft("again", key="0"), Draft("known", key="k")]) == [2, 1]


def test_scope_locked_by_another_session_is_a_store_error(
    postgres_log: Log, admin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgres_log.append(ANN, [Draft("before")])
    monkeypatch.setattr(database, "WAIT_S", 0.05)
    # Should the log wait for ever, this ends first and no error is raised.
    admin.execute("SET idle_in_transaction_session_timeout = '10s'")
    admin.execute("SELECT * FROM memory_evidence_scopes FOR UPDATE")
    for call in (
        lambda: postgres_log.append(ANN, [Draft("a")]),
        lambda: postgres_log.save_compiled(ANN, "c", {"h": b""}),
        lambda: postgres_log.forget(ANN),
    ):
        with pytest.raises(StoreError, match="lock timeout"):
            call()
    assert postgres_log.append(("acme", "bob"), [Draft("other scopes go on")]) == [1]
    admin.rollback()
    assert postgres_log.append(ANN, [Draft("after")]) == [2]


def test_serializable_by_default_does_not_make_writers_fail(postgres_url: str) -> None:
    strict = postgres_url.replace("options=", "options=-cdefault_transaction_isolation%3Dserializable%20")
    logs = [open_log(strict), open_log(strict)]
    threads = [
        threading.Thread(target=lambda log=log: [log.append(ANN, [Draft("a")]) for _ in range(25)]) for log in logs
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [record.position for record in logs[0].records(ANN)] == list(range(1, 51))
    for log in logs:
        log.close()


def test_keys_are_found_by_index_before_any_statistics_exist(postgres_log: Log, admin: Any) -> None:
    from sqlalchemy import event

    postgres_log.append(ANN, [Draft(f"text {i}", key=str(i)) for i in range(3_000)])
    plans: list[str] = []

    @event.listens_for(postgres_log._db.engine, "before_cursor_execute")  # type: ignore[attr-defined]
    def explain(connection: Any, cursor: Any, statement: str, parameters: Any, *_: object) -> None:
        if "unnest" in statement and statement.startswith("SELECT"):
            plan = admin.execute("EXPLAIN (FORMAT JSON) " + statement, parameters).fetchone()[0]
            plans.append(str(plan))

    assert postgres_log.append(ANN, [Draft("again", key="7")]) == [8]
    assert len(plans) == 1
    assert "memory_evidence_records_key" in plans[0]
