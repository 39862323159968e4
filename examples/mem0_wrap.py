"""A mem0 that is in use already: wrap it, link what it holds, and ask as before.

Runs offline: vectors count letter triples, and rules link, since mem0's model is not to be called. Prints:

    4 memories linked, 2 new links; 0 model calls
    mem0 alone:
      So Emma handed in her resignation letter on Friday.
      Emma wrote a letter to her sister in Lyon.
      Her sister in Lyon has a bakery.
    With links, as many entries:
      So Emma handed in her resignation letter on Friday.
      Emma wrote a letter to her sister in Lyon.
      The new manager shouted at everybody on Monday. <- Said just before; the later begins "So".
"""

import logging
import os
from tempfile import mkdtemp
from typing import Any
from zlib import crc32

import numpy as np
from langchain_core.embeddings import Embeddings
from typing_extensions import override

from mem0_adapter import CableMemory
from memory_evidence.progress import progress_bar

TOLD = """Emma wrote a letter to her sister in Lyon.
Her sister in Lyon has a bakery.
The new manager shouted at everybody on Monday.
So Emma handed in her resignation letter on Friday."""
QUESTION = "Why did Emma hand in her resignation letter?"


class Triples(Embeddings):
    """Stands in for a real embedder."""

    @override
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    @override
    def embed_query(self, text: str) -> list[float]:
        places = [crc32(text[start : start + 3].lower().encode()) % 512 for start in range(len(text) - 2)]
        vector = np.bincount(places, minlength=512)
        return [float(value) for value in vector / np.linalg.norm(vector)]


def open_mem0() -> Any:
    """Return a mem0 in a folder of its own, as it may have been in use for long."""
    folder = mkdtemp()
    os.environ["MEM0_TELEMETRY"], os.environ["MEM0_DIR"] = "False", folder  # read when mem0 is imported
    logging.getLogger("mem0").setLevel(logging.ERROR)
    from mem0 import Memory

    store = {"provider": "chroma", "config": {"collection_name": "memories", "path": f"{folder}/chroma"}}
    embedder = {"provider": "langchain", "config": {"model": Triples()}}
    llm = {"provider": "openai", "config": {"api_key": "none"}}
    return Memory.from_config(
        {"vector_store": store, "embedder": embedder, "llm": llm, "history_db_path": f"{folder}/h"}
    )


def main() -> None:
    """Wrap a mem0 that holds memories, link them, and ask it alone and with links."""
    mem0 = open_mem0()
    for text in TOLD.splitlines():
        mem0.add(text, user_id="emma", infer=False)

    # Where links are kept: "sqlite:///memory.db" for a file. Without `model`, mem0's own model judges links.
    memory = CableMemory(mem0, store="sqlite://", model="rules", linking="deferred")
    with progress_bar("linking") as bar:
        report = memory.backfill(user_id="emma", progress=bar)
    print(report)

    print("mem0 alone:")
    for item in memory.search(QUESTION, user_id="emma", limit=3, replace=0)["results"]:
        print(f"  {item['memory']}")
    print("With links, as many entries:")
    for item in memory.search(QUESTION, user_id="emma", limit=3)["results"]:
        print(f"  {item['memory']}", *(f"<- {path['reason']}" for path in item.get("cable", {}).get("paths", ())))
    memory.close()


if __name__ == "__main__":
    main()
