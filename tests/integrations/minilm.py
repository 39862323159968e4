"""Chroma collections on all-MiniLM-L6-v2, from the two model wheels."""

from functools import cache
from typing import Any
from uuid import uuid4

from chromadb import Documents, EmbeddingFunction, Embeddings

from benchmarks.retrieval import Dense

SPACES = ("cosine", "l2", "ip")


@cache
def dense() -> Dense:
    return Dense([])


class MiniLM(EmbeddingFunction[Documents]):
    """Counts what it embeds in `texts`."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, input: Documents) -> Embeddings:
        self.texts += input
        return list(dense().embed(input))

    @staticmethod
    def name() -> str:
        return "minilm_of_the_tests"

    def get_config(self) -> dict[str, Any]:
        return {}

    @staticmethod
    def build_from_config(config: dict[str, Any]) -> "MiniLM":
        return MiniLM()


def new_collection(client, space="cosine", name=None):
    return client.create_collection(
        name or f"c{uuid4().hex}", configuration={"hnsw": {"space": space}}, embedding_function=MiniLM()
    )
