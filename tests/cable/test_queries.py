"""Queries for antecedents, with and without a model."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.cable.classify import MemoryType
from memory_evidence.cable.host import Memory
from memory_evidence.cable.queries import MOST_QUERIES, QueriesOut, queries_ask, read_queries, template_queries
from memory_evidence.errors import ModelOutputError

MEMORY = Memory("1", "Emma: I submitted my resignation letter to the office on Friday.", "2026-03-02")
TYPES = get_args(MemoryType)


def test_the_type_guides_what_is_asked_for():
    asks = [queries_ask(MEMORY, kind) for kind in TYPES]
    assert len({ask.messages[0].content for ask in asks}) == len(TYPES)
    assert {(ask.stage, ask.temperature) for ask in asks} == {("queries", 0.2)}
    assert json.loads(asks[0].messages[1].content) == {"memory": MEMORY.text, "time": "2026-03-02"}


def test_generic_queries_ask_for_topics_whatever_the_type():
    asks = {queries_ask(MEMORY, kind, generic=True).messages[0].content for kind in TYPES}
    assert len(asks) == 1
    assert "EARLIER" not in asks.pop()


def test_the_models_queries_are_cleaned_and_no_more_than_asked_for():
    said = QueriesOut(
        queries=["work  pressure\nof Emma", "", " ", "work pressure of Emma", "her manager", "pay", "rent"]
    )
    assert read_queries(said, MEMORY, "event") == ("work pressure of Emma", "her manager", "pay")
    assert read_queries(said, MEMORY, "event", most=1) == ("work pressure of Emma",)


@pytest.mark.parametrize("answer", [QueriesOut(queries=[]), QueriesOut(queries=[" "]), ModelOutputError("x", "y", "z")])
def test_without_a_usable_answer_the_templates_ask(answer):
    assert read_queries(answer, MEMORY, "event") == template_queries(MEMORY.text, "event")


def test_templates_name_the_speaker_and_the_matter_and_differ_by_type():
    made = {kind: template_queries(MEMORY.text, kind) for kind in TYPES}
    assert len(set(made.values())) == len(TYPES)
    for queries in made.values():
        assert len(queries) == MOST_QUERIES
        assert all("Emma" in query and "resignation" in query for query in queries)


def test_a_question_alone_has_no_template():
    assert template_queries("Bo: Why did you leave?", "event") == ()


@given(st.text(max_size=300), st.sampled_from(TYPES), st.integers(1, 5))
def test_templates_are_few_short_and_different_whatever_the_text(text, kind, most):
    queries = template_queries(text, kind, most=most)
    assert len(queries) == len(set(queries)) <= most
    assert all(0 < len(query) <= 200 and "\n" not in query for query in queries)
