"""What a log on a `BaseStore` knows of one scope: an index without text, rebuilt from the store at any time."""

from __future__ import annotations

import hashlib
import uuid
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import NamedTuple

from langgraph_nodes.store_items import Namespace, StoreItems, decode_batch, label, namespace_of, taking_apart
from memory_evidence.records import Draft, Scope

_BATCH_RECORDS, _BATCH_CHARACTERS = 1_000, 1_000_000
_LOAD = 50
"""Batches in memory at a time while an index is built."""
_epochs = count(1)


class Head(NamedTuple):
    """What one writer has done in a scope; an item of its own, so that no other writer ever overwrites it."""

    process: str
    since: str
    """The scope's last forgetting that the writer knew of; where there is a later one, the head no longer counts."""
    batches: int = 0
    compiled: int = 0


@dataclass(frozen=True, slots=True)
class Batch:
    """Where some records are."""

    first: int
    """The position that the writer counted for the first of them."""
    writer: str
    number: int
    before: int
    """Records of the scope that come before them."""
    size: int
    """How many they are, without `repeated`."""
    repeated: frozenset[int]
    """Places in the item of records that do not count: an earlier record has their key."""

    @property
    def item(self) -> str:
        """Key of the item that holds them."""
        return batch_item(self.writer, self.number)


@dataclass(slots=True)
class ScopeIndex:
    """The batches of one scope in their order, and the positions of all keys."""

    since: str = ""
    epoch: int = field(default_factory=lambda: next(_epochs))
    heads: dict[str, Head] = field(default_factory=dict)
    batches: list[Batch] = field(default_factory=list)
    count: int = 0
    _keys: dict[bytes, int] = field(default_factory=dict)

    def position_of(self, key: str) -> int | None:
        """Return the position of the record with this key."""
        return self._keys.get(_digest(key))

    def place(self, drafts: Iterable[Draft]) -> tuple[list[int], list[Draft]]:
        """Return the position that each draft has or will have, and those that are not stored yet."""
        positions: list[int] = []
        new: list[Draft] = []
        places: dict[str, int] = {}
        for draft in drafts:
            known = None if draft.key is None else places.get(draft.key) or self.position_of(draft.key)
            if known is None:
                new.append(draft)
                known = self.count + len(new)
                if draft.key is not None:
                    places[draft.key] = known
            positions.append(known)
        return positions, new

    def take(self, order: tuple[int, str, int], keys: Sequence[str | None]) -> None:
        """Append one batch, given the key of each of its records."""
        repeated = set()
        before = self.count
        for place, key in enumerate(keys):
            if key is not None and self._keys.setdefault(_digest(key), self.count + 1) <= self.count:
                repeated.add(place)
            else:
                self.count += 1
        self.batches.append(Batch(*order, before, self.count - before, frozenset(repeated)))

    def batch_of(self, position: int) -> int:
        """Return the place in `batches` of the one that holds a position, or where it will be."""
        return max(0, bisect_right(self.batches, position - 1, key=lambda batch: batch.before) - 1)


def catch_up(items: StoreItems, prefix: Namespace, scope: Scope, known: ScopeIndex | None) -> ScopeIndex:
    """Return the index of a scope as the store has it now: `known` brought up to date, or a new one.

    A new one, with a new epoch, where positions are no longer what they were: the scope was forgotten, or a batch has
    turned up that belongs before one that is known (two processes counted the same position).
    """
    since = last_forgotten(items, prefix, scope)
    values = items.all(namespace_of(prefix, scope, "heads"))
    heads: dict[str, Head] = {}
    for writer, value in values.items():
        with taking_apart(namespace_of(prefix, scope, "heads"), writer):
            head = _head(**value)
        if head.since == since:
            heads[writer] = head
    if known is None or known.since != since or not known.heads.keys() <= heads.keys():
        known = ScopeIndex(since)
    if heads == known.heads:
        return known
    new = sorted(_load(items, namespace_of(prefix, scope, "batches"), known.heads, heads))
    if new and known.batches and new[0][0] < _order(known.batches[-1]):
        known = ScopeIndex(since)
        new = sorted(_load(items, namespace_of(prefix, scope, "batches"), {}, heads))
    for order, keys in new:
        known.take(order, keys)
    known.heads = heads
    return known


def last_forgotten(items: StoreItems, prefix: Namespace, scope: Scope) -> str:
    """Return the mark that the last forgetting of a scope left, "" for none."""
    key = _scope_digest(scope)
    namespace = (*prefix, "forgotten")
    found = items.get(namespace, [key])
    with taking_apart(namespace, key):
        return str(found[key]["mark"]) if found else ""


def mark_forgotten(items: StoreItems, prefix: Namespace, scope: Scope) -> None:
    """Void everything of a scope for all processes, even what one of them is about to commit."""
    items.put((*prefix, "forgotten"), [(_scope_digest(scope), {"mark": uuid.uuid4().hex})])


def batch_item(writer: str, number: int) -> str:
    """Return the key of a batch's item."""
    return f"{writer}-{number:09d}"


def split(drafts: Iterable[Draft]) -> Iterator[list[Draft]]:
    """Yield drafts in lists that fit into one item each."""
    part: list[Draft] = []
    size = 0
    for draft in drafts:
        if part and (len(part) == _BATCH_RECORDS or size >= _BATCH_CHARACTERS):
            yield part
            part, size = [], 0
        part.append(draft)
        size += len(draft.text) + len(draft.key or "")
    if part:
        yield part


def _load(
    items: StoreItems, namespace: Namespace, seen: dict[str, Head], heads: dict[str, Head]
) -> Iterator[tuple[tuple[int, str, int], list[str | None]]]:
    """Yield the order and the keys of every batch that the heads count beyond what was seen."""
    wanted = (
        (writer, number)
        for writer, head in heads.items()
        for number in range(seen[writer].batches + 1 if writer in seen else 1, head.batches + 1)
    )
    while chunk := list(islice(wanted, _LOAD)):
        values = items.get(namespace, [batch_item(*each) for each in chunk])
        for writer, number in chunk:
            # A batch is there before its head counts it: a missing one was deleted.
            value = values.get(batch_item(writer, number))
            if value is not None:
                with taking_apart(namespace, batch_item(writer, number)):
                    first, drafts = decode_batch(value)
                yield (first, writer, number), [draft.key for draft in drafts]


def _head(process: str, since: str, batches: int, compiled: int) -> Head:
    if not (isinstance(process, str) and isinstance(since, str)):
        raise TypeError("no names")
    if not (isinstance(batches, int) and isinstance(compiled, int)):
        raise TypeError("no counts")
    return Head(process, since, batches, compiled)


def _order(batch: Batch) -> tuple[int, str, int]:
    return batch.first, batch.writer, batch.number


def _scope_digest(scope: Scope) -> str:
    return _digest(".".join(map(label, scope))).hex()


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
