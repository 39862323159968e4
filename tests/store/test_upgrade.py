"""A database of an earlier release opens, keeps what is in it, and gets the tables of this one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import create_engine, inspect

from memory_evidence.cable import Cable, Link, open_links
from memory_evidence.records import Draft
from memory_evidence.store import open_log, schema
from tests.cable.hosts import NumpyHost
from tests.store import version_1, version_2


@pytest.fixture(params=["file", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(f"{request.param}_url")
    return found


def tables(url: str) -> dict[str, Any]:
    """Return columns, keys and indexes of every table, and the version."""
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    look = inspect(engine)
    found: dict[str, Any] = {
        name: (
            [(column["name"], str(column["type"]), column["nullable"]) for column in look.get_columns(name)],
            look.get_pk_constraint(name)["constrained_columns"],
            sorted((index["name"] or "", index["column_names"]) for index in look.get_indexes(name)),
            sorted(key["referred_table"] for key in look.get_foreign_keys(name)),
        )
        for name in look.get_table_names()
    }
    with engine.connect() as connection:
        found["version"] = connection.exec_driver_sql("SELECT value FROM memory_evidence_meta").scalars().all()
    engine.dispose()
    return found


@pytest.mark.parametrize("opener", [open_log, open_links])
def test_version_1_is_upgraded_and_loses_nothing(url: str, opener: Callable[[str], Any]) -> None:
    version_1.create(url)
    opener(url).close()
    with open_log(url) as log:
        assert list(log.records(version_1.SCOPE)) == version_1.RECORDS
        assert log.load_compiled(version_1.SCOPE, "c", ["h"]) == {"h": b"x"}
        assert log.append(version_1.SCOPE, [Draft("known", key="k1"), Draft("new")]) == [1, 3]
    with open_links(url) as links:
        assert links.add(version_1.SCOPE, [Link("a", "b", "r", "v", "t", "h", "h")]) == 1


def test_version_2_keeps_its_links_and_what_they_link_is_read_by_a_backfill(url: str) -> None:
    version_2.create(url)
    host = NumpyHost(version_2.MEMORIES, scope=version_2.SCOPE)
    with Cable(lambda _: host, store=url, linking="deferred") as cable:
        assert list(cable.links.all(host.scope)) == [version_2.LINK]
        assert cable.links.order(host.scope, ["a", "b"]) == {"a": 1, "b": 2}
        assert cable.links.outdated(host.scope, ["a", "b"]) == []
        report = cable.backfill(host)
        assert (report.linked, report.links) == (0, 0)
        assert [(one.id, one.by, one.value) for one in cable.links.outdated(host.scope, ["a", "b"])] == [
            ("a", "b", "Oslo")
        ]
        assert cable.links.unread(host.scope, ["a", "b"]) == set()


@pytest.mark.parametrize("earlier", [version_1, version_2])
def test_upgraded_tables_are_those_of_a_new_database(url: str, earlier: Any) -> None:
    earlier.create(url)
    open_log(url).close()
    upgraded = tables(url)
    assert upgraded["version"] == [str(schema.SCHEMA_VERSION)]
    if url.startswith("sqlite"):
        url = url.replace("memory.db", "new.db")
    else:
        psycopg = pytest.importorskip("psycopg")
        with psycopg.connect(url, autocommit=True) as admin:
            for name in upgraded:
                admin.execute(f"DROP TABLE IF EXISTS {name} CASCADE")
    open_log(url).close()
    assert tables(url) == upgraded


def test_threads_that_upgrade_version_1_together_upgrade_once(url: str) -> None:
    version_1.create(url)
    errors: list[BaseException] = []

    def open_both() -> None:
        try:
            open_links(url).close()
            open_log(url).close()
        except BaseException as error:
            errors.append(error)
            raise

    threads = [threading.Thread(target=open_both) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert tables(url)["version"] == [str(schema.SCHEMA_VERSION)]


def test_upgrade_that_fails_leaves_version_1(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    version_1.create(url)
    before = tables(url)
    add_links = schema.MIGRATIONS[1]

    def stop_after(connection: Any) -> None:
        add_links(connection)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setitem(schema.MIGRATIONS, 1, stop_after)
        with pytest.raises(KeyboardInterrupt):
            open_log(url)
    assert tables(url) == before
    open_links(url).close()
    assert tables(url)["version"] == [str(schema.SCHEMA_VERSION)]
