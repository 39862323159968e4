"""The log on LangGraph's `BaseStore`, for people who already run one."""

from __future__ import annotations

import logging
import os
import threading
import uuid
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from weakref import WeakKeyDictionary

from langgraph.store.base import BaseStore
from typing_extensions import override

from langgraph_nodes.store_index import Head, ScopeIndex, batch_item, catch_up, mark_forgotten, split
from langgraph_nodes.store_items import (
    StoreItems,
    check_namespace,
    decode_batch,
    decode_bytes,
    encode_batch,
    encode_bytes,
    label,
    namespace_of,
    taking_apart,
)
from memory_evidence.errors import ConfigError, StoreError
from memory_evidence.records import Draft, Record, Scope, check_scope
from memory_evidence.store.log import Log, LogVersion

logger = logging.getLogger(__name__)

_READ = 2_000
"""Records fetched at a time while reading, at least."""
_MAX_SCOPES = 2_000
"""Scopes whose index is kept between calls."""

_shared: WeakKeyDictionary[BaseStore, tuple[threading.RLock, str]] = WeakKeyDictionary()
"""Per store object: all logs over it take turns, and write as one writer."""
_sharing = threading.Lock()


class BaseStoreLog(Log):
    """Keeps records in a LangGraph store (InMemoryStore, SqliteStore, PostgresStore and their async twins).

    A record is durable once `append` returns, and none is lost, however many threads and processes write. All threads
    of a process see positions without gaps or duplicates. A `BaseStore` has no atomic counter: where several
    *processes* write to one scope at the same moment, each may count the same position. All processes then put the
    records into the same order; positions settle at the next look and the epoch of the scope changes. The log that
    `open_log` opens has no such limit.

    Each process that ever wrote to a scope leaves one small item there, which every look at the scope reads. What is
    forgotten leaves a random mark under a hash of the scope, so that no other process goes on with what it knew.

    An async store must be used from another thread than its event loop's, as `ContractMemory.aread` and `aadd` do.
    """

    def __init__(self, store: BaseStore, namespace: tuple[str, ...] = ("memory_evidence",)) -> None:
        """Use `store`, which stays the caller's to set up and close.

        Args:
            store: Where to keep records. It needs no index.
            namespace: Where the namespaces of all scopes begin.

        Raises:
            ConfigError: `store` is no `BaseStore`, or a `BaseStore` would refuse the namespace.
        """
        if not isinstance(store, BaseStore):
            raise ConfigError("store", store, "a LangGraph BaseStore")
        self._prefix = check_namespace(namespace)
        with _sharing:
            self._lock, self._id = _shared.setdefault(store, (threading.RLock(), uuid.uuid4().hex))
        self._items = StoreItems(store, self._lock)
        self._indexes: OrderedDict[Scope, ScopeIndex] = OrderedDict()

    @override
    def append(self, scope: Scope, drafts: Sequence[Draft]) -> list[int]:
        scope = check_scope(scope)
        if not drafts:
            return []
        with self._lock:
            index = self._catch_up(scope)
            positions, new = index.place(drafts)
            if new:
                self._write(scope, index, new)
            return positions

    @override
    def records(self, scope: Scope, after: int = 0) -> Iterator[Record]:
        scope = check_scope(scope)
        with self._lock:
            index = self._catch_up(scope)
            batches = index.batches[index.batch_of(after + 1) :]
        while batches:
            until = next(
                (i for i, each in enumerate(batches) if each.before >= batches[0].before + _READ), len(batches)
            )
            chunk, batches = batches[:until], batches[until:]
            namespace = self._namespace(scope, "batches")
            values = self._items.get(namespace, (batch.item for batch in chunk))
            for batch in chunk:
                if batch.item not in values:
                    return  # forgotten while we read
                with taking_apart(namespace, batch.item):
                    drafts = decode_batch(values[batch.item])[1]
                    kept = [draft for place, draft in enumerate(drafts) if place not in batch.repeated]
                    if len(kept) != batch.size:
                        raise ValueError("another number of records than before")
                for position, draft in enumerate(kept, batch.before + 1):
                    if position > after:
                        yield Record(position, draft.text, draft.speaker, draft.time, draft.key)

    @override
    def version(self, scope: Scope) -> LogVersion:
        scope = check_scope(scope)
        with self._lock:
            index = self._catch_up(scope)
            return LogVersion(index.epoch if index.count else 0, tuple(sorted(index.heads.items())))

    @override
    def save_compiled(self, scope: Scope, compiler: str, results: Mapping[str, bytes]) -> None:
        scope = check_scope(scope)
        with self._lock:
            index = self._catch_up(scope)
            if not results or not index.count:
                return
            items = [(_compiled_item(compiler, key), encode_bytes(payload)) for key, payload in results.items()]
            self._items.put(self._namespace(scope, "compiled"), items)
            writer, head = self._mine(index)
            self._commit(scope, index, writer, head._replace(compiled=head.compiled + 1))

    @override
    def load_compiled(self, scope: Scope, compiler: str, hashes: Iterable[str]) -> dict[str, bytes]:
        scope = check_scope(scope)
        keys = {_compiled_item(compiler, key): key for key in hashes}
        namespace = self._namespace(scope, "compiled")
        found: dict[str, bytes] = {}
        for item, value in self._items.get(namespace, keys).items():
            with taking_apart(namespace, item):
                found[keys[item]] = decode_bytes(value)
        return found

    @override
    def forget(self, scope: Scope) -> int:
        scope = check_scope(scope)
        with self._lock:
            count = self._count_for_forgetting(scope)
            mark_forgotten(self._items, self._prefix, scope)
            for kind in ("heads", "batches", "compiled"):
                self._items.delete_all(self._namespace(scope, kind))
            self._indexes.pop(scope, None)
            return count

    @override
    def close(self) -> None:
        """Do nothing: the store is the caller's."""

    def _count_for_forgetting(self, scope: Scope) -> int:
        try:
            return self._catch_up(scope).count
        except StoreError:
            # Damaged items can be deleted as well; a store that fails will fail to do that, too.
            logger.warning("a scope with damaged items is forgotten; how many records it had cannot be told")
            return 0

    def _write(self, scope: Scope, index: ScopeIndex, drafts: Sequence[Draft]) -> None:
        writer, head = self._mine(index)
        number, first = head.batches, index.count + 1
        taken = []
        for part in split(drafts):
            number += 1
            self._items.put(
                self._namespace(scope, "batches"), [(batch_item(writer, number), encode_batch(first, part))]
            )
            taken.append(((first, writer, number), [draft.key for draft in part]))
            first += len(part)
        # The head comes last: until it is there, nobody counts these batches, and the next append overwrites them.
        self._commit(scope, index, writer, head._replace(batches=number))
        for order, keys in taken:
            index.take(order, keys)

    def _commit(self, scope: Scope, index: ScopeIndex, writer: str, head: Head) -> None:
        self._items.put(self._namespace(scope, "heads"), [(writer, head._asdict())])
        index.heads[writer] = head

    def _mine(self, index: ScopeIndex) -> tuple[str, Head]:
        """Return this process' writer in a scope, a new one after the scope was forgotten."""
        process = f"{self._id}-{os.getpid()}"  # a forked child must not write as its parent
        mine = next(((writer, head) for writer, head in index.heads.items() if head.process == process), None)
        return mine or (uuid.uuid4().hex, Head(process, index.since))

    def _catch_up(self, scope: Scope) -> ScopeIndex:
        index = self._indexes[scope] = catch_up(self._items, self._prefix, scope, self._indexes.get(scope))
        self._indexes.move_to_end(scope)
        if len(self._indexes) > _MAX_SCOPES:
            self._indexes.popitem(last=False)
        return index

    def _namespace(self, scope: Scope, kind: str) -> tuple[str, ...]:
        return namespace_of(self._prefix, scope, kind)


def _compiled_item(compiler: str, key: str) -> str:
    return f"{label(compiler)}/{label(key)}"
