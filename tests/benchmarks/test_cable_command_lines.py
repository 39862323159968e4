"""The command lines and keys of CABLE's benchmarks, on a conversation of our own."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from importlib.util import find_spec

import pytest

from benchmarks import cable_growth, cable_superseded, locomo_reach
from benchmarks.locomo import RecordedModel, pairs, random_pairs, read_conversations, read_lines
from benchmarks.locomo_hosts import HOSTS
from benchmarks.locomo_links import times, topics
from benchmarks.retrieval import dense_available
from memory_evidence.cable import Memory
from tests.integrations.stub_server import StubServer, says

RECALL = {"all", "single_hop", "multi_hop", "temporal", "open_domain"}
TURNS = (
    ("Emma", "I keep an old resignation letter in a drawer."),
    ("Bo", "The new manager shouted at everybody in the Monday meeting."),
    ("Emma", "I wrote a resignation letter for a friend of mine."),
    ("Bo", "I resigned from the chess club two years ago."),
    ("Emma", "A letter of resignation has to be signed, they told me."),
    ("Bo", "Did you ever think of resigning from the board?"),
    ("Emma", "I submitted my resignation letter to the office on Friday."),
    ("Bo", "My garden is full of blue roses this summer."),
)
LETTERS = tuple(("Emma", f"I read a resignation letter of {who} today.") for who in ("Kim", "Lee", "Max", "Noa", "Pia"))
QUESTIONS = (
    ("Why was a resignation letter submitted to the office on Friday?", 1, ["D1:7", "D1:2"]),
    ("What is in the garden of Bo?", 4, ["D1:8"]),
    ("What does Bo think of roses?", 3, []),
    ("Is Emma a pilot?", 5, ["D1:1"]),
    ("When did Bo resign?", 2, ["D1:4; D1:6"]),
)

PACKAGES = {"chroma": "chromadb", "mem0": "mem0", "amem": "agentic_memory", "simplemem": "simplemem"}
"""What a real host needs; the last two are in an environment of their own."""

needs_vectors = pytest.mark.skipif(not dense_available(), reason="the wheels with MiniLM are not installed")


@pytest.fixture
def files(tmp_path):
    turns = [{"speaker": who, "dia_id": f"D1:{n}", "text": text} for n, (who, text) in enumerate(TURNS, 1)]
    turns[7]["blip_caption"] = "a photo of roses"
    letters = [{"speaker": who, "dia_id": f"D0:{n}", "text": text} for n, (who, text) in enumerate(LETTERS, 1)]
    asked = [{"question": q, "answer": "", "category": c, "evidence": e} for q, c, e in QUESTIONS]
    conversation = {"session_1": letters, "session_2": turns, "session_2_date_time": "1:00 pm on 2 March, 2026"}
    data = [{"sample_id": name, "conversation": conversation, "qa": asked} for name in ("conv-1", "conv-2")]
    (tmp_path / "locomo.json.gz").write_bytes(gzip.compress(json.dumps(data).encode()))
    link = {"conversation": "conv-1", "prior": "D1:2", "new": "D1:7", "reason": "The shouting made her go."}
    (tmp_path / "links.jsonl").write_text(json.dumps(link))
    query = {"conversation": "conv-1", "id": "D1:7", "type": "event", "queries": ["manager shouted in a meeting"]}
    (tmp_path / "queries.jsonl").write_text(json.dumps(query))
    return tmp_path


def reach(files, capsys, *arguments):
    shared = [str(files / "locomo.json.gz"), "--cache", str(files / "vectors"), "--json"]
    assert locomo_reach.main([*shared, *map(str, arguments)]) == 0
    return json.loads(capsys.readouterr().out)


def test_turns_and_questions_are_read_as_memories_and_evidence(files):
    first, second = read_conversations(files / "locomo.json.gz")
    assert [turn.text for turn in first.turns[5::7]] == [
        "Emma: I keep an old resignation letter in a drawer.",
        "Bo: My garden is full of blue roses this summer. [image: a photo of roses]",
    ]
    assert (first.turns[0].time, first.turns[5].time) == (None, "1:00 pm on 2 March, 2026")
    assert [(q.category, q.evidence) for q in first.questions] == [
        ("multi_hop", {"D1:2", "D1:7"}),
        ("single_hop", {"D1:8"}),
    ]
    assert second.turns == first.turns


@needs_vectors
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
@pytest.mark.parametrize("host", HOSTS)
def test_reach_reports_its_keys_and_what_a_recorded_link_gains(files, capsys, monkeypatch, host):
    if host in PACKAGES and find_spec(PACKAGES[host]) is None:
        pytest.skip(f"{PACKAGES[host]} is not installed here; make test-hosts installs it")
    monkeypatch.setenv("MEM0_DIR", str(files / "mem0"))
    result = reach(files, capsys, "--host", host, "--budget", 4, "--replace", 2, "--links", files / "links.jsonl")
    for arm in ("host", "cable"):
        assert set(result[arm]) == {"recall", "read_ms"}
        assert set(result[arm]["recall"]) == RECALL
        assert set(result[arm]["read_ms"]) == {"median", "p95"}
    assert result["host"]["recall"]["multi_hop"] == 0.5
    assert result["cable"]["recall"]["multi_hop"] == 1.0
    assert result["cable"]["recall"]["open_domain"] is None
    assert [gain["question"] for gain in result["gains"]] == [QUESTIONS[0][0]]
    assert (result["losses"], result["usage"]) == ([], {})
    assert (result["conversations"], result["questions"]) == (["conv-1"], 2)
    assert result["links"] == {"count": 1, "per_memory": 0.077, "random": False}


@needs_vectors
def test_construction_runs_on_recorded_queries_and_reports_its_calls(files, capsys):
    recorded = ["--links", files / "links.jsonl", "--queries", files / "queries.jsonl"]
    result = reach(files, capsys, "--budget", 4, "--replace", 2, *recorded)
    assert result["links"]["count"] == 1
    assert result["cable"]["recall"]["multi_hop"] == 1.0
    assert {"classify", "queries"} <= set(result["usage"])
    assert result["usage"]["classify"]["prompt_tokens"] > 0
    unverified = reach(files, capsys, "--budget", 4, "--replace", 2, *recorded, "--ablate", "verification")
    assert unverified["links"]["count"] >= 1
    assert "verify" not in unverified["usage"]
    assert (result["ablate"], unverified["ablate"]) == (None, "verification")


@needs_vectors
def test_what_the_record_did_not_judge_is_accepted_without_subtraction_alone(files, capsys):
    judged = {"conversation": "conv-1", "id": "D1:7", "candidates": ["D1:2", "D1:4"]}
    (files / "candidates.jsonl").write_text(json.dumps(judged))
    recorded = ["--links", files / "links.jsonl", "--queries", files / "queries.jsonl"]
    result = reach(files, capsys, *recorded, "--candidates", files / "candidates.jsonl", "--ablate", "subtraction")
    assert result["links"]["count"] > 1


@needs_vectors
def test_generic_queries_are_the_topics_of_a_memory_and_judged_by_the_record(files, capsys):
    recorded = ["--links", files / "links.jsonl", "--queries", files / "queries.jsonl"]
    result = reach(files, capsys, "--budget", 4, "--replace", 2, *recorded, "--ablate", "generic")
    assert result["ablate"] == "generic"
    assert result["usage"]["queries"]["calls"] >= 1
    assert result["links"]["count"] == 0  # "submitted", "resignation letter", "office" do not find the manager


def test_topics_are_groups_of_neighbouring_words():
    text = "Emma: Thank you! I submitted my resignation letter to the office on Friday. Is it cold?"
    assert topics(text) == ["Emma resignation letter", "Emma submitted", "Emma office"]
    assert topics("Hello!") == []


@needs_vectors
def test_support_over_old_links_may_fade(files, capsys):
    options = ["--budget", 4, "--replace", 2, "--links", files / "links.jsonl", "--score", "paper"]
    (first, _) = read_conversations(files / "locomo.json.gz")
    dated = [Memory("a", "a", "1:00 pm on 2 March, 2026"), Memory("b", "b", "1:30 pm on 12 March, 2026")]
    made = times(replace(first, turns=(*dated, Memory("c", "c"))))
    ages = {turn: datetime.now(UTC) - datetime.fromisoformat(time) for turn, time in made.items()}
    assert {turn: age.days for turn, age in ages.items()} == {"a": 10, "b": 0, "c": 0}
    assert reach(files, capsys, *options, "--half-life", 30)["half_life_days"] == 30


@needs_vectors
def test_the_rules_links_are_held_against_the_record(files, capsys):
    judged = {"conversation": "conv-1", "id": "D1:7", "candidates": ["D1:2", "D1:4"]}
    (files / "candidates.jsonl").write_text(json.dumps(judged))
    options = ["--links", files / "links.jsonl", "--candidates", files / "candidates.jsonl"]
    agreement = reach(files, capsys, *options, "--beside")["agreement"]
    assert set(agreement) == {"judged", "accepted", "base_rate"}
    assert agreement["base_rate"] == 0.5
    assert reach(files, capsys, *options)["agreement"] is None


@needs_vectors
def test_without_record_or_model_the_rules_link_all_conversations(files, capsys):
    result = reach(files, capsys, "--budget", 4, "--replace", 2)
    assert result["conversations"] == ["conv-1", "conv-2"]
    assert result["links"]["per_memory"] > 0.5
    assert result["usage"] == {}


@needs_vectors
def test_every_score_and_random_links_are_compared(files, capsys):
    options = ["--budget", 4, "--replace", 2, "--links", files / "links.jsonl"]
    result = reach(files, capsys, *options, "--compare", "--score", "paper")
    assert set(result["scores"]) == {"default", "similarity", "paper"}
    for score in result["scores"].values():
        assert set(score) == {"by_conversation", "random_links"}
    assert result["scores"]["paper"]["by_conversation"] == result["by_conversation"]
    for control in result["scores"]["default"]["random_links"].values():
        assert control["least"] <= control["cable"] <= control["most"]
    assert reach(files, capsys, *options, "--random-links")["links"]["random"] is True


@needs_vectors
def test_a_model_links_where_a_server_is_given(files, capsys):
    stub = StubServer()
    replies = {"type": "event", "queries": ["manager shouted"], "valid": True, "reason": "It led to it."}
    stub.behaviour = lambda _: says(json.dumps(replies))
    result = reach(files, capsys, "--budget", 4, "--replace", 2, "--only", "conv-1", "--model", stub.url)
    stub.close()
    assert result["usage"]["classify"]["calls"] >= 1
    assert sum(usage["calls"] for usage in result["usage"].values()) == len(stub.requests)


def test_nothing_to_score_is_said(files):
    with pytest.raises(SystemExit, match="--only"):
        locomo_reach.main([str(files / "locomo.json.gz"), "--only", "conv-9"])


@pytest.mark.parametrize(
    ("options", "needed"),
    [
        (["--ablate", "verification"], "--model"),
        (["--ablate", "queries", "--queries", "q"], "--model"),
        (["--ablate", "generic"], "--queries"),
        (["--ablate", "generic", "--model", "http://127.0.0.1:9/v1"], "--queries"),
        (["--ablate", "subtraction", "--queries", "q"], "--candidates"),
    ],
)
def test_an_ablation_says_what_it_needs(files, capsys, options, needed):
    with pytest.raises(SystemExit):
        locomo_reach.main([str(files / "locomo.json.gz"), *options])
    assert needed in capsys.readouterr().err


def test_random_links_keep_degrees_and_order(files):
    (first, _) = read_conversations(files / "locomo.json.gz")
    links = [(f"D1:{a}", f"D1:{b}", "r") for a, b in ((1, 2), (1, 3), (2, 5), (4, 8))]
    made = random_pairs(links, first.turns, 7)
    assert made == random_pairs(links, first.turns, 7)
    assert all(prior < new for prior, new, _ in made)
    assert {i for pair in made for i in pair[:2]} <= {i for pair in links for i in pair[:2]}
    many = [(turns[a].id, turns[b].id, "r") for turns in [first.turns] for b in range(13) for a in range(b)]
    degree, drawn = (
        Counter(i for pair in some for i in pair[:2]) for some in (many, random_pairs(many, first.turns, 7))
    )
    lost = (degree.total() - drawn.total()) // 2
    assert sum(abs(degree[i] - drawn[i]) for i in degree) <= 2 * lost


def test_a_recorded_model_accepts_what_nobody_judged_only_for_the_ablation(files):
    (first, _) = read_conversations(files / "locomo.json.gz")
    links = pairs(read_lines(files / "links.jsonl")["conv-1"])
    recorded = read_lines(files / "queries.jsonl")["conv-1"]
    strict = RecordedModel(first.turns, recorded, links)
    open_minded = RecordedModel(first.turns, recorded, links, judged={("D1:3", "D1:7")})
    assert strict._verdict("D1:2", "D1:7")["valid"]
    assert not strict._verdict("D1:1", "D1:7")["valid"]
    assert open_minded._verdict("D1:1", "D1:7")["valid"]
    assert not open_minded._verdict("D1:3", "D1:7")["valid"]
    assert not open_minded._verdict("D1:1", "D1:3")["valid"]


def test_growth_measures_reads_and_linking(capsys, monkeypatch):
    monkeypatch.setattr(cable_growth, "SIZES", (100,))
    assert cable_growth.main(["--questions", "5", "--soak", "0.5", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    (size,) = result["sizes"]
    assert (size["memories"], size["links"]) == (100, 500)
    assert {"read_20_ms", "read_45_ms", "links_per_s", "linking_rules", "linking_model"} <= set(size)
    assert set(size["read_20_ms"]) == {"search", "added", "exchanged"}
    assert size["linking_rules"]["calls"] == {}
    assert size["linking_model"]["calls"]["classify"] == 1
    soak = result["soak"]
    assert (soak["links_across_users"], soak["lost_links"], soak["errors"], soak["pending"]) == (0, 0, 0, 0)
    assert soak["added"] > 0


@needs_vectors
def test_superseded_memories_are_known_marked_and_counted(tmp_path, capsys):
    texts = {"t1": "I live in Rome.", "t2": "I moved to Oslo.", "t3": "My dentist is called Reed."}
    facts = {"t1": ("home", "Rome"), "t2": ("home", "Oslo"), "t3": ("dentist", "Reed")}
    turns = [
        {"id": name, "date": f"2026/01/0{name[1]}", "role": "user", "content": text} for name, text in texts.items()
    ]
    question = {"question_id": "q", "question": "Where do I live?", "answer": "Oslo", "turns": ["t1", "t2"]}
    extraction = [
        {
            "id": name,
            "label": "facts",
            "facts": [
                {"subject": "user", "relation": what, "object": value, "slot": {"subject": "user", "relation": what}}
            ],
        }
        for name, (what, value) in facts.items()
    ]
    for name, rows in {"turns": turns, "questions": [question], "extraction": extraction}.items():
        (tmp_path / f"{name}.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    assert cable_superseded.main([str(tmp_path), "--budget", "2", "--cache", str(tmp_path), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    rows = {(row["reader"], row["arm"]): row for row in result["rows"]}
    assert set(rows) == {
        (r, a) for r in ("grammar", "recorded") for a in ("host", "weight_1", "weight_0.5", "weight_0")
    }
    for (_, arm), row in rows.items():
        assert (row["superseded"], row["found"], row["wrong"], row["answered"]) == (1, 1, 0, 1.0)
        assert (row["unmarked"], row["whole"]) == ((1, 0) if arm == "host" else (0, 1))
