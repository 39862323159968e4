"""What linking did, and how a link store stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from typing_extensions import override

from memory_evidence.models import Usage, UsageMeter

__all__ = ["LinkingReport", "ReverifyReport", "Stats"]


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


@dataclass(frozen=True, slots=True)
class ReverifyReport:
    """What verifying links again did."""

    checked: int = 0
    """Links that were compared with the host."""
    restated: int = 0
    """Links that were verified again and hold."""
    rejected: int = 0
    """Links that were verified again and deleted."""
    gone: int = 0
    """Links that were deleted because the host no longer holds one of their memories."""
    usage: Mapping[str, Usage] = field(default_factory=dict)
    """Model use, by stage."""
    error: str | None = None
    """Why not all links were checked."""

    @override
    def __str__(self) -> str:
        text = (
            f"{self.checked} links checked: {self.restated} verified again, {self.rejected} rejected, {self.gone} gone"
        )
        return text + (f"; {self.error}" if self.error else "")


@dataclass(slots=True)
class Tally:
    """Adds up what a round of linking does, over all its scopes."""

    linked: int = 0
    links: int = 0
    skipped: int = 0
    gone: int = 0
    failed: int = 0
    refused: int = 0
    error: str | None = None
    meter: UsageMeter = field(default_factory=UsageMeter)

    @property
    def done(self) -> int:
        """Memories that were dealt with."""
        return self.linked + self.skipped + self.gone + self.failed

    def report(self, pending: int) -> LinkingReport:
        """Return what was done, and that `pending` memories still wait."""
        return LinkingReport(
            self.linked,
            self.links,
            self.skipped,
            self.gone,
            self.failed,
            self.refused,
            pending,
            self.meter.stages,
            self.error,
        )


@dataclass(slots=True)
class ReverifyTally:
    """Adds up what verifying links again does, over all its scopes."""

    checked: int = 0
    restated: int = 0
    rejected: int = 0
    gone: int = 0
    error: str | None = None
    meter: UsageMeter = field(default_factory=UsageMeter)

    def report(self) -> ReverifyReport:
        """Return what was done."""
        return ReverifyReport(self.checked, self.restated, self.rejected, self.gone, self.meter.stages, self.error)
