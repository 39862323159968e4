"""A LangGraph that remembers what users say and answers from the current state.

Runs offline, with a scripted model; what is printed is the evidence that a real one would answer from. Prints:

    ann asks: Where do I live?
      2. My manager is Kim.
      3. I moved to Bergen.
    bob asks: Where do I live?
      1. I live in Turku.
"""

from textwrap import indent
from typing import Any

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

from langgraph_nodes import ContractMemoryNode, EvidenceState, RememberNode
from memory_evidence.cmc import MemoryPool


class State(MessagesState, EvidenceState):
    """Messages, and evidence that no checkpoint keeps."""


def main() -> None:
    """Let two users tell it things, and ask."""
    pool = MemoryPool("sqlite://")  # "sqlite:///memory.db" for a file
    scope = ("demo", "{user_id}")
    memory = ContractMemoryNode(pool, scope=scope)
    llm = GenericFakeChatModel(messages=iter(AIMessage("Noted.") for _ in range(9)))

    def model(state: State) -> dict[str, Any]:
        return {"messages": [llm.invoke(memory.messages(state))]}

    builder = StateGraph(State).add_node("remember", RememberNode(pool, scope=scope))
    builder.add_node("memory", memory).add_node("model", model)
    builder.add_edge(START, "remember").add_edge("remember", "memory").add_edge("memory", "model")
    graph = builder.compile(InMemorySaver())

    def say(user: str, text: str) -> str:
        config: Any = {"configurable": {"user_id": user, "thread_id": user}}
        return str(graph.invoke(State(messages=[HumanMessage(text)]), config)["evidence"].text)

    for text in ("I live in Oslo.", "My manager is Kim.", "I moved to Bergen."):
        say("ann", text)
    say("bob", "I live in Turku.")
    for user in ("ann", "bob"):
        print(f"{user} asks: Where do I live?")
        print(indent(say(user, "Where do I live?"), "  "))
    pool.close()


if __name__ == "__main__":
    main()
