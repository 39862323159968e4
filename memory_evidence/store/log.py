"""What the engines need of a place to keep records: an append-only log per scope, and what was compiled from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory_evidence.records import Draft, Record, Scope


@dataclass(frozen=True, slots=True)
class LogVersion:
    """How far a scope has come; two equal versions mean that nothing changed in between."""

    epoch: int
    """Changes when the scope is forgotten and filled again: positions start anew, so whatever was read is void.

    0 while the scope holds nothing.
    """
    token: object
    """Changes, within an epoch, with every new record and every saved result; only equality means anything."""


class Log(Protocol):
    """A durable, append-only log of records per scope, plus a cache of compiled results per record hash.

    All methods are safe to call from several threads.
    """

    def append(self, scope: Scope, drafts: Sequence[Draft]) -> list[int]:
        """Store all drafts or none and return their positions, in the order given.

        Positions of a scope start at 1 and have no gaps or duplicates, whoever else writes. A draft whose key the
        scope already holds (or an earlier draft of this call) is not stored again: its position is the one it has.
        """
        ...

    def records(self, scope: Scope, after: int = 0) -> Iterator[Record]:
        """Yield the scope's records with position > `after`, in order, without holding all in memory.

        May include records that are appended while it is read.
        """
        ...

    def version(self, scope: Scope) -> LogVersion:
        """Return, cheaply, what differs whenever records or compiled results of the scope may have changed."""
        ...

    def save_compiled(self, scope: Scope, compiler: str, results: Mapping[str, bytes]) -> None:
        """Keep `results` (by record hash) of `compiler`; an existing result is replaced.

        Keeps nothing for a scope without records: it may have been forgotten while a model was still reading it.
        """
        ...

    def load_compiled(self, scope: Scope, compiler: str, hashes: Iterable[str]) -> dict[str, bytes]:
        """Return the kept results among `hashes`."""
        ...

    def forget(self, scope: Scope) -> int:
        """Delete everything of exactly this scope and return how many records there were."""
        ...

    def close(self) -> None:
        """Release connections; the log may not be used afterwards."""
        ...
