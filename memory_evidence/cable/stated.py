"""What a memory states of things that have one value at a time: read when it is linked, with CMC's grammar (ours)."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING

from memory_evidence.blocks import holds_block
from memory_evidence.cable.filter import spoken
from memory_evidence.store.stated import Stated, Statements

if TYPE_CHECKING:
    from memory_evidence.cmc.frontends.english import EnglishGrammar

__all__ = ["Stated", "Statements", "load", "statements_of"]

_ROLES = frozenset(("user", "assistant", "human", "ai"))
_THE_USER = re.compile(r"\b[Tt]he user\b")
"""As memories that a model extracted call whom they are about; the grammar would ask which user."""
_HEADING = re.compile(
    r"\b(?:answer|caption|context|conversation|correction|date|dialogue|draft|dream|edit|example|fact|fiction|fwd|goal|"
    r"header|heading|hypothesis|idea|image|info|joke|lyrics|memo|message|myth|name|notes?|place|plan|poem|ps|question|"
    r"quote|re|reminder|rumou?r|scenario|scene|script|sketch|slogan|story|subject|summary|task|text|theme|time|tip|title|"
    r"todo|topic|transcript|translation|update|warning|wish)\b"
)
"""A word in front of a colon that is no one's name; what stands behind some of them is not meant as true."""


def statements_of(text: str) -> Statements:
    """Return what `text` states of relations that hold one value, the latest; in doubt nothing.

    "Ann: I live in Rome" states it of Ann; without a name in front, the first person is the user.
    """
    if holds_block(text):
        return Statements()  # what was recalled from memory is no news
    from memory_evidence.cmc.facts import Label
    from memory_evidence.cmc.keys import name_key, relation_key
    from memory_evidence.records import USER, Record

    name, said = spoken(text)
    if name and not _speaks(name):
        return Statements()
    said = _THE_USER.sub("User", said)
    speaker = USER if name_key(name) in ("", USER, "human") else name
    read = _grammar().extract(Record(1, said, speaker))
    stated = []
    more = read.label is Label.UNRESOLVED
    for fact in read.facts:
        subject, relation = (fact.slot.subject, fact.slot.relation) if fact.slot else (fact.subject, fact.relation)
        relation = relation_key(relation)
        relation = _synonyms().get(relation, relation)
        if relation in _multi_valued():
            more = more or not fact.retracts
            continue
        slot = json.dumps([name_key(subject), relation], ensure_ascii=False)
        stated.append(Stated(slot, name_key(fact.object), fact.object, fact.retracts))
    return Statements(tuple(stated), more)


def load() -> None:
    """Import now what the first statement would."""
    statements_of("Ann lives in Rome.")


def _speaks(name: str) -> bool:
    """Whether what stands in front of a colon is somebody who speaks."""
    low = name.lower()
    named = all(not word[0].islower() for word in name.split()) and not _HEADING.search(low)
    return named or low in _ROLES


@cache
def _grammar() -> EnglishGrammar:
    from memory_evidence.cmc.frontends.english import EnglishGrammar  # deferred: it is large, and only linking reads

    return EnglishGrammar()


@cache
def _synonyms() -> dict[str, str]:
    from memory_evidence.cmc.frontends.english import RELATION_SYNONYMS
    from memory_evidence.cmc.keys import relation_key

    return {relation_key(wording): relation_key(name) for wording, name in RELATION_SYNONYMS.items()}


@cache
def _multi_valued() -> frozenset[str]:
    from memory_evidence.cmc.frontends.english import MULTI_VALUED
    from memory_evidence.cmc.keys import relation_key

    return frozenset(_synonyms().get(relation_key(name), relation_key(name)) for name in MULTI_VALUED)
