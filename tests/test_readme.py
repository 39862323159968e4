"""The README: its code runs, and its figures are those of the kept results."""

import json
from pathlib import Path

import pytest

from benchmarks import summary
from tests.readme_blocks import blocks, run

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("code", blocks(ROOT / "README.md"), ids=lambda code: code.splitlines()[0])
def test_every_block_of_the_readme_runs(code):
    done = run(code)
    assert done.returncode == 0, done.stderr


def test_the_readme_shows_the_figures_of_the_kept_results():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert summary.readme_with(summary.tables(), summary.tally_tables()) == text


def test_every_kept_result_is_one_json_object_with_its_versions():
    results = sorted((ROOT / "benchmarks" / "results").glob("*.json"))
    assert results
    for path in results:
        assert json.loads(path.read_text(encoding="utf-8"))["environment"]["python"]
