"""The node postprocessor: adds the computed block to what another retriever found."""

from __future__ import annotations

from typing import Any

from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from typing_extensions import override

from llamaindex_retrievers.nodes import EvidenceNodes
from memory_evidence.tallymem import TallyMem
from memory_evidence.tallymem.asking import Asking, OnError


class TallyMemPostprocessor(BaseNodePostprocessor):
    """Puts one node in front, with the score 1.0, where the tally's router attaches the computed block.

    ```python
    engine = index.as_query_engine(llm=llm, node_postprocessors=[TallyMemPostprocessor(tally)])
    ```

    The nodes that came are left as they are, and in their order. In front, because what a synthesizer cuts off is cut
    off the end. Put it behind postprocessors that filter or rerank.
    """

    _nodes: EvidenceNodes = PrivateAttr()
    _asking: Asking = PrivateAttr()

    def __init__(
        self, tally: TallyMem, *, name: str = "trajectory", on_error: OnError = "raise", **settings: Any
    ) -> None:
        """Compute with `tally`.

        Args:
            tally: Its trajectory may grow while it is in use.
            name: Begins the id of the node, as in `TallyMemRetriever`.
            on_error: Whether a failing store or model raises, or no node is added after one warning ("skip").
            settings: LlamaIndex's own, such as `callback_manager`.

        Raises:
            ConfigError: An argument is wrong.
            StoreError: When nodes come: the tally's store cannot be read, and `on_error` is "raise".
        """
        super().__init__(**settings)
        self._nodes, self._asking = EvidenceNodes(tally, name), Asking(on_error)

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
        evidence = self._asking.ask(lambda: self._nodes.tally, query_bundle.query_str)
        return [*self._nodes.computed(evidence), *nodes]

    @override
    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if query_bundle is None:
            return nodes
        evidence = await self._asking.aask(self._nodes.tally, query_bundle.query_str)
        return [*self._nodes.computed(evidence), *nodes]
