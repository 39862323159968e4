"""Whose memory: mem0's ids as scopes of links, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from memory_evidence.errors import ScopeError
from memory_evidence.records import Scope

__all__ = ["IDS", "Collection", "filters_of", "is_like", "scope_of"]

IDS = ("user_id", "agent_id", "run_id")
"""mem0's ids, the widest first."""

_HOST = "mem0"


class Collection(NamedTuple):
    """Which of all collections of mem0 this is."""

    name: str
    """As in mem0's settings, where it is "mem0" unless told otherwise."""
    place: str
    """What tells its vector store from others, as `mem0_adapter.places` makes it."""


def scope_of(collection: Collection, holder: Mapping[str, Any]) -> Scope | None:
    """Return whose memory this is: the user's, else the agent's, else the run's; None where it is nobody's.

    Links so cross the sessions of one user, which is where antecedents lie, and never reach another user.

    Args:
        collection: Two collections share no link, nor do two vector stores.
        holder: A payload or search result, with mem0's ids among its keys.
    """
    for key in IDS:
        value = holder.get(key)
        if value is None or value == "":
            continue
        # Where mem0 searches, "*" stands for everybody: nobody's memory may be linked in that name.
        return (_HOST, *collection, key, value) if isinstance(value, str) and value.strip() and value != "*" else None
    return None


def filters_of(collection: Collection, scope: Scope) -> dict[str, str]:
    """Return the filter that finds the memories of a scope.

    Raises:
        ScopeError: It is not a scope of this collection.
    """
    *_, key, value = scope if len(scope) == 5 else ("", "")
    if key not in IDS or scope != scope_of(collection, {key: value}):
        raise ScopeError(scope, f"of this mem0 collection, such as {(_HOST, *collection, 'user_id', 'u1')!r}")
    return {key: value}


def is_like(other: Scope, scope: Scope) -> bool:
    """Whether `other` is the same user's, in a collection of the same name, of another vector store.

    So it is after a store has moved, and in link stores from before scopes named the place (four parts).
    """
    return other != scope and len(other) in (4, 5) and other[:2] == scope[:2] and other[-2:] == scope[-2:]
