from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.chat_engine import CondensePlusContextChatEngine, ContextChatEngine
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.indices.postprocessor import SimilarityPostprocessor
from llama_index.core.llms import MockLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.core.schema import MetadataMode, NodeWithScore, TextNode

from llamaindex_retrievers import TallyMemRetriever
from memory_evidence.errors import ConfigError
from memory_evidence.tallymem import Step, TallyMem, Trajectory
from tests.llamaindex_retrievers.helpers import FEW, LOG, MANY, OPENED, WHY, ScriptedLLM, tally_that_needs_a_free_loop
from tests.tallymem.tallies import CODE, HOUSE

ROOT = Path(__file__).parents[2]


def split(found: list[NodeWithScore]) -> tuple[list[NodeWithScore], list[NodeWithScore]]:
    """Part the nodes of steps from those of computed evidence."""
    return [n for n in found if "step" in n.metadata], [n for n in found if "step" not in n.metadata]


@pytest.mark.parametrize("question", [MANY, FEW, WHY, "", "What is on shelf 7?"])
async def test_nodes_are_the_views_steps_in_order_and_then_the_attached_block(question: str) -> None:
    tally = TallyMem(LOG)
    retriever = TallyMemRetriever(tally)
    evidence = tally.evidence(question)
    for found in (retriever.retrieve(question), await retriever.aretrieve(question)):
        steps, computed = split(found)
        assert found == [*steps, *computed]
        assert [node.metadata["step"] for node in steps] == list(evidence.view.steps)
        assert [node.get_content(MetadataMode.LLM) for node in steps] == list(evidence.view.shown)
        assert [node.text for node in computed] == ([str(evidence.computed)] if evidence.attached else [])


def test_block_is_there_under_the_router_alone() -> None:
    assert split(TallyMemRetriever(TallyMem(LOG)).retrieve(FEW))[1] == []
    (block,) = split(TallyMemRetriever(TallyMem(LOG, attach_above=3)).retrieve(FEW))[1]
    assert "count = 4" in block.text
    assert block.score == 1.0
    assert block.metadata["matched_steps"] == [0, 3, 6, 9]


def test_sync_and_async_return_equal_nodes() -> None:
    retriever = TallyMemRetriever(TallyMem(CODE, attach_above=None))
    question = "How many times was a file edited, and when?"
    assert asyncio.run(retriever.aretrieve(question)) == retriever.retrieve(question)


def test_no_metadata_goes_into_a_prompt_or_an_embedding() -> None:
    for node in TallyMemRetriever(TallyMem(LOG)).retrieve(MANY):
        assert node.metadata
        for mode in (MetadataMode.LLM, MetadataMode.EMBED, MetadataMode.NONE):
            assert node.get_content(mode) == node.text


def test_step_nodes_say_step_tool_and_outcome() -> None:
    steps, _ = split(TallyMemRetriever(TallyMem(HOUSE)).retrieve("What was opened?"))
    assert steps[2].metadata == {"step": 2, "tool": "open", "outcome": "success"}
    assert steps[7].metadata == {"step": 7, "tool": "close", "outcome": "no_effect"}


def test_metadata_is_plain_data() -> None:
    for question in (MANY, "How often was each tool used?", "What is the ratio of open to go actions?"):
        for node in TallyMemRetriever(TallyMem(LOG, attach_above=None)).retrieve(question):
            assert json.loads(json.dumps(node.metadata)) == node.metadata
            assert TextNode.from_json(node.node.to_json()) == node.node


def test_scores_fall_with_the_distance_to_what_the_question_names() -> None:
    log = Trajectory.from_pairs([(f"walk to room {n}", f"You are in room {n}.") for n in range(30)])
    found = TallyMemRetriever(TallyMem(log)).retrieve("What did the agent do at step 20?")
    scores = {node.metadata["step"]: node.score for node in found}
    assert max(scores, key=lambda step: scores[step] or 0) == 20
    assert 0 < scores[0] < scores[19] == scores[21] < scores[20] == 1.0


def test_scores_without_an_anchor_favour_the_newest_step() -> None:
    found = TallyMemRetriever(TallyMem(LOG)).retrieve("")
    scores = [node.score or 0.0 for node in found]
    assert scores == sorted(scores)
    assert scores[-1] == 1.0


def test_similarity_cutoff_keeps_computed_evidence() -> None:
    found = TallyMemRetriever(TallyMem(LOG)).retrieve(MANY)
    kept = SimilarityPostprocessor(similarity_cutoff=0.99).postprocess_nodes(found, query_str=MANY)
    assert any("count = 20" in node.text for node in kept)


def test_node_ids_are_unique_and_the_same_in_every_process() -> None:
    ids = [node.node_id for node in TallyMemRetriever(TallyMem(LOG)).retrieve(MANY)]
    assert len(set(ids)) == len(ids) == 61
    code = (
        "from llamaindex_retrievers import TallyMemRetriever\n"
        "from memory_evidence.tallymem import TallyMem\n"
        "from tests.llamaindex_retrievers.helpers import LOG, MANY\n"
        "print(*(node.node_id for node in TallyMemRetriever(TallyMem(LOG)).retrieve(MANY)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ids


def test_step_keeps_its_id_when_the_log_grows_and_when_it_is_cut() -> None:
    tally = TallyMem(Trajectory.from_pairs([("read", "x" * 3_000), *[("look", "nothing")] * 5]))
    retriever = TallyMemRetriever(tally)
    before = retriever.retrieve("What happened at step 0?")
    for id in range(6, 12):
        tally.append(Step(id, "look", "nothing"))
    after = retriever.retrieve("What happened at step 11?")
    assert before[0].text != after[0].text
    assert [node.node_id for node in after[:6]] == [node.node_id for node in before]


def test_trajectories_that_meet_keep_their_nodes() -> None:
    other = Trajectory.from_pairs([("open drawer 1", "It is locked."), ("open drawer 1", "You open the drawer 1.")])
    for names in (("a", "b"), ("a", "a")):
        retrievers: Any = [
            TallyMemRetriever(TallyMem(log), name=name) for name, log in zip(names, (LOG, other), strict=True)
        ]
        fusion = QueryFusionRetriever(
            retrievers,
            llm=MockLLM(),
            num_queries=1,
            similarity_top_k=100,
            mode=FUSION_MODES.RECIPROCAL_RANK,
            use_async=False,
        )
        assert len(fusion.retrieve(MANY)) == 63


def test_retriever_query_engine_reads_the_nodes_and_keeps_them_as_sources() -> None:
    engine = RetrieverQueryEngine.from_args(TallyMemRetriever(TallyMem(LOG)), llm=MockLLM())
    response = engine.query(MANY)
    assert "count = 20 (20 matched steps)" in str(response)
    assert [node.metadata["step"] for node in response.source_nodes[:-1]] == list(range(60))
    assert response.source_nodes[-1].metadata["matched_steps"] == OPENED


async def test_retriever_query_engine_works_under_a_running_loop() -> None:
    engine = RetrieverQueryEngine.from_args(TallyMemRetriever(TallyMem(LOG)), llm=MockLLM())
    assert str(await engine.aquery(MANY)) == str(engine.query(MANY))


def test_blocks_for_different_questions_are_all_kept() -> None:
    llm = ScriptedLLM(replies=["How often was each tool used?\nHow many different tools were used?"])
    retrievers: Any = [TallyMemRetriever(TallyMem(LOG))]
    fusion = QueryFusionRetriever(retrievers, llm=llm, num_queries=3, similarity_top_k=100, use_async=False)
    _, computed = split(fusion.retrieve(MANY))
    assert sorted(node.metadata["operation"] for node in computed) == ["count", "distinct", "group"]


@pytest.mark.parametrize("kind", [ContextChatEngine, CondensePlusContextChatEngine])
async def test_chat_engines_read_the_block(kind: Any) -> None:
    memory = ChatMemoryBuffer.from_defaults(token_limit=100_000)  # the default one leaves a database open
    chat = kind.from_defaults(retriever=TallyMemRetriever(TallyMem(LOG)), llm=MockLLM(), memory=memory)
    assert "count = 20 (20 matched steps)" in str(chat.chat(MANY))
    chat.reset()
    assert "count = 20 (20 matched steps)" in str(await chat.achat(MANY))


def test_nodes_can_be_indexed_and_kept(tmp_path: Path) -> None:
    found = TallyMemRetriever(TallyMem(LOG)).retrieve(MANY)
    embedding = MockEmbedding(embed_dim=8)
    VectorStoreIndex([node.node for node in found], embed_model=embedding).storage_context.persist(str(tmp_path))
    index = load_index_from_storage(StorageContext.from_defaults(persist_dir=str(tmp_path)), embed_model=embedding)
    kept = index.as_retriever(similarity_top_k=100).retrieve(MANY)
    assert {node.node_id: node.text for node in kept} == {node.node_id: node.text for node in found}


async def test_async_retrieval_leaves_the_loop_free() -> None:
    tally, turn = tally_that_needs_a_free_loop()
    found = asyncio.create_task(TallyMemRetriever(tally).aretrieve(MANY))
    await asyncio.sleep(0)
    turn.set()
    assert len(await found) > 1


def test_nodes_of_an_empty_log_are_none() -> None:
    assert TallyMemRetriever(TallyMem(Trajectory(()))).retrieve("How many steps are there?") == []


@pytest.mark.parametrize("arguments", [{"tally": LOG}, {"tally": TallyMem(LOG), "name": ""}])
def test_wrong_arguments_are_errors_that_name_them(arguments: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="name" if "name" in arguments else "tally"):
        TallyMemRetriever(**arguments)
