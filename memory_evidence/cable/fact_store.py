"""What the memories of each scope state, and which of it later ones superseded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memory_evidence.cable.queue_store import QueueStore, find_scope
from memory_evidence.records import Scope, check_scope
from memory_evidence.store.fact_rows import note_facts, outdated, unread_nodes
from memory_evidence.store.stated import Outdated, Statements


class FactStore(QueueStore):
    """What memories state, kept while they are linked; a part of `LinkStore`."""

    def outdated(self, scope: Scope, ids: Sequence[str]) -> list[Outdated]:
        """Return which statements of the memories `ids` later memories of the scope superseded.

        By the order of writing, in which a change of a text counts as written when it was changed; by the texts that
        were linked, which the host may no longer have.
        """
        scope = check_scope(scope)
        if not ids:
            return []
        with self._read("read facts") as connection:
            return outdated(connection, scope, ids)

    def unread(self, scope: Scope, ids: Iterable[str]) -> set[str]:
        """Return those of `ids` that an earlier release linked without reading what they state."""
        scope = check_scope(scope)
        with self._read("look up memories") as connection:
            scope_id = find_scope(connection, scope)
            return set() if scope_id is None else unread_nodes(connection, scope_id, ids)

    def note_statements(self, scope: Scope, read: Mapping[str, tuple[str, Statements]]) -> int:
        """Keep what linked memories state, by id with the hash of the text that was read.

        Returns:
            How many were kept: those that are known with this text.
        """
        scope = check_scope(scope)
        if not read:
            return 0
        with self._write("note facts") as connection:
            scope_id = find_scope(connection, scope, lock=True)
            return 0 if scope_id is None else note_facts(connection, scope_id, read)
