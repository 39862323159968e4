"""Which steps are shown within a budget: named ones first, then by distance to the nearest anchor (appendix C)."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from memory_evidence.tallymem.passages import NARROW, WIDE

INDEX_SHARE = 0.3
FILE_SHARE = 0.2
FILE_STEPS = 8
NEAR = 2
MISSES = 200
"""After so many steps in a row that do not fit, the rest are left out unseen (ours: a log may hold a million)."""


class Selection:
    """What is chosen for one view, and what it costs, marks of omission included. Steps go by their place in the log.

    Args:
        budget: Most that everything may cost.
        spent: What the frame of the view costs.
        scope: The places to choose from.
        anchors: Places to stay near to; with none, the newest come first.
        cost: Returns what a place costs under a character cap; with a cap of 0, what its index record costs.
        gap: Returns what the mark costs for the places left out between two shown ones.
        size: Number of places in the log.
    """

    def __init__(
        self,
        budget: int,
        spent: int,
        scope: range,
        anchors: list[int],
        cost: Callable[[int, int], int],
        gap: Callable[[int, int], int],
        size: int,
    ) -> None:
        self._budget, self._scope, self._anchors = budget, scope, anchors
        self._cost, self._gap, self._size = cost, cache(gap), size
        self._near = {place for _, place in outward(anchors, scope, NEAR)}
        self._index_left = int(budget * INDEX_SHARE)
        self.spent = spent + gap(-1, size)
        self.places: list[int] = []
        """Admitted places, sorted."""
        self.caps: dict[int, int] = {}
        """The admitted places with their character caps, in the order of admission."""
        self.briefs: dict[int, int] = {}
        """Places that are not admitted and have an index record, with its cost."""

    def add_record(self, cost: int) -> bool:
        """Spend `cost` on an index record that belongs to no single step, if their share holds it."""
        if cost > min(self._index_left, self._budget - self.spent):
            return False
        self._index_left -= cost
        self.spent += cost
        return True

    def fill(self, named: list[int], linked: Iterable[int]) -> None:
        """Choose steps and index records.

        Args:
            named: Places that the question names.
            linked: Places linked to files that the question names, the first to be taken first.
        """
        share = self._index_share()
        self._budget -= share
        for _, place in outward(named, self._scope, NEAR) if named else ():
            self._take(place)
        self._admit_linked(linked)
        self._admit_nearest()
        self._budget += share
        self._add_briefs(share)
        # Where few steps were left out few records were needed: the rest of their share holds steps.
        self._admit_nearest()

    def shrink(self, excess: int) -> bool:
        """Take back at least `excess` of what was chosen last, index records first; whether there was anything."""
        if not self.briefs and not self.caps:
            return False
        while excess > 0 and self.briefs:
            excess -= self.briefs.popitem()[1]
        while excess > 0 and self.caps:
            place, cap = self.caps.popitem()
            self.places.remove(place)
            excess -= self._cost(place, cap)
        return True

    def _index_share(self) -> int:
        """Return what index records of steps may cost: their share, or less where all steps in brief need less."""
        limit = max(0, min(self._index_left, self._budget - self.spent))
        total = 0
        for _, place in outward(self._anchors, self._scope):
            total += self._cost(place, 0)
            if total > limit:
                return limit
        return total

    def _add_briefs(self, share: int) -> None:
        """Give the omitted steps nearest to the anchors an index record each, until the share is spent."""
        left = min(share, self._budget - self.spent)
        for _, place in outward(self._anchors, self._scope):
            if place in self.caps:
                continue
            cost = self._cost(place, 0)
            left -= cost
            if left < 0:
                break
            self.spent += cost
            self.briefs[place] = cost

    def _admit_linked(self, linked: Iterable[int]) -> None:
        share, taken = (self._budget - self.spent) * FILE_SHARE, 0
        for place in linked:
            before = self.spent
            if taken < FILE_STEPS and place not in self.caps and self._take(place, share):
                share -= self.spent - before
                taken += 1

    def _admit_nearest(self) -> None:
        """Admit steps by their distance to the nearest anchor, skipping those that do not fit."""
        misses = 0
        for _, place in outward(self._anchors, self._scope):
            if place not in self.caps:
                misses = 0 if self._take(place) else misses + 1
            if misses == MISSES:
                break

    def _take(self, place: int, limit: float | None = None) -> bool:
        """Admit a step if it fits; a wide one that does not is tried with the narrow cap."""
        at = bisect_left(self.places, place)
        if at < len(self.places) and self.places[at] == place:
            return False
        before = self.places[at - 1] if at else -1
        after = self.places[at] if at < len(self.places) else self._size
        marks = self._gap(before, place) + self._gap(place, after) - self._gap(before, after)
        left = self._budget - self.spent if limit is None else min(limit, self._budget - self.spent)
        for cap in (WIDE, NARROW) if place in self._near else (NARROW,):
            cost = self._cost(place, cap) - self.briefs.get(place, 0) + marks
            if cost <= left:
                self.spent += cost
                self.briefs.pop(place, None)
                self.caps[place] = cap
                insort(self.places, place)
                return True
        return False


def outward(anchors: list[int], scope: range, most: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield (distance, place) of the places in scope by their distance to the nearest anchor, the later first.

    Without an anchor all are equally far. Lazily: what is not asked for costs nothing.

    Args:
        anchors: Places in scope.
        scope: The places to yield.
        most: Greatest distance from an anchor; None: any.
    """
    if not anchors:
        if most is None:
            yield from ((0, place) for place in reversed(scope))
        return
    seen = set(anchors)
    ring, distance = sorted(seen, reverse=True), 0
    while ring and (most is None or distance <= most):
        yield from ((distance, place) for place in ring)
        wider = {near for place in ring for near in (place - 1, place + 1) if near in scope} - seen
        seen |= wider
        ring, distance = sorted(wider, reverse=True), distance + 1
