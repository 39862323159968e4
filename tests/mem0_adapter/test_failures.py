"""mem0 or the links fail, or give what they should not: the caller gets a clear error, or mem0's own result."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mem0_adapter import AsyncCableMemory, CableMemory
from mem0_adapter.rows import Rows
from memory_evidence.cable.expand import PAPER
from memory_evidence.errors import HostError, StoreError
from tests.mem0_adapter.memories import (
    CAUSE,
    EFFECT,
    NEAR,
    QUESTION,
    asynchronous,
    ids,
    link,
    plain,
    refusing,
    remember,
)

Story = tuple[Any, CableMemory, str, str]


class Broken:
    """Passes on to a part of mem0, but for one method that raises."""

    def __init__(self, part: Any, method: str) -> None:
        self._part, self._method = part, method

    def __getattr__(self, name: str) -> Any:
        if name == self._method:
            raise ConnectionError("the vector store is away")
        return getattr(self._part, name)


@pytest.fixture(params=["raise", "skip"])
def on_error(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def story(make: Callable[..., Any], links: str, on_error: str) -> Story:
    memory = make("chroma")
    cable = CableMemory(
        memory, store=links, model=refusing(), linking="deferred", expand_options=PAPER, on_error=on_error
    )
    cause = remember(cable, CAUSE)
    for text in NEAR:
        remember(cable, text)
    effect = remember(cable, EFFECT)
    cable.links.add(cable.scope(user_id="ann"), [link(cause, effect, (CAUSE, EFFECT))])
    return memory, cable, cause, effect


def drop_tables(links: str) -> None:
    with closing(sqlite3.connect(links.removeprefix("sqlite:///"), isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        for (name,) in found.fetchall():
            connection.execute(f'DROP TABLE "{name}"')


def test_a_search_without_its_links_is_mem0s_own_with_a_warning(
    story: Story, links: str, on_error: str, caplog: pytest.LogCaptureFixture
) -> None:
    memory, cable, _, _ = story
    drop_tables(links)
    if on_error == "raise":
        with pytest.raises(StoreError):
            cable.search(QUESTION, user_id="ann", limit=6)
        return
    with caplog.at_level(logging.WARNING, "memory_evidence"):
        response = cable.search(QUESTION, user_id="ann", limit=6)
    assert response["results"] == plain(memory, QUESTION, 6)
    assert "store" in response["cable"]["warning"]
    assert len([record for record in caplog.records if record.name.startswith("memory_evidence")]) == 1
    assert cable.explain(QUESTION, user_id="ann", limit=6).warning


def test_a_store_whose_rows_cannot_be_read_costs_the_expansion_alone(story: Story, on_error: str) -> None:
    memory, cable, _, _ = story
    alone, own = plain(memory, QUESTION, 6), memory.vector_store.collection
    # mem0 searches with `query`; what we look up, we look up with `get`.
    memory.vector_store.collection = Broken(own, "get")
    if on_error == "raise":
        with pytest.raises(HostError) as caught:
            cable.search(QUESTION, user_id="ann", limit=6)
        assert isinstance(caught.value.__cause__, ConnectionError)
    else:
        response = cable.search(QUESTION, user_id="ann", limit=6)
        assert response["results"] == alone
        assert "away" in response["cable"]["warning"]


def test_an_added_memory_that_mem0_cannot_give_leaves_mem0s_own_result(story: Story, on_error: str) -> None:
    memory, cable, _, _ = story
    alone = plain(memory, QUESTION, 6)

    def failing(memory_id: str) -> Any:
        raise ConnectionError("away")

    memory.get = failing
    if on_error == "raise":
        with pytest.raises(HostError, match=r"mem0\.get failed: ConnectionError: away"):
            cable.search(QUESTION, user_id="ann", limit=6)
    else:
        response = cable.search(QUESTION, user_id="ann", limit=6)
        assert response["results"] == alone
        assert "away" in response["cable"]["warning"]
    memory.get = lambda memory_id: None  # deleted just now
    assert cable.search(QUESTION, user_id="ann", limit=6) == {"results": alone}


def stands(call: Any, on_error: str, kind: type[Exception]) -> None:
    """Make a call of which mem0's part stands, whatever becomes of the links."""
    if on_error == "skip":
        call()
        return
    with pytest.raises(kind) as caught:
        call()
    assert "stands; `backfill` and `reverify` bring" in caught.value.__notes__[0]


def test_what_mem0_stored_stays_stored_when_the_links_fail(story: Story, links: str, on_error: str) -> None:
    memory, cable, cause, _ = story
    drop_tables(links)
    calls = (
        lambda: cable.add("Emma has a dog.", user_id="ann", infer=False),
        lambda: cable.update(cause, "Nobody shouted."),
        lambda: cable.delete(cause),
    )
    for call in calls:
        stands(call, on_error, StoreError)
    held = {item["memory"] for item in plain(memory, "Emma", 50)}
    assert "Emma has a dog." in held
    assert not held & {CAUSE, "Nobody shouted."}


def test_what_mem0_stored_and_cannot_be_read_back_stays_stored(story: Story, on_error: str) -> None:
    memory, cable, _, _ = story
    own = memory.vector_store.collection
    memory.vector_store.collection = Broken(own, "get")
    if on_error == "raise":
        with pytest.raises(HostError) as caught:
            cable.add("Emma has a dog.", user_id="ann", infer=False)
        assert "stands; `backfill`" in caught.value.__notes__[0]
    else:
        assert len(cable.add("Emma has a dog.", user_id="ann", infer=False)["results"]) == 1
    memory.vector_store.collection = own
    assert "Emma has a dog." in {item["memory"] for item in plain(memory, "dog", 50)}
    known = cable.stats(user_id="ann").memories
    cable.backfill(user_id="ann")
    assert cable.stats(user_id="ann").memories == known + 1


def test_mem0_deletes_also_what_cannot_be_looked_up_first(story: Story, on_error: str) -> None:
    memory, cable, cause, _ = story
    calls = (lambda: cable.delete(cause), lambda: cable.delete_all(user_id="ann"))
    for call in calls:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Rows, "get", failing)
            patch.setattr(Rows, "all", failing)
            stands(call, on_error, HostError)
    assert plain(memory, QUESTION, 50) == []
    assert cable.stats(user_id="ann").links == 1
    cable.reverify(user_id="ann")
    assert cable.stats(user_id="ann").links == 0
    with pytest.raises(Exception) as theirs:  # noqa: PT011 - whatever mem0 raises
        memory.delete(None)
    with pytest.raises(type(theirs.value)):
        cable.delete(None)


def failing(*_: Any, **__: Any) -> Any:
    raise ConnectionError("away")


def test_mem0s_own_errors_come_through_as_they_are(story: Story) -> None:
    memory, cable, _, _ = story
    memory.vector_store = Broken(memory.vector_store, "search")
    with pytest.raises(ConnectionError):
        cable.search(QUESTION, user_id="ann", limit=6)
    with pytest.raises(Exception, match="messages must be"):
        cable.add(3, user_id="ann")


def test_what_a_failing_add_did_not_store_is_not_queued(story: Story) -> None:
    memory, cable, _, _ = story
    before = cable.stats(user_id="ann").memories
    memory.vector_store = Broken(memory.vector_store, "insert")
    with pytest.raises(ConnectionError):
        cable.add("Emma has a dog.", user_id="ann", infer=False)
    assert cable.stats(user_id="ann").memories == before


class Odd:
    """Makes of mem0's result what hosts have been seen to return."""

    @staticmethod
    def twice(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [item for item in results for _ in range(2)]

    @staticmethod
    def unscored(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{**item, "score": None} for item in results]

    @staticmethod
    def without_score(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{key: value for key, value in item.items() if key != "score"} for item in results]

    @staticmethod
    def unknown(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
        stranger = {"id": "O'Brien.50%", "memory": "A note.", "user_id": "ann", "score": 0.9}
        return [results[0], stranger, {**stranger, "id": 7}, *results[1:-2]]

    @staticmethod
    def fewer(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return results[:3]

    @staticmethod
    def none(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return []


@pytest.mark.parametrize("oddity", ["twice", "unscored", "without_score", "unknown", "fewer", "none"])
def test_odd_results_are_expanded_within_their_own_length(story: Story, oddity: str) -> None:
    memory, cable, cause, _ = story
    search, change = memory.search, getattr(Odd, oddity)

    def odd(query: str, *, top_k: int = 20, limit: int = 100, filters: Any = None, user_id: Any = None) -> Any:
        return {"results": change(plain(_Own(search), query, 6))}

    memory.search = odd
    own = memory.search(QUESTION)["results"]
    found = cable.search(QUESTION, user_id="ann", limit=6)["results"]
    assert len(found) <= len(own)
    assert [str(item["id"]) for item in found if "cable" not in item] == list(
        dict.fromkeys(str(item["id"]) for item in own if str(item["id"]) in map(str, ids(found)))
    ) or found == own
    assert (cause in ids(found)) is (oddity != "none")


class _Own:
    def __init__(self, search: Any) -> None:
        self.search = search


@pytest.mark.parametrize(
    "name", ["O'Brien", "a.b@c.org", "50%", '"quoted"', "Jürgen_Müller", "u\\1", "用户", "$ne", "x" * 300]
)
def test_any_name_of_a_user_is_one_user(make: Any, links: str, name: str) -> None:
    memory = make("chroma")
    cable = CableMemory(memory, store=links, model=refusing(), linking="deferred", expand_options=PAPER)
    cause, effect = remember(cable, CAUSE, name), remember(cable, EFFECT, name)
    remember(cable, NEAR[0], name)
    remember(cable, CAUSE, name + "_")
    cable.links.add(cable.scope(user_id=name), [link(cause, effect, (CAUSE, EFFECT))])
    assert ids(cable.search(QUESTION, user_id=name, limit=2)) == [effect, cause]
    assert len(ids(cable.get_all(user_id=name, limit=50))) == 3
    assert cable.backfill(user_id=name).pending == 0
    cable.delete_all(user_id=name)
    assert cable.stats(user_id=name).links == 0
    assert len(ids(cable.get_all(user_id=name + "_", limit=50))) == 1


def test_a_number_is_a_user_as_well(make: Any, links: str) -> None:
    cable = CableMemory(make("chroma"), store=links, model=refusing(), linking="deferred", expand_options=PAPER)
    numbers: Any = 7
    cause, effect = remember(cable, CAUSE, numbers), remember(cable, EFFECT, "7")
    remember(cable, NEAR[0], numbers)
    cable.links.add(cable.scope(user_id=7), [link(cause, effect, (CAUSE, EFFECT))])
    assert ids(cable.search(QUESTION, user_id=7, limit=2)) == [effect, cause]
    cable.delete_all(user_id=7)
    assert ids(cable.get_all(user_id="7", limit=5)) == []


async def test_the_async_memory_skips_and_raises_alike(story: Story, links: str, on_error: str) -> None:
    memory, own, _, _ = story
    cable = AsyncCableMemory(
        asynchronous(memory),
        store=own.links,
        model="rules",
        linking="deferred",
        on_error=on_error,  # type: ignore[arg-type]
    )
    drop_tables(links)
    if on_error == "raise":
        with pytest.raises(StoreError):
            await cable.search(QUESTION, user_id="ann", limit=6)
        with pytest.raises(StoreError):
            await cable.add("Emma has a dog.", user_id="ann", infer=False)
    else:
        response = await cable.search(QUESTION, user_id="ann", limit=6)
        assert response["cable"]["warning"]
        await cable.add("Emma has a dog.", user_id="ann", infer=False)
    assert "Emma has a dog." in {item["memory"] for item in plain(memory, "dog", 50)}


def test_a_store_that_cannot_be_opened_is_an_error_at_once_or_never_in_the_way(make: Any, tmp_path: Path) -> None:
    memory = make("chroma")
    where = f"sqlite:///{tmp_path / 'missing' / 'links.db'}"
    with pytest.raises(StoreError):
        CableMemory(memory, store=where, model="rules")
    cable = CableMemory(memory, store=where, model="rules", on_error="skip", linking="deferred")
    stored = remember(cable, EFFECT)
    assert ids(cable.search(QUESTION, user_id="ann", limit=3)) == [stored]
