"""A LangGraph that remembers what users say and answers from the current state.

Runs offline, with a scripted model; what is printed is the evidence that a real one would answer from. Prints:

    ann says: I live in Oslo.
    ann says: My manager is Kim.
    ann says: I moved to Bergen.
    bob says: I live in Turku.
    ann asks: Where do I live?
      3. I moved to Bergen.
    bob asks: Where do I live?
      1. I live in Turku.
"""

from typing import Any

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

from langgraph_nodes import ContractMemoryNode, EvidenceState, RememberNode
from memory_evidence.cmc import MemoryPool


class State(MessagesState, EvidenceState):
    """Messages, and evidence that no checkpoint keeps."""


def main() -> None:
    """Let two users tell it things, and ask."""
    pool = MemoryPool("sqlite://")  # "sqlite:///memory.db" for a file
    memory = ContractMemoryNode(pool, scope=("demo", "{user_id}"))
    remember = RememberNode(pool, scope=("demo", "{user_id}"))
    llm = GenericFakeChatModel(messages=iter(AIMessage("Noted.") for _ in range(9)))

    def model(state: State) -> dict[str, Any]:
        return {"messages": [llm.invoke(memory.messages(state))]}

    builder = StateGraph(State).add_node("remember", remember).add_node("memory", memory).add_node("model", model)
    builder.add_edge(START, "remember").add_edge("remember", "memory").add_edge("memory", "model")
    graph = builder.compile(InMemorySaver())

    def say(user: str, text: str) -> str:
        config: Any = {"configurable": {"user_id": user, "thread_id": user}}
        return str(graph.invoke({"messages": [("user", text)]}, config)["evidence"].text)

    said = [("ann", "I live in Oslo."), ("ann", "My manager is Kim."), ("ann", "I moved to Bergen.")]
    for user, text in [*said, ("bob", "I live in Turku.")]:
        say(user, text)
        print(f"{user} says: {text}")
    for user in ("ann", "bob"):
        print(f"{user} asks: Where do I live?")
        print(f"  {say(user, 'Where do I live?')}")
    pool.close()


if __name__ == "__main__":
    main()
