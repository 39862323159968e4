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

import numpy as np
from typing_extensions import Unpack

from integrations._chroma_host import ChromaHost, QueryHost, both
from integrations._chroma_queries import query_texts_of, with_linked
from memory_evidence.cable.cable import Cable, CableSettings
from memory_evidence.cable.evidence import Expansion
from memory_evidence.cable.host import FloatArray
from memory_evidence.cable.wrapper import CableWrapper, check_unwrapped
from memory_evidence.errors import ConfigError, HostError, ScopeError
from memory_evidence.models import ChatModel
from memory_evidence.records import Scope, check_scope

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore

__all__ = ["CableCollection"]

logger = logging.getLogger(__name__)

_INCLUDE = ["metadatas", "documents", "distances"]
_UNEXPANDED = ("query_images", "query_uris")


class CableCollection(CableWrapper):
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
        self._where = where
        self._records = ChromaHost(collection, own, where=where)

        def open_host(asked: Scope) -> ChromaHost:
            if asked != own:
                raise ScopeError(asked, f"the scope of this collection, {own!r}")
            return self._records

        judge = None if model == "rules" else model
        cable = Cable(open_host, store=store, model=judge, replace=replace, **settings)
        super().__init__(collection, self._records, cable, settings.get("on_error", "raise"))

    def add(self, ids: Any, *args: Any, **fields: Any) -> None:
        """`Collection.add`; the new documents are linked."""
        self._wrapped.add(ids, *args, **fields)
        self._written([ids] if isinstance(ids, str) else list(ids))

    def upsert(self, ids: Any, *args: Any, **fields: Any) -> None:
        """`Collection.upsert`; new and changed documents are linked, and old links of changed ones are stale."""
        self._wrapped.upsert(ids, *args, **fields)
        self._written([ids] if isinstance(ids, str) else list(ids))

    def update(self, ids: Any, *args: Any, **fields: Any) -> None:
        """`Collection.update`; changed documents are linked anew, and their old links are stale."""
        self._wrapped.update(ids, *args, **fields)
        self._written([ids] if isinstance(ids, str) else list(ids))

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

    def get(self, ids: Any = None, where: Any = None, *args: Any, **options: Any) -> Any:
        """`Collection.get` of the records that match this wrapper's own `where`, too."""
        return self._wrapped.get(ids, both(self._where, where), *args, **options)

    def peek(self, limit: int = 10) -> Any:
        """`Collection.peek` of the records that match this wrapper's own `where`."""
        return self._wrapped.peek(limit) if self._where is None else self.get(limit=limit)

    def count(self, *args: Any, **options: Any) -> int:
        """Return how many records match this wrapper's own `where`."""
        return int(self._wrapped.count(*args, **options)) if self._where is None else len(self.get(include=[])["ids"])

    def query(
        self,
        query_embeddings: Any = None,
        query_texts: Any = None,
        *args: Any,
        replace: int | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """`Collection.query`, up to `replace` of the last entries of each query exchanged for linked records.

        Linked records satisfy the same filters, and their distances are those that Chroma would have given.

        Args:
            query_embeddings: One vector or a list of them, as for Chroma; or
            query_texts: One text or a list of them, which the collection embeds.
            *args: Chroma's further parameters, in its order.
            replace: Another number than the wrapper's own; 0 gives the collection's own result.
            **options: Chroma's `n_results`, `include`, `ids`, `where` and `where_document`; `query_images` and
                `query_uris`.

        Raises:
            HostError: Reading linked records failed, and `on_error` is "raise". Chroma's own errors come through.
        """
        named = dict(list(inspect.signature(self._wrapped.query).bind_partial(None, None, *args).arguments.items())[2:])
        if named.keys() & options.keys():
            self._wrapped.query(query_embeddings, query_texts, *args, **options)  # refused: it is given twice
        options |= named
        n_results, include = options.pop("n_results", 10), options.pop("include", _INCLUDE)
        filters = {name: options.pop(name, None) for name in ("ids", "where", "where_document")}
        filters["where"] = both(self._where, filters["where"])
        # What is given as None is not given; what Chroma does not know, it is to refuse.
        others = {name: value for name, value in options.items() if value is not None or name not in _UNEXPANDED}
        texts = query_texts_of(query_texts, query_embeddings)
        if texts is None or others or not isinstance(include, list):
            others |= {"query_embeddings": query_embeddings, "query_texts": query_texts, **filters}
            plain = dict(self._wrapped.query(**others, n_results=n_results, include=include))
            return {**plain, "cable": [[None] * len(found) for found in plain["ids"]]}
        vectors = self._vectors(texts, query_embeddings)
        return with_linked(*self._expanded(texts, vectors, n_results, include, replace, filters), include)

    async def aquery(
        self, query_embeddings: Any = None, query_texts: Any = None, *args: Any, **options: Any
    ) -> dict[str, Any]:
        """`query` in a thread."""
        return await asyncio.to_thread(self.query, query_embeddings, query_texts, *args, **options)

    def explain(self, query: str, n_results: int = 10, *, replace: int | None = None, **options: Any) -> Expansion:
        """Return how `query` chose its entries for one text: seeds, links, scores, and what was replaced and why."""
        options["where"] = both(self._where, options.get("where"))
        return self._expanded([query], self._vectors([query], None), n_results, (), replace, options)[2][0]

    def _ids(self, **asked: Any) -> tuple[set[str], HostError | None]:
        """Return the ids of the records that are asked for, or none and why they cannot be read."""
        try:
            return set(self._wrapped.get(**asked, include=[])["ids"]), None
        except Exception as error:  # noqa: BLE001 - Chroma may raise anything, and its own call is still to come
            failure = HostError("look-up of what is deleted", f"{type(error).__name__}: {error}")
            failure.__cause__ = error
            return set(), failure

    def _vectors(self, texts: Sequence[str], embeddings: Any) -> FloatArray:
        if embeddings is None:
            return self._records.embed(texts)
        return np.asarray(embeddings, dtype=np.float32).reshape(len(texts), -1)

    def _expanded(
        self,
        texts: Sequence[str],
        vectors: FloatArray,
        n_results: int,
        include: Sequence[str],
        replace: int | None,
        filters: dict[str, Any],
    ) -> tuple[dict[str, Any], list[QueryHost], list[Expansion]]:
        columns = list(dict.fromkeys((*include, "documents", "distances", "embeddings")))
        result = self._wrapped.query(query_embeddings=vectors, n_results=n_results, include=columns, **filters)
        wanted = [name for name in include if name != "distances"]
        hosts, expansions = [], []
        for row, (text, vector) in enumerate(zip(texts, vectors, strict=True)):
            near = dict(zip(result["ids"][row], result["embeddings"][row], strict=True))
            host = QueryHost(self._records, text, vector, near, wanted, **filters)
            hits = host.hits(result, row)
            expansions.append(self._cable.expand(host, text, hits, limit=n_results, replace=replace))
            hosts.append(host)
        return result, hosts, expansions
