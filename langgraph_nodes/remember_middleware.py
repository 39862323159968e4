"""LangChain middleware for `create_agent` that writes what was said in a turn to memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from typing_extensions import override

from langgraph_nodes.access import MemoryAccess, OnError
from langgraph_nodes.messages import Role
from langgraph_nodes.remember import check_roles, new_drafts
from langgraph_nodes.scopes import Call, ScopeSpec, current_call
from memory_evidence.cmc import ContractMemory, MemoryPool
from memory_evidence.errors import MissingExtraError
from memory_evidence.records import Draft

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState
except ImportError as exc:
    raise MissingExtraError("langchain") from exc


class RememberMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Adds the turn's messages to memory, each exactly once: what the user said before the agent starts, answers after.

    Put it before `ContractMemoryMiddleware`, which needs no `remember` then.
    """

    def __init__(
        self,
        memory: ContractMemory | MemoryPool | None = None,
        *,
        scope: ScopeSpec | None = None,
        roles: Sequence[Role] = ("human", "ai"),
        on_error: OnError = "raise",
        timeout_s: float | None = None,
        name: str = "Remember",
    ) -> None:
        """Write to `memory`; see `RememberNode` for the arguments.

        Args:
            memory: As for `ContractMemoryNode`.
            scope: As for `ContractMemoryNode`.
            roles: Whose messages: "human" (speaker "user") and "ai" (speaker "assistant").
            on_error: Whether a failing store raises ("raise"), or the turn goes on after one warning ("skip"): what was
                said in it is then not remembered.
            timeout_s: Seconds, > 0, after which writing counts as failed, though it may still happen. None: no limit.
            name: Tells the middleware of one agent apart.

        Raises:
            ScopeError: The scope is missing or malformed; at run time: a placeholder has no value.
            ConfigError: Another argument is wrong; at run time: there is neither a memory nor a store.
            StoreError: At run time: the store failed, and `on_error` is "raise".
        """
        super().__init__()
        self._name = name
        self._roles = check_roles(roles)
        self._access = MemoryAccess(memory, scope, on_error, timeout_s)

    @property
    @override
    def name(self) -> str:
        return self._name

    @override
    def before_agent(self, state: AgentState[Any], runtime: Any) -> None:
        """Remember what the user said."""
        self._access.exchange(*self._turn(state, runtime))

    @override
    async def abefore_agent(self, state: AgentState[Any], runtime: Any) -> None:
        """`before_agent` without blocking the event loop."""
        await self._access.aexchange(*self._turn(state, runtime))

    @override
    def after_agent(self, state: AgentState[Any], runtime: Any) -> None:
        """Remember what is new since."""
        self._access.exchange(*self._turn(state, runtime))

    @override
    async def aafter_agent(self, state: AgentState[Any], runtime: Any) -> None:
        """`after_agent` without blocking the event loop."""
        await self._access.aexchange(*self._turn(state, runtime))

    def _turn(self, state: AgentState[Any], runtime: Any) -> tuple[Call, Sequence[Draft], None]:
        call = current_call(state, runtime=runtime)
        return call, new_drafts(state["messages"], self._roles, call), None
