from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from llama_index.core import Settings
from llama_index.core.base.llms.types import CompletionResponse, CompletionResponseGen
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.llms import MockLLM
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.prompts import PromptTemplate, RichPromptTemplate
from pydantic import Field

from llamaindex_retrievers import TallyMemQueryEngine
from memory_evidence.errors import ConfigError
from memory_evidence.tallymem import Step, TallyMem, Trajectory
from memory_evidence.testing import ScriptedModel, ScriptEndedError
from tests.llamaindex_retrievers.helpers import (
    FEW,
    LOG,
    MANY,
    OPENED,
    WAYS,
    WHY,
    ScriptedLLM,
    asked,
    tally_that_needs_a_free_loop,
)
from tests.tallymem.tallies import CODE

ways = pytest.mark.parametrize("way", WAYS)
KEYS = {
    "route",
    "operation",
    "filters",
    "matched_steps",
    "total_steps",
    "results",
    "plan",
    "compiler",
    "reason",
}


@pytest.fixture(autouse=True)
def no_model_in_settings() -> Any:
    """`Settings.llm` is read by nothing here: reading it would look for a key."""
    assert Settings._llm is None
    yield
    assert Settings._llm is None


@ways
@pytest.mark.parametrize("chat_model", [True, False])
@pytest.mark.parametrize("question", [MANY, FEW, WHY])
async def test_llm_reads_the_view_and_what_the_router_attaches(way: str, chat_model: bool, question: str) -> None:
    tally = TallyMem(LOG)
    llm = ScriptedLLM(replies=["Twenty times."], chat_model=chat_model)
    response = await asked(partial(TallyMemQueryEngine, tally, llm), way, question)
    assert response.response == "Twenty times."
    evidence = tally.evidence(question)
    (prompt,) = llm.prompts
    assert f"{evidence}\n\nQuestion: {question}\n" in prompt
    assert ("count = " in prompt) == evidence.attached == (question == MANY)
    assert (response.metadata or {})["route"] == ("computed" if evidence.attached else "view")


@ways
async def test_answer_has_its_sources_and_receipt(way: str) -> None:
    llm = ScriptedLLM(replies=["Twenty times."])
    response = await asked(partial(TallyMemQueryEngine, TallyMem(LOG), llm), way, MANY)
    assert [(node.metadata["step"], node.score) for node in response.source_nodes] == [(id, 1.0) for id in OPENED]
    assert response.metadata == {
        "route": "computed",
        "operation": "count",
        "filters": "target 'drawer 1' and tool 'open'",
        "matched_steps": OPENED,
        "total_steps": 60,
        "results": [
            {
                "operation": "count",
                "filters": "target 'drawer 1' and tool 'open'",
                "scope": "all steps",
                "value": 20,
                "relaxed": False,
                "left_open": {"outcome": 0, "effect": 0, "scope": 0},
                "verified_zero": False,
            }
        ],
        "plan": ["count | target 'drawer 1' and tool 'open' | all steps"],
        "compiler": "rules",
        "reason": "",
    }


@pytest.mark.parametrize(
    "question", [MANY, FEW, WHY, "", "How often was each tool used?", "How often was drawer 77 opened?"]
)
async def test_all_four_ways_give_the_same(question: str) -> None:
    engine = partial(TallyMemQueryEngine, TallyMem(LOG), None)
    first, *others = [await asked(engine, way, question) for way in WAYS]
    assert others == [first] * 3
    assert set(first.metadata or {}) == KEYS
    assert json.loads(json.dumps(first.metadata)) == first.metadata


@ways
async def test_without_a_model_the_response_is_the_evidence(way: str) -> None:
    tally = TallyMem(LOG)
    engine = partial(TallyMemQueryEngine, tally)
    for question in (MANY, FEW):  # there is no reader that could count the few
        response = await asked(engine, way, question)
        assert response.response == str(tally.evidence(question).computed)
        assert (response.metadata or {})["route"] == "computed"
    response = await asked(engine, way, WHY)
    assert response.response == str(tally.evidence(WHY).view)
    assert (response.metadata or {})["route"] == "view"
    assert "not a question of counting" in (response.metadata or {})["reason"]
    assert [node.metadata["step"] for node in response.source_nodes] == list(tally.evidence(WHY).view.steps)


def test_count_is_the_same_whatever_a_view_can_hold() -> None:
    log = Trajectory.from_pairs([(f"open drawer {n % 10}", f"You open the drawer {n % 10}.") for n in range(1_000)])
    for budget in (300, 3_000, 26_000):
        response = TallyMemQueryEngine(TallyMem(log, view_budget=budget)).query("How often was drawer 7 opened?")
        assert (response.metadata or {})["results"][0]["value"] == 100
        assert [node.metadata["step"] for node in response.source_nodes] == list(range(7, 1_000, 10))


def test_source_that_the_view_does_not_show_is_cut_and_says_so() -> None:
    log = Trajectory.from_pairs([("open drawer 1", "You open the drawer 1. " + "It creaks. " * 1_000)] * 20)
    response = TallyMemQueryEngine(TallyMem(log, view_budget=200)).query(MANY)
    assert len(response.source_nodes) == 20
    text = response.source_nodes[0].text
    assert len(text) < 1_400
    assert "characters left out]" in text


def test_sources_are_limited_and_ids_are_not() -> None:
    log = Trajectory.from_pairs([("open drawer 1", "You open the drawer 1.")] * 1_200)
    for most, expected in ((1_000, 1_000), (None, 1_200), (0, 0)):
        response = TallyMemQueryEngine(TallyMem(log), most_sources=most).query(MANY)
        assert len(response.source_nodes) == expected
        assert (response.metadata or {})["matched_steps"] == list(range(1_200))
    assert len(TallyMemQueryEngine(TallyMem(log)).query(MANY).source_nodes) == 1_000


def test_group_answer_names_each_group() -> None:
    response = TallyMemQueryEngine(TallyMem(LOG)).query("How often was each tool used?")
    (result,) = (response.metadata or {})["results"]
    assert result["value"] == {"go": 40, "open": 20}
    assert [node.metadata["step"] for node in response.source_nodes] == list(range(60))


def test_verified_zero_has_no_sources_and_an_unknown_word_no_number() -> None:
    engine = TallyMemQueryEngine(TallyMem(CODE))
    zero = engine.query("How many calls ended with exit code 7?")
    assert (zero.metadata or {})["results"][0]["verified_zero"]
    assert zero.source_nodes == []
    unknown = TallyMemQueryEngine(TallyMem(LOG)).query("How often was drawer 77 opened?")
    assert (unknown.metadata or {})["results"] == []
    assert "knows no" in (unknown.metadata or {})["reason"]


def test_metadata_of_two_responses_is_not_shared() -> None:
    engine = TallyMemQueryEngine(TallyMem(LOG))
    first = engine.query(MANY).metadata or {}
    first["selector_result"] = "mine"
    assert set(engine.query(MANY).metadata or {}) == KEYS


@ways
async def test_model_is_not_asked_where_there_is_nothing_to_read(way: str) -> None:
    llm = ScriptedLLM(replies=[])
    engine = partial(TallyMemQueryEngine, TallyMem(Trajectory(())), llm)
    response = await asked(engine, way, "How many steps are there?")
    assert response.response == "Nothing is there to answer from: the trajectory holds no steps."
    assert response.source_nodes == []


@ways
async def test_error_of_the_llm_is_raised(way: str) -> None:
    with pytest.raises(ScriptEndedError):
        await asked(partial(TallyMemQueryEngine, TallyMem(LOG), ScriptedLLM(replies=[])), way, MANY)


@ways
async def test_llm_with_an_async_door_is_asked_through_it(way: str) -> None:
    llm = MockFunctionCallingLLM(is_chat_model=True)  # says what it is asked
    tally = TallyMem(LOG)
    response = await asked(partial(TallyMemQueryEngine, tally, llm), way, MANY)
    assert str(response.response).startswith(str(tally.evidence(MANY)))


@pytest.mark.parametrize("streaming", [False, True])
async def test_async_question_leaves_the_loop_free(streaming: bool) -> None:
    tally, turn = tally_that_needs_a_free_loop()
    answer = asyncio.create_task(TallyMemQueryEngine(tally, streaming=streaming).aquery(MANY))
    await asyncio.sleep(0)
    turn.set()
    assert (await answer).metadata["matched_steps"] == OPENED


@pytest.mark.parametrize("chat_model", [True, False])
@pytest.mark.parametrize("streaming", [True, False])
async def test_llm_that_knows_no_async_leaves_the_loop_free(streaming: bool, chat_model: bool) -> None:
    started, turn = threading.Event(), threading.Event()

    class Slow(ScriptedLLM):
        def _next(self, prompt: str) -> str:
            started.set()
            # Only a loop that is free can set it.
            return "free" if turn.wait(timeout=5) else "blocked"

    engine = partial(TallyMemQueryEngine, TallyMem(LOG), Slow(replies=[], chat_model=chat_model))
    answer = asyncio.create_task(asked(engine, "astream" if streaming else "aquery", WHY))
    assert await asyncio.to_thread(started.wait, 10)
    turn.set()
    assert str(await answer) == "free"


async def test_each_token_of_such_an_llm_leaves_the_loop_free() -> None:
    started, turn = threading.Event(), threading.Event()

    class Slow(ScriptedLLM):
        def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
            def tokens() -> CompletionResponseGen:
                started.set()
                yield CompletionResponse(text="free", delta="free" if turn.wait(timeout=5) else "blocked")

            return tokens()

    answer = asyncio.create_task(asked(partial(TallyMemQueryEngine, TallyMem(LOG), Slow(replies=[])), "astream", WHY))
    assert await asyncio.to_thread(started.wait, 10)
    turn.set()
    assert str(await answer) == "free"


def test_query_works_inside_a_running_loop() -> None:
    async def inside() -> str:
        return str(TallyMemQueryEngine(TallyMem(LOG), ScriptedLLM(replies=["Twenty."])).query(MANY))

    assert asyncio.run(inside()) == "Twenty."


@pytest.mark.parametrize("kind", [PromptTemplate, RichPromptTemplate])
def test_template_of_the_users_own(kind: Any) -> None:
    plain = kind is PromptTemplate
    text = "{query_str} :: {context_str}" if plain else "{{ query_str }} :: {{ context_str }}"
    tally, llm = TallyMem(LOG), ScriptedLLM(replies=["a", "b"], chat_model=False)
    engine = TallyMemQueryEngine(tally, llm, text_qa_template=kind(text))
    engine.query(MANY)
    assert f"{MANY} :: {tally.evidence(MANY)}" in llm.prompts[0]
    engine.update_prompts({"text_qa_template": PromptTemplate("Briefly. {context_str}")})
    engine.query(MANY)
    assert llm.prompts[1].startswith("Briefly. <memory-evidence>")
    assert list(engine.get_prompts()) == ["text_qa_template"]


def test_growing_trajectory_is_seen() -> None:
    tally = TallyMem(LOG)
    engine = TallyMemQueryEngine(tally)
    tally.append(Step(60, "open drawer 1", "You open the drawer 1."))
    assert (engine.query(MANY).metadata or {})["matched_steps"] == [*OPENED, 60]


PLAN = json.dumps(
    {"applicable": True, "queries": [{"operation": "count", "where": {"tool": ["open"], "target": "drawer 1"}}]}
)
ODD = "Tell the tale of drawer 1 in numbers"


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        (PLAN, 20),
        (f"Sure, here it is:\n```json\n{PLAN}\n```", 20),
        ("", None),
        ("I would count the drawers; I think there are 7.", None),
        (PLAN.replace("queries", "query_list"), None),
        (PLAN.replace("count", "sum"), None),
        (json.dumps([1]), None),
    ],
)
@ways
async def test_model_that_compiles_gives_a_plan_or_a_reason(reply: str, value: int | None, way: str) -> None:
    tally = TallyMem(LOG, ScriptedModel([reply]))
    metadata = (await asked(partial(TallyMemQueryEngine, tally), way, ODD)).metadata or {}
    assert [result["value"] for result in metadata["results"]] == ([] if value is None else [value])
    assert metadata["compiler"] == "model"
    assert metadata["route"] == ("view" if value is None else "computed")
    assert bool(metadata["reason"]) == (value is None)


def test_query_events_are_sent() -> None:
    class Names(BaseEventHandler):
        seen: list[str] = Field(default_factory=list)

        @classmethod
        def class_name(cls) -> str:
            return "Names"

        def handle(self, event: Any, **kwargs: Any) -> None:
            self.seen.append(event.class_name())

    handler, root = Names(), get_dispatcher()
    root.add_event_handler(handler)
    try:
        TallyMemQueryEngine(TallyMem(LOG), MockLLM()).query(MANY)
    finally:
        root.event_handlers.remove(handler)
    assert handler.seen[0] == "QueryStartEvent"
    assert handler.seen[-1] == "QueryEndEvent"
    assert "LLMPredictStartEvent" in handler.seen


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: TallyMemQueryEngine(LOG), "tally"),  # type: ignore[arg-type]
        (lambda: TallyMemQueryEngine(TallyMem(LOG), "gpt"), "llm"),  # type: ignore[arg-type]
        (lambda: TallyMemQueryEngine(TallyMem(LOG), name=""), "name"),
        (lambda: TallyMemQueryEngine(TallyMem(LOG), most_sources=-1), "most_sources"),
    ],
)
def test_wrong_arguments_are_errors_that_name_them(make: Callable[[], Any], named: str) -> None:
    with pytest.raises(ConfigError, match=f"`{named}`"):
        make()
