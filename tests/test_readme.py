"""The README: its code runs, and its figures are those of the kept results."""

import json
from pathlib import Path

import pytest

from benchmarks import summary
from tests.readme_blocks import blocks, run

ROOT = Path(__file__).resolve().parent.parent


PAGES = (ROOT / "README.md", *(ROOT / name for name in ("docs/cmc.md", "docs/tallymem.md", "docs/cable.md")))
BLOCKS = [pytest.param(code, id=f"{page.stem}-{n}") for page in PAGES for n, code in enumerate(blocks(page), 1)]


@pytest.mark.parametrize("code", BLOCKS)
def test_every_block_of_the_readme_and_docs_runs(code):
    done = run(code)
    assert done.returncode == 0, done.stderr


def test_readme_and_docs_show_the_figures_of_the_kept_results():
    for path, text in summary.pages().items():
        assert path.read_text(encoding="utf-8") == text


def test_every_kept_result_is_one_json_object_with_its_versions():
    results = sorted((ROOT / "benchmarks" / "results").glob("*.json"))
    assert results
    for path in results:
        assert json.loads(path.read_text(encoding="utf-8"))["environment"]["python"]
