"""What `CableMemory` and `AsyncCableMemory` share: everything but the calls of mem0 itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from mem0_adapter.calls import Spelling, check_memory
from mem0_adapter.host import Mem0Host
from mem0_adapter.messages import outgoing
from mem0_adapter.model import mem0_model
from mem0_adapter.moved import take_over
from mem0_adapter.reads import Reads
from mem0_adapter.rows import Rows
from mem0_adapter.scopes import scope_of
from mem0_adapter.writes import Writes
from memory_evidence.cable.cable import Cable, CableSettings
from memory_evidence.cable.guard import GuardedHost
from memory_evidence.errors import ConfigError, ScopeError
from memory_evidence.models import ChatModel
from memory_evidence.progress import Progress
from memory_evidence.records import Scope

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore
    from memory_evidence.cable.reports import LinkingReport, Stats

__all__ = ["Mem0Wrapper"]


class Mem0Wrapper:
    """A mem0 memory with links; whatever a subclass does not define is mem0's own."""

    def __init__(
        self,
        memory: Any,
        store: str | LinkStore,
        model: ChatModel | Literal["rules"] | None,
        replace: int,
        settings: CableSettings,
        *,
        asynchronous: bool,
    ) -> None:
        if isinstance(memory, Mem0Wrapper):
            raise ConfigError("memory", type(memory).__name__, "the mem0 memory itself; this one has links already")
        check_memory(memory, asynchronous=asynchronous)
        self._memory, self._spelling, self._rows = memory, Spelling.of(memory), Rows(memory)
        judge = mem0_model(getattr(memory, "llm", None)) if model is None else model
        if judge != "rules" and not isinstance(judge, ChatModel):
            raise ConfigError("model", model, 'a ChatModel, "rules", or None for mem0\'s own')
        rows = self._rows
        self._cable = Cable(
            lambda scope: Mem0Host(rows, scope),
            store=store,
            model=None if judge == "rules" else judge,
            replace=replace,
            **settings,
        )
        on_error = settings.get("on_error", "raise")
        self._reads, self._writes = Reads(self._cable, rows, on_error), Writes(self._cable, rows, on_error)

    @property
    def links(self) -> LinkStore:
        """The links of all users, and of whatever else is kept in the same store."""
        return self._cable.links

    def scope(self, **ids: Any) -> Scope:
        """Return the scope in `links` of a user's memories, else of an agent's, else of a run's.

        Args:
            ids: `user_id`, `agent_id`, `run_id`, as for mem0.

        Raises:
            ScopeError: There is no id, or it is one that stands for everybody.
        """
        scope = scope_of(self._rows.collection, self._spelling.ids(ids))
        if scope is None:
            raise ScopeError(ids, 'told by an id of mem0, such as user_id="u1"')
        return scope

    def stats(self, **ids: Any) -> Stats:
        """Return how many memories and links there are, and what is pending: of one user, or without ids of all."""
        return self._cable.stats(self.scope(**ids) if ids else None)

    def _outgoing(self, messages: Any) -> Any:
        settings = getattr(getattr(getattr(self._memory, "config", None), "llm", None), "config", None) or {}
        return outgoing(messages, flatten=not self._spelling.modern and not settings.get("enable_vision"))

    def _edit(self, options: dict[str, Any]) -> dict[str, Any]:
        # The new text is `text` in mem0 2.x and `data` in 1.x.
        if "text" in options and not self._spelling.modern:
            return {"data" if key == "text" else key: value for key, value in options.items()}
        return options

    def _backfill(self, options: dict[str, Any], progress: Progress | None) -> LinkingReport:
        host = GuardedHost(self._listed(options))
        take_over(self._cable.links, host)
        return self._cable.backfill(host, progress=progress)

    def _listed(self, options: dict[str, Any]) -> Mem0Host:
        """Return the memories that a listing is about.

        Raises:
            ScopeError: It names nobody.
        """
        asked = self._spelling.query(self._memory.get_all, options)
        return Mem0Host(self._rows, self.scope(**asked.filters), filters=asked.filters)

    def __getattr__(self, name: str) -> Any:
        # A copy or an unpickled object asks before `__init__` has run.
        if name.startswith("__") or name == "_memory":
            raise AttributeError(name)
        return getattr(self._memory, name)
