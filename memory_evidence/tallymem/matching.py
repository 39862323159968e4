"""Which rows the filters of a question admit, while it is compiled: of the whole log, and without what is excluded."""

from __future__ import annotations

from collections.abc import Iterable

from memory_evidence.tallymem.ledger import Ledger
from memory_evidence.tallymem.plan import Filter


def matching(ledger: Ledger, where: Iterable[Filter]) -> set[int]:
    """Return the positions of the rows that satisfy every filter but those that exclude; all rows without one."""
    found = sorted((ledger.positions(part.field, part.terms) for part in where if not part.exclude), key=len)
    return found[0].intersection(*found[1:]) if found else set(range(len(ledger)))
