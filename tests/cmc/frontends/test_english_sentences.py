"""Where texts are cut, and where values end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.cmc.frontends.sentences import lines, sentences, value_end


def cut(text: str) -> list[str]:
    return [
        text[sentence.start : sentence.stop]
        for start, stop, opaque in lines(text)
        if not opaque
        for sentence in sentences(text, start, stop)
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("X Inc..", "X Inc."),
        ("X Inc.", "X Inc."),
        ("Acme Corp.", "Acme Corp."),
        ("Bob Jr.", "Bob Jr."),
        ("Washington, D.C.", "Washington, D.C."),
        ("Washington, D.C..", "Washington, D.C."),
        ("5 Main St.", "5 Main St."),
        ("5 p.m.", "5 p.m."),
        ("J. R.", "J. R."),
        ("Ferrari S.p.A.", "Ferrari S.p.A."),
        ("Room B.", "Room B"),
        ("Oslo.", "Oslo"),
        ("Oslo...", "Oslo"),
        ("vue.js.", "vue.js"),
        ("version 2.5.", "version 2.5"),
        ("Oslo", "Oslo"),
        ("  Oslo.  ", "  Oslo"),
        ("", ""),
        (".", "."),
    ],
)
def test_one_plain_final_full_stop_is_dropped_once(text: str, value: str) -> None:
    assert text[: value_end(text, 0, len(text))] == value


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I live in Rome. I like tea.", ["I live in Rome", "I like tea"]),
        ("i live in rome. i like tea.", ["i live in rome", "i like tea"]),
        ("The author is J. R. R. Tolkien. I like him.", ["The author is J. R. R. Tolkien", "I like him"]),
        ("Dr. Smith met Mr. Jones in St. Louis. He left.", ["Dr. Smith met Mr. Jones in St. Louis", "He left"]),
        ("Bob works at Apple Inc. in Rome.", ["Bob works at Apple Inc. in Rome"]),
        ("Bob works at Apple Inc. Ann lives in Rome.", ["Bob works at Apple Inc.", "Ann lives in Rome"]),
        ("The CEO of Apple Inc. Tim Cook spoke.", ["The CEO of Apple Inc. Tim Cook spoke"]),
        ("He lives in Washington, D.C. Ann lives here.", ["He lives in Washington, D.C.", "Ann lives here"]),
        ("Pi is 3.14. Version 2.0.1 is out.", ["Pi is 3.14", "Version 2.0.1 is out"]),
        ("See https://example.org/a.b?c. Fine.", ["See https://example.org/a.b?c", "Fine"]),
        ("Fruit, e.g. apples, is good. Yes.", ["Fruit, e.g. apples, is good", "Yes"]),
        ("Really?! Yes! Well...", ["Really", "Yes", "Well"]),
        ("王伟在北京。我在家。", ["王伟在北京", "我在家"]),
        ("- one\n- two\n* three\n1. four\n2) five", ["one", "two", "three", "four", "five"]),
        ("# Title\n\nText here.", ["Title", "Text here"]),
        ('She said "Go. Now. Please." and left. Bye.', ['She said "Go. Now. Please." and left', "Bye"]),
        ('She said "Go now." Then she left.', ['She said "Go now."', "Then she left"]),
        ("Before\n```\nx = 1. y = 2.\n```\nAfter", ["Before", "After"]),
        ("I met Bob\nI like tea", ["I met Bob", "I like tea"]),
    ],
)
def test_text_is_cut_at_the_ends_of_sentences_only(text: str, parts: list[str]) -> None:
    assert cut(text) == parts


def test_long_line_without_a_closing_mark_goes_on_in_the_next() -> None:
    text = "Since the beginning of this year everybody at the office knows that Bob\nlives in Rome. I like tea."
    assert len(cut(text)) == 2


@given(st.text(alphabet=st.sampled_from("aB .!?。\n\"“”'`-1JInc, ")))
def test_sentences_are_ordered_trimmed_and_lose_no_letter(text: str) -> None:
    end = 0
    kept = 0
    for start, stop, opaque in lines(text):
        if opaque:
            kept += sum(c.isalpha() for c in text[start:stop])
            end = stop
            continue
        for sentence in sentences(text, start, stop):
            assert end <= sentence.start < sentence.stop <= stop
            piece = text[sentence.start : sentence.stop]
            assert piece == piece.strip()
            kept += sum(c.isalpha() for c in piece)
            end = sentence.stop
    assert kept == sum(c.isalpha() for c in text)
