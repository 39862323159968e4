"""A LlamaIndex query engine whose top-k retriever is swapped for TallyMem, over the log of an agent.

Runs offline; LlamaIndex's MockLLM says what it was asked. Prints:

    How many times was search called?
      top 3: steps 0, 2, 4; a count in the prompt: no
      TallyMem: 40 steps and 1. count = 20 (20 matched steps)
    Which page was opened at step 7?
      top 3: steps 7, 1, 3; a count in the prompt: no
      TallyMem: 40 steps and no computed block
"""

from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from typing_extensions import override

from llamaindex_retrievers import TallyMemRetriever
from memory_evidence.cmc.keys import fold, tokens
from memory_evidence.lexical import BM25Index
from memory_evidence.tallymem import TallyMem, Trajectory

LOG = Trajectory.from_pairs(
    [
        (f"search: part {n}", f"Results for part {n}.") if n % 2 == 0 else (f"open: page {n}", f"This is page {n}.")
        for n in range(40)
    ]
)


class TopK(BaseRetriever):
    """Stands for the retriever that you have: the three steps most similar to the question."""

    def __init__(self, log: Trajectory) -> None:
        self._log = log
        self._index: BM25Index[int] = BM25Index()
        for step in log:
            self._index.add(step.id, tokens(fold(f"step {step.id} {step.action} {step.observation}")))
        super().__init__()

    @override
    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        best = self._index.top(tokens(fold(query_bundle.query_str)), 3, prefer=lambda id: -id)
        return [NodeWithScore(node=_node(self._log, id), score=score) for id, score in best]


def _node(log: Trajectory, id: int) -> TextNode:
    step = log.step(id)
    return TextNode(text=f"{step.action}\n{step.observation}", metadata={"step": id})


def main() -> None:
    """Ask one engine with either retriever."""
    engine = RetrieverQueryEngine.from_args(TopK(LOG), llm=MockLLM())
    swapped = engine.with_retriever(TallyMemRetriever(TallyMem(LOG)))  # the one line
    for question in ("How many times was search called?", "Which page was opened at step 7?"):
        print(question)
        response = engine.query(question)
        counted = "yes" if "count =" in str(response) else "no"
        print(f"  top 3: steps {_steps(response)}; a count in the prompt: {counted}")
        response = swapped.query(question)
        blocks = [node for node in response.source_nodes if "step" not in node.metadata]
        found = blocks[0].text.splitlines()[2] if blocks else "no computed block"
        print(f"  TallyMem: {len(response.source_nodes) - len(blocks)} steps and {found}")


def _steps(response: Any) -> str:
    return ", ".join(str(node.metadata["step"]) for node in response.source_nodes)


if __name__ == "__main__":
    main()
