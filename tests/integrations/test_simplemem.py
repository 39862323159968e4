"""CABLE around a real SimpleMem: its model is scripted, its vectors and its table are real."""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from threading import Barrier
from unittest import SkipTest
from uuid import uuid4

import pytest

if find_spec("simplemem") is None:
    pytest.skip("simplemem is not installed; make test-hosts installs it", allow_module_level=True)

from integrations.simplemem import CableSimpleMem
from memory_evidence.cable.construct import LinkOptions
from memory_evidence.errors import ConfigError, HostError, ScopeError, StoreError
from memory_evidence.testing import CableContract, WrappedHost
from memory_evidence.testing_cable import CAUSE, EFFECT, OTHERS, QUESTION
from tests.integrations.simplemem_system import Dialogue, LLMClient, new_entry, new_system

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")

NAMES = ("O'Brien", "Ann", "Anna", 'Bo "the bear"', "100%", "a; DROP TABLE x --", "_", "Zoë")


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


@pytest.fixture
def host(open_host):
    with open_host() as host:
        host.cable.hybrid_retriever.semantic_top_k = 6
        yield host


def tell(host):
    cause, effect, _ = host.story()
    host.link(cause, effect)
    return cause, effect


def ids(entries):
    return [entry.entry_id for entry in entries]


class TestGate:
    @pytest.mark.parametrize(
        ("verdicts", "expanded"),
        [
            (["complete"], False),
            (["incomplete", "complete"], False),
            (["incomplete", "incomplete"], True),
            (["something else"], True),
        ],
    )
    def test_links_are_used_only_after_the_last_verdict_was_not_complete(self, host, verdicts, expanded):
        cause, _ = tell(host)
        host.cable.hybrid_retriever.max_reflection_rounds = 2
        host.cable.llm_client.verdicts = list(verdicts)
        assert (cause in ids(host.cable.retrieve(QUESTION))) is expanded
        host.cable.llm_client.verdicts = list(verdicts)
        shown = host.cable.explain(QUESTION)
        assert bool(shown.added) is expanded
        assert (shown.warning is None) is expanded

    def test_the_protocol_is_simplemems_own(self, host):
        tell(host)
        script = host.cable.llm_client
        host.cable.hybrid_retriever.max_reflection_rounds = 2
        sequences = []
        for retriever in (host.cable.hybrid_retriever, host.cable):
            script.asked.clear()
            retriever.retrieve(QUESTION)
            sequences.append(list(script.asked))
        assert sequences[0] == sequences[1] == ["plan", "queries", "judge", "missing", "judge", "missing"]

    def test_without_a_judgement_nothing_is_expanded(self, host):
        cause, _ = tell(host)
        assert cause not in ids(host.cable.retrieve(QUESTION, enable_reflection=False))
        assert "planning or reflection is off" in host.cable.explain(QUESTION, enable_reflection=False).warning
        host.cable.hybrid_retriever.enable_planning = False
        assert cause not in ids(host.cable.retrieve(QUESTION))
        assert host.cable.llm_client.asked.count("judge") == 0

    def test_answers_come_from_what_the_gate_lets_through(self, host):
        tell(host)
        host.cable.ask(QUESTION)
        assert CAUSE in host.cable.llm_client.contexts
        assert len(host.cable.llm_client.contexts) == 6
        host.cable.llm_client.verdicts = ["complete"]
        host.cable.ask(QUESTION)
        assert CAUSE not in host.cable.llm_client.contexts

    def test_the_system_itself_answers_as_before(self, host):
        tell(host)
        host.cable.ask(QUESTION)
        host.cable._wrapped.ask(QUESTION)
        assert CAUSE not in host.cable.llm_client.contexts
        assert "_analyze_information_completeness" not in vars(host.cable.hybrid_retriever)

    def test_threads_are_judged_apart(self, host):
        cause, _ = tell(host)
        together = Barrier(8)

        class Both(type(host.cable.llm_client)):
            def judge(self, prompt):
                together.wait(timeout=60)
                return {"assessment": "complete" if "enough" in prompt.partition("Required")[0] else "incomplete"}

        host.cable.hybrid_retriever.llm_client = Both()
        questions = [QUESTION, f"{QUESTION} Say enough."] * 4
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(host.cable.retrieve, questions))
        assert [cause in ids(entries) for entries in found] == [True, False] * 4

    def test_parallel_retrieval_is_judged_as_well(self, host):
        cause, _ = tell(host)
        host.cable.hybrid_retriever.enable_parallel_retrieval = True
        assert cause in ids(host.cable.retrieve(QUESTION))


class TestResults:
    def test_linked_entries_are_whole_entries_of_simplemem(self, host):
        fields = {"keywords": ["manager"], "timestamp": "2026-01-12T09:30:00", "location": "Lyon"}
        cause = new_entry(CAUSE, **fields, persons=["O'Brien", "Zoë"], entities=["Acme"], topic="work")
        host.cable.vector_store.add_entries([cause])
        for text in OTHERS:
            host.add(text)
        host.link(cause.entry_id, host.add(EFFECT))
        *kept, added = host.cable.retrieve(QUESTION)
        assert added == cause
        assert kept == host.cable.hybrid_retriever.retrieve(QUESTION)[:-1]

    def test_the_result_is_bounded(self, host, tmp_path):
        tell(host)
        with CableSimpleMem(host.cable._wrapped, scope=("ann",), store="sqlite://", max_entries=2) as small:
            for verdict in ("complete", "incomplete"):
                host.cable.llm_client.verdicts = [verdict]
                assert ids(small.retrieve(QUESTION)) == host.plain(QUESTION, 6)[:2]

    def test_the_union_of_several_queries_is_whole_and_expanded_within_its_own_number(self, host):
        class TwoQueries(type(host.cable.llm_client)):
            def queries(self, prompt):
                return {"queries": [QUESTION, OTHERS[3]]}

        cause, _ = tell(host)
        retriever = host.cable.hybrid_retriever
        retriever.semantic_top_k, retriever.llm_client = 3, TwoQueries()
        own = ids(retriever.retrieve(QUESTION))
        assert len(own) > 3
        found = ids(host.cable.retrieve(QUESTION))
        assert cause not in own
        assert set(found) - set(own) == {cause}
        assert len(found) == len(own)
        assert [i for i in found if i in own] == [i for i in own if i in found]

    def test_without_a_bound_of_ones_own_it_is_what_simplemems_protocol_asks_for_at_most(self, host):
        """SimpleMem cuts the planned queries itself, and takes as many missing ones as its model writes."""

        class Talkative(type(host.cable.llm_client)):
            def queries(self, prompt):
                return {"queries": [QUESTION, *OTHERS]}

            def missing(self, prompt):
                return {"targeted_queries": list(OTHERS)}

        host.story()
        for text in ("Bo sold his boat.", "It rained in Turku."):
            host.add(text)
        retriever = host.cable.hybrid_retriever
        retriever.semantic_top_k, retriever.llm_client, retriever.max_reflection_rounds = 1, Talkative(), 0
        assert ids(host.cable.retrieve(QUESTION)) == ids(retriever.retrieve(QUESTION))
        retriever.max_reflection_rounds = 1
        whole = ids(retriever.retrieve(QUESTION))
        assert len(whole) == 7
        host.monkeypatch.setattr("integrations._simplemem_judge._MISSING", 1)
        assert ids(host.cable.retrieve(QUESTION)) == whole[:5]

    def test_an_empty_memory_gives_an_empty_result(self, host, caplog):
        assert host.cable.retrieve(QUESTION) == []
        assert host.cable.ask(QUESTION) == "No relevant information found"
        assert host.cable.explain(QUESTION).warning == "SimpleMem holds no entries"
        assert not caplog.records

    def test_a_search_that_failed_is_told_from_one_that_found_nothing(self, host, caplog):
        tell(host)

        def no_vectors(*args, **options):
            raise RuntimeError("no vectors today")

        host.monkeypatch.setattr(host.cable.vector_store, "embedding_model", no_vectors)
        with caplog.at_level(logging.WARNING):
            assert host.cable.retrieve(QUESTION) == []
        assert "its search failed" in caplog.text
        assert "search failed" in host.cable.explain(QUESTION).warning

    def test_a_failing_look_up_costs_the_links_and_not_the_result(self, open_host, caplog):
        for on_error in ("skip", "raise"):
            with open_host(on_error=on_error) as host:
                tell(host)
                own = host.plain(QUESTION, 6)
                host.cable.vector_store.table = Unreadable(host.cable.vector_store.table)
                if on_error == "raise":
                    with pytest.raises(HostError, match="disk failure"):
                        host.cable.retrieve(QUESTION)
                else:
                    assert ids(host.cable.retrieve(QUESTION)) == own
                    assert "disk failure" in caplog.text

    @pytest.mark.parametrize("name", NAMES)
    def test_names_and_ids_are_never_part_of_a_filter(self, host, name):
        entry = new_entry(f"{name} shouted at everybody.")
        entry.entry_id = f"{name}') OR (1=1"
        host.cable.vector_store.add_entries([entry, new_entry("Anna shouted at Ann.")])
        found = host.cable._host.get([entry.entry_id, entry.entry_id, name, "none"])
        assert {key: memory.text for key, memory in found.items()} == {entry.entry_id: f"{name} shouted at everybody."}
        assert list(host.cable._host.vectors([entry.entry_id])) == [entry.entry_id]

    def test_scores_fall_with_the_distance(self, host):
        host.story()
        hits = host.cable._host.search(QUESTION, 8)
        assert [hit.memory.id for hit in hits] == host.plain(QUESTION, 8)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        assert host.cable._host.search(QUESTION, 0) == []


class TestWrites:
    def test_entries_wait_for_linking_once_simplemem_has_made_them(self, host):
        host.cable.add_dialogue("Emma", CAUSE, "2026-01-12T09:30:00")
        assert host.cable.stats().memories == 0
        host.cable.finalize()
        assert (host.cable.stats().memories, host.cable.stats().pending) == (1, 1)
        assert [memory.time for memory in host.cable._host.memories()] == ["2026-01-12T09:30:00"]

    def test_async_writes_and_explanations_equal_the_plain_ones(self, host):
        async def tell_all():
            await host.cable.aadd_dialogue("Emma", CAUSE, "2026-01-12T09:30:00")
            told = enumerate([*OTHERS, EFFECT], start=1)
            await host.cable.aadd_dialogues([Dialogue(dialogue_id=n, speaker="Emma", content=text) for n, text in told])
            await host.cable.afinalize()
            return await host.cable.aexplain(QUESTION)

        shown, again = asyncio.run(tell_all()), host.cable.explain(QUESTION)
        assert shown.ids == again.ids
        assert host.cable.stats().memories == len(OTHERS) + 2

    def test_full_windows_are_noted_as_they_are_stored(self, host):
        host.cable.memory_builder.window_size = 2
        for text in OTHERS[:3]:
            host.cable.add_dialogue("Emma", text)
        assert host.cable.stats().memories == 2
        told = enumerate(OTHERS[3:])
        host.cable.add_dialogues([Dialogue(dialogue_id=number, speaker="Emma", content=text) for number, text in told])
        assert host.cable.stats().memories == 6

    def test_what_the_system_stores_by_itself_is_noted_with_the_next_call(self, host):
        host.cable._wrapped.add_dialogue("Emma", CAUSE)
        host.cable._wrapped.finalize()
        assert host.cable.stats().memories == 0
        host.cable.finalize()
        assert host.cable.stats().memories == 1

    def test_a_failing_link_store_makes_simplemem_store_nothing_twice(self, open_host):
        with open_host(on_error="raise") as host:
            host.add(CAUSE)
            host.monkeypatch.setattr(host.cable.links, "enqueue", failing)
            with pytest.raises(StoreError):
                host.add(EFFECT)
            host.monkeypatch.undo()
            assert [entry.lossless_restatement for entry in host.cable.get_all_memories()] == [CAUSE, EFFECT]
            assert host.cable.stats().memories == 1
            host.cable.finalize()
            assert host.cable.stats().memories == 2

    def test_closing_leaves_the_system_as_it_was(self, host):
        system = host.cable._wrapped
        host.cable.close()
        assert system.memory_builder.vector_store is system.vector_store
        system.add_dialogue("Emma", CAUSE)
        system.finalize()
        assert len(system.get_all_memories()) == 1

    def test_a_cleared_memory_leaves_no_trace_in_results(self, host):
        cause, _ = tell(host)
        host.cable.vector_store.clear()
        host.add(EFFECT)
        assert cause not in ids(host.cable.retrieve(QUESTION))


class TestSettings:
    def test_simplemems_own_model_judges_links_unless_another_is_given(self, host):
        class Judge(type(host.cable.llm_client)):
            def chat_completion(self, messages, temperature=0.2, response_format=None, max_retries=3):
                self.asked.append(messages[-1]["content"])
                return '{"type": "event", "queries": []}'

        host.cable._wrapped.llm_client = Judge()
        settings = {"scope": ("x",), "store": "sqlite://", "linking": "deferred"}
        with CableSimpleMem(host.cable._wrapped, **settings) as cable:
            host.add(EFFECT)
            cable.backfill()
            assert len(host.cable._wrapped.llm_client.asked) == 2
            host.cable._wrapped.llm_client.asked.clear()
        with CableSimpleMem(host.cable._wrapped, model="rules", **settings) as cable:
            cable.backfill()
            assert host.cable._wrapped.llm_client.asked == []

    def test_simplemems_own_client_asks_a_real_model_and_no_entry_is_left_over(self, host, local_model_url):
        settings = {"scope": ("x",), "store": "sqlite://", "linking": "deferred"}
        with CableSimpleMem(host.cable._wrapped, **settings, link_options=LinkOptions(direct_k=1)) as cable:
            for text in (CAUSE, EFFECT):
                cable.add_dialogue("Emma", text)
            cable.finalize()  # with the scripted model: a small one restates nothing
            client = LLMClient(api_key="none", model="smol", base_url=local_model_url, use_streaming=False)
            asked = client.client.chat.completions
            host.monkeypatch.setattr(asked, "create", partial(asked.create, max_tokens=48))  # it would never end
            cable._wrapped.llm_client = client
            report = cable.link_pending()
            assert (report.linked, report.pending, report.failed) == (2, 0, 0)
            assert report.usage["classify"].calls == 2
            client.client.close()

    def test_a_table_is_a_scope_of_its_own_where_none_is_given(self, host):
        with CableSimpleMem(host.cable._wrapped, store="sqlite://") as cable:
            assert cable.scope == ("simplemem", str(host.folder / "ann"), "memory_entries")

    @pytest.mark.parametrize("thing", [None, object(), "memory"])
    def test_what_is_no_simplemem_is_refused(self, thing):
        with pytest.raises(ConfigError, match="SimpleMemSystem"):
            CableSimpleMem(thing, store="sqlite://")

    def test_a_system_is_wrapped_once(self, host):
        with pytest.raises(ConfigError, match="has links already"):
            CableSimpleMem(host.cable, scope=("ann",), store="sqlite://")

    def test_wrong_settings_are_refused(self, host):
        with pytest.raises(ConfigError, match="max_entries"):
            CableSimpleMem(host.cable._wrapped, store="sqlite://", max_entries=0)
        with pytest.raises(ScopeError):
            CableSimpleMem(host.cable._wrapped, scope="ann", store="sqlite://")


class Unreadable:
    """A table that finds entries by their vectors and cannot look them up."""

    def __init__(self, table):
        self._table = table

    def __getattr__(self, name):
        return getattr(self._table, name)

    def search(self, *vector):
        if not vector:
            raise OSError("disk failure")
        return self._table.search(*vector)


def failing(*args, **options):
    raise StoreError("note memories", "disk full")
