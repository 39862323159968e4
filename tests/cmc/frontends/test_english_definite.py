"""What "the" points back to: only a name tells which meeting, flight or budget a record is about."""

import pytest

from memory_evidence.cmc import ContractMemory
from memory_evidence.cmc.facts import Label
from memory_evidence.cmc.frontends.english import EnglishGrammar
from memory_evidence.records import Record

GRAMMAR = EnglishGrammar()


@pytest.mark.parametrize(
    "text",
    [
        "The meeting was moved to Friday.",
        "the meeting was moved to friday",
        "THE MEETING WAS MOVED TO FRIDAY.",
        "Meeting moved to Friday.",
        "The meeting with Ida is on Friday.",
        "The flight to Dublin was moved to 11.",
        "Flight to Dublin was postponed to Friday.",
        "The 9am meeting was moved to 11am.",
        "The Monday meeting was moved to Friday.",
        "The meeting was cancelled.",
        "The meeting is now in Room 12.",
        "The office moved to Bergen.",
        "The French office moved to Bergen.",
        "The project deadline is Friday.",
        "The deadline for the project is Friday.",
        "The deadline moved to Friday.",
        "The budget is now $6,000.",
        "The ticket price is now $25.",
        "The ticket costs $20.",
        "The wifi password is hunter2.",
        "The company was founded by Ann.",
        "The company's CEO is Ann.",
        "The CEO of the company is Ann.",
        "the ceo of the company is ann",
        "Ann is the company's CEO.",
        "The project is called Phoenix.",
    ],
)
def test_thing_without_a_name_has_no_slot_of_its_own(text: str) -> None:
    extraction = GRAMMAR.extract(Record(1, text, "user"))
    assert (extraction.label, extraction.facts) == (Label.UNRESOLVED, ())


@pytest.mark.parametrize(
    ("told", "update", "question"),
    [
        ("My meeting with Ida is on Monday.", "The meeting was moved to Friday.", "When is my meeting with Ida?"),
        ("My meeting with Ida is on Monday.", "The meeting with Ida is on Friday.", "When is my meeting with Ida?"),
        ("My flight to Dublin is at 9am.", "The flight was moved to 11am.", "When is my flight to Dublin?"),
        ("Acme is based in Oslo.", "The company moved to Rome.", "Where is Acme?"),
        ("The deadline of Atlas is May 1.", "The deadline was moved to May 9.", "When is the deadline of Atlas?"),
    ],
)
def test_update_that_points_back_is_shown_with_what_it_may_update(told: str, update: str, question: str) -> None:
    memory = ContractMemory(("u1",), store="sqlite://")
    memory.add([told, update])
    shown = str(memory.read(question))
    assert told in shown
    assert update in shown


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("The White House is located in Washington.", "White House"),
        ("The Beatles were renamed Quarrymen.", "Beatles"),
        ("The Kestrel service is located in Oslo.", "Kestrel service"),
        ("The Atlas launch moved to Friday.", "Atlas launch"),
        ("The Atlas deadline moved to Friday.", "Atlas"),
        ("The Office was created by Greg Daniels.", "Office"),
        ("Interview with the Vampire was written by Anne Rice.", "Interview with the Vampire"),
        ("Department of Justice is located in Washington.", "Department of Justice"),
        ("My meeting with Ida moved to Friday.", "user's meeting with ida"),
    ],
)
def test_thing_with_a_name_is_read(text: str, subject: str) -> None:
    (fact,) = GRAMMAR.extract(Record(1, text, "user")).facts
    assert (fact.slot.subject if fact.slot else fact.subject) == subject
