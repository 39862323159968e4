"""Many threads, users and processes on one mem0 and one link store."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from mem0_adapter import CableMemory
from memory_evidence.cable.links import open_links
from tests.mem0_adapter.memories import ids, open_memory, plain, refusing, release, remember

ROOT = Path(__file__).parents[2]
USERS = ("ann", "bob", "eve")


def test_threads_of_several_users_lose_nothing_and_mix_nothing(make: Any, links: str, provider: str) -> None:
    # None of these stores bears reads beside a write by itself; the linking thread reads all the time.
    memory = make(provider)
    owners: dict[str, str] = {}
    start = threading.Barrier(4)
    with CableMemory(memory, store=links, model="rules") as cable:

        def work(seed: int) -> None:
            chance = random.Random(seed)
            start.wait()
            for number in range(12):
                user = chance.choice(USERS)
                text = f"{user} planned trip {number} because the boat of worker {seed} was sold."
                owners[remember(cable, text, user)] = user
                found = cable.search("Why was the trip planned?", user_id=user, limit=5)["results"]
                assert {item["user_id"] for item in found} <= {user}
                assert len(found) <= 5

        with ThreadPoolExecutor(4) as pool:
            for done in [pool.submit(work, seed) for seed in range(4)]:
                done.result()
        assert len(owners) == 48
        assert cable.link_pending().failed == 0
        for user in USERS:
            mine = {i for i, owner in owners.items() if owner == user}
            assert set(ids(plain(memory, "trip", 100, user))) == mine
            assert cable.stats(user_id=user).memories == len(mine)
            for one in cable.links.all(cable.scope(user_id=user)):
                assert {one.prior, one.new} <= mine
        assert cable.stats().pending == 0


def test_a_killed_process_loses_no_memory_that_was_acknowledged(tmp_path: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-m", "tests.mem0_adapter.writer", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout is not None
    acknowledged = [writer.stdout.readline().strip() for _ in range(7)]
    writer.kill()
    with writer.stdout as rest:
        acknowledged += rest.read().split()
    writer.wait()
    assert all(acknowledged)
    store = open_links(f"sqlite:///{tmp_path / 'links.db'}")
    memory = open_memory(tmp_path / "mem0")
    try:
        cable = CableMemory(memory, store=store, model=refusing(), linking="deferred")
        scope = cable.scope(user_id="ann")
        held = ids(cable.get_all(user_id="ann", limit=1000))
        assert set(acknowledged) <= set(held)
        assert set(acknowledged) <= set(store.known(scope, held)), "each is known, or waits to be linked"
        report = cable.backfill(user_id="ann")
        assert (report.pending, report.failed) == (0, 0)
        assert set(store.known(scope, held)) == set(held)
    finally:
        release(memory)
        store.close()
