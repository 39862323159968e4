import asyncio
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import BaseModel

from memory_evidence.errors import MemoryEvidenceError, ModelError
from memory_evidence.models import Ask, ChatModel, Completion, Message, Steps, arun, run
from memory_evidence.testing import Call, ScriptedModel, ScriptEndedError

HELLO = [Message("system", "Be brief."), Message("user", "Hello?")]


class City(BaseModel):
    city: str


async def test_replies_come_in_order_whatever_their_kind() -> None:
    busy = ModelError("call of x", "busy")
    model = ScriptedModel(["one", Completion("two", 3, 4), busy, lambda messages: messages[-1].content.upper()])
    assert isinstance(model, ChatModel)
    assert model.complete(HELLO) == Completion("one")
    assert await model.acomplete(HELLO) == Completion("two", 3, 4)
    with pytest.raises(ModelError) as caught:
        model.complete(HELLO)
    assert caught.value is busy
    assert (await model.acomplete(HELLO)).text == "HELLO?"


def test_calls_are_kept_as_they_were_made() -> None:
    model = ScriptedModel(["one", "two"])
    asked = list(HELLO)
    model.complete(asked, schema=City, temperature=0.2, max_tokens=5)
    asked.clear()
    model.complete(HELLO)
    assert model.calls == [Call(tuple(HELLO), City, 0.2, 5), Call(tuple(HELLO), None, 0.0, 1024)]


@pytest.mark.parametrize("way", [run, lambda *given: asyncio.run(arun(*given))], ids=["run", "arun"])
@pytest.mark.parametrize("asks", [1, 3])
def test_end_of_the_script_is_not_hidden_by_a_fallback(way: object, asks: int) -> None:
    def steps() -> Steps[str]:
        yield [Ask("city", tuple(HELLO), City)] * asks
        return "fallback"

    with pytest.raises(ScriptEndedError, match=r"the script's 0 replies are used up.*\nHello\?"):
        way(steps(), ScriptedModel([]))  # type: ignore[operator]


def test_end_of_the_script_fails_a_test_and_is_none_of_our_errors() -> None:
    error = ScriptEndedError(2, tuple(HELLO))
    assert isinstance(error, AssertionError)
    assert not isinstance(error, MemoryEvidenceError)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert "no messages" in str(ScriptEndedError(0, ()))


def test_each_reply_goes_to_one_of_many_threads() -> None:
    replies = [str(number) for number in range(200)]
    model = ScriptedModel(replies)
    with ThreadPoolExecutor(8) as pool:
        given = [answer.text for answer in pool.map(lambda _: model.complete(HELLO), replies)]
    assert sorted(given) == sorted(replies)
    assert len(model.calls) == 200
