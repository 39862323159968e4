"""What a store keeps beside the steps of a trajectory: the rows that the program read, and what a model said of steps.

A row is kept under the version of the reading (`READING`) and the options that it depends on: where either is another,
the step is read again. What a model said is kept as it was said, under neither: whenever a row was read in another way,
it is held against the step's text and the new row once more, and no model is asked again.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping, Sequence

from memory_evidence.records import Scope
from memory_evidence.store.log import Log
from memory_evidence.tallymem.annotate import ChangeSaid, Said
from memory_evidence.tallymem.coding import decode_row, decode_said, encode_row, encode_said, fingerprint
from memory_evidence.tallymem.reading import READING
from memory_evidence.tallymem.receipts import Receipt
from memory_evidence.tallymem.rows import Outcome, Row
from memory_evidence.tallymem.trajectory import Step

logger = logging.getLogger(__name__)

SAID = "tallymem-said-1"
_MARK = "mark"
"""The key of what changes with every saved annotation."""


class Kept:
    """The rows and annotations of one scope of a log; a step's key is the hash of the log up to it."""

    def __init__(self, log: Log, scope: Scope, receipts: Sequence[Receipt], prefixes: Sequence[str]) -> None:
        """Look into `log`; nothing is read yet.

        Args:
            log: Not closed by this.
            scope: Where the steps are.
            receipts: What the rows were read with.
            prefixes: The same.
        """
        self._log, self._scope = log, scope
        options = fingerprint(receipts, prefixes)
        self.rows_name = f"tallymem-rows-{READING}/{options}"
        # Up to reading 2 an annotation was kept within the row that it was made for.
        self._older_rows, self._older_said = f"tallymem-rows-2/{options}", f"tallymem-annotations-1/{options}"

    def rows(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        """Return the rows that were kept, by key; `row` reads one."""
        return self._log.load_compiled(self._scope, self.rows_name, keys)

    def row(self, payload: bytes | None, step: Step) -> Row | None:
        """Return the row of `step`; None where there is none that can be read."""
        if payload is None:
            return None
        try:
            return decode_row(payload, step)
        except (ValueError, TypeError):
            logger.warning("what was kept of step %d is damaged in the store; it is read again", step.id)
            return None

    def keep_rows(self, rows: Mapping[str, Row]) -> None:
        """Keep rows, by key."""
        self._log.save_compiled(self._scope, self.rows_name, {key: encode_row(row) for key, row in rows.items()})

    def mark(self) -> object:
        """Return what differs when annotations were kept in between; None while there are none."""
        kinds = (SAID, self._older_said)
        return [found for kind in kinds if (found := self._log.load_compiled(self._scope, kind, [_MARK]))] or None

    def said(self, steps: Mapping[str, Step]) -> list[tuple[Step, Said]]:
        """Return what a model said of `steps`, which are given by key."""
        kept = self._log.load_compiled(self._scope, SAID, list(steps))
        found = [(steps[key], said) for key, payload in kept.items() if (said := _said(payload, steps[key]))]
        return found + self._older({key: step for key, step in steps.items() if key not in kept})

    def keep_said(self, said: Mapping[str, Said]) -> None:
        """Keep what a model said, by key."""
        if said:
            results = {key: encode_said(one) for key, one in said.items()}
            self._log.save_compiled(self._scope, SAID, results | {_MARK: uuid.uuid4().bytes})

    def _older(self, steps: Mapping[str, Step]) -> list[tuple[Step, Said]]:
        """Return what a model said of steps as reading 2 kept it."""
        kept = self._log.load_compiled(self._scope, self._older_said, list(steps))
        bare = self._log.load_compiled(self._scope, self._older_rows, list(kept)) if kept else {}
        pairs = ((self.row(kept[key], steps[key]), self.row(bare.get(key), steps[key]), steps[key]) for key in kept)
        return [(step, _added(row, before)) for row, before, step in pairs if row is not None and before is not None]


def _said(payload: bytes, step: Step) -> Said | None:
    try:
        return decode_said(payload)
    except ValueError:
        logger.warning("what a model said of step %d is damaged in the store; it may be asked again", step.id)
        return None


def _added(row: Row, before: Row) -> Said:
    """Return what a model added to the row of a step: how the annotated row differs from the one `before`."""
    opened = before.outcome is Outcome.UNKNOWN
    changes = () if before.changes else row.changes
    return Said(
        id=row.step,
        act=row.act if row.act != before.act else "",
        targets=[name for name in row.targets if name not in before.targets],
        outcome=row.outcome.value if opened else "unknown",
        quote=row.quote if opened else "",
        changes=[ChangeSaid(object=one.object, property=one.property, value=one.value) for one in changes],
    )
