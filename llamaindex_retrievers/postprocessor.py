"""The node postprocessor: adds the computed block to what another retriever found."""

from __future__ import annotations

from typing import Any

from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from typing_extensions import override

from llamaindex_retrievers.nodes import EvidenceNodes
from memory_evidence.tallymem import TallyMem


class TallyMemPostprocessor(BaseNodePostprocessor):
    """Puts one node in front, with the score 1.0, where the tally's router attaches the computed block.

    ```python
    engine = index.as_query_engine(llm=llm, node_postprocessors=[TallyMemPostprocessor(tally)])
    ```

    The nodes that came are left as they are, and in their order. In front, because what a synthesizer cuts off is cut
    off the end. Put it behind postprocessors that filter or rerank.
    """

    _nodes: EvidenceNodes = PrivateAttr()

    def __init__(self, tally: TallyMem, *, name: str = "trajectory", **settings: Any) -> None:
        """Compute with `tally`.

        Args:
            tally: Its trajectory may grow while it is in use.
            name: Begins the id of the node, as in `TallyMemRetriever`.
            settings: LlamaIndex's own, such as `callback_manager`.

        Raises:
            ConfigError: An argument is wrong.
        """
        super().__init__(**settings)
        self._nodes = EvidenceNodes(tally, name)

    @classmethod
    @override
    def class_name(cls) -> str:
        """Return the name under which LlamaIndex knows this component."""
        return "TallyMemPostprocessor"

    @override
    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if query_bundle is None:
            return nodes
        return [*self._nodes.computed(self._nodes.tally.evidence(query_bundle.query_str)), *nodes]

    @override
    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if query_bundle is None:
            return nodes
        return [*self._nodes.computed(await self._nodes.tally.aevidence(query_bundle.query_str)), *nodes]
