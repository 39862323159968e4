import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, ImageBlock, TextBlock
from llama_index.core.llms import CustomLLM, LLMMetadata, MockLLM
from llama_index.llms.openai_like import OpenAILike
from pydantic import BaseModel

from integrations.llamaindex_model import LlamaIndexModel
from memory_evidence.errors import ConfigError, ModelError
from memory_evidence.models import ChatModel, Completion, Message, parse_json
from tests.integrations.stub_server import StubServer, fails, says

QUESTION = [Message("system", "Be brief."), Message("user", "Where does Ada live?")]


class City(BaseModel):
    city: str


class Recorder(CustomLLM):
    """A real LLM class with an async chat of its own that keeps what it was given."""

    answer: ChatResponse = ChatResponse(message=ChatMessage("Rome", role="assistant"))
    seen: list[Any] = []  # noqa: RUF012 - pydantic copies defaults

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata()

    def complete(self, prompt: str, formatted: bool = False, **options: Any) -> CompletionResponse:
        raise AssertionError("the chat is what is asked")

    def stream_complete(self, prompt: str, formatted: bool = False, **options: Any) -> Any:
        raise AssertionError("the chat is what is asked")

    def chat(self, messages: Sequence[ChatMessage], **options: Any) -> ChatResponse:
        self.seen.append((messages, options))
        return self.answer

    async def achat(self, messages: Sequence[ChatMessage], **options: Any) -> ChatResponse:
        return self.chat(messages, **options)


class Stubborn(Recorder):
    """Takes no options at all."""

    def chat(self, messages: Sequence[ChatMessage]) -> ChatResponse:
        return super().chat(messages)

    async def achat(self, messages: Sequence[ChatMessage]) -> ChatResponse:
        return super().chat(messages)


class Broken(Recorder):
    def chat(self, messages: Sequence[ChatMessage], **options: Any) -> ChatResponse:
        raise ConnectionResetError("the line went dead")


@pytest.fixture(params=["complete", "acomplete"])
def ask(request: pytest.FixtureRequest) -> Callable[..., Any]:
    async def asked(llm: Any, messages: list[Message] = QUESTION, **options: Any) -> Completion:
        model = llm if isinstance(llm, LlamaIndexModel) else LlamaIndexModel(llm)
        if request.param == "acomplete":
            return await model.acomplete(messages, **options)
        return await asyncio.to_thread(model.complete, messages, **options)

    return asked


def response(text: str, *, raw: Any = None, **counts: int) -> ChatResponse:
    return ChatResponse(message=ChatMessage(text, role="assistant"), raw=raw, additional_kwargs=counts)


async def test_messages_and_options_arrive_in_llamaindexs_words(ask: Any) -> None:
    llm = Recorder()
    messages = [*QUESTION, Message("assistant", "She is")]
    assert (await ask(llm, messages, temperature=0.3, max_tokens=5)).text == "Rome"
    [(sent, options)] = llm.seen
    assert [(one.role.value, one.content) for one in sent] == [
        ("system", "Be brief."),
        ("user", "Where does Ada live?"),
        ("assistant", "She is"),
    ]
    assert options == {"temperature": 0.3, "max_tokens": 5}


async def test_schema_is_asked_for_in_the_last_prompt(ask: Any) -> None:
    llm = Recorder(answer=response('Sure: {"city": "Rome"}'))
    answer = await ask(llm, schema=City)
    assert '"city"' in llm.seen[0][0][1].content
    assert parse_json(answer.text, City) == City(city="Rome")


async def test_mock_llm_echoes_the_prompt_unchanged(ask: Any) -> None:
    text = "{} {name} %s ${X} {{ }} 東京"
    assert text in (await ask(MockLLM(), [Message("user", text)])).text


async def test_answer_in_blocks_becomes_text(ask: Any) -> None:
    blocks = [TextBlock(text="Rome"), ImageBlock(url="https://example.org/rome.png")]
    answer = ChatResponse(message=ChatMessage(role="assistant", blocks=blocks))
    assert (await ask(Recorder(answer=answer))).text == "Rome"
    empty = ChatResponse(message=ChatMessage(role="assistant", blocks=[]))
    assert (await ask(Recorder(answer=empty))).text == ""


@pytest.mark.parametrize(
    "answer",
    [
        response("Rome", prompt_tokens=12, completion_tokens=1),
        response("Rome", raw={"usage": {"prompt_tokens": 12, "completion_tokens": 1}}),
        response("Rome", raw={"usage": {"input_tokens": 12, "output_tokens": 1}}),
        response("Rome", raw=type("Raw", (), {"usage": type("Usage", (), {"input_tokens": 12, "output_tokens": 1})})()),
    ],
)
async def test_usage_is_read_where_the_llm_gives_it(ask: Any, answer: ChatResponse) -> None:
    assert await ask(Recorder(answer=answer)) == Completion("Rome", 12, 1)


@pytest.mark.parametrize("raw", [None, "text", {"usage": None}, {"usage": {"prompt_tokens": None}}])
async def test_usage_that_is_not_there_counts_as_zero(ask: Any, raw: Any) -> None:
    assert await ask(Recorder(answer=response("Rome", raw=raw))) == Completion("Rome", 0, 0)


async def test_llm_that_takes_no_options_is_asked_without_from_then_on(ask: Any) -> None:
    model = LlamaIndexModel(Stubborn())
    assert (await ask(model)).text == "Rome"
    assert model._options.asked(0.0, 1) == {}
    assert (await ask(model)).text == "Rome"


async def test_error_of_the_host_is_the_cause(ask: Any) -> None:
    with pytest.raises(ModelError, match="ConnectionResetError: the line went dead") as caught:
        await ask(Broken())
    assert isinstance(caught.value.__cause__, ConnectionResetError)
    assert caught.value.retryable


async def test_llm_without_an_async_chat_does_not_block_the_loop() -> None:
    on_the_loop = threading.Event()

    class Slow(MockLLM):
        def complete(self, prompt: str, formatted: bool = False, **options: Any) -> CompletionResponse:
            # Only a loop that is free can set it.
            return CompletionResponse(text="free" if on_the_loop.wait(timeout=5) else "blocked")

    answer = asyncio.create_task(LlamaIndexModel(Slow()).acomplete(QUESTION))
    await asyncio.sleep(0)
    on_the_loop.set()
    assert (await answer).text == "free"


def test_something_else_than_an_llm_is_refused() -> None:
    with pytest.raises(ConfigError, match="`llm` must be a LlamaIndex LLM"):
        LlamaIndexModel("gpt")  # type: ignore[arg-type]
    assert isinstance(LlamaIndexModel(MockLLM()), ChatModel)


def test_missing_library_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['llama_index.core'] = None\n"
        "try: import integrations.llamaindex_model\n"
        "except ImportError as error: print(type(error).__name__, error.extra)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "MissingExtraError llamaindex\n"


class TestRealServers:
    @pytest.fixture
    def like_openai(self, http_clients: tuple[Any, Any]) -> Callable[[str], OpenAILike]:
        def made(url: str) -> OpenAILike:
            return OpenAILike(
                model="any",
                api_base=url,
                api_key="x",
                is_chat_model=True,
                context_window=8192,
                max_retries=0,
                http_client=http_clients[0],
                async_http_client=http_clients[1],
            )

        return made

    async def test_local_model_answers_with_usage(self, ask: Any, like_openai: Any, local_model_url: str) -> None:
        answer = await ask(like_openai(local_model_url), max_tokens=6)
        assert answer.text.strip()
        assert answer.prompt_tokens > 10
        assert 1 <= answer.completion_tokens <= 6

    async def test_options_arrive_at_the_server(self, ask: Any, like_openai: Any, stub: StubServer) -> None:
        stub.one_by_one(says("Rome", prompt_tokens=4))
        answer = await ask(like_openai(stub.url), temperature=0.5, max_tokens=7)
        assert answer == Completion("Rome", 4, 2)
        assert stub.requests[0]["temperature"] == 0.5
        assert stub.requests[0]["max_tokens"] == 7

    async def test_status_decides_whether_asking_later_may_help(
        self, ask: Any, like_openai: Any, stub: StubServer
    ) -> None:
        stub.behaviour = lambda _: fails(401, "not you")
        with pytest.raises(ModelError, match="not you") as caught:
            await ask(like_openai(stub.url))
        assert not caught.value.retryable
