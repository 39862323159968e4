"""An A-MEM system that also finds causes: a linked note takes the place of a weaker one.

Needs the package `a-mem`; MINILM may name a folder with all-MiniLM-L6-v2, which is downloaded otherwise. Runs without
a server: a stand-in for A-MEM's model finds nothing to say, and rules link. Prints:

    A-MEM alone:
      So Emma handed in her resignation letter on Friday.
      Emma wrote a letter to her sister in Lyon.
      Her sister in Lyon has a bakery.
    With links, as many notes:
      So Emma handed in her resignation letter on Friday.
      Emma wrote a letter to her sister in Lyon.
      The new manager shouted at everybody on Monday. <- Said just before; the later begins "So".
"""

import os
from tempfile import mkdtemp
from typing import Any

from agentic_memory.memory_system import AgenticMemorySystem

from amem_adapter import CableAgenticMemory

TOLD = """Emma wrote a letter to her sister in Lyon.
Her sister in Lyon has a bakery.
The new manager shouted at everybody on Monday.
So Emma handed in her resignation letter on Friday."""
QUESTION = "Why did Emma hand in her resignation letter?"


class NoModel:
    """Stands in for A-MEM's model."""

    def get_completion(self, *_: Any, **__: Any) -> str:
        """Find no keywords, and nothing to evolve."""
        return '{"keywords": [], "context": "General", "tags": [], "should_evolve": false}'


def main() -> None:
    """Store the notes, link them, and ask the system alone and with links."""
    model = os.environ.get("MINILM", "all-MiniLM-L6-v2")
    system = AgenticMemorySystem(model_name=model, api_key="none", storage_path=mkdtemp())
    system.llm_controller.llm = NoModel()
    memory = CableAgenticMemory(system, scope=("emma",), store="sqlite://", model="rules", linking="deferred")
    for text in TOLD.splitlines():
        memory.add_note(text)
    memory.link_pending()

    print("A-MEM alone:")
    for note in system.search(QUESTION, k=3):
        print(f"  {system.read(note['id']).content}")
    print("With links, as many notes:")
    for note in memory.search(QUESTION, k=3):
        reasons = [f"<- {path['reason']}" for path in note.get("cable", {}).get("paths", ())]
        print(f"  {memory.read(note['id']).content}", *reasons)
    memory.close()


if __name__ == "__main__":
    main()
