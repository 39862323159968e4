"""Links of a scope: kept exactly, each once, bounded, gone with their memories, exported; on every database."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import event

from memory_evidence.cable import Link, Memory, open_links, text_hash
from memory_evidence.cable.exports import to_mermaid
from memory_evidence.errors import ConfigError, InputError, MissingExtraError, ScopeError, StoreError
from memory_evidence.records import Draft
from memory_evidence.store import open_log
from tests.contract.log_contract import ANN, BOB, ODD_TEXTS, any_text


def link(prior: str, new: str, reason: str = "It led to it.") -> Link:
    return Link(prior, new, reason, "recorded", "2026-01-02T03:04:05+00:00", text_hash(prior), text_hash(new))


def pairs(store: Any, scope: Any = ANN) -> set[tuple[str, str]]:
    return {(found.prior, found.new) for found in store.all(scope)}


# Adding


def test_link_comes_back_with_all_its_fields(store: Any) -> None:
    first, second = link("a", "b", "Because."), link("a", "c")
    assert store.add(ANN, [first, second]) == 2
    assert list(store.all(ANN)) == [first, second]
    assert store.around(ANN, ["b"]) == [first]
    assert store.count(ANN) == 2


def test_link_that_is_there_is_stated_anew_and_not_counted(store: Any) -> None:
    store.add(ANN, [link("a", "b", "old")])
    assert store.add(ANN, [link("a", "b", "new"), link("b", "c"), link("b", "c", "later in the same call")]) == 1
    assert {found.reason for found in store.around(ANN, ["b"])} == {"new", "later in the same call"}


def test_both_directions_are_two_links(store: Any) -> None:
    assert store.add(ANN, [link("a", "b"), link("b", "a")]) == 2
    assert pairs(store) == {("a", "b"), ("b", "a")}


def test_link_is_found_from_both_ends_and_only_once(store: Any) -> None:
    store.add(ANN, [link("a", "b"), link("b", "c"), link("x", "y")])
    assert {(found.prior, found.new) for found in store.around(ANN, ["b"])} == {("a", "b"), ("b", "c")}
    assert len(store.around(ANN, ["a", "b", "c", "a", "nobody"])) == 2
    assert store.around(ANN, []) == []


@pytest.mark.parametrize(("prior", "new"), [("a", "a"), ("", "b"), ("a", ""), (1, "b"), ("a", None)])
def test_link_without_two_memories_is_refused_and_nothing_is_kept(store: Any, prior: Any, new: Any) -> None:
    wrong = link("a", "b")._replace(prior=prior, new=new)
    with pytest.raises(InputError, match="link"):
        store.add(ANN, [link("x", "y"), wrong])
    assert pairs(store) == set()


def test_memory_takes_no_more_links_than_its_cap_and_the_newest_are_refused(url: str) -> None:
    with open_links_with_cap(url, 3) as store:
        assert store.add(ANN, [link(f"p{n}", "hub") for n in range(2)]) == 2
        assert store.add(ANN, [link("hub", f"n{n}") for n in range(5)]) == 1
        assert pairs(store) == {("p0", "hub"), ("p1", "hub"), ("hub", "n0")}
        assert store.add(ANN, [link("p0", "hub", "again"), link("p0", "n0")]) == 1
        assert store.add(BOB, [link("hub", "n4")]) == 1


def open_links_with_cap(url: str, cap: int) -> Any:
    from memory_evidence.cable.link_store import LinkStore

    return LinkStore(url, max_degree=cap)


@pytest.mark.parametrize("cap", [0, -1, 2.5, "3"])
def test_cap_must_be_a_whole_number(cap: Any) -> None:
    with pytest.raises(ConfigError, match="max_degree"):
        open_links_with_cap("sqlite://", cap)


def test_many_links_come_back_in_slices(store: Any) -> None:
    made = [link(f"{n:05}", f"{n + 1:05}") for n in range(2_500)]
    assert store.add(ANN, made) == 2_500
    assert list(store.all(ANN)) == made
    assert len(store.around(ANN, [f"{n:05}" for n in range(1_200)])) == 1_200


# Names


@pytest.mark.parametrize("name", [*[text for text in ODD_TEXTS if text], "i" * 999, "i" * 1_001, "é" * 2_000])
def test_any_id_and_any_text_is_kept_exactly(store: Any, name: str) -> None:
    scope = (f"s{name}", "%")
    made = link(name, "other" + name, name)._replace(verifier=name, time=name)
    store.add(scope, [made])
    assert list(store.all(scope)) == [made]
    assert store.around(scope, [name]) == [made]
    assert store.around(scope, [name[:-1] or "x"]) == []
    assert store.scopes() == [scope]


@settings(max_examples=30)
@given(st.sets(st.tuples(any_text.filter(bool), any_text.filter(bool)).filter(lambda ends: ends[0] != ends[1])))
def test_what_is_added_is_what_is_found(ends: set[tuple[str, str]]) -> None:
    with open_links("sqlite://") as store:
        store.add(ANN, [link(prior, new) for prior, new in ends])
        assert pairs(store) == ends
        for end in sorted({end for pair in ends for end in pair}):
            touched = {pair for pair in ends if end in pair}
            assert {(found.prior, found.new) for found in store.around(ANN, [end])} == touched
            assert store.drop(ANN, [end]) == len(touched)
            ends = ends - touched


# Scopes


def test_scopes_never_mix(store: Any) -> None:
    store.add(("a_b",), [link("1", "2")])
    store.add(("a", "b"), [link("1", "3")])
    assert pairs(store, ("a_b",)) == {("1", "2")}
    assert [found.new for found in store.around(("a", "b"), ["1", "2", "3"])] == ["3"]
    assert store.around(("a",), ["1"]) == []
    assert store.drop(("a", "b"), ["1"]) == 1
    assert store.clear(("a", "b")) == 0
    assert pairs(store, ("a_b",)) == {("1", "2")}


@pytest.mark.parametrize("scope", [None, "ann", (), ("",), (1,)])
@pytest.mark.parametrize("method", ["all", "clear", "count", "counts", "to_json"])
def test_missing_scope_is_an_error_and_never_everyone(method: str, scope: Any) -> None:
    with open_links("sqlite://") as store, pytest.raises(ScopeError):
        getattr(store, method)(scope)


def test_known_scopes_are_listed(store: Any) -> None:
    store.add(BOB, [link("1", "2")])
    store.enqueue(("t", 'O\'Brien "x" %'), [Memory("1", "text")])
    assert store.scopes() == [BOB, ("t", 'O\'Brien "x" %')]
    assert store.scopes(pending=True) == [("t", 'O\'Brien "x" %')]
    store.clear_all()
    assert store.scopes() == []


# Deleting


def test_links_of_a_dropped_memory_are_gone(store: Any) -> None:
    store.add(ANN, [link("a", "b"), link("b", "c"), link("c", "d")])
    assert store.drop(ANN, ["b", "nobody"]) == 2
    assert pairs(store) == {("c", "d")}
    assert store.drop(("nobody",), ["c"]) == 0


def test_clearing_takes_everything_of_one_scope(store: Any) -> None:
    for scope in (ANN, BOB):
        store.add(scope, [link("a", "b")])
        store.enqueue(scope, [Memory("a", "text")])
    assert store.clear(ANN) == 1
    assert (pairs(store), store.order(ANN, ["a"]), store.counts(ANN).known) == (set(), {}, 0)
    assert (pairs(store, BOB), store.counts(BOB).pending) == ({("a", "b")}, 1)
    assert store.clear(ANN) == 0


def test_deleted_text_is_not_left_in_any_file(file_url: str, tmp_path: Path) -> None:
    with open_links(file_url) as store:
        store.add(ANN, [link("id-of-secret", f"n{n}", "a secret reason") for n in range(30)])
        store.add(BOB, [link("1", "2", "kept")])
        store.drop(ANN, ["id-of-secret"])
        left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"kept" in left
    assert b"secret" not in left


def test_rejected_links_go_and_verified_ones_are_stated_anew(store: Any) -> None:
    store.add(ANN, [link("a", "b"), link("a", "c"), link("a", "d")])
    again = link("a", "b", "Still.")._replace(prior_hash=text_hash("edited"))
    assert store.restate(ANN, [again, link("never", "there")], [("a", "c"), ("c", "a")]) == 1
    assert set(store.all(ANN)) == {again, link("a", "d")}
    assert store.restate(("nobody",), [again], [("a", "d")]) == 0


# With a log in the same database


def test_a_log_in_the_same_database_and_scope_is_left_alone(shared_url: str) -> None:
    with open_log(shared_url) as log, open_links(shared_url) as store:
        log.append(ANN, [Draft("record")])
        store.add(ANN, [link("a", "b")])
        assert log.forget(ANN) == 1
        assert pairs(store) == {("a", "b")}
        assert store.clear(ANN) == 1
        assert log.version(ANN).epoch == 0


# Opening


def test_open_links_passes_a_store_through() -> None:
    with open_links("sqlite://") as store:
        assert open_links(store) is store


@pytest.mark.parametrize("store", [None, 5, Path("memory.db"), "memory.db", "mysql://host/db"])
def test_what_is_neither_url_nor_link_store_is_refused(store: Any) -> None:
    with pytest.raises(ConfigError, match="store"):
        open_links(store)


def plan_of(store: Any, ids: list[str]) -> str:
    """Return how the database looks for the links around `ids`."""
    if store._db.is_sqlite:
        with store._db.reader.connect() as connection:
            driver = connection.connection.driver_connection  # goes back to the pool, where `around` takes it
        asked: list[str] = []
        driver.set_trace_callback(asked.append)
        store.around(ANN, ids)
        driver.set_trace_callback(None)
        (statement,) = asked
        return "\n".join(str(row[-1]) for row in driver.execute(f"EXPLAIN QUERY PLAN {statement}"))
    sent: list[tuple[str, Any]] = []

    def note(connection: Any, cursor: Any, statement: str, parameters: Any, *_: object) -> None:
        sent.append((statement, parameters))

    event.listen(store._db.engine, "before_cursor_execute", note)
    store.around(ANN, ids)
    event.remove(store._db.engine, "before_cursor_execute", note)
    ((statement, parameters),) = sent
    with store._db.engine.connect() as connection:
        return "\n".join(
            str(row[-1]) for row in connection.exec_driver_sql(f"EXPLAIN (COSTS OFF) {statement}", parameters)
        )


@pytest.mark.parametrize("count", [1, 10, 400])
def test_links_are_looked_up_at_both_ends_by_one_query_and_by_index(shared_url: str, count: int) -> None:
    with open_links(shared_url) as store:
        store.add(ANN, [link(f"{n}", f"{n + 1}") for n in range(500)])
        plan = plan_of(store, [f"{n}" for n in range(count)])
        if shared_url.startswith("sqlite"):
            assert "USING PRIMARY KEY (scope_id=? AND prior=?)" in plan
            assert "USING INDEX memory_evidence_links_new (scope_id=? AND new=?)" in plan
        else:
            assert "(prior = wanted.id)" in plan
            assert "(new = wanted_1.id)" in plan
            assert plan.count("Index Cond") + plan.count("Recheck Cond") >= 3
            assert "Seq Scan on memory_evidence_links " not in plan


def test_closed_store_refuses_every_call(url: str) -> None:
    with open_links(url) as store:
        store.add(ANN, [link("a", "b")])
    for call in (
        lambda: store.add(ANN, [link("a", "c")]),
        lambda: store.around(ANN, ["a"]),
        lambda: store.all(ANN),
        lambda: store.enqueue(ANN, [Memory("a", "text")]),
        lambda: store.claim(ANN, "worker", 1, 60.0),
    ):
        with pytest.raises(StoreError, match=r"the link store .* is closed; open it again with open_links"):
            call()


def test_importing_defers_the_database_and_needs_no_networkx() -> None:
    code = "import sys, memory_evidence.cable; sys.exit(bool({'sqlalchemy', 'networkx'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# Exports


def test_networkx_graph_runs_from_the_earlier_memory(store: Any) -> None:
    store.add(ANN, [link("a", "b", "Because."), link("b", "c")])
    graph = store.to_networkx(ANN)
    assert sorted(graph.edges) == [("a", "b"), ("b", "c")]
    assert graph.edges["a", "b"]["reason"] == "Because."
    assert set(graph.edges["a", "b"]) == {"reason", "verifier", "time", "prior_hash", "new_hash"}


def test_missing_networkx_is_named(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingExtraError, match="networkx"):
        store.to_networkx(ANN)


def test_mermaid_shows_texts_where_it_has_them_and_only_links_of_the_ids(store: Any) -> None:
    store.add(ANN, [link("a", "b", "Because."), link("c", "d")])
    assert store.to_mermaid(ANN, ["b"], texts={"a": "Ann lost her job."}) == (
        'flowchart LR\n  n0["Ann lost her job."]\n  n1["b"]\n  n0 -->|"Because."| n1'
    )
    assert store.to_mermaid(ANN).count("-->") == 2


def test_mermaid_label_cannot_leave_its_quotes() -> None:
    drawn = to_mermaid([link('a"] --> x', "b\nc", '"| y; click <script>')], {})
    assert len(drawn.splitlines()) == 4
    assert drawn.count('"') == 6
    assert "<" not in drawn


def test_json_holds_every_field_and_reads_back(store: Any) -> None:
    made = [link("a", "b", "\ud800 é"), link("b", "c")]
    store.add(ANN, made)
    found = json.loads(store.to_json(ANN))
    assert found["scope"] == list(ANN)
    assert [Link(**each) for each in found["links"]] == made
