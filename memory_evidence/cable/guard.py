"""A host whose every failure is a `HostError`, and whose answers hold what was asked for and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
from typing_extensions import override

from memory_evidence.cable.hits import distinct
from memory_evidence.cable.host import FloatArray, Hit, Memory, MemoryHost
from memory_evidence.errors import HostError, MemoryEvidenceError
from memory_evidence.records import Scope, check_scope

__all__ = ["GuardedHost"]


class GuardedHost(MemoryHost):
    """Passes calls on to `host`.

    Raises:
        HostError: From all methods: the host failed, whatever it raised.
    """

    def __init__(self, host: MemoryHost) -> None:
        self._host = host
        self._scope = check_scope(host.scope)

    @property
    @override
    def scope(self) -> Scope:
        return self._scope

    @override
    def search(self, query: str, k: int) -> list[Hit]:
        with _failing("search"):
            return distinct(self._host.search(query, k))[:k]

    @override
    def get(self, ids: Sequence[str]) -> Mapping[str, Memory]:
        if not ids:
            return {}
        with _failing("get"):
            found = self._host.get(ids)
            return {i: memory for i in ids if (memory := found.get(i)) is not None and memory.id == i}

    @override
    def vectors(self, ids: Sequence[str]) -> Mapping[str, FloatArray]:
        if not ids:
            return {}
        with _failing("vectors"):
            return self._host.vectors(ids)

    @override
    def embed(self, texts: Sequence[str]) -> FloatArray:
        with _failing("embed"):
            vectors = np.asarray(self._host.embed(texts), dtype=np.float32)
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise HostError("embed", f"it returned an array of shape {vectors.shape} for {len(texts)} texts")
        return vectors

    @override
    def memories(self) -> Iterator[Memory]:
        with _failing("memories"):
            yield from self._host.memories()


@contextmanager
def _failing(operation: str) -> Iterator[None]:
    try:
        yield
    except MemoryEvidenceError:
        raise
    except Exception as error:  # the host may raise anything
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise HostError(f"host: {operation}", reason) from error
