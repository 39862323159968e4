"""Two mem0 stores share a link store and touch nothing of each other; one that moves takes its links along."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mem0_adapter import AsyncCableMemory, CableMemory
from mem0_adapter.places import place_of
from memory_evidence.cable.links import open_links
from memory_evidence.cable.reports import LinkingReport
from tests.mem0_adapter.memories import (
    CAUSE,
    EFFECT,
    NEAR,
    asynchronous,
    link,
    open_memory,
    refusing,
    release,
    remember,
)


def stored(provider: str = "qdrant", **settings: Any) -> Any:
    return SimpleNamespace(config=SimpleNamespace(vector_store=SimpleNamespace(provider=provider, config=settings)))


def wrapped(memory: Any, links: Any) -> CableMemory:
    return CableMemory(memory, store=links, model=refusing(), linking="deferred")


def test_two_stores_with_one_collection_name_and_one_link_store_leave_each_other_alone(make: Any, links: str) -> None:
    work, private = make("chroma"), make("chroma")
    one, other = wrapped(work, links), wrapped(private, links)
    cause, effect = remember(one, CAUSE), remember(one, EFFECT)
    one.links.add(one.scope(user_id="ann"), [link(cause, effect, (CAUSE, EFFECT))])
    remember(other, "The bakery in Lyon is open.")
    report = other.link_pending()
    assert (report.linked, report.gone) == (1, 0)
    assert other.reverify().checked == 0
    assert (one.stats().pending, one.stats().links) == (2, 1)
    other.delete_all(user_id="ann")
    other.reset()
    assert (one.stats().memories, one.stats().links) == (2, 1)
    assert one.link_pending().linked == 2


@pytest.mark.parametrize(
    ("this", "that"),
    [
        ({"path": "a"}, {"path": "b"}),
        ({"host": "a", "path": "/tmp/qdrant"}, {"host": "b", "path": "/tmp/qdrant"}),
        ({"host": "a", "port": 1}, {"host": "a", "port": 2}),
        ({"connection_string": "postgresql://u:p@a/x"}, {"connection_string": "postgresql://u:p@a/y"}),
        ({"connection_string": "host=a dbname=x"}, {"connection_string": "host=a dbname=y"}),
        ({"host": "a", "dbname": "x"}, {"host": "a", "dbname": "y"}),
        ({"redis_url": "redis://a/0"}, {"redis_url": "redis://a/1"}),
    ],
)
def test_what_tells_two_stores_apart(this: dict[str, Any], that: dict[str, Any]) -> None:
    assert place_of(stored(**this)) != place_of(stored(**that))
    assert place_of(stored(**this)) != place_of(stored("milvus", **this))


@pytest.mark.parametrize(
    ("this", "that"),
    [
        ({"path": "a"}, {"path": "./b/../a/"}),
        ({"url": "https://a:6333", "api_key": "one"}, {"url": "https://a:6333/", "api_key": "two"}),
        (
            {"connection_string": "postgresql://u:one@a/x"},
            {"connection_string": "postgresql://v:two@a/x?sslmode=require"},
        ),
        ({"connection_string": "host=a password=one"}, {"connection_string": "host=a password='two x'"}),
        ({"host": "a", "embedding_model_dims": 3}, {"host": "a", "embedding_model_dims": 4}),
        ({}, {"path": None}),
    ],
)
def test_keys_spellings_and_settings_are_no_part_of_the_place(this: dict[str, Any], that: dict[str, Any]) -> None:
    assert place_of(stored(**this)) == place_of(stored(**that))


def test_a_folder_is_one_place_from_wherever_it_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "name").symlink_to(tmp_path / "real")
    places = {place_of(stored(path=str(tmp_path / "real"))), place_of(stored(path=str(tmp_path / "name")))}
    monkeypatch.chdir(tmp_path)
    assert len(places | {place_of(stored(path="real"))}) == 1


def test_a_memory_without_settings_has_a_place() -> None:
    assert len({place_of(object()), place_of(SimpleNamespace(config=None))}) == 1


def old_scope(cable: CableMemory) -> tuple[str, ...]:
    """As scopes were before they named the place."""
    host, collection, _, key, value = cable.scope(user_id="ann")
    return host, collection, key, value


async def backfilled(cable: CableMemory, kind: str) -> LinkingReport:
    if kind == "async":
        other = AsyncCableMemory(asynchronous(cable._memory), store=cable.links, model=refusing(), linking="deferred")
        return await other.backfill(user_id="ann")
    return cable.backfill(user_id="ann")


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_links_from_before_scopes_named_the_place_are_taken_over(make: Any, links: str, kind: str) -> None:
    cable = wrapped(make("chroma"), links)
    cause, effect, alone, changed = (remember(cable._memory, text) for text in (CAUSE, EFFECT, *NEAR[:2]))
    made = link(cause, effect, (CAUSE, EFFECT))
    old, scope = old_scope(cable), cable.scope(user_id="ann")
    kept = [(cause, CAUSE), (effect, EFFECT), (alone, NEAR[0]), (changed, "An older text."), ("gone", "Gone.")]
    for memory, text in kept:
        cable.links.enqueue_hashes(old, {memory: link("", "", (text, "")).prior_hash})
    cable.links.add(
        old, [made, link(cause, changed, (CAUSE, "An older text.")), link("gone", effect, ("Gone.", EFFECT))]
    )
    report = await backfilled(cable, kind)
    assert list(cable.links.all(scope)) == [made]
    assert (report.linked, report.pending) == (2, 0), "only what had no link that holds was judged"
    assert cable.links.order(scope, [cause])[cause] < cable.links.order(scope, [effect])[effect]
    assert cable.links.count(old) == 3, "it may be that of another store"
    assert (await backfilled(cable, kind)).linked == 0


def test_a_store_that_moved_takes_its_links_along(tmp_path: Path, links: str) -> None:
    memory = open_memory(tmp_path / "old", "qdrant")
    store = open_links(links)
    cable = wrapped(memory, store)
    cause, effect = remember(cable, CAUSE), remember(cable, EFFECT)
    cable.link_pending()
    cable.links.add(cable.scope(user_id="ann"), [link(cause, effect, (CAUSE, EFFECT))])
    release(memory)
    (tmp_path / "old").rename(tmp_path / "new")
    memory = open_memory(tmp_path / "new", "qdrant")
    cable = wrapped(memory, store)
    new = remember(cable, NEAR[0])
    assert cable.stats().links == 0
    cable.backfill(user_id="ann")
    assert [(one.prior, one.new) for one in cable.links.all(cable.scope(user_id="ann"))] == [(cause, effect)]
    order = cable.links.order(cable.scope(user_id="ann"), [cause, effect, new])
    assert sorted(order, key=lambda each: order[each]) == [cause, effect, new]
    release(memory)
    store.close()
