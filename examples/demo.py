"""What a retriever shows, and what CMC shows, when facts have changed on the way. No key, no server, no model.

Run it with `make demo`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from typing_extensions import override

from langgraph_nodes import ContractMemoryMiddleware
from memory_evidence.cmc import ContractMemory
from memory_evidence.cmc.keys import fold, tokens
from memory_evidence.lexical import BM25Index

HISTORY = [
    "Kestrel is the billing service.",
    "The owner of Kestrel is Red Team.",
    "Red Team is located in Lisbon.",
    "The owner of Heron is Red Team.",
    "Blue Team is located in Oslo.",
    "The manager of Blue Team is Ida Lund.",
    "The owner of Kestrel is Blue Team.",
    "What would it take to move Kestrel to Red Team again?",
    "If Kestrel moved to Red Team, its owner would be in Lisbon.",
    "Blue Team moved to Bergen.",
    "The manager of Blue Team is Omar Haddad.",
    "Ida Lund no longer works at Northwind.",
]
QUESTION = "In which city is the owner of Kestrel located?"


class ShowPrompt(GenericFakeChatModel):
    """Stands in for a chat model: prints what it is asked and gives a fixed answer."""

    @override
    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        for message in messages:
            print(f"[{message.type}] {message.text}")
        return super()._generate(messages, *args, **kwargs)


def retrieved(texts: Sequence[str], question: str, k: int) -> list[int]:
    """Return the positions of the k records nearest to the question by BM25."""
    index: BM25Index[int] = BM25Index()
    for position, text in enumerate(texts, 1):
        index.add(position, tokens(fold(text)))
    return [position for position, _ in index.top(tokens(fold(question)), k)]


def main() -> None:
    """Show the records, the question, both selections, and the request that an agent's model receives."""
    print("A history of 12 records, in which the owner changes and then the owner's city:\n")
    for position, text in enumerate(HISTORY, 1):
        print(f"  {position:2}. {text}")
    print(f"\nQuestion: {QUESTION}\n")
    print("Top 5 by similarity (BM25): old and new side by side, and the record that answers is missing.")
    for position in sorted(retrieved(HISTORY, QUESTION, 5)):
        print(f"  {position:2}. {HISTORY[position - 1]}")

    memory = ContractMemory(("demo",), store="sqlite://")
    memory.add(HISTORY)
    evidence = memory.read(QUESTION)
    print("\nCMC: changes resolved first, then current relations followed from the name in the question.")
    print("\n".join(f"  {line}" for line in evidence.explain().splitlines()[1:]))
    print(f"\nAfter record 6 the answer was another one:\n  {memory.read(QUESTION, as_of=6).text!r}")
    print("\nThe history of where Blue Team is located:")
    for period in memory.history("Blue Team", "located in"):
        until = f"until record {period.until}" if period.until else "current"
        print(f"  {period.value}: since record {period.since}, {until}")

    print("\nThe same memory as middleware of a LangChain agent; this is what its model is asked:\n")
    model = ShowPrompt(messages=iter([AIMessage("Bergen")]))
    agent = create_agent(model, middleware=[ContractMemoryMiddleware(memory)], system_prompt="Answer briefly.")
    state = agent.invoke({"messages": [HumanMessage(QUESTION)]})
    print(f"\nWhat the agent's state keeps: {[message.type for message in state['messages']]}, no evidence.")


if __name__ == "__main__":
    main()
