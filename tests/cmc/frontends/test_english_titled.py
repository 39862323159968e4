"""A common noun before a name ("project Heron", "team Blue"), and owning what has no name."""

import pytest

from memory_evidence.cmc import ContractMemory
from memory_evidence.cmc.facts import Label
from memory_evidence.records import Record
from tests.cmc.frontends.readings import GRAMMAR, read


@pytest.mark.parametrize(
    "text",
    [
        "The lead of project Heron is Tomas.",
        "The lead of Project Heron is Tomas.",
        "The lead of the Heron project is Tomas.",
        "The lead of Heron is Tomas.",
        "Project Heron's lead is Tomas.",
        "Tomas is the lead of project Heron.",
        "Tomas is project Heron's lead.",
    ],
)
def test_lead_of_a_project_has_one_slot_however_it_is_called(text: str) -> None:
    assert read(text) == "Heron | lead | Tomas"


@pytest.mark.parametrize("question", ["Who is the lead of project Heron?", "Who leads Heron?", "Project Heron's lead?"])
def test_project_is_found_with_and_without_its_noun(question: str) -> None:
    memory = ContractMemory(("u1",), store="sqlite://")
    memory.add(["The lead of project Heron is Tomas.", "Project Heron's lead is now Bo.", "Ann lives in Oslo."])
    assert [(edge.object, edge.position) for edge in memory.read(question).edges] == [("Bo", 2)]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Ines is the lead of team Blue.", "team Blue | lead | Ines"),
        ("The lead of service Blue is Tomas.", "service Blue | lead | Tomas"),
        ("Ann is a member of team Blue.", "Ann | member of | team Blue"),
        ("Project Gutenberg was founded by Michael Hart.", "Project Gutenberg | founded by | Michael Hart"),
    ],
)
def test_other_nouns_tell_things_of_one_name_apart(text: str, facts: str) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    "text",
    [
        "The lead of project is Tomas.",
        "Ines is the lead of team.",
        "The lead of project Heron and project Kite is Tomas.",
        "I own a mess of a car.",
        "I own a lot.",
        "I own a third.",
        "I own a stake in Acme.",
        "I own a piece of the company.",
        "I own a mistake.",
        "I own the car.",
        "I drive a truck.",
        "I own a car until Friday.",
    ],
)
def test_noun_without_a_name_and_part_of_a_thing_stay_unread(text: str) -> None:
    extraction = GRAMMAR.extract(Record(1, text, "user"))
    assert (extraction.label, extraction.facts) == (Label.UNRESOLVED, ())


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I own a car.", "user | owns | car"),
        ("Ann owns an old boat.", "Ann | owns | old boat"),
        ("I own a car dealership.", "user | owns | car dealership"),
        ("I no longer own a car.", "not user | owns | car"),
        ("I own a Tesla.", "user | owns | Tesla"),
    ],
)
def test_owning_is_read_with_and_without_a_name(text: str, facts: str) -> None:
    assert read(text) == facts
