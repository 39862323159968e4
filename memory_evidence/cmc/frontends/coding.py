"""Extractions as bytes, for the cache of what a model has read."""

from __future__ import annotations

import hashlib
import json

from memory_evidence.cmc.facts import Extraction, Fact, Label, Slot
from memory_evidence.records import Record


def record_hash(record: Record) -> str:
    """Return the hash of all that a frontend reads of a record: its speaker and its text."""
    digest = hashlib.sha256(record.speaker.encode("utf-8", "surrogatepass"))
    digest.update(b"\x00")
    digest.update(record.text.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def encode(extraction: Extraction) -> bytes:
    """Return `extraction` as JSON."""
    facts = [
        [
            fact.subject,
            fact.relation,
            fact.object,
            fact.subject_span,
            fact.object_span,
            fact.retracts,
            [fact.slot.subject, fact.slot.relation] if fact.slot else None,
        ]
        for fact in extraction.facts
    ]
    return json.dumps([extraction.label, facts, extraction.note], separators=(",", ":")).encode("ascii")


def decode(payload: bytes) -> Extraction:
    """Return the extraction that `encode` wrote."""
    label, rows, note = json.loads(payload)
    facts = tuple(
        Fact(
            subject,
            relation,
            object_,
            tuple(subject_span) if subject_span else None,
            tuple(object_span) if object_span else None,
            retracts,
            Slot(*slot) if slot else None,
        )
        for subject, relation, object_, subject_span, object_span, retracts, slot in rows
    )
    return Extraction(Label(label), facts, note)
