"""Alignment by a model: slots of one meaning get one name, and no subject becomes another."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from memory_evidence.cmc.facts import Slot
from memory_evidence.cmc.frontends.llm import LLMFrontend
from memory_evidence.models import Completion, Message, Usage, UsageMeter, run
from memory_evidence.records import Record
from memory_evidence.testing import ScriptedModel
from tests.cmc.frontends.scripts import (
    DOWN,
    NESTS,
    OSLO,
    ROME,
    SAME,
    open_memory,
    reader,
    reads,
    rows,
)
from tests.cmc.histories import numbered


def aligned(
    facts: Any, names: Any, *texts: str, known: Sequence[Slot] = (), **settings: Any
) -> list[list[Slot | None]]:
    found = run(LLMFrontend(**settings).steps(numbered(texts), known), reader(facts, names), concurrency=1)
    return [[fact.slot for fact in extraction.facts] for extraction in found if extraction]


def test_slots_of_one_meaning_get_one_name() -> None:
    assert aligned(NESTS, SAME, OSLO, ROME) == [[Slot("user", "home")], [Slot("user", "home")]]


def test_known_slots_are_shown_to_the_alignment_and_questions_are_not() -> None:
    model = reader(NESTS, SAME)
    run(
        LLMFrontend(known_slots=2).steps(numbered([ROME]), [Slot("a", "b"), Slot("c", "d"), Slot("user", "home")]),
        model,
    )
    data = rows(model.calls[-1].messages)
    assert data == {
        "known": [["c", "d"], ["user", "home"]],
        "slots": [{"id": 1, "subject": "user", "relation": "residence"}],
    }


def test_a_batch_of_slots_sees_the_names_that_the_one_before_settled_on() -> None:
    model = reader(NESTS, SAME)
    run(LLMFrontend(batch_slots=1).steps(numbered([ROME, OSLO]), ()), model, concurrency=1)
    known = [rows(call.messages)["known"] for call in model.calls[1:]]
    assert known == [[], [["user", "home"]]]


@pytest.mark.parametrize(
    "reply",
    [
        "no",
        '{"slots": [{"id": 7, "subject": "x", "relation": "y"}, {"id": 0, "subject": "x", "relation": "y"}]}',
        '{"slots": [{"id": 1, "subject": " ", "relation": "y"}]}',
        '{"slots": [{"id": 1, "subject": "x", "relation": ""}]}',
        '{"slots": []}',
    ],
)
def test_an_alignment_that_cannot_be_read_leaves_the_names_as_they_are(reply: str) -> None:
    model = ScriptedModel([reads(NESTS), reply])
    (found,) = run(LLMFrontend().steps(numbered([OSLO]), ()), model)
    assert found is not None
    assert found.facts[0].slot == Slot("user", "home")


def aligned_as(
    slots: Sequence[tuple[str, str]], answer: Sequence[dict[str, Any]], *, known: Sequence[Slot] = (), **speakers: str
) -> list[tuple[str, str]]:
    """Return what slots are called if the model answers so; `speakers` by what they say of themselves."""
    records, facts = [], {}
    for number, (subject, relation) in enumerate(slots, 1):
        speaker = speakers.get(relation, "user")
        text = f"I: {subject} note {number}"
        records.append(Record(number, text, speaker))
        facts[text] = [(subject, relation, "note")]
    model = ScriptedModel([reads(facts), json.dumps({"slots": answer})])
    found = run(LLMFrontend().steps(records, known), model)
    names = [fact.slot for extraction in found if extraction for fact in extraction.facts]
    return [(slot.subject, slot.relation) for slot in names if slot]


def called(subject: str, relation: str = "r", number: int = 1) -> dict[str, Any]:
    return {"id": number, "subject": subject, "relation": relation}


@pytest.mark.parametrize(
    ("own", "new"),
    [
        ("Ann", "user"),
        ("Ann", "I"),
        ("Ann", "The user"),
        ("Ann's sister", "user"),
        ("my sister", "user"),
        ("user", "Ann"),
        ("user", "team"),
        ("Ann", "Zed Invented"),
        ("Ann", "Bo"),
        ("Ann", "An"),
        ("Ann Smith", "Bo Smith"),
        ("King of France", "Queen of France"),
        ("Ann's sister", "Ann"),
        ("Ann's sister", "Bo's sister"),
        ("my friend's birthday", "user's birthday"),
        ("Part 12", "Part 13"),  # report 9
        ("Part", "Part 13"),
        ("Part 12", "Part"),
        ("A320", "A330"),
        ("The", "Zed Invented"),
        ("Ann", "Ann " + "x" * 200),
        ("Ann", "Ann\nSmith"),
        ("Ann", "Ann\x00"),
        ("Ann", "..."),
    ],
)
def test_a_subject_is_not_aligned_with_another_one(own: str, new: str) -> None:
    assert aligned_as([(own, "employer")], [called(new, "work")]) == [(own, "employer")]


@pytest.mark.parametrize(
    ("own", "new"),
    [
        ("old sneakers", "user's old sneakers"),
        ("my old sneakers", "user's old sneakers"),
        ("report", "user's report (work)"),
        ("Emma", "Emma (friend)"),
        ("Crash Course's Science series", "Crash Course Science series"),
        ("new black shoes", "user's black shoes from Oslo"),
        ("user", "user's volleyball team"),
        ("Ann", "Ann's team"),
        ("friend's party", "user's friend's party"),
        ("Ann Smith", "Ann"),
        ("Part 12", "the Part 12 (spare)"),
        ("北京", "北京市"),
    ],
)
def test_a_subject_is_aligned_with_a_fuller_or_shorter_wording(own: str, new: str) -> None:
    assert aligned_as([(own, "employer")], [called(new, "work")]) == [(new, "work")]


def test_a_subject_is_aligned_with_one_in_use_unless_digits_differ_or_it_is_the_speaker() -> None:
    known = [Slot("New York City", "mayor"), Slot("Part 13", "stock"), Slot("user", "home")]
    answer = [called("New York City", number=1), called("Part 13", number=2), called("user", number=3)]
    slots = [("NYC", "r"), ("Part 12", "r"), ("Ann", "r")]
    assert aligned_as(slots, answer, known=known) == [("New York City", "r"), ("Part 12", "r"), ("Ann", "r")]
    assert aligned_as([("NYC", "r"), ("Big Apple", "r")], [called("NYC", number=2)]) == [("NYC", "r"), ("NYC", "r")]


def test_one_speaker_is_not_aligned_with_another() -> None:
    answer = [called("Bo", "home", 1), called("user", "home", 2)]
    slots = [("me", "residence"), ("me", "flat")]
    assert aligned_as(slots, answer, residence="Ann", flat="Bo") == [("Ann", "residence"), ("Bo", "home")]
    assert aligned_as([("my team", "coach")], [called("user's team")], coach="Ann") == [("my team", "coach")]
    assert aligned_as([("my team", "coach")], [called("Ann's team")], coach="Ann") == [("Ann's team", "r")]


@pytest.mark.parametrize("relation", ["x" * 201, "ho\nme", "ho\x7fme", "room 2", ""])
def test_a_relation_is_aligned_only_with_a_name_of_the_same_digits(relation: str) -> None:
    assert aligned_as([("Ann", "room 1")], [called("Ann", relation)]) == [("Ann", "room 1")]
    assert aligned_as([("Ann", "room 1")], [called("Ann", "office (1)")]) == [("Ann", "office (1)")]


def test_of_two_names_for_one_slot_the_first_counts() -> None:
    assert aligned_as([("Ann", "job")], [called("Ann", "work"), called("Ann", "play")]) == [("Ann", "work")]
    assert aligned_as([("Ann", "job")], [called("user", "work"), called("Ann", "play")]) == [("Ann", "job")]


@pytest.mark.parametrize("bad", [{"id": 2}, {"id": 2, "subject": None, "relation": "work"}, "Bo", None])
def test_a_name_that_cannot_be_read_costs_only_its_own_slot(bad: Any) -> None:
    answer = [called("Ann", "work", 1), bad, called("Cy", "work", 3)]
    slots = [("Ann", "job"), ("Bo", "job"), ("Cy", "job")]
    assert aligned_as(slots, answer) == [("Ann", "work"), ("Bo", "job"), ("Cy", "work")]


def test_facts_of_another_are_not_shown_as_the_users() -> None:
    text = "Ann works at Acme."
    memory = open_memory(reader({text: [("Ann", "employer", "Acme")]}, {("Ann", "employer"): ("user", "employer")}))
    memory.add(text)
    assert memory.current("user") == ()
    assert [edge.object for edge in memory.current("Ann")] == ["Acme"]


def test_where_the_alignment_cannot_be_reached_all_of_it_waits() -> None:
    model = ScriptedModel([reads(NESTS), DOWN])
    assert run(LLMFrontend().steps(numbered([OSLO, "Hm."]), ()), model) == [None, None]


def test_records_without_facts_are_aligned_with_nothing() -> None:
    model = reader({})
    run(LLMFrontend().steps(numbered(["Hm."]), ()), model)
    assert len(model.calls) == 1


def test_use_is_metered_for_each_stage() -> None:
    meter = UsageMeter()
    replies = [Completion(reads(NESTS)([Message("user", json.dumps([{"id": 1, "text": OSLO}]))]), 100, 20)]
    model = ScriptedModel([*replies, Completion('{"slots": []}', 30, 5)])
    run(LLMFrontend().steps(numbered([OSLO]), ()), model, meter=meter)
    assert meter.stages == {"extract": Usage(1, 100, 20), "align": Usage(1, 30, 5)}
