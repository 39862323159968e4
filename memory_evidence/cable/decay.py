"""How much a link still counts by its age: the paper names forgetting and decay as a direction, the rule is ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from memory_evidence.store.link import Link

__all__ = ["freshness"]

_DAY_S = 86_400.0


def freshness(
    links: Iterable[Link], half_life_days: float, now: datetime | None = None
) -> Mapping[tuple[str, str], float]:
    """Return what is left of each link, by its prior and its new memory, in (0, 1]: half after each half-life.

    Counted from when the link was verified, which verifying it again renews; a link whose time cannot be read, or lies
    after `now` (None: the clock's), counts in full.
    """
    asked = now or datetime.now(UTC)
    return {(link.prior, link.new): 0.5 ** (_age_days(link.time, asked) / half_life_days) for link in links}


def _age_days(time: str, now: datetime) -> float:
    try:
        verified = datetime.fromisoformat(time)
    except ValueError:
        return 0.0
    if verified.tzinfo is None:
        verified = verified.replace(tzinfo=UTC)
    return max(0.0, (now - verified).total_seconds() / _DAY_S)
