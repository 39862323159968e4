"""What the figures of TallyMem's benchmarks mean, worked out by hand."""

from __future__ import annotations

import pytest

from benchmarks import ama_counts, ama_probe
from benchmarks.ama_counts import Gold
from benchmarks.probe_questions import Question, generate
from memory_evidence.tallymem import Filter, Plan, SubQuery, TallyMem, Trajectory
from tests.tallymem.episodes import household
from tests.tallymem.tallies import HOUSE

LOG = Trajectory.from_pairs([("go to a 1", "")] * 2 + [("open b 1", "")] * 3)
ASKED_FOR_STEPS = {"question": "At which steps was box 1 opened?", "answer": ""}
ASKED = Question("E1", "x", "How many?", 3, (0, 1, 2))


def scored(*tools: str) -> ama_probe.Score:
    plan = Plan(tuple(SubQuery("count", (Filter("tool", (tool,)),)) for tool in tools))
    return ama_probe._score(ASKED, TallyMem(LOG).execute(plan))


def test_a_question_is_scored_by_its_best_candidate():
    went, opened = scored("go"), scored("open")
    assert (went.exact, went.precision, went.recall) == (False, 1.0, pytest.approx(2 / 3))
    assert went.f1 == pytest.approx(0.8)
    assert (opened.precision, opened.recall) == (pytest.approx(1 / 3), pytest.approx(1 / 3))
    assert opened.correct  # three of the wrong steps: the value alone is right
    assert scored("open", "go").f1 == scored("go", "open").f1 == pytest.approx(0.8)


def test_the_view_is_scored_by_the_needed_steps_that_it_shows():
    log = Trajectory.from_pairs([(f"walk to room {n}", "grey " * 40) for n in range(60)])
    memory, asked = TallyMem(log, view_budget=1_000), Question("E1", "x", "What was seen?", 60, tuple(range(60)))
    score = ama_probe.by_view(memory, asked)
    assert score.recall == len(memory.evidence(asked.text).view.steps) / 60 < 1.0
    assert not score.correct


def test_two_wordings_of_one_count_differ_in_the_wording_alone():
    made = {q.template: q for q in generate(household("house", 80), 5)}
    last = [q for q in generate(household("house", 80), 5) if q.template == "E1"][-1]
    assert made["E2"].text == last.text.replace("How many times", "How often") != last.text
    assert (made["E2"].answer, made["E2"].events) == (last.answer, last.events)


@pytest.mark.parametrize(
    ("question", "steps", "answer", "why"),
    [
        ("Why was drawer 1 opened?", {2}, "at step 2", "not compiled"),
        ("At which steps was drawer 10 opened?", {2}, "at step 2", "specification"),
        ("At which steps was drawer 10 opened?", {1}, "at step 1", "ledger"),
        ("At which steps was drawer 10 opened?", {2}, "step 2: close drawer 1", "reference"),
    ],
)
def test_a_miss_is_told_apart(question, steps, answer, why):
    memory = TallyMem(HOUSE)
    assert ama_counts.miss(memory, memory.evidence(question), Gold((), (), frozenset(steps)), answer) == why


def test_a_view_that_does_not_show_every_step_does_not_hold_the_answer():
    log = Trajectory.from_pairs([(f"walk to room {n}", "grey " * 40) for n in range(60)])
    pair = {"question": "How many times was each tool used?", "answer": "'walk' (60 times)"}
    gold = ama_counts.parse_gold(pair["answer"])
    for budget, viewed in ((1_000, False), (26_000, True)):
        row = ama_counts._row(TallyMem(log, view_budget=budget), pair, "other", gold)
        assert (row["held"], row["viewed"], row["viewed_whole"]) == (True, viewed, viewed)


def test_a_step_that_is_cut_is_shown_but_not_whole():
    log = Trajectory.from_pairs([("open box 1", "grey " * 2_000), ("look", "")])
    row = ama_counts._row(TallyMem(log), ASKED_FOR_STEPS, "other", ama_counts.parse_gold("at step 0"))
    assert (row["held"], row["viewed"], row["viewed_whole"]) == (True, True, False)


def test_precision_is_the_share_of_matched_steps_that_the_answer_cites():
    log = TallyMem(Trajectory.from_pairs([("open box 1", "")] * 4))
    row = ama_counts._row(log, ASKED_FOR_STEPS, "other", ama_counts.parse_gold("at step 0, at step 2, at step 3"))
    assert (row["held"], row["precision"]) == (True, 0.75)
    uncited = ama_counts._row(log, ASKED_FOR_STEPS, "other", ama_counts.parse_gold("'open box 1' (4 times)"))
    assert uncited["precision"] is None
    figures = ama_counts._figures([row, {**row, "precision": 1.0}, {**row, "precision": None}])
    assert (figures["precision"], figures["view_whole_rate"]) == (0.875, 1.0)
