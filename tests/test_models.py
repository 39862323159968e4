import asyncio
import contextvars
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from memory_evidence.errors import ConfigError, ModelError, ModelOutputError
from memory_evidence.models import Answer, Ask, Completion, Message, Steps, Usage, UsageMeter, arun, run
from memory_evidence.testing import Reply, ScriptedModel

REQUEST_ID = contextvars.ContextVar("REQUEST_ID", default="none")


class Number(BaseModel):
    number: int


def ask(text: str, stage: str = "count", **options: Any) -> Ask:
    return Ask(stage, (Message("user", text),), Number, **options)


def echo(messages: Sequence[Message]) -> str:
    return f'{{"number": {messages[-1].content}}}'


def drive(steps: Steps[Any], model: Any, **options: Any) -> Any:
    return run(steps, model, **options)


def adrive(steps: Steps[Any], model: Any, **options: Any) -> Any:
    return asyncio.run(arun(steps, model, **options))


@pytest.fixture(params=[drive, adrive], ids=["run", "arun"])
def way(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return request.param


def one_round(*asks: Ask) -> Steps[Sequence[Answer]]:
    return (yield asks)


def test_answers_come_validated_and_in_the_order_of_the_asks(way: Callable[..., Any]) -> None:
    asks = [ask(str(number)) for number in range(20)]
    answers = way(one_round(*asks), ScriptedModel([echo] * 20), concurrency=5)
    assert answers == [Number(number=number) for number in range(20)]


def test_late_answers_keep_their_place(way: Callable[..., Any]) -> None:
    """The first ask is answered last."""
    others = threading.Semaphore(0)

    class Late:
        def complete(self, messages: Sequence[Message], **_: Any) -> Completion:
            if messages[0].content == "0":
                assert others.acquire(timeout=10)
                assert others.acquire(timeout=10)
            else:
                others.release()
            return Completion(echo(messages))

        async def acomplete(self, messages: Sequence[Message], **options: Any) -> Completion:
            return await asyncio.to_thread(self.complete, messages, **options)

    answers = way(one_round(ask("0"), ask("1"), ask("2")), Late(), concurrency=3)
    assert answers == [Number(number=number) for number in range(3)]


def test_every_round_gets_its_own_answers(way: Callable[..., Any]) -> None:
    def steps() -> Steps[list[int]]:
        seen = []
        for size in (2, 0, 1, 3):
            answers = yield [ask(str(place)) for place in range(size)]
            assert len(answers) == size
            seen += [answer.number for answer in answers]  # type: ignore[union-attr]
        return seen

    assert way(steps(), ScriptedModel([echo] * 6)) == [0, 1, 0, 0, 1, 2]


def test_steps_without_a_question_need_no_model(way: Callable[..., Any]) -> None:
    def steps() -> Steps[str]:
        return "done"
        yield

    assert way(steps(), None) == "done"


def test_what_was_asked_reaches_the_model(way: Callable[..., Any]) -> None:
    model = ScriptedModel([echo])
    way(one_round(ask("1", temperature=0.7, max_tokens=9)), model)
    [call] = model.calls
    assert (call.messages, call.schema) == ((Message("user", "1"),), Number)
    assert (call.temperature, call.max_tokens) == (0.7, 9)


def test_model_error_is_the_answer_and_the_others_arrive(way: Callable[..., Any]) -> None:
    busy = ModelError("call of x", "busy")
    first, second, third = way(
        one_round(ask("1"), ask("2"), ask("3")), ScriptedModel([echo, busy, echo]), concurrency=1
    )
    assert (first, third) == (Number(number=1), Number(number=3))
    assert second is busy


def test_unreadable_answer_is_an_error_that_keeps_the_text(way: Callable[..., Any]) -> None:
    [answer] = way(one_round(ask("1")), ScriptedModel(["I cannot say"]))
    assert isinstance(answer, ModelOutputError)
    assert answer.raw == "I cannot say"


@pytest.mark.parametrize("concurrency", [1, 3])
@pytest.mark.parametrize("error", [TimeoutError("slow"), ZeroDivisionError(), KeyError("x"), OSError("gone")])
def test_whatever_a_model_raises_is_a_failed_call(way: Callable[..., Any], concurrency: int, error: Exception) -> None:
    class Failing:
        def complete(self, messages: Sequence[Message], **_: Any) -> Completion:
            if messages[0].content == "2":
                raise error
            return Completion(echo(messages))

        async def acomplete(self, messages: Sequence[Message], **options: Any) -> Completion:
            return self.complete(messages, **options)

    meter = UsageMeter()
    first, failed, third = way(one_round(ask("1"), ask("2"), ask("3")), Failing(), concurrency=concurrency, meter=meter)
    assert (first, third) == (Number(number=1), Number(number=3))
    assert isinstance(failed, ModelError)
    assert not isinstance(failed, ModelOutputError)
    assert failed.__cause__ is error
    assert type(error).__name__ in str(failed)
    assert meter.total == Usage(calls=3)


class Returning:
    """A model that returns what no model should."""

    def __init__(self, reply: Any) -> None:
        self._reply = reply

    def complete(self, *_: Any, **__: Any) -> Any:
        return self._reply

    async def acomplete(self, *_: Any, **__: Any) -> Any:
        return self._reply


@pytest.mark.parametrize("reply", [None, "1", b"1", {"number": 1}, Completion(5), Completion(b"1"), Completion(["1"])])  # type: ignore[arg-type]
def test_a_reply_that_is_no_completion_of_text_is_a_failed_call(way: Callable[..., Any], reply: Any) -> None:
    meter = UsageMeter()
    [failed] = way(one_round(ask("1")), Returning(reply), meter=meter)
    assert isinstance(failed, ModelError)
    assert not isinstance(failed, ModelOutputError)
    assert "not a Completion of text" in str(failed)
    assert meter.total == Usage(calls=1)


def test_a_completion_without_text_is_unreadable_and_without_counts_is_free(way: Callable[..., Any]) -> None:
    meter = UsageMeter()
    [empty] = way(one_round(ask("1")), Returning(Completion(None, None, None)), meter=meter)  # type: ignore[arg-type]
    assert isinstance(empty, ModelOutputError)
    assert empty.raw == ""
    [answer] = way(one_round(ask("1")), Returning(Completion('{"number": 1}', None, 3)), meter=meter)  # type: ignore[arg-type]
    assert answer == Number(number=1)
    assert meter.total == Usage(2, 0, 3, 1)


@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_failed_assertion_in_a_model_ends_the_run(way: Callable[..., Any], concurrency: int) -> None:
    def refuse(_: Sequence[Message]) -> str:
        raise AssertionError("should not be asked")

    with pytest.raises(AssertionError, match="should not be asked"):
        way(one_round(ask("1"), ask("2"), ask("3")), ScriptedModel([refuse] * 3), concurrency=concurrency)


@pytest.mark.parametrize("concurrency", [0, -1])
def test_concurrency_below_one_is_refused(way: Callable[..., Any], concurrency: int) -> None:
    with pytest.raises(ConfigError, match="`concurrency` must be at least 1"):
        way(one_round(ask("1"), ask("2")), ScriptedModel([echo] * 2), concurrency=concurrency)


@pytest.mark.parametrize("concurrency", [1, 2, 4])
def test_no_more_calls_at_a_time_than_allowed(way: Callable[..., Any], concurrency: int) -> None:
    class Counting:
        def __init__(self) -> None:
            self.lock, self.now, self.peak = threading.Condition(), 0, 0

        def complete(self, messages: Sequence[Message], **_: Any) -> Completion:
            with self.lock:
                self.now += 1
                self.peak = max(self.peak, self.now)
                self.lock.notify_all()
                # Nobody leaves before as many are in as may be; more would be counted.
                self.lock.wait_for(lambda: self.peak >= concurrency, timeout=10)
                self.lock.wait(0.005)
                self.now -= 1
            return Completion(echo(messages))

        async def acomplete(self, messages: Sequence[Message], **options: Any) -> Completion:
            return await asyncio.to_thread(self.complete, messages, **options)

    model = Counting()
    way(one_round(*(ask(str(number)) for number in range(12))), model, concurrency=concurrency)
    assert model.peak == concurrency


def test_calls_see_the_context_of_the_caller(way: Callable[..., Any]) -> None:
    seen = []

    def look(messages: Sequence[Message]) -> str:
        seen.append(REQUEST_ID.get())
        return echo(messages)

    def in_context() -> None:
        REQUEST_ID.set("request 7")
        way(one_round(ask("1")), ScriptedModel([look]))
        way(one_round(ask("1"), ask("2")), ScriptedModel([look] * 2))

    contextvars.copy_context().run(in_context)
    assert seen == ["request 7"] * 3


class TestClosing:
    @pytest.fixture
    def closed(self) -> list[str]:
        return []

    def steps(self, closed: list[str], *asks: Ask) -> Steps[None]:
        try:
            yield asks
            raise LookupError("a bug of the engine")
        except GeneratorExit:
            closed.append("early")
            raise
        finally:
            closed.append("end")

    def test_steps_are_closed_when_the_model_fails(self, way: Callable[..., Any], closed: list[str]) -> None:
        error: BaseException | None = None
        try:
            way(self.steps(closed, ask("1")), ScriptedModel([]))
        except AssertionError as caught:
            error = caught
        # The traceback still holds the generator, so this was no garbage collection.
        assert error is not None
        assert closed == ["early", "end"]

    def test_error_of_the_steps_comes_through(self, way: Callable[..., Any], closed: list[str]) -> None:
        with pytest.raises(LookupError, match="a bug of the engine"):
            way(self.steps(closed, ask("1")), ScriptedModel([echo]))
        assert closed == ["end"]

    async def test_cancelled_run_closes_the_steps_and_leaves_no_call_behind(self, closed: list[str]) -> None:
        class Hanging:
            running = 0

            async def acomplete(self, *_: Any, **__: Any) -> Completion:
                self.running += 1
                try:
                    await asyncio.Event().wait()
                finally:
                    # A call may need a moment to end, as one with a connection to give back does.
                    await asyncio.sleep(0)
                    self.running -= 1
                raise AssertionError("never set")

        model = Hanging()
        task = asyncio.create_task(arun(self.steps(closed, ask("1"), ask("2")), model))  # type: ignore[arg-type]
        while model.running < 2:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert closed == ["early", "end"]
        assert model.running == 0

    async def test_error_in_one_call_stops_the_others(self, closed: list[str]) -> None:
        stopped = []

        class OneFails:
            async def acomplete(self, messages: Sequence[Message], **_: Any) -> Completion:
                if messages[0].content == "1":
                    raise AssertionError("as a test would")
                try:
                    await asyncio.Event().wait()
                finally:
                    stopped.append(messages[0].content)
                raise AssertionError("never set")

        with pytest.raises(AssertionError, match="as a test would"):
            await arun(self.steps(closed, ask("2"), ask("1"), ask("3")), OneFails())  # type: ignore[arg-type]
        assert stopped == ["2", "3"]
        assert closed == ["early", "end"]


async def test_arun_leaves_the_loop_free_while_it_repairs(monkeypatch: pytest.MonkeyPatch) -> None:
    from memory_evidence import models

    free = threading.Event()

    def slow_parse(*_: Any, **__: Any) -> Number:
        # Only a loop that is free can set it.
        return Number(number=1 if free.wait(timeout=5) else 0)

    monkeypatch.setattr(models, "parse_json", slow_parse)
    running = asyncio.create_task(arun(one_round(ask("1")), ScriptedModel(["1"])))
    await asyncio.sleep(0.01)
    free.set()
    assert await running == [Number(number=1)]


def test_meter_adds_up_per_stage(way: Callable[..., Any]) -> None:
    meter = UsageMeter()
    replies: list[Reply] = [
        Completion('{"number": 1}', 10, 2),
        Completion("what?", 20, 3),
        ModelError("call of x", "busy"),
        ModelOutputError("call of x", "no choices", "{}"),
        Completion('{"number": 1}', 5, 1),
    ]
    asks = [ask("1"), ask("1"), ask("1"), ask("1"), ask("1", stage="other")]
    way(one_round(*asks), ScriptedModel(replies), meter=meter, concurrency=1)
    assert meter.stages == {"count": Usage(4, 30, 5, unreadable=2), "other": Usage(1, 5, 1)}
    assert meter.total == Usage(5, 35, 6, 2)


def test_meter_hands_out_a_copy() -> None:
    meter = UsageMeter()
    before = meter.stages
    meter.add("a", Usage(1))
    assert before == {}
    assert meter.total == Usage(1)


def test_meter_loses_nothing_between_threads() -> None:
    meter = UsageMeter()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def add() -> None:
        for _ in range(500):
            meter.add("a", Usage(1, 1, 1, 1))

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(interval)
    assert meter.total == Usage(2000, 2000, 2000, 2000)


REPLIES = st.one_of(
    st.integers().map(lambda number: f'{{"number": {number}}}'),
    st.text(max_size=12),
    st.builds(Completion, st.text(max_size=12), st.integers(0, 9), st.integers(0, 9)),
    st.just(ModelError("call of x", "busy")),
)


@given(st.lists(st.lists(REPLIES, max_size=4), max_size=3), st.integers(1, 5))
def test_run_and_arun_agree_on_answers_order_and_usage(rounds: list[list[Reply]], concurrency: int) -> None:
    class ByQuestion:
        """Replies by the number in the question, in whatever order it is asked."""

        def complete(self, messages: Sequence[Message], **_: Any) -> Completion:
            this, place = messages[0].content.split()
            return ScriptedModel([rounds[int(this)][int(place)]]).complete(messages)

        async def acomplete(self, messages: Sequence[Message], **options: Any) -> Completion:
            return self.complete(messages, **options)

    def steps() -> Iterator[Any]:
        seen: list[str] = []
        for this, replies in enumerate(rounds):
            answers = yield [ask(f"{this} {place}", stage=str(this)) for place in range(len(replies))]
            seen += map(repr, answers)
        return seen

    meters = UsageMeter(), UsageMeter()
    sync = drive(steps(), ByQuestion(), meter=meters[0], concurrency=concurrency)  # type: ignore[arg-type]
    assert sync == adrive(steps(), ByQuestion(), meter=meters[1], concurrency=concurrency)  # type: ignore[arg-type]
    assert len(sync) == sum(map(len, rounds))
    assert meters[0].stages == meters[1].stages
