"""Patterns that a user declares: what may be declared, what matches, and how they work inside plain English."""

import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.cmc.facts import Extraction, Fact, Label, literal
from memory_evidence.cmc.frontends.english import EnglishGrammar
from memory_evidence.cmc.frontends.patterns import Pattern, PatternGrammar, alternation, lower
from memory_evidence.errors import ConfigError
from memory_evidence.records import Record

FACTS = PatternGrammar(
    [
        Pattern("{subject} is a citizen of {object}"),
        Pattern("The author of {subject} is {object}", relation="author"),
        Pattern("{subject}'s child is {object}", relation="child"),
        Pattern("{subject} is located in {object}"),
        Pattern("{subject} is located in the continent of {object}", relation="continent"),
        Pattern("The {relation} of {subject} is {object}"),
        Pattern("{subject} no longer plays for {object}", relation="plays for", retracts=True),
        Pattern("{subject} retired", relation="plays for", retracts=True),
        Pattern("The company that {subject} founded is {object} today", relation="founded"),
        Pattern("I report to {object}", relation="reports to"),
    ]
)


def only(extraction: Extraction) -> Fact:
    assert extraction.label is Label.FACTS
    (fact,) = extraction.facts
    return fact


def read(text: str, speaker: str = "user") -> tuple[str, str, str]:
    record = Record(1, text, speaker)
    fact = only(FACTS.extract(record))
    assert literal(record, fact)
    return fact.subject, fact.relation, fact.object


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Ann is a citizen of France.", ("Ann", "is a citizen of", "France")),
        ("ann IS A CITIZEN OF France", ("ann", "is a citizen of", "France")),
        ("The author of Dune is Frank Herbert.", ("Dune", "author", "Frank Herbert")),
        ("The author of What Is to Be Done? is Ann.", ("What Is to Be Done?", "author", "Ann")),
        ('The author of "This is Water" is Ann.', ('"This is Water"', "author", "Ann")),
        ("Ann’s child is Bob.", ("Ann", "child", "Bob")),
        ("Ann's child is Apple Inc..", ("Ann", "child", "Apple Inc.")),
        ("Oslo is located in Norway.", ("Oslo", "is located in", "Norway")),
        ("Oslo is located in the continent of Europe.", ("Oslo", "continent", "Europe")),
        ("The capital of Norway is Oslo.", ("Norway", "capital", "Oslo")),
        ("The Head  of State of Norway is Ann.", ("State of Norway", "head", "Ann")),
        ("  Ann  is a citizen of  France .  ", ("Ann", "is a citizen of", "France")),
        ("Ann is a citizen of\nFrance.", ("Ann", "is a citizen of", "France")),
        ("The company that Ann founded is Acme today.", ("Ann", "founded", "Acme")),
        ("İz is a citizen of Türkiye.", ("İz", "is a citizen of", "Türkiye")),
        ("王伟 is a citizen of 中国", ("王伟", "is a citizen of", "中国")),
    ],
)
def test_record_that_matches_from_end_to_end_is_one_fact(text: str, fact: tuple[str, str, str]) -> None:
    assert read(text) == fact


@pytest.mark.parametrize(
    "text",
    [
        "Ann lives in Rome.",
        "Ann is a citizen of",
        "is a citizen of France",
        "The author of is Ann",
        "Ann",
        "is",
        "The of is",
    ],
)
def test_record_that_matches_no_pattern_is_unresolved(text: str) -> None:
    extraction = FACTS.extract(Record(1, text))
    assert (extraction.label, extraction.facts) == (Label.UNRESOLVED, ())
    assert extraction.note


def test_empty_record_holds_no_fact() -> None:
    assert FACTS.extract(Record(1, "  \n ")).label is Label.NO_FACT


def test_pattern_that_says_most_wins_whatever_the_order() -> None:
    patterns = [
        Pattern("{subject} is {object}", relation="a"),
        Pattern("{subject} is in {object}", relation="b"),
        Pattern("the home of {subject} is in {object}", relation="c"),
    ]
    for grammar in (PatternGrammar(patterns), PatternGrammar(patterns[::-1])):
        assert only(grammar.extract(Record(1, "The home of Ann is in Rome."))).relation == "c"
        assert only(grammar.extract(Record(1, "Ann is in Rome."))).relation == "b"
        assert only(grammar.extract(Record(1, "Ann is tall."))).relation == "a"
        assert only(grammar.extract(Record(1, "Ann in Rome is tall."))).subject == "Ann in Rome"


def test_of_equal_patterns_the_first_declared_wins() -> None:
    grammar = PatternGrammar([Pattern("{subject} is {object}", "first"), Pattern("{subject} IS {object}", "second")])
    assert only(grammar.extract(Record(1, "Ann is tall"))).relation == "first"


def test_retraction_may_go_without_an_object() -> None:
    fact = only(FACTS.extract(Record(1, "Ann retired.")))
    assert (fact.subject, fact.relation, fact.object, fact.object_span, fact.retracts) == (
        "Ann",
        "plays for",
        "",
        None,
        True,
    )
    assert only(FACTS.extract(Record(1, "Ann no longer plays for Acme."))).retracts


def test_pattern_without_subject_is_about_the_speaker() -> None:
    assert read("I report to Ann.", "Caroline") == ("Caroline", "reports to", "Ann")


@pytest.mark.parametrize(
    "template",
    [
        "",
        "   ",
        "{subject}",
        "{subject} {object}",
        "{subject}{object} is",
        "{subject} likes {object} and {object}",
        "{subject} likes {thing}",
        "{subject} likes {}",
        "{subject} likes {object",
        "{subject} likes",
        "likes {object}",
        "nothing here",
        None,
        3,
    ],
)
def test_template_that_cannot_be_matched_is_refused_at_once(template: str) -> None:
    with pytest.raises(ConfigError, match="template"):
        Pattern(template)


@pytest.mark.parametrize("relation", ["", "  "])
def test_empty_relation_is_refused(relation: str) -> None:
    with pytest.raises(ConfigError, match="relation"):
        Pattern("{subject} likes {object}", relation=relation)


def test_relation_is_given_once() -> None:
    with pytest.raises(ConfigError, match="relation"):
        Pattern("the {relation} of {subject} is {object}", relation="author")


@pytest.mark.parametrize(
    ("template", "relation"),
    [
        ("{subject} reports to {object}", "reports to"),
        ("{subject}   Reports   to {object}.", "reports to"),
        ("{subject}'s child is {object}", "child is"),
        ("the author of {subject} is {object}", "the author of is"),
    ],
)
def test_relation_defaults_to_the_literal_words(template: str, relation: str) -> None:
    text = template.replace("{subject}", "Ann").replace("{object}", "Bob")
    assert only(PatternGrammar([Pattern(template)]).extract(Record(1, " ".join(text.split())))).relation == relation


def test_signs_of_regular_expressions_are_plain_text() -> None:
    grammar = PatternGrammar([Pattern("{subject} (a|b)* [x] $ ^ .+ \\d {object}", relation="r")])
    assert only(grammar.extract(Record(1, "Ann (a|b)* [x] $ ^ .+ \\d Bob"))).object == "Bob"
    assert not grammar.extract(Record(1, "Ann aab x Bob")).facts


def test_pattern_survives_a_process_pool() -> None:
    pattern = Pattern("{subject} reports to {object}")
    assert pickle.loads(pickle.dumps(pattern)) == pattern


def test_grammar_without_patterns_resolves_nothing() -> None:
    assert PatternGrammar([]).extract(Record(1, "Ann is tall")).label is Label.UNRESOLVED


@given(st.lists(st.text(alphabet="ab.*( ", max_size=5), max_size=8), st.text(alphabet="ab.*( ", max_size=8))
def test_alternation_finds_the_longest_word(words: list[str], text: str) -> None:
    words = [word for word in words if word]
    match = re.match(alternation(words) or "(?!)", text)
    expected = max((word for word in words if text.startswith(word)), key=len, default=None)
    assert (match.group() if match else None) == expected


@given(st.text())
def test_lower_case_keeps_every_character_in_its_place(text: str) -> None:
    assert len(lower(text)) == len(text)


# --- inside plain English ---------------------------------------------------------------------------------------------

GRAMMAR = EnglishGrammar(
    [
        Pattern("{subject} is paged by {object}"),
        Pattern("{subject} lives in {object}", relation="home"),
        Pattern("{subject} left the rota", relation="is paged by", retracts=True),
        Pattern("my badge is {object}", relation="badge"),
    ]
)


def english(text: str) -> list[tuple[str, str, str]]:
    record = Record(1, text)
    facts = GRAMMAR.extract(record).facts
    assert all(literal(record, fact) for fact in facts)
    return [(fact.subject, fact.relation, fact.object) for fact in facts]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Ops is paged by Ann.", [("Ops", "is paged by", "Ann")]),
        ("By the way, Ops is paged by Ann now!", [("Ops", "is paged by", "Ann")]),
        ("Ops is paged by Ann and my manager is Bob.", [("Ops", "is paged by", "Ann"), ("user", "manager", "Bob")]),
        ("My manager is Bob and Ops is paged by Ann.", [("user", "manager", "Bob"), ("Ops", "is paged by", "Ann")]),
        ("Ops is paged by Apple Inc. I like it.", [("Ops", "is paged by", "Apple Inc.")]),
        ("Ops left the rota.", [("Ops", "is paged by", "")]),
        ("My badge is B-12.", [("user", "badge", "B-12")]),
        ("I lives in Rome.", [("user", "home", "Rome")]),
        ('"Ops" is paged by "Ann Lee".', [("Ops", "is paged by", "Ann Lee")]),
        ("Bob lives in Rome.", [("Bob", "home", "Rome")]),
    ],
)
def test_declared_pattern_comes_first_and_reads_a_clause(text: str, facts: list[tuple[str, str, str]]) -> None:
    assert english(text) == facts


@pytest.mark.parametrize(
    "text",
    [
        "Is it true that Ops is paged by Ann?",
        "Ops is paged by Ann?",
        "If Ops is paged by Ann, all is well.",
        "I think Ops is paged by Ann.",
        "Bob said Ops is paged by Ann.",
        "Ops is paged by Ann, I guess.",
        "Ops is paged by Ann or Bob.",
        "He is paged by Ann.",
        "Ops is paged by her.",
        "Everything is paged by Ann.",
        '"Ops is paged by Ann."',
    ],
)
def test_declared_pattern_is_held_to_the_same_certainty(text: str) -> None:
    assert english(text) == []
