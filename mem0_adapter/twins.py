"""Twins of a mem0 memory: its own methods on its own parts, watched. The memory itself stays as it is.

An embedded vector store is not made for several threads: while one writes, a local Qdrant fails reads with arrays that
do not fit, and now and then Chroma does not find an id. Linking in the background would bring such failures into
programs of one thread. So whatever goes through this package takes turns at such a store, call by call; nothing waits
for a model or an embedder, and stores behind a server are not held up at all.
"""

from __future__ import annotations

import copy
import functools
import inspect
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from memory_evidence.cable.host import FloatArray

__all__ = ["Recorder", "turn_at", "twin_of"]

_locks: WeakKeyDictionary[Any, threading.RLock] = WeakKeyDictionary()
_guard = threading.Lock()


class Recorder:
    """An embedder of mem0 that keeps the vectors it gives, so that a read embeds its query once."""

    def __init__(self, embedder: Any) -> None:
        self._embedder = embedder
        self.vectors: dict[str, FloatArray] = {}

    def embed(self, text: str, *args: Any, **kwargs: Any) -> Any:
        """Embed with mem0's embedder."""
        vector = self._embedder.embed(text, *args, **kwargs)
        self.vectors[text] = np.asarray(vector, np.float32)
        return vector

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)


class _InTurn:
    """A vector store of mem0 whose methods take turns."""

    def __init__(self, store: Any, turn: AbstractContextManager[Any]) -> None:
        self._store, self._turn = store, turn

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if not inspect.isroutine(found):
            return found

        @functools.wraps(found)
        def in_turn(*args: Any, **kwargs: Any) -> Any:
            with self._turn:
                return found(*args, **kwargs)

        return in_turn


def turn_at(store: Any) -> AbstractContextManager[Any]:
    """Return what to hold during one call of a vector store of mem0: its lock if it is embedded, else nothing."""
    settings = getattr(store, "settings", None)
    kind = type(store).__name__
    embedded = (
        (kind == "ChromaDB" and not getattr(settings, "chroma_server_host", None))
        or (kind == "Qdrant" and getattr(store, "is_local", True))
        or kind == "FAISS"
    )
    if not embedded:
        return nullcontext()
    with _guard:
        return _locks.setdefault(store, threading.RLock())


@contextmanager
def twin_of(memory: Any) -> Iterator[tuple[Any, Recorder]]:
    """Give a twin of a mem0 memory to call one of its methods on, and the recorder of what that embeds.

    Parts that mem0 opens at first use pass from the twin to the memory.
    """
    twin, recorder = copy.copy(memory), Recorder(memory.embedding_model)
    store = memory.vector_store
    twin.embedding_model, twin.vector_store = recorder, _InTurn(store, turn_at(store))
    before = dict(vars(twin))
    try:
        yield twin, recorder
    finally:
        for name, value in vars(twin).items():
            if before.get(name) is not value and vars(memory).get(name) is before.get(name):
                setattr(memory, name, value)
