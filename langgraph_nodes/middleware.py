"""LangChain middleware for `create_agent`: evidence in the model's request, and nowhere else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, NotRequired

from langchain_core.messages import AnyMessage, SystemMessage
from langgraph.channels import UntrackedValue
from typing_extensions import override

from langgraph_nodes.access import MemoryAccess, OnError
from langgraph_nodes.messages import merged_system, question_of
from langgraph_nodes.remember import new_drafts
from langgraph_nodes.scopes import Call, ScopeSpec, current_call
from memory_evidence.cmc import ContractMemory, Evidence, MemoryPool
from memory_evidence.errors import MissingExtraError
from memory_evidence.records import Draft

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
    from langchain.agents.middleware.types import PrivateStateAttr
except ImportError as exc:
    raise MissingExtraError("langchain") from exc


class MemoryAgentState(AgentState[Any]):
    """An agent's state with the evidence of the turn; neither input nor output nor any checkpoint has it."""

    memory_evidence: NotRequired[Annotated[dict[str, Evidence], UntrackedValue, PrivateStateAttr]]
    """By name of the middleware."""


class ContractMemoryMiddleware(AgentMiddleware[MemoryAgentState, Any, Any]):
    """Gives every model call of an agent's turn the evidence for the user's question.

    ```python
    memory = ContractMemoryMiddleware(MemoryPool("sqlite:///memory.db"), scope=("mem", "{user_id}"), remember=True)
    agent = create_agent(model, tools, middleware=[memory], context_schema=Context)
    ```

    Evidence is read once, before the agent starts, and again only where an interrupt made the state lose it. It is
    added to the system message of each request; the agent's state and checkpoints never have it.
    """

    state_schema = MemoryAgentState

    def __init__(
        self,
        memory: ContractMemory | MemoryPool | None = None,
        *,
        scope: ScopeSpec | None = None,
        remember: bool = False,
        on_error: OnError = "raise",
        timeout_s: float | None = None,
        on_evidence: Callable[[Evidence], None] | None = None,
        name: str = "ContractMemory",
    ) -> None:
        """Read from `memory`.

        Args:
            memory: As for `ContractMemoryNode`.
            scope: As for `ContractMemoryNode`.
            remember: Whether what the user says is added to memory first: it stays even if the model fails, and a
                question about it in the same turn finds it. For answers too see `RememberMiddleware`.
            on_error: As for `ContractMemoryNode`.
            timeout_s: Seconds, > 0, after which writing and reading count as failed. None: no limit.
            on_evidence: Called with each evidence that was read, for receipts; must not block.
            name: Tells the middleware of one agent apart.

        Raises:
            ScopeError: The scope is missing or malformed; at run time: a placeholder has no value.
            ConfigError: Another argument is wrong; at run time: there is neither a memory nor a store.
            StoreError: At run time: the store failed, and `on_error` is "raise".
        """
        super().__init__()
        self._name = name
        self._remember = remember
        self._access = MemoryAccess(memory, scope, on_error, timeout_s)
        self._on_evidence = on_evidence

    @property
    @override
    def name(self) -> str:
        return self._name

    @override
    def before_agent(self, state: MemoryAgentState, runtime: Any) -> dict[str, Any]:
        """Remember what the user said, and read the evidence of the turn."""
        return self._update(state, self._access.exchange(*self._turn(state, runtime)))

    @override
    async def abefore_agent(self, state: MemoryAgentState, runtime: Any) -> dict[str, Any]:
        """`before_agent` without blocking the event loop."""
        return self._update(state, await self._access.aexchange(*self._turn(state, runtime)))

    @override
    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Call the model with the evidence in its system message."""
        evidence = self._evidence(request.state)
        if evidence is None:
            evidence = self._report(self._access.exchange(*self._again(request)))
        return handler(_with_evidence(request, evidence))

    @override
    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """`wrap_model_call` without blocking the event loop."""
        evidence = self._evidence(request.state)
        if evidence is None:
            evidence = self._report(await self._access.aexchange(*self._again(request)))
        return await handler(_with_evidence(request, evidence))

    def _turn(self, state: MemoryAgentState, runtime: Any) -> tuple[Call, Sequence[Draft], str | None]:
        call = current_call(state, runtime=runtime)
        drafts = new_drafts(state["messages"], ("human",), call) if self._remember else ()
        return call, drafts, question_of(state["messages"])

    def _again(self, request: ModelRequest[Any]) -> tuple[Call, Sequence[Draft], str | None]:
        call = current_call(request.state, runtime=request.runtime)
        return call, (), question_of(request.state["messages"])

    def _evidence(self, state: Any) -> Evidence | None:
        found: dict[str, Evidence] = state.get("memory_evidence") or {}
        return found.get(self._name)

    def _update(self, state: MemoryAgentState, evidence: Evidence) -> dict[str, Any]:
        return {"memory_evidence": {**(state.get("memory_evidence") or {}), self._name: self._report(evidence)}}

    def _report(self, evidence: Evidence) -> Evidence:
        if self._on_evidence is not None:
            self._on_evidence(evidence)
        return evidence


def _with_evidence(request: ModelRequest[Any], evidence: Evidence) -> ModelRequest[Any]:
    inline = [message for message in request.messages if isinstance(message, SystemMessage)]
    system = merged_system([*([request.system_message] if request.system_message else []), *inline], evidence)
    if not inline:
        return request.override(system_message=system)
    others: list[AnyMessage] = [message for message in request.messages if not isinstance(message, SystemMessage)]
    return request.override(system_message=system, messages=others)
