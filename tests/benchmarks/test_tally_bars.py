"""What TallyMem must reach over AMA-Bench's own logs and questions; skipped where MEMORY_EVIDENCE_DATA has none."""

from __future__ import annotations

from benchmarks import ama_counts, ama_probe
from benchmarks.common import SEED
from tests.tallymem.trajectories import data


def test_the_probe_is_answered_exactly():
    arms = ama_probe.run(data("ama_bench") / "ama_dev.jsonl.gz", SEED)["arms"]
    rules = arms["rules"]
    assert rules["questions"] > 300
    assert rules["exact_rate"] >= 0.99
    assert rules["answer_correct"] >= 0.99
    assert min(figures["exact_rate"] for figures in rules["templates"].values()) >= 0.9
    assert arms["fixed_counter"]["exact_rate"] < 0.6
    assert arms["view_only"]["recall"] < 0.9


def test_blocks_hold_the_gold_answers_of_real_counting_questions():
    result = ama_counts.run(data("ama_bench") / "ama_dev.jsonl.gz", everything=False)
    assert result["questions"] > 150
    assert result["held_rate"] >= 0.85
    assert min(family["held_rate"] for family in result["families"].values()) >= 0.85
    assert result["precision"] >= 0.9
    many = result["above_15"]
    assert many["held_rate"] >= 2 * many["view_whole_rate"]
    assert many["held_rate"] > many["view_rate"]
