import asyncio
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableLambda
from langchain_openai import ChatOpenAI
from langgraph.constants import TAG_NOSTREAM
from langgraph.graph import END, START, MessagesState, StateGraph
from pydantic import BaseModel

from integrations.langchain_model import LangChainModel
from memory_evidence.errors import ConfigError, ModelError, ModelOutputError
from memory_evidence.models import Ask, ChatModel, Completion, Message, arun, parse_json, run
from tests.integrations.stub_server import StubServer, fails, says

QUESTION = [Message("system", "Be brief."), Message("user", "Where does Ada live?"), Message("assistant", "She is")]


class City(BaseModel):
    city: str


class Recorder(BaseChatModel):
    """A real chat model class that keeps what it was given and says what it was told."""

    answer: AIMessage = AIMessage("Rome")
    seen: list[tuple[list[BaseMessage], dict[str, Any]]] = []  # noqa: RUF012 - pydantic copies defaults

    @property
    def _llm_type(self) -> str:
        return "recorder"

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **options: Any
    ) -> ChatResult:
        self.seen.append((messages, options))
        return ChatResult(generations=[ChatGeneration(message=self.answer)])


class Stubborn(Recorder):
    """Takes no options at all."""

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None) -> ChatResult:
        return super()._generate(messages)


class Broken(Recorder):
    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise ConnectionResetError("the line went dead")


@pytest.fixture(params=["complete", "acomplete"])
def ask(request: pytest.FixtureRequest) -> Callable[..., Any]:
    async def asked(chat_model: Any, messages: list[Message] = QUESTION, **options: Any) -> Completion:
        model = chat_model if isinstance(chat_model, LangChainModel) else LangChainModel(chat_model)
        if request.param == "acomplete":
            return await model.acomplete(messages, **options)
        return await asyncio.to_thread(model.complete, messages, **options)

    return asked


async def test_messages_and_options_arrive_in_langchains_words(ask: Any) -> None:
    chat_model = Recorder()
    assert (await ask(chat_model, temperature=0.3, max_tokens=5)).text == "Rome"
    [(messages, options)] = chat_model.seen
    assert [(one.type, one.content) for one in messages] == [
        ("system", "Be brief."),
        ("human", "Where does Ada live?"),
        ("ai", "She is"),
    ]
    assert options == {"temperature": 0.3, "max_tokens": 5}


async def test_schema_is_asked_for_in_the_last_prompt(ask: Any) -> None:
    chat_model = Recorder(answer=AIMessage('```json\n{"city": "Rome"}\n```'))
    answer = await ask(chat_model, schema=City)
    [(messages, _)] = chat_model.seen
    assert '"city"' in messages[1].content
    assert messages[2].content == "She is"
    assert parse_json(answer.text, City) == City(city="Rome")


async def test_answer_in_blocks_becomes_text(ask: Any) -> None:
    blocks = [
        {"type": "reasoning", "reasoning": "Let me see."},
        {"type": "text", "text": "Ro"},
        "me",
        {"type": "image_url", "image_url": {"url": "data:,"}},
    ]
    assert (await ask(Recorder(answer=AIMessage(content=blocks)))).text == "Rome"


async def test_usage_is_read_where_the_model_gives_it(ask: Any) -> None:
    usage = {"input_tokens": 12, "output_tokens": 1, "total_tokens": 13}
    assert await ask(Recorder(answer=AIMessage("Rome", usage_metadata=usage))) == Completion("Rome", 12, 1)
    assert await ask(FakeListChatModel(responses=["Rome"])) == Completion("Rome", 0, 0)


async def test_model_that_takes_no_options_is_asked_without_from_then_on(ask: Any) -> None:
    model = LangChainModel(Stubborn())
    assert (await ask(model)).text == "Rome"
    assert model._options.asked(0.0, 1) == {}
    assert (await ask(model)).text == "Rome"


async def test_error_of_the_host_is_the_cause(ask: Any) -> None:
    with pytest.raises(
        ModelError, match=r"^model: call of Broken failed: ConnectionResetError: the line went dead$"
    ) as caught:
        await ask(Broken())
    assert isinstance(caught.value.__cause__, ConnectionResetError)
    assert caught.value.retryable


async def test_runnable_made_of_a_model_works(ask: Any) -> None:
    chat_model = Recorder()
    assert (await ask(chat_model.bind(stop=["."]).with_retry())).text == "Rome"
    assert chat_model.seen[0][1]["max_tokens"] == 1024


async def test_runnable_that_gives_no_message_is_told_so(ask: Any) -> None:
    with pytest.raises(ModelOutputError, match="answered with int, no AIMessage"):
        await ask(RunnableLambda(lambda _: 3))


async def test_braces_and_signs_pass_unchanged(ask: Any) -> None:
    chat_model = Recorder()
    text = "{} {name} %s ${X} {{ }} 東京"
    await ask(chat_model, [Message("user", text)])
    assert chat_model.seen[0][0][0].content == text


def test_something_else_than_a_model_is_refused() -> None:
    with pytest.raises(ConfigError, match="`chat_model` must be a LangChain chat model"):
        LangChainModel("gpt")  # type: ignore[arg-type]
    assert isinstance(LangChainModel(Recorder()), ChatModel)


def test_missing_library_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['langchain_core'] = None\n"
        "try: import integrations.langchain_model\n"
        "except ImportError as error: print(type(error).__name__, error.extra)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "MissingExtraError langchain\n"


class Heard(BaseCallbackHandler):
    def __init__(self) -> None:
        self.tags: list[list[str]] = []

    def on_chat_model_start(self, *_: Any, tags: list[str], **__: Any) -> None:
        self.tags.append(tags)


class TestInsideAGraph:
    """The graph first asks a model of ours for evidence, then the user's model for the answer that is streamed."""

    INNER, OUTER = '{"city": "inner"}', "outer"

    def graph(self, inner: BaseChatModel, ways: str) -> Any:
        model = LangChainModel(inner)

        def steps() -> Any:
            return (yield [Ask("city", (Message("user", "Where?"),), City)] * 2)

        def sync_evidence(_: MessagesState) -> dict[str, Any]:
            if ways == "control":
                inner.invoke("Where?")
            else:
                assert model.complete([Message("user", "Where?")]).text == self.INNER
                assert run(steps(), model) == [City(city="inner")] * 2
            return {}

        async def async_evidence(_: MessagesState) -> dict[str, Any]:
            assert (await model.acomplete([Message("user", "Where?")])).text == self.INNER
            assert await arun(steps(), model) == [City(city="inner")] * 2
            return {}

        outer = FakeListChatModel(responses=[self.OUTER])
        graph = StateGraph(MessagesState)
        graph.add_node("evidence", async_evidence if ways == "async" else sync_evidence)
        graph.add_node("answer", RunnableLambda(lambda state: {"messages": [outer.invoke(state["messages"])]}))
        graph.add_edge(START, "evidence")
        graph.add_edge("evidence", "answer")
        graph.add_edge("answer", END)
        return graph.compile()

    def streamed(self, graph: Any) -> str:
        return "".join(chunk.content for chunk, _ in graph.stream({"messages": "Hi"}, stream_mode="messages"))

    def test_tokens_of_a_bare_call_would_leak(self) -> None:
        graph = self.graph(FakeListChatModel(responses=[self.INNER]), "control")
        assert self.streamed(graph) == self.INNER + self.OUTER

    def test_tokens_stay_out_of_the_stream(self) -> None:
        assert self.streamed(self.graph(FakeListChatModel(responses=[self.INNER]), "sync")) == self.OUTER

    async def test_tokens_stay_out_of_the_async_stream(self) -> None:
        graph = self.graph(FakeListChatModel(responses=[self.INNER]), "async")
        chunks = [chunk async for chunk, _ in graph.astream({"messages": "Hi"}, stream_mode="messages")]
        assert "".join(chunk.content for chunk in chunks) == self.OUTER

    async def test_calls_stay_out_of_the_events(self) -> None:
        graph = self.graph(FakeListChatModel(responses=[self.INNER]), "async")
        events = [event async for event in graph.astream_events({"messages": "Hi"}, version="v2")]
        said = [event["data"]["chunk"].content for event in events if event["event"] == "on_chat_model_stream"]
        assert "".join(said) == self.OUTER

    def test_callbacks_of_the_graph_do_not_hear_and_those_of_the_model_do(self) -> None:
        on_graph, on_model = Heard(), Heard()
        graph = self.graph(FakeListChatModel(responses=[self.INNER], callbacks=[on_model]), "sync")
        graph.invoke({"messages": "Hi"}, {"callbacks": [on_graph]})
        assert len(on_graph.tags) == 1
        assert len(on_model.tags) == 3
        assert all(TAG_NOSTREAM in tags for tags in on_model.tags)


class TestRealServers:
    @pytest.fixture
    def chat_openai(self, http_clients: tuple[Any, Any]) -> Callable[[str], ChatOpenAI]:
        def made(url: str) -> ChatOpenAI:
            return ChatOpenAI(
                model="any",
                base_url=url,
                api_key="x",
                max_retries=0,
                http_client=http_clients[0],
                http_async_client=http_clients[1],
            )

        return made

    async def test_local_model_answers_with_usage(self, ask: Any, chat_openai: Any, local_model_url: str) -> None:
        answer = await ask(chat_openai(local_model_url), QUESTION[:2], max_tokens=6)
        assert answer.text.strip()
        assert answer.prompt_tokens > 10
        assert 1 <= answer.completion_tokens <= 6

    async def test_options_arrive_at_the_server(self, ask: Any, chat_openai: Any, stub: StubServer) -> None:
        stub.one_by_one(says("Rome", prompt_tokens=4))
        answer = await ask(chat_openai(stub.url), temperature=0.5, max_tokens=7)
        assert answer == Completion("Rome", 4, 2)
        assert stub.requests[0]["temperature"] == 0.5
        assert 7 in (stub.requests[0].get("max_tokens"), stub.requests[0].get("max_completion_tokens"))

    @pytest.mark.parametrize(("status", "retryable"), [(429, True), (401, False)])
    async def test_status_decides_whether_asking_later_may_help(
        self, ask: Any, chat_openai: Any, stub: StubServer, status: int, retryable: bool
    ) -> None:
        stub.behaviour = lambda _: fails(status, "no")
        with pytest.raises(ModelError) as caught:
            await ask(chat_openai(stub.url))
        assert caught.value.retryable is retryable
