"""A log that cannot be read: its database lost a table, or was closed."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import CustomQueryEngine, RouterQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.core.tools import QueryEngineTool

from llamaindex_retrievers import (
    TallyLoadSelector,
    TallyMemPostprocessor,
    TallyMemQueryEngine,
    TallyMemRetriever,
    tally_query_engine_tool,
)
from memory_evidence.errors import ConfigError, HostError, StoreError
from memory_evidence.tallymem import TallyMem
from tests.llamaindex_retrievers.helpers import LOG, MANY, WAYS, ScriptedLLM, asked
from tests.tallymem.broken_logs import without_tables

ways = pytest.mark.parametrize("way", WAYS)


class Documents(CustomQueryEngine):
    """Another engine of the user's."""

    def custom_query(self, query_str: str) -> str:
        return "documents"


@pytest.fixture(params=["dropped", "closed"])
def broken(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TallyMem]:
    with without_tables(tmp_path, LOG) as tally:
        if request.param == "closed":
            tally.close()
        yield tally


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if record.levelno == logging.WARNING]


@ways
async def test_engine_raises_the_error_of_the_store(broken: TallyMem, way: str) -> None:
    llm = ScriptedLLM(replies=[])
    with pytest.raises(StoreError):
        await asked(lambda streaming: TallyMemQueryEngine(broken, llm, streaming=streaming), way, MANY)
    assert llm.prompts == []


@ways
@pytest.mark.parametrize("with_llm", [True, False])
async def test_answer_of_an_engine_that_skips_says_so(
    broken: TallyMem, way: str, with_llm: bool, caplog: pytest.LogCaptureFixture
) -> None:
    llm = ScriptedLLM(replies=[]) if with_llm else None
    response = await asked(
        lambda streaming: TallyMemQueryEngine(broken, llm, streaming=streaming, on_error="skip"), way, MANY
    )
    assert str(response).startswith("Nothing is there to answer from: the log could not be read: store: ")
    assert response.source_nodes == []
    assert response.metadata is not None
    assert response.metadata["route"] == "failed"
    assert response.metadata["reason"].startswith("the log could not be read: store: ")
    assert (response.metadata["results"], response.metadata["matched_steps"]) == ([], [])
    json.dumps(response.metadata)
    assert [text.startswith("this turn goes on without the log: store: ") for text in warnings(caplog)] == [True]


async def test_retriever_raises_or_returns_nothing(broken: TallyMem, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(StoreError):
        TallyMemRetriever(broken).retrieve(MANY)
    with pytest.raises(StoreError):
        await TallyMemRetriever(broken).aretrieve(MANY)
    assert warnings(caplog) == []
    assert TallyMemRetriever(broken, on_error="skip").retrieve(MANY) == []
    assert await TallyMemRetriever(broken, on_error="skip").aretrieve(MANY) == []
    assert len(warnings(caplog)) == 2


async def test_nodes_that_were_found_pass_a_postprocessor_that_skips(
    broken: TallyMem, caplog: pytest.LogCaptureFixture
) -> None:
    nodes, asking = [NodeWithScore(node=TextNode(text="a"), score=0.5)], QueryBundle(MANY)
    with pytest.raises(StoreError):
        TallyMemPostprocessor(broken).postprocess_nodes(nodes, asking)
    with pytest.raises(StoreError):
        await TallyMemPostprocessor(broken).apostprocess_nodes(nodes, asking)
    skipping = TallyMemPostprocessor(broken, on_error="skip")
    assert skipping.postprocess_nodes(nodes, asking) == nodes
    assert await skipping.apostprocess_nodes(nodes, asking) == nodes
    assert len(warnings(caplog)) == 2


async def test_selector_that_skips_sends_the_question_elsewhere(
    broken: TallyMem, caplog: pytest.LogCaptureFixture
) -> None:
    tools = [tally_query_engine_tool(broken, name="log"), QueryEngineTool.from_defaults(Documents(), name="documents")]
    raising = RouterQueryEngine(TallyLoadSelector(broken), tools, llm=MockLLM())
    with pytest.raises(StoreError):
        raising.query(MANY)
    with pytest.raises(StoreError):
        await raising.aquery(MANY)
    skipping = RouterQueryEngine(TallyLoadSelector(broken, on_error="skip"), tools, llm=MockLLM())
    for response in (skipping.query(MANY), await skipping.aquery(MANY)):
        assert str(response) == "documents"
        assert response.metadata["selector_result"].reason.startswith("nothing was computed: the log could not be read")
    assert len(warnings(caplog)) == 2


async def test_agent_is_told_by_the_tool(broken: TallyMem) -> None:
    tool = tally_query_engine_tool(broken, on_error="skip")
    for output in (tool.call(MANY), await tool.acall(MANY)):
        assert "the log could not be read" in output.content


async def test_what_is_not_ours_is_the_cause_of_our_error(caplog: pytest.LogCaptureFixture) -> None:
    def measure(text: str) -> int:
        if counting:
            raise ConnectionError("no route")
        return len(text)

    counting: list[bool] = []
    tally = TallyMem(LOG, measure=measure)
    counting.append(True)
    with pytest.raises(HostError, match="tally failed: ConnectionError: no route") as raised:
        TallyMemRetriever(tally).retrieve(MANY)
    assert isinstance(raised.value.__cause__, ConnectionError)
    with pytest.raises(HostError, match="tally failed: ConnectionError: no route") as raised:
        await TallyMemRetriever(tally).aretrieve(MANY)
    assert isinstance(raised.value.__cause__, ConnectionError)
    assert TallyMemRetriever(tally, on_error="skip").retrieve(MANY) == []
    assert len(warnings(caplog)) == 1


@pytest.mark.parametrize(
    "make",
    [
        TallyMemRetriever,
        TallyMemQueryEngine,
        TallyMemPostprocessor,
        TallyLoadSelector,
        tally_query_engine_tool,
    ],
)
def test_another_word_for_it_is_refused(make: Callable[..., Any]) -> None:
    with pytest.raises(ConfigError, match="`on_error`"):
        make(TallyMem(LOG), on_error="ignore")
