"""The compiled index: aliases, aligned names, and facts that are not literal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_evidence.cmc.facts import NO_FACT, Extraction, Fact, Label, Slot
from memory_evidence.cmc.index import CompiledIndex
from memory_evidence.errors import ConfigError
from memory_evidence.records import Record
from tests.cmc.histories import PLAIN, compiled, empty, evidence


def fact(text: str, subject: str, object_: str, slot: Slot | None = None, relation: str = "sits in") -> Fact:
    start, at = text.index(subject), text.index(object_)
    return Fact(subject, relation, object_, (start, start + len(subject)), (at, at + len(object_)), slot=slot)


def aligned(*rows: tuple[str, str, str, Slot | None]) -> CompiledIndex:
    """An index of records (text, subject, object, slot), as a frontend that aligns names reads them."""
    index = empty(list_slots=True)
    for position, (text, subject, object_, slot) in enumerate(rows, 1):
        extraction = Extraction(Label.FACTS, (fact(text, subject, object_, slot),))
        index.add(Record(position, text), extraction)
    return index


# Aliases


def test_an_alias_finds_its_subject() -> None:
    index = compiled(["Big Rome sits in Italy."], aliases={"The Eternal City": "Big Rome"})
    found = evidence(index, "Where is the eternal city?")
    assert (found.positions, found.receipt.anchors) == ((1,), ("Big Rome",))


def test_a_fact_told_under_an_alias_supersedes_one_under_the_name() -> None:
    index = compiled(["Ann sits in Oslo.", "Annie sits in Rome."], aliases={"Annie": "Ann"})
    assert evidence(index, "Where is Ann?").positions == (2,)
    assert evidence(index, "Where is Annie?").positions == (2,)


def test_an_object_under_an_alias_leads_on() -> None:
    texts = ["Ann reports to Bobby.", "Bob sits in Rome."]
    assert evidence(compiled(texts, aliases={"Bobby": "Bob"}), "Ann?").positions == (1, 2)
    assert evidence(compiled(texts), "Ann?").positions == (1,)
    for order in ("source", "path"):
        found = evidence(compiled(texts, aliases={"Bobby": "Bob"}), "Ann?", replace(PLAIN, order=order))
        assert found.positions == (1, 2)


def test_a_value_under_an_alias_is_the_same_value() -> None:
    texts = ["Ann sits in NYC.", "Ann sits in New York."]
    found = evidence(compiled(texts, aliases={"NYC": "New York"}), "Where did Ann sit before?")
    assert (found.positions, found.receipt.superseded) == ((2,), ())


def test_an_alias_of_an_alias_leads_to_the_name() -> None:
    index = compiled(["Ann sits in Oslo."], aliases={"A": "Annie", "Annie": "Ann"})
    assert [evidence(index, f"Where is {name}?").positions for name in ("A", "Annie", "Ann")] == [(1,)] * 3


def test_an_alias_that_spells_its_own_name_is_harmless() -> None:
    assert evidence(compiled(["Ann sits in Oslo."], aliases={"ANN": "Ann"}), "Ann?").positions == (1,)


def test_aliases_in_a_circle_are_refused() -> None:
    with pytest.raises(ConfigError, match="`aliases` must be names that do not stand for one another; got"):
        compiled([], aliases={"A": "B", "B": "C", "C": "A"})


def test_an_alias_of_an_unknown_subject_hides_no_name() -> None:
    found = evidence(compiled(["Ann sits in Oslo."], aliases={"Ann Lee": "Cy"}), "Where is Ann Lee?")
    assert (found.positions, found.receipt.anchors) == ((1,), ("Ann",))


# Aligned names


def test_facts_of_one_aligned_slot_supersede_one_another() -> None:
    index = aligned(
        ("Ann sits in Oslo.", "Ann", "Oslo", Slot("Ann Lee", "seat")),
        ("Annie works from Rome.", "Annie", "Rome", Slot("Ann Lee", "seat")),
    )
    for name in ("Ann", "Annie", "Ann Lee"):
        assert evidence(index, f"Where is {name}?").positions == (2,)


def test_an_object_leads_on_to_the_subject_that_its_name_was_aligned_to() -> None:
    index = aligned(
        ("Cy reports to Annie.", "Cy", "Annie", None),
        ("Annie works from Rome.", "Annie", "Rome", Slot("Ann Lee", "seat")),
    )
    for order in ("source", "path"):
        assert evidence(index, "Cy?", replace(PLAIN, order=order)).positions == (1, 2)


def test_a_name_that_was_aligned_later_leads_nowhere_as_of_before() -> None:
    rows = [
        ("Cy reports to Annie.", "Cy", "Annie", None),
        ("Ann Lee works from Rome.", "Ann Lee", "Rome", Slot("Ann Lee", "seat")),
        ("Annie works from Lima.", "Annie", "Lima", Slot("Ann Lee", "seat")),
    ]
    index = aligned(*rows)
    assert evidence(index, "Cy?").positions == (1, 3)
    assert evidence(index, "Cy?", as_of=2).positions == evidence(aligned(*rows[:2]), "Cy?").positions == (1,)
    assert evidence(index, "Annie?", as_of=2).receipt.anchors == ()


def test_slots_in_use_are_listed_once_whoever_read_them() -> None:
    index = aligned(
        ("Ann sits in Oslo.", "Ann", "Oslo", Slot("Ann Lee", "seat")),
        ("Bo sits in Rome.", "Bo", "Rome", None),
        ("Annie works from Rome.", "Annie", "Rome", Slot("Ann Lee", "seat")),
    )
    assert index.slots == [Slot("Ann Lee", "seat"), Slot("Bo", "sits in")]


# What is not literal


@pytest.mark.parametrize(
    "wrong",
    [
        Fact("Ann", "sits in", "Rome", (0, 3), (12, 16)),
        Fact("Ann", "sits in", "Oslo", (0, 3), (12, 99)),
        Fact("Bo", "sits in", "Oslo", (0, 3), (12, 16)),
        Fact("Bo", "sits in", "Oslo", None, (12, 16)),
        Fact("Ann", " ", "Oslo", (0, 3), (12, 16)),
        Fact("Ann", "sits in", "", (0, 3), None),
        Fact("Ann", "sits in", "", (0, 3), (5, 5)),
    ],
)
def test_a_fact_that_is_no_literal_span_leaves_its_record_unresolved(wrong: Fact) -> None:
    index = empty()
    index.add(Record(1, "Ann sits in Oslo."), Extraction(Label.FACTS, (wrong,)))
    assert (index.unresolved, list(index.statements(1)), len(index.graph)) == ([1], [], 0)


def test_the_literal_facts_of_a_record_count_beside_one_that_is_not() -> None:
    text = "Ann sits in Oslo."
    index = empty()
    wrong = Fact("Bo", "sits in", "Oslo", (0, 3), (12, 16))
    index.add(Record(1, text), Extraction(Label.FACTS, (wrong, fact(text, "Ann", "Oslo"))))
    assert index.unresolved == [1]
    assert [s.subject for s in index.statements(1)] == ["Ann"]


def test_a_record_without_facts_is_not_shown() -> None:
    index = empty()
    index.add(Record(1, "Hello!"), NO_FACT)
    index.add(Record(2, "Ann sits in Oslo."), Extraction(Label.FACTS, (fact("Ann sits in Oslo.", "Ann", "Oslo"),)))
    assert evidence(index, "Ann?").positions == (2,)


def test_a_retraction_that_another_fact_only_implies_is_not_reported_unless_something_held() -> None:
    text = "Ann likes tea."
    likes = fact(text, "Ann", "tea", relation="likes")
    dislikes = fact(text, "Ann", "tea", relation="dislikes")._replace(retracts=True)
    index = empty()
    index.add(Record(1, text), Extraction(Label.FACTS, (likes, dislikes)))
    assert evidence(index, "Ann?").receipt.retracted == ()
    held = empty()
    held.add(
        Record(1, "Ann hates tea."),
        Extraction(Label.FACTS, (fact("Ann hates tea.", "Ann", "tea", relation="dislikes"),)),
    )
    held.add(Record(2, text), Extraction(Label.FACTS, (likes, dislikes)))
    assert evidence(held, "Ann?").receipt.retracted == (2,)
