"""What linking did, and how a link store stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from typing_extensions import override

from memory_evidence.models import Usage

__all__ = ["LinkingReport", "Stats"]


@dataclass(frozen=True, slots=True)
class LinkingReport:
    """What one round of linking did."""

    linked: int = 0
    """Memories for which antecedents were looked for."""
    links: int = 0
    """New links."""
    skipped: int = 0
    """Memories with too little information to look for any."""
    gone: int = 0
    """Memories that the host no longer holds; what was known of them was deleted."""
    failed: int = 0
    """Memories whose linking failed; they stay pending, or were given up after the last attempt."""
    refused: int = 0
    """Links that were refused because a memory has too many."""
    pending: int = 0
    """Memories that still wait."""
    usage: Mapping[str, Usage] = field(default_factory=dict)
    """Model use of this round, by stage: "classify", "queries", "verify"."""
    error: str | None = None
    """Why the round ended early or the last memory failed."""

    @override
    def __str__(self) -> str:
        parts = [f"{self.linked} memories linked, {self.links} new links"]
        parts += [
            f"{count} {what}"
            for count, what in (
                (self.skipped, "skipped"),
                (self.gone, "gone"),
                (self.failed, "failed"),
                (self.refused, "links refused"),
                (self.pending, "still pending"),
            )
            if count
        ]
        calls = sum(usage.calls for usage in self.usage.values())
        return ", ".join(parts) + f"; {calls} model calls" + (f"; {self.error}" if self.error else "")


@dataclass(frozen=True, slots=True)
class Stats:
    """How the links of a scope, or of all, stand."""

    memories: int = 0
    """Memories that are known."""
    pending: int = 0
    """Those that wait to be linked."""
    failed: int = 0
    """Those that were given up; `link_pending(retry_failed=True)` tries them again."""
    links: int = 0
    """Links, stale ones included."""
    usage: Mapping[str, Usage] = field(default_factory=dict)
    """Model use since this `Cable` was made, by stage."""

    @override
    def __str__(self) -> str:
        calls = sum(usage.calls for usage in self.usage.values())
        return (
            f"{self.memories} memories, {self.links} links, {self.pending} pending, {self.failed} failed; "
            f"{calls} model calls"
        )
