"""Either version's keywords are understood, the installed version's are passed on, and no other gets through."""

from __future__ import annotations

from typing import Any

import pytest
from mem0 import AsyncMemory, Memory, MemoryClient

from mem0_adapter.calls import Query, Spelling, check_memory
from memory_evidence.errors import ConfigError

modern, old = Spelling(True), Spelling(False)


def search_2(
    query: str, *, top_k: int = 20, filters: Any = None, show_expired: bool = False, **kwargs: Any
) -> None: ...


def search_1(
    query: str, *, user_id: Any = None, agent_id: Any = None, run_id: Any = None, limit: int = 100, filters: Any = None
) -> None: ...


METHOD = {True: search_2, False: search_1}


@pytest.mark.parametrize(
    "options",
    [
        {"user_id": "u", "limit": 3},
        {"user_id": "u", "top_k": 3},
        {"filters": {"user_id": "u"}, "top_k": 3},
        {"filters": {"user_id": "u"}, "user_id": "u", "limit": 3, "agent_id": None},
    ],
)
def test_both_spellings_of_a_call_become_the_installed_ones(options: dict[str, Any]) -> None:
    assert modern.query(search_2, options) == Query({"filters": {"user_id": "u"}, "top_k": 3}, {"user_id": "u"}, False)
    assert old.query(search_1, options) == Query({"user_id": "u", "limit": 3}, {"user_id": "u"}, False)


def test_metadata_filters_go_on_unchanged_and_count_as_conditions() -> None:
    wanted = {"user_id": "u", "session": {"gte": 4}, "OR": [{"a": 1}, {"b": 2}]}
    others = {"session": {"gte": 4}, "OR": [{"a": 1}, {"b": 2}]}
    assert modern.query(search_2, {"filters": wanted}).options == {"filters": wanted}
    assert old.query(search_1, {"filters": wanted}).options == {"user_id": "u", "filters": others}
    assert old.query(search_1, {"filters": wanted}).filters == wanted


@pytest.mark.parametrize("spelling", [modern, old])
def test_a_call_without_ids_stays_one_without_ids(spelling: Spelling) -> None:
    asked = spelling.query(METHOD[spelling.modern], {"limit": 2})
    assert not asked.filters
    assert "user_id" not in asked.options


@pytest.mark.parametrize("spelling", [modern, old])
def test_an_unknown_keyword_is_refused_with_the_known_ones(spelling: Spelling) -> None:
    with pytest.raises(ConfigError, match=r"keywords out of: .*filters.*limit.*top_k.*user_id.*got \['treshold'\]"):
        spelling.query(METHOD[spelling.modern], {"user_id": "u", "treshold": 0.3})


@pytest.mark.parametrize(
    "options",
    [
        {"user_id": "u", "limit": 3, "top_k": 4},
        {"user_id": "u", "filters": {"user_id": "v"}},
        {"user_id": "u", "filters": ["user_id"]},
    ],
)
def test_contradictions_are_refused(options: dict[str, Any]) -> None:
    for spelling in (modern, old):
        with pytest.raises(ConfigError):
            spelling.query(METHOD[spelling.modern], options)


def test_the_callers_options_are_left_as_they_are() -> None:
    filters = {"user_id": "u", "kind": "note"}
    options = {"filters": filters, "limit": 3}
    for spelling in (modern, old):
        spelling.query(METHOD[spelling.modern], options)
    assert options == {"filters": {"user_id": "u", "kind": "note"}, "limit": 3}


def test_ids_are_text_as_mem0_stores_them() -> None:
    assert modern.ids({"user_id": 7, "agent_id": " a ", "run_id": None}) == {"user_id": "7", "agent_id": "a"}
    assert old.ids({"user_id": 7, "agent_id": " a "}) == {"user_id": "7", "agent_id": " a "}
    assert old.with_ids({"user_id": 7, "infer": False}) == {"user_id": "7", "infer": False}


def test_the_installed_version_is_told_from_its_search() -> None:
    assert Spelling.of(Memory) == Spelling.of(AsyncMemory)


def test_only_a_memory_of_the_right_kind_is_wrapped(make: Any) -> None:
    memory, other = make(), make(asynchronous=True)
    check_memory(memory, asynchronous=False)
    check_memory(other, asynchronous=True)
    with pytest.raises(ConfigError, match="there is CableMemory"):
        check_memory(memory, asynchronous=True)
    with pytest.raises(ConfigError, match="there is AsyncCableMemory"):
        check_memory(other, asynchronous=False)
    for wrong in (object(), {}, object.__new__(MemoryClient)):
        with pytest.raises(ConfigError, match="no client of its platform"):
            check_memory(wrong, asynchronous=False)
