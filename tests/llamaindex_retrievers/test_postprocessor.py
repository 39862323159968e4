from __future__ import annotations

import asyncio

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, TextNode

from llamaindex_retrievers import TallyMemPostprocessor
from memory_evidence.errors import ConfigError
from memory_evidence.tallymem import TallyMem, Trajectory
from tests.llamaindex_retrievers.helpers import FEW, LOG, MANY, WHY, tally_that_needs_a_free_loop


@pytest.mark.parametrize("top_k", [1, 3, 50])
async def test_count_is_the_same_at_any_similarity_top_k(top_k: int) -> None:
    # Of 1,000 steps retrieval hands over a few; what is counted is the whole log.
    log = Trajectory.from_pairs(
        [("open drawer 1", "") if n % 8 == 0 else (f"go to shelf {n}", "") for n in range(1_000)]
    )
    nodes = [TextNode(id_=str(step.id), text=step.action) for step in log]
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=8))
    engine = RetrieverQueryEngine.from_args(
        index.as_retriever(similarity_top_k=top_k),
        llm=MockLLM(),
        node_postprocessors=[TallyMemPostprocessor(TallyMem(log))],
    )
    for response in (engine.query(MANY), await engine.aquery(MANY)):
        assert "count = 125 (125 matched steps)" in str(response)
        assert len(response.source_nodes) == top_k + 1
        assert response.source_nodes[0].metadata["matched_steps"] == list(range(0, 1_000, 8))


def found() -> list[NodeWithScore]:
    return [NodeWithScore(node=TextNode(id_=text, text=text), score=score) for text, score in (("a", 0.9), ("b", None))]


@pytest.fixture
def index() -> VectorStoreIndex:
    nodes = [TextNode(id_=str(step.id), text=f"{step.action}\n{step.observation}") for step in LOG]
    return VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=8))


async def test_block_comes_first_and_the_rest_stays() -> None:
    tally = TallyMem(LOG)
    processor = TallyMemPostprocessor(tally)
    for nodes in (
        processor.postprocess_nodes(found(), query_str=MANY),
        await processor.apostprocess_nodes(found(), query_str=MANY),
    ):
        assert nodes[1:] == found()
        assert nodes[0].text == str(tally.evidence(MANY).computed)
        assert nodes[0].score == 1.0
    assert processor.postprocess_nodes([], query_str=MANY) == nodes[:1]


async def test_nothing_is_added_where_the_router_attaches_nothing() -> None:
    processor = TallyMemPostprocessor(TallyMem(LOG))
    for question in (FEW, WHY, ""):
        assert processor.postprocess_nodes(found(), query_str=question) == found()
        assert await processor.apostprocess_nodes(found(), query_str=question) == found()
    assert processor.postprocess_nodes(found()) == found()
    assert await processor.apostprocess_nodes(found()) == found()


async def test_index_that_someone_has_answers_with_the_count(index: VectorStoreIndex) -> None:
    processors = [SimilarityPostprocessor(similarity_cutoff=0.0), TallyMemPostprocessor(TallyMem(LOG))]
    engine = RetrieverQueryEngine.from_args(
        index.as_retriever(similarity_top_k=3), llm=MockLLM(), node_postprocessors=processors
    )
    for response in (engine.query(MANY), await engine.aquery(MANY)):
        assert "count = 20 (20 matched steps)" in str(response)
        assert len(response.source_nodes) == 4
        assert response.source_nodes[0].metadata["matched_steps"] == list(range(0, 60, 3))


async def test_async_leaves_the_loop_free() -> None:
    tally, turn = tally_that_needs_a_free_loop()
    nodes = asyncio.create_task(TallyMemPostprocessor(tally).apostprocess_nodes(found(), query_str=MANY))
    await asyncio.sleep(0)
    turn.set()
    assert len(await nodes) == 3


def test_component_can_be_written_down() -> None:
    processor = TallyMemPostprocessor(TallyMem(LOG), name="run-7")
    assert processor.to_dict()["class_name"] == "TallyMemPostprocessor"
    assert processor.postprocess_nodes([], query_str=MANY)[0].node_id.startswith("run-7-computed-")


def test_wrong_arguments_are_errors_that_name_them() -> None:
    with pytest.raises(ConfigError, match="`tally`"):
        TallyMemPostprocessor(LOG)  # type: ignore[arg-type]
