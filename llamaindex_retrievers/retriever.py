"""The retriever: the reading view of one trajectory, and what was computed over all of it, as nodes."""

from __future__ import annotations

import asyncio

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import NodeWithScore, QueryBundle
from typing_extensions import override

from llamaindex_retrievers.nodes import EvidenceNodes
from memory_evidence.tallymem import TallyEvidence, TallyMem
from memory_evidence.tallymem.asking import Asking, OnError


class TallyMemRetriever(BaseRetriever):
    """Returns the view's steps in the order they were executed, then the computed block where the router attaches it.

    ```python
    engine = RetrieverQueryEngine.from_args(TallyMemRetriever(tally), llm=llm)
    ```

    The text of a node is what the view shows of that step. Marks of omission and index records belong to no step and
    have no node; `TallyMemQueryEngine` reads them too.
    """

    def __init__(
        self,
        tally: TallyMem,
        *,
        name: str = "trajectory",
        on_error: OnError = "raise",
        callback_manager: CallbackManager | None = None,
    ) -> None:
        """Retrieve from `tally`.

        Args:
            tally: Its trajectory may grow while it is in use.
            name: Begins the id of every node. Node ids are stable: the same step has the same id in every process.
                Trajectories whose nodes meet, as in a fusion retriever, need a name each.
            on_error: Whether a failing store or model raises, or no node is returned after one warning ("skip").
            callback_manager: LlamaIndex's own.

        Raises:
            ConfigError: An argument is wrong.
            StoreError: When retrieving: the tally's store cannot be read, and `on_error` is "raise".
        """
        self._nodes, self._asking = EvidenceNodes(tally, name), Asking(on_error)
        super().__init__(callback_manager=callback_manager)

    @override
    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._found(self._asking.ask(lambda: self._nodes.tally, query_bundle.query_str))

    @override
    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        evidence = await self._asking.aask(self._nodes.tally, query_bundle.query_str)
        return await asyncio.to_thread(self._found, evidence)

    def _found(self, evidence: TallyEvidence) -> list[NodeWithScore]:
        return [*self._nodes.shown(evidence), *self._nodes.computed(evidence)]
