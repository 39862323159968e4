"""What is particular to A-MEM: its two forms, its links, its scores and its model."""

import asyncio
import json
from uuid import uuid4

import pytest

from amem_adapter import CableAgenticMemory
from memory_evidence.cable.construct import LinkOptions
from memory_evidence.errors import ConfigError, HostError, ScopeError
from memory_evidence.testing_cable import CAUSE, EFFECT, OTHERS, QUESTION
from tests.amem_adapter import systems

PACKAGE = pytest.param(
    "package", marks=pytest.mark.skipif(systems.fork_missing() is not None, reason=systems.fork_missing() or "")
)
UPSTREAM = pytest.param(
    "upstream",
    marks=pytest.mark.skipif(systems.upstream_missing() is not None, reason=systems.upstream_missing() or ""),
)
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")


@pytest.fixture(params=[PACKAGE, UPSTREAM])
def wrapped(request, tmp_path):
    def open_system(user):
        if request.param == "upstream":
            return systems.new_system(systems.upstream())
        return systems.new_system(systems.fork(), storage_path=str(tmp_path / "notes"))

    with systems.WrappedAMem(tmp_path, open_system) as host:
        yield host


def tell(host):
    cause, effect, others = host.story()
    host.link(cause, effect)
    return cause, effect, others


# Results


def test_added_notes_have_the_keys_and_distances_of_the_hosts_own(wrapped):
    cause, effect, _ = tell(wrapped)
    system = wrapped.system("ann")
    for ours, own in ((wrapped.cable.search, system.search), (wrapped.cable.search_agentic, system.search_agentic)):
        *kept, added = ours(QUESTION, 6)
        whole = {entry["id"]: entry for entry in own(QUESTION, 50)}
        assert kept == own(QUESTION, 6)[:-1]
        assert added["id"] == cause
        assert added.keys() == whole[cause].keys() | {"cable"}
        assert added["score"] == pytest.approx(whole[cause]["score"], abs=1e-4)
        assert added["score"] > kept[0]["score"]
        assert [(path["seed"], path["direction"]) for path in added["cable"]["paths"]] == [(effect, "prior")]
        assert added["cable"]["replaced"] == own(QUESTION, 6)[-1]["id"]
        assert added.get("content", CAUSE) == CAUSE
        assert added.get("is_neighbor", True)
        json.dumps(added)


def test_without_links_results_are_equal_to_the_hosts_own(wrapped):
    wrapped.story()
    system = wrapped.system("ann")
    assert wrapped.cable.search(QUESTION, 6) == system.search(QUESTION, 6)
    assert wrapped.cable.search_agentic(QUESTION, 6) == system.search_agentic(QUESTION, 6)


def test_scores_are_distances_for_the_host_and_similarities_for_the_engine(wrapped):
    wrapped.story()
    own = wrapped.system("ann").search(QUESTION, 4)
    scores = [entry.score for entry in wrapped.cable.explain(QUESTION, 4).entries]
    assert [entry["score"] for entry in own] == sorted(entry["score"] for entry in own)
    assert scores == sorted(scores, reverse=True)
    assert scores == [pytest.approx(1 - entry["score"]) for entry in own]
    hits = wrapped.cable._host.search(QUESTION, 4)
    assert [hit.score for hit in hits] == pytest.approx(scores, abs=1e-5)
    assert [hit.memory.id for hit in hits] == [entry["id"] for entry in own]


def test_no_more_than_the_most_entries_are_returned(wrapped):
    wrapped.story()
    assert len(wrapped.cable.search(QUESTION, 50)) == 8
    with CableAgenticMemory(wrapped.system("ann"), scope=("ann",), store="sqlite://", max_entries=3) as small:
        for search in (small.search, small.search_agentic):
            assert [entry["id"] for entry in search(QUESTION, 50)] == wrapped.plain(QUESTION, 3)
        assert small.explain(QUESTION, 50).limit == 3


def test_async_searches_find_the_same(wrapped):
    tell(wrapped)
    assert asyncio.run(wrapped.cable.asearch(QUESTION, 6)) == wrapped.cable.search(QUESTION, 6)
    assert asyncio.run(wrapped.cable.asearch_agentic(QUESTION, 6)) == wrapped.cable.search_agentic(QUESTION, 6)
    shown = asyncio.run(wrapped.cable.aexplain(QUESTION, 6))
    assert (shown.ids, shown.added) == (
        wrapped.cable.explain(QUESTION, 6).ids,
        wrapped.cable.explain(QUESTION, 6).added,
    )


def test_async_writes_are_noted_for_linking(wrapped):
    async def write():
        note = await wrapped.cable.aadd_note(CAUSE, tags=["office"])
        assert await wrapped.cable.aupdate(note, content=EFFECT)
        assert not await wrapped.cable.aupdate("nobody", content=EFFECT)
        gone = await wrapped.cable.aadd_note(OTHERS[0])
        assert await wrapped.cable.adelete(gone)
        return note

    note = asyncio.run(write())
    assert wrapped.cable.read(note).content == EFFECT
    assert (wrapped.cable.stats().memories, wrapped.cable.stats().pending) == (1, 1)


def test_a_note_of_its_own_says_what_superseded_it(wrapped):
    old, new = wrapped.add("Emma lives in Rome."), wrapped.add("Emma moved to Oslo.")
    wrapped.cable.link_pending()
    system = wrapped.system("ann")
    for ours, own in ((wrapped.cable.search, system.search), (wrapped.cable.search_agentic, system.search_agentic)):
        found = {entry["id"]: dict(entry) for entry in ours("Where does Emma live?", 2)}
        (mark,) = found[old].pop("cable")["superseded_by"]
        assert (mark["by"], mark["value"], mark["stated"]) == (new, "Oslo", "Rome")
        assert list(found.values()) == own("Where does Emma live?", 2)


# Notes


def test_links_that_amems_model_made_up_lead_nowhere(wrapped):
    for text in (CAUSE, *OTHERS):
        wrapped.add(text)
    wrapped.system("ann").llm_controller.llm.evolutions = [systems.evolution("0", "1", "no such note", "O'Brien")]
    effect = wrapped.add(EFFECT)
    assert wrapped.cable.read(effect).links == ["0", "1", "no such note", "O'Brien"]
    assert wrapped.cable.stats().links == 0
    for search in (wrapped.cable.search, wrapped.cable.search_agentic):
        assert [entry["id"] for entry in search(QUESTION, 6)] == wrapped.plain(QUESTION, 6)


def test_a_note_whose_context_and_tags_evolve_keeps_its_links(wrapped):
    cause, effect, _ = tell(wrapped)
    assert wrapped.cable.update(cause, context="Trouble at work", tags=["office"])
    assert cause in wrapped.search(QUESTION, 6)
    assert wrapped.cable.update(effect, content="Emma kept her job.")
    assert cause not in wrapped.search(QUESTION, 6)


def test_stored_vectors_are_read_and_not_made_anew(wrapped):
    note = wrapped.cable.add_note("Bob lives in Milan", keywords=["city"], context="A man in Italy", tags=["home"])
    stored = wrapped.cable._host.collection.get(ids=[note], include=["embeddings"])["embeddings"][0]
    assert wrapped.cable._host.vectors([note, note, "none"])[note].tolist() == pytest.approx(stored.tolist())


@pytest.mark.parametrize(
    "text", ["2024", "3.5", "[1, 2]", '{"a": 1}', "None", "O'Brien's 100% \"plan\"", "a\nb\tc", "日本語"]
)
def test_any_content_is_read_as_it_was_written(wrapped, text):
    note = wrapped.cable.add_note(text)
    assert wrapped.cable._host.get([note])[note].text == text
    assert [memory.text for memory in wrapped.cable._host.memories()] == [text]
    assert [entry.memory.text for entry in wrapped.cable.explain("anything", 3).entries] == [text]


def test_an_id_that_is_no_text_is_refused_by_the_host_and_noted_nowhere(wrapped):
    with pytest.raises((TypeError, ValueError)):
        wrapped.cable.add_note(CAUSE, id=7)
    assert list(wrapped.cable._host.memories()) == []
    assert wrapped.cable.stats().memories == 0


@pytest.mark.parametrize("note", ["O'Brien", "a.b", "100%", 'x" OR 1=1 --', "ä", "7"])
def test_any_text_is_an_id(wrapped, note):
    assert wrapped.cable.add_note(CAUSE, id=note) == note
    for text in OTHERS:
        wrapped.add(text)
    wrapped.link(note, wrapped.add(EFFECT))
    assert wrapped.search(QUESTION, 6)[-1] == note
    assert wrapped.cable.delete(note)
    assert wrapped.cable.stats().links == 0


def test_looking_notes_up_does_not_count_as_reading_them(wrapped):
    note = wrapped.add(CAUSE)
    before = wrapped.cable._host.shown([note])[note]["retrieval_count"]
    for _ in range(3):
        wrapped.cable._host.get([note])
        list(wrapped.cable._host.memories())
    assert wrapped.cable._host.shown([note])[note]["retrieval_count"] == before


def test_notes_come_in_the_order_of_their_times(wrapped):
    for number, time in enumerate(("202401010900", "202402010900", "202403010900")):
        wrapped.cable.add_note(f"Note {number}", time=time)
    first = next(wrapped.cable._host.memories())
    wrapped.cable.update(first.id, tags=["evolved"])
    notes = list(wrapped.cable._host.memories())
    assert [(note.text, note.time) for note in notes] == [
        ("Note 0", "202401010900"),
        ("Note 1", "202402010900"),
        ("Note 2", "202403010900"),
    ]


def test_deleting_and_updating_unknown_notes_answers_as_the_host_does(wrapped):
    tell(wrapped)
    system = wrapped.system("ann")
    assert wrapped.cable.delete("nobody") == system.delete("nobody")
    assert wrapped.cable.update("nobody", content="x") is False
    assert wrapped.cable.stats().links == 1


def test_links_go_with_a_deleted_note(wrapped):
    cause, *_ = tell(wrapped)
    assert wrapped.cable.delete(cause) is True
    assert (wrapped.cable.stats().links, wrapped.cable.stats().memories) == (0, 7)


def test_a_failing_look_up_costs_the_links_and_not_the_result(wrapped, caplog):
    tell(wrapped)
    system = wrapped.system("ann")
    own = system.search(QUESTION, 6)
    system.retriever.collection = Unreadable(system.retriever.collection)
    caplog.clear()
    assert wrapped.cable.search(QUESTION, 6) == own
    assert "the server went away" in caplog.text
    assert wrapped.cable.explain(QUESTION, 6).added == ()
    settings = {"scope": ("ann",), "store": f"sqlite:///{wrapped.store}", "model": "rules", "linking": "deferred"}
    with CableAgenticMemory(system, **settings) as strict, pytest.raises(HostError, match="the server went away"):
        strict.search(QUESTION, 6)


class Unreadable:
    """A Chroma collection that finds notes and cannot read them, as one on a server may."""

    def __init__(self, collection):
        self._collection = collection

    def __getattr__(self, name):
        return getattr(self._collection, name)

    def get(self, *args, **options):
        raise ConnectionError("the server went away")


# Model, scope, the rest


def test_amems_own_model_judges_links_unless_another_is_given(wrapped):
    script = wrapped.system("ann").llm_controller.llm

    def judge(prompt):
        asked = json.loads(prompt.rpartition("\n\n")[2])
        if "earlier" not in asked:
            return json.dumps({"type": "event", "queries": ["manager shouting in a meeting"]})
        return json.dumps({"valid": (asked["earlier"], asked["later"]) == (CAUSE, EFFECT), "reason": "the shouting"})

    script.judge = judge
    settings = {"scope": ("ann",), "store": "sqlite://", "linking": "deferred", "link_options": LinkOptions(direct_k=2)}
    with CableAgenticMemory(wrapped.system("ann"), **settings) as cable:
        cause = cable.add_note(CAUSE)
        for text in OTHERS:
            cable.add_note(text)
        effect = cable.add_note(EFFECT)
        script.asked.clear()
        cable.link_pending()
        assert (cause, effect) in {(link.prior, link.new) for link in cable.links.all(cable.scope)}
        forms = {form["json_schema"]["name"] for _, form, _ in script.asked}
        assert forms == {"response"}
        assert {temperature for _, _, temperature in script.asked} == {0.0, 0.1, 0.2}
    script.asked.clear()
    with CableAgenticMemory(wrapped.system("ann"), model="rules", **settings) as cable:
        cable.backfill()
    assert script.asked == []


def test_a_failing_model_leaves_the_memory_pending_and_the_note_stored(wrapped):
    def judge(prompt):
        raise RuntimeError("no server")

    wrapped.system("ann").llm_controller.llm.judge = judge
    with CableAgenticMemory(wrapped.system("ann"), scope=("ann",), store="sqlite://", linking="deferred") as cable:
        note = cable.add_note(EFFECT)
        report = cable.link_pending()
        assert (report.failed, cable.stats().pending, cable.stats().links) == (1, 1, 0)
        assert cable.read(note).content == EFFECT


def test_a_system_is_a_scope_of_its_own_where_none_is_given(wrapped):
    system = wrapped.system("ann")
    with CableAgenticMemory(system, store="sqlite://", model="rules") as cable:
        assert cable.scope == ("amem", str(system.retriever.collection.id))


def test_everything_else_is_amems_own(wrapped):
    note = wrapped.add(CAUSE)
    assert wrapped.cable.read(note).content == CAUSE
    assert CAUSE in wrapped.cable.find_related_memories("manager", k=1)[0]
    assert wrapped.cable.retriever is wrapped.system("ann").retriever
    with pytest.raises(AttributeError, match="wibble"):
        wrapped.cable.wibble  # noqa: B018


def test_upstreams_consolidation_does_not_cut_the_wrapper_off(wrapped):
    if not hasattr(wrapped.system("ann"), "consolidate_memories"):
        pytest.skip("the package stores each change at once")
    cause, *_ = tell(wrapped)
    wrapped.cable.consolidate_memories()
    assert cause in wrapped.search(QUESTION, 6)


def test_a_system_is_wrapped_once(wrapped):
    with pytest.raises(ConfigError, match="has links already"):
        CableAgenticMemory(wrapped.cable, scope=("ann",), store="sqlite://")


@pytest.mark.parametrize("thing", [None, object(), {"memories": {}}])
def test_what_is_no_amem_is_refused(thing):
    with pytest.raises(ConfigError, match="AgenticMemorySystem"):
        CableAgenticMemory(thing, scope=("ann",), store="sqlite://")


def test_wrong_settings_are_refused(wrapped):
    for wrong in ({"scope": "ann"}, {"scope": ()}, {"scope": ("ann", " ")}):
        with pytest.raises(ScopeError):
            CableAgenticMemory(wrapped.system("ann"), store="sqlite://", **wrong)
    with pytest.raises(ConfigError, match="max_entries"):
        CableAgenticMemory(wrapped.system("ann"), scope=(str(uuid4()),), store="sqlite://", max_entries=0)
