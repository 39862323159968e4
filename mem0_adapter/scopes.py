"""Whose memory: mem0's ids as scopes of links, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_evidence.errors import ScopeError
from memory_evidence.records import Scope

__all__ = ["IDS", "filters_of", "scope_of"]

IDS = ("user_id", "agent_id", "run_id")
"""mem0's ids, the widest first."""

_HOST = "mem0"


def scope_of(collection: str, holder: Mapping[str, Any]) -> Scope | None:
    """Return whose memory this is: the user's, else the agent's, else the run's; None where it is nobody's.

    Links so cross the sessions of one user, which is where antecedents lie, and never reach another user.

    Args:
        collection: Name of mem0's collection: two collections share no link.
        holder: A payload or search result, with mem0's ids among its keys.
    """
    for key in IDS:
        value = holder.get(key)
        if value is None or value == "":
            continue
        # Where mem0 searches, "*" stands for everybody: nobody's memory may be linked in that name.
        return (_HOST, collection, key, value) if isinstance(value, str) and value.strip() and value != "*" else None
    return None


def filters_of(collection: str, scope: Scope) -> dict[str, str]:
    """Return the filter that finds the memories of a scope.

    Raises:
        ScopeError: It is not a scope of this collection.
    """
    if len(scope) != 4 or scope[2] not in IDS or scope != scope_of(collection, {scope[2]: scope[3]}):
        raise ScopeError(scope, f'of this mem0 collection, such as ("{_HOST}", "{collection}", "user_id", "u1")')
    return {scope[2]: scope[3]}
