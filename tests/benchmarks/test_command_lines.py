"""The command lines and keys that people script against, on small data of our own."""

import gzip
import json
from pathlib import Path

import pytest

from benchmarks import common, factconsolidation, growth, knowledge_updates, memstream
from benchmarks.arms import Arms

FACTS = [
    "The author of Salt Road is Ines Falk.",
    "Ines Falk was born in the city of Turku.",
    "Tom Reed is a citizen of Norway.",
    "Ines Falk was born in the city of Bergen.",
]


def written(path: Path, data: object) -> Path:
    path.write_bytes(gzip.compress(json.dumps(data).encode()))
    return path


def lines(path: Path, rows: list[dict]) -> None:
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))


def printed(capsys: pytest.CaptureFixture[str]) -> dict:
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def facts_file(tmp_path: Path) -> Path:
    context = "Here is a list of facts:\n" + "\n".join(f"{n}. {fact}" for n, fact in enumerate(FACTS))
    data = {
        "context": context,
        "questions": ["Where was the author of Salt Road born?", "In which city was Ines Falk born?"],
        "answers": [["Bergen"], "Turku"],
        "metadata": {"source": "small"},
    }
    return written(tmp_path / "small.json.gz", data)


def test_factconsolidation_reports_its_keys_and_every_arm(facts_file, capsys):
    arms = [name for name in Arms.NAMES if name != "fact_dense"]
    assert factconsolidation.main([str(facts_file), "--json", "--arms", ",".join(arms)]) == 0
    result = printed(capsys)
    (source,) = result["sources"]
    for part in (source, result["total"]):
        assert {"questions", "coverage", "label_superseded", "records_mean", "build_records_per_s", "read_ms"} <= set(
            part
        )
        assert set(part["read_ms"]) == {"median", "p95"}
    assert set(source["arms"]) == set(arms)
    assert source["questions"] == 2
    # One gold answer is the earlier value: a miss of coverage that is the label's, not ours.
    assert source["coverage"] == 0.5
    assert source["label_superseded"] == 1
    assert source["misses"][0]["reason"] == "label superseded"
    assert source["arms"]["stale_closure"]["coverage"] == 0.5
    against = source["arms"]["stale_closure"]["cmc_against_it"]
    assert (against["wins"], against["ties"], against["losses"]) == (1, 0, 1)


def test_an_unknown_arm_is_refused_with_the_known_ones(facts_file, capsys):
    with pytest.raises(SystemExit):
        factconsolidation.main([str(facts_file), "--arms", "magic"])
    assert "hops_5" in capsys.readouterr().err


def test_factconsolidation_asks_the_reader_and_reports_accuracy_per_arm(facts_file, capsys, local_model_url):
    factconsolidation.main([str(facts_file), "--json", "--arms", "cmc,fact_bm25", "--reader", local_model_url])
    result = printed(capsys)
    assert set(result["sources"][0]["accuracy"]) == {"cmc", "fact_bm25"}
    assert set(result["total"]["accuracy"]) == {"cmc", "fact_bm25"}


def hop(cloze: str, answer: str) -> dict:
    return {"cloze": cloze, "answer": answer}


def test_memstream_puts_all_edits_after_all_first_assertions(tmp_path, capsys):
    case = {
        "requested_rewrite": [
            {
                "prompt": "{} is a citizen of",
                "subject": "Tom Reed",
                "question": "What country is Tom Reed a citizen of?",
                "target_new": {"str": "Chile"},
            }
        ],
        "questions": ["What is the capital of the country of Tom Reed?"],
        "new_answer": "Santiago",
        "single_hops": [hop("Tom Reed is a citizen of", "Norway"), hop("The capital of Norway is", "Oslo")],
        "new_single_hops": [hop("Tom Reed is a citizen of", "Chile"), hop("The capital of Chile is", "Santiago")],
    }
    other = {**case, "requested_rewrite": [{**case["requested_rewrite"][0], "prompt": "The capital of {} is"}]}
    assert memstream.stream([case])[-1] == "The capital of Chile is Santiago."
    path = written(tmp_path / "cases.json.gz", [case, other])
    memstream.main([str(path), "--json", "--arms", "cmc,all_current_facts"])
    result = printed(capsys)
    assert [source["source"] for source in result["sources"]] == ["memstream_mh", "memstream_sh"]
    assert result["sources"][0]["coverage"] == 1.0
    assert "all_current_facts" in result["sources"][0]["arms"]


def test_knowledge_updates_counts_an_unmarked_outdated_value(tmp_path, capsys):
    texts = {
        "t1": "I keep my bike in the cellar, and my sister Ida visits on Sunday.",
        "t2": "I keep my bike in the shed now.",
        "t3": "My dentist is called Reed.",
    }
    objects = {"t1": [("bike place", "the cellar"), ("sister visit", "Sunday")], "t2": [("bike place", "the shed")]}
    objects["t3"] = [("dentist", "Reed")]
    lines(
        tmp_path / "turns.jsonl.gz",
        [{"id": k, "date": f"2026/01/0{k[1]}", "role": "user", "content": v} for k, v in texts.items()],
    )
    rows = [
        {"question_id": "q1", "question": "Where do I keep my bike?", "answer": "the shed", "turns": ["t1", "t2"]},
        {"question_id": "q2", "question": "When does my sister visit?", "answer": "Sunday", "turns": ["t1", "t2"]},
    ]
    lines(tmp_path / "questions.jsonl.gz", [{**row, "question_date": "2026/02/01"} for row in rows])
    extraction = [
        {
            "id": turn,
            "label": "facts",
            "facts": [
                {"subject": "user", "relation": name, "object": value, "slot": {"subject": "user", "relation": name}}
                for name, value in facts
            ],
        }
        for turn, facts in objects.items()
    ]
    lines(tmp_path / "extraction.jsonl.gz", extraction)
    knowledge_updates.main([str(tmp_path), "--json"])
    arms = printed(capsys)["arms"]
    assert arms["cmc"]["gold_in_evidence"] == 1.0
    assert arms["cmc"]["stale_unmarked"] == 0
    # BM25 shows the first turn as it is, in which the bike still stands in the cellar.
    assert arms["bm25_3"]["stale_unmarked"] == 2


def test_growth_reports_reads_and_writes_for_each_size(capsys):
    growth.main(["--most", "1000", "--questions", "20", "--json"])
    (size,) = printed(capsys)["sizes"]
    assert {"read_ms", "memory_ingest_per_s", "file_ingest_per_s", "bytes_per_record", "file_reopen_s"} <= set(size)
    assert size["records_mean"] == 3.0


def test_growth_history_is_the_same_for_the_same_seed():
    assert list(growth.history(200, 1)) == list(growth.history(200, 1))
    assert list(growth.history(200, 1)) != list(growth.history(200, 2))


def test_the_official_match_ignores_case_articles_and_punctuation():
    assert common.contains("It is THE St. Mary's!", ["st marys"])
    assert not common.contains("Oslo", ["Bergen"])


def test_an_interval_of_equal_arms_is_zero():
    result = common.paired([True, False], [True, False], ["a", "b"])
    assert result["difference"] == 0
    assert result["interval_95"] == [0, 0]
