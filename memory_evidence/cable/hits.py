"""Search results as hosts really give them: with duplicates, and more than was asked for."""

from __future__ import annotations

from collections.abc import Iterable

from memory_evidence.cable.host import Hit

__all__ = ["distinct"]


def distinct(hits: Iterable[Hit]) -> list[Hit]:
    """Return `hits` in their order, of two with one id only the first."""
    firsts: dict[str, Hit] = {}
    for hit in hits:
        firsts.setdefault(hit.memory.id, hit)
    return list(firsts.values())
