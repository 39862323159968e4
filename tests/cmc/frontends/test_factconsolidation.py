"""The FactConsolidation preset: each of its sentence forms, told with made-up facts."""

from __future__ import annotations

import pytest

from memory_evidence.cmc import ContractMemory
from memory_evidence.cmc.facts import Label, literal
from memory_evidence.cmc.frontends.factconsolidation import FACTCONSOLIDATION
from memory_evidence.cmc.frontends.patterns import PatternGrammar
from memory_evidence.records import Record

GRAMMAR = PatternGrammar(FACTCONSOLIDATION)

FORMS = [
    ("Ida Quill is a citizen of Norland", "Ida Quill", "is a citizen of", "Norland"),
    (
        "Ida Quill is affiliated with the religion of Zorism",
        "Ida Quill",
        "is affiliated with the religion of",
        "Zorism",
    ),
    ("FC Grue is associated with the sport of kelp polo", "FC Grue", "is associated with the sport of", "kelp polo"),
    ("Ida Quill is employed by Bexco", "Ida Quill", "is employed by", "Bexco"),
    ("Ida Quill is famous for The Grey Mill", "Ida Quill", "is famous for", "The Grey Mill"),
    ("Norland is located in the continent of Ostia", "Norland", "is located in the continent of", "Ostia"),
    ("Ida Quill is married to Tor Vale", "Ida Quill", "is married to", "Tor Vale"),
    ("Tor Vale plays the position of keeper", "Tor Vale", "plays the position of", "keeper"),
    ("Tor Vale speaks the language of Norsk", "Tor Vale", "speaks the language of", "Norsk"),
    ("Tor Vale was born in the city of Mell", "Tor Vale", "was born in the city of", "Mell"),
    ("The Grey Mill was created by Ida Quill", "The Grey Mill", "was created by", "Ida Quill"),
    (
        "The Grey Mill was created in the country of Norland",
        "The Grey Mill",
        "was created in the country of",
        "Norland",
    ),
    ("Vizor 3 was developed by Bexco", "Vizor 3", "was developed by", "Bexco"),
    ("Bexco was founded by Tor Vale", "Bexco", "was founded by", "Tor Vale"),
    ("Bexco was founded in the city of Mell", "Bexco", "was founded in the city of", "Mell"),
    ("The Grey Song was performed by Ida Quill", "The Grey Song", "was performed by", "Ida Quill"),
    ("The Grey Mill was written in the language of Norsk", "The Grey Mill", "was written in the language of", "Norsk"),
    ("Tor Vale died in the city of Mell", "Tor Vale", "died in the city of", "Mell"),
    ("Tor Vale worked in the city of Mell", "Tor Vale", "worked in the city of", "Mell"),
    ("Tor Vale works in the field of botany", "Tor Vale", "works in the field of", "botany"),
    ("Tor Vale's child is Una Vale", "Tor Vale", "child", "Una Vale"),
    ("The company that produced Vizor 3 is Bexco", "Vizor 3", "company that produced", "Bexco"),
    ("The headquarters of Bexco is located in the city of Mell", "Bexco", "headquarters", "Mell"),
    ("The name of the current head of state in Norland is Una Vale", "Norland", "head of state", "Una Vale"),
    ("The name of the current head of the Norland government is Una Vale", "Norland", "head of government", "Una Vale"),
    ("The origianl broadcaster of The Grey Show is Bexco", "The Grey Show", "original broadcaster", "Bexco"),
    ("The type of music that Una Vale plays is kelp rock", "Una Vale", "type of music", "kelp rock"),
    ("The univeristy where Una Vale was educated is Mell College", "Una Vale", "university", "Mell College"),
    ("The author of The Grey Mill is Ida Quill", "The Grey Mill", "author", "Ida Quill"),
    ("The Mayor of Mell is Una Vale", "Mell", "mayor", "Una Vale"),
    ("The Warden is Una Vale", "Warden", "office holder", "Una Vale"),
]


@pytest.mark.parametrize(("text", "subject", "relation", "object_"), FORMS)
@pytest.mark.parametrize("end", ["", "."])
def test_each_form_is_read(text: str, end: str, subject: str, relation: str, object_: str) -> None:
    record = Record(1, text + end)
    found = GRAMMAR.extract(record)
    (fact,) = found.facts
    assert found.label is Label.FACTS
    assert (fact.subject, fact.object) == (subject, object_)
    assert fact.relation.removeprefix("is ") == relation.removeprefix("is ")
    assert literal(record, fact)


def test_every_pattern_of_the_preset_has_a_form_here() -> None:
    relations = {GRAMMAR.extract(Record(1, text)).facts[0].relation for text, *_ in FORMS}
    assert len(relations) == len(FACTCONSOLIDATION) + 1  # "The {relation} of {subject}" reads two of the forms


@pytest.mark.parametrize("text", ["Ida Quill hums.", "Who is Ida Quill married to?", "Ida Quill is married"])
def test_what_no_form_reads_is_unresolved(text: str) -> None:
    assert GRAMMAR.extract(Record(1, text)).label is Label.UNRESOLVED


def test_a_question_follows_the_updated_facts() -> None:
    with ContractMemory(("fc",), store="sqlite://", frontend=GRAMMAR) as memory:
        memory.add(
            [
                "The author of The Grey Mill is Ida Quill.",
                "Ida Quill is a citizen of Norland.",
                "Tor Vale is a citizen of Sudland.",
                "The name of the current head of state in Sudland is Una Vale.",
                "The author of The Grey Mill is Tor Vale.",
            ]
        )
        found = memory.read("Who is the head of state of the country whose citizen wrote The Grey Mill?")
        assert found.positions == (3, 4, 5)
        assert "Norland" not in found.text
