from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import CustomQueryEngine, RetrieverQueryEngine, RouterQueryEngine
from llama_index.core.retrievers import RouterRetriever
from llama_index.core.tools import QueryEngineTool, RetrieverTool, ToolMetadata

from llamaindex_retrievers import (
    TallyLoadSelector,
    TallyMemQueryEngine,
    TallyMemRetriever,
    tally_query_engine_tool,
)
from memory_evidence.errors import ConfigError
from memory_evidence.tallymem import TallyMem
from memory_evidence.testing import ScriptedModel
from tests.llamaindex_retrievers.helpers import FEW, LOG, MANY, WHY, tally_that_needs_a_free_loop


class Fixed(CustomQueryEngine):
    """Another engine of the user's: says its own name."""

    says: str

    def custom_query(self, query_str: str) -> str:
        return self.says


def router(selector: TallyLoadSelector, tally: TallyMem, *others: str) -> RouterQueryEngine:
    tools = [
        tally_query_engine_tool(tally, name="log"),
        *(QueryEngineTool.from_defaults(Fixed(says=name), name=name, description=name) for name in others),
    ]
    return RouterQueryEngine(selector, tools, llm=MockLLM())


async def both(engine: RouterQueryEngine, question: str) -> list[Any]:
    """Ask sync and async, both while a loop runs."""
    return [engine.query(question), await engine.aquery(question)]


@pytest.mark.parametrize("others", [("documents",), ("documents", "web"), ("a", "b", "documents", "c")])
async def test_questions_go_by_compiled_load_among_two_engines_or_more(others: tuple[str, ...]) -> None:
    tally = TallyMem(LOG)
    engine = router(TallyLoadSelector(tally, computed="log", otherwise="documents"), tally, *others)
    for response in await both(engine, MANY):
        assert "count = 20" in str(response)
        assert response.metadata["selector_result"].ind == 0
        assert response.metadata["selector_result"].reason == "20 matched steps, counted"
        assert response.metadata["matched_steps"] == [node.metadata["step"] for node in response.source_nodes]
    for response in await both(engine, FEW):
        assert "count = 4" in str(response)  # documents know nothing of the log, however few steps match
    for response in await both(engine, WHY):
        assert str(response) == "documents"


async def test_few_matched_steps_may_go_to_an_engine_that_reads_them() -> None:
    tally = TallyMem(LOG)
    engine = router(
        TallyLoadSelector(tally, computed="log", few="reader", otherwise="documents"), tally, "documents", "reader"
    )
    for question, name in ((MANY, "log"), (FEW, "reader"), (WHY, "documents")):
        for response in await both(engine, question):
            assert response.metadata["selector_result"].ind == ("log", "documents", "reader").index(name)


@pytest.mark.parametrize("question", ["How many times was drawer 1 opened?", "Why?"])
def test_a_misspelt_choice_does_not_wait_for_its_question(question: str) -> None:
    tally = TallyMem(LOG)
    selector = TallyLoadSelector(tally, computed="lgo", otherwise="documents")
    with pytest.raises(ConfigError, match=r"`computed` must be one of the 2 choices"):
        router(selector, tally, "documents").query(question)


async def test_reason_says_why_a_question_is_not_counted() -> None:
    selector = TallyLoadSelector(TallyMem(LOG), few=1)
    choices = [ToolMetadata("a", name="a"), ToolMetadata("b", name="b")]
    for question, reason in ((FEW, "4 matched steps, few enough to read"), (WHY, "nothing was computed: ")):
        for result in (selector.select(choices, question), await selector.aselect(choices, question)):
            assert result.ind == 1
            assert result.reason.startswith(reason)


async def test_threshold_is_the_tallys_own() -> None:
    tally = TallyMem(LOG, attach_above=3)
    for response in await both(router(TallyLoadSelector(tally, few="documents"), tally, "documents"), FEW):
        assert "count = 4" in str(response)


async def test_one_engine_alone_gets_every_question() -> None:
    tally = TallyMem(LOG)
    for question in (MANY, WHY):
        for response in await both(router(TallyLoadSelector(tally), tally), question):
            assert response.metadata["selector_result"].ind == 0


QUERY = '{"operation": "count", "where": {"tool": ["open"], "target": "drawer 1"}}'
PLAN = f'{{"applicable": true, "queries": [{QUERY}]}}'


@pytest.mark.parametrize(
    ("reply", "goes_to"),
    [
        (f"```json\n{PLAN}\n```", "log"),
        (f"Sure! The plan is: {PLAN} I hope it helps.", "log"),
        (QUERY, "documents"),
        ("", "documents"),
        ("I would ask the second engine.", "documents"),
        (json.dumps({"answer": 1}), "documents"),
        (json.dumps([{"choice": 1}]), "documents"),
    ],
)
async def test_model_output_is_parsed_or_takes_the_default_route(reply: str, goes_to: str) -> None:
    question = "Tell the tale of drawer 1 in numbers"
    tally = TallyMem(LOG, ScriptedModel([reply, reply, reply, reply]))
    engine = router(TallyLoadSelector(tally), tally, "documents")
    for response in await both(engine, question):
        assert response.metadata["selector_result"].ind == ("log", "documents").index(goes_to)


async def test_streaming_engines_are_routed_too() -> None:
    tally = TallyMem(LOG)
    tools = [
        QueryEngineTool.from_defaults(TallyMemQueryEngine(tally, MockLLM(), streaming=True), name=name)
        for name in ("a", "b")
    ]
    response: Any = await RouterQueryEngine(TallyLoadSelector(tally), tools, llm=MockLLM()).aquery(MANY)
    assert "count = 20" in str(await response.get_response())
    assert response.metadata["route"] == "computed"
    assert response.metadata["selector_result"].ind == 0


async def test_selector_works_among_retrievers() -> None:
    tally = TallyMem(LOG)
    retriever = TallyMemRetriever(tally)
    tools = [RetrieverTool.from_defaults(retriever, name=name, description=name) for name in ("log", "rest")]
    routed = RouterRetriever(TallyLoadSelector(tally), tools, llm=MockLLM())
    assert await routed.aretrieve(MANY) == routed.retrieve(MANY) == retriever.retrieve(MANY)


async def test_engine_over_a_retriever_can_be_the_other_one() -> None:
    tally = TallyMem(LOG)
    view = RetrieverQueryEngine.from_args(TallyMemRetriever(tally), llm=MockLLM())
    tools = [tally_query_engine_tool(tally), QueryEngineTool.from_defaults(view, name="view")]
    engine = RouterQueryEngine(TallyLoadSelector(tally, computed="ask_log", otherwise="view"), tools, llm=MockLLM())
    for response in await both(engine, WHY):
        assert "Action: open drawer 1" in str(response)


async def test_selecting_leaves_the_loop_free() -> None:
    tally, turn = tally_that_needs_a_free_loop()
    selected = asyncio.create_task(TallyLoadSelector(tally).aselect(["the log", "the rest"], MANY))
    await asyncio.sleep(0)
    turn.set()
    assert (await selected).ind == 0


@pytest.mark.parametrize("choice", [{"computed": "logs"}, {"computed": 2}, {"computed": -1}])
def test_choice_that_is_not_there_is_an_error(choice: dict[str, Any]) -> None:
    tally = TallyMem(LOG)
    with pytest.raises(ConfigError, match=r"`computed` must be one of the 2 choices, \['log', 'documents'\]"):
        router(TallyLoadSelector(tally, **choice), tally, "documents").query(MANY)


@pytest.mark.parametrize(
    ("arguments", "named"), [({"tally": LOG}, "tally"), ({"tally": TallyMem(LOG), "otherwise": None}, "otherwise")]
)
def test_wrong_arguments_are_errors_that_name_them(arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigError, match=f"`{named}`"):
        TallyLoadSelector(**arguments)
