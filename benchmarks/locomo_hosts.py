"""What `locomo_reach` asks of a host, and three hosts of arrays: by vectors, by words, by both.

A host holds the turns of one conversation, and is searched alone and with CABLE.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from benchmarks.locomo import Conversation
from benchmarks.retrieval import BM25, Dense
from memory_evidence.cable.cable import Cable, CableSettings
from memory_evidence.cable.host import FloatArray, Hit, Memory
from memory_evidence.cable.reports import LinkingReport
from memory_evidence.models import ChatModel
from memory_evidence.records import Scope

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore

ARRAYS = ("dense", "bm25", "fused")
HOSTS = (*ARRAYS, "chroma", "mem0", "amem", "simplemem")

FUSION = 60
"""The constant of reciprocal rank fusion."""


class Searched(Protocol):
    """A conversation in a host, searched alone and with CABLE; ids are those of the turns."""

    links: LinkStore
    scope: Scope
    """Whose memories these are, in `links`."""
    ids: dict[str, str]
    """The host's id of each turn."""

    def plain(self, question: str, k: int) -> list[str]:
        """Search the host alone."""
        ...

    def expanded(self, question: str, k: int, replace: int) -> list[str]:
        """Search with CABLE, which may exchange the last `replace` entries."""
        ...

    def link(self) -> LinkingReport:
        """Link every turn, the oldest first."""
        ...

    def close(self) -> None:
        """Release the store of links."""
        ...


class Vectors:
    """MiniLM vectors that are computed once, in memory and, where a folder is given, for the next run."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._known: dict[str, FloatArray] = {}

    @cached_property
    def _model(self) -> Dense:
        return Dense([])

    def learn(self, texts: Sequence[str]) -> None:
        """Embed `texts` together, so that later calls find them."""
        digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
        file = None if self._folder is None else self._folder / f"minilm-{digest[:32]}.npy"
        if file is not None and file.exists():
            vectors = np.load(file)
        else:
            vectors = self._model.embed(texts)
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                np.save(file, vectors)
        self._known.update(zip(texts, vectors, strict=True))

    def __call__(self, texts: Sequence[str]) -> FloatArray:
        """Return the vectors of `texts`, shape `(len(texts), 384)`."""
        if new := [text for text in dict.fromkeys(texts) if text not in self._known]:
            self._known.update(zip(new, self._model.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts]) if texts else np.zeros((0, 384), np.float32)


class ArrayHost:
    """A `MemoryHost` of the turns: by cosine ("dense"), by words ("bm25"), or by both, ranks fused ("fused")."""

    def __init__(self, conversation: Conversation, kind: str, vectors: Vectors) -> None:
        self.scope: Scope = ("locomo", conversation.name)
        self._kind, self._vectors = kind, vectors
        self._turns = {turn.id: turn for turn in conversation.turns}
        texts = [turn.text for turn in conversation.turns]
        self._matrix = vectors(texts)
        self._places = {turn.id: place for place, turn in enumerate(conversation.turns)}
        self._bm25 = BM25(texts)
        self._order = list(conversation.turns)

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the `k` best turns, best first."""
        scores: dict[int, float] = defaultdict(float)
        if self._kind in ("dense", "fused"):
            cosines = self._matrix @ self._vectors([query])[0]
            ranked = np.argsort(-cosines, kind="stable")
            if self._kind == "dense":
                return [Hit(self._order[row], float(cosines[row])) for row in ranked[:k]]
            for rank, row in enumerate(ranked, 1):
                scores[int(row)] += 1 / (FUSION + rank)
        for rank, row in enumerate(self._bm25.top(query, len(self._order) if self._kind == "fused" else k), 1):
            scores[row] += 1 / (FUSION + rank)
        best = sorted(scores, key=lambda row: (-scores[row], row))[:k]
        return [Hit(self._order[row], scores[row]) for row in best]

    def get(self, ids: Sequence[str]) -> Mapping[str, Memory]:
        """Return the turns of `ids`."""
        return {i: self._turns[i] for i in ids if i in self._turns}

    def vectors(self, ids: Sequence[str]) -> Mapping[str, FloatArray]:
        """Return the vectors of the turns of `ids`."""
        return {i: self._matrix[self._places[i]] for i in ids if i in self._places}

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return MiniLM vectors."""
        return self._vectors(texts)

    def memories(self) -> Iterator[Memory]:
        """Yield the turns in order."""
        return iter(self._order)


class ArrayReach:
    """An `ArrayHost` with `Cable`."""

    def __init__(
        self,
        conversation: Conversation,
        kind: str,
        vectors: Vectors,
        model: ChatModel | None,
        settings: CableSettings,
    ) -> None:
        self._host = ArrayHost(conversation, kind, vectors)
        self.scope = self._host.scope
        self.ids = {turn.id: turn.id for turn in conversation.turns}
        self._cable = Cable(lambda _: self._host, store="sqlite://", model=model, **settings)
        self.links = self._cable.links

    def plain(self, question: str, k: int) -> list[str]:
        """Search the host alone."""
        return [hit.memory.id for hit in self._host.search(question, k)]

    def expanded(self, question: str, k: int, replace: int) -> list[str]:
        """Search, and expand the result."""
        hits = self._host.search(question, k)
        return list(self._cable.expand(self._host, question, hits, limit=k, replace=replace).ids)

    def link(self) -> LinkingReport:
        """Link every turn, the oldest first."""
        return self._cable.backfill(self._host)

    def close(self) -> None:
        """Release the store."""
        self._cable.close()


def open_host(
    kind: str,
    conversation: Conversation,
    vectors: Vectors,
    model: ChatModel | None,
    settings: CableSettings,
    *,
    folder: Path,
    budget: int,
) -> Searched:
    """Return `conversation` in the host called `kind`; `folder` is for hosts that keep files."""
    if kind in ARRAYS:
        return ArrayReach(conversation, kind, vectors, model, settings)
    from benchmarks import locomo_wrapped as wrapped

    if kind == "chroma":
        return wrapped.ChromaReach(conversation, vectors, model, settings)
    if kind == "mem0":
        return wrapped.Mem0Reach(conversation, vectors, model, settings, folder)
    if kind == "amem":
        return wrapped.AMemReach(conversation, model, settings, folder)
    return wrapped.SimpleMemReach(conversation, model, settings, folder, budget)
