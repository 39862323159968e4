"""What CABLE adds to a host's reads and writes as a memory grows, from 1,000 to 100,000 memories.

    python -m benchmarks.cable_growth [--most 100000] [--questions 200] [--soak SECONDS] [--seed N] [--json]

Memories are made up; the host is a matrix of 384-dimensional vectors in topics, searched exactly; links are kept in a
SQLite file, five for each memory, half of them to memories of its topic. For each size: the host's own search; what
expansion adds to it, for 20 entries of which 5 may be exchanged and for 45; links written per second; and what linking
one more memory costs, with the rules and with a model that answers at once: milliseconds, host searches, model calls.
`--soak` lets 4 threads add, link and search for 3 users, and then counts links across users, lost links and errors.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any
from zlib import crc32

import numpy as np

from benchmarks.common import SEED, emit, environment, milliseconds, say
from memory_evidence.cable.cable import Cable
from memory_evidence.cable.classify import TypeOut
from memory_evidence.cable.host import FloatArray, Hit, Memory
from memory_evidence.cable.links import Link, text_hash
from memory_evidence.cable.queries import QueriesOut
from memory_evidence.function_model import FunctionModel
from memory_evidence.records import Scope

SIZES = (1_000, 10_000, 100_000)
LINKS = 5
BUDGETS = ((20, 5), (45, 5))
NEW = 40
DIMENSIONS = 384
_PER_TOPIC = 50
_TIME = "2026-01-01T00:00:00+00:00"
_DOINGS = ("planted a pear tree", "sold the blue canoe", "painted the old barn", "learned to bake rye bread")


class TopicHost:
    """A `MemoryHost` of made-up memories: those of one topic lie near each other. Safe to share between threads."""

    def __init__(self, scope: Scope, seed: int, room: int) -> None:
        self.scope = scope
        self.searches = 0
        self._draw = np.random.default_rng(seed)
        self._matrix = np.zeros((room, DIMENSIONS), dtype=np.float32)
        self._memories: list[Memory] = []
        self._places: dict[str, int] = {}
        self._lock = threading.Lock()
        self._last: tuple[list[str], FloatArray] = ([], np.zeros((0, DIMENSIONS), dtype=np.float32))

    def __len__(self) -> int:
        return len(self._memories)

    def add(self, topic: int) -> Memory:
        """Store the next memory, of a topic."""
        with self._lock:
            place = len(self._memories)
            text = f"Ann {_DOINGS[place % len(_DOINGS)]} in village {topic} because of letter {place}."
            memory = Memory("/".join([*self.scope, str(place)]), text)
            centre = np.random.default_rng(topic).standard_normal(DIMENSIONS)
            vector = centre + 0.8 * self._draw.standard_normal(DIMENSIONS)
            self._matrix[place] = vector / np.linalg.norm(vector)
            self._places[memory.id] = place
            self._memories.append(memory)
            return memory

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the `k` nearest memories; a query is the text of a memory, or names none and lies anywhere."""
        self.searches += 1
        size = len(self._memories)
        scores = self._matrix[:size] @ self.embed([query])[0]
        k = min(k, size)
        best = np.argpartition(-scores, k - 1)[:k] if k else np.zeros(0, dtype=np.int64)
        return [Hit(self._memories[row], float(scores[row])) for row in best[np.argsort(-scores[best])]]

    def get(self, ids: Sequence[str]) -> Mapping[str, Memory]:
        """Return the memories of `ids`."""
        return {i: self._memories[self._places[i]] for i in ids if i in self._places}

    def vectors(self, ids: Sequence[str]) -> Mapping[str, FloatArray]:
        """Return the vectors of the memories of `ids`."""
        return {i: self._matrix[self._places[i]] for i in ids if i in self._places}

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return a vector for each text: near its topic where it names a village, anywhere else.

        The last is kept, as by every host of ours: a search and what is added to it embed the question once.
        """
        asked, vectors = self._last
        if list(texts) == asked:
            return vectors
        rows = []
        for text in texts:
            words = text.replace(".", "").split()
            named = words[words.index("village") + 1] if "village" in words[:-1] else ""
            draw = np.random.default_rng(int(named) if named.isdigit() else crc32(text.encode()))
            vector = draw.standard_normal(DIMENSIONS) + 0.1 * np.random.default_rng(len(text)).standard_normal(
                DIMENSIONS
            )
            rows.append(vector / np.linalg.norm(vector))
        vectors = np.stack(rows).astype(np.float32)
        self._last = list(texts), vectors
        return vectors

    def memories(self) -> Iterator[Memory]:
        """Yield all memories, the oldest first."""
        return iter(list(self._memories))


def at_once(_messages: object, schema: object, _temperature: float, _max_tokens: int) -> str:
    """Answer whatever linking asks."""
    if schema is TypeOut:
        return '{"type": "event"}'
    if schema is QueriesOut:
        return '{"queries": ["Ann planned it", "letters in village 3", "what Ann wished for"]}'
    return '{"valid": true, "reason": "It led to it."}'


def measure(size: int, asked: int, seed: int, folder: Path) -> dict[str, Any]:
    """Return the figures of one size."""
    say(f"{size:,} memories")
    draw = random.Random(seed)
    scope: Scope = ("growth", str(size))
    host = TopicHost(scope, seed, size + 2 * NEW)
    topics = max(1, size // _PER_TOPIC)
    for _ in range(size):
        host.add(draw.randrange(topics))
    memories = list(host.memories())
    result: dict[str, Any] = {"memories": size, "links": LINKS * size}
    with Cable(lambda _: host, store=f"sqlite:///{folder / f'{size}.db'}", linking="deferred") as cable:
        started = perf_counter()
        made = _links(memories, draw)
        while part := list(islice(made, 10_000)):
            cable.links.add(scope, part)
        result["links_per_s"] = round(LINKS * size / (perf_counter() - started))
        result["kept_links"] = cable.links.count(scope)
        queries = [draw.choice(memories).text for _ in range(asked)]
        for limit, replace in BUDGETS:
            result[f"read_{limit}_ms"] = _reads(cable, host, queries, limit, replace)
    for name, model in (("rules", None), ("model", FunctionModel("a model that answers at once", at_once))):
        store = f"sqlite:///{folder / f'{size}-{name}.db'}"
        with Cable(lambda _: host, store=store, linking="inline", model=model) as cable:
            result[f"linking_{name}"] = _linking(cable, host, topics, draw)
    return result


def _links(memories: Sequence[Memory], draw: random.Random) -> Iterator[Link]:
    """Yield the links of every memory: to near ones and to any, each to an earlier one where there is one."""
    hashes = [text_hash(memory.text) for memory in memories]
    places = {memory.id: place for place, memory in enumerate(memories)}
    topics: dict[str, list[int]] = {}
    for new, memory in enumerate(memories):
        topic = topics.setdefault(memory.text.split(" village ")[1].split()[0], [])
        near = draw.sample(topic, min(len(topic), LINKS // 2))
        others = {draw.randrange(len(memories)) for _ in range(2 * LINKS)} - {new, *near}
        for prior in [*near, *others][:LINKS]:
            yield Link(memories[prior].id, memory.id, "made up", "recorded", _TIME, hashes[prior], hashes[new])
        topic.append(places[memory.id])


def _reads(cable: Cable, host: TopicHost, queries: Sequence[str], limit: int, replace: int) -> dict[str, Any]:
    search: list[float] = []
    added: list[float] = []
    exchanged = 0
    for query in queries:
        started = perf_counter()
        hits = host.search(query, limit)
        between = perf_counter()
        expansion = cable.expand(host, query, hits, limit=limit, replace=replace)
        added.append(perf_counter() - between)
        search.append(between - started)
        exchanged += len(expansion.added)
    return {
        "search": milliseconds(search),
        "added": milliseconds(added),
        "exchanged": round(exchanged / len(queries), 2),
    }


def _linking(cable: Cable, host: TopicHost, topics: int, draw: random.Random) -> dict[str, Any]:
    seconds: list[float] = []
    before = host.searches
    for _ in range(NEW):
        memory = host.add(draw.randrange(topics))
        started = perf_counter()
        cable.written(host.scope, [memory])
        seconds.append(perf_counter() - started)
    stats = cable.stats(host.scope)
    return {
        "ms": milliseconds(seconds),
        "searches": round((host.searches - before) / NEW, 2),
        "calls": {stage: round(usage.calls / NEW, 2) for stage, usage in stats.usage.items()},
        "links": stats.links,
    }


def soak(seconds: float, seed: int, folder: Path) -> dict[str, Any]:
    """Let 4 threads add, link and search for 3 users, and return what went wrong, and how much was done."""
    hosts: dict[Scope, TopicHost] = {
        (user,): TopicHost((user,), seed + n, 200_000) for n, user in enumerate(("ann", "bo", "cy"))
    }
    errors: list[str] = []
    made: list[tuple[Scope, str, str]] = []
    written: dict[Scope, list[Memory]] = {scope: [] for scope in hosts}
    counts = {"added": 0, "searched": 0}
    lock = threading.Lock()
    until = monotonic() + seconds

    def work(number: int, cable: Cable) -> None:
        draw = random.Random(seed + number)
        while monotonic() < until:
            scope = draw.choice(list(hosts))
            host = hosts[scope]
            try:
                # Chosen before the new memory is there: a link from a later one would rightly be dropped.
                earlier = written[scope][-100:]
                memory = host.add(draw.randrange(40))
                cable.written(scope, [memory])
                written[scope].append(memory)
                prior = draw.choice(earlier or [memory])
                link = Link(prior.id, memory.id, "made", "made", _TIME, text_hash(prior.text), text_hash(memory.text))
                kept = cable.links.add(scope, [link]) if prior.id != memory.id else 0
                query = f"What happened in village {draw.randrange(40)}?"
                found = cable.expand(host, query, host.search(query, 10), limit=10)
                if any(not i.startswith(f"{scope[0]}/") for i in found.ids):
                    raise AssertionError(f"a memory of another user for {scope}: {found.ids}")
                with lock:
                    counts["added"] += 1
                    counts["searched"] += 1
                    made.extend([(scope, prior.id, memory.id)] * kept)
            except Exception as error:  # noqa: BLE001 - counting errors is the purpose
                with lock:
                    errors.append(f"{type(error).__name__}: {error}")

    with Cable(lambda scope: hosts[scope], store=f"sqlite:///{folder / 'soak.db'}", linking="background") as cable:
        threads = [threading.Thread(target=work, args=(number, cable)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        cable.link_pending()
        stats = cable.stats()
        stored = {(scope, link.prior, link.new) for scope in hosts for link in cable.links.all(scope)}
    across = sum(not (prior.startswith(f"{s[0]}/") and new.startswith(f"{s[0]}/")) for s, prior, new in stored)
    return {
        "seconds": seconds,
        **counts,
        "links": stats.links,
        "pending": stats.pending,
        "failed": stats.failed,
        "links_across_users": across,
        "lost_links": len(set(made) - stored),
        "errors": len(errors),
        "first_errors": errors[:3],
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(prog="benchmarks.cable_growth", description="Cost of CABLE by size.")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="largest number of memories")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--soak", type=float, metavar="SECONDS", help="also let threads add and search for so long")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        sizes = [measure(size, given.questions, given.seed, Path(folder)) for size in SIZES if size <= given.most]
        result: dict[str, Any] = {"benchmark": "cable_growth", "environment": environment("numpy"), "seed": given.seed}
        result["sizes"] = sizes
        if given.soak:
            result["soak"] = soak(given.soak, given.seed, Path(folder))
    emit(
        result, as_json=given.json, rows=sizes, columns=["memories", "links", "read_20_ms", "read_45_ms", "links_per_s"]
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
