"""Every non-empty step verbatim under its own id, addressed by source references (paper section 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memory_evidence.errors import InputError
from memory_evidence.records import SourceRef
from memory_evidence.tallymem.trajectory import Step, Trajectory

Field = Literal["action", "observation"]


@dataclass(frozen=True, slots=True)
class Archive:
    """The archive of one trajectory; it holds the trajectory itself and copies nothing.

    `SourceRef(record, field, start, stop)` addresses characters `start` to `stop` of a field of the step with the id
    `record`.
    """

    trajectory: Trajectory

    def text(self, ref: SourceRef) -> str:
        """Return the span of the source that `ref` addresses.

        Raises:
            InputError: There is no such step, field or span.
        """
        source = self.field(ref.record, ref.field)
        if not 0 <= ref.start <= ref.stop <= len(source):
            need = f"a span within the {len(source)} characters of the {ref.field} of step {ref.record}"
            raise InputError("the source reference", f"[{ref.start}, {ref.stop})", need)
        return ref.of(source)

    def field(self, id: int, field: str) -> str:
        """Return a whole field of the step with this id.

        Raises:
            InputError: There is no such step or field.
        """
        step = self.trajectory.step(id)
        if field == "action":
            return step.action
        if field == "observation":
            return step.observation
        raise InputError("the field of a source reference", field, "'action' or 'observation'")

    def ref(self, id: int, field: Field) -> SourceRef:
        """Return the reference to a whole field.

        Raises:
            InputError: There is no such step or field.
        """
        return SourceRef(id, field, 0, len(self.field(id, field)))

    def __iter__(self) -> Iterator[Step]:
        return (step for step in self.trajectory if not is_empty(step))

    def __contains__(self, id: object) -> bool:
        return any(step.id == id for step in self)


def is_empty(step: Step) -> bool:
    """Whether a step holds nothing to keep: neither an action nor an observation."""
    return not step.action and not step.observation
