"""Kinds of sentences that look like facts and are none, each beside the ones like it that are."""

import pytest

from memory_evidence.cmc.facts import Label
from memory_evidence.cmc.frontends.english import canonical_relation
from memory_evidence.records import Record
from tests.cmc.frontends.readings import GRAMMAR, read


def check_unresolved(text: str) -> None:
    extraction = GRAMMAR.extract(Record(1, text, "user"))
    assert extraction.facts == ()
    assert extraction.label is Label.UNRESOLVED
    assert extraction.note


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I quit my job at Google.", "not user | works at | Google"),
        ("Ann quit her job at Google.", "not Ann | works at | Google"),
        ("Ann has lost her job with IBM.", "not Ann | works at | IBM"),
        ("Bob left his job at Acme in March.", "not Bob | works at | Acme"),
        ("My sister quit her job at Acme.", "not user's sister | works at | Acme"),
        ("I quit my job as a waiter.", "not user | works as | waiter"),
        ("I quit my job as a waiter at Acme.", "not user | works as | waiter; not user | works at | Acme"),
        ("I quit my job.", "not user | works at |"),
        ("I quit my job and moved to Rome.", "not user | works at |; user | located in | Rome"),
    ],
)
def test_quitting_retracts_the_named_employer_and_only_a_bare_job_any(text: str, facts: str) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    "text",
    [
        "I quit my job in Oslo.",
        "I quit my job at the mall.",
        "I quit his job.",
        "Bob quit my job.",
        "Ann quit Bob's job.",
    ],
)
def test_quitting_some_other_job_retracts_nothing(text: str) -> None:
    check_unresolved(text)


@pytest.mark.parametrize(
    "text",
    [
        "My wife is 30.",
        "My manager is 45.",
        "Acme's CEO is 52.",
        "The CEO of Acme is 52.",
        "My dog is 7.",
        "My sons are 3 and 5.",
        "My sister is Thirty.",
        "My manager is #1.",
        "my wife is tall",
        "my boss is angry",
        "My boss is AWESOME.",
        "My boss is OOO.",
        "My boss is Marketing.",
        "MY BOSS IS ANGRY.",
    ],
)
def test_age_or_quality_is_never_who_somebody_is(text: str) -> None:
    check_unresolved(text)


def test_number_may_be_the_name_of_what_is_no_person() -> None:
    assert read("My employer is 3M.") == "user | works at | 3M"
    assert read("My shoe size is 42.") == "user | shoe size | 42"


@pytest.mark.parametrize(
    "text",
    [
        "Ann is the CEO of Acme's parent company.",
        "The wife of the CEO of Acme is Ann.",
        "The wife of Acme's CEO is Ann.",
        "Ann is the wife of the CEO of Acme.",
        "The CEO of the owner of Acme is Ann.",
        "The name of the CEO of Acme is Bob.",
        "The capital of the country of Bob is Rome.",
        "Bob reports to the CEO of Acme.",
        "Bob works for the CEO of Acme.",
        "Ann manages the CEO of Acme.",
        "The manager of Acme is from Peru.",
        "Acme's CEO lives in Rome.",
    ],
)
def test_description_by_a_role_stands_for_no_name(text: str) -> None:
    check_unresolved(text)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("The CEO of the Bank of America is Ann.", "Bank of America | ceo | Ann"),
        ("The mayor of the City of London is Ann.", "City of London | mayor | Ann"),
        ("The author of the Book of Mormon is Ann.", "Book of Mormon | author | Ann"),
        ("Ann is the dean of the School of Law.", "School of Law | dean | Ann"),
    ],
)
def test_name_may_hold_of(text: str, facts: str) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    "text",
    [
        *(f"Ann moved to {group}." for group in ("Sales", "Platform", "Blue Team", "the Blue Team", "Marketing", "HR")),
        "Ann moved to Decaf.",
        "Kestrel moved to Red Team.",
        "My manager moved to Sales.",
        "Bob moved from Rome to Sales.",
        "I moved to Monday.",
        "Bob moved to Thursday.",
        "My sister moved to Friday.",
        "I live in Figma.",
        "I live in Excel.",
        "Ann is based in Marketing.",
        "Bob lives in Ann's.",
        *(f"I joined {name}." for name in ("Tinder", "Slack", "Netflix", "Mensa", "Globex")),
        "Bob joined Ann.",
        "Bob joined Slack as a customer.",
        "I joined Tinder as a joke.",
    ],
)
def test_what_need_not_be_a_place_or_an_employer_is_none(text: str) -> None:
    check_unresolved(text)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Blue Team moved to Bergen.", "Blue Team | located in | Bergen"),
        ("I moved to Boston.", "user | located in | Boston"),
        ("My team moved to Rome.", "user's team | located in | Rome"),
        ("Bob moved from Sales to Rome.", "Bob | located in | Rome"),
        ("Atlas Launch moved to Friday.", "Atlas Launch | scheduled for | Friday"),
        ("Our standup moved to 10am.", "user's standup | scheduled for | 10am"),
        ("Bob joined Slack as a software engineer.", "Bob | works at | Slack"),
        ("Bob joined Acme as their new CTO.", "Bob | works at | Acme"),
        ("Bob joined Acme Inc.", "Bob | works at | Acme Inc."),
        ("I joined First National Bank.", "user | works at | First National Bank"),
        ("Bob joined the University of Oslo.", "Bob | works at | University of Oslo"),
        ("Ann joined Blue Team.", "Ann | member of | Blue Team"),
    ],
)
def test_place_and_employer_are_read_where_the_words_show_them(text: str, facts: str) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    "limit",
    [
        " starting Monday",
        ", starting Monday",
        " (starting Monday)",
        " - starting Monday",
        " starting May",
        " beginning Monday",
        " from next week",
        " from June",
        " from Monday on",
        " as of next Monday",
        " in two weeks",
        " in 2050",
        " in May",
        " in the summer",
        " on Monday",
        " for two weeks",
        " for the summer",
        " over the summer",
        " throughout May",
        " while Bob is away",
        " this week",
        " this month",
        " today only",
        " for now",
        " (for now)",
        ". For now.",
        " temporarily",
        ". Temporarily.",
        ", but only this week",
        " for work",
        " for this project",
        " at work",
        " as a side gig",
        " on the side",
        " in theory",
        ", on paper",
        " in name only",
        " with Bob for now",
        " with Bob starting Monday",
        " with Bob from May",
    ],
)
@pytest.mark.parametrize("statement", ["My manager is Dana", "Bob reports to Dana", "Dana is the CEO of Acme"])
def test_statement_about_another_time_or_with_a_limit_is_no_present_fact(statement: str, limit: str) -> None:
    check_unresolved(statement + limit + ("" if limit.endswith(".") else "."))


@pytest.mark.parametrize(
    "opening", ["This week", "This month,", "Starting Monday,", "As of next week,", "Effective May,"]
)
def test_opening_that_limits_the_time_leaves_no_present_fact(opening: str) -> None:
    check_unresolved(f"{opening} my manager is Dana.")


@pytest.mark.parametrize(
    "ending", [" since 2020", " now", " as of March 2024", " as of today", " these days", " at the moment", " again"]
)
def test_statement_that_holds_since_a_time_is_a_present_fact(ending: str) -> None:
    assert read(f"My manager is Dana{ending}.") == "user | manager | Dana"


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("This week I moved to Rome.", "user | located in | Rome"),
        ("I moved to Rome this week.", "user | located in | Rome"),
        ("I moved to Rome for work.", "user | located in | Rome"),
        ("I've worked at Acme for two weeks.", "user | works at | Acme"),
        ("I have been living in Rome for two weeks.", "user | located in | Rome"),
        ("As of 2024, my manager is Dana.", "user | manager | Dana"),
        ("I work at Google in Zurich.", "user | works at | Google"),
        ("I work at Google as a software engineer.", "user | works at | Google"),
        ("The Atlas meeting is in Room B at 3pm.", "Atlas meeting | located in | Room B"),
    ],
)
def test_event_of_a_time_and_state_at_a_place_stay_facts(text: str, facts: str) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Rome for two weeks.",
        "I moved to Rome for the summer.",
        "The Atlas meeting is cancelled this week.",
        "The Atlas meeting is cancelled for now.",
    ],
)
def test_event_with_an_end_leaves_no_present_fact(text: str) -> None:
    check_unresolved(text)


@pytest.mark.parametrize(
    "correction",
    [
        ". Wait, no, Rome.",
        ". No, Rome.",
        ". Sorry, Rome.",
        ". I mean Rome.",
        ". Oops, Rome.",
        ". Scratch that, Rome.",
        ". Correction: Rome.",
        ". Actually, it's Rome now.",
        ". Actually no.",
        ". Not!",
        ". Not anymore.",
        ". Nope.",
        ". Or was it Rome?",
        "... or was it Rome?",
        "... no wait, Rome.",
        "… Rome, I mean.",
        " - no, Rome.",
        " - sorry, Rome.",
        " - I mean, Rome.",
        "; no, Rome.",
        " (no, Rome).",
        ", actually Rome.",
        ", but not anymore.",
        ", but that changed.",
        " - used to.",
        ". Never mind.",
        ". Ignore that.",
        ". I misspoke.",
        ". That is no longer true.",
        ". Wrong!",
        ". Well, Rome.",
        ". It's Rome, actually.",
    ],
)
@pytest.mark.parametrize("statement", ["Ann lives in Oslo", "My favorite city is Oslo"])
def test_statement_that_is_corrected_at_once_is_no_fact(statement: str, correction: str) -> None:
    check_unresolved(statement + correction)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Bob lives in Oslo. Ann lives in Bern. No, Rome.", "Bob | located in | Oslo"),
        ("Ann lives in Oslo. No, Ann lives in Rome.", "Ann | located in | Rome"),
        ("Ann lives in Oslo. Actually my manager is Bob.", "Ann | located in | Oslo; user | manager | Bob"),
        ("Ann lives in Oslo. No worries!", "Ann | located in | Oslo"),
        ("Ann lives in Oslo. Sorry for the late reply.", "Ann | located in | Oslo"),
        ("No, Ann lives in Oslo.", "Ann | located in | Oslo"),
    ],
)
def test_correction_reaches_the_statement_before_it_and_no_other(text: str, facts: str) -> None:
    assert read(text) == facts


@pytest.mark.parametrize("text", ["No wait, Rome", "Sorry, Kim.", "I mean Rome.", "Correction: Rome."])
def test_correction_of_an_earlier_record_is_kept_in_view(text: str) -> None:
    check_unresolved(text)


@pytest.mark.parametrize(
    "text",
    [
        "The deadline for Atlas is May 1.",
        "The deadline of Atlas is May 1.",
        "Atlas's deadline is May 1.",
        "The Atlas deadline is May 1.",
        "The Atlas project deadline is May 1.",
        "The deadline for the Atlas project is May 1.",
        "The Atlas deadline moved to May 1.",
        "The deadline for Atlas moved to May 1.",
        "Atlas's deadline was postponed to May 1.",
    ],
)
def test_deadline_has_one_slot_however_it_is_said(text: str) -> None:
    assert read(text) == "Atlas | deadline | May 1"


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("The Netflix password is hunter2.", "Netflix | password | hunter2"),
        ("The password for Netflix is hunter2.", "Netflix | password | hunter2"),
        ("The owner for Atlas is Ann.", "Atlas | owner | Ann"),
        ("My deadline moved to Friday.", "user | deadline | Friday"),
        ("The Slack channel is #ops.", "Slack | channel | #ops"),
        ("The Atlas owner is Ann.", "Atlas | owner | Ann"),
    ],
)
def test_attribute_belongs_to_the_name_before_it_or_behind_for(text: str, facts: str) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    "text",
    [
        "Ann works at Acme and Globex.",
        "Ann works at Acme plus Globex.",
        "Ann works at Acme as well as Globex.",
        "Ann works at Acme, Globex.",
        "Ann reports to Bob and Carl.",
        "Ann is married to Bob & Cid.",
        "Ann lives in Oslo, Rome and Paris.",
        "Ann lives in Rome/Paris.",
        "I'm from Rome and Paris.",
        "The owners of Atlas are Ann and Bob.",
        "My manager is Ann and Bob.",
        "My manager is Ann/Bob.",
        "My manager is Ann & Bob.",
        "My manager is Ann, and also Bob.",
        "Ann manages Bob and Cid.",
        "Atlas and Titan is owned by Ann.",
        "Ann and Bob's manager is Cid.",
        "The CEO of Acme and Globex is Ann.",
        "The Atlas meeting is on Monday and on Tuesday.",
        "My address is Rome and Paris.",
        "I work as a nurse and teacher.",
        "The Atlas deadline is Friday or Monday.",
        "My favorite color is blue or green.",
    ],
)
def test_two_where_a_relation_has_one_are_not_read(text: str) -> None:
    check_unresolved(text)


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        ("Bob likes jazz and Ann likes blues.", ["Bob likes jazz", "Ann likes blues"]),
        ("Bob likes jazz, Ann likes blues.", ["Bob likes jazz", "Ann likes blues"]),
        ("Bob likes jazz and hates blues.", ["Bob likes jazz", "Bob dislikes blues"]),
        ("I like hiking and Ann likes camping.", ["user likes hiking", "Ann likes camping"]),
        ("Bob studies math and Ann studies art.", ["Bob studies math", "Ann studies art"]),
        ("Bob likes jazz and Ann's manager is Cid.", ["Bob likes jazz", "Ann manager Cid"]),
        ("I love rock and roll.", ["user likes rock and roll"]),
        ("Ann knows Bob and Cid.", ["Ann knows Bob", "Ann knows Cid"]),
        ("Pride and Prejudice was written by Jane Austen.", ["Pride and Prejudice author Jane Austen"]),
    ],
)
def test_clause_behind_and_is_no_part_of_an_object(text: str, objects: list[str]) -> None:
    record = Record(1, text, "user")
    facts = [fact for fact in GRAMMAR.extract(record).facts if not fact.retracts]
    assert [f"{fact.subject} {fact.relation} {fact.object}" for fact in facts] == objects


@pytest.mark.parametrize("text", ["Bob is allergic to nuts and Ann eats fish.", "I like Batman and Robin comics."])
def test_what_may_be_a_clause_behind_and_is_not_read(text: str) -> None:
    check_unresolved(text)


@pytest.mark.parametrize(
    "value", ["TBD", "TBA", "n/a", "N/A", "nobody", "Nobody", "vacant", "Vacant", "the same", "Unknown", "unassigned"]
)
def test_placeholder_is_no_value(value: str) -> None:
    for subject in ("The owner of Atlas", "My email", "My manager"):
        check_unresolved(f"{subject} is {value}.")


@pytest.mark.parametrize(
    "text",
    [
        "My email is b@x.com for work.",
        "My name is Bob on Twitter.",
        "My name is Bob for short.",
        "My phone number is 555-1234 at work.",
        "My favorite food is sushi for lunch.",
        "My favorite color is blue on walls.",
        "The password is hunter2 for guests.",
        "My rent is $1,200 starting in May.",
        "The ticket costs $20 for students.",
        "I am a nurse for Halloween.",
        "My birthday is tomorrow.",
        "My birthday is next week.",
        "My birthday is on Friday.",
        "Ann's house is Bob's.",
        "Ann's address is Bob's address.",
        "My favorite color is Bob's favorite color.",
    ],
)
def test_value_with_a_qualifier_or_that_is_only_pointed_at_is_not_read(text: str) -> None:
    check_unresolved(text)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("My job title is Head of Sales at Acme.", "user | works as | Head of Sales at Acme"),
        ("My favorite movie is Lost in Translation.", "user | favorite movie | Lost in Translation"),
        ("My favorite restaurant is McDonald's.", "user | favorite restaurant | McDonald's"),
        ("My address is 12 Main St in Oslo.", "user | address | 12 Main St in Oslo"),
        ("My birthday is in June.", "user | birthday | June"),
        ("My flight is at 9am.", "user's flight | scheduled for | 9am"),
    ],
)
def test_value_keeps_the_prepositions_inside_it(text: str, facts: str) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    ("wording", "name"),
    [
        ("boss", "manager"),
        ("supervisor", "manager"),
        ("line manager", "manager"),
        ("lead", "lead"),
        ("chief executive officer", "ceo"),
        ("chief executive", "ceo"),
        ("partner", "partner"),
    ],
)
def test_roles_of_one_meaning_have_one_name(wording: str, name: str) -> None:
    assert canonical_relation(wording) == name
    assert read(f"Acme's {wording} is Ann.") == f"Acme | {name} | Ann"


@pytest.mark.parametrize("article", ["The", "the"])
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Bob lives in {} Hague.", "Hague"),
        ("Bob works at {} Gap.", "Gap"),
        ("I like {} Beatles.", "Beatles"),
        ("My favorite band is {} Beatles.", "Beatles"),
        ("My favorite band changed from Abba to {} Beatles.", "Beatles"),
        ("Oslo is part of {} Nordics.", "Nordics"),
        ("My city is {} Hague.", "Hague"),
    ],
)
def test_object_loses_its_article_as_a_subject_does(text: str, name: str, article: str) -> None:
    facts = GRAMMAR.extract(Record(1, text.format(article))).facts
    assert {fact.object for fact in facts} == {name}
    assert read(f"The {name} is located in Oslo.") == f"{name} | located in | Oslo"
