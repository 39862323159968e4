"""Hubs: of a subject with too many edges those nearest to the question are kept, and the receipt says so."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.cmc import ContractMemory
from memory_evidence.cmc.hubs import HubIndex, terms
from memory_evidence.cmc.resolve import StateGraph, Statement
from tests.cmc.histories import PLAIN, compiled, evidence

FACTS = 500
HUB = [f"User knows Person {n} from the {('chess', 'rowing', 'opera')[n % 3]} club." for n in range(FACTS)]

SUBJECTS = ("hub", "other")
statements_said = st.lists(
    st.tuples(
        st.sampled_from(SUBJECTS),
        st.sampled_from(["seat", "boss", "friend", "club"]),
        st.sampled_from(["oslo", "rome", "oslo fjord", "lima", "rome opera"]),
        st.booleans(),
    ),
    min_size=1,
    max_size=25,
)


def statements(said: list[tuple[str, str, str, bool]]) -> list[Statement]:
    return [
        Statement(n, 0, subject, relation, value, subject, relation, value, retracts)
        for n, (subject, relation, value, retracts) in enumerate(said, 1)
    ]


def text_of(position: int) -> str:
    return f"note {position % 3} on oslo" if position % 2 else "a note"


@given(statements_said.flatmap(lambda said: st.permutations(statements(said))), st.integers(1, 4), st.data())
def test_a_hub_index_that_follows_equals_one_built_afresh(
    arriving: list[Statement], limit: int, data: st.DataObject
) -> None:
    graph = StateGraph(frozenset({"friend", "club"}))
    following = HubIndex(graph, text_of, limit)
    for statement in arriving:
        graph.add(statement)
        following.update(statement)
        if data.draw(st.booleans()):
            question = terms(data.draw(st.sampled_from(["Oslo?", "rome opera friend", "nothing", ""])))
            fresh = HubIndex(graph, text_of, limit)
            for subject in SUBJECTS:
                assert following.nearest(subject, question) == fresh.nearest(subject, question)


@given(statements_said, st.integers(1, 4), st.sampled_from(["Oslo?", "nothing"]))
def test_a_hub_keeps_at_most_the_limit_of_what_stands_in_source_order(
    said: list[tuple[str, str, str, bool]], limit: int, question: str
) -> None:
    graph = StateGraph(frozenset({"friend", "club"}))
    for statement in statements(said):
        graph.add(statement)
    standing = list(graph.standing("hub"))
    found = HubIndex(graph, text_of, limit).nearest("hub", terms(question))
    if len(standing) <= limit:
        assert found is None
    else:
        assert found is not None
        kept, total = found
        assert total == len(standing)
        assert len(kept) <= limit
        assert set(kept) <= set(standing)
        assert [s.position for s in kept] == sorted(s.position for s in kept)


def test_of_a_hub_the_edges_nearest_to_the_question_are_kept_and_the_receipt_says_how_many() -> None:
    found = evidence(compiled(HUB, hub_limit=8), "Which people do I know? I mean Person 321.")
    assert 322 in found.positions
    assert len(found.edges) <= 8
    assert found.receipt.hubs == (("User", len(found.edges), FACTS),)
    assert "Hub: User kept 1 of 500 edges" in found.explain()


def test_without_a_limit_every_edge_of_a_hub_is_kept() -> None:
    found = evidence(compiled(HUB, hub_limit=None), "Do I know Person 321?")
    assert (len(found.edges), found.receipt.hubs) == (FACTS, ())


def test_where_nothing_is_near_the_newest_edges_are_kept() -> None:
    found = evidence(compiled(HUB, hub_limit=3), "Well, what about me?")
    assert found.positions == (498, 499, 500)


def test_of_equally_near_edges_the_newest_are_kept() -> None:
    texts = [f"User knows Fan {n} of opera." for n in range(20)]
    index = compiled([*texts, *(f"User knows Fan {n} of chess." for n in range(30))], hub_limit=2)
    assert evidence(index, "Whom of the opera do I know?").positions == (19, 20)


def test_a_hub_follows_updates_and_retractions_between_reads() -> None:
    texts = [*(f"User knows Person {n}." for n in range(12)), "User sits in Oslo."]
    question = "In which seat do I sit?"
    for change, position in (("User sits in Rome.", 14), ("User sits in Lima.", 15)):
        index = compiled(texts, hub_limit=2)
        evidence(index, question)
        texts.append(change)
        assert position in evidence(compiled(texts, hub_limit=2), question).positions
        assert position - 1 not in evidence(compiled(texts, hub_limit=2), question).positions


def test_a_subject_up_to_the_limit_is_no_hub() -> None:
    texts = [f"User knows Person {n}." for n in range(8)]
    found = evidence(compiled(texts, hub_limit=8), "Me?")
    assert (len(found.edges), found.receipt.hubs) == (8, ())


def test_a_hub_beyond_the_first_hop_is_cut_as_well() -> None:
    texts = ["Ann reports to User.", *(f"User knows Person {n}." for n in range(30))]
    found = evidence(compiled(texts, hub_limit=4), "Who does Ann report to? Person 7?")
    assert found.receipt.hubs == (("User", 1, 30),)
    assert 9 in found.positions


@pytest.mark.parametrize("limit", [1, 8])
def test_a_hub_limit_holds_in_every_order(limit: int) -> None:
    for order in ("source", "path"):
        found = evidence(compiled(HUB[:50], hub_limit=limit), "Person 7?", replace(PLAIN, order=order))
        assert found.receipt.hubs == ()
        found = evidence(compiled(HUB[:50], hub_limit=limit), "Do I know Person 7?", replace(PLAIN, order=order))
        assert len(found.edges) <= limit


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is the seat of Ann?", ["seat", "ann"]),
        ("meetings met; issues, finished!", ["meet", "met", "issu", "finish"]),
        ("東京に", ["東", "京", "に"]),
        ("Part 7 of 10", ["part", "7", "10"]),
        ("cats, gas, ties", ["cat", "gas", "tie"]),
    ],
)
def test_terms_are_what_a_question_is_about(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_a_question_in_other_words_finds_the_edge_of_a_hub() -> None:
    texts = ["User reports to Ann.", *(f"User knows Person {n}." for n in range(30))]
    known = {"manager": "reports to", "chief at work": "reports to"}
    index = compiled(texts, hub_limit=2, synonyms=known)
    assert 1 in evidence(index, "Who is my manager?").positions
    assert 1 in evidence(index, "Who at work is my chief?").positions
    assert 1 not in evidence(index, "Do I know Person 7?").positions


def test_an_edge_told_under_a_wording_is_found_by_the_common_name() -> None:
    texts = ["User reports to Ann.", *(f"User knows Person {n}." for n in range(30))]
    index = compiled(texts, hub_limit=2, synonyms={"reports to": "manager"})
    assert evidence(index, "Who is my manager?").positions == (1,)


def test_a_hub_is_asked_by_another_wording_of_the_relation() -> None:
    memory = ContractMemory(("u1",), store="sqlite://", synonyms={"boss": "manager"}, hub_limit=3)
    memory.add(["My manager is Bob.", *(f"I like food number {n}." for n in range(9))])
    assert [edge.object for edge in memory.read("Who is my boss?").edges] == ["Bob"]


def test_a_hub_asked_by_no_word_of_it_shows_the_newest_of_every_relation() -> None:
    memory = ContractMemory(("u1",), store="sqlite://", hub_limit=3)
    memory.add(["My manager is Bob.", "I live in Oslo.", *(f"I like food number {n}." for n in range(9))])
    found = memory.read("Anything on me?")
    assert {edge.relation for edge in found.edges} == {"manager", "located in", "likes"}


def test_what_a_fact_implies_is_no_edge_of_a_hub() -> None:
    # "I like ..." also says that it is not disliked.
    memory = ContractMemory(("u1",), store="sqlite://", hub_limit=3)
    memory.add([f"I like food number {n}." for n in range(9)])
    assert memory.read("Anything on me?").receipt.hubs == (("user", 3, 9),)
