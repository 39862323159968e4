"""`AsyncCableMemory` does what `CableMemory` does, and never holds up the event loop."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from typing import Any

import pytest
from mem0 import AsyncMemory

from mem0_adapter import AsyncCableMemory, CableMemory
from memory_evidence.cable.expand import PAPER
from tests.mem0_adapter.memories import CAUSE, EFFECT, NEAR, QUESTION, ids, link, refusing

ENGINE: dict[str, Any] = {"model": refusing(), "linking": "deferred", "expand_options": PAPER}


async def told(cable: AsyncCableMemory, text: str, user_id: str = "ann", **options: Any) -> str:
    return ids(await cable.add(text, user_id=user_id, infer=False, **options))[0]


async def story(make: Callable[..., Any], links: str, **settings: Any) -> tuple[AsyncCableMemory, str, str]:
    cable = AsyncCableMemory(make("chroma", asynchronous=True), store=links, **(ENGINE | settings))
    cause = await told(cable, CAUSE)
    for text in NEAR:
        await told(cable, text)
    effect = await told(cable, EFFECT)
    await asyncio.to_thread(cable.links.add, cable.scope(user_id="ann"), [link(cause, effect, (CAUSE, EFFECT))])
    return cable, cause, effect


async def test_a_search_reaches_the_cause_and_tells_how(make: Any, links: str) -> None:
    cable, cause, effect = await story(make, links)
    found = (await cable.search(QUESTION, user_id="ann", limit=6))["results"]
    assert len(found) == 6
    assert (found[-1]["id"], found[-1]["cable"]["paths"][0]["seed"]) == (cause, effect)
    explained = await cable.explain(QUESTION, filters={"user_id": "ann"}, top_k=6)
    assert explained.ids == tuple(ids(found))
    await cable.aclose()


async def test_writes_are_followed_as_by_the_sync_twin(make: Any, links: str) -> None:
    async with AsyncCableMemory(make("chroma", asynchronous=True), store=links, **ENGINE) as cable:
        one, two, three = [await told(cable, text) for text in (CAUSE, EFFECT, NEAR[0])]
        other = await told(cable, CAUSE, "bob", run_id="r")
        scope = cable.scope(user_id="ann")
        assert cable.stats(user_id="ann").pending == 3
        assert (await cable.link_pending()).pending == 0
        cable.links.add(scope, [link(one, two, (CAUSE, EFFECT)), link(one, three, (CAUSE, NEAR[0]))])
        await cable.update(two, "Emma stayed after all.")
        assert cable.stats(user_id="ann").pending == 1
        await cable.delete(one)
        assert list(cable.links.all(scope)) == []
        await cable.delete_all(user_id="bob", run_id="r")
        assert cable.links.known(cable.scope(user_id="bob"), [other]) == {}
        assert len((await cable.get_all(user_id="ann", limit=9))["results"]) == 2
        assert (await cable.get(three))["memory"] == NEAR[0]
        assert len(await cable.history(two)) == 2
        await cable.reset()
        assert cable.stats(user_id="ann").memories == 0


async def test_memories_from_before_are_linked_afterwards(make: Any, links: str) -> None:
    memory = make("chroma", asynchronous=True)
    for text in (CAUSE, EFFECT):
        await memory.add(text, user_id="ann", infer=False)
    cable = AsyncCableMemory(memory, store=links, **ENGINE)
    seen: list[tuple[int, int]] = []
    report = await cable.backfill(filters={"user_id": "ann"}, progress=lambda done, total: seen.append((done, total)))
    assert report.linked + report.skipped == 2
    assert seen[-1] == (2, 2)


async def test_many_at_once_lose_nothing_and_mix_nothing(make: Any, links: str) -> None:
    cable = AsyncCableMemory(make("chroma", asynchronous=True), store=links, **ENGINE)
    users = ("ann", "bob", "eve")
    texts = [f"Note {number} about the garden of {user}." for number in range(8) for user in users]
    stored = await asyncio.gather(*(told(cable, text, text.split()[-1].rstrip(".")) for text in texts))
    found = await asyncio.gather(*(cable.search("garden", user_id=user, limit=20) for user in users))
    assert sorted(i for one in found for i in ids(one)) == sorted(stored)
    for user, one in zip(users, found, strict=True):
        assert {item["user_id"] for item in one["results"]} == {user}
        assert cable.stats(user_id=user).pending == 8


async def test_nothing_of_ours_runs_on_the_event_loop(make: Any, links: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cable, cause, effect = await story(make, links)
    loop = threading.get_ident()
    on_loop: list[str] = []
    rows, links_of = cable._rows, cable.links
    for owner, name in [
        *((type(rows), name) for name in ("get", "vectors", "embed", "nearest", "all")),
        *((type(links_of), name) for name in ("around", "enqueue", "drop", "clear", "claim", "scopes")),
    ]:
        own = getattr(owner, name)

        def watched(*args: Any, _own: Any = own, _name: str = name, **kwargs: Any) -> Any:
            if threading.get_ident() == loop:
                on_loop.append(_name)
            return _own(*args, **kwargs)

        monkeypatch.setattr(owner, name, watched)
    await told(cable, "Emma found a new job.")
    await cable.search(QUESTION, user_id="ann", limit=6)
    await cable.explain(QUESTION, user_id="ann", limit=6)
    await cable.link_pending()
    await cable.backfill(user_id="ann")
    await cable.update(effect, "Emma left on Friday.")
    await cable.delete(cause)
    await cable.delete_all(user_id="ann")
    await cable.reset()
    await cable.aclose()
    assert on_loop == []


def test_it_has_a_twin_of_each_method() -> None:
    for name in (
        "add",
        "search",
        "explain",
        "get_all",
        "update",
        "delete",
        "delete_all",
        "reset",
        "link_pending",
        "backfill",
    ):
        twin = getattr(AsyncCableMemory, name)
        assert inspect.iscoroutinefunction(twin)
        assert inspect.signature(twin).parameters == inspect.signature(getattr(CableMemory, name)).parameters
    for name in ("add", "search", "get", "get_all", "update", "delete", "delete_all", "history", "reset"):
        assert inspect.iscoroutinefunction(getattr(AsyncMemory, name))


async def test_what_is_written_while_its_caller_is_cancelled_is_queued_all_the_same(make: Any, links: str) -> None:
    async with AsyncCableMemory(make("chroma", asynchronous=True), store=links, **ENGINE) as cable:
        for number in range(3):
            call = asyncio.ensure_future(told(cable, f"Emma has {number} dogs."))
            await asyncio.sleep(0)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
        for _ in range(600):
            if (await cable.astats(user_id="ann")).pending == 3:
                break
            await asyncio.sleep(0.05)
        held = (await cable.get_all(user_id="ann", limit=9))["results"]
        assert (len(held), (await cable.astats(user_id="ann")).pending) == (3, 3)
        assert (await cable.reverify(user_id="ann")).checked == 0
