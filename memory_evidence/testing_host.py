"""The host that the contract suite of CABLE runs on, as its tests see it, and the story that is told to it.

The texts need a real embedder: for all-MiniLM-L6-v2 the cause of the story is the farthest memory from the question, as
causes often are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, Self

from memory_evidence.cable.evidence import Expansion
from memory_evidence.cable.links import Link, text_hash
from memory_evidence.records import Scope

__all__ = ["CAUSE", "EFFECT", "OTHERS", "QUESTION", "REASON", "WrappedHost"]

QUESTION = "Why did Emma submit her resignation letter?"
CAUSE = "The new manager shouted at everybody in the Monday meeting."
EFFECT = "Emma submitted her resignation letter to the office on Friday."
OTHERS = (
    "Emma keeps an old resignation letter in a drawer.",
    "Emma resigned from the chess club two years ago.",
    "The minister gave up his seat last spring.",
    "A mayor stepped down after the vote in Porto.",
    "Noah wonders why the bakery closed.",
    "Noah retired from the fire brigade.",
)
"""Memories nearer to the question than the cause is, and the cause of nothing."""
REASON = "The shouting made Emma resign."


class WrappedHost(ABC):
    """One host, empty at first, and the wrapper under test; ids are text."""

    cable: Any
    """The wrapper: `links`, `link_pending`, `backfill`, `stats`, `explain`, `close`."""
    store: Path
    """The SQLite file with the links, so that a test can break it."""

    @abstractmethod
    def scope(self, user: str = "ann") -> Scope:
        """Return the scope that the wrapper keeps this user's links under."""

    @abstractmethod
    def add(self, text: str, *, user: str = "ann", behind: bool = False) -> str:
        """Store a memory through the wrapper, or behind its back, and return its id."""

    @abstractmethod
    def edit(self, memory_id: str, text: str, *, user: str = "ann", behind: bool = False) -> None:
        """Give a memory another text."""

    @abstractmethod
    def delete(self, memory_id: str, *, user: str = "ann", behind: bool = False) -> None:
        """Delete a memory."""

    @abstractmethod
    def search(self, query: str, k: int, *, user: str = "ann", replace: int | None = None) -> list[str]:
        """Search through the wrapper and return ids; `replace` None is the wrapper's own setting."""

    @abstractmethod
    async def asearch(self, query: str, k: int, *, user: str = "ann") -> list[str]:
        """`search` through the wrapper's async twin."""

    @abstractmethod
    def plain(self, query: str, k: int, *, user: str = "ann") -> list[str]:
        """Search the host alone and return ids."""

    @abstractmethod
    def explain(self, query: str, k: int, *, user: str = "ann") -> Expansion:
        """Return the wrapper's `explain` of the same search."""

    def close(self) -> None:
        """Close the wrapper, and whatever of the host needs it."""
        self.cable.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def link(self, prior: str, new: str, *, texts: tuple[str, str] = (CAUSE, EFFECT), user: str = "ann") -> None:
        """Record a link as verified for these two texts."""
        hashes = text_hash(texts[0]), text_hash(texts[1])
        link = Link(prior, new, REASON, "recorded", "2026-01-01T00:00:00+00:00", *hashes)
        self.cable.links.add(self.scope(user), [link])

    def story(self, *, user: str = "ann", cause: str = CAUSE) -> tuple[str, str, list[str]]:
        """Store the cause, the others, and the effect; return the ids of cause and effect, and of the others."""
        first = self.add(cause, user=user)
        others = [self.add(text, user=user) for text in OTHERS]
        return first, self.add(EFFECT, user=user), others
