"""What the English grammar reads in a text, as tests write it down."""

from __future__ import annotations

from memory_evidence.cmc.facts import literal
from memory_evidence.cmc.frontends.english import EnglishGrammar
from memory_evidence.records import Record

GRAMMAR = EnglishGrammar()


def read(text: str) -> str:
    """Bob | works at | Acme; "not" before a retraction; the aligned subject where there is one."""
    record = Record(1, text, "user")
    facts = GRAMMAR.extract(record).facts
    assert all(literal(record, fact) for fact in facts)
    return "; ".join(
        ("not " if fact.retracts else "")
        + f"{fact.slot.subject if fact.slot else fact.subject} | {fact.relation} | {fact.object}".rstrip()
        for fact in facts
    )
