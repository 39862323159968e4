"""How a log is laid out in a LangGraph `BaseStore`: namespaces, items and the calls that read and write them.

```
(*prefix, *scope labels, "heads")     one item per writer: how many batches it has written, and how often compiled
(*prefix, *scope labels, "batches")   `WRITER-NUMBER`: a batch of records, written before the head that counts it
(*prefix, *scope labels, "compiled")  `COMPILER/HASH`: what a model made of a record
(*prefix, "forgotten")                by hash of the scope: a mark that its last forgetting left
```
"""

from __future__ import annotations

import base64
import hashlib
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from langgraph.store.base import BaseStore, GetOp, PutOp, SearchOp

from memory_evidence.errors import ConfigError, StoreError
from memory_evidence.records import Draft, Scope

Namespace = tuple[str, ...]

_PAGE = 1_000
_CHUNK = 500
"""Items asked for or put in one call: SQLite takes a limited number of parameters."""
_LONGEST_LABEL = 100
_UNSAFE = re.compile("[\0\ud800-\udfff]")


def label(part: str) -> str:
    """Return one part of a scope as a namespace label: ASCII letters, digits, `-` and `~` only.

    A store joins labels with `.` and some match them as patterns, so everything else is written as `~` and two hex
    digits a UTF-8 byte. Labels of different parts differ, also where a store compares without case only in patterns.
    Databases limit the length of a namespace: of a long part only the beginning is legible, and its SHA-256 follows.
    """
    raw = part.encode("utf-8", "surrogatepass")
    text = re.sub(rb"[^A-Za-z0-9-]", lambda match: b"~%02x" % match[0][0], raw).decode()
    if len(text) <= _LONGEST_LABEL:
        return text
    # "~~" occurs in no label of a short part.
    return f"{text[:30]}~~{hashlib.sha256(raw).hexdigest()}"


def check_namespace(value: object) -> Namespace:
    """Return `value` as the prefix of all namespaces of a log.

    Raises:
        ConfigError: A `BaseStore` would refuse it.
    """
    if (
        not isinstance(value, tuple)
        or not value
        or value[0] == "langgraph"
        or not all(isinstance(part, str) and part and "." not in part for part in value)
    ):
        need = 'a tuple of non-empty strings without "." that does not start with "langgraph"'
        raise ConfigError("namespace", value, need)
    return value


def namespace_of(prefix: Namespace, scope: Scope, kind: str) -> Namespace:
    """Return the namespace of one kind of items; `kind` ends it, so that ("a",) never holds what is in ("a", "b")."""
    return (*prefix, *map(label, scope), kind)


def encode_batch(first: int, drafts: Sequence[Draft]) -> dict[str, Any]:
    """Return records as the value of an item; `first` is the position that the writer counted for the first of them."""
    rows = [[_encode_text(text) for text in (draft.text, draft.speaker, draft.time, draft.key)] for draft in drafts]
    return {"first": first, "records": rows}


def decode_batch(value: dict[str, Any]) -> tuple[int, list[Draft]]:
    """Undo `encode_batch`."""
    first, rows = value["first"], value["records"]
    if not isinstance(first, int) or not isinstance(rows, list):
        raise TypeError("no batch of records")
    return first, [Draft(*map(_decode_text, row)) for row in rows]


def encode_bytes(payload: bytes) -> dict[str, Any]:
    """Return bytes as the value of an item."""
    return {"payload": base64.b64encode(payload).decode()}


def decode_bytes(value: dict[str, Any]) -> bytes:
    """Undo `encode_bytes`."""
    return base64.b64decode(value["payload"], validate=True)


@contextmanager
def taking_apart(namespace: Namespace, key: str) -> Iterator[None]:
    """Do something with the value of an item; what this package cannot have put there becomes `StoreError`."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        reason = f"item {key!r} in {namespace!r} is damaged ({type(error).__name__}); restore it, or forget the scope"
        raise StoreError("reading a log's item", reason) from error


class StoreItems:
    """Exact-namespace reads and writes on a store, one at a time; its errors become `StoreError`.

    Items are put without an expiry and without an index, whatever the store's defaults are.
    """

    def __init__(self, store: BaseStore, lock: threading.RLock) -> None:
        self._store = store
        self._lock = lock

    def get(self, namespace: Namespace, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return the values of those keys that exist."""
        found: dict[str, dict[str, Any]] = {}
        for chunk in _chunks(keys, _CHUNK):
            for item in self._batch("reading", [GetOp(namespace, key, refresh_ttl=False) for key in chunk]):
                if item is not None:
                    found[item.key] = item.value
        return found

    def put(self, namespace: Namespace, items: Iterable[tuple[str, dict[str, Any] | None]]) -> None:
        """Store values by key; None deletes."""
        for chunk in _chunks(items, _CHUNK):
            self._batch("writing", [PutOp(namespace, key, value, index=False) for key, value in chunk])

    def all(self, namespace: Namespace) -> dict[str, dict[str, Any]]:
        """Return everything in exactly this namespace."""
        found: dict[str, dict[str, Any]] = {}
        offset = 0
        while True:
            # A search goes by prefix, so that it finds longer namespaces too, and takes 10 items unless told.
            op = SearchOp(namespace, limit=_PAGE, offset=offset, refresh_ttl=False)
            page = self._batch("reading", [op])[0]
            found.update((item.key, item.value) for item in page if tuple(item.namespace) == namespace)
            if len(page) < _PAGE:
                return found
            offset += len(page)

    def delete_all(self, namespace: Namespace) -> None:
        """Delete everything in exactly this namespace."""
        # Pages shift when items go: again until a look over everything finds none.
        while keys := self.all(namespace):
            self.put(namespace, ((key, None) for key in keys))

    def _batch(self, operation: str, ops: list[Any]) -> list[Any]:
        try:
            # InMemoryStore iterates over dicts that other threads fill; all our calls on one store take turns.
            with self._lock:
                return self._store.batch(ops)
        except Exception as exc:
            raise StoreError(f"{operation} in {type(self._store).__name__}", f"{type(exc).__name__}: {exc}") from exc


def _encode_text(text: str | None) -> str | dict[str, str] | None:
    # jsonb takes no NUL, and nothing that writes JSON keeps a pair of lone surrogates apart from one emoji.
    if text is None or _UNSAFE.search(text) is None:
        return text
    return {"base64": base64.b64encode(text.encode("utf-8", "surrogatepass")).decode()}


def _decode_text(value: Any) -> Any:
    if isinstance(value, dict):
        return base64.b64decode(value["base64"], validate=True).decode("utf-8", "surrogatepass")
    return value


def _chunks(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    remaining = iter(items)
    while chunk := list(islice(remaining, size)):
        yield chunk
