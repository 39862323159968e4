"""Grammar first, the model for what the grammar leaves unresolved (paper appendix D.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_evidence.cmc.facts import Extraction, Frontend, Label, ModelFrontend, Slot
from memory_evidence.models import Steps
from memory_evidence.records import Record


@dataclass(frozen=True, slots=True)
class HybridFrontend:
    """Asks `model_frontend` only about records that `grammar` could not read in full."""

    grammar: Frontend
    model_frontend: ModelFrontend

    @property
    def fingerprint(self) -> str:
        """Cache key: what the model reads does not depend on the grammar, only which records it is asked about."""
        return self.model_frontend.fingerprint

    def extract_now(self, record: Record) -> Extraction | None:
        """Return the grammar's reading, or None where it left something unresolved that the model may read."""
        extraction = self.grammar.extract(record)
        if extraction.label is not Label.UNRESOLVED:
            return extraction
        now = self.model_frontend.extract_now(record)
        return now and _fuller(now, extraction)

    def steps(self, records: Sequence[Record], known: Sequence[Slot]) -> Steps[list[Extraction | None]]:
        """Ask the model; where it cannot read a record either, what the grammar read of it counts."""
        results = yield from self.model_frontend.steps(records, known)
        return [
            result and _fuller(result, self.grammar.extract(record))
            for record, result in zip(records, results, strict=True)
        ]


def _fuller(read: Extraction, grammar: Extraction) -> Extraction:
    """Return what the model read, or what the grammar read where the model could read nothing."""
    return grammar if read.label is Label.UNRESOLVED and not read.facts else read
