"""What CABLE needs of a memory that it extends: one scope's memories, searched and looked up as the host does it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memory_evidence.records import Scope

FloatArray = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory as the host holds it now."""

    id: str
    """The host's own id, as text."""
    text: str
    time: str | None = None
    """When the host stored it, as the host writes it; shown, never compared."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result."""

    memory: Memory
    score: float | None
    """Higher is better, comparable only within one search; None where the host gives none."""


class MemoryHost(Protocol):
    """One scope of a host's memories. Every method may block, may be called from several threads, and sees no others.

    Whatever the host raises becomes a `HostError` naming the operation.
    """

    @property
    def scope(self) -> Scope:
        """Whose memories these are."""
        ...

    def search(self, query: str, k: int) -> list[Hit]:
        """Return at most `k` memories of this scope, best first, each once."""
        ...

    def get(self, ids: Sequence[str]) -> Mapping[str, Memory]:
        """Return those of `ids` that the host holds in this scope; deleted or foreign ids are absent."""
        ...

    def vectors(self, ids: Sequence[str]) -> Mapping[str, FloatArray]:
        """Return the vectors that the host searches by, each of shape `(dim,)`; absent where it has none.

        A host without vectors returns embeddings of the texts.
        """
        ...

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the host's vectors of `texts` as queries, shape `(len(texts), dim)`."""
        ...

    def memories(self) -> Iterator[Memory]:
        """Yield every memory of this scope, the oldest first."""
        ...
