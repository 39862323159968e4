"""A model made of a function: what it is asked, what it may answer, and what becomes of its errors."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from pydantic import BaseModel

from memory_evidence.errors import ModelError
from memory_evidence.function_model import FunctionModel
from memory_evidence.models import Ask, ChatModel, Completion, Message, run

ASKED = [Message("system", "Answer."), Message("user", "2 + 2?")]


class Out(BaseModel):
    value: int


def test_the_function_gets_all_that_is_asked_and_its_text_is_the_answer() -> None:
    seen: list[Any] = []
    model = FunctionModel("a model", lambda *asked: seen.append(asked) or "4")
    assert isinstance(model, ChatModel)
    assert model.complete(ASKED, schema=Out, temperature=0.3, max_tokens=7) == Completion("4")
    assert seen == [(ASKED, Out, 0.3, 7)]


def test_the_async_twin_asks_in_another_thread() -> None:
    threads: list[int] = []
    model = FunctionModel("a model", lambda *asked: threads.append(threading.get_ident()) or "4")
    assert asyncio.run(model.acomplete(ASKED)) == Completion("4")
    assert threads != [threading.get_ident()]


def test_whatever_it_raises_is_a_failed_call_worth_repeating() -> None:
    def broken(*asked: Any) -> str:
        raise ConnectionError("refused")

    with pytest.raises(ModelError, match=r"call of a model failed: ConnectionError: refused") as failed:
        FunctionModel("a model", broken).complete(ASKED)
    assert failed.value.retryable
    assert isinstance(failed.value.__cause__, ConnectionError)


@pytest.mark.parametrize("answer", [None, 4, b"4", {"value": 4}])
def test_an_answer_that_is_no_text_is_a_failed_call_not_worth_repeating(answer: Any) -> None:
    with pytest.raises(ModelError, match="not text") as failed:
        FunctionModel("a model", lambda *asked: answer).complete(ASKED)
    assert not failed.value.retryable


def test_an_assertion_in_the_function_comes_through() -> None:
    def asserting(*asked: Any) -> str:
        raise AssertionError("not like this")

    with pytest.raises(AssertionError, match="not like this"):
        FunctionModel("a model", asserting).complete(ASKED)


def test_it_drives_steps_like_any_model() -> None:
    def steps() -> Any:
        (answer,) = yield [Ask("sum", tuple(ASKED), Out)]
        return answer

    assert run(steps(), FunctionModel("a model", lambda *asked: 'It is {"value": 4}.')) == Out(value=4)
