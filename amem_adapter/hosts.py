"""The notes of an A-MEM system as CABLE sees them, for upstream A-MEM and for the package `a-mem`.

Both import as `agentic_memory` and store in Chroma, and are told apart by what they have: upstream keeps its notes in
`memories`, the package keeps a `cache` and reads from Chroma. The links that A-MEM's own model writes into notes are
not read: upstream's are ranks of a search long past, and either may be invented.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from typing_extensions import override

from memory_evidence.cable.host import FloatArray, Hit, Memory
from memory_evidence.cable.spaces import Space, chroma_space, similarity
from memory_evidence.errors import ConfigError
from memory_evidence.records import Scope

__all__ = ["NoteHost", "note_host"]


class NoteHost:
    """The notes of upstream's system: a memory is a note's content, without the context and tags around it."""

    def __init__(self, system: Any, scope: Scope) -> None:
        self.system, self.scope = system, scope
        self._last: tuple[list[str], FloatArray] = ([], np.zeros((0, 0), dtype=np.float32))

    @property
    def collection(self) -> Any:
        """Chroma's collection as it is now: consolidation makes another one."""
        return self.system.retriever.collection

    @property
    def space(self) -> Space:
        """What A-MEM's scores measure."""
        return chroma_space(self.collection.configuration_json)

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the nearest notes by the stored vectors."""
        if k < 1:
            return []
        vectors = self.embed([query])
        found = self.collection.query(query_embeddings=vectors, n_results=k, include=["distances"])
        notes = self.get(found["ids"][0])
        return [
            Hit(notes[note], similarity(self.space, distance))
            for note, distance in zip(found["ids"][0], found["distances"][0], strict=True)
            if note in notes
        ]

    def get(self, ids: Sequence[str]) -> dict[str, Memory]:
        """Return the notes that exist now; nothing is marked as read."""
        return {note: _memory(note, fields) for note, fields in self.shown(ids).items()}

    def shown(self, ids: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        """Return the fields of notes as A-MEM's own searches show them."""
        notes = self.system.memories
        return {note: vars(notes[note]) for note in dict.fromkeys(ids) if note in notes}

    def vectors(self, ids: Sequence[str]) -> dict[str, FloatArray]:
        """Return the stored vectors: those of the package are of text, context, keywords and tags together."""
        found = self._stored(ids, "embeddings")
        return {note: np.asarray(vector, dtype=np.float32) for note, vector in found.items()}

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return vectors of queries, as A-MEM's own search makes them; kept for the second time that a read asks."""
        asked, vectors = self._last
        if list(texts) != asked:
            made = self.system.retriever.embedding_function.embed_query(list(texts))
            vectors = np.asarray(made, dtype=np.float32)
            self._last = list(texts), vectors
        return vectors

    def memories(self) -> Iterator[Memory]:
        """Yield every note in the order of writing."""
        for note, fields in list(self.system.memories.items()):
            if isinstance(note, str):  # Chroma refuses other ids, but upstream keeps such a note, out of every search
                yield _memory(note, vars(fields))

    def _stored(self, ids: Sequence[str], column: str) -> dict[str, Any]:
        wanted = list(dict.fromkeys(ids))  # Chroma refuses duplicates and an empty list
        if not wanted:
            return {}
        found = self.collection.get(ids=wanted, include=[column])
        return dict(zip(found["ids"], found[column], strict=True))


class StoredNoteHost(NoteHost):
    """The notes of the package `a-mem`, read from Chroma: its cache may hold notes that are gone."""

    @override
    def get(self, ids: Sequence[str]) -> dict[str, Memory]:
        # As stored: the package's own reading takes a content such as "2024" or "[a]" for a number or a list.
        return {note: _memory(note, fields) for note, fields in self._stored(ids, "metadatas").items()}

    @override
    def shown(self, ids: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        found: dict[str, dict[str, Any]] = self.system.retriever.get_by_ids(list(ids))
        return found

    @override
    def memories(self) -> Iterator[Memory]:
        """Yield every note by its time, and in Chroma's order within a minute: a note that evolved is stored anew."""
        found = self.collection.get(include=["metadatas"])
        notes = [_memory(note, fields) for note, fields in zip(found["ids"], found["metadatas"], strict=True)]
        yield from sorted(notes, key=lambda note: note.time or "")


def note_host(system: Any, scope: Scope) -> NoteHost:
    """Return the notes of `system`, whichever A-MEM it is.

    Raises:
        ConfigError: It is neither.
    """
    if hasattr(getattr(system, "retriever", None), "collection"):
        if hasattr(system, "memories"):
            return NoteHost(system, scope)
        if hasattr(system, "cache"):
            return StoredNoteHost(system, scope)
    raise ConfigError("system", type(system).__name__, "an AgenticMemorySystem of A-MEM or of the package a-mem")


def _memory(note: str, fields: Mapping[str, Any]) -> Memory:
    time = fields.get("timestamp")
    return Memory(note, str(fields.get("content", "")), None if time is None else str(time))
