"""What `Cable` does when the store, the host or the model fails: a clear error, or the host's plain result."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory_evidence.cable import Cable, Hit, Link, Memory, open_links, store_access
from memory_evidence.cable.guard import GuardedHost
from memory_evidence.errors import ConfigError, HostError, ScopeError, StoreError, StoreSchemaError
from memory_evidence.store import database, open_log
from tests.cable.hosts import NumpyHost, numbered
from tests.cable.judges import judge
from tests.cable.test_cable import CAUSE, ONE_QUERY, QUESTION, STORY, TRUE, cable_of, read
from tests.store.test_failures import unwritable

SCOPE = ("user",)


@pytest.fixture
def host() -> NumpyHost:
    return NumpyHost(STORY)


@pytest.fixture
def linked_url(file_url: str, host: NumpyHost) -> str:
    """A file in which the story is linked."""
    with cable_of(host, store=file_url, model=judge(TRUE, ONE_QUERY)) as cable:
        cable.written(SCOPE, STORY)
        cable.link_pending()
    return file_url


def plain_ids(host: NumpyHost) -> tuple[str, ...]:
    return tuple(hit.memory.id for hit in host.search(QUESTION, 4))


# Arguments


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"linking": "later"}, "`linking` must be one of 'background', 'inline', 'deferred', 'asyncio'"),
        ({"on_error": None}, "`on_error` must be one of 'raise', 'skip'"),
        ({"concurrency": 0}, "`concurrency`"),
        ({"replace": -1}, "`replace`"),
        ({"replace": 2.5}, "`replace`"),
        ({"replace": "a"}, "`replace`"),
        ({"store": "memory.db"}, "`store`"),
        ({"store": "memory.db", "on_error": "skip"}, "`store`"),
    ],
)
def test_wrong_argument_is_named(host: NumpyHost, options: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        cable_of(host, **options)


def test_host_that_cannot_be_opened_is_no_function() -> None:
    with pytest.raises(ConfigError, match="`open_host`"):
        Cable(NumpyHost(), store="sqlite://")  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [2.5, "a", True])
def test_a_call_that_replaces_no_whole_number_is_refused_whatever_is_skipped(wrong: Any) -> None:
    host = NumpyHost([Memory("1", "A text.")])
    with (
        Cable(lambda _: host, store="sqlite://", linking="deferred", on_error="skip") as cable,
        pytest.raises(ConfigError, match="`replace`"),
    ):
        cable.expand(host, "text", host.search("text", 1), limit=1, replace=wrong)


def test_scope_that_is_no_tuple_is_refused(host: NumpyHost) -> None:
    with cable_of(host) as cable, pytest.raises(ScopeError):
        cable.written("user", STORY)  # type: ignore[arg-type]


# Stores that cannot be used


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE notes (text)")


def newer(path: Path) -> None:
    open_log(f"sqlite:///{path}").close()
    with sqlite3.connect(path) as other:
        other.execute("UPDATE memory_evidence_meta SET value = '99'")


def no_database(path: Path) -> None:
    path.write_text("Dear diary, " * 100)


@pytest.mark.parametrize(
    ("spoil", "error", "named"),
    [
        (foreign, StoreSchemaError, "another application"),
        (newer, StoreSchemaError, "pip install -U memory-evidence"),
        (no_database, StoreSchemaError, "not a database"),
        (Path.mkdir, StoreError, "check that the path is a file"),
    ],
)
def test_unusable_store_is_a_clear_error_or_the_hosts_plain_result_with_one_warning(
    host: NumpyHost,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    spoil: Callable[[Path], None],
    error: type[StoreError],
    named: str,
) -> None:
    spoil(tmp_path / "links.db")
    store = f"sqlite:///{tmp_path / 'links.db'}"
    with pytest.raises(error, match=named):
        cable_of(host, store=store)
    with cable_of(host, store=store, on_error="skip") as cable:
        assert len(caplog.records) == 1
        found = read(cable, host)
        assert found.ids == plain_ids(host)
        assert named in (found.warning or "")
        assert len(caplog.records) == 2
        for change in (
            lambda: cable.written(SCOPE, STORY),
            lambda: cable.deleted(SCOPE, ["1"]),
            lambda: cable.cleared(SCOPE),
            cable.reset,
        ):
            caplog.clear()
            change()
            assert [record.levelname for record in caplog.records] == ["WARNING"]
            assert named in caplog.text
        with pytest.raises(error, match=named):
            cable.link_pending()


def test_missing_folder_is_named_and_the_store_is_used_once_it_is_there(
    host: NumpyHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with cable_of(host, store=f"sqlite:///{tmp_path / 'later' / 'links.db'}", on_error="skip") as cable:
        assert "does not exist; create it first" in (read(cable, host).warning or "")
        (tmp_path / "later").mkdir()
        assert read(cable, host).warning is not None  # not tried again so soon
        monkeypatch.setattr(store_access, "REOPEN_S", 0.0)
        assert read(cable, host).warning is None
        cable.written(SCOPE, STORY)
        assert cable.stats().memories == len(STORY)


def test_locked_store_can_be_read_and_a_write_says_what_to_do(
    host: NumpyHost, linked_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(database, "WAIT_S", 0.05)
    other = sqlite3.connect(tmp_path / "memory.db", isolation_level=None)
    with cable_of(host, store=linked_url) as strict, cable_of(host, store=linked_url, on_error="skip") as lenient:
        other.execute("BEGIN IMMEDIATE")
        assert read(strict, host).added
        with pytest.raises(StoreError, match=r"queue memories failed: .*locked; another process"):
            strict.written(SCOPE, numbered("new", start=9))
        lenient.written(SCOPE, numbered("new", start=9))
        assert "written memories are not linked" in caplog.text
        other.execute("ROLLBACK")
        lenient.written(SCOPE, numbered("new", start=9))
        assert lenient.stats().pending == 1
    other.close()


def test_locked_store_holds_up_the_first_of_the_calls_that_go_on_without_it(
    host: NumpyHost, linked_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(database, "WAIT_S", 0.05)
    monkeypatch.setattr(store_access, "SLOW_S", 0.01)
    new = numbered("new", start=9)
    other = sqlite3.connect(tmp_path / "memory.db", isolation_level=None)
    with cable_of(host, store=linked_url) as strict, cable_of(host, store=linked_url, on_error="skip") as lenient:
        other.execute("BEGIN IMMEDIATE")
        for cable in (strict, lenient):
            with contextlib.suppress(StoreError):
                cable.written(SCOPE, new)
        other.execute("ROLLBACK")
        # Nothing is in the way any more: what is refused now was not tried, so it did not wait.
        caplog.clear()
        lenient.written(SCOPE, new)
        lenient.deleted(SCOPE, ["1"])
        lenient.cleared(SCOPE)
        lenient.reset()
        assert [record.message.partition(":")[0] for record in caplog.records] == [
            "written memories are not linked",
            *["links of deleted memories stay; they are not shown"] * 3,
        ]
        assert (lenient.stats().memories, lenient.stats().links) == (len(STORY), 1)
        assert read(lenient, host).added
        strict.written(SCOPE, new)
        assert strict.stats().memories == len(STORY) + 1
        monkeypatch.setattr(store_access, "REOPEN_S", 0.0)
        lenient.deleted(SCOPE, ["1"])
        assert lenient.stats().links == 0
    other.close()


def test_failure_without_a_wait_keeps_no_later_call_from_the_store(
    host: NumpyHost, linked_url: str, tmp_path: Path
) -> None:
    with cable_of(host, store=linked_url, on_error="skip") as cable:
        with unwritable(tmp_path / "memory.db"):
            cable.written(SCOPE, numbered("new", start=9))
        cable.written(SCOPE, numbered("new", start=9))
        assert cable.stats().pending == 1


def test_scope_that_another_session_keeps_locked_is_a_store_error(
    host: NumpyHost, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    psycopg = pytest.importorskip("psycopg")
    with cable_of(host, store=postgres_url, model=judge(TRUE, ONE_QUERY)) as cable:
        cable.written(SCOPE, STORY)
        cable.link_pending()
        monkeypatch.setattr(database, "WAIT_S", 0.05)
        with psycopg.connect(postgres_url) as other:
            other.execute("SELECT * FROM memory_evidence_link_scopes FOR UPDATE")
            with pytest.raises(StoreError, match=r"queue memories failed: .*lock timeout"):
                cable.written(SCOPE, numbered("new", start=9))
            assert read(cable, host).added
            cable.links.add(("user", "other"), [Link("1", "2", "r", "v", "t", "h", "h")])
        cable.written(SCOPE, numbered("new", start=9))
        assert cable.stats(SCOPE).pending == 1


def test_claims_are_renewed_without_waiting_for_a_memory_that_is_changed(postgres_url: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    with open_links(postgres_url) as links, psycopg.connect(postgres_url) as other:
        links.enqueue(SCOPE, STORY[:2])
        links.claim(SCOPE, "slow", 2, 0.0)
        other.execute("SELECT * FROM memory_evidence_nodes ORDER BY position LIMIT 1 FOR UPDATE")
        links.renew("slow", 60.0)
        other.rollback()
        assert [claimed.id for claimed in links.claim(SCOPE, "other", 2, 60.0)] == ["1"]


def test_read_only_store_is_read_and_says_how_to_write(host: NumpyHost, linked_url: str, tmp_path: Path) -> None:
    with unwritable(tmp_path / "memory.db"), cable_of(host, store=linked_url) as cable:
        assert read(cable, host).added
        with pytest.raises(StoreError, match="make the file and its folder writable"):
            cable.written(SCOPE, numbered("new", start=9))
        assert read(cable, host).added


def test_closed_cable_is_a_store_error_or_the_plain_result_and_closes_no_store_of_others(
    host: NumpyHost, linked_url: str
) -> None:
    with open_links(linked_url) as links:
        shared = cable_of(host, store=links)
        strict, lenient = (cable_of(host, store=linked_url, on_error=mode) for mode in ("raise", "skip"))
        for cable in (shared, strict, lenient, strict):
            cable.close()
        with pytest.raises(StoreError, match="is closed; open it again with open_links"):
            read(strict, host)
        assert read(lenient, host).ids == plain_ids(host)
        assert read(shared, host).added
        assert links.count(SCOPE) == 1


def test_damaged_link_is_a_store_error_or_a_warning(host: NumpyHost, linked_url: str, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "memory.db") as damage:
        damage.execute("UPDATE memory_evidence_links SET reason = x'ff00'")
    with cable_of(host, store=linked_url) as cable, pytest.raises(StoreError, match="damaged"):
        read(cable, host)
    with cable_of(host, store=linked_url, on_error="skip") as cable:
        assert read(cable, host).ids == plain_ids(host)


# Hosts that fail


class Broken(NumpyHost):
    """A host whose method `broken` raises what `error` says."""

    broken: str | None = None
    error: Exception = RuntimeError("the vector store is gone")

    def __getattribute__(self, name: str) -> Any:
        if name == object.__getattribute__(self, "broken"):
            raise object.__getattribute__(self, "error")
        return super().__getattribute__(name)


@pytest.mark.parametrize("method", ["get", "vectors", "embed"])
@pytest.mark.parametrize("error", [RuntimeError("gone"), KeyError("user_id"), HostError("mem0.get", "gone"), OSError()])
def test_failing_host_is_a_host_error_or_its_plain_result(linked_url: str, method: str, error: Exception) -> None:
    host = Broken(STORY)
    hits = host.search(QUESTION, 4)
    host.broken, host.error = method, error
    with cable_of(host, store=linked_url) as cable, pytest.raises(HostError):
        cable.expand(host, QUESTION, hits, limit=4)
    with cable_of(host, store=linked_url, on_error="skip") as cable:
        found = cable.expand(host, QUESTION, hits, limit=4)
        assert [entry.memory for entry in found.entries] == [hit.memory for hit in hits]
        assert "failed" in (found.warning or "")
        assert "Warning" in found.explain()


@pytest.mark.parametrize("answer", [np.zeros(64), np.zeros((2, 64)), np.zeros((1, 2, 3))])
def test_embedding_of_a_wrong_shape_is_a_host_error(linked_url: str, host: NumpyHost, answer: Any) -> None:
    hits = host.search(QUESTION, 4)
    host.embed = lambda texts: answer  # type: ignore[method-assign]
    with cable_of(host, store=linked_url) as cable, pytest.raises(HostError, match="shape"):
        cable.expand(host, QUESTION, hits, limit=4)


def test_host_that_returns_what_was_not_asked_for_adds_nothing_of_it(linked_url: str, host: NumpyHost) -> None:
    everything = {memory.id: memory for memory in STORY} | {"x": Memory("x", "of another user")}
    host.get = lambda ids: everything | {"1": Memory("7", CAUSE)}  # type: ignore[method-assign]
    with cable_of(host, store=linked_url) as cable:
        assert read(cable, host).ids == plain_ids(host)


def test_guarded_host_answers_what_was_asked_and_nothing_else(host: NumpyHost) -> None:
    first, *_, last = STORY
    host.get = lambda ids: {"1": first, "2": last, "8": last}  # type: ignore[method-assign]
    host.search = lambda query, k: [Hit(m, None) for m in (first, first, last)]  # type: ignore[method-assign]
    guarded = GuardedHost(host)
    assert guarded.get(["1", "2", "9"]) == {"1": first}
    assert [hit.memory for hit in guarded.search("q", 5)] == [first, last]
    assert len(guarded.search("q", 1)) == 1


def test_write_that_cannot_be_read_back_is_an_error_or_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    host = Broken(STORY)
    host.broken = "get"
    with cable_of(host) as cable, pytest.raises(HostError, match="the vector store is gone"):
        cable.written_ids(host, ["1"])
    with cable_of(host, on_error="skip") as cable:
        cable.written_ids(host, ["1"])
        assert "written memories are not linked" in caplog.text


def test_memories_stay_pending_while_the_host_is_down() -> None:
    host = Broken(STORY)
    with cable_of(host) as cable:
        cable.written(SCOPE, STORY)
        host.broken = "search"
        report = cable.link_pending()
        assert (report.failed, report.pending, report.linked) == (3, 8, 0)
        assert "the vector store is gone" in str(report)
        host.broken = None
        assert cable.link_pending().linked == 8


def test_host_that_cannot_list_its_memories_fails_backfill_alone() -> None:
    host = Broken(STORY)
    host.broken = "memories"
    with cable_of(host) as cable, pytest.raises(HostError, match="memories"):
        cable.backfill(host)


def test_scopes_of_another_host_are_left_alone(host: NumpyHost, file_url: str) -> None:
    def only_ours(scope: tuple[str, ...]) -> NumpyHost:
        if scope != SCOPE:
            raise ScopeError(scope)
        return host

    with open_links(file_url) as store:
        store.enqueue(("chroma", "other"), numbered("theirs"))
        store.add(("chroma", "other"), [Link("1", "2", "r", "v", "t", "h", "h")])
    with Cable(only_ours, store=file_url, linking="deferred") as cable:
        cable.written(SCOPE, STORY)
        assert cable.link_pending().linked == 8
        assert cable.reverify().checked == cable.stats().links
        assert cable.stats().memories == 8
        cable.reset()
        assert cable.links.scopes() == [("chroma", "other")]
        assert cable.links.counts(("chroma", "other")).pending == 1


def test_ids_that_are_no_text_are_a_host_error_or_the_plain_result() -> None:
    host = NumpyHost(numbered("Emma wrote a letter.", "The tram is late."))
    hits = [Hit(Memory(7, "Emma wrote a letter."), 0.5), *host.search("tram", 1)]  # type: ignore[arg-type]
    with Cable(lambda _: host, store="sqlite://", linking="deferred") as cable, pytest.raises(HostError, match="id 7"):
        cable.expand(host, "letter", hits, limit=2)
    with Cable(lambda _: host, store="sqlite://", linking="deferred", on_error="skip") as cable:
        found = cable.expand(host, "letter", hits, limit=2)
    assert [entry.memory for entry in found.entries] == [hit.memory for hit in hits]
    assert "id 7" in (found.warning or "")
