"""What mem0 finds for a "why" question, and what it finds with CABLE. No key, no server, no language model.

A real mem0 on Chroma, with MiniLM vectors. Whatever links there are were made by rules, when the memories were stored.
Run it with `make demo`.
"""

from __future__ import annotations

import logging
import os
import tempfile
from pathlib import Path
from typing import Any

from langchain_core.embeddings import Embeddings
from typing_extensions import override

from benchmarks.retrieval import Dense
from mem0_adapter import CableMemory

TOLD = {
    "spring": """I bought a red motorbike from 1994.
My motorbike needs a new clutch cable.
Jonas and I took our motorbikes over the Brenner pass.
Jonas says my motorbike is louder than his tractor.
I insured the motorbike for the whole year.
I ride the motorbike to work when it is dry.
My sister Ines opened a bakery in Graz.""",
    "summer": """I am learning to play the accordion.
The neighbours complained about the accordion.
Ines wants me to play at her birthday.
A colleague offered me money for the motorbike, but I would never sell it.
We rented a cabin at the lake for August.""",
    "autumn": """The doctor says that it will be twins.
With twins coming in January we need two of everything, and a bigger car.
So I sold the motorbike to a colleague last weekend.
The place where the motorbike stood is full of paint pots now.
We painted the small room yellow.
Ines sends us bread every Friday.
I still look at motorbikes in shop windows.""",
}
QUESTION = "Why did I sell my motorbike?"
ENTRIES = 6


class MiniLM(Embeddings):
    """all-MiniLM-L6-v2 from two wheels of the package index, for mem0's embedder "langchain"."""

    def __init__(self) -> None:
        self._model = Dense([])

    @override
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[float(value) for value in vector] for vector in self._model.embed(texts)]

    @override
    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def open_mem0(folder: Path) -> Any:
    """Return a mem0 memory of its own, as you would configure it; its language model is never called here."""
    os.environ["MEM0_TELEMETRY"], os.environ["MEM0_DIR"] = "False", str(folder)  # mem0 reads both when it is imported
    logging.getLogger("mem0").setLevel(logging.ERROR)
    from mem0 import Memory

    return Memory.from_config(
        {
            "vector_store": {"provider": "chroma", "config": {"collection_name": "demo", "path": str(folder / "c")}},
            "embedder": {"provider": "langchain", "config": {"model": MiniLM(), "embedding_dims": 384}},
            "llm": {"provider": "openai", "config": {"api_key": "never used"}},
            "history_db_path": str(folder / "history.db"),
        }
    )


def show(results: list[dict[str, Any]]) -> None:
    """Print entries; those that came over a link are marked."""
    for number, item in enumerate(results, 1):
        print(f"  {number}. {'+' if 'cable' in item else ' '} {item['memory']}")


def main() -> None:
    """Tell a story to mem0, then ask about it, without links and with them."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        mem0 = open_mem0(Path(folder))
        memory = CableMemory(mem0, store="sqlite://", model="rules", linking="deferred")
        for season, texts in TOLD.items():
            for text in texts.splitlines():
                memory.add(text, user_id="mara", run_id=season, infer=False)
        count = sum(len(texts.splitlines()) for texts in TOLD.values())
        print(f"{count} memories in mem0, told over three seasons. Linking them: {memory.link_pending()}\n")

        print(f"Question: {QUESTION}\n\nmem0 alone, {ENTRIES} entries: everything about motorbikes, and no reason.")
        show(memory.search(QUESTION, user_id="mara", limit=ENTRIES, replace=0)["results"])
        print("\nWith CABLE, as many entries: the sale leads to what came before it.")
        show(memory.search(QUESTION, user_id="mara", limit=ENTRIES)["results"])

        expansion = memory.explain(QUESTION, user_id="mara", limit=ENTRIES)
        print("\nHow that came about:")
        print("\n".join(f"  {line}" for line in expansion.explain().splitlines()[1:]))
        print("\nThe same as a drawing (Mermaid):")
        print("\n".join(f"  {line}" for line in expansion.to_mermaid().splitlines()))
        print(f"\nWhat goes into a prompt:\n\n{expansion}")
        memory.close()


if __name__ == "__main__":
    main()
