"""Writing what was said in a turn to memory, each message exactly once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig
from typing_extensions import override

from langgraph_nodes.access import MemoryAccess, OnError
from langgraph_nodes.messages import Role, messages_of, turn_drafts
from langgraph_nodes.scopes import Call, ScopeSpec, current_call
from memory_evidence.cmc import ContractMemory, MemoryPool
from memory_evidence.errors import ConfigError
from memory_evidence.records import Draft


class RememberNode(Runnable[Any, dict[str, Any]]):
    """Adds the turn's new messages to memory; one node for `invoke` and `ainvoke`, which changes no state.

    Put it first, before the evidence is read: what the user said is then remembered even if the model fails, and a
    question about it in the same turn finds it. To remember answers too, add it once more at the end, with both roles:
    whichever comes first stores a message, and no repetition, resumption or second run stores it again.

    The turn begins with the last thing the user said. What came before (a history that is handed in) is not
    remembered; add it with `ContractMemory.add`.
    """

    def __init__(
        self,
        memory: ContractMemory | MemoryPool | None = None,
        *,
        scope: ScopeSpec | None = None,
        roles: Sequence[Role] = ("human",),
        messages_key: str = "messages",
        on_error: OnError = "raise",
        timeout_s: float | None = None,
    ) -> None:
        """Write to `memory`.

        Args:
            memory: As for `ContractMemoryNode`.
            scope: As for `ContractMemoryNode`.
            roles: Whose messages: "human" (speaker "user") and "ai" (speaker "assistant"). Answers are left out by
                default, so that what a model made up cannot replace what the user said.
            messages_key: Where the state has its messages.
            on_error: Whether a failing store raises ("raise"), or the turn goes on after one warning ("skip"): what was
                said in it is then not remembered.
            timeout_s: Seconds, > 0, after which writing counts as failed, though it may still happen. None: no limit.

        Raises:
            ScopeError: The scope is missing or malformed; at run time: a placeholder has no value.
            ConfigError: Another argument is wrong; at run time: there is neither a memory nor a store.
            StoreError: At run time: the store refused, and `on_error` is "raise".
        """
        self.name = "remember"
        self._roles = check_roles(roles)
        self._access = MemoryAccess(memory, scope, on_error, timeout_s)
        self._messages_key = messages_key

    @override
    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """Remember the messages of a state."""
        call = current_call(input, config=config)
        self._access.exchange(call, new_drafts(messages_of(input, self._messages_key), self._roles, call), None)
        return {}

    @override
    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """`invoke` without blocking the event loop."""
        call = current_call(input, config=config)
        drafts = new_drafts(messages_of(input, self._messages_key), self._roles, call)
        await self._access.aexchange(call, drafts, None)
        return {}


def check_roles(roles: Sequence[Role]) -> tuple[Role, ...]:
    """Return the roles whose messages are remembered.

    Raises:
        ConfigError: They are none, or others than "human" and "ai".
    """
    if isinstance(roles, str) or not roles or not set(roles) <= set(get_args(Role)):
        raise ConfigError("roles", roles, 'a tuple of "human", "ai" or both')
    return tuple(roles)


def new_drafts(messages: Sequence[BaseMessage], roles: Sequence[Role], call: Call) -> list[Draft]:
    """Return the turn's messages as records whose keys belong to the thread of the call."""
    thread = (call.config.get("configurable") or {}).get("thread_id")
    return turn_drafts(messages, roles, None if thread is None else str(thread))
