"""TallyMem for LlamaIndex: a retriever, a query engine, a selector, a node postprocessor and a tool.

Needs the extra `llamaindex`. No LLM is taken from `Settings`: what needs one is given it, and everything works without.
"""

from __future__ import annotations

from memory_evidence.errors import MissingExtraError

try:
    import llama_index.core  # noqa: F401
except ImportError as exc:
    raise MissingExtraError("llamaindex") from exc

from llamaindex_retrievers.postprocessor import TallyMemPostprocessor
from llamaindex_retrievers.query_engine import TallyMemQueryEngine
from llamaindex_retrievers.retriever import TallyMemRetriever
from llamaindex_retrievers.selector import TallyLoadSelector
from llamaindex_retrievers.tool import tally_query_engine_tool

__all__ = (
    "TallyLoadSelector",
    "TallyMemPostprocessor",
    "TallyMemQueryEngine",
    "TallyMemRetriever",
    "tally_query_engine_tool",
)
