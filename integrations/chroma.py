"""CABLE for a plain Chroma collection: the same calls and results, with linked records inside `n_results`.

```python
memories = CableCollection(collection, store="sqlite:///links.db", model=model)
memories.add(ids=["1"], documents=["The new manager shouted at everybody."])
memories.query(query_texts=["Why did Emma resign?"], n_results=10)
```
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import Unpack

from integrations._chroma_host import ChromaHost, both
from integrations._chroma_reads import CollectionReads
from memory_evidence.cable.cable import Cable, CableSettings
from memory_evidence.cable.evidence import Expansion
from memory_evidence.cable.wrapper import check_unwrapped
from memory_evidence.errors import ConfigError, HostError, ScopeError
from memory_evidence.models import ChatModel
from memory_evidence.records import Scope, check_scope

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore

__all__ = ["CableCollection"]

logger = logging.getLogger(__name__)


class CableCollection(CollectionReads):
    """A Chroma collection whose `query` also finds what is linked to its hits; documents are the memories.

    Results have Chroma's nested shape and one key more, `cable`: for each query and entry how it came in and what
    superseded it, as `memory_evidence.cable.evidence.provenance` gives it; None for an entry of the collection's own
    that stands. Records without a document are returned as ever, and never linked. Queries by image or URI are the
    collection's own.
    """

    def __init__(
        self,
        collection: Any,
        *,
        scope: Sequence[str] | None = None,
        where: Mapping[str, Any] | None = None,
        store: str | LinkStore = "sqlite:///memory.db",
        model: ChatModel | Literal["rules"] | None = None,
        replace: int = 5,
        **settings: Unpack[CableSettings],
    ) -> None:
        """Extend `collection`; it stays usable as it is, and no second client is opened.

        Args:
            collection: A `chromadb.Collection` of a synchronous client.
            scope: Whose records these are, where a collection holds those of several users; give `where` with it.
            where: Only records that match are read, linked, returned, counted or deleted. Writing does not add it to
                the metadata.
            store: Where links are kept: a URL, or what `open_links` returned.
            model: Judges the links. None or "rules": rules alone, which link less.
            replace: Entries of a query, at least 0, whose places linked records may take.
            **settings: As for `Cable`.

        Raises:
            ConfigError: An argument is wrong.
            StoreError: The links cannot be opened.
        """
        check_unwrapped("collection", collection)
        if not hasattr(collection, "query") or inspect.iscoroutinefunction(collection.query):
            raise ConfigError("collection", type(collection).__name__, "a chromadb Collection of a synchronous client")
        own: Scope = ("chroma", str(collection.id), *(check_scope(scope) if scope is not None else ()))
        records = ChromaHost(collection, own, where=where)

        def open_host(asked: Scope) -> ChromaHost:
            if asked != own:
                raise ScopeError(asked, f"the scope of this collection, {own!r}")
            return records

        judge = None if model == "rules" else model
        cable = Cable(open_host, store=store, model=judge, replace=replace, **settings)
        super().__init__(collection, records, where, cable, settings.get("on_error", "raise"))

    def add(self, ids: Any, *args: Any, **fields: Any) -> None:
        """`Collection.add`; the new documents are linked."""
        self._wrapped.add(ids, *args, **fields)
        self._written([ids] if isinstance(ids, str) else list(ids))

    async def aadd(self, ids: Any, *args: Any, **fields: Any) -> None:
        """`add` in a thread."""
        await self._cable.in_thread(self.add, ids, *args, **fields)

    def upsert(self, ids: Any, *args: Any, **fields: Any) -> None:
        """`Collection.upsert`; new and changed documents are linked, and old links of changed ones are stale."""
        self._wrapped.upsert(ids, *args, **fields)
        self._written([ids] if isinstance(ids, str) else list(ids))

    async def aupsert(self, ids: Any, *args: Any, **fields: Any) -> None:
        """`upsert` in a thread."""
        await self._cable.in_thread(self.upsert, ids, *args, **fields)

    def update(self, ids: Any, *args: Any, **fields: Any) -> None:
        """`Collection.update`; changed documents are linked anew, and their old links are stale."""
        self._wrapped.update(ids, *args, **fields)
        self._written([ids] if isinstance(ids, str) else list(ids))

    async def aupdate(self, ids: Any, *args: Any, **fields: Any) -> None:
        """`update` in a thread."""
        await self._cable.in_thread(self.update, ids, *args, **fields)

    def delete(self, ids: Any = None, where: Any = None, where_document: Any = None, *args: Any, **options: Any) -> Any:
        """`Collection.delete`; links of what is deleted go with it.

        Raises:
            HostError: It was deleted, but which records those were could not be read, and `on_error` is "raise".
                Chroma's own errors come through.
        """
        if ids is None and where is None and where_document is None:
            return self._wrapped.delete(None, None, None, *args, **options)  # refused: what to delete is not said
        where = both(self._where, where)
        meant, failure = self._ids(ids=ids, where=where, where_document=where_document)
        result = self._wrapped.delete(ids, where, where_document, *args, **options)
        left: set[str] = set()
        if meant:
            left, failure = self._ids(ids=list(meant))
        if failure is None:
            self._cable.deleted(self.scope, list(meant - left))
        elif self._on_error == "raise":
            raise failure
        else:
            logger.warning("links of deleted records stay; they are not shown: %s", failure)
        return result

    async def adelete(
        self, ids: Any = None, where: Any = None, where_document: Any = None, *args: Any, **options: Any
    ) -> Any:
        """`delete` in a thread."""
        return await asyncio.to_thread(self.delete, ids, where, where_document, *args, **options)

    async def aget(self, ids: Any = None, where: Any = None, *args: Any, **options: Any) -> Any:
        """`get` in a thread."""
        return await asyncio.to_thread(self.get, ids, where, *args, **options)

    async def apeek(self, limit: int = 10) -> Any:
        """`peek` in a thread."""
        return await asyncio.to_thread(self.peek, limit)

    async def acount(self, *args: Any, **options: Any) -> int:
        """`count` in a thread."""
        return await asyncio.to_thread(self.count, *args, **options)

    async def aquery(
        self,
        query_embeddings: Any = None,
        query_texts: Any = None,
        *args: Any,
        replace: int | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """`query` in a thread."""
        return await asyncio.to_thread(self.query, query_embeddings, query_texts, *args, replace=replace, **options)

    async def aexplain(
        self, query: str, n_results: int = 10, *, replace: int | None = None, **options: Any
    ) -> Expansion:
        """`explain` in a thread."""
        return await asyncio.to_thread(self.explain, query, n_results, replace=replace, **options)

    def _ids(self, **asked: Any) -> tuple[set[str], HostError | None]:
        """Return the ids of the records that are asked for, or none and why they cannot be read."""
        try:
            return set(self._wrapped.get(**asked, include=[])["ids"]), None
        except Exception as error:  # noqa: BLE001 - Chroma may raise anything, and its own call is still to come
            failure = HostError("look-up of what is deleted", f"{type(error).__name__}: {error}")
            failure.__cause__ = error
            return set(), failure
