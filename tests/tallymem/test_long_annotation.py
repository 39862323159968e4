"""What a caller sees while a model annotates a log that takes more than one round."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from memory_evidence.models import Message
from memory_evidence.tallymem import TallyMem, Trajectory
from memory_evidence.testing import ScriptedModel

LOG = Trajectory.from_pairs([(f"go to shelf {n}", f"You arrive at shelf {n}.") for n in range(260)])


def every_row(messages: Sequence[Message]) -> str:
    """Answer for each step of a chunk, with nothing to add."""
    return json.dumps({"rows": [{"id": row["id"]} for row in json.loads(messages[-1].content)]})


@pytest.mark.parametrize("way", ["annotate", "aannotate"])
async def test_progress_is_told_after_each_round(way: str):
    model = ScriptedModel([every_row] * 11)  # 25 steps a call
    memory, seen = TallyMem(LOG, model), list[tuple[int, int, int]]()

    def progress(done: int, total: int) -> None:
        seen.append((done, total, len(model.calls)))

    if way == "aannotate":
        await memory.aannotate(progress=progress)
    else:
        memory.annotate(progress=progress)
    assert seen == [(200, 260, 8), (260, 260, 11)]
    assert all(row.annotated for row in memory.ledger.rows)
