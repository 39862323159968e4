"""Makes filters of what a clause names: an enumeration gives alternatives, what stands apart must hold together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.ledger import Field
from memory_evidence.tallymem.phrases import JOIN
from memory_evidence.tallymem.plan import Filter


@dataclass(slots=True)
class Mention:
    """One thing that a clause names."""

    field: Field
    term: str
    start: int
    stop: int


def filters(text: str, mentions: list[Mention]) -> Iterator[Filter]:
    """Join mentions of a field that stand in one enumeration into alternatives; others must hold together."""
    by_field: dict[Field, list[Mention]] = {}
    for mention in sorted(mentions, key=lambda m: m.start):
        by_field.setdefault(mention.field, []).append(mention)
    for name, found in by_field.items():
        if name in ("tool", "effect") and len({mention.term.casefold() for mention in found}) == 1:
            found = found[:1]
        groups: list[list[Mention]] = []
        for mention in found:
            last = groups[-1][-1] if groups else None
            joined = last is not None and (
                (last.start == mention.start and name != "target")
                or JOIN.match(text[last.stop : mention.start]) is not None
            )
            if last is not None and not joined and name in ("tool", "effect"):
                raise Unread(
                    f"it names several actions, each with something of its own: {last.term!r}, {mention.term!r}"
                )
            if joined:
                groups[-1].append(mention)
            else:
                groups.append([mention])
        for group in groups:
            yield Filter(name, tuple(dict.fromkeys(mention.term for mention in group)))
