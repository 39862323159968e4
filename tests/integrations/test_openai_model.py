import asyncio
import gc
import logging
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import openai
import pytest
from pydantic import BaseModel

from integrations.openai_model import OpenAIModel
from memory_evidence.errors import ConfigError, ModelError, ModelOutputError
from memory_evidence.models import Ask, ChatModel, Completion, Message, UsageMeter, arun, parse_json, run
from tests.integrations.stub_server import Answer, StubServer, fails, says

QUESTION = [Message("system", "Be brief."), Message("user", "Where does Ada live?")]
KEY = "sk-very-secret-key"


class City(BaseModel):
    city: str
    sure: bool = True


@pytest.fixture
def model(stub: StubServer) -> Iterator[OpenAIModel]:
    with OpenAIModel("stub", base_url=stub.url, api_key=KEY, timeout_s=10, retries=1) as model:
        yield model


@pytest.fixture(params=["complete", "acomplete"])
async def ask(request: pytest.FixtureRequest, model: OpenAIModel) -> AsyncIterator[Any]:
    """Asks the model both ways, so that each test below holds for both."""

    async def asked(messages: list[Message] = QUESTION, **options: Any) -> Completion:
        if request.param == "acomplete":
            return await model.acomplete(messages, **options)
        return await asyncio.to_thread(model.complete, messages, **options)

    yield asked
    await model.aclose()


async def test_answer_and_usage_come_back_and_the_request_is_what_was_asked(ask: Any, stub: StubServer) -> None:
    stub.one_by_one(says("Rome", prompt_tokens=12, completion_tokens=1))
    assert await ask(temperature=0.5, max_tokens=7) == Completion("Rome", 12, 1)
    assert stub.requests == [
        {
            "model": "stub",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Where does Ada live?"},
            ],
            "temperature": 0.5,
            "max_tokens": 7,
        }
    ]
    assert stub.keys == [f"Bearer {KEY}"]


async def test_schema_is_sent_closed_and_strict(ask: Any, stub: StubServer) -> None:
    stub.one_by_one(says('{"city": "Rome"}'))
    await ask(schema=City)
    sent = stub.requests[0]["response_format"]
    assert sent["type"] == "json_schema"
    assert sent["json_schema"]["name"] == "City"
    assert sent["json_schema"]["strict"] is True
    assert sent["json_schema"]["schema"]["required"] == ["city", "sure"]
    assert sent["json_schema"]["schema"]["additionalProperties"] is False


@pytest.mark.parametrize("status", [400, 404, 422, 501])
async def test_server_that_refuses_schemas_is_asked_in_words_from_then_on(
    ask: Any, stub: StubServer, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    stub.behaviour = lambda body: fails(status, "no") if "response_format" in body else says('{"city": "Rome"}')
    with caplog.at_level(logging.WARNING):
        first = await ask(schema=City)
        refusals = sum("response_format" in request for request in stub.requests)
        second = await ask(schema=City)
    assert first.text == second.text == '{"city": "Rome"}'
    assert refusals >= 1
    assert sum("response_format" in request for request in stub.requests) == refusals
    in_words = stub.requests[-1]["messages"]
    assert [one["role"] for one in in_words] == ["system", "user"]
    assert in_words[1]["content"].startswith("Where does Ada live?")
    assert '"city"' in in_words[1]["content"]
    ours = [record.getMessage() for record in caplog.records if record.name == "integrations.openai_model"]
    assert ours == ["model stub: the server does not take response_format; asking without"]


async def test_server_error_about_a_grammar_counts_as_refusal(ask: Any, stub: StubServer) -> None:
    stub.behaviour = lambda body: (
        fails(500, "failed to parse grammar") if "response_format" in body else says('{"city": "Rome"}')
    )
    assert (await ask(schema=City)).text == '{"city": "Rome"}'


async def test_bad_request_for_another_reason_surfaces_and_schemas_stay_on(ask: Any, stub: StubServer) -> None:
    stub.behaviour = lambda _: fails(400, "the prompt is too long")
    with pytest.raises(ModelError, match="model: call of stub failed: 400: the prompt is too long") as caught:
        await ask(schema=City)
    assert caught.value.retryable is False
    assert isinstance(caught.value.__cause__, openai.BadRequestError)
    stub.one_by_one(says('{"city": "Rome"}'))
    await ask(schema=City)
    assert "response_format" in stub.requests[-1]


async def test_newer_models_get_their_own_name_for_max_tokens_and_no_temperature(ask: Any, stub: StubServer) -> None:
    def picky(body: dict[str, Any]) -> Answer:
        if "max_tokens" in body:
            return fails(400, "Unsupported parameter: 'max_tokens' is not supported with this model.")
        if "temperature" in body:
            return fails(400, "Unsupported value: 'temperature' does not support 0 with this model.")
        return says("Rome")

    stub.behaviour = picky
    assert (await ask(max_tokens=9)).text == "Rome"
    await ask(max_tokens=9, schema=City)
    assert len(stub.requests) == 4
    assert stub.requests[-1]["max_completion_tokens"] == 9
    assert "response_format" in stub.requests[-1]


async def test_max_tokens_named_for_another_reason_is_not_dropped(ask: Any, stub: StubServer) -> None:
    stub.behaviour = lambda _: fails(400, "context is full: shorten the prompt or reduce max_tokens")
    with pytest.raises(ModelError, match="context is full"):
        await ask()
    assert len(stub.requests) == 1


async def test_server_error_is_tried_again(ask: Any, stub: StubServer) -> None:
    stub.one_by_one(fails(500, "out of luck"), says("Rome"))
    assert (await ask()).text == "Rome"
    assert len(stub.requests) == 2


@pytest.mark.parametrize(
    ("answer", "tries", "retryable"),
    [
        (fails(500, "out of luck"), 2, True),
        (fails(429, "slow down", code="rate_limit_exceeded"), 2, True),
        (fails(429, "pay first", code="insufficient_quota"), 2, False),
        (fails(403, "not you"), 1, False),
        (fails(404, "no such model"), 1, False),
        (fails(418, "a teapot"), 1, False),
    ],
    ids=lambda value: str(value.status) if isinstance(value, Answer) else None,
)
async def test_status_decides_whether_asking_later_may_help(
    ask: Any, stub: StubServer, answer: Answer, tries: int, retryable: bool
) -> None:
    stub.behaviour = lambda _: answer
    with pytest.raises(ModelError, match=f"{answer.status}: ") as caught:
        await ask()
    assert caught.value.retryable is retryable
    assert isinstance(caught.value.__cause__, openai.APIStatusError)
    assert len(stub.requests) == tries


async def test_key_never_shows_in_an_error(ask: Any, stub: StubServer) -> None:
    stub.behaviour = lambda _: fails(401, f"Incorrect API key provided: {KEY}.")
    with pytest.raises(ModelError) as caught:
        await ask()
    assert str(caught.value) == "model: call of stub failed: 401: Incorrect API key provided: ***."
    assert KEY not in repr(caught.value)
    assert not caught.value.retryable


async def test_closed_connection_is_tried_again(ask: Any, stub: StubServer) -> None:
    stub.one_by_one(Answer(drop=True), says("Rome"))
    assert (await ask()).text == "Rome"


async def test_body_that_is_cut_off_is_a_lost_connection(stub: StubServer) -> None:
    stub.behaviour = lambda _: Answer(body='{"choices"', headers={"content-length": "500"})
    with (
        OpenAIModel("stub", base_url=stub.url, retries=0) as model,
        pytest.raises(ModelError, match="no connection to ") as caught,
    ):
        model.complete(QUESTION)
    assert caught.value.retryable


async def test_nobody_at_the_address_is_a_lost_connection() -> None:
    # Port 9 (discard) is closed on ordinary machines; user and password of the URL are nobody's business.
    async with OpenAIModel("m", base_url="http://user:pass@127.0.0.1:9/v1", retries=0) as model:
        with pytest.raises(ModelError, match=r"no connection to http://127\.0\.0\.1:9/v1") as caught:
            await model.acomplete(QUESTION)
        assert caught.value.retryable
        assert isinstance(caught.value.__cause__, openai.APIConnectionError)


@pytest.mark.parametrize("way", ["complete", "acomplete"])
async def test_silent_server_is_given_up(stub: StubServer, way: str) -> None:
    stub.behaviour = lambda _: Answer(hang=True)
    async with OpenAIModel("stub", base_url=stub.url, timeout_s=0.2, retries=0) as model:
        with pytest.raises(ModelError, match=r"no answer from http://127.* within 0.2 s \(tries: 1\)") as caught:
            await (model.acomplete(QUESTION) if way == "acomplete" else asyncio.to_thread(model.complete, QUESTION))
    assert caught.value.retryable
    assert isinstance(caught.value.__cause__, openai.APITimeoutError)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(body="<html>busy</html>", headers={"content-type": "text/html"}), "no chat completion"),
        (Answer(body="<html>busy</html>"), "no chat completion"),
        (Answer(body="[]"), "no chat completion"),
        (Answer(body='{"choices": [{"text": "Rome"}]}'), "no chat completion"),
        (Answer(body='{"choices": []}'), "no choices"),
        (Answer(body="{}"), "no choices"),
        (Answer(body='{"choices": null}'), "no choices"),
    ],
)
async def test_answer_that_is_no_chat_completion_is_kept_in_the_error(
    ask: Any, stub: StubServer, answer: Answer, reason: str
) -> None:
    stub.behaviour = lambda _: answer
    with pytest.raises(ModelOutputError, match=reason) as caught:
        await ask()
    assert caught.value.raw == answer.body


async def test_error_with_status_200_is_a_model_error(ask: Any, stub: StubServer) -> None:
    stub.behaviour = lambda _: Answer(body='{"error": {"message": "upstream is busy"}}')
    with pytest.raises(ModelError, match="upstream is busy") as caught:
        await ask()
    assert not isinstance(caught.value, ModelOutputError)


@pytest.mark.parametrize(
    ("answer", "text"),
    [(says(""), ""), (says(None), ""), (says(None, refusal="I will not."), "I will not."), (says("cut o"), "cut o")],
)
async def test_answer_without_content_is_empty_and_a_refusal_is_text(
    ask: Any, stub: StubServer, answer: Answer, text: str
) -> None:
    stub.behaviour = lambda _: answer
    assert (await ask()).text == text


async def test_missing_usage_counts_as_zero(ask: Any, stub: StubServer) -> None:
    body = '{"choices": [{"message": {"content": "Rome"}}], "usage": {"prompt_tokens": null}}'
    stub.behaviour = lambda _: Answer(body=body)
    assert await ask() == Completion("Rome", 0, 0)


async def test_lone_surrogates_in_stored_text_do_not_break_the_call(ask: Any, stub: StubServer) -> None:
    await ask([Message("user", "caf\udce9 {}")])
    assert stub.requests[0]["messages"][0]["content"] == "caf? {}"


def test_threads_and_event_loops_share_one_limit(stub: StubServer) -> None:
    def hold(_: dict[str, Any]) -> Answer:
        with stub.changed:
            assert stub.changed.wait_for(lambda: stub.peak >= 3, timeout=10)
        time.sleep(0.05)  # so that others would come in, if they could
        return says("ok")

    stub.behaviour = hold
    stub.keep_alive = True

    async def several(model: OpenAIModel) -> None:
        await asyncio.gather(*(model.acomplete(QUESTION) for _ in range(6)))

    with (
        OpenAIModel("stub", base_url=stub.url, concurrency=3, timeout_s=30) as model,
        ThreadPoolExecutor(8) as pool,
    ):
        loops = [pool.submit(lambda: asyncio.run(several(model))) for _ in range(2)]
        threads = [pool.submit(model.complete, QUESTION) for _ in range(6)]
        for done in loops + threads:
            done.result()
    assert len(stub.requests) == 18
    assert stub.peak == 3


def test_first_calls_at_once_log_a_refusal_once(stub: StubServer, caplog: pytest.LogCaptureFixture) -> None:
    together = threading.Barrier(4)

    def refuse(body: dict[str, Any]) -> Answer:
        if "response_format" not in body:
            return says("{}")
        together.wait(timeout=10)
        return fails(400, "no")

    stub.behaviour = refuse
    with (
        caplog.at_level(logging.WARNING, "integrations"),
        OpenAIModel("stub", base_url=stub.url) as model,
        ThreadPoolExecutor(4) as pool,
    ):
        list(pool.map(lambda _: model.complete(QUESTION, schema=City), range(4)))
    assert len(stub.requests) == 8
    assert len(caplog.records) == 1


def test_event_loops_one_after_another_each_get_their_own_connections(stub: StubServer) -> None:
    """Also: none is left open, which would be an unraisable ResourceWarning here."""
    stub.keep_alive = True
    model = OpenAIModel("stub", base_url=stub.url, retries=0)
    for _ in range(3):
        assert asyncio.run(model.acomplete(QUESTION)).text == "ok"
    alive = weakref.ref(model)
    del model
    gc.collect()
    assert alive() is None


def test_closed_model_can_be_used_again(stub: StubServer) -> None:
    model = OpenAIModel("stub", base_url=stub.url)
    with model:
        model.complete(QUESTION)
    with model:
        assert model.complete(QUESTION).text == "ok"


async def test_cancelled_call_gives_its_place_back(stub: StubServer) -> None:
    stub.behaviour = lambda body: Answer(hang=True) if body["max_tokens"] == 1 else says("ok")
    async with OpenAIModel("stub", base_url=stub.url, concurrency=1) as model:
        stuck = asyncio.create_task(model.acomplete(QUESTION, max_tokens=1))
        while not stub.requests:
            await asyncio.sleep(0.01)
        waiting = asyncio.create_task(model.acomplete(QUESTION))
        given_up = asyncio.create_task(model.acomplete(QUESTION))
        await asyncio.sleep(0)
        given_up.cancel()
        stuck.cancel()
        assert (await waiting).text == "ok"
        for task in (stuck, given_up):
            with pytest.raises(asyncio.CancelledError):
                await task


class TestArguments:
    @pytest.fixture(autouse=True)
    def no_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
            monkeypatch.delenv(name, raising=False)

    def test_openai_itself_needs_a_key(self) -> None:
        with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
            OpenAIModel("gpt")

    def test_key_comes_from_the_environment(self, stub: StubServer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "from-environment\n")
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        with OpenAIModel("gpt") as model:
            model.complete(QUESTION)
        assert stub.keys == ["Bearer from-environment"]

    def test_own_server_needs_no_key(self, stub: StubServer) -> None:
        with OpenAIModel("any", base_url=stub.url) as model:
            model.complete(QUESTION)
        assert stub.keys == ["Bearer none"]

    @pytest.mark.parametrize(
        ("wrong", "name"),
        [
            ({"model": " "}, "model"),
            ({"base_url": "localhost:8000/v1"}, "base_url"),
            ({"timeout_s": 0}, "timeout_s"),
            ({"timeout_s": float("nan")}, "timeout_s"),
            ({"retries": -1}, "retries"),
            ({"concurrency": 0}, "concurrency"),
        ],
    )
    def test_wrong_argument_is_named(self, wrong: dict[str, Any], name: str) -> None:
        with pytest.raises(ConfigError) as caught:
            OpenAIModel(**{"model": "m", "base_url": "http://127.0.0.1:9/v1", **wrong})
        assert caught.value.name == name

    def test_nothing_is_opened_before_the_first_call(self, stub: StubServer) -> None:
        model = OpenAIModel("any", base_url=stub.url)
        assert isinstance(model, ChatModel)
        assert stub.requests == []


def test_missing_library_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['openai'] = None\n"
        "import integrations\n"
        "try: import integrations.openai_model\n"
        "except ImportError as error: print(type(error).__name__, error.extra)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "MissingExtraError openai\n"


class Place(BaseModel):
    city: Literal["Rome", "Oslo"]


class TestLocalServer:
    """With a real model: what it says is poor, but its form, its token counts and its async twin are real."""

    @pytest.fixture
    async def local(self, local_model_url: str) -> AsyncIterator[OpenAIModel]:
        async with OpenAIModel("local", base_url=local_model_url, timeout_s=300) as model:
            yield model

    async def test_sync_and_async_give_the_same_answer_with_usage(self, local: OpenAIModel) -> None:
        answer = await asyncio.to_thread(local.complete, QUESTION, max_tokens=6)
        assert answer.text.strip()
        assert answer.prompt_tokens > 10
        assert 1 <= answer.completion_tokens <= 6
        assert await local.acomplete(QUESTION, max_tokens=6) == answer

    async def test_schema_is_kept(self, local: OpenAIModel) -> None:
        messages = [Message("user", "Ada lives in Rome. Where does Ada live?")]
        answer = await local.acomplete(messages, schema=Place, max_tokens=30)
        assert parse_json(answer.text, Place) == Place(city="Rome")

    async def test_steps_run_the_same_sync_and_async(self, local: OpenAIModel) -> None:
        def steps() -> Any:
            asks = [
                Ask("place", (Message("user", f"Ada lives in {city}. Where does Ada live?"),), Place, max_tokens=30)
                for city in ("Rome", "Oslo")
            ]
            return (yield asks)

        meters = UsageMeter(), UsageMeter()
        sync = await asyncio.to_thread(run, steps(), local, meter=meters[0])
        assert sync == await arun(steps(), local, meter=meters[1])
        assert sync == [Place(city="Rome"), Place(city="Oslo")]
        assert meters[0].total == meters[1].total
        assert meters[0].total.calls == 2
        assert meters[0].total.completion_tokens > 0
