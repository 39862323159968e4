"""One scope of mem0 as the engine sees it, over stores that give vectors and one that does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mem0_adapter.host import Mem0Host, SearchHost
from mem0_adapter.rows import Row, Rows
from mem0_adapter.twins import twin_of
from memory_evidence.errors import ScopeError
from tests.mem0_adapter.memories import MODERN, MiniLM, dense, ids, plain, remember, scope_in

TEXTS = ["Ann drinks tea.", "Ann sold her car.", "The tram is late.", "Ann moved to Oslo.", "Tea is grown on hills."]


def test_search_finds_the_scopes_memories_best_first_and_no_others(make: Any, provider: str) -> None:
    memory = make(provider)
    mine = [remember(memory, text) for text in TEXTS]
    remember(memory, TEXTS[0], "bob")
    host = Mem0Host(Rows(memory), scope_in(memory))
    hits = host.search("What does Ann drink?", 3)
    found = ids(plain(memory, "What does Ann drink?", 3))
    # mem0 1.x's FAISS filters after searching, and so may return fewer.
    assert len(hits) == 3
    assert len(found) >= (2 if provider == "faiss" else 3)
    assert [hit.memory.id for hit in hits][: len(found)] == found
    scores = [hit.score for hit in hits if hit.score is not None]
    assert len(scores) == len(hits) > 1
    assert scores == sorted(scores, reverse=True)
    assert hits[0].memory.text == TEXTS[0]
    assert hits[0].memory.time is not None
    assert {hit.memory.id for hit in host.search("Ann", 50)} == set(mine)
    assert host.search("  ", 3) == host.search("tea", 0) == []


def test_get_gives_what_is_there_and_mine(make: Any, provider: str) -> None:
    memory = make(provider)
    one, two, gone = (remember(memory, text) for text in TEXTS[:3])
    other = remember(memory, TEXTS[0], "bob")
    memory.delete(gone)
    host = Mem0Host(Rows(memory), scope_in(memory))
    found = host.get([two, one, one, gone, other, "nobody", "7", "O'Brien %", "00000000-0000-0000-0000-000000000000"])
    assert {i: memory.text for i, memory in found.items()} == {one: TEXTS[0], two: TEXTS[1]}
    assert host.get([]) == {}


def test_qdrant_is_asked_for_ids_that_it_can_have_alone(make: Any, monkeypatch: Any) -> None:
    memory = make("qdrant")
    one = remember(memory, TEXTS[0])
    client, asked = memory.vector_store.client, []
    own = client.retrieve
    # A Qdrant server refuses the whole request for one id that is neither a number nor a UUID.
    monkeypatch.setattr(client, "retrieve", lambda *args, ids, **more: asked.append(ids) or own(*args, ids=ids, **more))
    assert list(Rows(memory).get(["O'Brien", one, "7", " "])) == [one]
    assert list(Rows(memory).vectors(["O'Brien", one])) == [one]
    assert asked == [[one, 7], [one]]


def test_vectors_are_the_stores_own_and_equal_those_of_the_texts(make: Any, provider: str) -> None:
    embedder = MiniLM()
    memory = make(provider, embedder=embedder)
    stored = [remember(memory, text) for text in TEXTS]
    rows = Rows(memory)
    embedder.texts.clear()
    for _ in range(2):
        found = rows.vectors([*stored, stored[0], "00000000-0000-0000-0000-000000000000"])
        assert sorted(found) == sorted(stored)
        for memory_id, vector in zip(stored, dense().embed(TEXTS), strict=True):
            assert found[memory_id].dtype == np.float32
            assert float(found[memory_id] @ vector) == pytest.approx(1.0, abs=1e-4)
    # A store that keeps its vectors to itself costs one embedding a text, once.
    assert sorted(embedder.texts) == ([] if provider in ("chroma", "qdrant") else sorted(TEXTS))


def test_a_score_of_ours_is_on_the_scale_of_mem0s(make: Any, provider: str) -> None:
    memory = make(provider)
    for text in TEXTS:
        remember(memory, text)
    rows = Rows(memory)
    (query,) = rows.embed(["Where does Ann live?"])
    for item in plain(memory, "Where does Ann live?", 5):
        ours = rows.score(query, rows.vectors([item["id"]])[item["id"]])
        assert ours == pytest.approx(item["score"], abs=1e-3)


def test_distances_become_similarities(make: Any) -> None:
    rows = Rows(make("qdrant"))
    assert rows.similarities([0.9, 0.5, 0.5]) == [0.9, 0.5, 0.5]
    assert rows.similarities([None, None]) == [None, None]
    assert rows.similarities([]) == []
    near, far = rows.similarities([0.2, 1.7])
    assert (near, far) == (pytest.approx(1 / 1.2), pytest.approx(1 / 2.7))
    (only,) = Rows(make("chroma")).similarities([0.5])
    assert only == pytest.approx(0.5 if MODERN else 1 / 1.5)


def test_memories_come_oldest_first_by_their_own_time(make: Any, provider: str) -> None:
    memory = make(provider)
    for text, day in zip(
        TEXTS[:3], ("2026-03-02T00:00:00+00:00", "2026-03-01T23:30:00-05:00", "2026-03-01"), strict=True
    ):
        remember(memory, text, metadata={"created_at": day})
    unreadable = remember(memory, TEXTS[3], metadata={"created_at": "in spring"})
    found = list(Mem0Host(Rows(memory), scope_in(memory)).memories())
    assert [one.text for one in found] == [TEXTS[3], TEXTS[2], TEXTS[0], TEXTS[1]]
    assert (found[0].id, found[0].time) == (unreadable, "in spring")


def test_a_view_with_filters_shows_only_what_satisfies_them(make: Any) -> None:
    memory = make("chroma")
    early = remember(memory, TEXTS[0], metadata={"session": 1})
    late = remember(memory, TEXTS[1], metadata={"session": 5})
    host = Mem0Host(Rows(memory), scope_in(memory), filters={"user_id": "ann", "session": {"gte": 4}})
    assert list(host.get([early, late])) == [late]
    assert [one.id for one in host.memories()] == [late]


def test_an_expired_memory_is_shown_only_where_it_is_asked_for(make: Any) -> None:
    memory = make("chroma")
    old = remember(memory, TEXTS[0], metadata={"expiration_date": "2020-01-01"})
    assert Mem0Host(Rows(memory), scope_in(memory)).get([old]) == {}
    assert list(Mem0Host(Rows(memory), scope_in(memory), show_expired=True).get([old])) == [old]


def test_an_agents_own_memories_are_found_among_those_it_wrote_for_users(make: Any) -> None:
    memory = make("chroma")
    for text in TEXTS:
        remember(memory, text, agent_id="barista")
    (item,) = memory.add("The machine needs descaling.", agent_id="barista", infer=False)["results"]
    hits = Mem0Host(Rows(memory), scope_in(memory, "barista", "agent_id")).search("tea", 2)
    assert [hit.memory.id for hit in hits] == [item["id"]]


def test_a_scope_of_another_host_is_refused(make: Any) -> None:
    with pytest.raises(ScopeError):
        Mem0Host(Rows(make()), ("chroma", "memories", "user_id", "ann"))


def test_a_search_reads_payload_and_vector_of_a_row_together(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in ("chroma", "qdrant"):
        memory = make(provider)
        kept = [remember(memory, text) for text in TEXTS]
        rows = Rows(memory)
        host = SearchHost(rows, scope_in(memory))
        expected = rows.vectors(kept)
        assert list(host.get(kept)) == kept
        with monkeypatch.context() as patch:
            patch.setattr(rows, "vectors", None)  # nothing is read again
            found = host.vectors(kept)
        assert all(np.array_equal(found[i], expected[i]) for i in kept)
        assert rows.get(kept)[kept[0]].vector is None


def test_a_read_embeds_its_query_once(make: Any) -> None:
    embedder = MiniLM()
    memory = make("chroma", embedder=embedder)
    remember(memory, TEXTS[0])
    embedder.texts.clear()
    with twin_of(memory) as (twin, recorder):
        plain(twin, "tea", 3)
    host = Mem0Host(Rows(memory), scope_in(memory), known=recorder.vectors)
    assert host.embed(["tea", "coffee"]).shape == (2, 384)
    assert embedder.texts == ["tea", "coffee"]


def test_rows_of_a_store_that_cannot_list_are_an_error_and_not_an_empty_list(make: Any) -> None:
    memory = make("chroma")

    class Unlistable:
        def list(self, filters: Any = None, top_k: int = 1) -> None:
            return None

    memory.vector_store = Unlistable()
    with pytest.raises(NotImplementedError):
        list(Rows(memory).all({"user_id": "ann"}))


def test_the_collection_made_anew_by_a_reset_is_the_one_that_is_read(make: Any) -> None:
    memory = make("chroma")
    rows = Rows(memory)
    remember(memory, TEXTS[0])
    memory.reset()
    again = remember(memory, TEXTS[1])
    assert rows.get([again])[again] == Row(again, rows.get([again])[again].payload)
    assert [row.id for row in rows.all({})] == [again]


def test_a_user_with_few_of_all_memories_is_searched_as_any_other(make: Any, provider: str) -> None:
    memory = make(provider)
    mine = [remember(memory, text) for text in TEXTS]
    for number in range(40):
        remember(memory, f"What Bob drinks is tea number {number}.", "bob")
    hits = Mem0Host(Rows(memory), scope_in(memory)).search("What does Bob drink?", 4)
    assert len(hits) == 4
    assert {hit.memory.id for hit in hits} < set(mine)


@pytest.mark.parametrize("strategy", ["euclidean", "normalized", "inner_product", "cosine"])
def test_a_score_of_faiss_is_the_one_that_mem0_gives(make: Any, strategy: str) -> None:
    pytest.importorskip("faiss", reason="faiss-cpu is not installed")
    from mem0.vector_stores.faiss import FAISS

    memory = make("faiss")
    settings = memory.config.vector_store.config
    normalized = {"normalize_L2": True} if strategy == "normalized" else {"distance_strategy": strategy}
    memory.vector_store = FAISS("other", f"{settings.path}-{strategy}", embedding_model_dims=384, **normalized)
    for text in TEXTS:
        remember(memory, text)
    rows = Rows(memory)
    (asking,) = rows.embed(["What does Ann drink?"])
    scores = {item["id"]: item["score"] for item in plain(memory, "What does Ann drink?", 5)}
    assert len(scores) > 2
    vectors = rows.vectors(list(scores))
    assert {i: rows.score(asking, vectors[i]) for i in scores} == pytest.approx(scores, abs=1e-4)
