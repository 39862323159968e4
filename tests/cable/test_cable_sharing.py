"""Many threads, processes and forks over one store; and processes that are killed in the middle."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from memory_evidence.cable import Cable, Hit, LinkOptions, Memory, open_links
from memory_evidence.testing import ScriptedModel
from tests.cable.hosts import NumpyHost
from tests.cable.judges import MANY, answering
from tests.cable.program import EVERY_PAIR, MEMORIES, SCOPE, cable_at

ROOT = Path(__file__).parents[2]


def start(module: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", f"tests.cable.{module}", *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def kill_after(lines: int, program: subprocess.Popen[str]) -> list[str]:
    """Kill `program` once it has printed `lines` lines, and return all that it printed."""
    assert program.stdout is not None
    with program.stdout:
        seen = [program.stdout.readline() for _ in range(lines)]
        program.send_signal(signal.SIGKILL)
        seen += program.stdout.readlines()
    program.wait()
    return [line.strip() for line in seen if line.endswith("\n")]


def stated(links: Any) -> set[tuple[str, ...]]:
    """Return links without their time."""
    return {(link.prior, link.new, link.reason, link.prior_hash, link.new_hash) for link in links.all(SCOPE)}


@pytest.fixture(scope="module")
def expected() -> set[tuple[str, ...]]:
    """What linking everything without any trouble finds."""
    with cable_at("sqlite://") as cable:
        cable.written(SCOPE, MEMORIES)
        cable.link_pending()
        return stated(cable.links)


# Killed


def test_memories_acknowledged_before_a_kill_are_queued(shared_url: str) -> None:
    acknowledged = kill_after(10, start("program", shared_url, "queue"))
    assert len(acknowledged) >= 10
    with open_links(shared_url) as links:
        order = links.order(SCOPE, [memory.id for memory in MEMORIES])
        known = sorted(order, key=order.__getitem__)
        assert known[: len(acknowledged)] == acknowledged
        assert len(known) <= len(acknowledged) + 1
        assert links.counts(SCOPE).pending == len(known)


def test_kill_while_linking_leaves_nothing_half_done_and_the_rest_is_taken_up(
    shared_url: str, expected: set[tuple[str, ...]]
) -> None:
    assert len(expected) > 40
    with cable_at(shared_url) as cable:
        cable.written(SCOPE, MEMORIES)
        acknowledged = kill_after(12, start("program", shared_url, "link"))
        done = cable.stats().memories - cable.stats().pending
        assert len(acknowledged) <= done <= len(acknowledged) + 1
        linked = {memory.id for memory in MEMORIES[:done]}
        assert stated(cable.links) == {link for link in expected if link[1] in linked}
        # The dead process had claimed more than it finished: those are taken over.
        report = cable.link_pending()
        assert (report.linked, report.pending) == (len(MEMORIES) - done, 0)
        assert stated(cable.links) == expected


def test_processes_that_link_together_link_each_memory_once(shared_url: str, expected: set[tuple[str, ...]]) -> None:
    with cable_at(shared_url) as cable:
        cable.written(SCOPE, MEMORIES)
        programs = [start("program", shared_url, "link") for _ in range(3)]
        last = [(program.communicate()[0].splitlines() or ["none"])[-1].split() for program in programs]
        assert [program.returncode for program in programs] == [0, 0, 0]
        assert sum(int(words[1]) for words in last) == len(MEMORIES)
        assert sum(int(words[3]) for words in last) == len(MEMORIES)
        assert stated(cable.links) == expected


def test_threads_that_link_together_link_each_memory_once(url: str, expected: set[tuple[str, ...]]) -> None:
    with cable_at(url) as cable:
        cable.written(SCOPE, MEMORIES)
        with ThreadPoolExecutor(4) as pool:
            reports = list(pool.map(lambda _: cable.link_pending(), range(4)))
        assert sum(report.linked for report in reports) == len(MEMORIES)
        assert all(report.pending == 0 for report in reports)
        assert stated(cable.links) == expected


# Forked


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
@pytest.mark.parametrize("kind", ["memory", "file", "postgres"])
def test_child_forked_while_memories_are_linked_and_read_can_do_both(kind: str, request: pytest.FixtureRequest) -> None:
    url = "sqlite://" if kind == "memory" else request.getfixturevalue(f"{kind}_url")
    done = subprocess.run(
        [sys.executable, "-m", "tests.cable.forking", url],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.split() == ["child", "parent"], done.stderr


# Several users at once


class LockedHost(NumpyHost):
    """A host that may be written and searched at once."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._lock = threading.RLock()
        super().__init__(*arguments, **options)

    def put(self, *memories: Memory) -> None:
        with self._lock:
            super().put(*memories)

    def search(self, query: str, k: int) -> list[Hit]:
        with self._lock:
            return super().search(query, k)


@pytest.mark.parametrize("mode", ["background", "inline"])
def test_threads_that_add_and_search_for_three_users_mix_and_lose_nothing(url: str, mode: Any) -> None:
    users = [("app", name) for name in ("ann", "bob", "cy")]
    hosts = {scope: LockedHost(scope=scope) for scope in users}
    model = ScriptedModel([answering(EVERY_PAIR, ("apples", "boats"))] * MANY)
    with Cable(hosts.__getitem__, store=url, model=model, linking=mode, link_options=LinkOptions(direct_k=2)) as cable:

        def work(number: int) -> int:
            choose = random.Random(number)
            for turn in range(24):
                scope = choose.choice(users)
                # The same ids and texts for every user.
                memory = Memory(f"{number}-{turn}", MEMORIES[choose.randrange(len(MEMORIES))].text)
                hosts[scope].put(memory)
                cable.written(scope, [memory])
                hits = hosts[scope].search(memory.text, 6)
                found = cable.expand(hosts[scope], memory.text, hits, limit=6)
                assert found.warning is None
                assert len(found.ids) == len(hits)
                assert set(found.ids) <= set(hosts[scope].get(found.ids))
            return number

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(work, range(4))) == [0, 1, 2, 3]
        report = cable.link_pending()
        assert (report.pending, report.failed, cable.stats().failed) == (0, 0, 0)
        assert cable.stats().memories == 4 * 24
        links = {scope: list(cable.links.all(scope)) for scope in users}
        assert all(links.values())
        for scope, found in links.items():
            held = {memory.id for memory in hosts[scope].memories()}
            assert {end for link in found for end in (link.prior, link.new)} <= held
            assert max(Counter((link.prior, link.new) for link in found).values()) == 1
