"""Errors: each says what was needed, what came and what to do, is its builtin, and survives a process pool."""

from __future__ import annotations

import copy
import pickle

import pytest

from memory_evidence import errors
from memory_evidence.errors import (
    ConfigError,
    HostError,
    InputError,
    MemoryEvidenceError,
    MissingExtraError,
    ModelError,
    ModelOutputError,
    ScopeError,
    StoreError,
    StoreSchemaError,
)

EXAMPLES = [
    (MemoryEvidenceError("x"), Exception, "x"),
    (ConfigError("hops", 0, "at least 1"), ValueError, "`hops` must be at least 1; got 0"),
    (ScopeError(""), ConfigError, '`scope` must be a tuple of non-empty strings such as ("tenant", "user"); got \'\''),
    (InputError("the question", 5, "a string"), ValueError, "the question must be a string; got 5"),
    (
        MissingExtraError("langgraph"),
        ImportError,
        'this module needs the extra `langgraph`; install it with: pip install "memory-evidence[langgraph]"',
    ),
    (StoreError("append", "disk full"), RuntimeError, "store: append failed: disk full"),
    (StoreSchemaError("open", "not ours"), StoreError, "store: open failed: not ours"),
    (ModelError("complete", "timed out"), RuntimeError, "model: complete failed: timed out"),
    (
        ModelOutputError("read answer", "no JSON found", "Sorry."),
        ModelError,
        "model: read answer failed: no JSON found",
    ),
    (HostError("search", "gone"), RuntimeError, "search failed: gone"),
]


def test_every_error_has_an_example_here() -> None:
    kinds = {kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)}
    assert {type(error) for error, *_ in EXAMPLES} == kinds


@pytest.mark.parametrize(("error", "builtin", "message"), EXAMPLES)
def test_an_error_is_ours_and_its_builtin_and_says_what_to_do(
    error: MemoryEvidenceError, builtin: type[Exception], message: str
) -> None:
    assert isinstance(error, MemoryEvidenceError)
    assert isinstance(error, builtin)
    assert str(error) == message


@pytest.mark.parametrize("error", [error for error, *_ in EXAMPLES])
@pytest.mark.parametrize("how", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy, copy.deepcopy])
def test_an_error_survives_being_sent_to_another_process(error: MemoryEvidenceError, how: object) -> None:
    again = how(error)  # type: ignore[operator]
    assert type(again) is type(error)
    assert (str(again), again.args, vars(again)) == (str(error), error.args, vars(error))


def test_a_model_error_says_whether_to_ask_again() -> None:
    assert ModelError("complete", "timed out").retryable
    refused = ModelError("complete", "no such model", False)
    assert not refused.retryable
    assert not pickle.loads(pickle.dumps(refused)).retryable
    assert not ModelOutputError("read answer", "no JSON found", "Sorry.").retryable


def test_an_unreadable_answer_is_kept() -> None:
    assert ModelOutputError("read answer", "no JSON found", "Sorry.").raw == "Sorry."


@pytest.mark.parametrize("got", ["x" * 10_000_000, ["x" * 1_000] * 1_000, "\ud800" * 500])
def test_a_huge_value_is_cut_in_the_message(got: object) -> None:
    assert len(str(ConfigError("store", got, "short"))) < 1_000
