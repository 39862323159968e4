"""What holds of every text: spans are literal, reading never fails, and takes time in proportion to the length."""

import gzip
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.cmc.facts import Extraction, Label, literal
from memory_evidence.cmc.frontends.english import EnglishGrammar
from memory_evidence.cmc.frontends.patterns import Pattern, PatternGrammar
from memory_evidence.cmc.frontends.sentences import MAX_CHARS
from memory_evidence.records import Record

GRAMMAR = EnglishGrammar()
PATTERNS = (
    Pattern("{subject} is a citizen of {object}"),
    Pattern("the {relation} of {subject} is {object}"),
    Pattern("{subject}'s child is {object}", relation="child"),
    Pattern("{subject} reports to {object}"),
    Pattern("forget {subject}", relation="anything", retracts=True),
)
DECLARED = EnglishGrammar(PATTERNS)
WHOLE = PatternGrammar(PATTERNS)

NAMES = st.sampled_from(
    ["Bob", "Ann Lee", "Blue Team", "Acme Inc.", "José", "王伟", "Мария", "J. R. R. Tolkien", "İz", "ß"]
)
OWNERS = st.sampled_from(
    ["I", "my manager", "My sister Ann", "the meeting", "The CEO of Acme", "Bob's dog", "he", "We"]
)
VERBS = st.sampled_from(
    [
        "lives in",
        "live in",
        "moved to",
        "no longer works at",
        "is not the CEO of",
        "is",
        "is now",
        "likes",
        "don't like",
        "is married to",
        "has a dog named",
        "changed from A to",
        "was born in",
        "is scheduled for",
        "reports to",
        "said",
    ]
)
OBJECTS = st.sampled_from(
    [
        "Rome",
        "Oslo, Norway",
        "tea, coffee and cake",
        "Friday at 3 pm",
        "$5,000",
        "the Blue Team",
        "Acme Inc..",
        "my manager",
        '"The Hobbit"',
        "a nurse at Mercy Hospital",
        "Ann's manager",
        "it",
        "boston",
        "Room B",
        "**Ann**",
        "5 Main St.",
    ]
)
ENDS = st.sampled_from(
    ["", ".", "..", "!", "?", " now.", " anymore.", ", by the way.", ", I think.", " because.", " with Ann"]
)
JOINS = st.sampled_from([" ", " and ", ", but ", "; ", "\n", "\n- ", " - ", ". By the way, ", '" ', "’s ", " if "])
CLAUSES = st.builds(lambda *parts: " ".join(parts[:3]) + parts[3], NAMES | OWNERS, VERBS, NAMES | OBJECTS, ENDS)
TEXTS = st.lists(st.tuples(CLAUSES, JOINS), min_size=1, max_size=4).map(lambda pairs: "".join(a + b for a, b in pairs))


def check(record: Record, extraction: Extraction) -> None:
    for fact in extraction.facts:
        assert literal(record, fact), fact
        for value in (fact.subject, fact.object, fact.relation):
            assert value == value.strip()
    assert (extraction.label is Label.NO_FACT) <= (not extraction.facts)
    assert (extraction.label is Label.FACTS) <= bool(extraction.facts)
    assert (extraction.label is Label.UNRESOLVED) == bool(extraction.note)


@given(TEXTS)
def test_facts_of_composed_sentences_are_literal_spans(text: str) -> None:
    record = Record(1, text, "Zoë")
    check(record, GRAMMAR.extract(record))
    check(record, DECLARED.extract(record))
    check(record, WHOLE.extract(record))


@given(st.text())
def test_facts_of_any_text_are_literal_spans(text: str) -> None:
    record = Record(1, text)
    check(record, GRAMMAR.extract(record))
    check(record, DECLARED.extract(record))
    check(record, WHOLE.extract(record))


@given(CLAUSES, CLAUSES)
def test_reading_depends_on_nothing_read_before(first: str, then: str) -> None:
    alone = GRAMMAR.extract(Record(1, then))
    GRAMMAR.extract(Record(1, first))
    assert GRAMMAR.extract(Record(1, then)) == alone


HOSTILE = [
    "and I ",
    "is ",
    "the of ",
    "Bob's ",
    '"',
    "“a ",
    "( ",
    "Inc. ",
    "J. ",
    "moved from Bob to ",
    "I like a, ",
    "Bob lives in Rome, ",
    "I live in Boston and ",
    "I like a and b with c ",
    "Ann lives in Rome; ",
    "A lives in B\n",
    "``` ",
    "no longer ",
    "St. ",
    "1. ",
    "The a of the b of ",
    "a",
    " ",
    "\n",
    "...",
    "王",
    " reports to ",
    " is a citizen of",
]


def steps(read: Any, text: str) -> int:
    """Count the lines of Python that reading takes."""
    count = 0

    def trace(frame: Any, event: str, arg: object) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        read(Record(1, text))
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("piece", HOSTILE)
def test_steps_grow_no_faster_than_the_text(piece: str) -> None:
    for read in (GRAMMAR.extract, DECLARED.extract, WHOLE.extract):
        small, large = (steps(read, (piece * size)[:size]) for size in (1_500, 6_000))
        assert large <= 5 * small + 2_000


@pytest.mark.parametrize("piece", ["is ", '"', "J. ", "I live in Boston and "])
def test_hostile_megabyte_is_read_to_the_end(piece: str) -> None:
    grammar = EnglishGrammar(PATTERNS[:2], max_chars=2_000_000)
    text = (piece * 1_000_000)[:1_000_000]
    check(Record(1, text), grammar.extract(Record(1, text)))


def test_record_too_long_to_be_a_statement_is_kept_unread_with_a_note() -> None:
    text = "Bob lives in Rome. " * 600_000
    for grammar in (GRAMMAR, DECLARED, WHOLE):
        extraction = grammar.extract(Record(1, text))
        assert (extraction.label, extraction.facts) == (Label.UNRESOLVED, ())
        assert str(MAX_CHARS) in extraction.note
    assert GRAMMAR.extract(Record(1, text[:MAX_CHARS])).facts


def test_sentence_too_long_to_be_one_is_left_unread() -> None:
    extraction = GRAMMAR.extract(Record(1, "Bob lives in Rome with Ann " + "and " * 200 + ". I like tea."))
    assert [fact.object for fact in extraction.facts] == ["tea", "tea"]
    assert extraction.label is Label.UNRESOLVED


@pytest.mark.parametrize("value", [0, -1, 1.5, "many", None])
def test_limit_must_be_a_positive_whole_number(value: Any) -> None:
    with pytest.raises(ValueError, match="max_chars"):
        EnglishGrammar(max_chars=value)


def dialogue(folder: Path) -> Iterator[Record]:
    """Every turn of the dialogue data sets below `folder`."""
    for path in sorted(folder.glob("knowledge_updates/turns.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                turn = json.loads(line)
                yield Record(1, turn["content"], turn["role"])
    for path in sorted(folder.glob("locomo/locomo*.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for sample in json.load(file):
                for name, session in sample["conversation"].items():
                    if name.startswith("session") and isinstance(session, list):
                        for turn in session:
                            yield Record(1, turn["text"], turn["speaker"])


def test_facts_of_natural_dialogue_are_literal_spans() -> None:
    folder = os.environ.get("MEMORY_EVIDENCE_DATA")
    if not folder:
        pytest.skip("MEMORY_EVIDENCE_DATA does not name a folder of data sets")
    records = list(dialogue(Path(folder)))
    assert records, f"no dialogue below {folder}"
    for record in records:
        check(record, GRAMMAR.extract(record))
