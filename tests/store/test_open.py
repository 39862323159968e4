"""Opening: which URLs, which databases, which versions of the tables."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from memory_evidence.errors import ConfigError, MissingExtraError, StoreError, StoreSchemaError
from memory_evidence.records import Draft
from memory_evidence.store import Log, open_log, rows, schema
from tests.contract.log_contract import ANN, texts

# URLs


def test_open_log_passes_a_log_through() -> None:
    with open_log("sqlite://") as log:
        assert open_log(log) is log


@pytest.mark.parametrize(
    "store",
    [
        "memory.db",
        "",
        "mysql://user@host/db",
        "postgresql+psycopg2://user@host/db",
        "sqlite+aiosqlite:///memory.db",
        "sqlite://memory.db",
        "sqlite:///memory.db?mode=ro",
        "sqlite:///file:memory.db",
        "sqlite:///",
        "sqlite:///memory\0.db",
        "sqlite:///memory%00.db",
        "sqlite:///memory\ud800.db",
        "postgresql://host/d\0b",
        "postgresql://host:port/db",
    ],
)
def test_other_urls_are_refused_with_an_example(store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"`store` must be .*sqlite:///path/to/memory\.db.*; got "):
        open_log(store)
    assert list(tmp_path.iterdir()) == []


def test_url_with_an_empty_path_is_told_which_one_is_in_memory() -> None:
    with pytest.raises(ConfigError, match=r'"sqlite://" is the one in memory'):
        open_log("sqlite:///")


@pytest.mark.parametrize("store", [None, 5, Path("memory.db"), {"url": "sqlite://"}])
def test_what_is_neither_url_nor_log_is_refused(store: Any) -> None:
    with pytest.raises(ConfigError, match="a URL such as"):
        open_log(store)


@pytest.mark.parametrize(
    "store",
    [
        "mysql://u:hush/w@hush@host/db",
        "postgresql://u:hush@host:port/db",
        "u:hush@host",
        "mysql://host/db?password=hush",
    ],
)
def test_refused_url_is_shown_without_its_password(store: str) -> None:
    with pytest.raises(ConfigError) as caught:
        open_log(store)
    assert "host" in str(caught.value)
    assert "hush" not in str(caught.value)


def test_unreachable_server_is_a_store_error_without_the_password() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StoreError, match=r"open postgresql://\*\*\*@127\.0\.0\.1:1/db failed") as caught:
        open_log("postgresql://ann:hush@127.0.0.1:1/db")
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_all_postgres_urls_lead_to_the_same_database(postgres_url: str, scheme: str) -> None:
    with open_log(postgres_url) as log:
        log.append(ANN, [Draft("a")])
    with open_log(scheme + postgres_url[postgres_url.index("://") :]) as log:
        assert texts(log, ANN) == ["a"]


def test_missing_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"memory-evidence\[postgres\]"):
        open_log("postgresql://user@host/db")


def test_importing_the_store_does_not_import_sqlalchemy() -> None:
    code = "import sys, memory_evidence.store; sys.exit('sqlalchemy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_relative_path_is_that_of_the_folder_it_was_opened_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with open_log("sqlite:///memory.db") as log:
        monkeypatch.chdir(tmp_path / "elsewhere")
        log.append(ANN, [Draft("a")])
        threads = [threading.Thread(target=texts, args=(log, ANN)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        log.version(ANN)
        assert list((tmp_path / "elsewhere").iterdir()) == []


def test_missing_folder_is_named_and_not_created(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "there"
    with pytest.raises(StoreError, match=f"the folder {folder} does not exist; create it first"):
        open_log(f"sqlite:///{folder / 'memory.db'}")
    assert list(tmp_path.iterdir()) == []


def test_folder_in_place_of_a_file_is_a_store_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="check that the path is a file"):
        open_log(f"sqlite:///{tmp_path}")


def test_database_file_is_durable(file_url: str, tmp_path: Path) -> None:
    with open_log(file_url) as log:
        with log._db.engine.connect() as connection:  # type: ignore[attr-defined]
            found = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")]
        assert found == ["wal", 2]


# Foreign databases


def content(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("script", "named"),
    [
        ("CREATE TABLE notes (text)", "notes"),
        ("CREATE TABLE memory_evidence_records (text)", "memory_evidence_records"),
        ("CREATE VIEW one AS SELECT 1", "one"),
        ("PRAGMA application_id = 1094861636", "application_id 1094861636"),
        ("PRAGMA journal_mode = WAL; CREATE TABLE notes (text)", "notes"),
    ],
)
def test_database_of_another_application_is_refused_and_left_alone(
    file_url: str, tmp_path: Path, script: str, named: str
) -> None:
    other = sqlite3.connect(tmp_path / "memory.db")
    other.executescript(script)
    other.close()
    before = content(tmp_path)
    with pytest.raises(StoreSchemaError, match=rf"holds {named} of another application; give the path of a new file"):
        open_log(file_url)
    assert content(tmp_path) == before


def test_file_that_is_no_database_is_refused_and_left_alone(file_url: str, tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_text("Dear diary, " * 100)
    before = content(tmp_path)
    with pytest.raises(StoreSchemaError, match="not a database; give the path of a new file"):
        open_log(file_url)
    assert content(tmp_path) == before


def test_empty_file_becomes_a_log(file_url: str, tmp_path: Path) -> None:
    (tmp_path / "memory.db").touch()
    with open_log(file_url) as log:
        assert log.append(ANN, [Draft("a")]) == [1]


def test_postgres_tables_of_others_are_no_obstacle(postgres_url: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgres_url) as other:
        other.execute("CREATE TABLE checkpoints (id int)")
    with open_log(postgres_url) as log:
        assert log.append(ANN, [Draft("a")]) == [1]


def test_postgres_table_of_our_name_that_is_not_ours_is_refused(postgres_url: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgres_url) as other:
        other.execute("CREATE TABLE memory_evidence_scopes (id int)")
    with pytest.raises(StoreSchemaError, match="memory_evidence_scopes of another application"):
        open_log(postgres_url)


# Versions


@pytest.fixture(params=["file", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(f"{request.param}_url")
    return found


def store_version(url: str, value: str | None) -> None:
    """Write a log whose schema version is `value`."""
    with open_log(url) as log:
        log.append(ANN, [Draft("kept")])
        with log._db.writer.begin() as connection:  # type: ignore[attr-defined]
            if value is None:
                connection.exec_driver_sql("DELETE FROM memory_evidence_meta")
            else:
                connection.exec_driver_sql(f"UPDATE memory_evidence_meta SET value = '{value}'")


NOW = schema.SCHEMA_VERSION


def add_table(connection: Connection) -> None:
    connection.exec_driver_sql("CREATE TABLE memory_evidence_new (id int)")


def test_newer_schema_is_refused_and_left_alone(url: str) -> None:
    store_version(url, "99")
    for _ in range(2):
        with pytest.raises(StoreSchemaError, match=rf"newer release \(schema 99; this one knows {NOW}\); upgrade with"):
            open_log(url)


@pytest.mark.parametrize("value", [None, "", "one", "-1", "\u0661", "1\u00b2", "9" * 5_000])
def test_unreadable_schema_version_is_refused(url: str, value: str | None) -> None:
    store_version(url, value)
    with pytest.raises(StoreSchemaError, match="holds no schema version"):
        open_log(url)


def test_schema_too_old_to_upgrade_is_refused(url: str) -> None:
    store_version(url, "0")
    with pytest.raises(StoreSchemaError, match="schema 0 is too old"):
        open_log(url)


def test_older_schema_is_upgraded_step_by_step_and_once(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    open_log(url).close()
    done: list[int] = []

    def first(connection: Connection) -> None:
        add_table(connection)
        done.append(1)

    def second(connection: Connection) -> None:
        connection.exec_driver_sql("INSERT INTO memory_evidence_new VALUES (2)")
        done.append(2)

    monkeypatch.setattr(schema, "SCHEMA_VERSION", NOW + 2)
    monkeypatch.setattr(schema, "MIGRATIONS", {NOW: first, NOW + 1: second})
    for _ in range(2):
        with open_log(url) as log:
            log.append(ANN, [Draft("a")])
            with log._db.reader.connect() as connection:  # type: ignore[attr-defined]
                assert connection.exec_driver_sql("SELECT id FROM memory_evidence_new").scalars().all() == [2]
    assert done == [1, 2]
    monkeypatch.undo()
    with pytest.raises(StoreSchemaError, match=rf"schema {NOW + 2}; this one knows {NOW}"):
        open_log(url)


def test_failed_upgrade_leaves_the_older_schema_usable(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store_version(url, str(NOW))

    def fails(connection: Connection) -> None:
        add_table(connection)
        connection.exec_driver_sql("INSERT INTO no_such_table VALUES (1)")

    with monkeypatch.context() as patch:
        patch.setattr(schema, "SCHEMA_VERSION", NOW + 1)
        patch.setattr(schema, "MIGRATIONS", {NOW: fails})
        with pytest.raises(StoreError, match="no_such_table"):
            open_log(url)
        patch.setattr(schema, "MIGRATIONS", {NOW: add_table})
        # Would fail if the table of the failed upgrade were still there.
        open_log(url).close()


def open_together(url: str) -> int:
    opened: list[Log] = []
    threads = [threading.Thread(target=lambda: opened.append(open_log(url))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for log in opened:
        log.close()
    return len(opened)


def test_threads_that_open_together_create_the_tables_once(url: str) -> None:
    assert open_together(url) == 6


def test_threads_that_upgrade_together_upgrade_once(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    open_log(url).close()
    monkeypatch.setattr(schema, "SCHEMA_VERSION", NOW + 1)
    monkeypatch.setattr(schema, "MIGRATIONS", {NOW: add_table})
    assert open_together(url) == 6


def test_tables_created_by_another_process_while_opening_are_not_taken_for_foreign(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = schema._strangers

    def look_and_be_overtaken(*arguments: Any) -> list[str]:
        found = look(*arguments)
        monkeypatch.undo()
        open_log(postgres_url).close()
        return found

    monkeypatch.setattr(schema, "_strangers", look_and_be_overtaken)
    with open_log(postgres_url) as log:
        assert log.append(ANN, [Draft("a")]) == [1]


# Reading by parts


def test_long_records_are_read_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "READ_BYTES", 1_000)
    with open_log("sqlite://") as log:
        written = ["s" * 10] * 60 + ["long " * 500] * 3 + ["m" * 400] * 9 + ["é" * 300] * 5
        log.append(ANN, [Draft(text) for text in written])
        assert texts(log, ANN) == written
        with log._db.reader.connect() as connection:  # type: ignore[attr-defined]
            epoch, after = log.version(ANN).epoch, 0
            while part := rows.read_records(connection, epoch, after):
                assert len(part) == 1 or sum(len(record.text.encode()) for record in part) <= 1_000
                after = part[-1].position
        assert after == len(written)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_log_in_memory_becomes_the_childs_own_copy() -> None:
    code = (
        "import os, sys\n"
        "from memory_evidence.store import open_log\n"
        "from memory_evidence.records import Draft\n"
        "log = open_log('sqlite://')\n"
        "log.append(('a',), [Draft('before')])\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    os._exit(log.append(('a',), [Draft('child')])[0])\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2\n"
        "assert [r.text for r in log.records(('a',))] == ['before']\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
