"""What is so besides: it must not take the place of the value that a relation has."""

import pytest

from memory_evidence.cmc import ContractMemory
from memory_evidence.cmc.facts import Label
from memory_evidence.cmc.frontends.english import EnglishGrammar
from memory_evidence.records import Record

GRAMMAR = EnglishGrammar()


def read(text: str) -> str:
    facts = GRAMMAR.extract(Record(1, text, "user")).facts
    return "; ".join(f"{fact.subject} | {fact.relation} | {fact.object}" for fact in facts if not fact.retracts)


ADDED = [
    "Ann also works at Zeta.",
    "Ann works at Zeta too.",
    "Ann works at Zeta, too.",
    "Ann works at Zeta as well.",
    "In addition, Ann works at Zeta.",
    "Additionally, Ann works at Zeta.",
    "Also, Ann works at Zeta.",
    "ANN ALSO WORKS AT ZETA.",
]


@pytest.mark.parametrize("text", [*ADDED, "My manager is also Bo.", "Bo is also my manager.", "Ann also joined Zeta."])
def test_addition_to_a_relation_of_one_value_is_kept_unread(text: str) -> None:
    extraction = GRAMMAR.extract(Record(1, text, "user"))
    assert (extraction.label, extraction.facts) == (Label.UNRESOLVED, ())


@pytest.mark.parametrize("text", ADDED)
def test_addition_supersedes_nothing_and_is_shown_beside(text: str) -> None:
    memory = ContractMemory(("u1",), store="sqlite://")
    memory.add(["Ann works at Acme.", text])
    assert [statement.object for statement in memory.current("Ann")] == ["Acme"]
    shown = str(memory.read("Where does Ann work?"))
    assert "Ann works at Acme." in shown
    assert text in shown
    assert "superseded" not in shown


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Ann works at Acme and also works at Zeta.", "Ann | works at | Acme"),
        ("I work at Acme too and my manager is Bo.", "user | manager | Bo"),
        ("Ann works at Zeta, which also owns Acme.", "Ann | works at | Zeta"),
    ],
)
def test_addition_concerns_its_own_clause(text: str, facts: str) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I also like tea.", "user | likes | tea"),
        ("I speak French too.", "user | speaks | French"),
        ("I also moved to Rome.", "user | located in | Rome"),
        ("My rent also rose to $1,200.", "user | rent | $1,200"),
        ("Also, my manager is now Bo.", "user | manager | Bo"),
        ("The Sun Also Rises was written by Ernest Hemingway.", "Sun Also Rises | author | Ernest Hemingway"),
    ],
)
def test_list_change_or_title_with_also_is_read(text: str, facts: str) -> None:
    assert read(text) == facts


def test_leaving_too_is_leaving() -> None:
    (fact,) = GRAMMAR.extract(Record(1, "Ann also left Acme.")).facts
    assert fact.retracts
