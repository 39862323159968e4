"""Finds what a clause of a question names (tools, targets, effects, outcomes, exit codes), and takes it out."""

from __future__ import annotations

import re

from memory_evidence.tallymem.acts import read_outcomes, read_verbs
from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.clause import Clause
from memory_evidence.tallymem.fillers import filler_spans
from memory_evidence.tallymem.joining import check_alternatives, filters
from memory_evidence.tallymem.ledger import NONZERO
from memory_evidence.tallymem.light import drop_light
from memory_evidence.tallymem.naming import read_labels, read_quotes, read_targets
from memory_evidence.tallymem.phrases import EXCLUDING, EXIT, NUMBERED, QUOTED, TOOL_CALLS
from memory_evidence.tallymem.plan import Filter
from memory_evidence.tallymem.things import check_states, read_groups, read_objects, read_patients, read_stems
from memory_evidence.tallymem.toolnames import check_twins, read_tools
from memory_evidence.tallymem.wording import EVENTS, FILES, NEUTRAL, THINGS


def read_mentions(clause: Clause) -> None:
    """Find everything that can filter rows.

    Raises:
        Unread: It names something that the log does not know.
    """
    while match := TOOL_CALLS.search(clause.left):
        clause.blank(*match.span())
    read_fillers(clause)
    _read_exit_codes(clause)  # before exclusions: "other than 0" is no exclusion of rows
    read_exclusions(clause)
    read_quotes(clause)
    read_groups(clause)
    read_targets(clause)
    _check_numbered(clause)
    check_states(clause)
    read_tools(clause)
    read_patients(clause)
    read_outcomes(clause)
    read_verbs(clause)
    read_objects(clause)
    drop_light(clause)
    read_labels(clause)
    read_stems(clause)
    _check_numbers(clause)
    check_twins(clause)
    check_alternatives(clause.text, clause.left, clause.mentions, clause.classes)


def read_fillers(clause: Clause) -> None:
    """Take out what says nothing about what is asked."""
    quoted = [match.span() for match in QUOTED.finditer(clause.text)]
    for start, stop in filler_spans(clause.text):
        if not any(begin < stop and start < end for begin, end in quoted):
            clause.blank(start, stop)


def read_exclusions(clause: Clause) -> None:
    """Find what is said not to count ("excluding 'go to' actions").

    Raises:
        Unread: What is excluded is not understood.
    """
    while match := EXCLUDING.search(clause.left):
        inner = Clause(match["what"], clause.ledger, clause.words)
        read_mentions(inner)
        parts = list(filters(inner.text, inner.mentions))
        # Rows without "edits of a.py" are not those without edits and without a.py.
        if len(parts) != 1 or inner.within or inner.excluded or inner.classes or inner.leftover(FILES | THINGS):
            raise Unread(f"what it excludes is not understood: {match['what'].strip()!r}")
        clause.excluded += [Filter(part.field, part.terms, True) for part in parts]
        clause.blank(*match.span())


def _read_exit_codes(clause: Clause) -> None:
    while match := EXIT.search(clause.left):
        code = match["code"] or match["code2"]
        if match["non"] or match["non2"] or match["other"]:
            term = NONZERO
        elif code:
            term = "0" if code.lower() == "zero" else code
        else:
            raise Unread(f"which exit code is meant is not said: {match[0].strip()!r}")
        clause.add("exit_code", term, *match.span())


def _check_numbered(clause: Clause) -> None:
    match = NUMBERED.search(clause.left)
    if match and match[1].casefold() in ("least", "most", "than", "exactly"):
        raise Unread(f"a count is not compared with a number ({match[0]!r}): ask for the count")
    if match and match[1].casefold() not in NEUTRAL and match[1].casefold() not in EVENTS:
        raise Unread(f"the log knows no {match[0]!r}")


def _check_numbers(clause: Clause) -> None:
    if match := re.search(r"\d", clause.left):
        raise Unread(f"a number is not understood, at {clause.left[match.start() : match.start() + 20].strip()!r}")
