"""CABLE: antecedent links that reach what similarity search misses, inside the host's entry budget."""

from memory_evidence.cable.cable import Cable
from memory_evidence.cable.construct import LinkOptions
from memory_evidence.cable.evidence import Entry, Expansion, Path, Skipped
from memory_evidence.cable.expand import PAPER, SIMILARITY, ExpandOptions
from memory_evidence.cable.host import Hit, Memory, MemoryHost
from memory_evidence.cable.links import Link, open_links, text_hash
from memory_evidence.cable.reports import LinkingReport, Stats

__all__ = (
    "PAPER",
    "SIMILARITY",
    "Cable",
    "Entry",
    "ExpandOptions",
    "Expansion",
    "Hit",
    "Link",
    "LinkOptions",
    "LinkingReport",
    "Memory",
    "MemoryHost",
    "Path",
    "Skipped",
    "Stats",
    "open_links",
    "text_hash",
)
