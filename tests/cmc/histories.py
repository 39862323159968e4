"""A small language of facts for the engine's tests: every sentence is read for certain; names contain one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from memory_evidence.cmc.evidence import Evidence
from memory_evidence.cmc.facts import Extraction
from memory_evidence.cmc.frontends.patterns import Pattern, PatternGrammar
from memory_evidence.cmc.index import CompiledIndex
from memory_evidence.cmc.reading import ReadOptions, read
from memory_evidence.cmc.render import BUDGET
from memory_evidence.records import Record

MULTI = frozenset({"knows"})
GRAMMAR = PatternGrammar(
    (
        Pattern("{subject} reports to {object}", relation="reports to"),
        Pattern("{subject} no longer reports to {object}", relation="reports to", retracts=True),
        Pattern("{subject} reports to nobody", relation="reports to", retracts=True),
        Pattern("{subject} sits in {object}", relation="sits in"),
        Pattern("{subject} knows {object}", relation="knows"),
        Pattern("{subject} no longer knows {object}", relation="knows", retracts=True),
    )
)

NAMES = ("Ann", "Ann Lee", "Lee", "Bo", "Bo Ann", "Cy", "Room 1", "Room 11")
_TEMPLATES = (
    "{} reports to {}.",
    "{} reports to {}.",
    "{} sits in {}.",
    "{} knows {}.",
    "{} knows {}.",
    "{} no longer reports to {}.",
    "{} no longer knows {}.",
    "{} reports to nobody.",
)
names = st.sampled_from(NAMES)
sentences = st.builds(lambda template, a, b: template.format(a, b), st.sampled_from(_TEMPLATES), names, names)
asides = st.builds("Someone hummed a tune about {}.".format, names)
"""No pattern reads these: they stay unresolved."""
histories = st.lists(sentences | sentences | sentences | asides, max_size=25)
questions = st.builds(
    " ".join,
    st.lists(names | st.sampled_from(["where", "who is", "before", "previously", "tune about", "knows"]), max_size=5),
)
options = st.builds(
    ReadOptions,
    hops=st.integers(1, 4),
    budget=st.sampled_from([1, 30, 60, 120, BUDGET]),
    measure=st.just(len),
    order=st.sampled_from(["source", "path"]),
    overflow=st.sampled_from(["nearest", "newest"]),
    unresolved_limit=st.sampled_from([None, 0, 1, 3]),
    earlier=st.booleans(),
    fallback=st.sampled_from(["history", "nothing"]),
)
hub_limits = st.sampled_from([None, 1, 2, 8])

PLAIN = ReadOptions(5, BUDGET, len, "source", "nearest", None, True, "history")


def numbered(texts: Sequence[str]) -> list[Record]:
    return [Record(position, text) for position, text in enumerate(texts, 1)]


def empty(**changes: Any) -> CompiledIndex:
    settings: dict[str, Any] = {
        "multi_valued": MULTI,
        "synonyms": {},
        "aliases": {},
        "hub_limit": None,
        "rank_unresolved": True,
    }
    return CompiledIndex(**settings | changes)


def compiled(texts: Sequence[str], **changes: Any) -> CompiledIndex:
    index = empty(**changes)
    for record in numbered(texts):
        index.add(record, GRAMMAR.extract(record))
    return index


def extracted(texts: Sequence[str]) -> list[tuple[Record, Extraction]]:
    return [(record, GRAMMAR.extract(record)) for record in numbered(texts)]


def evidence(index: CompiledIndex, question: str, how: ReadOptions = PLAIN, as_of: int | None = None) -> Evidence:
    return read(index, question, how, as_of)


def timeless(found: Evidence) -> Evidence:
    """Return `found` without what says when it was read."""
    return replace(found, receipt=replace(found.receipt, elapsed_ms=0.0, as_of=None))


def lines(found: Evidence) -> dict[int, str]:
    """Return the lines of evidence whose records have one line each, by the number they start with."""
    rows = found.text.split("\n") if found.text else []
    return {int(number): rest for number, rest in (row.split(". ", 1) for row in rows)}
