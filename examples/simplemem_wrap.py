"""A SimpleMem system that also finds causes, where its own judge still misses something.

Needs the package `simplemem`; MINILM may name a folder with all-MiniLM-L6-v2, which is downloaded otherwise. Runs
without a server: a stand-in for SimpleMem's model restates what it is told and is never content, and rules link.
SimpleMem tells at length what it does; that goes to standard error. Prints:

    SimpleMem alone:
      So Emma handed in her resignation letter on Friday.
      Emma wrote a letter to her sister in Lyon.
      Her sister in Lyon has a bakery.
    With links, as many entries:
      So Emma handed in her resignation letter on Friday.
      Emma wrote a letter to her sister in Lyon.
      The new manager shouted at everybody on Monday. <- Said just before; the later begins "So".
"""

import json
import os
import re
import sys
from contextlib import redirect_stdout
from tempfile import mkdtemp
from typing import Any

from simplemem import SimpleMemConfig, SimpleMemSystem, set_config

from integrations.simplemem import CableSimpleMem

TOLD = """Emma wrote a letter to her sister in Lyon.
Her sister in Lyon has a bakery.
The new manager shouted at everybody on Monday.
So Emma handed in her resignation letter on Friday."""
QUESTION = "Why did Emma hand in her resignation letter?"


class StandIn:
    """Stands in for SimpleMem's model, whose every call says in its system message what is asked."""

    extract_json = staticmethod(json.loads)

    def chat_completion(self, messages: list[dict[str, str]], **_: Any) -> str:
        """Restate dialogue; to all other questions: there is no plan, and something is missing."""
        if "extraction" in messages[0]["content"]:
            told = re.findall("^Emma: (.*)$", messages[1]["content"], re.MULTILINE)
            return json.dumps([{"lossless_restatement": text} for text in told])
        return json.dumps({"required_info": [], "queries": [], "assessment": "incomplete", "targeted_queries": []})


def main() -> None:
    """Tell the system, link what it made of it, and ask it alone and with links."""
    model = os.environ.get("MINILM", "sentence-transformers/all-MiniLM-L6-v2")
    set_config(SimpleMemConfig("none", embedding_model=model, lancedb_path=mkdtemp(), semantic_top_k=3))
    with redirect_stdout(sys.stderr):
        system = SimpleMemSystem()
        for part in (system, system.memory_builder, system.hybrid_retriever, system.answer_generator):
            part.llm_client = StandIn()
        memory = CableSimpleMem(system, scope=("emma",), store="sqlite://", model="rules", linking="deferred")
        for text in TOLD.splitlines():
            memory.add_dialogue("Emma", text)
        memory.finalize()
        memory.link_pending()
        # `memory.retrieve` gives the same as SimpleMem's entries, and `memory.ask` answers from them.
        alone, linked = system.hybrid_retriever.retrieve(QUESTION), memory.explain(QUESTION)

    print("SimpleMem alone:", *(entry.lossless_restatement for entry in alone), sep="\n  ")
    print("With links, as many entries:")
    for entry in linked.entries:
        print(f"  {entry.memory.text}", *(f"<- {path.reason}" for path in entry.paths))
    memory.close()


if __name__ == "__main__":
    main()
