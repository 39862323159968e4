"""Finds what a clause of a question names (tools, targets, effects, outcomes, exit codes), and takes it out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise

from memory_evidence.tallymem.actions import EDITOR_COMMANDS
from memory_evidence.tallymem.acts import read_outcomes, read_verbs
from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.fillers import filler_spans
from memory_evidence.tallymem.joining import Mention, check_alternatives, filters
from memory_evidence.tallymem.ledger import NONZERO, Field, Ledger
from memory_evidence.tallymem.light import drop_light
from memory_evidence.tallymem.naming import read_labels, read_quotes, read_targets
from memory_evidence.tallymem.phrases import (
    AND,
    ATTEMPT,
    EXCLUDING,
    EXIT,
    NUMBERED,
    QUOTED,
    SIGNED,
    TOOL_CALLS,
)
from memory_evidence.tallymem.plan import Filter, Predicate
from memory_evidence.tallymem.rows import Outcome
from memory_evidence.tallymem.things import (
    check_states,
    read_groups,
    read_objects,
    read_patients,
    read_stems,
)
from memory_evidence.tallymem.toolnames import check_twins, read_tools
from memory_evidence.tallymem.vocabulary import Vocabulary
from memory_evidence.tallymem.wording import (
    EVENTS,
    FILES,
    NEUTRAL,
    THINGS,
    WORD,
)

_HIDDEN = "\0"


@dataclass(slots=True)
class Clause:
    """A piece of a question; what has been understood of it is blanked out of `left`."""

    text: str
    ledger: Ledger
    words: Vocabulary
    left: str = ""
    mentions: list[Mention] = field(default_factory=list)
    excluded: list[Filter] = field(default_factory=list)
    within: list[Filter] = field(default_factory=list)
    """Targets below a directory, or with an ending, that it names."""
    classes: list[Mention] = field(default_factory=list)
    """Classes of targets ("drawer") that it names."""
    nouns: set[str] = field(default_factory=set)
    acting: bool = False
    """Whether it asks about actions, tools or outcomes as such, so that "used" or "performed" says nothing more."""

    doing: bool = False
    """Whether a verb for what is done to a file names a tool: "edited", where a tool is called `edit`."""

    def __post_init__(self) -> None:
        self.left = self.left or self.text

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Find `pattern` in what is left, and take it out."""
        match = pattern.search(self.left)
        if match:
            self.blank(*match.span())
        return match

    def blank(self, start: int, stop: int) -> None:
        """Take a span out of what is left."""
        self.left = self.left[:start] + " " * (stop - start) + self.left[stop:]

    @contextmanager
    def names_hidden(self) -> Iterator[None]:
        """Hide names that no word of the grammar is a part of: what is quoted, and what is written with dots."""
        spans = [match.span() for pattern in (QUOTED, SIGNED) for match in pattern.finditer(self.left)]
        for start, stop in spans:
            self.left = self.left[:start] + _HIDDEN * (stop - start) + self.left[stop:]
        yield
        self.left = "".join(said if left == _HIDDEN else left for said, left in zip(self.text, self.left, strict=True))

    def read(self) -> None:
        """Find everything that can filter rows.

        Raises:
            Unread: It names something that the log does not know.
        """
        while match := TOOL_CALLS.search(self.left):
            self.blank(*match.span())
        self.read_fillers()
        self._exit_codes()  # before exclusions: "other than 0" is no exclusion of rows
        self.read_exclusions()
        read_quotes(self)
        read_groups(self)
        read_targets(self)
        self._numbered()
        check_states(self)
        read_tools(self)
        read_patients(self)
        read_outcomes(self)
        read_verbs(self)
        read_objects(self)
        drop_light(self)
        read_labels(self)
        read_stems(self)
        self._unknown()
        check_twins(self)
        check_alternatives(self.text, self.left, self.mentions, self.classes)

    def predicate(self) -> Predicate:
        """Return the filters that the mentions make."""
        return (*filters(self.text, self.mentions), *self.within, *self._done(), *self.excluded)

    def _done(self) -> Iterator[Filter]:
        """Yield the filter that leaves out refused calls: what a file was not edited by is no edit of it."""
        effects = {mention.term for mention in self.mentions if mention.field == "effect"}
        tools = {mention.term.casefold() for mention in self.mentions if mention.field == "tool"}
        called = any(tool.split()[-1] in EDITOR_COMMANDS for tool in tools) or (tools and effects <= {"read"})
        judged = any(mention.field == "outcome" for mention in self.mentions) or ATTEMPT.search(self.text)
        if (self.doing or (effects and not called)) and not judged:
            yield Filter("outcome", (Outcome.FAILURE.value, Outcome.NO_EFFECT.value), True)

    def several(self, field: Field) -> bool:
        """Whether it names several terms of `field`, joined by "and": a quantity for each of them."""
        found = sorted((m for m in self.mentions if m.field == field), key=lambda m: m.start)
        between = (self.text[a.stop : b.start] for a, b in pairwise(found) if a.start != b.start)
        return any(AND.search(part) for part in between)

    def each_effect(self) -> Iterator[Filter]:
        """Yield a filter for each word that names an effect, in order."""
        found = [mention for mention in self.mentions if mention.field == "effect"]
        for start in sorted({mention.start for mention in found}):
            yield Filter("effect", tuple(dict.fromkeys(m.term for m in found if m.start == start)))

    def leftover(self, allowed: frozenset[str] = frozenset()) -> list[str]:
        """Return the words that nothing has accounted for."""
        words = (match[0] for match in WORD.finditer(self.left))
        return [
            word
            for word in words
            if (key := word.casefold().removesuffix("'s").strip("'-")) and key not in NEUTRAL | EVENTS | allowed
        ]

    def add(self, field: Field, term: str, start: int, stop: int) -> None:
        """Note a mention and take it out."""
        self.mentions.append(Mention(field, term, start, stop))
        self.blank(start, stop)

    def read_fillers(self) -> None:
        """Take out what says nothing about what is asked."""
        quoted = [match.span() for match in QUOTED.finditer(self.text)]
        for start, stop in filler_spans(self.text):
            if not any(begin < stop and start < end for begin, end in quoted):
                self.blank(start, stop)

    def read_exclusions(self) -> None:
        """Find what is said not to count ("excluding 'go to' actions").

        Raises:
            Unread: What is excluded is not understood.
        """
        while match := EXCLUDING.search(self.left):
            inner = Clause(match["what"], self.ledger, self.words)
            inner.read()
            parts = list(filters(inner.text, inner.mentions))
            # Rows without "edits of a.py" are not those without edits and without a.py.
            if len(parts) != 1 or inner.within or inner.excluded or inner.classes or inner.leftover(FILES | THINGS):
                raise Unread(f"what it excludes is not understood: {match['what'].strip()!r}")
            self.excluded += [Filter(part.field, part.terms, True) for part in parts]
            self.blank(*match.span())

    def _exit_codes(self) -> None:
        while match := EXIT.search(self.left):
            code = match["code"] or match["code2"]
            if match["non"] or match["non2"] or match["other"]:
                term = NONZERO
            elif code:
                term = "0" if code.lower() == "zero" else code
            else:
                raise Unread(f"which exit code is meant is not said: {match[0].strip()!r}")
            self.add("exit_code", term, *match.span())

    def _numbered(self) -> None:
        match = NUMBERED.search(self.left)
        if match and match[1].casefold() in ("least", "most", "than", "exactly"):
            raise Unread(f"a count is not compared with a number ({match[0]!r}): ask for the count")
        if match and match[1].casefold() not in NEUTRAL and match[1].casefold() not in EVENTS:
            raise Unread(f"the log knows no {match[0]!r}")

    def _unknown(self) -> None:
        if match := re.search(r"\d", self.left):
            raise Unread(f"a number is not understood, at {self.left[match.start() : match.start() + 20].strip()!r}")

    def add_all(self, field: Field, terms: Iterator[str] | tuple[str, ...], match: re.Match[str]) -> None:
        """Note a mention for each term, and take it out."""
        self.mentions += [Mention(field, term, *match.span()) for term in terms]
        self.blank(*match.span())
