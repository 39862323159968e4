"""The queue: order of writing, what waits, claims that no two workers share; on every database."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from memory_evidence.cable import Link, Memory, open_links, text_hash
from memory_evidence.cable.link_store import Found
from memory_evidence.cable.queue_store import MAX_ATTEMPTS
from memory_evidence.errors import InputError
from tests.cable.hosts import numbered
from tests.contract.log_contract import ANN, BOB

LEASE_S = 60.0


def claimed_ids(store: Any, scope: Any = ANN, *, owner: str = "w", **options: Any) -> list[str]:
    return [claimed.id for claimed in store.claim(scope, owner, 100, LEASE_S, **options)]


def link(prior: str, new: str, new_text: str) -> Link:
    return Link(prior, new, "r", "model", "t", text_hash("prior"), text_hash(new_text))


def finish(store: Any, owner: str, claimed: Any, links: list[Link], *, hash_now: str | None = None) -> Any:
    hash_now = hash_now or store.known(ANN, [claimed.id]).get(claimed.id, "")
    (counted,) = store.finish(ANN, owner, [Found(claimed, hash_now, links)])
    return counted


# Order


def test_memories_are_in_the_order_they_were_written(store: Any) -> None:
    assert store.enqueue(ANN, numbered("c", "a")) == 2
    assert store.enqueue(ANN, [Memory("z", "b"), Memory("0", "d")]) == 2
    order = store.order(ANN, ["1", "2", "z", "0", "unknown"])
    assert sorted(order, key=order.__getitem__) == ["1", "2", "z", "0"]
    assert store.order(BOB, ["1"]) == {}


def test_written_again_with_the_same_text_changes_nothing(store: Any) -> None:
    store.enqueue(ANN, numbered("a", "b"))
    before = store.order(ANN, ["1", "2"])
    for claimed in store.claim(ANN, "w", 9, LEASE_S):
        finish(store, "w", claimed, [])
    assert store.enqueue(ANN, numbered("a")) == 0
    assert store.counts(ANN).pending == 0
    assert store.order(ANN, ["1", "2"]) == before


def test_changed_memory_waits_again_and_keeps_its_place(store: Any) -> None:
    store.enqueue(ANN, numbered("a", "b"))
    before = store.order(ANN, ["1", "2"])
    for claimed in store.claim(ANN, "w", 9, LEASE_S):
        finish(store, "w", claimed, [])
    assert store.enqueue(ANN, [Memory("1", "changed")]) == 1
    assert claimed_ids(store) == ["1"]
    assert store.order(ANN, ["1", "2"]) == before
    assert store.known(ANN, ["1", "2", "3"]) == {"1": text_hash("changed"), "2": text_hash("b")}


def test_memories_can_be_put_before_a_known_one(store: Any) -> None:
    store.enqueue(ANN, [Memory("m", "x"), Memory("n", "x")])
    store.enqueue(ANN, [Memory("a", "x"), Memory("b", "x")], before="m")
    store.enqueue(ANN, [Memory("p", "x"), Memory("q", "x"), Memory("r", "x")], before="n")
    store.enqueue(ANN, [Memory("0", "x")], before="a")
    store.enqueue(ANN, [Memory("z", "x")])
    store.enqueue(ANN, [Memory("last", "x")], before="unknown")
    ids = ["0", "a", "b", "m", "p", "q", "r", "n", "z", "last"]
    order = store.order(ANN, ids)
    assert sorted(ids, key=order.__getitem__) == ids
    assert len(set(order.values())) == len(ids)
    assert claimed_ids(store) == ids


def test_before_gives_the_memories_written_just_before(store: Any) -> None:
    store.enqueue(ANN, numbered("a", "b", "c", "d"))
    place = store.order(ANN, ["4"])["4"]
    assert store.before(ANN, place, 2) == ["2", "3"]
    assert store.before(ANN, place, 9) == ["1", "2", "3"]
    assert store.before(BOB, place, 9) == []


def test_of_two_texts_for_one_id_the_later_counts(store: Any) -> None:
    assert store.enqueue(ANN, [Memory("1", "a"), Memory("1", "b")]) == 1
    assert store.known(ANN, ["1"]) == {"1": text_hash("b")}


@pytest.mark.parametrize("wrong", ["", 7, None])
def test_id_that_is_no_text_is_refused(store: Any, wrong: Any) -> None:
    with pytest.raises(InputError, match="a memory's id"):
        store.enqueue(ANN, [Memory("1", "a"), Memory(wrong, "b")])
    assert store.scopes() == []


def test_many_memories_are_queued_and_counted(store: Any) -> None:
    assert store.enqueue(ANN, (Memory(f"{n:04}", f"text {n}") for n in range(3_000))) == 3_000
    assert store.counts(ANN) == (0, 3_000, 0)
    assert len(store.order(ANN, [f"{n:04}" for n in range(3_000)])) == 3_000


# Claims


def test_claimed_memory_is_not_claimed_again_before_its_lease_ends(store: Any) -> None:
    store.enqueue(ANN, numbered("a", "b", "c"))
    assert claimed_ids(store, owner="one", ids=["1", "2"]) == ["1", "2"]
    assert claimed_ids(store, owner="two") == ["3"]
    assert claimed_ids(store, owner="two", after=float("-inf")) == []
    assert store.first_until(ANN, claimed=True) is not None


def test_claim_of_a_worker_that_is_not_heard_of_ends(store: Any) -> None:
    store.enqueue(ANN, numbered("a"))
    (lost,) = store.claim(ANN, "dead", 1, 0.0)
    (taken,) = store.claim(ANN, "alive", 1, LEASE_S)
    assert finish(store, "dead", lost, [link("0", "1", "a")]) is None
    assert store.count(ANN) == 0
    assert finish(store, "alive", taken, [link("0", "1", "a")]) == (1, 0)
    assert store.counts(ANN) == (1, 0, 0)


def test_renewed_claims_last(store: Any) -> None:
    store.enqueue(ANN, numbered("a"))
    store.claim(ANN, "slow", 1, 0.0)
    store.renew("slow", LEASE_S)
    assert claimed_ids(store, owner="other") == []
    store.renew("someone else", 0.0)
    assert claimed_ids(store, owner="other") == []


def test_released_memory_can_be_claimed_at_once(store: Any) -> None:
    store.enqueue(ANN, numbered("a"))
    (claimed,) = store.claim(ANN, "one", 1, LEASE_S)
    store.release(ANN, "two", [claimed])
    assert claimed_ids(store, owner="two") == []
    store.release(ANN, "one", [claimed])
    assert claimed_ids(store, owner="two") == ["1"]


def test_workers_that_claim_together_share_nothing(shared_url: str) -> None:
    with open_links(shared_url) as store:
        store.enqueue(ANN, numbered(*"abcdefghijklmnopqrstuvwxyz"))

    def work(name: int) -> list[str]:
        with open_links(shared_url) as own:
            found: list[str] = []
            while batch := own.claim(ANN, f"worker {name}", 2, LEASE_S):
                found += [claimed.id for claimed in batch]
            return found

    with ThreadPoolExecutor(4) as pool:
        taken = [memory for found in pool.map(work, range(4)) for memory in found]
    assert sorted(taken, key=int) == [str(n) for n in range(1, 27)]


# Finishing and failing


def test_memory_and_its_links_are_kept_together(store: Any) -> None:
    store.enqueue(ANN, numbered("a"))
    (claimed,) = store.claim(ANN, "w", 1, LEASE_S)
    with pytest.raises(InputError):
        finish(store, "w", claimed, [link("0", "1", "a"), link("1", "1", "a")])
    assert (store.count(ANN), store.counts(ANN).pending) == (0, 1)
    assert finish(store, "w", claimed, [link("0", "1", "a")]) == (1, 0)
    assert (store.count(ANN), store.counts(ANN)) == (1, (1, 0, 0))


def test_links_of_a_text_that_was_changed_meanwhile_count_for_nothing(store: Any) -> None:
    store.enqueue(ANN, numbered("a"))
    (claimed,) = store.claim(ANN, "w", 1, LEASE_S)
    store.enqueue(ANN, [Memory("1", "changed")])
    assert finish(store, "w", claimed, [link("0", "1", "a")]) is None
    assert store.count(ANN) == 0
    assert claimed_ids(store, owner="other") == ["1"]


def test_links_of_a_memory_that_was_deleted_meanwhile_count_for_nothing(store: Any) -> None:
    store.enqueue(ANN, numbered("a", "b"))
    one, two = store.claim(ANN, "w", 2, LEASE_S)
    store.drop(ANN, ["1"])
    assert finish(store, "w", one, [link("0", "1", "a")]) is None
    store.clear(ANN)
    assert finish(store, "w", two, [link("0", "2", "b")]) is None
    assert store.scopes() == []


def test_finishing_deletes_stale_links_of_the_memory_alone(store: Any) -> None:
    store.enqueue(ANN, numbered("a", "b"))
    current = link("0", "1", "new text")
    stale_end, stale_start = link("9", "1", "a"), Link("1", "2", "r", "v", "t", text_hash("a"), text_hash("b"))
    elsewhere = Link("2", "3", "r", "v", "t", text_hash("gone"), text_hash("gone"))
    store.add(ANN, [current, stale_end, stale_start, elsewhere])
    (claimed,) = store.claim(ANN, "w", 1, LEASE_S, ids=["1"])
    again = Link("1", "2", "still", "model", "t", text_hash("new text"), text_hash("b"))
    assert finish(store, "w", claimed, [again], hash_now=text_hash("new text")) == (1, 0)
    assert set(store.all(ANN)) == {current, again, elsewhere}
    assert store.known(ANN, ["1"]) == {"1": text_hash("new text")}


def test_failed_memory_waits_and_is_given_up_after_the_last_attempt(store: Any) -> None:
    store.enqueue(ANN, numbered("a", "b"))
    for attempt in range(MAX_ATTEMPTS):
        (claimed,) = store.claim(ANN, "w", 1, LEASE_S, after=float("-inf"), ids=["1"])
        assert claimed.attempts == attempt
        given_up = store.failed(ANN, "w", claimed, "the model is down", 300.0)
        assert given_up == (attempt + 1 == MAX_ATTEMPTS)
        assert claimed_ids(store, ids=["1"]) == []
    assert claimed_ids(store, after=float("-inf")) == ["2"]
    assert store.counts(ANN) == (0, 1, 1)
    assert store.retry(ANN) == 1
    assert store.counts(ANN) == (0, 2, 0)
    assert claimed_ids(store) == ["1"]


def test_memory_that_waits_after_a_failure_is_due_later(store: Any) -> None:
    store.enqueue(ANN, numbered("a"))
    (claimed,) = store.claim(ANN, "w", 1, LEASE_S)
    store.failed(ANN, "w", claimed, "down", 300.0)
    assert store.first_until(ANN, claimed=True) is None
    assert store.first_until(ANN) > 0
    assert claimed_ids(store) == []
    assert claimed_ids(store, after=float("-inf")) == ["1"]


def test_discarded_memory_is_unknown_unless_it_was_written_again(store: Any) -> None:
    store.enqueue(ANN, numbered("a", "b"))
    store.add(ANN, [link("1", "9", "x"), link("2", "9", "x")])
    one, two = store.claim(ANN, "w", 2, LEASE_S)
    store.enqueue(ANN, [Memory("2", "back again")])
    assert store.discard(ANN, "w", one) == 1
    assert store.discard(ANN, "w", two) == 0
    assert list(store.order(ANN, ["1", "2"])) == ["2"]


# Many writers


def test_writers_of_one_scope_get_places_of_their_own(shared_url: str) -> None:
    stores = [open_links(shared_url) for _ in range(3)]
    start = threading.Barrier(6)

    def write(number: int) -> None:
        start.wait()
        for n in range(20):
            stores[number % 3].enqueue(ANN, [Memory(f"{number}-{n}", "text")])

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(write, range(6)))
    order = stores[0].order(ANN, [f"{number}-{n}" for number in range(6) for n in range(20)])
    assert sorted(order.values()) == list(range(1, 121))
    assert all(order[f"{number}-{n}"] < order[f"{number}-{n + 1}"] for number in range(6) for n in range(19))
    for store in stores:
        store.close()
