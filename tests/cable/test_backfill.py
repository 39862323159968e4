"""Linking where many later memories are in the host already: what it finds, what it costs, how it is acknowledged."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typing_extensions import override

from memory_evidence.cable import Cable, Hit, Memory, linking, open_links, priors
from memory_evidence.cable.guard import GuardedHost
from memory_evidence.cable.host import FloatArray
from memory_evidence.cable.prior_vectors import PriorVectors
from memory_evidence.cable.priors import FEW_LATER, Priors
from tests.cable.hosts import DIMENSIONS, NumpyHost, embed_words
from tests.cable.judges import judge
from tests.cable.test_cable_sharing import kill_after

ROOT = Path(__file__).parents[2]
SCOPE = ("user",)
WORDS = ("clock", "river", "salary", "manager", "letter", "boat", "winter", "bakery")
ALIKE = 1e-5
"""Cosines in single precision that are nearer than this may stand in either order."""


def story(count: int) -> list[Memory]:
    """Return memories that are all a little alike, none of them small talk."""
    return [
        Memory(str(n), f"Emma mended the {WORDS[n % 8]} of uncle number {n % 89} near the {WORDS[n % 7]} in year {n}.")
        for n in range(count)
    ]


@pytest.fixture
def no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few later memories there are, the host's search is not asked."""
    monkeypatch.setattr(priors, "FEW_LATER", -1)


# What is found

TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), min_size=1, max_size=30)


@settings(max_examples=30, deadline=None)
@given(TEXTS, TEXTS, st.integers(0, 8), st.randoms(use_true_random=False))
def test_vectors_find_what_a_search_for_everything_would(
    texts: list[str], changes: list[str], count: int, draw: Any
) -> None:
    memories = [Memory(f"m{n}", text) for n, text in enumerate(texts)]
    host = NumpyHost(memories)
    unknown = set(draw.sample(memories, len(memories) // 4))
    with open_links("sqlite://") as links, pytest.MonkeyPatch.context() as patch:
        patch.setattr(priors, "FEW_LATER", -1)
        links.enqueue(SCOPE, [m for m in memories if m not in unknown])
        search = Priors(links, GuardedHost(host))
        known = [m.id for m in memories if m not in unknown]
        draw.shuffle(known)
        for n, memory_id in enumerate(known):
            if memory_id not in host.get([memory_id]):
                continue
            if n < len(changes):  # meanwhile a memory is changed, another deleted, and a third written
                changed = Memory(draw.choice(memories).id, changes[n])
                added = Memory(f"new {n}", changes[n])
                gone = draw.choice([m.id for m in host.memories() if m.id != memory_id] or [None])
                host.put(changed, added)
                links.enqueue(SCOPE, [changed, added])
                if gone is not None:
                    host.drop(gone)
                search.update()
            memory = host.get([memory_id])[memory_id]
            place = links.order(SCOPE, [memory_id])[memory_id]
            wanted = [(memory.text, count), *((text, 3) for text in changes[:3])]
            for (text, most), found in zip(wanted, search.before(memory, place, wanted), strict=True):
                _check(links, host, text, most, place, memory_id, found)


def _check(links: Any, host: NumpyHost, text: str, most: int, place: float, own: str, found: list[Hit]) -> None:
    everything = host.search(text, 10_000)
    order = links.order(SCOPE, [hit.memory.id for hit in everything])
    prior = [h for h in everything if h.memory.id != own and order.get(h.memory.id, -1e9) < place]
    scores = {hit.memory.id: hit.score for hit in prior}
    assert len({hit.memory.id for hit in found}) == len(found) == min(most, len(prior))
    for hit, expected in zip(found, prior, strict=False):
        assert hit.memory == host.get([hit.memory.id])[hit.memory.id]
        assert hit.score == pytest.approx(expected.score, abs=ALIKE)
        assert hit.score == pytest.approx(scores[hit.memory.id], abs=ALIKE)


@pytest.mark.usefixtures("no_search")
def test_what_was_deleted_or_changed_past_us_gives_its_place_to_the_next() -> None:
    host = NumpyHost(story(40))
    with open_links("sqlite://") as links:
        links.enqueue(SCOPE, host.memories())
        search = Priors(links, GuardedHost(host))
        new = host.get(["39"])["39"]
        (first,) = search.before(new, 40.0, [(new.text, 5)])
        best, second, *rest = [hit.memory.id for hit in first]
        host.drop(best)
        host.put(Memory(second, "The bakery froze."))
        (after,) = search.before(new, 40.0, [(new.text, 5)])
        assert [hit.memory.id for hit in after][:3] == rest
        assert len(after) == 5
        host.put(Memory(second, new.text))
        (again,) = search.before(new, 40.0, [("The bakery froze.", 1)])
        assert again[0].memory.text != "The bakery froze."


@pytest.mark.usefixtures("no_search")
def test_memories_that_the_host_held_before_us_are_prior_to_all_others() -> None:
    memories = story(30)
    host = NumpyHost(memories)
    with open_links("sqlite://") as links:
        links.enqueue(SCOPE, memories[10:])
        (found,) = Priors(links, host).before(memories[10], 1.0, [("Emma mended", 99)])
        assert {hit.memory for hit in found} == set(memories[:10])


class Odd(NumpyHost):
    """Cannot list its memories; has no vector of some, one of another length, and one without a direction."""

    @override
    def vectors(self, ids: Sequence[str]) -> Mapping[str, FloatArray]:
        odd = {"2": np.ones(DIMENSIONS + 1, np.float32), "3": np.zeros(DIMENSIONS, np.float32)}
        return {i: odd.get(i, vector) for i, vector in super().vectors(ids).items() if i not in ("1", "9")}

    @override
    def memories(self) -> Iterator[Memory]:
        raise NotImplementedError


@pytest.mark.usefixtures("no_search")
def test_memories_without_a_usable_vector_are_not_found_and_nothing_fails() -> None:
    memories = story(10)
    host = Odd(memories)
    with open_links("sqlite://") as links:
        links.enqueue(SCOPE, memories)
        wanted = [(memories[9].text, 99), (memories[4].text, 99)]
        own, other = Priors(links, GuardedHost(host)).before(memories[9], 10.0, wanted)
        assert {hit.memory.id for hit in own} == {hit.memory.id for hit in other} == {"0", "4", "5", "6", "7", "8"}
        assert Priors(links, GuardedHost(host)).before(memories[0], 1.0, wanted) == [[], []]


def test_beside_few_later_memories_the_hosts_own_ranking_counts() -> None:
    class Backwards(NumpyHost):
        """Ranks by age, as no cosine does."""

        @override
        def search(self, query: str, k: int) -> list[Hit]:
            return [Hit(memory, None) for memory in reversed(list(self.memories()))][:k]

    memories = story(FEW_LATER + 20)
    with open_links("sqlite://") as links:
        links.enqueue(SCOPE, memories)
        search = Priors(links, Backwards(memories))
        for place in (20, len(memories)):
            (found,) = search.before(memories[place - 1], float(place), [("boat", 5)])
            assert [hit.memory.id for hit in found] == [str(place - 1 - n) for n in range(1, 6)]
        assert search.vectors is None


def test_equal_vectors_are_found_in_the_order_of_writing() -> None:
    memories = [Memory(str(n), "The river froze.") for n in range(60)]
    host = NumpyHost(memories)
    with open_links("sqlite://") as links:
        links.enqueue(SCOPE, memories)
        (found,) = PriorVectors(links, host).nearest(list(embed_words(["The river froze."])), [7], 51.0)
        assert list(found) == [str(n) for n in range(7)]


# What it costs


@cache
def _direction(word: str) -> FloatArray:
    return embed_words([word])[0]


def _vector(text: str) -> FloatArray:
    """Return what `embed_words` does for one text, in less time."""
    summed = np.sum([_direction(word) for word in text.split()], axis=0)
    return np.asarray(summed / np.linalg.norm(summed), np.float32)


class Counting(NumpyHost):
    """Counts its calls, and the texts that it embeds, those of searches included."""

    def __init__(self, memories: Sequence[Memory]) -> None:
        super().__init__(memories, embed=lambda texts: np.stack([_vector(text) for text in texts]))
        self.calls: Counter[str] = Counter()
        self.embedded: list[list[str]] = []

    @override
    def search(self, query: str, k: int) -> list[Hit]:
        self.calls["search"] += 1
        self.embedded.append([query])
        return super().search(query, k)

    @override
    def get(self, ids: Sequence[str]) -> Mapping[str, Memory]:
        self.calls["get"] += 1
        return super().get(ids)

    @override
    def vectors(self, ids: Sequence[str]) -> Mapping[str, FloatArray]:
        self.calls["vectors"] += 1
        return super().vectors(ids)

    @override
    def embed(self, texts: Sequence[str]) -> FloatArray:
        self.calls["embed"] += 1
        self.embedded.append(list(texts))
        return super().embed(texts)


def test_a_backfill_of_many_memories_takes_a_bounded_number_of_calls_for_each() -> None:
    count = 1_000
    host = Counting(story(count))
    at: list[int] = []
    with Cable(lambda _: host, store="sqlite://", linking="deferred") as cable:
        report = cable.backfill(host, progress=lambda done, total: at.append(sum(host.calls.values())))
        assert (report.linked, report.pending) == (count, 0)
    last = FEW_LATER + 1
    assert host.calls["search"] <= 4 * last
    assert host.calls["embed"] <= count
    assert sum(map(len, host.embedded)) <= 3 * count + last
    assert at[-1] <= 4 * count + 4 * last
    # As many later on as at first. The last ones, which the host's own search finds, are left out; progress comes in
    # groups.
    quarters = [at[count * n // 4] for n in range(4)]
    assert quarters[3] - quarters[2] == pytest.approx(quarters[2] - quarters[1], rel=0.3)


def test_a_memory_is_not_embedded_again_and_its_queries_are_once_and_together() -> None:
    memories = story(FEW_LATER + 50)
    host = Counting(memories)
    queries = ["the river", memories[7].text, "the river", "a boat"]
    asked = [["the river", "a boat"], ["the river", memories[7].text, "a boat"]]
    with Cable(lambda _: host, store="sqlite://", linking="deferred", model=judge((), queries)) as cable:
        cable.written(SCOPE, memories)
        cable._rounds().written(SCOPE, ["7", "8"])
    assert host.embedded == asked


# Which comes first


class Interrupted(NumpyHost):
    """Calls `on_get` with the last id that is looked up."""

    on_get: Any = staticmethod(lambda memory_id: None)

    @override
    def get(self, ids: Sequence[str]) -> Mapping[str, Memory]:
        self.on_get(ids[-1])
        return super().get(ids)


def test_what_is_written_while_a_thread_links_a_backlog_does_not_wait_for_its_end() -> None:
    host = Interrupted(story(200))
    finished: list[str] = []
    with Cable(lambda _: host, store="sqlite://", linking="deferred") as cable:
        cable.written(SCOPE, list(host.memories()))
        keep = cable.links.finish

        def finish(scope: Any, owner: str, found: Any) -> Any:
            finished.extend(each.claimed.id for each in found)
            return keep(scope, owner, found)

        def write(memory_id: str) -> None:
            if memory_id == "190":
                new = Memory("today", "So Emma sold the boat today.")
                host.put(new)
                cable.written(SCOPE, [new])

        host.on_get = write
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cable.links, "finish", finish)
            assert cable._link_due(threading.Event()) is None
    assert sorted(finished) == sorted(["today", *(str(n) for n in range(200))])
    assert finished[0] == "199"
    assert finished.index("today") < 100


def test_the_order_in_which_memories_are_linked_changes_no_link(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priors, "FEW_LATER", 10)
    found = []
    for newest in (False, True):
        host = NumpyHost([Memory(str(n), f"So it froze the {WORDS[n % 8]} number {n}.") for n in range(60)])
        with Cable(lambda _, host=host: host, store="sqlite://", linking="deferred") as cable:
            cable.written(SCOPE, list(host.memories()))
            if newest:
                cable._link_due(threading.Event())
            cable.link_pending()
            found.append({(link.prior, link.new, link.reason) for link in cable.links.all(SCOPE)})
    assert len(found[0]) > 50
    assert found[0] == found[1]


# Progress


class Slow(NumpyHost):
    """Takes 0.4 s for a memory, on a clock of its own."""

    now = 0.0

    @override
    def get(self, ids: Sequence[str]) -> Mapping[str, Memory]:
        if len(ids) > 1 or "0" in ids:
            self.now += 0.4
        return super().get(ids)


def test_progress_moves_every_second_and_is_kept_where_it_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Slow(story(30))
    seen: list[tuple[int, float]] = []
    with Cable(lambda _: host, store="sqlite://", linking="deferred") as cable:
        monkeypatch.setattr(linking.time, "monotonic", lambda: host.now)

        def progress(done: int, total: int) -> None:
            assert (cable.stats().pending <= 30 - done, total) == (True, 30)
            seen.append((done, host.now))

        cable.backfill(host, progress=progress)
    assert [done for done, _ in seen] == list(range(1, 31))
    times = [0.0, *(at for _, at in seen)]
    assert max(after - before for before, after in pairwise(times)) < 2.0
    assert len(set(times)) < 20  # and not each in a transaction of its own


LINKS_BY_RULES = """
import sys
from memory_evidence.cable import Cable, linking
from tests.cable.hosts import NumpyHost
from tests.cable.test_backfill import story

linking.KEEP_S = 0.0
host = NumpyHost(story(400))
cable = Cable(lambda _: host, store=sys.argv[1], linking="deferred")
cable.backfill(host, progress=lambda done, total: print(done, flush=True))
"""


def test_what_progress_told_of_survives_a_kill(file_url: str) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", LINKS_BY_RULES, file_url], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    told = int(kill_after(20, program)[-1])
    with open_links(file_url) as links:
        counts = links.counts(SCOPE)
        assert 20 <= told <= counts.done < 400
        assert counts.known == 400
