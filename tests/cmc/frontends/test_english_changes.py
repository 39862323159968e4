"""Who takes or leaves an office, how old someone turned, what someone weighs, and what one switched from."""

import pytest

from memory_evidence.cmc import ContractMemory
from tests.cmc.frontends.readings import read

READ = [
    ("Ann replaced Bob as CEO of Acme.", "Acme | ceo | Ann"),
    ("Ann replaced Bob as the CEO of Acme last week.", "Acme | ceo | Ann"),
    ("Ann has replaced Bob as Acme's CEO.", "Acme | ceo | Ann"),
    ("Bob was replaced by Ann as CEO of Acme.", "Acme | ceo | Ann"),
    ("Bob has been succeeded by Ann as CEO of Acme.", "Acme | ceo | Ann"),
    ("Ann succeeded Bob as my manager.", "user | manager | Ann"),
    ("Ann took over as CEO of Acme.", "Acme | ceo | Ann"),
    ("Ann took over as Acme's CEO from Bob.", "Acme | ceo | Ann"),
    ("Ann was appointed CEO of Acme.", "Acme | ceo | Ann"),
    ("Ann has been named as CEO of Acme.", "Acme | ceo | Ann"),
    ("Ann was elected president of France.", "France | president | Ann"),
    ("Bob stepped down as CEO of Acme.", "not Acme | ceo | Bob"),
    ("Bob resigned as my manager in March.", "not user | manager | Bob"),
    ("I took over as CEO of Acme.", "user | ceo of | Acme"),
    ("I have stepped down as CEO of Acme.", "not user | ceo of | Acme"),
    ("I turned 35 yesterday.", "user | age | 35"),
    ("My son Leo just turned 6.", "user | son | Leo; Leo | age | 6"),
    ("I weigh 80 kg now.", "user | weight | 80 kg"),
    ("My dog weighs 12 kg.", "user's dog | weight | 12 kg"),
]
UNREAD = [
    "Ann replaced Bob.",
    "Ann replaced the CEO of Acme.",
    "Bob was replaced by Ann.",
    "Bob was replaced by the CEO of Acme.",
    "Ann replaced Bob as a goalkeeper.",
    "Ann replaced Bob as CEO of Acme for two weeks.",
    "Ann will replace Bob as CEO of Acme.",
    "Ann takes over as CEO of Acme next month.",
    "Ann was almost appointed CEO of Acme.",
    "Ann was not appointed CEO of Acme.",
    "Ann was appointed CEO of Acme in 1998.",
    "Ann was elected mayor.",
    "Ann was named CEO of the year.",
    "Ann was named as a suspect.",
    "My sister replaced Bob as CEO of Acme.",
    "I turned 35 in 2015.",
    "I turned 35 lights on.",
    "I turned 180 degrees.",
    "I turned 180.",
    "I weigh my options.",
]


@pytest.mark.parametrize(("text", "facts"), READ)
def test_who_holds_an_office_now_or_no_longer_is_read(text: str, facts: str) -> None:
    assert read(text) == facts


@pytest.mark.parametrize("text", UNREAD)
def test_what_names_no_office_or_is_not_settled_is_left_unread(text: str) -> None:
    assert read(text) == ""


def test_what_one_switched_from_is_over_in_whichever_habit_it_was() -> None:
    with ContractMemory(("u1",), store="sqlite://") as memory:
        memory.add(
            ["I use Vim.", "I prefer coffee.", "I switched from Vim to Emacs.", "I switched from coffee to tea."]
        )
        evidence = memory.read("What do I use, and what do I prefer?")
    assert [edge.object for edge in evidence.edges] == ["Emacs", "tea"]
    assert [(old.object, old.by) for old in evidence.receipt.superseded] == [("Vim", 3), ("coffee", 4)]
