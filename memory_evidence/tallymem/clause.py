"""A piece of a question: its text, what was found in it, and what of it is not understood yet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise

from memory_evidence.tallymem.actions import EDITOR_COMMANDS
from memory_evidence.tallymem.joining import Mention, filters
from memory_evidence.tallymem.ledger import Field, Ledger
from memory_evidence.tallymem.phrases import AND, ATTEMPT, QUOTED, SIGNED
from memory_evidence.tallymem.plan import Filter, Predicate
from memory_evidence.tallymem.rows import Outcome
from memory_evidence.tallymem.vocabulary import Vocabulary
from memory_evidence.tallymem.wording import EVENTS, NEUTRAL, WORD

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

    def add_all(self, field: Field, terms: Iterator[str] | tuple[str, ...], match: re.Match[str]) -> None:
        """Note a mention for each term, and take it out."""
        self.mentions += [Mention(field, term, *match.span()) for term in terms]
        self.blank(*match.span())
