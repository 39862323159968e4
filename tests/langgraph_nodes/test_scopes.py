from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from langgraph.runtime import Runtime
from pydantic import BaseModel

from langgraph_nodes import ContractMemoryNode
from langgraph_nodes.scopes import Call, MemorySource, check_spec, resolve_scope
from memory_evidence.cmc import ContractMemory, MemoryPool
from memory_evidence.errors import ConfigError, ScopeError
from memory_evidence.store import open_log


@dataclass
class Context:
    user_id: Any = "ann"


class Model(BaseModel):
    user_id: str = "ann"


def call(context: Any = None, **configurable: Any) -> Call:
    return Call({"messages": []}, Runtime(context=context), {"configurable": configurable})


@pytest.mark.parametrize(
    "given",
    [
        call(user_id="ann"),
        call(Context()),
        call(Model()),
        call({"user_id": "ann"}),
        call(Context(), user_id="ann"),
        call(Context(None), user_id="ann"),
        Call([], None, {"configurable": {"user_id": "ann"}}),
    ],
)
def test_placeholder_is_filled_from_context_or_config(given: Call) -> None:
    assert resolve_scope(("mem", "{user_id}"), given) == ("mem", "ann")


@pytest.mark.parametrize(("value", "part"), [(7, "7"), (UUID(int=1), str(UUID(int=1))), ("a.b@c", "a.b@c")])
def test_numbers_and_uuids_become_their_text(value: Any, part: str) -> None:
    assert resolve_scope(("{id}",), call(id=value)) == (part,)


@pytest.mark.parametrize(
    "given", [call(), call(Context(None)), call({}), Call([], None, {}), Call([], None, {"configurable": None})]
)
def test_missing_value_is_an_error_that_says_what_and_where(given: Call) -> None:
    with pytest.raises(ScopeError) as error:
        resolve_scope(("mem", "{user_id}"), given)
    for word in ("{user_id}", "runtime context", 'config["configurable"]'):
        assert word in str(error.value)


@pytest.mark.parametrize("value", ["", "  ", True, 1.5, ["ann"], {"a": 1}, object(), Context])
def test_value_that_names_nobody_is_an_error(value: Any) -> None:
    with pytest.raises(ScopeError):
        resolve_scope(("{user_id}",), call(user_id=value))


def test_two_values_that_differ_are_an_error() -> None:
    with pytest.raises(ScopeError, match="differently"):
        resolve_scope(("{user_id}",), call(Context("ann"), user_id="bob"))


def test_value_is_not_a_template() -> None:
    assert resolve_scope(("{a}", "{b}"), call(a="{b}", b="{a.__class__}")) == ("{b}", "{a.__class__}")


def test_attributes_that_are_not_data_name_nobody() -> None:
    with pytest.raises(ScopeError):
        resolve_scope(("{__class__}",), call(Context()))


@pytest.mark.parametrize(
    "part", ["{}", "{0}", "user-{user_id}", "{user_id}{b}", "{a.b}", "{a!r}", "{a:>3}", "{{a}}", "{", "a}", "{a}\n"]
)
def test_part_that_would_be_one_scope_for_everyone_is_refused_at_once(part: str) -> None:
    with pytest.raises(ScopeError, match="braces"):
        check_spec(("mem", part))


@pytest.mark.parametrize("spec", [(), "{user_id}", ("",), ("mem", " "), (1,)])
def test_malformed_scope_is_refused_at_once(spec: Any) -> None:
    with pytest.raises(ScopeError):
        ContractMemoryNode(MemoryPool("sqlite://"), scope=spec)


def test_function_gets_state_and_runtime() -> None:
    given = call(Context("ann"))
    assert resolve_scope(lambda state, runtime: (runtime.context.user_id, *state), given) == ("ann", "messages")


@pytest.mark.parametrize("result", [None, "ann", (), ("ann", ""), (None,)])
def test_function_that_returns_no_scope_is_an_error(result: Any) -> None:
    with pytest.raises(ScopeError):
        resolve_scope(lambda state, runtime: result, call())


def test_thread_is_a_scope_only_where_it_is_asked_for() -> None:
    assert resolve_scope(("{thread_id}",), call(thread_id="t1")) == ("t1",)
    with pytest.raises(ScopeError):
        resolve_scope(("{user_id}",), call(thread_id="t1"))


def test_one_memory_has_its_own_scope() -> None:
    with ContractMemory(("ann",), store="sqlite://") as memory:
        assert MemorySource(memory, None).locate(call())() is memory
        with pytest.raises(ConfigError, match="has its own"):
            MemorySource(memory, ("bob",))


def test_pool_and_store_need_a_scope() -> None:
    log = open_log("sqlite://")
    for memory in (MemoryPool(log), None):
        with pytest.raises(ScopeError):
            MemorySource(memory, None)
    log.close()


def test_something_else_is_no_memory() -> None:
    with pytest.raises(ConfigError, match="memory"):
        MemorySource("sqlite://", ("ann",))  # type: ignore[arg-type]


def test_without_memory_and_store_it_says_what_to_do() -> None:
    with pytest.raises(ConfigError, match="compiled with a store"):
        MemorySource(None, ("ann",)).locate(call())
