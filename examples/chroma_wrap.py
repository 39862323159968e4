"""A plain Chroma collection that also finds causes: what is linked to a hit takes the place of a weaker hit.

Runs offline: vectors count letter triples, and rules link, since no model is given. Prints:

    Chroma alone:
      So Emma handed in her resignation letter on Friday.
      Her sister in Lyon has a bakery.
      Emma wrote a letter to her sister in Lyon.
    With links, as many entries:
      So Emma handed in her resignation letter on Friday.
      Her sister in Lyon has a bakery.
      The new manager shouted at everybody on Monday. <- Said just before; the later begins "So".
"""

from typing import Any
from zlib import crc32

import chromadb
import numpy as np
from typing_extensions import override

from integrations.chroma import CableCollection

TOLD = """Emma wrote a letter to her sister in Lyon.
Her sister in Lyon has a bakery.
The new manager shouted at everybody on Monday.
So Emma handed in her resignation letter on Friday."""
QUESTION = "Why did Emma hand in her resignation letter?"


class Triples(chromadb.EmbeddingFunction[Any]):
    """Stands in for a real embedder, which Chroma would download."""

    def __init__(self) -> None: ...

    @override
    def __call__(self, input: list[str]) -> list[Any]:
        pieces = [[text[start : start + 3].lower() for start in range(len(text) - 2)] for text in input]
        return [np.bincount([crc32(piece.encode()) % 512 for piece in of], minlength=512) * 1.0 for of in pieces]


def main() -> None:
    """Store the texts, link them, and ask the collection alone and with links."""
    collection: Any = chromadb.EphemeralClient().create_collection("example", embedding_function=Triples())
    memories = CableCollection(collection, store="sqlite://", linking="deferred")  # "sqlite:///links.db" for a file
    memories.add(ids=["1", "2", "3", "4"], documents=TOLD.splitlines())
    memories.link_pending()

    print("Chroma alone:")
    for text in collection.query(query_texts=[QUESTION], n_results=3)["documents"][0]:
        print(f"  {text}")
    print("With links, as many entries:")
    found = memories.query(query_texts=[QUESTION], n_results=3)
    for text, told in zip(found["documents"][0], found["cable"][0], strict=True):
        print(f"  {text}", *(f"<- {path['reason']}" for path in (told or {}).get("paths", ())))
    memories.close()


if __name__ == "__main__":
    main()
