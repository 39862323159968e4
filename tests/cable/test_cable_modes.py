"""When memories are linked: by a thread, by a task of the event loop, and what is left when they end."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from memory_evidence.cable import Cable, Memory, linking, pending, rounds
from memory_evidence.errors import ModelError, StoreError
from memory_evidence.testing import ScriptedModel
from tests.cable.hosts import NumpyHost, numbered
from tests.cable.judges import answering, down, judge
from tests.cable.test_cable import EFFECT, ONE_QUERY, QUESTION, STORY, TRUE, cable_of, links_of, read

ROOT = Path(__file__).parents[2]
SCOPE = ("user",)
WAIT_S = 20.0


@pytest.fixture
def host() -> NumpyHost:
    return NumpyHost(STORY)


class Signalling(NumpyHost):
    """A host that says when a memory is looked for, and holds its reader up if told to."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.seen, self.go_on = threading.Event(), threading.Event()
        self.go_on.set()

    def search(self, query: str, k: int) -> Any:
        found = super().search(query, k)
        self.seen.set()
        assert self.go_on.wait(WAIT_S)
        return found


# Background


def test_background_links_what_was_written_and_waits_for_more(host: NumpyHost, url: str) -> None:
    with cable_of(host, store=url, linking="background", model=judge(TRUE, ONE_QUERY)) as cable:
        cable.written(SCOPE, STORY)
        assert cable.link_pending().pending == 0
        assert links_of(cable) == {("1", "8")}
        cable.written(SCOPE, numbered("something else", start=9))
        assert cable.link_pending().pending == 0
        assert cable.stats().memories == 8  # the host does not hold number 9


def test_background_takes_up_what_an_earlier_process_left(host: NumpyHost, file_url: str) -> None:
    with cable_of(host, store=file_url) as cable:
        cable.written(SCOPE, STORY)
    host = Signalling(STORY)
    with cable_of(host, store=file_url, linking="background") as cable:
        assert not host.seen.is_set()
        read(cable, NumpyHost(STORY))
        assert host.seen.wait(WAIT_S)


def test_memories_of_one_scope_do_not_wait_for_the_backlog_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "TURN_S", 0.0)
    scopes: list[Any] = [("ann",), ("bo",)]
    hosts = {scope: NumpyHost([Memory(str(n), f"It broke {n}.") for n in range(150)], scope=scope) for scope in scopes}
    finished: list[Any] = []
    with Cable(hosts.__getitem__, store="sqlite://", linking="deferred") as cable:
        for scope, count in zip(scopes, (150, 3), strict=True):
            cable.written(scope, list(hosts[scope].memories())[:count])
        keep = cable.links.finish

        def finish(scope: Any, owner: str, found: Any) -> Any:
            finished.append(scope)
            return keep(scope, owner, found)

        monkeypatch.setattr(cable.links, "finish", finish)
        assert cable._link_due(threading.Event()) is None
        assert cable.stats().pending == 0
    assert [scope for scope, after in pairwise([*finished, None]) if scope != after] == [*scopes, scopes[0]]


def test_waiting_for_the_claims_of_a_worker_that_may_be_dead_is_told(
    host: NumpyHost, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(linking, "_PATIENCE_S", 0.2)
    with cable_of(host) as cable:
        cable.written(SCOPE, STORY)
        cable.links.claim(SCOPE, "dead", 8, 1.0)
        assert cable.link_pending().linked == 8
    assert [record.message for record in caplog.records] == [
        "another worker has claimed memories; if it has died, they are free within 60 s"
    ]


def test_reading_is_not_held_up_by_linking(file_url: str) -> None:
    host = Signalling(STORY)
    host.go_on.clear()
    with cable_of(host, store=file_url, linking="background", rules=True) as cable:
        cable.written(SCOPE, STORY)
        assert host.seen.wait(WAIT_S)
        assert read(cable, NumpyHost(STORY)).warning is None
        host.go_on.set()


def test_closing_ends_after_the_memory_at_hand_and_the_rest_waits(file_url: str) -> None:
    host = Signalling(STORY)
    host.go_on.clear()
    cable = cable_of(host, store=file_url, linking="background")
    cable.written(SCOPE, STORY)
    assert host.seen.wait(WAIT_S)
    closing = threading.Thread(target=cable.close)
    closing.start()
    assert cable._schedule.stop.wait(WAIT_S)
    host.go_on.set()
    closing.join(WAIT_S)
    assert not closing.is_alive()
    with cable_of(NumpyHost(STORY), store=file_url) as again:
        assert again.stats().pending == 7
        assert again.links.first_until(SCOPE, claimed=True) is None
        assert again.link_pending().linked == 7


def test_thread_pauses_while_the_model_is_down_and_then_goes_on(
    host: NumpyHost, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(pending, "PAUSE_S", 0.01)
    model = ScriptedModel([ModelError("call", "connection refused"), *[answering(TRUE, ONE_QUERY)] * 500])
    with cable_of(host, linking="background", model=model) as cable:
        cable.written(SCOPE, STORY)
        # The one that failed has a pause of its own.
        eventually(lambda: cable.stats().pending == 1)
        assert "linking pauses for 0 s: model: call failed: connection refused" in caplog.text
        assert (cable.link_pending().pending, links_of(cable)) == (0, {("1", "8")})


def eventually(happens: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not happens():
        assert time.monotonic() < deadline


def test_object_that_is_dropped_takes_its_thread_along() -> None:
    host = Signalling(STORY)
    host.go_on.clear()
    cable = cable_of(host, linking="background")
    cable.written(SCOPE, STORY)
    assert host.seen.wait(WAIT_S)
    thread, gone = cable._schedule.thread._thread, weakref.ref(cable)
    assert thread is not None
    del cable  # while its thread is at work
    host.go_on.set()
    thread.join(WAIT_S)
    assert not thread.is_alive()
    assert gone() is None


def test_program_may_end_in_the_middle_of_linking(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from tests.cable.hosts import NumpyHost\n"
        "from tests.cable.judges import judge\n"
        "from tests.cable.test_cable import *\n"
        "host = NumpyHost(STORY)\n"
        "cable = cable_of(host, store=sys.argv[1], linking='background', model=judge(TRUE, ONE_QUERY))\n"
        "cable.written(host.scope, STORY)\n"
        "print('written')\n"
    )
    url = f"sqlite:///{tmp_path / 'm.db'}"
    done = subprocess.run(
        [sys.executable, "-c", code, url], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "written\n", "")
    with cable_of(NumpyHost(STORY), store=url, model=judge(TRUE, ONE_QUERY)) as cable:
        assert cable.links.first_until(SCOPE, claimed=True) is None
        assert cable.link_pending().pending == 0
        assert links_of(cable) == {("1", "8")}


# The event loop


async def test_asyncio_mode_links_by_a_task_of_the_loop(host: NumpyHost, url: str) -> None:
    with cable_of(host, store=url, linking="asyncio", model=judge(TRUE, ONE_QUERY)) as cable:
        await cable.awritten(SCOPE, STORY)
        await cable.afinish()
        assert links_of(cable) == {("1", "8")}
        found = await cable.aexpand(host, QUESTION, host.search(QUESTION, 4), limit=4)
        assert [entry.memory.id for entry in found.added] == ["1"]
        host.put(Memory("8", EFFECT + " Today."))
        await cable.awritten(SCOPE, [Memory("8", EFFECT + " Today.")])
        await cable.afinish()
        assert (links_of(cable), cable.stats().pending) == (set(), 0)


async def test_plain_write_on_the_loop_starts_the_task_too(host: NumpyHost) -> None:
    with cable_of(host, linking="asyncio", model=judge(TRUE, ONE_QUERY)) as cable:
        cable.written(SCOPE, STORY)
        await cable.afinish()
        assert cable.stats().pending == 0


def test_plain_write_without_a_loop_waits_and_says_so_once(host: NumpyHost, caplog: pytest.LogCaptureFixture) -> None:
    with cable_of(host, linking="asyncio") as cable:
        cable.written(SCOPE, STORY[:4])
        cable.written(SCOPE, STORY[4:])
        assert [record.message for record in caplog.records] == [
            "what is written without an event loop waits for link_pending: linking='asyncio' links on a loop alone"
        ]
        assert cable.stats().pending == 8
        asyncio.run(cable.afinish())
        assert asyncio.run(cable.alink_pending()).linked == 8


async def test_loop_runs_on_while_the_host_is_slow() -> None:
    host = Signalling(STORY)
    host.go_on.clear()
    with cable_of(host, linking="asyncio") as cable:
        await cable.awritten(SCOPE, STORY)
        while not host.seen.is_set():
            await asyncio.sleep(0)
        host.go_on.set()
        await cable.afinish()
        assert cable.stats().pending == 0


def test_loop_that_ends_early_leaves_the_rest_pending_and_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    host = Signalling(STORY)
    host.go_on.clear()
    cable = cable_of(host, linking="asyncio")

    async def write() -> None:
        await cable.awritten(SCOPE, STORY)
        while not host.seen.is_set():
            await asyncio.sleep(0)
        threading.Timer(0.2, host.go_on.set).start()

    asyncio.run(write())
    assert cable.stats().pending == 7
    asyncio.run(cable.awritten(SCOPE, [Memory("1", "changed")]))
    assert [record.message for record in caplog.records] == [
        "linking ended with its event loop; what waits needs a loop that goes on"
    ]
    assert cable.link_pending().pending == 0
    cable.close()


async def test_task_that_fails_is_logged_and_the_next_write_tries_again(
    host: NumpyHost, caplog: pytest.LogCaptureFixture
) -> None:
    with cable_of(host, linking="asyncio", model=down(1)) as cable:
        await cable.awritten(SCOPE, STORY[:2])
        await cable.afinish()
        assert "linking waits for the next write" in caplog.text
        assert cable.stats().pending == 2


@pytest.mark.parametrize("linking", ["inline", "deferred"])
async def test_async_calls_work_in_every_mode(host: NumpyHost, linking: Any) -> None:
    with cable_of(host, linking=linking, model=judge(TRUE, ONE_QUERY)) as cable:
        await cable.awritten(SCOPE, STORY)
        assert cable.stats().pending == (8 if linking == "deferred" else 0)
        await cable.alink_pending(scope=SCOPE)
        assert links_of(cable) == {("1", "8")}


def test_each_call_that_may_wait_has_a_twin_with_the_same_arguments() -> None:
    methods = {name: method for name, method in inspect.getmembers(Cable, inspect.isfunction) if name[0] != "_"}
    del methods["after_fork"], methods["afinish"], methods["in_thread"]
    waiting = {name: method for name, method in methods.items() if not inspect.iscoroutinefunction(method)}
    assert {f"a{name}" for name in waiting} == methods.keys() - waiting.keys()
    for name, method in waiting.items():
        assert inspect.signature(method) == inspect.signature(methods[f"a{name}"]), name


async def test_twins_do_what_the_calls_do(host: NumpyHost, file_url: str) -> None:
    cable = cable_of(host, store=file_url, model=judge(TRUE, ONE_QUERY))
    await cable.awritten_ids(host, [memory.id for memory in STORY])
    assert (await cable.alink_pending()).linked == 8
    assert (await cable.areverify(every=True)).checked == 1
    assert await cable.astats(SCOPE) == cable.stats(SCOPE)
    host.put(Memory("9", "Emma wrote a letter about nuts."))
    assert (await cable.abackfill(host)).linked == 1
    await cable.adeleted(SCOPE, ["9"])
    assert cable.stats().memories == 8
    await cable.adeleted(SCOPE, ["1"])
    assert (cable.stats().memories, cable.stats().links) == (7, 0)
    await cable.acleared(SCOPE)
    assert cable.stats().memories == 0
    await cable.awritten(SCOPE, STORY)
    await cable.areset()
    assert cable.stats().memories == 0
    await cable.aclose()
    with pytest.raises(StoreError, match="is closed"):
        await cable.astats()


async def test_asyncio_mode_links_what_a_thread_of_the_loop_writes(host: NumpyHost) -> None:
    with cable_of(host, linking="asyncio", model=judge(TRUE, ONE_QUERY)) as cable:
        await cable.awritten_ids(host, ["1"])
        await asyncio.to_thread(cable.written, SCOPE, STORY[1:])
        await cable.afinish()
        assert (cable.stats().pending, links_of(cable)) == (0, {("1", "8")})


async def test_a_cable_made_on_a_loop_links_on_it(host: NumpyHost, caplog: pytest.LogCaptureFixture) -> None:
    with cable_of(host, linking="asyncio", model=judge(TRUE, ONE_QUERY)) as cable:
        await asyncio.to_thread(cable.written, SCOPE, STORY)
        await cable.afinish()
        assert cable.stats().pending == 0
    assert not caplog.records


def test_one_event_loop_a_call_is_told_of_once(host: NumpyHost, caplog: pytest.LogCaptureFixture) -> None:
    with cable_of(host, linking="asyncio") as cable:
        for memory in STORY:
            asyncio.run(cable.awritten(SCOPE, [memory]))
        assert [record.message for record in caplog.records] == [
            "linking ended with its event loop; what waits needs a loop that goes on"
        ]
        assert cable.link_pending().pending == 0
