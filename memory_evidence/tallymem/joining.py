"""Makes filters of what a clause names: an enumeration gives alternatives, what stands apart must hold together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.ledger import Field
from memory_evidence.tallymem.phrases import JOIN, OR, OUTCOME_NOUN
from memory_evidence.tallymem.plan import Filter
from memory_evidence.tallymem.wording import EVENTS, FILES, PLACES, THINGS, TOOLS, WORD

_AND = re.compile(r"\s*,?\s*\band\s+(?:the\s+)?", re.IGNORECASE)

ACTS: frozenset[Field] = frozenset(["tool", "action", "effect"])
"""Fields that tell what was done: one thing, whichever of them tells it."""
RESULTS: frozenset[Field] = frozenset(["outcome", "exit_code"])
"""Fields that tell what came of it."""


@dataclass(slots=True)
class Mention:
    """One thing that a clause names."""

    field: Field
    term: str
    start: int
    stop: int


def check_alternatives(text: str, left: str, mentions: Iterable[Mention], classes: Iterable[Mention]) -> None:
    """Check that "or" stands between two of a kind: filters of different fields must hold together.

    Args:
        text: A clause of a question.
        left: What is left of it, what has been understood blanked out.
        mentions: What it names.
        classes: The classes of targets that it names.

    Raises:
        Unread: An "or" has nothing that was understood on one of its sides, or something of another kind; or "edits and
            failures" are counted as one.
    """
    mentions = sorted(mentions, key=lambda mention: mention.start)
    for one, other in pairwise(mentions):
        nouns = [text[m.start : m.stop] for m in (one, other) if m.field == "outcome"]
        if len(nouns) == 1 and OUTCOME_NOUN.search(nouns[0]) and _AND.fullmatch(text, one.stop, other.start):
            raise Unread(f"it names two counts: {text[one.start : other.stop]!r}")
    found = [(mention, mention.field) for mention in mentions] + [(mention, "class") for mention in classes]
    for match in OR.finditer(left):
        behind = [(mention.stop, kind) for mention, kind in found if mention.stop <= match.start()]
        ahead = [(mention.start, kind) for mention, kind in found if mention.start >= match.end()]
        stop, start = max(behind, default=(0, ""))[0], min(ahead, default=(len(text), ""))[0]
        kinds = {kind for at, kind in behind if at == stop} | {kind for at, kind in ahead if at == start}
        joined = JOIN.match(text[stop:start]) is not None
        if not (behind and ahead and joined and len(kinds) == 1) and not _same_noun(left, match):
            around = " ".join([*text[: match.start()].split()[-2:], match[0], *text[match.end() :].split()[:2]])
            raise Unread(f"alternatives of two kinds are two questions: {around!r}")


def _same_noun(left: str, match: re.Match[str]) -> bool:
    """Whether "or" stands between two words for the same, "steps or turns"."""
    before, after = WORD.findall(left[: match.start()]), WORD.findall(left[match.end() :])
    pair = {word.casefold() for word in (*before[-1:], *after[:1])}
    return len(pair) == 2 and any(pair <= kind for kind in (EVENTS, FILES, PLACES, THINGS, TOOLS))


def filters(text: str, mentions: list[Mention]) -> Iterator[Filter]:
    """Join mentions of a field that stand in one enumeration into alternatives; others must hold together."""
    by_field: dict[Field, list[Mention]] = {}
    for mention in sorted(mentions, key=lambda m: m.start):
        by_field.setdefault(mention.field, []).append(mention)
    for name, found in by_field.items():
        if name in ("tool", "effect") and len({mention.term.casefold() for mention in found}) == 1:
            found = found[:1]
        groups: list[list[Mention]] = []
        for mention in found:
            last = groups[-1][-1] if groups else None
            joined = last is not None and (
                (last.start == mention.start and name != "target")
                or JOIN.match(text[last.stop : mention.start]) is not None
            )
            if last is not None and not joined and name in ("tool", "effect"):
                raise Unread(
                    f"it names several actions, each with something of its own: {last.term!r}, {mention.term!r}"
                )
            if joined:
                groups[-1].append(mention)
            else:
                groups.append([mention])
        for group in groups:
            yield Filter(name, tuple(dict.fromkeys(mention.term for mention in group)))
