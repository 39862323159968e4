"""The tool with which a LlamaIndex agent asks about the log."""

from __future__ import annotations

from typing import Any

from llama_index.core.llms import LLM
from llama_index.core.tools import QueryEngineTool

from llamaindex_retrievers.query_engine import TallyMemQueryEngine
from memory_evidence.tallymem import TallyMem

_DESCRIPTION = (
    "Count, list, order and group what an agent did, exactly and over its whole log of numbered steps. Ask one plain "
    "question, for example: How many files were modified, and when? Which tool failed most often before step 40?"
)


def tally_query_engine_tool(
    tally: TallyMem,
    llm: LLM | None = None,
    *,
    name: str = "ask_log",
    description: str = _DESCRIPTION,
    **engine: Any,
) -> QueryEngineTool:
    """Return a `QueryEngineTool` over a `TallyMemQueryEngine`.

    Args:
        tally: Its trajectory may grow while it is in use: an agent can ask about its own run.
        llm: Reads the evidence, and its answer is what the agent gets. None: the agent gets the evidence and reads it
            itself, the computed block alone where there is one; the tally's `view_budget` limits the rest.
        name: Of the tool.
        description: What the agent is told of it.
        engine: Further arguments of `TallyMemQueryEngine`, such as `on_error`.

    Raises:
        ConfigError: An argument is wrong.
    """
    return QueryEngineTool.from_defaults(TallyMemQueryEngine(tally, llm, **engine), name=name, description=description)
