"""Tools with which a model looks things up in memory; whose memory is never up to the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from langgraph.prebuilt import ToolRuntime

from langgraph_nodes.access import MemoryAccess, OnError
from langgraph_nodes.scopes import Call, ScopeSpec, current_call
from memory_evidence.blocks import block, safe_line
from memory_evidence.cmc import ContractMemory, Evidence, MemoryPool, Period, Receipt

_SEARCH = (
    "Look up what is currently true in memory. Ask one plain question that names the person or thing it is about, "
    "for example: Where does the owner of Kestrel live?"
)
_HISTORY = (
    "List every value that one fact ever had, oldest first. Name the subject and the relation as memory records name "
    'them, for example subject "Ann" and relation "lives in"; what users say of themselves has the subject "user".'
)

_Found = tuple[str, tuple[Period, ...]]
_INJECTED: Any = None
"""A graph puts its runtime here, whatever the model sends; None where a tool is called by itself."""


def memory_tools(
    memory: ContractMemory | MemoryPool | None = None,
    *,
    scope: ScopeSpec | None = None,
    on_error: OnError = "raise",
    timeout_s: float | None = None,
) -> list[BaseTool]:
    """Return the tools `search_memory(question)` and `memory_history(subject, relation)`.

    They work in `create_agent`, in a `ToolNode` and by themselves, sync and async. The artifact of a result is the
    `Evidence`, or the tuple of `Period`. Unlike a node's evidence, what a tool returns is a message, and a checkpointer
    keeps it like any other (the artifact as a plain dict).

    Args:
        memory: As for `ContractMemoryNode`.
        scope: As for `ContractMemoryNode`, filled from the run and never from what the model asks for.
        on_error: "raise": a failing store raises; "skip": the model gets a message that says so.
        timeout_s: Seconds, > 0, after which looking up counts as failed. None: no limit.

    Raises:
        ScopeError: The scope is missing or malformed.
        ConfigError: Another argument is wrong.
    """
    access = MemoryAccess(memory, scope, on_error, timeout_s)

    def search_memory(question: str, runtime: ToolRuntime[Any, Any] = _INJECTED) -> tuple[str, Evidence]:
        return _found(access.run(_call(runtime), *_search(question)))

    async def asearch_memory(question: str, runtime: ToolRuntime[Any, Any] = _INJECTED) -> tuple[str, Evidence]:
        return _found(await access.arun(_call(runtime), *_search(question)))

    def memory_history(subject: str, relation: str, runtime: ToolRuntime[Any, Any] = _INJECTED) -> _Found:
        return access.run(_call(runtime), *_history(subject, relation))

    async def amemory_history(subject: str, relation: str, runtime: ToolRuntime[Any, Any] = _INJECTED) -> _Found:
        return await access.arun(_call(runtime), *_history(subject, relation))

    return [
        _tool(search_memory, asearch_memory, _SEARCH),
        _tool(memory_history, amemory_history, _HISTORY),
    ]


def _tool(func: Callable[..., Any], coroutine: Callable[..., Any], description: str) -> BaseTool:
    return StructuredTool.from_function(
        func, coroutine, name=func.__name__, description=description, response_format="content_and_artifact"
    )


def _call(runtime: ToolRuntime[Any, Any] | None) -> Call:
    if runtime is None:
        return current_call(None)
    return current_call(runtime.state, runtime=runtime, config=runtime.config)


def _search(question: str) -> tuple[Callable[[ContractMemory], Evidence], Callable[[str], Evidence]]:
    def failed(reason: str) -> Evidence:
        return Evidence(question, "", (), (), Receipt(error=reason))

    return lambda memory: memory.read(question), failed


def _found(evidence: Evidence) -> tuple[str, Evidence]:
    if evidence.receipt.error:
        return _unavailable(evidence.receipt.error), evidence
    return str(evidence) or "Memory is empty.", evidence


def _history(subject: str, relation: str) -> tuple[Callable[[ContractMemory], _Found], Callable[[str], _Found]]:
    def look_up(memory: ContractMemory) -> _Found:
        periods = memory.history(subject, relation)
        lines = "\n".join(map(_line, periods))
        notes = f"All values of {safe_line(relation)!r} of {safe_line(subject)!r}, oldest first."
        return block(lines, notes=notes) or "Memory has no such fact.", periods

    return look_up, lambda reason: (_unavailable(reason), ())


def _line(period: Period) -> str:
    end = "current" if period.until is None else f"until record {period.until}"
    return f"- {safe_line(period.value)} (from record {period.since}, {end})"


def _unavailable(reason: str) -> str:
    return f"Memory cannot be reached now ({reason}). Answer without it, and say so."
