"""How a wrapped Chroma collection is read: its own calls, within the wrapper's filter and with linked records."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from integrations._chroma_host import ChromaHost, QueryHost, both
from integrations._chroma_queries import query_texts_of, with_linked
from memory_evidence.cable.cable import Cable, OnError
from memory_evidence.cable.evidence import Expansion
from memory_evidence.cable.host import FloatArray
from memory_evidence.cable.wrapper import CableWrapper

__all__ = ["CollectionReads"]

_INCLUDE = ["metadatas", "documents", "distances"]
_UNEXPANDED = ("query_images", "query_uris")


class CollectionReads(CableWrapper):
    """The reading calls of `CableCollection`."""

    def __init__(
        self, collection: Any, records: ChromaHost, where: Mapping[str, Any] | None, cable: Cable, on_error: OnError
    ) -> None:
        super().__init__(collection, records, cable, on_error)
        self._records, self._where = records, where

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

    def explain(self, query: str, n_results: int = 10, *, replace: int | None = None, **options: Any) -> Expansion:
        """Return how `query` chose its entries for one text: seeds, links, scores, and what was replaced and why."""
        options["where"] = both(self._where, options.get("where"))
        return self._expanded([query], self._vectors([query], None), n_results, (), replace, options)[2][0]

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
