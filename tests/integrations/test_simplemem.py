"""CABLE around a real SimpleMem: its model is scripted, its vectors and its table are real."""

from importlib.util import find_spec
from unittest import SkipTest
from uuid import uuid4

import pytest

if find_spec("simplemem") is None:
    pytest.skip("simplemem is not installed; make test-hosts installs it", allow_module_level=True)

from integrations.simplemem import CableSimpleMem
from memory_evidence.testing_cable import CableContract, WrappedHost
from tests.integrations.simplemem_system import new_entry, new_system

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")


class WrappedSimpleMem(WrappedHost):
    """A system and a wrapper for each user, with links in one store."""

    def __init__(self, folder, monkeypatch, **settings):
        self.folder, self.monkeypatch = folder, monkeypatch
        self.store = folder / "links.db"
        self.settings = {
            "linking": "deferred",
            "on_error": "skip",
            "store": f"sqlite:///{self.store}",
            "model": "rules",
        }
        self.settings |= settings
        self.cables = {}
        self.cable = self.of("ann")

    def of(self, user):
        if user not in self.cables:
            system = new_system(self.folder / user, self.monkeypatch)
            self.cables[user] = CableSimpleMem(system, scope=(user,), **self.settings)
        return self.cables[user]

    def scope(self, user="ann"):
        return ("simplemem", user)

    def add(self, text, *, user="ann", behind=False):
        cable = self.of(user)
        if behind:
            entry = new_entry(text)
            cable.vector_store.add_entries([entry])
            return entry.entry_id
        cable.add_dialogue("Emma", text)
        cable.finalize()
        return cable.get_all_memories()[-1].entry_id

    def edit(self, memory_id, text, *, user="ann", behind=False):
        if not behind:
            raise SkipTest("SimpleMem has no call that edits an entry")
        self.of(user).vector_store.table.update(f"entry_id = '{memory_id}'", {"lossless_restatement": text})

    def delete(self, memory_id, *, user="ann", behind=False):
        if not behind:
            raise SkipTest("SimpleMem has no call that deletes an entry")
        self.of(user).vector_store.table.delete(f"entry_id = '{memory_id}'")

    def search(self, query, k, *, user="ann", replace=None):
        self.of(user).hybrid_retriever.semantic_top_k = k
        return [entry.entry_id for entry in self.of(user).retrieve(query, replace=replace)]

    async def asearch(self, query, k, *, user="ann"):
        self.of(user).hybrid_retriever.semantic_top_k = k
        return [entry.entry_id for entry in await self.of(user).aretrieve(query)]

    def plain(self, query, k, *, user="ann"):
        self.of(user).hybrid_retriever.semantic_top_k = k
        return [entry.entry_id for entry in self.of(user).hybrid_retriever.retrieve(query)]

    def explain(self, query, k, *, user="ann"):
        self.of(user).hybrid_retriever.semantic_top_k = k
        return self.of(user).explain(query)

    def close(self):
        for cable in self.cables.values():
            cable.close()


@pytest.fixture
def open_host(tmp_path, monkeypatch):
    def open_one(**settings):
        folder = tmp_path / uuid4().hex
        folder.mkdir()
        return WrappedSimpleMem(folder, monkeypatch, **settings)

    return open_one


class TestContract(CableContract):
    @pytest.fixture(autouse=True)
    def _host(self, open_host):
        self.open_host = open_host

    def open(self, **settings):
        return self.open_host(**settings)
