"""Text that tries to be more than data, logs of odd shape, and questions that cannot be compiled."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode

from llamaindex_retrievers import TallyMemPostprocessor, TallyMemQueryEngine, TallyMemRetriever
from memory_evidence.blocks import safe_line
from memory_evidence.tallymem import Step, TallyMem, Trajectory
from tests.llamaindex_retrievers.helpers import LOG, MANY, WAYS, ScriptedLLM, asked
from tests.tallymem.trajectories import HOSTILE, real, trajectories

BRACES = ["{}", "{name}", "%s", "${X}", "{context_str}", "{query_str}", "{{ context_str }}", "%(x)d {0!r:>{1}} {{{}}}"]


@pytest.mark.parametrize("text", BRACES)
@pytest.mark.parametrize("chat_model", [True, False])
async def test_braces_and_percent_signs_pass_unchanged(text: str, chat_model: bool) -> None:
    log = Trajectory.from_pairs([(f"say {text}", f"It said {text}.")] * 20)
    tally = TallyMem(log)
    evidence = tally.evidence(f"How many times was {text} said?")
    for way in WAYS:
        llm = ScriptedLLM(replies=[f"{text} it is"], chat_model=chat_model)
        response = await asked(partial(TallyMemQueryEngine, tally, llm), way, evidence.question)
        assert str(evidence) in llm.prompts[0]
        assert f"Question: {evidence.question}\n" in llm.prompts[0]
        assert response.response == f"{text} it is"
    found = TallyMemRetriever(tally).retrieve("What was said?")
    assert found[0].get_content(MetadataMode.LLM) == f"Step 0\nAction: say {text}\nObservation: It said {text}."
    engine = RetrieverQueryEngine.from_args(TallyMemRetriever(tally), llm=MockLLM())
    assert f"Observation: It said {text}." in str(engine.query("What was said?"))


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_text_stays_inside_its_block_and_its_node(text: str) -> None:
    log = Trajectory.from_pairs([(f"open {text}", f"{text}\nYou open it.")] * 20)
    tally = TallyMem(log, attach_above=None)
    for way in WAYS:
        llm = ScriptedLLM(replies=["yes"])
        await asked(partial(TallyMemQueryEngine, tally, llm), way, "How many times was open used?")
        (prompt,) = llm.prompts
        assert prompt.count("<memory-evidence>") == prompt.count("</memory-evidence>") == 2
        assert "<|im_start|>" not in prompt
    observation = safe_line(f"{text}\nYou open it.")
    for id, node in enumerate(TallyMemRetriever(tally).retrieve("How many times was open used?")[:-1]):
        assert node.text == f"Step {id}\nAction: {safe_line(f'open {text}')}\nObservation: {observation}"
        assert "</memory-evidence>" not in node.text


@given(
    log=trajectories(),
    question=st.one_of(st.sampled_from([*HOSTILE, MANY, "How many steps are there?"]), st.text(max_size=30)),
)
@settings(max_examples=60)
def test_any_log_and_question_give_a_response_and_its_nodes(log: Trajectory, question: str) -> None:
    tally = TallyMem(log)
    retriever, engine = TallyMemRetriever(tally), TallyMemQueryEngine(tally)
    found = retriever.retrieve(question)
    assert asyncio.run(retriever.aretrieve(question)) == found
    assert len({node.node_id for node in found}) == len(found)
    response = engine.query(question)
    assert asyncio.run(engine.aquery(question)) == response
    assert str(response)
    str(response).encode("utf-8")
    assert {node.metadata["step"] for node in response.source_nodes} <= {step.id for step in log}


@pytest.mark.parametrize(
    "question",
    [
        "",
        "   ",
        "?",
        "Wie oft wurde die Schublade 1 geöffnet?",
        "抽屉1被打开了多少次？",
        "How many times was drawer 1 opened between step 900 and step 950?",
        "a " * 5_000,
    ],
)
async def test_question_that_cannot_be_computed_gets_the_view_and_a_reason(question: str) -> None:
    tally = TallyMem(LOG)
    for way in WAYS:
        response = await asked(partial(TallyMemQueryEngine, tally, ScriptedLLM(replies=["I see."])), way, question)
        assert response.response == "I see."
        metadata = response.metadata or {}
        assert metadata["reason"]
        assert (metadata["results"], metadata["route"], metadata["matched_steps"]) == ([], "view", [])
    assert TallyMemPostprocessor(tally).postprocess_nodes([], query_str=question) == []


def test_observation_of_20_megabytes_is_cut_in_prompt_node_and_source() -> None:
    huge = "You open the drawer 1. " + "x" * 20_000_000
    log = Trajectory.from_pairs([("open drawer 1", huge)] * 2)
    tally = TallyMem(log, attach_above=None)
    assert max(len(node.text) for node in TallyMemRetriever(tally).retrieve(MANY)) < 10_000
    llm = ScriptedLLM(replies=["Twice."])
    response = TallyMemQueryEngine(tally, llm).query(MANY)
    assert len(llm.prompts[0]) < 25_000
    assert [len(node.text) < 10_000 for node in response.source_nodes] == [True, True]


@pytest.mark.parametrize("size", [0, 1])
async def test_empty_log_and_one_step_are_answered(size: int) -> None:
    tally = TallyMem(Trajectory(LOG.steps[:size]))
    for way in WAYS:
        response = await asked(partial(TallyMemQueryEngine, tally), way, "How many steps are there?")
        assert len(response.source_nodes) == size
        assert (response.metadata or {})["total_steps"] == size
        assert ("count = 1" if size else "the trajectory holds no steps") in str(response)


def test_log_that_grows_while_it_is_read_gives_whole_answers() -> None:
    tally = TallyMem(LOG)
    engine, retriever = TallyMemQueryEngine(tally), TallyMemRetriever(tally)

    async def grow() -> None:
        for id in range(60, 260):
            await asyncio.to_thread(tally.append, Step(id, "open drawer 1", "You open the drawer 1."))

    async def read() -> list[Any]:
        growing = asyncio.create_task(grow())
        responses = []
        while not growing.done():
            responses.append(await engine.aquery(MANY))
            await retriever.aretrieve(MANY)
        return responses

    responses = asyncio.run(read())
    assert len(responses) > 1
    for response in responses:
        value = response.metadata["results"][0]["value"]
        assert value == len(response.source_nodes) == len(response.metadata["matched_steps"])
        assert value == 20 + response.metadata["total_steps"] - 60


def test_real_trajectories_give_nodes_that_are_what_the_view_shows() -> None:
    for number, (log, questions) in enumerate(real()):
        if number % 6:
            continue
        tally = TallyMem(log, attach_above=None)
        for question in questions[:4]:
            evidence = tally.evidence(question)
            nodes = TallyMemRetriever(tally).retrieve(question)
            assert [node.text for node in nodes[: len(evidence.view.steps)]] == list(evidence.view.shown)
            response = TallyMemQueryEngine(tally).query(question)
            sources = [node.metadata["step"] for node in response.source_nodes]
            if evidence.computed is None:
                assert sources == list(evidence.view.steps)
            else:
                assert sources == sorted({step for result in evidence.computed.results for step in result.steps})
                assert str(response) == str(evidence.computed)
