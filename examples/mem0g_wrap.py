"""A mem0 1.x with graph memory (Mem0g): what its relations name leads on to causes, too.

Needs `mem0ai[graph]<2`, which brings Kuzu. Runs without a server: vectors count words, a stand-in for mem0's
model knows one relation, and rules link. Prints:

    The graph: emma - works_at - harbour_office
    Mem0g alone:
      Emma did not stop at the red light at night.
      Why did Noah stop at the shop last night?
      Emma was baking at night for years.
    With links, as many entries:
      Emma did not stop at the red light at night.
      Why did Noah stop at the shop last night?
      The bakery closed for good in March. <- Said just before; the later begins "So".
"""

import logging
import math
import os
import re
from collections import Counter
from tempfile import mkdtemp
from typing import Any
from zlib import crc32

from langchain_core.embeddings import Embeddings
from typing_extensions import override

from mem0_adapter import CableMemory
from memory_evidence.cable import PAPER

TOLD = """The bakery closed for good in March.
So Emma stopped baking and works at the harbour office.
The tram was late on Monday.
Noah bought a boat.
Emma was baking at night for years.
The zoo has a new bear.
It rained all week.
Why did Noah stop at the shop last night?
There is a market on Sundays.
Emma did not stop at the red light at night."""
QUESTION = "Why did Emma stop baking at night?"
KNOWN = {"source": "Emma", "relationship": "works_at", "destination": "harbour office"}


class Words(Embeddings):
    """Stands in for a real embedder."""

    @override
    def embed_query(self, text: str) -> list[float]:
        counts = Counter(crc32(word.encode()) % 512 for word in re.findall(r"\w+", text.lower()))
        length = math.hypot(*counts.values())
        return [counts[place] / length for place in range(512)]

    @override
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


class OneRelation:
    """Stands in for the model that mem0 builds its graph with."""

    def generate_response(self, messages: list[dict[str, str]], tools: list[dict[str, Any]]) -> dict[str, Any]:
        """Name the entities of the relation that a text names, and the relation where it names both."""
        tool, said = tools[0]["function"]["name"], messages[-1]["content"].lower()
        named = [KNOWN[end] for end in ("source", "destination") if KNOWN[end].lower() in said]
        found: list[dict[str, str]] = [{"entity": name, "entity_type": "thing"} for name in named]
        if tool != "extract_entities":
            found = [dict(KNOWN)] if len(named) == 2 else []
        calls = [] if "delete" in tool else [{"name": tool, "arguments": {"entities": found}}]
        return {"content": "", "tool_calls": calls}


def open_mem0g() -> Any:
    """Return a mem0 with a graph, in a folder of its own."""
    os.environ["MEM0_TELEMETRY"], os.environ["MEM0_DIR"] = "False", mkdtemp()  # read when mem0 is imported
    logging.getLogger("mem0").setLevel(logging.ERROR)
    from mem0 import Memory

    def stored(provider: str, **config: Any) -> dict[str, Any]:
        return {"provider": provider, "config": config}

    memory = Memory.from_config(
        {
            "vector_store": stored("chroma", path=mkdtemp()),
            "graph_store": stored("kuzu", db=":memory:"),
            "embedder": stored("langchain", model=Words(), embedding_dims=512),
            "llm": stored("openai", api_key="none"),
            "history_db_path": ":memory:",
        }
    )
    memory.graph.llm = OneRelation()
    return memory


def main() -> None:
    """Store memories and their graph, link them, and ask mem0 alone and with links."""
    # The paper's rule: what is linked replaces, whatever words it shares with the question.
    memory = CableMemory(open_mem0g(), store="sqlite://", model="rules", linking="deferred", expand_options=PAPER)
    for text in TOLD.splitlines():
        memory.add(text, user_id="emma", infer=False)
    memory.link_pending()

    alone = memory.search(QUESTION, user_id="emma", limit=3, replace=0)
    linked = memory.explain(QUESTION, user_id="emma", limit=3)  # of the same `search` with links
    print("The graph:", *(" - ".join(relation.values()) for relation in alone["relations"]))
    print("Mem0g alone:", *(item["memory"] for item in alone["results"]), sep="\n  ")
    print("With links, as many entries:")
    for entry in linked.entries:
        print(f"  {entry.memory.text}", *(f"<- {path.reason}" for path in entry.paths))
    memory.close()


if __name__ == "__main__":
    main()
