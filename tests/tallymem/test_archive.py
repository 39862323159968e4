"""The archive: every non-empty step, verbatim, under its own id."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.errors import InputError
from memory_evidence.records import SourceRef
from memory_evidence.tallymem import Archive, Step, Trajectory
from tests.tallymem.trajectories import KITCHEN, real, trajectories

ARCHIVE = Archive(KITCHEN)


def test_a_reference_gives_the_characters_it_addresses():
    assert ARCHIVE.text(SourceRef(2, "action", 5, 10)) == "mug 3"
    assert ARCHIVE.text(SourceRef(4, "observation", 0, 16)) == "Nothing happens."


def test_empty_steps_are_left_out_and_no_other():
    trajectory = Trajectory((Step(1, ""), Step(2, "a"), Step(5, "", "b"), Step(6, "", "")))
    assert [step.id for step in Archive(trajectory)] == [2, 5]


@given(trajectories(), st.data())
def test_every_reference_equals_its_source_slice(trajectory: Trajectory, data: st.DataObject):
    archive = Archive(trajectory)
    for step in archive:
        for field, source in (("action", step.action), ("observation", step.observation)):
            start = data.draw(st.integers(0, len(source)))
            stop = data.draw(st.integers(start, len(source)))
            assert archive.text(SourceRef(step.id, field, start, stop)) == source[start:stop]
            assert archive.text(archive.ref(step.id, field)) == source  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ref", "said"),
    [
        (SourceRef(7, "action", 0, 1), "the step id"),
        (SourceRef(0, "thought", 0, 1), "'action' or 'observation'"),
        (SourceRef(0, "action", 0, 5), "within the 4 characters of the action of step 0"),
        (SourceRef(0, "action", -1, 2), "the source reference"),
        (SourceRef(0, "action", 3, 2), "the source reference"),
    ],
)
def test_a_reference_to_nothing_is_refused(ref: SourceRef, said: str):
    with pytest.raises(InputError, match=said):
        ARCHIVE.text(ref)


def test_real_logs_are_archived_whole():
    for trajectory, _ in real():
        archive = Archive(trajectory)
        kept = {step.id for step in archive}
        assert all(step.action or step.observation for step in archive)
        assert not any(step.action or step.observation for step in trajectory if step.id not in kept)
