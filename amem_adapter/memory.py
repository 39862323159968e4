"""`CableAgenticMemory`: an A-MEM system whose searches also find what is linked to their notes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel
from typing_extensions import Unpack

from amem_adapter.hosts import NoteHost, note_host
from memory_evidence.cable.cable import Cable, CableSettings
from memory_evidence.cable.evidence import Expansion, provenance
from memory_evidence.cable.host import Hit, Memory
from memory_evidence.cable.spaces import distance, similarity
from memory_evidence.cable.wrapper import CableWrapper, check_unwrapped
from memory_evidence.errors import ConfigError, ScopeError
from memory_evidence.function_model import FunctionModel
from memory_evidence.models import ChatModel, Message
from memory_evidence.records import Scope, check_scope

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore

__all__ = ["CableAgenticMemory"]

_Found = list[dict[str, Any]]


class CableAgenticMemory(CableWrapper):
    """An `AgenticMemorySystem` of upstream A-MEM or of the package `a-mem`, with links of CABLE's own.

    `search` and `search_agentic` return A-MEM's entries in its own form, the last of them exchanged for linked notes;
    those have one key more, `cable`, as `memory_evidence.cable.evidence.provenance` gives it: the links that led to
    them, and what each replaced. A note of A-MEM's own has it, too, where a later note superseded what it says.
    `score` is a distance, as ever: lower is nearer.
    """

    def __init__(
        self,
        system: Any,
        *,
        scope: Sequence[str] | None = None,
        store: str | LinkStore = "sqlite:///memory.db",
        model: ChatModel | Literal["rules"] | None = None,
        replace: int = 5,
        max_entries: int = 45,
        **settings: Unpack[CableSettings],
    ) -> None:
        """Extend `system`, which stays usable as it is.

        Args:
            system: The A-MEM system; it holds one user's notes.
            scope: Whose notes these are, ("u1",). None: the identity of the system's own collection, which for
                upstream A-MEM lasts as long as the process, as its notes do.
            store: Where links are kept: a URL, or what `open_links` returned.
            model: Judges the links. None: A-MEM's own model. "rules": no model, which links less.
            replace: Entries of a search, at least 0, whose places linked notes may take.
            max_entries: Most entries of a search, at least 1; the paper's 45.
            **settings: As for `Cable`.

        Raises:
            ConfigError: An argument is wrong.
            ScopeError: The scope is malformed.
            StoreError: The links cannot be opened.
        """
        check_unwrapped("system", system)
        if max_entries < 1:
            raise ConfigError("max_entries", max_entries, "at least 1")
        self._max_entries = max_entries
        identity = check_scope(scope) if scope is not None else None
        notes = note_host(system, ("amem", *(identity or ("-",))))
        if identity is None:
            notes.scope = ("amem", str(notes.collection.id))
        self._notes = notes

        def open_host(asked: Scope) -> NoteHost:
            if asked != notes.scope:
                raise ScopeError(asked, f"the scope of these notes, {notes.scope!r}")
            return notes

        judge = FunctionModel("A-MEM's model", self._ask) if model is None else None if model == "rules" else model
        cable = Cable(open_host, store=store, model=judge, replace=replace, **settings)
        super().__init__(system, notes, cable, settings.get("on_error", "raise"))

    def add_note(self, content: str, time: str | None = None, **fields: Any) -> str:
        """A-MEM's `add_note`; the new note is linked."""
        note: str = self._wrapped.add_note(content, time=time, **fields)
        self._written([note])
        return note

    async def aadd_note(self, content: str, time: str | None = None, **fields: Any) -> str:
        """`add_note` in a thread."""
        return await asyncio.to_thread(self.add_note, content, time, **fields)

    def update(self, memory_id: str, **fields: Any) -> bool:
        """A-MEM's `update`; a note with other content is linked anew, and its old links are stale."""
        done: bool = self._wrapped.update(memory_id, **fields)
        if done:
            self._written([memory_id])
        return done

    async def aupdate(self, memory_id: str, **fields: Any) -> bool:
        """`update` in a thread."""
        return await asyncio.to_thread(self.update, memory_id, **fields)

    def delete(self, memory_id: str) -> bool:
        """A-MEM's `delete`; the note's links go with it."""
        done: bool = self._wrapped.delete(memory_id)
        if done:
            self._cable.deleted(self.scope, [memory_id])
        return done

    async def adelete(self, memory_id: str) -> bool:
        """`delete` in a thread."""
        return await asyncio.to_thread(self.delete, memory_id)

    def search(self, query: str, k: int = 5, *, replace: int | None = None) -> _Found:
        """A-MEM's `search` with linked notes; `replace` is another number than the wrapper's own."""
        return self._found(query, self._wrapped.search(query, self._most(k)), k, replace)[0]

    def search_agentic(self, query: str, k: int = 5, *, replace: int | None = None) -> _Found:
        """A-MEM's `search_agentic` with linked notes, which it marks as neighbours."""
        return self._found(query, self._wrapped.search_agentic(query, self._most(k)), k, replace)[0]

    async def asearch(self, query: str, k: int = 5, *, replace: int | None = None) -> _Found:
        """`search` in a thread."""
        return await asyncio.to_thread(self.search, query, k, replace=replace)

    async def asearch_agentic(self, query: str, k: int = 5, *, replace: int | None = None) -> _Found:
        """`search_agentic` in a thread."""
        return await asyncio.to_thread(self.search_agentic, query, k, replace=replace)

    def explain(self, query: str, k: int = 5, *, replace: int | None = None) -> Expansion:
        """Return how `search` chose its entries: seeds, links, scores, and what was replaced and why."""
        return self._found(query, self._wrapped.search(query, self._most(k)), k, replace)[1]

    async def aexplain(self, query: str, k: int = 5, *, replace: int | None = None) -> Expansion:
        """`explain` in a thread."""
        return await asyncio.to_thread(self.explain, query, k, replace=replace)

    def _most(self, k: int) -> int:
        return min(k, self._max_entries)

    def _found(self, query: str, own: _Found, k: int, replace: int | None) -> tuple[_Found, Expansion]:
        entries = {str(entry["id"]): entry for entry in own}
        space = self._notes.space
        texts: dict[str, Memory] = {}
        added: dict[str, dict[str, Any]] = {}
        with self._looking_up():
            texts = self._notes.get(list(entries))
        hits = [
            Hit(
                texts.get(note) or Memory(note, str(entry.get("content", ""))),
                similarity(space, entry["score"]) if entry.get("score") is not None else None,
            )
            for note, entry in entries.items()
        ]
        expansion = self._cable.expand(self._notes, query, hits, limit=self._most(k), replace=replace)
        with self._looking_up():
            added = self._linked(query, expansion, own[0]) if expansion.added else {}
        if len(added) < len(expansion.added):
            return own, expansion  # a linked note was deleted meanwhile, or cannot be read
        told = {entry.memory.id: provenance(entry) for entry in expansion.entries}
        found = [(entries.get(note) or added[note], told[note]) for note in expansion.ids]
        return [{**entry, "cable": its} if its else entry for entry, its in found], expansion

    def _linked(self, query: str, expansion: Expansion, model: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Return the added notes as entries with the keys of `model`, an entry of the same search."""
        notes = [entry.memory.id for entry in expansion.added]
        fields, vectors = self._notes.shown(notes), self._notes.vectors(notes)
        asked, space = self._notes.embed([query])[0], self._notes.space
        return {
            note: {
                **{key: fields[note][key] for key in model if key in fields[note]},
                "id": note,
                **({"is_neighbor": True} if "is_neighbor" in model else {}),
                **({"score": distance(space, asked, vectors[note])} if "score" in model else {}),
            }
            for note in notes
            if note in fields and note in vectors
        }

    def _ask(
        self, messages: Sequence[Message], schema: type[BaseModel] | None, temperature: float, _max_tokens: int
    ) -> str:
        # A-MEM's models take one prompt, a form, and no limit of tokens.
        form: dict[str, Any] = {"type": "text"}
        if schema is not None:
            form = {"type": "json_schema", "json_schema": {"name": "response", "schema": schema.model_json_schema()}}
        prompt = "\n\n".join(message.content for message in messages)
        model = self._wrapped.llm_controller.llm  # read anew: people exchange it
        return str(model.get_completion(prompt, response_format=form, temperature=temperature))
