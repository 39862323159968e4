"""Whose memory it is: exact, never joined, never everybody's."""

from __future__ import annotations

from typing import Any

import pytest

from mem0_adapter.scopes import Collection, filters_of, scope_of
from memory_evidence.errors import ScopeError

HERE = Collection("c", "p")


def test_a_memory_belongs_to_its_user_across_agents_and_sessions() -> None:
    for holder in ({}, {"agent_id": "a"}, {"run_id": "r", "agent_id": "a"}):
        assert scope_of(HERE, {"user_id": "ann", **holder}) == ("mem0", "c", "p", "user_id", "ann")
    assert scope_of(HERE, {"agent_id": "a", "run_id": "r"}) == ("mem0", "c", "p", "agent_id", "a")
    assert scope_of(HERE, {"run_id": "r", "user_id": None}) == ("mem0", "c", "p", "run_id", "r")


@pytest.mark.parametrize(
    "holder", [{}, {"user_id": "*"}, {"user_id": "*", "run_id": "r"}, {"user_id": " "}, {"user_id": 7}]
)
def test_nobodys_and_everybodys_memories_have_no_scope(holder: dict[str, Any]) -> None:
    assert scope_of(HERE, holder) is None


def test_a_scope_leads_back_to_its_filter_and_no_other() -> None:
    for name in ("ann", "O'Brien", "a.b", "50%", "a_b", "user_id"):
        assert filters_of(HERE, ("mem0", "c", "p", "user_id", name)) == {"user_id": name}


@pytest.mark.parametrize(
    "scope",
    [
        ("mem0", "other", "p", "user_id", "ann"),
        ("mem0", "c", "elsewhere", "user_id", "ann"),
        ("mem0", "c", "user_id", "ann"),
        ("chroma", "c", "p", "user_id", "ann"),
        ("mem0", "c", "p", "name", "ann"),
        ("mem0", "c", "p", "user_id", "*"),
        ("mem0", "c", "p", "user_id"),
        ("mem0", "c", "p", "user_id", "ann", "x"),
        ("ann",),
    ],
)
def test_a_scope_of_another_host_or_collection_is_refused(scope: tuple[str, ...]) -> None:
    with pytest.raises(ScopeError):
        filters_of(HERE, scope)
