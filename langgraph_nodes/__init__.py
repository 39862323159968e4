"""CMC and TallyMem for LangGraph and LangChain: nodes, middleware, tools, and a log on LangGraph's `BaseStore`.

Needs the extra `langgraph`; the two middleware classes need `langchain`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memory_evidence.errors import MissingExtraError

try:
    import langgraph.graph  # noqa: F401
except ImportError as exc:
    raise MissingExtraError("langgraph") from exc

from langgraph_nodes.base_store_log import BaseStoreLog
from langgraph_nodes.messages import with_evidence
from langgraph_nodes.node import ContractMemoryNode, EvidenceState
from langgraph_nodes.remember import RememberNode
from langgraph_nodes.tally import TallyNode, TallyState, tally_tool
from langgraph_nodes.tools import memory_tools

if TYPE_CHECKING:
    from langgraph_nodes.middleware import ContractMemoryMiddleware
    from langgraph_nodes.remember_middleware import RememberMiddleware

__all__ = (
    "BaseStoreLog",
    "ContractMemoryMiddleware",
    "ContractMemoryNode",
    "EvidenceState",
    "RememberMiddleware",
    "RememberNode",
    "TallyNode",
    "TallyState",
    "memory_tools",
    "tally_tool",
    "with_evidence",
)


def __getattr__(name: str) -> Any:
    # Only these two import langchain, which is slow and an extra of its own.
    if name == "ContractMemoryMiddleware":
        from langgraph_nodes.middleware import ContractMemoryMiddleware

        return ContractMemoryMiddleware
    if name == "RememberMiddleware":
        from langgraph_nodes.remember_middleware import RememberMiddleware

        return RememberMiddleware
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
