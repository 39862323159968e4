"""`Cable` as a wrapper of a host uses it: memories are written, linked, read, changed, deleted, found later."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from memory_evidence.cable import Cable, Hit, Link, LinkOptions, Memory, text_hash
from memory_evidence.cable.expand import PAPER
from memory_evidence.errors import ConfigError
from memory_evidence.models import Usage
from memory_evidence.testing import ScriptedModel
from tests.cable.hosts import NumpyHost, numbered
from tests.cable.judges import answering, down, judge

CAUSE = "The manager argued about overtime for weeks."
NOISE = [f"Emma wrote a letter about {thing}." for thing in ("apples", "pears", "plums", "grapes", "figs", "dates")]
EFFECT = "Emma handed in her resignation letter."
QUESTION = "Why the resignation letter of Emma?"
STORY = numbered(CAUSE, *NOISE, EFFECT)
TRUE = {(CAUSE, EFFECT)}
ONE_QUERY = ["argued manager weeks"]


def cable_of(host: NumpyHost, **options: Any) -> Cable:
    return Cable(
        lambda scope: host,
        **{
            "store": "sqlite://",
            "linking": "deferred",
            "expand_options": PAPER,
            "link_options": LinkOptions(direct_k=3),
        }
        | options,
    )


def links_of(cable: Cable, scope: Any = ("user",)) -> set[tuple[str, str]]:
    return {(link.prior, link.new) for link in cable.links.all(scope)}


def read(cable: Cable, host: Any, *, limit: int = 4, **options: Any) -> Any:
    return cable.expand(host, QUESTION, host.search(QUESTION, limit), limit=limit, **options)


@pytest.fixture
def host() -> NumpyHost:
    return NumpyHost(STORY)


@pytest.fixture
def linked(host: NumpyHost, url: str) -> Any:
    """The story, written and linked by a model that knows it."""
    with cable_of(host, store=url, model=judge(TRUE, ONE_QUERY)) as cable:
        cable.written(host.scope, STORY)
        cable.link_pending()
        yield cable


# The main path


def test_cause_that_search_misses_is_found_in_the_hosts_own_number_of_entries(linked: Cable, host: NumpyHost) -> None:
    plain = [hit.memory.id for hit in host.search(QUESTION, 4)]
    assert "1" not in plain
    found = read(linked, host)
    assert found.ids == (*plain[:3], "1")
    assert [entry.paths[0].reason for entry in found.added] == [f"{CAUSE} is behind it."]
    assert found.warning is None
    assert found.query == QUESTION


def test_link_says_who_verified_it_and_of_which_texts(linked: Cable) -> None:
    (link,) = linked.links.all(("user",))
    assert (link.prior, link.new, link.verifier) == ("1", "8", "model")
    assert (link.prior_hash, link.new_hash) == (text_hash(CAUSE), text_hash(EFFECT))
    assert link.time.endswith("+00:00")


def test_report_and_stats_count_memories_links_and_calls(host: NumpyHost) -> None:
    model = judge(TRUE, ONE_QUERY)
    with cable_of(host, model=model) as cable:
        cable.written(host.scope, [*STORY, Memory("9", "ok")])
        assert cable.stats() == replace(cable.stats(), memories=9, pending=9, links=0, usage={})
        host.put(Memory("9", "ok"))
        report = cable.link_pending()
        assert (report.linked, report.skipped, report.links, report.pending, report.failed) == (8, 1, 1, 0, 0)
        assert report.usage["classify"] == Usage(calls=8)
        assert report.usage["queries"] == Usage(calls=8)
        assert sum(usage.calls for usage in report.usage.values()) == len(model.calls)
        stats = cable.stats()
        assert (stats.memories, stats.pending, stats.failed, stats.links) == (9, 0, 0, 1)
        assert stats.usage == report.usage
        assert "8 memories linked, 1 new links, 1 skipped" in str(report)
        assert cable.link_pending().linked == 0


def test_only_prior_memories_become_antecedents(host: NumpyHost) -> None:
    everything = {(a.text, b.text) for a in STORY for b in STORY}
    with cable_of(host, model=judge(everything, [EFFECT, CAUSE, "plums"])) as cable:
        cable.written(host.scope, STORY)
        cable.link_pending()
        assert links_of(cable)
        assert all(int(prior) < int(new) for prior, new in links_of(cable))


def test_memory_that_was_never_written_through_us_counts_as_prior(host: NumpyHost) -> None:
    with cable_of(host, model=judge(TRUE, ONE_QUERY)) as cable:
        cable.written(host.scope, STORY[-1:])
        cable.link_pending()
        assert links_of(cable) == {("1", "8")}


def test_without_model_and_rules_memories_wait(host: NumpyHost) -> None:
    with cable_of(host, rules=False) as cable:
        cable.written(host.scope, STORY)
        report = cable.link_pending()
        assert (report.linked, report.pending, report.failed) == (0, 8, 0)
        assert "memories wait" in str(report)


def test_verifier_that_answers_prose_links_nothing(host: NumpyHost) -> None:
    with cable_of(host, model=ScriptedModel(["Yes, certainly, I think so!"] * 100)) as cable:
        cable.written(host.scope, STORY)
        report = cable.link_pending()
        assert (report.linked, report.links, report.pending) == (8, 0, 0)


def test_progress_counts_every_memory(host: NumpyHost) -> None:
    seen: list[tuple[int, int]] = []
    with cable_of(host) as cable:
        cable.written(host.scope, STORY)
        cable.link_pending(progress=lambda done, total: seen.append((done, total)))
    assert seen == [(n, 8) for n in range(1, 9)]


def test_inline_mode_links_before_it_returns(host: NumpyHost) -> None:
    with cable_of(host, linking="inline", model=judge(TRUE, ONE_QUERY)) as cable:
        cable.written(host.scope, STORY)
        assert links_of(cable) == {("1", "8")}
        assert cable.stats().pending == 0


def test_written_ids_are_read_back_from_the_host(host: NumpyHost) -> None:
    with cable_of(host) as cable:
        cable.written_ids(host, ["8", "gone", "1"])
        assert set(cable.links.order(host.scope, ["8", "gone", "1"])) == {"8", "1"}


# Reading


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 50])
@pytest.mark.parametrize("replace_", [None, 0, 1, 99])
def test_never_more_entries_than_the_host_gave(linked: Cable, host: NumpyHost, limit: int, replace_: Any) -> None:
    plain = [hit.memory.id for hit in host.search(QUESTION, limit)]
    found = linked.expand(host, QUESTION, host.search(QUESTION, limit), limit=limit, replace=replace_)
    assert len(found.ids) == len(plain)
    kept = [entry.memory.id for entry in found.entries if entry.origin == "host"]
    assert kept == [memory for memory in plain if memory in kept]


def test_a_number_to_replace_that_is_none_is_refused(linked: Cable, host: NumpyHost) -> None:
    for wrong in (-1, True, 1.5, "2"):
        with pytest.raises(ConfigError, match="whole number of at least 0"):
            linked.expand(host, QUESTION, host.search(QUESTION, 2), limit=2, replace=wrong)  # type: ignore[arg-type]


def test_negative_limit_gives_nothing(linked: Cable, host: NumpyHost) -> None:
    assert linked.expand(host, QUESTION, host.search(QUESTION, 3), limit=-1).ids == ()


def test_reading_asks_the_host_once_for_each_memory_and_no_model(host: NumpyHost) -> None:
    counted = Counting(host)
    model = judge(TRUE, ONE_QUERY)
    with cable_of(host, model=model) as cable:
        cable.written(host.scope, STORY)
        cable.link_pending()
        hits, asked = host.search(QUESTION, 4), len(model.calls)
        cable.expand(counted, QUESTION, hits, limit=4)
        assert counted.calls == ["vectors", "embed", "get", "vectors"]
        counted.calls.clear()
        cable.expand(counted, QUESTION, hits[1:], limit=4)
        assert counted.calls == []
        assert len(model.calls) == asked


class Counting:
    """A host that notes what it is asked."""

    def __init__(self, host: NumpyHost) -> None:
        self.scope, self.calls, self._host = host.scope, [], host

    def __getattr__(self, name: str) -> Any:
        self.calls.append(name)
        return getattr(self._host, name)


def test_seeds_lead_somewhere_and_are_no_entries(linked: Cable, host: NumpyHost) -> None:
    hits = [hit for hit in host.search(QUESTION, 8) if hit.memory.id not in ("1", "8")]
    seed = Hit(STORY[7], None)
    assert linked.expand(host, QUESTION, hits, limit=6).added == ()
    found = linked.expand(host, QUESTION, hits, limit=6, seeds=[seed, seed])
    assert [entry.memory.id for entry in found.added] == ["1"]
    assert "8" not in found.ids
    assert len(found.ids) == 6


def test_empty_query_and_empty_result_are_returned_as_they_are(linked: Cable, host: NumpyHost) -> None:
    hits = host.search(QUESTION, 3)
    for query in ("", "  \n"):
        assert linked.expand(host, query, hits, limit=3).ids == tuple(hit.memory.id for hit in hits)
    assert linked.expand(host, QUESTION, [], limit=3).ids == ()


def test_duplicate_hits_and_hits_without_scores_are_borne(linked: Cable, host: NumpyHost) -> None:
    hits = [Hit(hit.memory, None) for hit in host.search(QUESTION, 4) for _ in range(2)]
    assert read(linked, host).ids == linked.expand(host, QUESTION, hits, limit=4).ids


# Changes of the host


def test_edited_memory_makes_its_links_stale_and_is_linked_anew(linked: Cable, host: NumpyHost) -> None:
    edited = Memory("8", "Emma handed in her resignation letter on Monday.")
    host.put(edited)
    assert read(linked, host).added == ()
    linked.written(host.scope, [edited])
    assert linked.stats().pending == 1
    linked.link_pending()
    assert links_of(linked) == set()


def test_edited_cause_is_verified_again_with_what_it_led_to(host: NumpyHost) -> None:
    edited = replace(STORY[0], text=f"{CAUSE} And with others.")
    with cable_of(host, model=judge({*TRUE, (edited.text, EFFECT)}, ONE_QUERY)) as cable:
        cable.written(host.scope, STORY)
        cable.link_pending()
        host.put(edited)
        cable.written(host.scope, [edited])
        assert read(cable, host).added == ()
        cable.link_pending()
        assert [link.prior_hash for link in cable.links.all(host.scope)] == [text_hash(edited.text)]
        assert [entry.memory for entry in read(cable, host).added] == [edited]


def test_memory_deleted_behind_our_back_never_appears(linked: Cable, host: NumpyHost) -> None:
    host.drop("1")
    found = read(linked, host)
    assert "1" not in found.ids
    assert CAUSE not in str(found) + found.explain() + found.to_mermaid()


def test_memory_edited_behind_our_back_is_not_linked_any_more(linked: Cable, host: NumpyHost) -> None:
    host.put(Memory("1", "Emma sang in a choir."))
    assert read(linked, host).added == ()
    report = linked.backfill(host)
    assert (report.linked, links_of(linked)) == (1, set())


def test_filtered_host_hides_a_link_and_loses_none(linked: Cable, host: NumpyHost) -> None:
    narrow = NumpyHost(STORY[1:])
    assert read(linked, narrow).added == ()
    assert links_of(linked) == {("1", "8")}
    assert read(linked, host).added


def test_deleted_and_cleared_memories_take_their_links(linked: Cable, host: NumpyHost) -> None:
    linked.deleted(host.scope, ["8", "unknown"])
    assert links_of(linked) == set()
    assert linked.stats().memories == 7
    linked.cleared(host.scope)
    assert linked.links.scopes() == []


def test_memory_deleted_while_its_link_is_stored_keeps_none(host: NumpyHost) -> None:
    def delete_then_say(messages: Any) -> str:
        if "Two memories" in messages[0].content:
            host.drop(*({"1"} & set(host.get(["1"]))))
        return answering(TRUE, ONE_QUERY)(messages)

    with cable_of(host, model=ScriptedModel([delete_then_say] * 50)) as cable:
        cable.written(host.scope, STORY[7:])
        report = cable.link_pending()
        assert (report.linked, report.links, links_of(cable)) == (1, 0, set())


def test_memory_deleted_before_it_was_linked_is_forgotten(host: NumpyHost) -> None:
    with cable_of(host) as cable:
        cable.written(host.scope, STORY)
        host.drop("3")
        report = cable.link_pending()
        assert (report.gone, report.linked, report.pending) == (1, 7, 0)
        assert cable.stats().memories == 7


# Verified again


def test_reverify_deletes_what_is_gone_or_no_longer_holds(linked: Cable, host: NumpyHost) -> None:
    texts = {memory.id: text_hash(memory.text) for memory in STORY}
    linked.links.add(host.scope, [Link(a, b, "r", "recorded", "t", texts[a], texts[b]) for a, b in ("23", "24", "35")])
    host.drop("4")
    host.put(Memory("5", "Emma bought cherries."))
    seen: list[tuple[int, int]] = []
    report = linked.reverify(progress=lambda done, total: seen.append((done, total)))
    assert (report.checked, report.gone, report.rejected, report.restated) == (4, 1, 1, 0)
    assert links_of(linked) == {("1", "8"), ("2", "3")}
    assert seen == [(4, 4)]
    report = linked.reverify(every=True)
    assert (report.checked, report.rejected, report.restated) == (2, 1, 1)
    assert links_of(linked) == {("1", "8")}
    assert "2 links checked: 1 verified again, 1 rejected, 0 gone" in str(report)


def test_reverify_by_a_model_that_is_down_deletes_nothing(host: NumpyHost) -> None:
    hashes = {memory.id: text_hash(memory.text) for memory in STORY}
    with cable_of(host, model=down()) as cable:
        cable.links.add(host.scope, [Link("1", "8", "r", "recorded", "t", "old", hashes["8"])])
        report = cable.reverify()
        assert "connection refused" in str(report)
        assert links_of(cable) == {("1", "8")}


# Existing memories


def test_backfill_links_everything_in_the_hosts_order(host: NumpyHost) -> None:
    seen: list[tuple[int, int]] = []
    with cable_of(host, model=judge(TRUE, ONE_QUERY)) as cable:
        report = cable.backfill(host, progress=lambda done, total: seen.append((done, total)))
        assert (report.linked, report.links) == (8, 1)
        assert seen[-1] == (8, 8)
        order = cable.links.order(host.scope, [memory.id for memory in STORY])
        assert sorted(order, key=order.__getitem__) == [memory.id for memory in STORY]
        assert cable.backfill(host).linked == 0


def test_backfill_puts_older_memories_before_those_that_are_known(host: NumpyHost) -> None:
    with cable_of(host) as cable:
        cable.written(host.scope, [STORY[3], STORY[6]])
        cable.backfill(host)
        order = cable.links.order(host.scope, [memory.id for memory in STORY])
        assert sorted(order, key=order.__getitem__) == [memory.id for memory in STORY]


def test_backfill_reads_a_large_host_slice_by_slice(host: NumpyHost) -> None:
    behind = 0

    def memories() -> Iterator[Memory]:
        nonlocal behind
        for n in range(3_000):
            behind = max(behind, n - cable.stats().memories)
            yield Memory(f"{n}", f"text {n}")

    host.memories = memories  # type: ignore[method-assign]
    with cable_of(host, rules=False) as cable:
        assert cable.backfill(host).pending == 3_000
    assert behind <= 1_000
