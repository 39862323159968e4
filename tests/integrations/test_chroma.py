"""CABLE around real Chroma collections."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import chromadb
import numpy as np
import pytest

from benchmarks.retrieval import dense_available
from integrations._chroma_host import ChromaHost
from integrations.chroma import CableCollection
from memory_evidence.cable.construct import LinkOptions
from memory_evidence.cable.links import Link, open_links, text_hash
from memory_evidence.errors import ConfigError, HostError, ScopeError
from memory_evidence.function_model import FunctionModel
from memory_evidence.testing_cable import CAUSE, EFFECT, OTHERS, QUESTION
from tests.integrations.minilm import SPACES, MiniLM, new_collection

pytestmark = pytest.mark.skipif(not dense_available(), reason="the model wheels are not installed")


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    return chromadb.PersistentClient(tmp_path_factory.mktemp("chroma"))


@pytest.fixture
def collection(client):
    return new_collection(client)


@pytest.fixture
def memories(collection, tmp_path):
    with CableCollection(collection, store=f"sqlite:///{tmp_path / 'links.db'}", linking="deferred") as cable:
        yield cable


def tell(cable):
    """Store the story, whose cause is record "0" and whose effect is "7", with a link between them."""
    texts = [CAUSE, *OTHERS, EFFECT]
    ids = [str(number) for number in range(len(texts))]
    cable.add(ids=ids, documents=texts, metadatas=[{"number": number} for number in range(len(texts))])
    link(cable, ids[0], ids[-1])
    return ids


def link(cable, prior, new, texts=(CAUSE, EFFECT)):
    hashes = map(text_hash, texts)
    cable.links.add(cable.scope, [Link(prior, new, "it was the shouting", "recorded", "2026-01-01", *hashes)])


class TestResults:
    @pytest.mark.parametrize("space", SPACES)
    def test_linked_rows_are_those_that_chroma_itself_would_give(self, client, tmp_path, space):
        collection = new_collection(client, space)
        with CableCollection(collection, store=f"sqlite:///{tmp_path / 'links.db'}", linking="deferred") as cable:
            tell(cable)
            include = ["documents", "metadatas", "distances", "embeddings", "uris"]
            found = cable.query(query_texts=[QUESTION, "tea"], n_results=5, include=include)
            whole = collection.query(query_texts=[QUESTION, "tea"], n_results=50, include=include)
        assert found["ids"][0][-1] == "0"
        assert found["included"] == include
        for row in (0, 1):
            places = [whole["ids"][row].index(record) for record in found["ids"][row]]
            for name in ("documents", "metadatas", "uris"):
                assert found[name][row] == [whole[name][row][place] for place in places]
            for name in ("distances", "embeddings"):
                expected = [whole[name][row][place] for place in places]
                np.testing.assert_allclose(found[name][row], expected, rtol=1e-4, atol=1e-6)

    @pytest.mark.parametrize("space", SPACES)
    def test_scores_are_higher_for_what_is_nearer(self, client, space):
        with CableCollection(new_collection(client, space), store="sqlite://", linking="deferred") as cable:
            tell(cable)
            hits = cable._host.search(QUESTION, 8)
            shown = cable.explain(QUESTION, 8, replace=0).entries
            own = cable.query(query_texts=QUESTION, n_results=8, replace=0)
        assert [hit.memory.id for hit in hits] == [entry.memory.id for entry in shown] == own["ids"][0]
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        assert [hit.score for hit in hits] == pytest.approx([entry.score for entry in shown])
        assert own["distances"][0] == sorted(own["distances"][0])

    def test_only_what_is_asked_for_is_included(self, memories):
        tell(memories)
        found = memories.query(query_texts=QUESTION, n_results=5, include=["metadatas"])
        assert found["ids"][0][-1] == "0"
        assert found["metadatas"][0][-1] == {"number": 0}
        assert {name for name, column in found.items() if column is None} == {
            "embeddings",
            "documents",
            "uris",
            "data",
            "distances",
        }

    def test_the_key_cable_tells_how_each_entry_was_reached(self, memories):
        tell(memories)
        found = memories.query(query_texts=[QUESTION], n_results=5)
        *own, added = found["cable"][0]
        assert own == [None] * 4
        assert [(path["seed"], path["direction"], path["reason"]) for path in added["paths"]] == [
            ("7", "prior", "it was the shouting")
        ]
        assert added["replaced"] not in found["ids"][0]

    def test_each_of_several_queries_is_expanded_on_its_own(self, memories):
        tell(memories)
        questions = ["Who keeps a letter in a drawer?", QUESTION, "tram"]
        found = memories.query(query_texts=questions, n_results=3)
        alone = [memories.query(query_texts=text, n_results=3) for text in questions]
        assert found["ids"] == [one["ids"][0] for one in alone]
        assert found["cable"] == [one["cable"][0] for one in alone]

    def test_vectors_find_what_their_texts_find(self, memories):
        tell(memories)
        vector = MiniLM()([QUESTION])[0]
        expected = memories.query(query_texts=QUESTION, n_results=5)
        assert expected["ids"][0][-1] == "0"
        for given in (vector, vector.tolist(), [vector], np.array([vector])):
            assert memories.query(query_embeddings=given, n_results=5)["ids"] == expected["ids"]

    def test_what_is_given_as_none_is_not_given(self, memories):
        tell(memories)
        nothing = dict.fromkeys(("ids", "where", "where_document", "query_images", "query_uris", "query_embeddings"))
        assert memories.query(query_texts=QUESTION, n_results=5, **nothing)["ids"][0][-1] == "0"

    def test_a_text_is_embedded_once(self, memories, collection):
        tell(memories)
        texts = collection._embedding_function.texts
        texts.clear()
        memories.query(query_texts=[QUESTION], n_results=5)
        assert texts == [QUESTION]

    def test_replace_zero_gives_the_collections_own_result(self, memories, collection):
        tell(memories)
        found = memories.query(query_texts=[QUESTION], n_results=5, replace=0)
        del found["cable"]
        assert found == collection.query(query_texts=[QUESTION], n_results=5)

    @pytest.mark.parametrize(
        "asked",
        [
            {},
            {"query_texts": []},
            {"query_texts": [3]},
            {"query_texts": ["a"], "query_embeddings": [[0.0]]},
            {"query_embeddings": []},
            {"query_embeddings": [["a"]]},
            {"query_embeddings": [[0.0, 1.0]]},
            {"query_texts": ["a"], "n_results": "many"},
            {"query_texts": ["a"], "n_results": 0},
            {"query_texts": ["a"], "include": ["all"]},
            {"query_texts": ["a"], "where": {"a": {"$near": 1}}},
            {"query_images": ["a"]},
            {"query_texts": ["a"], "query_images": ["a"]},
            {"query_texts": ["a"], "colour": None},
        ],
        ids=str,
    )
    def test_wrong_questions_are_refused_by_chroma_in_its_own_words(self, memories, collection, asked):
        tell(memories)
        with pytest.raises(Exception) as own:  # noqa: PT011 - whatever Chroma raises
            collection.query(**asked)
        with pytest.raises(type(own.value)) as wrapped:
            memories.query(**asked)
        assert str(wrapped.value) == str(own.value)


class TestFailures:
    """Of a collection that changes or fails at one call out of several, as one on a server may."""

    def plain(self, collection, cable):
        found = cable.query(query_texts=[QUESTION], n_results=5)
        own = collection.query(query_texts=[QUESTION], n_results=5)
        return found == {**own, "cable": [[None] * 5]}

    def test_a_linked_record_that_vanishes_meanwhile_costs_nothing_else(self, collection, tmp_path):
        flaky = Flaky(collection, lambda ids: ids == ["0"] and collection.delete(ids=ids))
        with CableCollection(flaky, store=f"sqlite:///{tmp_path / 'links.db'}", linking="deferred") as cable:
            tell(cable)
            assert self.plain(collection, cable)

    def test_a_failing_look_up_costs_the_links_and_is_told_once(self, collection, tmp_path, caplog):
        flaky = Flaky(collection, lambda ids: fail())
        store = f"sqlite:///{tmp_path / 'links.db'}"
        with CableCollection(collection, store=store, linking="deferred") as cable:
            tell(cable)
        with CableCollection(flaky, store=store, linking="deferred", on_error="skip") as cable:
            assert self.plain(collection, cable)
            assert [record.levelname for record in caplog.records] == ["WARNING"]
        with CableCollection(flaky, store=store, linking="deferred") as cable, pytest.raises(HostError):
            cable.query(query_texts=[QUESTION], n_results=5)

    def test_a_write_that_cannot_be_read_back_is_told_and_not_undone(self, collection, tmp_path, caplog):
        flaky = Flaky(collection, lambda ids: fail())
        with CableCollection(flaky, store="sqlite://", linking="deferred", on_error="skip") as cable:
            cable.add(ids=["a"], documents=["A text."])
            assert [record.levelname for record in caplog.records] == ["WARNING"]
        with CableCollection(flaky, store="sqlite://", linking="deferred") as cable, pytest.raises(HostError):
            cable.add(ids=["b"], documents=["A text."])
        assert collection.get()["ids"] == ["a", "b"]

    def test_a_lost_collection_fails_as_it_does_without_a_wrapper(self, client, tmp_path):
        collection = new_collection(client)
        with CableCollection(collection, store="sqlite://", linking="deferred", on_error="skip") as cable:
            tell(cable)
            client.delete_collection(collection.name)
            for call in (
                lambda: cable.query(query_texts=[QUESTION]),
                lambda: cable.add(ids=["x"], documents=["x"]),
                lambda: cable.delete(ids=["0"]),
            ):
                with pytest.raises(chromadb.errors.NotFoundError):
                    call()


class Flaky:
    """A collection where something happens before records are looked up by id."""

    def __init__(self, collection, happening):
        self._collection, self._happening = collection, happening

    def get(self, ids=None, include=("metadatas", "documents"), **options):
        if ids is not None:
            self._happening(ids)
        return self._collection.get(ids=ids, include=include, **options)

    def __getattr__(self, name):
        return getattr(self._collection, name)


def accept(messages, *_):
    if "earlier" in json.loads(messages[-1].content):
        return '{"valid": true, "reason": "roses"}'
    return '{"type": "event", "queries": ["gardeners", "roses"]}'


def fail():
    raise ConnectionError("the server went away")


class TestFilters:
    @pytest.mark.parametrize(
        "filters",
        [
            {"where": {"number": {"$gt": 0}}},
            {"where_document": {"$contains": "Emma"}},
            {"ids": [str(number) for number in range(1, 8)]},
        ],
        ids=str,
    )
    def test_a_linked_record_that_the_filters_exclude_is_not_reached(self, memories, filters):
        tell(memories)
        assert memories.query(query_texts=QUESTION, n_results=5)["ids"][0][-1] == "0"
        found = memories.query(query_texts=QUESTION, n_results=5, **filters)
        assert "0" not in found["ids"][0]
        assert not memories.explain(QUESTION, 5, **filters).added

    def test_a_wrapper_with_where_sees_and_deletes_nothing_else(self, collection, tmp_path):
        store = f"sqlite:///{tmp_path / 'links.db'}"
        collection.add(ids=["a", "b"], documents=["Ann's", "Bob's"], metadatas=[{"user": "ann"}, {"user": "bob"}])
        options = {"store": store, "linking": "deferred"}
        with CableCollection(collection, scope=("ann",), where={"user": "ann"}, **options) as ann:
            assert ann.count() == 1
            assert ann.get()["ids"] == ann.peek()["ids"] == ann.get(ids=["a", "b"])["ids"] == ["a"]
            assert [memory.id for memory in ann._host.memories()] == ["a"]
            ann.delete(ids=["b"])
            ann.delete(where={"user": "bob"})
            ann.delete(where_document={"$contains": "'s"})
        assert collection.get()["ids"] == ["b"]


class TestWrites:
    def test_what_is_stored_is_linked_and_not_what_was_given(self, memories, collection):
        memories.add(ids=["a"], documents=["The first text."])
        memories.add(ids=["a"], documents=["Ignored by Chroma."])
        memories.update(ids=["b"], documents=["Ignored by Chroma, too."])
        assert (memories.stats().memories, collection.get()["documents"]) == (1, ["The first text."])
        memories.upsert(ids=["a", "c"], documents=["Another text.", "And one more."])
        assert memories.stats().memories == 2

    def test_a_single_id_and_positional_vectors_are_taken_as_chroma_takes_them(self, memories):
        memories.add("a", [0.5] * 384, {"n": 1}, "A text.")
        assert memories.get("a")["documents"] == ["A text."]
        assert memories.stats().memories == 1

    def test_changing_metadata_alone_leaves_links_as_they_are(self, memories):
        tell(memories)
        memories.update(ids=["0"], metadatas=[{"seen": True}])
        assert memories.query(query_texts=QUESTION, n_results=5)["ids"][0][-1] == "0"

    @pytest.mark.parametrize("wrong", [{"ids": ["a", "a"]}, {"ids": [1, 2]}, {"ids": ["a"]}, {"ids": []}], ids=str)
    def test_a_refused_write_is_not_noted(self, memories, wrong):
        with pytest.raises((ValueError, TypeError, chromadb.errors.ChromaError)):
            memories.add(**wrong, documents=["x", "y"])
        assert memories.stats().memories == 0

    @pytest.mark.parametrize(
        "which", [{"ids": ["0"]}, {"where": {"number": 0}}, {"where_document": {"$contains": "shouted"}}]
    )
    def test_links_go_with_what_is_deleted(self, memories, which):
        tell(memories)
        assert memories.stats().links == 1
        assert memories.delete(**which) == {"deleted": 1}
        assert (memories.stats().links, memories.stats().memories) == (0, 7)

    def test_links_of_what_a_limit_spares_stay(self, memories):
        tell(memories)
        assert memories.delete(where={"number": {"$gte": 0}}, limit=3) == {"deleted": 3}
        assert memories.stats().memories == memories.count() == 5

    @pytest.mark.parametrize("which", [{}, {"ids": []}, {"where": {}}])
    def test_deleting_nothing_in_particular_is_refused_or_harmless_as_in_chroma(self, memories, collection, which):
        tell(memories)
        try:
            expected = collection.delete(**which)
        except Exception as error:  # noqa: BLE001 - whatever Chroma raises
            with pytest.raises(type(error)):
                memories.delete(**which)
        else:
            assert memories.delete(**which) == expected
        assert memories.count() == 8

    def test_records_without_a_document_are_found_and_never_linked(self, memories):
        memories.add(ids=["bare"], embeddings=[MiniLM()([QUESTION])[0]])
        tell(memories)
        assert memories.stats().memories == 8
        found = memories.query(query_texts=QUESTION, n_results=5)
        assert found["ids"][0][0] == "bare"
        assert found["documents"][0][0] is None
        assert found["ids"][0][-1] == "0"

    def test_memories_come_in_the_order_of_writing(self, memories):
        ids = [str(number) for number in range(2_500)]
        memories._wrapped.add(ids=ids, embeddings=np.eye(384)[np.arange(2_500) % 384], documents=ids)
        assert [memory.id for memory in memories._host.memories()] == ids


class TestScopes:
    def test_two_collections_in_one_store_share_no_link(self, client, tmp_path):
        options = {"store": f"sqlite:///{tmp_path / 'links.db'}", "linking": "deferred"}
        with (
            CableCollection(new_collection(client), **options) as one,
            CableCollection(new_collection(client), **options) as other,
        ):
            tell(one)
            other.add(ids=[str(number) for number in range(8)], documents=[CAUSE, *OTHERS, EFFECT])
            assert one.query(query_texts=QUESTION, n_results=5)["ids"][0][-1] == "0"
            assert "0" not in other.query(query_texts=QUESTION, n_results=5)["ids"][0]

    def test_a_collection_made_anew_under_its_old_name_starts_without_links(self, client, tmp_path):
        options = {"store": f"sqlite:///{tmp_path / 'links.db'}", "linking": "deferred"}
        with CableCollection(new_collection(client, name="again"), **options) as cable:
            tell(cable)
        client.delete_collection("again")
        with CableCollection(new_collection(client, name="again"), **options) as cable:
            cable.add(ids=[str(number) for number in range(8)], documents=[CAUSE, *OTHERS, EFFECT])
            assert "0" not in cable.query(query_texts=QUESTION, n_results=5)["ids"][0]

    def test_threads_of_three_users_never_meet(self, collection, tmp_path):
        links = open_links(f"sqlite:///{tmp_path / 'links.db'}")
        options = {"store": links, "model": FunctionModel("a model", accept), "link_options": LinkOptions(direct_k=1)}
        users = {user: CableCollection(collection, scope=(user,), where={"user": user}, **options) for user in "abc"}

        def work(thread):
            for turn in range(9):
                user = "abc"[(thread + turn) % 3]
                record = f"{user}{thread}{turn}"
                text = f"The {thread} {turn} gardeners of {user} planted roses."
                users[user].add(ids=[record], documents=[text], metadatas=[{"user": user}])
                found = users[user].query(query_texts=["Who planted roses?"], n_results=6)["ids"][0]
                assert {record[0] for record in found} == {user}

        with ThreadPoolExecutor(4) as pool:
            for each in [pool.submit(work, thread) for thread in range(4)]:
                each.result()
        for user, cable in users.items():
            cable.link_pending()
            assert (cable.stats().memories, cable.stats().pending) == (12, 0)
            made = list(links.all(cable.scope))
            assert made
            assert {link.prior[0] + link.new[0] for link in made} == {user * 2}
            cable.close()

    @pytest.mark.parametrize("scope", ["ann", (), ("ann", ""), (1,)])
    def test_a_malformed_scope_is_refused(self, collection, scope):
        with pytest.raises(ScopeError):
            CableCollection(collection, scope=scope, store="sqlite://")

    @pytest.mark.parametrize("thing", [None, object(), "memories"])
    def test_what_is_no_collection_is_refused(self, thing):
        with pytest.raises(ConfigError, match="chromadb Collection"):
            CableCollection(thing, store="sqlite://")


def test_everything_else_is_the_collections_own(memories, collection):
    memories.modify(metadata={"about": "Emma"})
    assert (memories.name, memories.id, memories.metadata) == (collection.name, collection.id, {"about": "Emma"})
    with pytest.raises(AttributeError, match="wibble"):
        memories.wibble  # noqa: B018


def test_a_collection_is_wrapped_once_and_by_a_model_that_is_one(memories, collection):
    with pytest.raises(ConfigError, match="has links already"):
        CableCollection(memories)
    for wrong in ("rule", 5):
        with pytest.raises(ConfigError, match="model"):
            CableCollection(collection, store="sqlite://", model=wrong)


def test_links_are_verified_again_and_those_of_gone_records_forgotten(memories, collection):
    tell(memories)
    collection.delete(ids=["0"])
    assert memories.stats().links == 1
    assert memories.reverify().gone == 1
    assert memories.stats().links == 0


async def test_what_blocks_has_a_twin_that_does_not(memories):
    await asyncio.to_thread(tell, memories)
    assert await memories.astats() == memories.stats()
    assert (await memories.abackfill()).pending == 0
    assert (await memories.areverify()).checked == memories.stats().links
    await memories.aclose()


def test_looking_up_records_leaves_a_filter_that_is_known_to_us(memories, collection):
    tell(memories)
    asked = []

    class Noting:
        def __getattr__(self, name):
            return getattr(collection, name)

        def get(self, **options):
            asked.append(options)
            return collection.get(**options)

    host = ChromaHost(Noting(), ("chroma",), where={"number": {"$lt": 3}})
    assert list(host.get(["1", "5", "2"])) == ["1", "2"]
    assert "where" not in asked[0]  # Chroma takes a millisecond for each id that it filters
    host = ChromaHost(Noting(), ("chroma",), where={"number": {"$lt": 2.5}})
    assert list(host.get(["1", "5"])) == ["1"]
    assert asked[1]["where"] == {"number": {"$lt": 2.5}}
