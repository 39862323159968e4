"""Which records the English grammar may forget: only those that assert nothing at all."""

import pytest

from memory_evidence.cmc.facts import Label
from memory_evidence.cmc.frontends.english import EnglishGrammar
from memory_evidence.records import Record

GRAMMAR = EnglishGrammar()

STATING = [
    "Don't forget {}.",
    "If you need it, {}.",
    "If it helps, {}.",
    "If you're wondering, {}.",
    "If you must know, {}!",
    "If anyone asks, {}.",
    "If you need it {}.",
    "Should you need it, {}.",
    "Did I tell you {}?",
    "Did I mention that {}?",
    "Do you know that {}?",
    "Have you heard {}?",
    "Would you believe it, {}!",
    "Can you believe {}!",
    "Isn't it great that {}!",
    "How cool is it that {}!",
    "Who would have thought, {}.",
    "Are you there, {}.",
    "I wish to inform you that {}.",
    "I wish you knew that {}.",
    "Imagine my surprise: {}.",
    "Imagine: {}.",
    "Imagine that, {}.",
    "Suppose I should mention that {}.",
    "Pretend nothing happened, {}.",
    "Assuming you care, {}.",
    "Do note that {}.",
    "Let me tell you, {}.",
    "Let it be known that {}.",
    "Say, {} now.",
    "Say what you want, {}.",
    "What I mean is {}.",
    "What matters is that {}.",
    "Would you update that {}.",
    "Could you note that {}.",
    "Would love some tips, {}.",
    "Any luck, {}.",
    "I was wondering, since {}.",
    "Thanks for asking, {}.",
    "Tell me a joke, {}.",
    "What is a good gym, now that {}?",
    "Can you recommend a gym? It's because {}.",
]
STATEMENTS = ["my manager is Carl", "I moved to Rome", "Ann lives in Oslo", "my sister drives a Tesla"]

INFORMING = [
    "What I drive is a Tesla.",
    "Could you change my city to Rome.",
    "Can you set my name to Carl?",
    "Please change my city to Rome.",
    "Have my mail sent to Rome.",
    "Can you add Ann to my contacts?",
    "Remind me to call Ann on Friday.",
    "Say hi to my manager Carl.",
    "Do you remember my manager Carl?",
    "Any mail should go to Rome, I moved.",
    "Any mail should go to Rome.",
    "If you're wondering, that would be Carl.",
    "Where can I shop in Rome, where I live?",
    "What if I told you I moved to Rome?",
    "Imagine my surprise when I moved to Rome.",
    "Which is why I moved to Rome.",
    "Was CEO of Acme.",
    "Don't tell Ann but I moved to Rome.",
    "My manager Carl?",
    "My sister eats fish?",
    "Bob lives in Rome?",
    "Tell me, my manager is Carl.",
    "Tell me about my manager Carl.",
    "Remind me: my manager is Carl.",
    "Remind me when Ann arrives.",
    "I will tell you: my manager is Carl.",
    "In which case, my manager is Carl.",
    "To whom it may concern, my manager is Carl.",
    "I moved to Oslo, did you know my manager is Carl?",
]

SILENT = [
    "Do you know where Bob lives?",
    "Where does Bob live",
    "If Bob worked at Acme he would be rich.",
    "If I lived in Rome, I would be happy.",
    "If only I lived in Rome.",
    "If Bob lived in Rome, would he be happy?",
    "If Kestrel moves to Red Team, who is its owner?",
    "If Kestrel moved to Red Team, its owner would be in Lisbon.",
    "What would it take to move Kestrel to Red Team again?",
    "What if Bob moved to Rome?",
    "Suppose Bob lived in Rome.",
    "Suppose Bob lived in Rome, where would he work?",
    "Imagine that Bob lives in Rome.",
    "Hi!",
    "ok",
    "Thanks a lot!",
    "Good morning, Ann!",
    "Hey Mel, how are you? Thanks!",
    "No problem, Nate!",
    "Have a nice day!",
    "Let me know what you think!",
    "What's my manager's name?",
    "Is my manager Carl?",
    "Where do I live?",
    "Does Bob live in Oslo, Norway?",
    "Has Bob moved to Rome?",
    "Who lives in Rome?",
    "Who is the CEO of the company that Bob works at?",
    "Can you tell me where I live?",
    "Can you tell me my manager's name?",
    "I was wondering where Bob lives.",
    "Any ideas?",
    "In which city is my employer?",
    "In which city is my employer",
    "With whom does Ann work?",
    "On what day is my flight?",
    "To which team does Bob belong?",
    "Since when does Ann work at Acme?",
    "Bob's number?",
    "My manager's name?",
    "And my manager?",
    "Tell me who my manager is.",
    "Tell me my manager's name.",
    "Tell me: where do I live?",
    "Tell me when you arrive.",
    "Remind me: who is my manager?",
    "Remind me who Bob's manager is.",
    "Can you tell me who my manager is?",
]

DENIALS = [
    "False.",
    "Lies!",
    "Not true.",
    "NOT!",
    "Psych!",
    "April Fools!",
    "I lied.",
    "I made that up.",
    "I take that back.",
    "Ignore that.",
    "Forget what I said.",
    "Ignore my last message.",
    "No, it isn't.",
    "It's not.",
    "That was a lie.",
    "That was a test.",
    "None of that is true.",
    "What I said is wrong.",
    "The statement above is incorrect.",
    "Yeah, right.",
]


@pytest.mark.parametrize("frame", STATING)
def test_statement_inside_a_question_request_or_supposition_is_kept_without_facts(frame: str) -> None:
    for statement in STATEMENTS:
        extraction = GRAMMAR.extract(Record(1, frame.format(statement)))
        assert (extraction.label, extraction.facts) == (Label.UNRESOLVED, ()), statement


@pytest.mark.parametrize("text", INFORMING[:-1])
def test_request_or_question_that_tells_something_is_kept_without_facts(text: str) -> None:
    extraction = GRAMMAR.extract(Record(1, text))
    assert (extraction.label, extraction.facts) == (Label.UNRESOLVED, ())


def test_question_that_tells_something_behind_a_statement_keeps_the_record_unresolved() -> None:
    extraction = GRAMMAR.extract(Record(1, INFORMING[-1]))
    assert extraction.label is Label.UNRESOLVED
    assert [fact.object for fact in extraction.facts] == ["Oslo"]


@pytest.mark.parametrize("text", SILENT)
def test_bare_question_supposition_or_greeting_holds_no_fact(text: str) -> None:
    assert GRAMMAR.extract(Record(1, text)).label is Label.NO_FACT


@pytest.mark.parametrize("denial", DENIALS)
def test_later_denial_cancels_the_facts_of_the_record(denial: str) -> None:
    for statement in ("My manager is Bob.", "Ann lives in Paris."):
        extraction = GRAMMAR.extract(Record(1, f"{statement} {denial}"))
        assert (extraction.label, extraction.facts) == (Label.UNRESOLVED, ())


@pytest.mark.parametrize(
    "text",
    [
        "I lied. My manager is Bob.",
        "My manager is Bob... NOT!",
        "My manager is Bob, not.",
        "My manager is Bob /s",
        "Ann lives in Paris (not).",
        "Yeah right, Ann lives in Paris.",
        "Yeah right! Ann lives in Paris.",
        "Oh sure, Ann lives in Paris.",
        "Oh great, Ann lives in Paris.",
        "Haha sure, Ann lives in Paris.",
    ],
)
def test_irony_makes_no_fact_but_keeps_the_record(text: str) -> None:
    extraction = GRAMMAR.extract(Record(1, text))
    assert (extraction.label, extraction.facts) == (Label.UNRESOLVED, ())


@pytest.mark.parametrize(
    "text",
    [
        "My manager is Bob. I made up my mind.",
        "My manager is Bob. Ignore the noise.",
        "My manager is Bob. That's not bad.",
        "My manager is Bob, not Ann.",
        "That's wrong. My manager is Bob.",
        "Oh great news, my manager is Bob!",
        "Sure, my manager is Bob.",
    ],
)
def test_other_sentences_with_such_words_leave_facts_standing(text: str) -> None:
    assert [fact.object for fact in GRAMMAR.extract(Record(1, text)).facts] == ["Bob"]
