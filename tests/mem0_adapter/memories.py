"""mem0 memories in temporary folders, with MiniLM vectors from wheels."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from langchain_core.embeddings import Embeddings
from mem0 import AsyncMemory, Memory

from benchmarks.retrieval import Dense
from mem0_adapter import CableMemory
from mem0_adapter.calls import Spelling
from mem0_adapter.rows import Rows
from mem0_adapter.scopes import scope_of
from memory_evidence.cable.links import Link, text_hash
from memory_evidence.records import Scope
from memory_evidence.testing import ScriptedModel

MODERN = Spelling.of(Memory).modern
"""Whether mem0 2.x is installed."""
QUESTION = "When did Emma submit her resignation letter?"
CAUSE = "The new manager shouted at everybody in the Monday meeting."
EFFECT = "Emma submitted her resignation letter to the office on Friday."
NEAR = (
    "Emma resigned from the chess club two years ago.",
    "Emma wrote a resignation letter for a friend.",
    "Emma told Noah that she resigned.",
    "A letter of resignation must be signed, Emma was told.",
    "Noah asked Emma about resigning from the board.",
    "Emma keeps an old resignation letter in a drawer.",
)
"""Nearer to the question than the cause is, and the cause of nothing."""
Story = tuple[Any, CableMemory, str, str]
"""mem0, its wrapper, and the ids of a cause and of its effect, linked to each other."""
REASON = "The shouting made Emma resign."


@cache
def dense() -> Dense:
    return Dense([])


class MiniLM(Embeddings):
    """Counts what it embeds in `texts`."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.texts += texts
        return [[float(value) for value in vector] for vector in dense().embed(texts)]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def open_memory(
    folder: Path,
    provider: str = "chroma",
    *,
    asynchronous: bool = False,
    graph: bool = False,
    llm_url: str = "http://127.0.0.1:9/v1",
    embedder: MiniLM | None = None,
) -> Any:
    stores = {
        "chroma": {"collection_name": "memories", "path": str(folder / "chroma")},
        "qdrant": {
            "collection_name": "memories",
            "path": str(folder / "qdrant"),
            "embedding_model_dims": 384,
            "on_disk": True,
        },
        "faiss": {"collection_name": "memories", "path": str(folder / "faiss"), "embedding_model_dims": 384},
    }
    config: dict[str, Any] = {
        "vector_store": {"provider": provider, "config": stores[provider]},
        "embedder": {"provider": "langchain", "config": {"model": embedder or MiniLM(), "embedding_dims": 384}},
        "llm": {
            "provider": "openai",
            "config": {"model": "smol", "api_key": "none", "openai_base_url": llm_url, "max_tokens": 64},
        },
        "history_db_path": str(folder / "history.db"),
    }
    if graph:
        config["graph_store"] = {"provider": "kuzu", "config": {"db": str(folder / "graph.kuzu")}}
    folder.mkdir(parents=True, exist_ok=True)
    return (AsyncMemory if asynchronous else Memory).from_config(config)


def asynchronous(memory: Any) -> Any:
    """Return the `AsyncMemory` over the parts of a `Memory`: a local Qdrant can be opened once."""
    twin = object.__new__(AsyncMemory)
    vars(twin).update(vars(memory))
    return twin


def release(memory: Any) -> None:
    """Close what mem0 leaves open: Chroma its files, a local Qdrant its folder."""
    memory.close()
    if hasattr(memory.vector_store, "client"):
        memory.vector_store.client.close()


def remember(memory: Any, text: str, user_id: str = "ann", **options: Any) -> str:
    """Store one text as it is, in a mem0 memory or a wrapped one, and return its id."""
    (item,) = memory.add(text, user_id=user_id, infer=False, **options)["results"]
    return str(item["id"])


def scope_in(memory: Any, name: str = "ann", key: str = "user_id") -> Scope:
    """Return the scope of a user's memories in a mem0 memory."""
    scope = scope_of(Rows(memory).collection, {key: name})
    assert scope is not None
    return scope


def plain(memory: Any, query: str, k: int, user_id: str = "ann") -> list[dict[str, Any]]:
    """Search mem0 itself, in the spelling of its version."""
    if MODERN:
        found = memory.search(query, filters={"user_id": user_id}, top_k=k)
    else:
        found = memory.search(query, user_id=user_id, limit=k)
    return list(found["results"])


def ids(results: Any) -> list[str]:
    return [item["id"] for item in (results["results"] if isinstance(results, dict) else results)]


def refusing() -> ScriptedModel:
    """A model that accepts no link."""
    no = json.dumps({"type": "event", "queries": ["the reason"], "valid": False, "reason": "None."})
    return ScriptedModel([no] * 500)


def link(prior: str, new: str, texts: tuple[str, str], reason: str = REASON) -> Link:
    return Link(prior, new, reason, "recorded", "2026-01-01T00:00:00+00:00", text_hash(texts[0]), text_hash(texts[1]))


class ScriptedLLM:
    """Stands where mem0 keeps its language model."""

    def __init__(self, *answers: dict[str, Any]) -> None:
        self.answers = list(answers)
        self.asked = 0

    def generate_response(self, messages: Any, response_format: Any = None, **_: Any) -> str:
        self.asked += 1
        return json.dumps(self.answers.pop(0))


def pending(cable: Any, user_id: str = "ann") -> int:
    return cable.stats(user_id=user_id).pending
