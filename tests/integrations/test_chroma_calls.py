"""`CableCollection` is called as a Chroma collection is, and what it cannot look up costs no call of Chroma's own."""

import asyncio

import chromadb
import pytest

from benchmarks.retrieval import dense_available
from integrations.chroma import CableCollection
from memory_evidence.errors import ConfigError, HostError
from memory_evidence.testing_cable import QUESTION
from tests.integrations.minilm import new_collection
from tests.integrations.test_chroma import tell

pytestmark = pytest.mark.skipif(not dense_available(), reason="the model wheels are not installed")


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    return chromadb.PersistentClient(tmp_path_factory.mktemp("chroma"))


@pytest.fixture
def collection(client):
    return new_collection(client)


@pytest.fixture
def memories(collection):
    with CableCollection(collection, store="sqlite://", linking="deferred") as cable:
        tell(cable)
        yield cable


class Unreadable:
    """A collection whose `get` fails from its nth call on, once it is told to."""

    def __init__(self, collection):
        self._collection, self.left = collection, None

    def get(self, *args, **options):
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise RuntimeError("the server went away")
        return self._collection.get(*args, **options)

    def __getattr__(self, name):
        return getattr(self._collection, name)


@pytest.mark.parametrize("calls", [0, 1])
def test_a_delete_whose_look_up_fails_deletes_and_is_told(collection, caplog, calls):
    flaky = Unreadable(collection)
    with CableCollection(flaky, store="sqlite://", linking="deferred", on_error="skip") as cable:
        tell(cable)
        flaky.left = calls
        assert cable.delete(ids=["0"]) == {"deleted": 1}
        assert [record.levelname for record in caplog.records] == ["WARNING"]
    flaky.left = None
    with CableCollection(flaky, store="sqlite://", linking="deferred") as cable:
        flaky.left = calls
        with pytest.raises(HostError, match="went away") as caught:
            cable.delete(ids=["1"])
        assert isinstance(caught.value.__cause__, RuntimeError)
    assert not {"0", "1"} & set(collection.get()["ids"])


@pytest.mark.parametrize(
    "given", [(None, [QUESTION], None), (None, [QUESTION], None, None, None, 3), (None, [QUESTION], None, None, ["1"])]
)
async def test_queries_by_position_are_those_of_chroma(memories, collection, given):
    own = collection.query(*given)
    for found in (memories.query(*given, replace=0), await memories.aquery(*given, replace=0)):
        del found["cable"]
        assert found == own


def test_reads_by_position_are_those_of_chroma(memories, collection):
    for given in (
        (["1"], None, 5),
        (None, {"number": {"$gt": 2}}, 2, 1),
        (None, None, None, None, None, ["documents"]),
    ):
        assert memories.get(*given) == collection.get(*given)
    assert memories.delete(["1", "2"], None, None) == {"deleted": 2}
    assert memories.stats().memories == 6


@pytest.mark.parametrize(
    ("name", "args", "options"),
    [
        ("get", (), {"where": {}}),
        ("query", (), {"query_texts": ["a"], "where": {}}),
        ("query", (None, ["a"], None, None, None, 3), {"n_results": 3}),
        ("get", (["1"], None, 5), {"limit": 5}),
    ],
)
def test_what_chroma_refuses_is_refused_in_its_own_words(memories, collection, name, args, options):
    with pytest.raises((TypeError, ValueError)) as own:
        getattr(collection, name)(*args, **options)
    with pytest.raises(type(own.value)) as wrapped:
        getattr(memories, name)(*args, **options)
    assert str(wrapped.value) == str(own.value)


@pytest.mark.parametrize("include", [None, "documents", ("documents",), ["nonsense"], [None], 3])
def test_what_is_no_list_of_columns_is_chromas_to_refuse(memories, collection, include):
    with pytest.raises(Exception) as theirs:  # noqa: PT011 - whatever Chroma raises
        collection.query(query_texts=[QUESTION], n_results=2, include=include)
    with pytest.raises(type(theirs.value)) as ours:
        memories.query(query_texts=[QUESTION], n_results=2, include=include)
    assert str(ours.value) == str(theirs.value)


def test_settings_and_numbers_that_are_none_are_named(memories, collection):
    with pytest.raises(ConfigError, match="replace"):
        memories.query(query_texts=[QUESTION], n_results=2, replace=-1)
    with pytest.raises(ConfigError, match=r"linking, model, .*got \{'foo': 1\}"):
        CableCollection(collection, store="sqlite://", foo=1)


async def test_twins_do_what_the_calls_do(memories, collection):
    await memories.aadd(["a"], documents=["Noah likes tea."], metadatas=[{"number": 50}])
    await memories.aupsert(ids="a", documents="Noah likes coffee.", metadatas={"number": 51})
    await memories.aupdate("a", metadatas={"number": 52})
    assert await memories.aget("a") == memories.get("a") == collection.get("a")
    assert await memories.aget(None, {"number": 52}, 1, include=["documents"]) == memories.get(
        None, {"number": 52}, 1, include=["documents"]
    )
    assert await memories.acount() == collection.count() == 9
    assert len((await memories.apeek(3))["ids"]) == 3
    asked = {"query_texts": [QUESTION], "n_results": 3}
    assert await memories.aquery(**asked, replace=1) == memories.query(**asked, replace=1)
    shown = await memories.aexplain(QUESTION, 3, where={"number": {"$lt": 50}})
    assert shown.ids == memories.explain(QUESTION, 3, where={"number": {"$lt": 50}}).ids
    assert await memories.adelete(["a"], None, None) == {"deleted": 1}
    assert memories.stats().memories == 8


def test_what_is_written_on_an_event_loop_is_linked_on_it(collection, caplog):
    with CableCollection(collection, store="sqlite://", linking="asyncio") as cable:

        async def write():
            await cable.aadd(["1", "2"], documents=["Emma lives in Rome.", "Emma moved to Oslo."])
            await cable._cable.afinish()

        asyncio.run(write())
        assert cable.stats().pending == 0
    assert not caplog.records


def test_an_evidence_block_is_stored_as_it_is_given_and_never_linked(memories, collection):
    told = str(memories.explain(QUESTION, 2))
    memories.add(ids=["block"], documents=[told])
    memories.link_pending()
    assert collection.get(ids=["block"])["documents"] == [told]
    assert memories.links.around(memories.scope, ["block"]) == []
    assert memories.stats().pending == 0
