"""What a frontend hands over: labelled records with facts whose subject and object are spans of the record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol, runtime_checkable

from memory_evidence.cmc.keys import token_spans
from memory_evidence.models import Steps
from memory_evidence.records import Record

Span = tuple[int, int]
"""Start and stop in the record's text."""


class Label(StrEnum):
    """What a frontend made of a record (paper section 3)."""

    FACTS = "facts"
    UNRESOLVED = "unresolved"
    """Something in it asserts what could not be read; the record is kept and shown with every answer."""
    NO_FACT = "no_fact"
    """It asserts nothing: a question, a greeting, a supposition."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The common name of what a fact is about: two facts of one slot are about the same thing."""

    subject: str
    relation: str


# Tuples, like `Extraction`: one of each is made for every record, and a frozen dataclass takes three times as long.
class Fact(NamedTuple):
    """One relation read from a record."""

    subject: str
    """As written in the record, or the speaker's name for the first person."""
    relation: str
    object: str
    """As written in the record; empty only in a retraction of whatever the value was."""
    subject_span: Span | None
    """None where the subject is the speaker."""
    object_span: Span | None
    """None only where the object is empty."""
    retracts: bool = False
    """The record says that this no longer holds."""
    slot: Slot | None = None
    """The aligned name, where the frontend aligns; None: subject and relation as they are."""


class Extraction(NamedTuple):
    """The label of one record, with its facts in text order.

    `unresolved` records may hold facts as well: what could be read of them is used, and they are still shown.
    """

    label: Label
    facts: tuple[Fact, ...] = ()
    note: str = ""
    """Why it is unresolved, for people."""


NO_FACT = Extraction(Label.NO_FACT)


class Frontend(Protocol):
    """Reads records without a model."""

    def extract(self, record: Record) -> Extraction:
        """Label one record; never raises on any text."""
        ...


@runtime_checkable
class ModelFrontend(Protocol):
    """Reads records with a model, in batches."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever another prompt or setting would read a record differently; part of the cache key."""
        ...

    def extract_now(self, record: Record) -> Extraction | None:
        """Label one record without the model, or None: it has to wait for the model."""
        ...

    def steps(self, records: Sequence[Record], known: Sequence[Slot]) -> Steps[list[Extraction | None]]:
        """Label `records` in order; None where the model could not be reached and the record should be tried again.

        `known` are the slots in use so far, most recent last.
        """
        ...


def literal(record: Record, fact: Fact) -> bool:
    """Whether subject and object of `fact` are literal spans of `record` (or the speaker, or empty in a retraction).

    A span starts and ends where a token does: a part of a word does not stand in the record.
    """
    if fact.subject_span is None:
        subject = fact.subject == record.speaker
    else:
        subject = _is_span(record.text, fact.subject, *fact.subject_span)
    if fact.object_span is None:
        object_ = fact.retracts and fact.object == ""
    else:
        object_ = _is_span(record.text, fact.object, *fact.object_span)
    return subject and object_ and bool(fact.relation.strip())


def _is_span(text: str, value: str, start: int, stop: int) -> bool:
    return text[start:stop] == value and at_tokens(text, start, stop)


def at_tokens(text: str, start: int, stop: int) -> bool:
    """Whether `text[start:stop]` is not empty, starts where a token starts and ends where one ends."""
    if not 0 <= start < stop <= len(text) or text[start].isspace() or text[stop - 1].isspace():
        return False
    return _parts(text, start) and _parts(text, stop)


def _parts(text: str, place: int) -> bool:
    """Whether no token reaches across `place`; the two characters beside it tell, however long the text is."""
    if place == 0 or place == len(text):
        return True
    before, after = text[place - 1], text[place]
    if before == " " or after == " ":
        return True
    if before.isascii() and after.isascii():  # nearly always, and this is asked of every fact that is indexed
        return not ((before.isalnum() or before == "_") and (after.isalnum() or after == "_"))
    return any(begin == 1 for begin, _ in token_spans(before + after)) or after.isspace()
