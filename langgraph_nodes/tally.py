"""TallyMem in LangGraph and LangChain: a node that puts its evidence into the state, and a tool that gives it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import set_config_context
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.channels import UntrackedValue
from langgraph.prebuilt import ToolRuntime
from typing_extensions import TypedDict, override

from langgraph_nodes.messages import field_of, messages_of, question_of, with_evidence
from memory_evidence.errors import ConfigError
from memory_evidence.tallymem import TallyEvidence, TallyMem, Trajectory
from memory_evidence.tallymem.asking import Asking, OnError

TallySource = TallyMem | Callable[[Trajectory], TallyMem]
"""A tally, or what makes one of the calls in the state's own messages: `TallyMem` itself, or a `partial` of it."""

_DESCRIPTION = (
    "Count, list, order and group what an agent did, exactly and over its whole log of numbered steps. Ask one plain "
    "question, for example: How many files were modified, and when? Which tool failed most often before step 40?"
)
_INJECTED: Any = None
"""A graph puts its runtime here, whatever the model sends; None where a tool is called by itself."""


class TallyState(TypedDict, total=False):
    """Add to a graph's state: `class State(MessagesState, TallyState): ...`; no checkpoint has it."""

    tally: Annotated[TallyEvidence, UntrackedValue]


class TallyNode(Runnable[Any, dict[str, Any]]):
    """Reads the evidence for the last human message; one node for `invoke` and `ainvoke`.

    ```python
    tally = TallyNode(TallyMem(Trajectory.from_sweagent("run.traj")))

    def model(state: State) -> dict[str, Any]:
        return {"messages": [llm.invoke(tally.messages(state))]}

    graph = StateGraph(State).add_node("tally", tally).add_node("model", model)
    ```

    `TallyNode(TallyMem)` counts over the run's own calls, whose tally is made anew each time.
    """

    def __init__(
        self,
        tally: TallySource,
        *,
        key: str = "tally",
        messages_key: str = "messages",
        on_error: OnError = "raise",
        on_evidence: Callable[[TallyEvidence], None] | None = None,
    ) -> None:
        """Read from `tally`.

        Args:
            tally: A tally, or what makes one of the calls in the state's messages.
            key: Where the state takes the evidence. For another key than "tally" declare it in the state as
                `Annotated[TallyEvidence, UntrackedValue]`.
            messages_key: Where the state has its messages.
            on_error: Whether a failing store or model raises, or the turn goes on without evidence after one warning
                ("skip"); the (empty) evidence then has the reason in `error`.
            on_evidence: Called with each evidence, for receipts; must not block.

        Raises:
            ConfigError: `tally` is neither, or `on_error` unknown.
            StoreError: At run time: the tally's store cannot be read, and `on_error` is "raise".
            HostError: At run time: what makes the tally failed, and `on_error` is "raise".
        """
        self.name = "tally"
        self._tally, self._asking = _checked(tally), Asking(on_error)
        self._key, self._messages_key, self._on_evidence = key, messages_key, on_evidence

    @override
    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """Return the state's update: the evidence for its last human message."""
        return {self._key: self._read(messages_of(input, self._messages_key))}

    @override
    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """`invoke` without blocking the event loop."""
        return await asyncio.to_thread(self.invoke, input, config)

    def messages(self, state: Any) -> list[BaseMessage]:
        """Return what to give the model: the state's messages, with the evidence at the end of one system message.

        Reads the evidence where the state has none; the state is not changed.
        """
        messages, evidence = messages_of(state, self._messages_key), field_of(state, self._key)
        if evidence is None:
            evidence = self._read(messages)
        return with_evidence(messages, evidence)

    async def amessages(self, state: Any) -> list[BaseMessage]:
        """`messages` without blocking the event loop."""
        return await asyncio.to_thread(self.messages, state)

    def _read(self, messages: Sequence[BaseMessage]) -> TallyEvidence:
        evidence = _evidence(self._asking, self._tally, messages, question_of(messages) or "")
        if self._on_evidence is not None:
            self._on_evidence(evidence)
        return evidence


def tally_tool(
    tally: TallySource, *, name: str = "ask_log", description: str = _DESCRIPTION, on_error: OnError = "raise"
) -> BaseTool:
    """Return a tool that answers a question about the log, in `create_agent`, in a `ToolNode` and by itself.

    Its content is the computed block, however few steps it matched, or the view where nothing was computed; the
    artifact is the `TallyEvidence`. What a tool returns is a message, and a checkpointer keeps it: set the tally's
    `view_budget` to what a message may hold.

    Args:
        tally: A tally, or what makes one of the calls in the agent's own messages.
        name: Of the tool.
        description: What the model is told of it.
        on_error: Whether a failing store or model raises, or the model gets a message that says so after one warning
            ("skip").

    Raises:
        ConfigError: `tally` is neither, or `on_error` unknown.
    """
    source, asking = _checked(tally), Asking(on_error)

    def ask(question: str, runtime: ToolRuntime[Any, Any] = _INJECTED) -> tuple[str, TallyEvidence]:
        messages = messages_of(runtime.state, "messages") if runtime is not None else []
        if messages and isinstance(messages[-1], AIMessage):
            messages = messages[:-1]  # the calls under way, of which this is one
        evidence = _evidence(asking, source, messages, question)
        none = f"Nothing is there to answer from: {evidence.reason or 'no step is shown'}."
        return str(evidence.computed or evidence.view) or none, evidence

    async def aask(question: str, runtime: ToolRuntime[Any, Any] = _INJECTED) -> tuple[str, TallyEvidence]:
        return await asyncio.to_thread(ask, question, runtime)

    return StructuredTool.from_function(
        ask, aask, name=name, description=description, response_format="content_and_artifact"
    )


def _checked(tally: TallySource) -> TallySource:
    if not isinstance(tally, TallyMem) and not callable(tally):
        raise ConfigError("tally", tally, "a TallyMem, or what makes one of a Trajectory, such as TallyMem itself")
    return tally


def _evidence(asking: Asking, source: TallySource, messages: Sequence[BaseMessage], question: str) -> TallyEvidence:
    def tally() -> TallyMem:
        return source if isinstance(source, TallyMem) else source(Trajectory.from_langchain(messages))

    # Without the graph's callbacks: what a model that compiles says is not streamed as the agent's answer.
    with set_config_context({}) as context:
        return context.run(asking.ask, tally, question)
