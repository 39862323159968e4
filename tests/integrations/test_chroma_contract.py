"""What every host must do, on a Chroma collection."""

from uuid import uuid4

import chromadb
import pytest

from benchmarks.retrieval import dense_available
from integrations.chroma import CableCollection
from memory_evidence.testing_cable import CableContract, WrappedHost
from tests.integrations.minilm import new_collection

pytestmark = pytest.mark.skipif(not dense_available(), reason="the model wheels are not installed")


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    return chromadb.PersistentClient(tmp_path_factory.mktemp("chroma"))


class WrappedChroma(WrappedHost):
    """Ann's and Bob's records in one collection, each user behind a wrapper of their own."""

    def __init__(self, client, path, **settings):
        self.store = path / "links.db"
        self.collection = new_collection(client)
        options = {"linking": "deferred", "on_error": "skip", "store": f"sqlite:///{self.store}", **settings}
        self.cables = {
            user: CableCollection(self.collection, scope=(user,), where={"user": user}, **options)
            for user in ("ann", "bob")
        }
        self.cable = self.cables["ann"]
        self.number = 0

    def scope(self, user="ann"):
        return ("chroma", str(self.collection.id), user)

    def _writer(self, user, behind):
        return self.collection if behind else self.cables[user]

    def add(self, text, *, user="ann", behind=False):
        self.number += 1
        record = str(self.number)
        self._writer(user, behind).add(ids=[record], documents=[text], metadatas=[{"user": user}])
        return record

    def edit(self, memory_id, text, *, user="ann", behind=False):
        self._writer(user, behind).update(ids=[memory_id], documents=[text])

    def delete(self, memory_id, *, user="ann", behind=False):
        self._writer(user, behind).delete(ids=[memory_id])

    def search(self, query, k, *, user="ann", replace=None):
        return self.cables[user].query(query_texts=[query], n_results=k, replace=replace)["ids"][0]

    async def asearch(self, query, k, *, user="ann"):
        return (await self.cables[user].aquery(query_texts=query, n_results=k))["ids"][0]

    def plain(self, query, k, *, user="ann"):
        return self.collection.query(query_texts=[query], n_results=k, where={"user": user})["ids"][0]

    def explain(self, query, k, *, user="ann"):
        return self.cables[user].explain(query, k)

    def close(self):
        for cable in self.cables.values():
            cable.close()


class TestContract(CableContract):
    @pytest.fixture(autouse=True)
    def _host(self, client, tmp_path):
        self.client, self.path = client, tmp_path

    def open(self, **settings):
        folder = self.path / uuid4().hex
        folder.mkdir()
        return WrappedChroma(self.client, folder, **settings)
