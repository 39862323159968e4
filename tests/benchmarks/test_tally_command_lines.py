"""The command lines and keys of TallyMem's benchmarks, on episodes of our own."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import ama_counts, ama_probe, commits, tally_growth
from benchmarks.ama_counts import parse_gold
from benchmarks.commit_questions import Question
from benchmarks.probe_questions import bounds, generate
from tests.integrations.stub_server import StubServer, says
from tests.tallymem.commits.repositories import random_history
from tests.tallymem.episodes import household, software

FIGURES = {"exact", "exact_rate", "precision", "recall", "f1", "answer_correct"}
TEMPLATES = {f"{domain}{number}" for domain in "ES" for number in range(1, 9)}


def written(path: Path, rows: list[dict]) -> str:
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    return str(path)


@pytest.fixture
def stub() -> Iterator[StubServer]:
    server = StubServer()
    yield server
    server.close()


def printed(capsys: pytest.CaptureFixture[str]) -> dict:
    return json.loads(capsys.readouterr().out)


def test_the_probe_reports_its_keys_and_the_rules_are_exact(tmp_path, capsys):
    rows = [household(f"house {n}", 90) for n in range(3)] + [software(f"code {n}", 80) for n in range(3)]
    assert ama_probe.main([written(tmp_path / "episodes.jsonl.gz", rows), "--json"]) == 0
    result = printed(capsys)
    assert FIGURES | {"questions", "templates", "arms"} <= set(result)
    assert set(result["arms"]) == {"rules", "fixed_counter", "view_only"}
    assert set(result["templates"]) == TEMPLATES
    assert all(set(figures) >= FIGURES for figures in result["templates"].values())
    assert result["exact_rate"] == result["answer_correct"] == 1.0
    assert result["arms"]["fixed_counter"]["exact_rate"] < 1.0
    assert result["questions"] == result["arms"]["rules"]["questions"] > 50


def counted_by_tool(request: dict) -> object:
    """Answer as the fixed counter plans: by tool, within the bound that the question states."""
    asked = json.loads(request["messages"][-1]["content"])["question"]
    bound = re.search(r"step (\d+)", asked)
    query = {"operation": "group", "by": "tool", "high": int(bound[1]) if bound else None}
    return says(json.dumps({"applicable": True, "queries": [query]}))


def test_the_probe_asks_the_model_in_an_arm_of_its_own(tmp_path, capsys, stub):
    stub.behaviour = counted_by_tool
    rows = [household("house", 20)]
    ama_probe.main([written(tmp_path / "episodes.jsonl.gz", rows), "--json", "--model", stub.url])
    arms = printed(capsys)["arms"]
    assert len(stub.requests) == arms["model"]["questions"]
    exact = {name: {t: f["exact"] for t, f in arms[name]["templates"].items()} for name in ("model", "fixed_counter")}
    # What a model's plan leaves unsaid of a question that names a thing gives no number.
    assert exact["model"] == {**exact["fixed_counter"], "E6": 0}
    assert exact["fixed_counter"]["E6"] > 0


def test_the_generator_gives_the_same_questions_for_the_same_seed():
    episode = household("house", 80)
    assert list(generate(episode, 5)) == list(generate(episode, 5))
    assert list(generate({**episode, "task_type": "webarena"}, 5)) == []
    assert bounds(150) == (36, 74, 149)


def test_a_template_without_an_event_or_with_a_tie_is_skipped():
    turns = [
        {"turn_idx": n, "action": a, "observation": ""}
        for n, a in enumerate(["look", "go to a 1", "go to b 1", "look"])
    ]
    made = {q.template for q in generate({"episode_id": "1", "task_type": "alfworld", "trajectory": turns}, 1)}
    assert made == {"E1", "E2", "E3", "E8"}


def test_exit_codes_of_the_generator_are_the_last_ones():
    turns = [
        {"turn_idx": n, "action": 'execute_bash: {"command": "x"}', "observation": text}
        for n, text in enumerate(["exit code 1\nexit code 0", "exit code 0\nexit code 3", "none", "exit code 0"])
    ]
    made = list(generate({"episode_id": "1", "task_type": "swebench", "trajectory": turns}, 1))
    (asked,) = [question for question in made if question.template == "S3"]
    assert asked.events == (1,)


def test_numbers_and_steps_of_gold_answers_are_parsed():
    gold = parse_gold("Actions performed: 'look' (3 times), 'go to box 1' (12 times)")
    assert (gold.named, gold.load) == ((("look", 3), ("go to box 1", 12)), 15)
    gold = parse_gold(
        "Before step 9, actions on box 1: step 2: open box 1; step 4: close box 1. At step 8, it contains: x."
    )
    assert (gold.steps, gold.load) == ({2, 4}, 2)
    assert parse_gold("The agent has interacted with: box 1 (2 interactions)").named == (("box 1", 2),)


def test_counts_reports_what_blocks_hold_by_load_and_family(tmp_path, capsys):
    episode = household("house", 40)
    actions = [turn["action"] for turn in episode["trajectory"]]
    counted = ", ".join(f"'{name}' ({actions.count(name)} times)" for name in dict.fromkeys(actions))
    wrong = ", ".join(f"'{name}' ({actions.count(name) + 1} times)" for name in dict.fromkeys(actions))
    asked = "Until step 39, what actions has the agent performed and how frequently?"
    episode["qa_pairs"] = [
        {"question": asked, "answer": f"Actions performed: {counted}"},
        {"question": asked, "answer": f"Actions performed: {wrong}"},
        {"question": "What actions were performed between step 2 and step 3?", "answer": "at step 2, x; at step 3, y."},
    ]
    assert ama_counts.main([written(tmp_path / "episodes.jsonl.gz", [episode]), "--json"]) == 0
    result = printed(capsys)
    assert (result["questions"], result["held"], result["compiled"]) == (3, 2, 3)
    assert set(result["bins"]) == {"1-5", "6-15", "16-100", ">100"}
    assert result["misses"] == {"reference": 1}
    assert result["above_15"]["questions"] == 2


def test_growth_measures_every_operation(capsys):
    assert tally_growth.main(["--most", "100", "--json"]) == 0
    result = printed(capsys)
    assert result["view"]["most_tokens"] <= 26_000
    assert 25_000 < result["view_long"]["most_tokens"] <= 26_000
    (size,) = result["sizes"]
    assert set(size["operations"]) == set(tally_growth.QUERIES)
    assert {"rows_per_s", "slowest_ms", "compile_ms", "append_ms", "trajectory_append_us"} <= set(size)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_commit_ledger_and_git_agree(seed, tmp_path, capsys):
    random_history(tmp_path / "history", seed)
    assert commits.main([str(tmp_path / "history"), "--most", "8", "--seed", str(seed), "--json"]) == 0
    result = printed(capsys)
    (repository,) = result["repositories"]
    assert repository["wrong"] == []
    assert result["correct"] == result["questions"] > 60
    assert set(repository["families"]) == {"changes", "order", "values", "renames", "whole"}


def test_a_wrong_answer_about_commits_is_counted_as_wrong(tmp_path, capsys, monkeypatch):
    random_history(tmp_path / "history", 4, commits=6)
    asked = [Question("whole", "How many commits are there?", 7, ("x",)), Question("whole", "Who?", None, ())]
    monkeypatch.setattr(commits, "questions", lambda *_: asked)
    commits.main([str(tmp_path / "history"), "--json"])
    result = printed(capsys)
    assert (result["questions"], result["correct"]) == (2, 0)
    assert [entry["question"] for entry in result["repositories"][0]["wrong"]] == [q.text for q in asked]
