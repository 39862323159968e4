"""Calls go to a twin of the memory, whose embedder is recorded and whose embedded store is used in turns."""

from __future__ import annotations

from contextlib import nullcontext
from inspect import signature
from types import SimpleNamespace
from typing import Any

from mem0_adapter.rows import Rows
from mem0_adapter.twins import turn_at, twin_of
from tests.mem0_adapter.memories import remember


def test_a_twin_leaves_the_memory_as_it_is_but_for_parts_that_mem0_opened_meanwhile(make: Any) -> None:
    memory = make("chroma")
    before = dict(vars(memory))
    with twin_of(memory) as (twin, recorder):
        twin.opened, twin.collection_name = "lazily", "moved"
        memory.collection_name = "changed by another thread"
    assert memory.opened == "lazily"
    assert memory.collection_name == "changed by another thread"
    changed = ("opened", "collection_name")
    assert {k: v for k, v in vars(memory).items() if k not in changed} == {
        k: v for k, v in before.items() if k not in changed
    }
    assert recorder.langchain_model is memory.embedding_model.langchain_model


def owned(store: Any) -> bool:
    """Whether this thread has its turn at the store."""
    return bool(turn_at(store)._is_owned())  # type: ignore[attr-defined]  # of an RLock


def test_each_call_of_an_embedded_store_has_its_turn(make: Any, provider: str, monkeypatch: Any) -> None:
    memory = make(provider)
    kind, seen = type(memory.vector_store), dict[str, bool]()
    for name in ("insert", "search", "get", "update", "list", "delete"):
        own = getattr(kind, name)

        def watched(self: Any, *args: Any, _own: Any = own, _name: str = name, **kwargs: Any) -> Any:
            seen[_name] = seen.get(_name, True) and owned(self)
            return _own(self, *args, **kwargs)

        watched.__signature__ = signature(own)  # type: ignore[attr-defined]
        monkeypatch.setattr(kind, name, watched)
    with twin_of(memory) as (twin, _):
        stored = remember(twin, "Ann drinks tea.")
        twin.update(stored, "Ann drinks coffee.")
        twin.delete(stored)
    rows = Rows(memory)
    rows.nearest("tea", 3, {"user_id": "ann"})
    rows.get([stored])
    list(rows.all({"user_id": "ann"}))
    assert seen == dict.fromkeys(("insert", "search", "get", "update", "list", "delete"), True)
    assert not owned(memory.vector_store)


def test_one_store_has_one_lock_and_two_stores_have_two(make: Any) -> None:
    one, two = make("chroma"), make("chroma")
    assert turn_at(one.vector_store) is turn_at(one.vector_store)
    assert turn_at(one.vector_store) is not turn_at(two.vector_store)


def test_stores_behind_a_server_are_not_held_up() -> None:
    class Qdrant:
        is_local = False

    class ChromaDB:
        settings = SimpleNamespace(chroma_server_host="127.0.0.1")

    class PGVector:
        pass

    for store in (Qdrant(), ChromaDB(), PGVector()):
        assert isinstance(turn_at(store), nullcontext)


def test_what_is_no_method_of_the_store_is_given_as_it_is(make: Any) -> None:
    memory = make("chroma")
    with twin_of(memory) as (twin, _):
        assert twin.vector_store.collection is memory.vector_store.collection
        assert twin.vector_store.client is memory.vector_store.client
