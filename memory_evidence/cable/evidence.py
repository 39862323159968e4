"""What a read returns: entries in the host's budget, the paths that led to the added ones, and what they replaced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from typing_extensions import override

from memory_evidence.blocks import block, safe_line
from memory_evidence.cable.host import Memory
from memory_evidence.labels import chart_label, one_line

__all__ = ["Direction", "Entry", "Expansion", "Path", "Skipped", "Superseded", "provenance"]

_SNIPPET = 60
_SHOWN_SEEDS = 5
_LONGEST_ID = 12

Direction = Literal["prior", "later"]
"""What the linked memory is to its seed: an antecedent of it ("prior"), or what it led to ("later")."""


@dataclass(frozen=True, slots=True)
class Path:
    """One verified link from a seed to a linked memory."""

    seed: str
    """Id of the seed, an entry that the host returned."""
    direction: Direction
    reason: str
    """Why the link was accepted, as the verifier said it."""
    seed_score: float
    """The seed's cosine to the query."""


@dataclass(frozen=True, slots=True)
class Superseded:
    """A value that a memory states and that no longer holds, because a later memory says so."""

    by: str
    """Id of the memory that has the last word on it."""
    value: str | None
    """The value now, as that memory has it; None: it ended, and no other is known."""
    stated: str
    """The value that no longer holds, as the memory has it; "" where the memory says that there is none."""
    whole: bool
    """Whether nothing that was read of the memory holds; else it is marked and not demoted."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory that is returned."""

    memory: Memory
    origin: Literal["host", "cable"]
    score: float | None
    """The host's own score as it gave it, or the candidate's score: the two are not comparable."""
    paths: tuple[Path, ...] = ()
    """How an added memory was reached, strongest seed first; empty for the host's entries."""
    replaced: str | None = None
    """Id of the host's entry whose place an added memory took; None for the host's own."""
    superseded_by: tuple[Superseded, ...] = ()
    """What of the memory no longer holds, and what holds now: an old value is never to be taken for a current one."""
    worth: float | None = None
    """What one of the host's last entries competed with for its place, comparable to the score of an added memory; None
    for entries whose place was not open, and in a result without links."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A linked memory that was not added."""

    memory: Memory
    reason: str
    score: float
    paths: tuple[Path, ...]
    superseded_by: tuple[Superseded, ...] = ()


@dataclass(frozen=True, slots=True)
class Expansion:
    """The host's result with its last entries exchanged for linked memories: `str(expansion)` goes into a prompt."""

    entries: tuple[Entry, ...]
    """The host's entries that stay, in the host's order, then the added ones, best first."""
    limit: int
    """Entries that were allowed."""
    removed: tuple[Entry, ...] = ()
    """The host's entries that gave up their place, in the host's order."""
    skipped: tuple[Skipped, ...] = ()
    """Linked memories that were not added, best first."""
    seeds: tuple[str, ...] = ()
    """Ids of the host's entries that were near enough to the query to lead anywhere."""
    query: str = ""
    warning: str | None = None
    """Why this is the host's plain result, where something failed; None where nothing did."""
    elapsed_ms: float = 0.0

    def __bool__(self) -> bool:
        return bool(self.entries)

    @property
    def added(self) -> tuple[Entry, ...]:
        """The entries that came over links."""
        return tuple(entry for entry in self.entries if entry.origin == "cable")

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all entries, in order."""
        return tuple(entry.memory.id for entry in self.entries)

    @override
    def __str__(self) -> str:
        numbers = {entry.memory.id: number for number, entry in enumerate(self.entries, 1)}
        lines = []
        for number, entry in enumerate(self.entries, 1):
            time = f"({safe_line(one_line(entry.memory.time))}) " if entry.memory.time else ""
            marks = "".join(f" [superseded: {safe_line(_outdated(mark))}]" for mark in entry.superseded_by)
            lines.append(f"{number}{_relation(entry, numbers)}. {time}{safe_line(entry.memory.text)}{marks}")
        notes = "The best match comes first."
        if self.added:
            notes += ' "N (behind M)" came before record M and may be its background, "N (after M)" came after it.'
        return block("\n".join(lines), notes=notes)

    def explain(self) -> str:
        """Return how each entry was chosen, for a person to read, one fact a line."""
        lines = [f"Question: {one_line(self.query)[:200]}"] if self.query else []
        if self.warning:
            lines.append(f"Warning: {one_line(self.warning)}")
        kept = len(self.entries) - len(self.added)
        lines.append(
            f"Entries: {len(self.entries)} of at most {self.limit}; {kept} of the host, {len(self.added)} linked"
        )
        texts = {entry.memory.id: entry.memory.text for entry in (*self.entries, *self.removed)}
        shown = [_named(seed, texts.get(seed, ""), _SNIPPET) for seed in self.seeds[:_SHOWN_SEEDS]]
        more = len(self.seeds) - len(shown)
        lines.append(f"Seeds: {'; '.join(shown) or 'none'}{f'; and {more} more' if more else ''}")
        worths = {entry.memory.id: _scored(entry.worth) for entry in self.removed}
        for entry in self.added:
            lines.append(f"Added {_named(entry.memory.id, entry.memory.text)}  [score {entry.score or 0.0:.3f}]")
            lines += [f"  {_described(path, texts)}" for path in entry.paths]
            if entry.replaced is not None:
                lines.append(
                    f"  in the place of {_named(entry.replaced, texts[entry.replaced])}{worths[entry.replaced]}"
                )
        for skip in self.skipped:
            named = _named(skip.memory.id, skip.memory.text)
            lines.append(f"Not added {named}  [score {skip.score:.3f}]: {one_line(skip.reason)}")
        marked = [(entry.memory, entry.superseded_by) for entry in self.entries]
        for memory, marks in (*marked, *((skip.memory, skip.superseded_by) for skip in self.skipped)):
            for mark in marks:
                named = _named(memory.id, memory.text, _SNIPPET)
                lines.append(f"Superseded {named}: {_outdated(mark)}, by {_named(mark.by, texts.get(mark.by, ''))}")
        lines.append(f"Took {self.elapsed_ms:.2f} ms, no model call")
        return "\n".join(lines)

    def to_mermaid(self) -> str:
        """Return seeds, links and added memories as a Mermaid flow chart; arrows run from the earlier memory."""
        lines = ["flowchart LR"]
        names: dict[str, str] = {}
        texts = {entry.memory.id: entry.memory.text for entry in (*self.entries, *self.removed)}

        def node(memory_id: str, shape: str = '["{}"]') -> str:
            if memory_id not in names:
                names[memory_id] = f"n{len(names)}"
                lines.append(f"  {names[memory_id]}{shape.format(chart_label(texts.get(memory_id, memory_id)))}")
            return names[memory_id]

        for entry in self.added:
            added = node(entry.memory.id, '(["{}"])')
            for path in entry.paths:
                seed = node(path.seed)
                earlier, later = (added, seed) if path.direction == "prior" else (seed, added)
                lines.append(f'  {earlier} -->|"{chart_label(path.reason)}"| {later}')
            if entry.replaced is not None:
                lines.append(f'  {added} -.->|"replaces"| {node(entry.replaced)}')
        return "\n".join(lines)


def provenance(entry: Entry) -> dict[str, Any] | None:
    """Return what a host's result tells of an entry under our key; None: it is the host's own, and stands as it is.

    Of an added memory `score`, `paths` and `replaced`; of any entry of which something is superseded `superseded_by`.
    """
    told: dict[str, Any] = {}
    if entry.origin == "cable":
        told = {"score": entry.score, "paths": [asdict(path) for path in entry.paths], "replaced": entry.replaced}
    if entry.superseded_by:
        told["superseded_by"] = [asdict(mark) for mark in entry.superseded_by]
    return told or None


def _relation(entry: Entry, numbers: dict[str, int]) -> str:
    for path in entry.paths:
        if path.seed in numbers:
            return f" ({'behind' if path.direction == 'prior' else 'after'} {numbers[path.seed]})"
    return ""


def _named(memory_id: str, text: str, most: int = 100) -> str:
    """Return the start of a memory's text, and the start of its id in brackets."""
    text, memory_id = one_line(text), one_line(memory_id)
    short = memory_id if len(memory_id) <= _LONGEST_ID else f"{memory_id[: _LONGEST_ID - 4]}..."
    return f"{text if len(text) <= most else text[: most - 3] + '...'} [{short}]".lstrip()


def _scored(worth: float | None) -> str:
    return "" if worth is None else f"  [score {worth:.3f}]"


def _outdated(mark: Superseded) -> str:
    """Return what no longer holds, and what does."""
    stated = f'"{one_line(mark.stated)}"' if mark.stated else "what it says"
    if mark.value is None:
        return f"{stated} no longer holds"
    return f'{stated} is now "{one_line(mark.value)}"'


def _described(path: Path, texts: Mapping[str, str]) -> str:
    relation = "before" if path.direction == "prior" else "after"
    seed = _named(path.seed, texts.get(path.seed, ""), _SNIPPET)
    return f"linked, {relation} {seed} [cosine {path.seed_score:.3f}]: {one_line(path.reason)}"
