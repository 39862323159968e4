"""End to end with a real model behind an OpenAI-compatible server on this machine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial

import pytest
from llama_index.llms.openai_like import OpenAILike
from openai import DefaultAsyncHttpxClient, DefaultHttpxClient

from integrations.llamaindex_model import LlamaIndexModel
from llamaindex_retrievers import TallyMemQueryEngine
from memory_evidence.tallymem import TallyMem
from tests.llamaindex_retrievers.helpers import LOG, WAYS, asked

ODD = "Tell the tale of drawer 1 in numbers"


@pytest.fixture
async def llm(local_model_url: str) -> AsyncIterator[OpenAILike]:
    with DefaultHttpxClient() as client:
        async with DefaultAsyncHttpxClient() as async_client:
            yield OpenAILike(
                model="local",
                api_base=local_model_url,
                api_key="x",
                is_chat_model=True,
                context_window=8192,
                max_tokens=16,
                temperature=0.0,
                max_retries=0,
                http_client=client,
                async_http_client=async_client,
            )


@pytest.mark.parametrize("way", WAYS)
async def test_real_model_answers_from_the_view(llm: OpenAILike, way: str) -> None:
    tally = TallyMem(LOG, view_budget=400)  # a 135M model finds nothing in more
    response = await asked(partial(TallyMemQueryEngine, tally, llm), way, "What did the agent see on shelf 7?")
    assert "mug 7" in str(response.response)
    assert (response.metadata or {})["route"] == "view"


async def test_small_model_that_cannot_plan_costs_no_answer(llm: OpenAILike) -> None:
    tally = TallyMem(LOG, LlamaIndexModel(llm), view_budget=400)
    response = await TallyMemQueryEngine(tally, llm).aquery(ODD)
    assert str(response)
    metadata = response.metadata or {}
    assert metadata["compiler"] == "model"
    assert metadata["results"] or metadata["reason"]
