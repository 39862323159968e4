"""CABLE for SimpleMem: its adaptive retrieval as it is, and linked entries where it was judged insufficient.

```python
memory = CableSimpleMem(system, scope=("u1",), store="sqlite:///links.db")
memory.add_dialogue("Emma", "The new manager shouted at everybody.", "2026-01-12T09:30:00")
memory.finalize()
memory.ask("Why did Emma resign?")
```
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import Unpack, override

from integrations._simplemem_host import EntryHost, WatchedStore, as_entry, identity
from integrations._simplemem_judge import JUDGE, gathered, own_model, unneeded
from memory_evidence.cable.cable import Cable, CableSettings
from memory_evidence.cable.evidence import Entry, Expansion
from memory_evidence.cable.host import Hit, Memory
from memory_evidence.cable.wrapper import CableWrapper, check_unwrapped
from memory_evidence.errors import ConfigError, ScopeError
from memory_evidence.models import ChatModel
from memory_evidence.records import Scope, check_scope

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore

__all__ = ["CableSimpleMem"]

logger = logging.getLogger(__name__)


class CableSimpleMem(CableWrapper):
    """A SimpleMem system whose retrieval, where its own judge still finds information missing, uses links.

    The judge is asked in SimpleMem's reflection only: with planning or reflection off there is no judgement, and the
    result is SimpleMem's own. Linked entries take the places of its last ones, so that the result never grows.
    """

    def __init__(
        self,
        system: Any,
        *,
        scope: Sequence[str] | None = None,
        store: str | LinkStore = "sqlite:///memory.db",
        model: ChatModel | Literal["rules"] | None = None,
        replace: int = 5,
        max_entries: int | None = None,
        **settings: Unpack[CableSettings],
    ) -> None:
        """Extend `system`, which stays usable as it is.

        Args:
            system: The SimpleMem system; it holds one user's memory.
            scope: Whose memory it is, ("u1",). None: the identity of the system's own table.
            store: Where links are kept: a URL, or what `open_links` returned.
            model: Judges the links. None: SimpleMem's own model. "rules": no model, which links less.
            replace: Entries of a result, at least 0, whose places linked entries may take.
            max_entries: Most entries of any result, at least 1, SimpleMem's first. None: what its protocol asks for
                at most, `semantic_top_k` for each of 4 planned queries and of 3 in each round of reflection.
            **settings: As for `Cable`.

        Raises:
            ConfigError: An argument is wrong.
            StoreError: The links cannot be opened.
        """
        check_unwrapped("system", system)
        if not hasattr(getattr(system, "hybrid_retriever", None), JUDGE):
            raise ConfigError("system", type(system).__name__, "a SimpleMemSystem with its adaptive retriever")
        if max_entries is not None and max_entries < 1:
            raise ConfigError("max_entries", max_entries, "at least 1, or None")
        self._max_entries = max_entries
        own: Scope = ("simplemem", *(check_scope(scope) if scope is not None else identity(system.vector_store)))
        self._entries = EntryHost(system.vector_store, own)

        def open_host(asked: Scope) -> EntryHost:
            if asked != own:
                raise ScopeError(asked, f"the scope of this system, {own!r}")
            return self._entries

        judge = own_model(system) if model is None else None if model == "rules" else model
        cable = Cable(open_host, store=store, model=judge, replace=replace, **settings)
        super().__init__(system, self._entries, cable, settings.get("on_error", "raise"))
        self._watched = WatchedStore(system.memory_builder.vector_store)
        system.memory_builder.vector_store = self._watched

    def add_dialogue(self, speaker: str, content: str, timestamp: str | None = None) -> None:
        """SimpleMem's `add_dialogue`; what it makes of a full window is linked."""
        with self._noting():
            self._wrapped.add_dialogue(speaker, content, timestamp)

    async def aadd_dialogue(self, speaker: str, content: str, timestamp: str | None = None) -> None:
        """`add_dialogue` in a thread."""
        await asyncio.to_thread(self.add_dialogue, speaker, content, timestamp)

    def add_dialogues(self, dialogues: list[Any]) -> None:
        """SimpleMem's `add_dialogues`; what it makes of full windows is linked."""
        with self._noting():
            self._wrapped.add_dialogues(dialogues)

    async def aadd_dialogues(self, dialogues: list[Any]) -> None:
        """`add_dialogues` in a thread."""
        await asyncio.to_thread(self.add_dialogues, dialogues)

    def finalize(self) -> None:
        """SimpleMem's `finalize`; what it makes of the rest is linked."""
        with self._noting():
            self._wrapped.finalize()

    async def afinalize(self) -> None:
        """`finalize` in a thread."""
        await asyncio.to_thread(self.finalize)

    def ask(self, question: str) -> str:
        """SimpleMem's `ask`, answered from `retrieve`."""
        system, retriever = copy(self._wrapped), copy(self._wrapped.hybrid_retriever)
        system.hybrid_retriever, retriever.retrieve = retriever, self.retrieve
        answer: str = system.ask(question)
        return answer

    async def aask(self, question: str) -> str:
        """`ask` in a thread."""
        return await asyncio.to_thread(self.ask, question)

    def retrieve(self, query: str, enable_reflection: bool | None = None, *, replace: int | None = None) -> list[Any]:
        """Return SimpleMem's entries for `query`, with linked ones where they were judged insufficient.

        Args:
            query: The question.
            enable_reflection: As for SimpleMem's retriever: another choice than the system's own.
            replace: Another number than the wrapper's own; 0 gives SimpleMem's own result.
        """
        return self._retrieve(query, enable_reflection, replace)[0]

    async def aretrieve(
        self, query: str, enable_reflection: bool | None = None, *, replace: int | None = None
    ) -> list[Any]:
        """`retrieve` in a thread."""
        return await asyncio.to_thread(self.retrieve, query, enable_reflection, replace=replace)

    def explain(self, query: str, enable_reflection: bool | None = None, *, replace: int | None = None) -> Expansion:
        """Return how `retrieve` chose its entries; `warning` says why links were not used, where they were not."""
        return self._retrieve(query, enable_reflection, replace)[1]

    async def aexplain(
        self, query: str, enable_reflection: bool | None = None, *, replace: int | None = None
    ) -> Expansion:
        """`explain` in a thread."""
        return await asyncio.to_thread(self.explain, query, enable_reflection, replace=replace)

    @override
    def close(self) -> None:
        """Stop linking and watching; what is pending stays pending. SimpleMem stays open."""
        builder = self._wrapped.memory_builder
        if builder.vector_store is self._watched:
            builder.vector_store = self._watched.store
        super().close()

    def _retrieve(self, query: str, enable_reflection: bool | None, replace: int | None) -> tuple[list[Any], Expansion]:
        own, verdicts = gathered(self._wrapped.hybrid_retriever, query, enable_reflection, self._max_entries)
        hits = [Hit(Memory(e.entry_id, e.lossless_restatement, e.timestamp), None) for e in own]
        if unused := self._unused(own, verdicts):
            plain = tuple(Entry(hit.memory, "host", None) for hit in hits)
            return own, Expansion(plain, len(own), query=query, warning=unused)
        expansion = self._cable.expand(self._entries, query, hits, limit=len(own), replace=replace)
        entries = {entry.entry_id: entry for entry in own}
        with self._looking_up():
            for row in self._entries.rows([entry.memory.id for entry in expansion.added]):
                entries[row["entry_id"]] = as_entry(row, type(own[0]))
        if any(entry not in entries for entry in expansion.ids):
            return own, expansion  # a linked entry was deleted meanwhile, or cannot be read
        return [entries[entry] for entry in expansion.ids], expansion

    def _unused(self, own: list[Any], verdicts: list[str]) -> str | None:
        """Return why links are not used; None where they are."""
        if not own:
            size = 1
            with self._looking_up():
                size = self._entries.size()
            if not size:
                return "SimpleMem holds no entries"
            # Its nearest entries are never none; it prints its errors and returns nothing.
            logger.warning("SimpleMem found nothing though it holds entries: its search failed, see its output")
            return "SimpleMem's search failed: it found nothing though it holds entries"
        return unneeded(verdicts)

    @contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        finally:
            with self._watched.taken() as stored:
                self._written(stored)
