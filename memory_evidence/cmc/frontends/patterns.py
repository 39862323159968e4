"""Sentence patterns that a user declares, and a frontend for records that are one such sentence each."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory_evidence.cmc.facts import NO_FACT, Extraction, Fact, Label, Span
from memory_evidence.cmc.frontends.sentences import MAX_CHARS, value_end
from memory_evidence.errors import ConfigError
from memory_evidence.records import Record

_FIELD = re.compile(r"\{([^{}]*)\}")
_FIELDS = frozenset(("subject", "object", "relation"))
_SPLITS = 8
"""How many places of the dividing words are tried before the first is taken."""
_PAIRS = (("(", ")"), ("“", "”"), ("«", "»"), ("[", "]"))


@dataclass(frozen=True, slots=True)
class Pattern:
    """A sentence with places for what changes: `Pattern("{subject} reports to {object}", relation="reports to")`.

    The literal words match in any case; everything in them is literal (no regular expressions). A template without
    `{subject}` is about the speaker and needs `relation`; `{relation}` takes the name of the relation from the text.
    A retracting pattern may leave out `{object}`: it then retracts whatever the value was.

    Raises:
        ConfigError: A place is unknown, missing, used twice, or touches another one.
    """

    template: str
    relation: str | None = None
    """None: the text of the `{relation}` place, or else the literal words of the template."""
    retracts: bool = False
    """The sentence says that this no longer holds."""

    def __post_init__(self) -> None:
        Template.of(self)


@dataclass(frozen=True, slots=True)
class Template:
    """A pattern taken apart: literal, place, literal, place, ..., literal (lower case, possibly empty at the ends)."""

    pattern: Pattern
    literals: tuple[str, ...]
    exact: tuple[str, ...]
    """The literals in the case in which they were declared."""
    places: tuple[str, ...]
    relation: str
    """Empty where the text names it."""
    weight: int
    """Literal characters: of several patterns that match, the one that says most wins."""

    @classmethod
    def of(cls, pattern: Pattern) -> Template:
        """Take `pattern` apart, or raise `ConfigError`."""
        text = " ".join(pattern.template.split()) if isinstance(pattern.template, str) else ""
        if text.endswith(".") and not text.endswith(".."):
            text = text[:-1]
        pieces = _FIELD.split(text)
        exact, places = tuple(pieces[0::2]), tuple(pieces[1::2])
        need = _template_need(exact, places, pattern)
        if need:
            raise ConfigError("template", pattern.template, need)
        relation = pattern.relation
        if relation is None:
            relation = "" if "relation" in places else " ".join("".join(exact).split())
            relation = relation.removeprefix("'s ").lower()
        literals = tuple(lower(piece) for piece in exact)
        return cls(pattern, literals, exact, places, relation, sum(map(len, literals)))

    def match(self, text: str, low: str, start: int, stop: int) -> tuple[Span, ...] | None:
        """Return the span of each place if `text[start:stop]` is such a sentence; `low` is `lower(text)`."""
        literals = self.literals
        head, tail = literals[0], literals[-1]
        if head and not low.startswith(head, start):
            return None
        at = start + len(head)
        if tail:
            if not low.endswith(tail, at, stop):
                return None
            stop -= len(tail)
        spans: list[Span] = []
        for n in range(1, len(literals) - 1):
            literal = literals[n]
            found = low.find(literal, at + 1, stop)
            if found < 0:
                return None
            if low.find(literal, found + 1, stop) >= 0:
                found = _divide(text, low, at, stop, literal, self.exact[n])
            spans.append((at, found))
            at = found + len(literal)
        if at >= stop:
            return None
        spans.append((at, stop))
        if "  " in low:
            spans = [_strip(text, begin, end) for begin, end in spans]
            if any(begin >= end for begin, end in spans):
                return None
        return tuple(spans)

    def fact(self, text: str, spans: tuple[Span, ...], speaker: str) -> Fact:
        """Return the fact that a match stands for."""
        if self.places == ("subject", "object"):  # nearly all templates
            (begin, end), (start, stop) = spans
            return Fact(text[begin:end], self.relation, text[start:stop], spans[0], spans[1], self.pattern.retracts)
        by_place = dict(zip(self.places, spans, strict=True))
        subject, object_ = by_place.get("subject"), by_place.get("object")
        relation = self.relation
        if not relation:
            begin, end = by_place["relation"]
            relation = " ".join(text[begin:end].split()).lower()
        return Fact(
            subject=speaker if subject is None else text[subject[0] : subject[1]],
            relation=relation,
            object="" if object_ is None else text[object_[0] : object_[1]],
            subject_span=subject,
            object_span=object_,
            retracts=self.pattern.retracts,
        )


def _template_need(exact: tuple[str, ...], places: tuple[str, ...], pattern: Pattern) -> str:
    """Say what the template lacks; empty if it is fine."""
    if not any(piece.strip() for piece in exact):
        return "a sentence with literal words and the places {subject} and {object}"
    if "{" in "".join(exact) or "}" in "".join(exact) or not set(places) <= _FIELDS:
        return "a sentence whose only braces are {subject}, {object} and {relation}"
    if len(set(places)) < len(places):
        return "a sentence with each place at most once"
    if any(not piece.strip() for piece in exact[1:-1]):
        return "a sentence with literal words between its places"
    if "object" not in places and not (pattern.retracts and places):
        return "a sentence with {object} (only one that retracts may go without)"
    if "subject" not in places and "relation" not in places and not pattern.relation:
        return "a sentence with {subject}, or come with relation=... where it is about the speaker"
    if pattern.relation is not None and (not pattern.relation.strip() or "relation" in places):
        return "a sentence with either {relation} or a relation=... that is not empty"
    return ""


def lower(text: str) -> str:
    """Return `text` in lower case with typewriter apostrophes and plain spaces, character for character."""
    low = text.lower()
    if low.isascii() and "\n" not in low and "\t" not in low:
        return low
    if len(low) != len(text):  # "İ" becomes two characters
        low = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    for other, plain in (("’", "'"), ("\u00a0", " "), ("\n", " "), ("\t", " ")):
        low = low.replace(other, plain)
    return low


def _strip(text: str, begin: int, end: int) -> Span:
    while begin < end and text[begin].isspace():
        begin += 1
    while end > begin and text[end - 1].isspace():
        end -= 1
    return begin, end


def _divide(text: str, low: str, start: int, stop: int, literal: str, exact: str) -> int:
    """Return where `literal` divides `text[start:stop]` best: in its own case and outside brackets, else leftmost."""
    found = first = low.find(literal, start + 1, stop)
    for _ in range(_SPLITS):
        left = text[start:found]
        if (
            text.startswith(exact, found)
            and left.count('"') % 2 == 0
            and all(left.count(opening) == left.count(closing) for opening, closing in _PAIRS)
        ):
            return found
        found = low.find(literal, found + 1, stop)
        if found < 0:
            break
    return first


def alternation(words: Iterable[str]) -> str:
    """Return a regular expression for any of `words`, longest first, factored so that it never tries twice."""
    tails: dict[str, list[str]] = {}
    ends = False
    for word in words:
        if word:
            tails.setdefault(word[0], []).append(word[1:])
        else:
            ends = True
    branches: list[str] = []
    for head, rest in tails.items():
        while all(rest) and len({word[0] for word in rest}) == 1:
            head += rest[0][0]
            rest = [word[1:] for word in rest]
        branches.append(re.escape(head) + alternation(rest))
    if not branches:
        return ""
    joined = branches[0] if len(branches) == 1 and not ends else f"(?:{'|'.join(branches)})"
    return joined + "?" if ends else joined


def checked_patterns(patterns: object) -> list[Pattern]:
    """Return `patterns` as a list, or raise `ConfigError` where it is not a sequence of `Pattern`."""
    if isinstance(patterns, (list, tuple)) and all(isinstance(pattern, Pattern) for pattern in patterns):
        return list(patterns)
    raise ConfigError("patterns", patterns, 'a list of Pattern, such as [Pattern("{subject} reports to {object}")]')


class PatternGrammar:
    """A frontend for records that are one declared sentence each, such as a list of facts.

    A record must match a pattern from end to end; what matches none is unresolved. Of several patterns that match, the
    one with most literal characters wins, and of equal ones the first declared.
    """

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        templates = [Template.of(pattern) for pattern in checked_patterns(patterns)]
        self._templates = sorted(templates, key=_by_weight)
        # A template is looked up by its first literal: its beginning, or else what follows its first place.
        self._openings = _Index(t for t in self._templates if t.literals[0])
        self._dividers = _Index(t for t in self._templates if not t.literals[0])

    def extract(self, record: Record) -> Extraction:
        """Label one record; takes time in proportion to its length, and refuses to read above `MAX_CHARS`."""
        text = record.text
        if len(text) > MAX_CHARS:
            return Extraction(Label.UNRESOLVED, (), f"longer than {MAX_CHARS} characters")
        start, stop = 0, value_end(text, 0, len(text))
        while start < stop and text[start].isspace():
            start += 1
        if start == stop:
            return NO_FACT
        low = lower(text)
        for template in self._candidates(low, start, stop):
            spans = template.match(text, low, start, stop)
            if spans is not None:
                return Extraction(Label.FACTS, (template.fact(text, spans, record.speaker),))
        return Extraction(Label.UNRESOLVED, (), "no pattern matches")

    def _candidates(self, low: str, start: int, stop: int) -> Iterable[Template]:
        """Return the templates that may match, those with most literal characters first."""
        opening = self._openings.regex.match(low, start, stop)
        dividers = self._dividers.regex.findall(low, start + 1, stop)
        if len(dividers) > 1:
            return self._templates  # dividers may overlap and hide each other
        divided = self._dividers.by_literal[dividers[0]] if dividers else ()
        if opening is None:
            return divided
        opened = self._openings.by_literal[opening.group()]
        return heapq.merge(opened, divided, key=_by_weight) if divided else opened


class _Index:
    """Templates by the literal that finds them; a literal also stands for the shorter ones that it begins with."""

    def __init__(self, templates: Iterable[Template]) -> None:
        keyed = [(t.literals[0] or t.literals[1], t) for t in templates]
        literals = {literal for literal, _ in keyed}
        self.by_literal = {literal: tuple(t for other, t in keyed if literal.startswith(other)) for literal in literals}
        self.regex = re.compile(alternation(sorted(literals)) or r"(?!)")


def _by_weight(template: Template) -> int:
    return -template.weight
