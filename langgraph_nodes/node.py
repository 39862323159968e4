"""The LangGraph node that puts evidence for the user's question into the state, where no checkpoint keeps it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.channels import UntrackedValue
from typing_extensions import TypedDict, override

from langgraph_nodes.access import MemoryAccess, OnError
from langgraph_nodes.messages import field_of, messages_of, question_of, with_evidence
from langgraph_nodes.scopes import ScopeSpec, current_call
from memory_evidence.cmc import ContractMemory, Evidence, MemoryPool


class EvidenceState(TypedDict, total=False):
    """Add to a graph's state: `class State(MessagesState, EvidenceState): ...`.

    The channel lasts for one run and is in no checkpoint and no pending write. `invoke` returns it with the rest of
    the state, unless the graph has an `output_schema` without it.
    """

    evidence: Annotated[Evidence, UntrackedValue]


class ContractMemoryNode(Runnable[Any, dict[str, Any]]):
    """Reads the evidence for the last human message; one node for `invoke` and `ainvoke`.

    ```python
    memory = ContractMemoryNode(MemoryPool("sqlite:///memory.db"), scope=("mem", "{user_id}"))

    def model(state: State) -> dict[str, Any]:
        return {"messages": [llm.invoke(memory.messages(state))]}

    graph = StateGraph(State).add_node("memory", memory).add_node("model", model)
    ```

    `messages` gives the model's input: evidence is there once per call and never in the state's messages. After an
    interrupt the evidence is gone from the state, since no checkpoint has it; `messages` then reads it again.
    """

    def __init__(
        self,
        memory: ContractMemory | MemoryPool | None = None,
        *,
        scope: ScopeSpec | None = None,
        key: str = "evidence",
        messages_key: str = "messages",
        on_error: OnError = "raise",
        timeout_s: float | None = None,
        on_evidence: Callable[[Evidence], None] | None = None,
    ) -> None:
        """Read from `memory`.

        Args:
            memory: One memory, or a pool that serves many scopes. None: the store that the graph is compiled with,
                through `BaseStoreLog`.
            scope: Whose memory: a tuple whose parts may be placeholders, ("mem", "{user_id}"), or a function of state
                and runtime. None for a `ContractMemory`, which has its own.
            key: Where the state takes the evidence. For another key than "evidence" declare it in the state as
                `Annotated[Evidence, UntrackedValue]`.
            messages_key: Where the state has its messages.
            on_error: Whether a failing store raises, or the turn goes on without evidence after one warning; the
                receipt of the (empty) evidence then has the reason in `error`.
            timeout_s: Seconds, > 0, after which reading counts as failed. None: no limit.
            on_evidence: Called with each evidence that was read, for receipts; must not block.

        Raises:
            ScopeError: The scope is missing or malformed; at run time: a placeholder has no value.
            ConfigError: Another argument is wrong; at run time: there is neither a memory nor a store.
            StoreError: At run time: the store cannot be read, and `on_error` is "raise".
        """
        self.name = "memory"
        self._access = MemoryAccess(memory, scope, on_error, timeout_s)
        self._key, self._messages_key, self._on_evidence = key, messages_key, on_evidence

    @override
    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """Return the state's update: the evidence for its last human message."""
        return {self._key: self._read(input, config)}

    @override
    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """`invoke` without blocking the event loop."""
        return {self._key: await self._aread(input, config)}

    def messages(self, state: Any, config: RunnableConfig | None = None) -> list[BaseMessage]:
        """Return what to give the model: the state's messages, with the evidence at the end of one system message.

        Reads the evidence where the state has none, so that a model node needs nothing else; the state is not changed.
        """
        evidence = field_of(state, self._key)
        if evidence is None:
            evidence = self._read(state, config)
        return with_evidence(messages_of(state, self._messages_key), evidence)

    async def amessages(self, state: Any, config: RunnableConfig | None = None) -> list[BaseMessage]:
        """`messages` without blocking the event loop."""
        evidence = field_of(state, self._key)
        if evidence is None:
            evidence = await self._aread(state, config)
        return with_evidence(messages_of(state, self._messages_key), evidence)

    def _read(self, state: Any, config: RunnableConfig | None) -> Evidence:
        question = question_of(messages_of(state, self._messages_key))
        return self._report(self._access.exchange(current_call(state, config=config), (), question))

    async def _aread(self, state: Any, config: RunnableConfig | None) -> Evidence:
        question = question_of(messages_of(state, self._messages_key))
        return self._report(await self._access.aexchange(current_call(state, config=config), (), question))

    def _report(self, evidence: Evidence) -> Evidence:
        if self._on_evidence is not None:
            self._on_evidence(evidence)
        return evidence
