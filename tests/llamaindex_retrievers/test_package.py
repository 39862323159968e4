from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

import llamaindex_retrievers
from llamaindex_retrievers import TallyMemQueryEngine, TallyMemRetriever, tally_query_engine_tool
from memory_evidence.errors import MissingExtraError

EXAMPLES = Path(__file__).parents[2] / "examples"


def python(program: str) -> str:
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_exported_names_are_these_and_documented() -> None:
    assert set(llamaindex_retrievers.__all__) == {
        "TallyLoadSelector",
        "TallyMemPostprocessor",
        "TallyMemQueryEngine",
        "TallyMemRetriever",
        "tally_query_engine_tool",
    }
    assert all(getattr(llamaindex_retrievers, name).__doc__ for name in llamaindex_retrievers.__all__)


@pytest.mark.parametrize("made", [TallyMemQueryEngine, TallyMemRetriever, tally_query_engine_tool])
def test_the_tally_comes_first_and_settings_by_name(made: object) -> None:
    first, *others = inspect.signature(made).parameters.values()  # type: ignore[arg-type]
    assert first.name == "tally"
    assert {one.name for one in others if one.kind is one.POSITIONAL_OR_KEYWORD} <= {"llm"}
    assert next((one.default for one in others if one.name == "name"), "trajectory") in ("trajectory", "ask_log")


def test_missing_host_is_an_error_that_names_the_extra() -> None:
    program = (
        "import sys; sys.modules['llama_index'] = None\n"
        "from memory_evidence.errors import MissingExtraError\n"
        "try: import llamaindex_retrievers\n"
        "except MissingExtraError as error: print(error.extra)"
    )
    assert python(program) == "llamaindex\n"
    assert issubclass(MissingExtraError, ImportError)


def test_importing_and_asking_need_no_key_and_no_settings() -> None:
    program = (
        "import os\n"
        "os.environ.pop('OPENAI_API_KEY', None)\n"
        "from llamaindex_retrievers import TallyMemQueryEngine, TallyMemRetriever, tally_query_engine_tool\n"
        "from memory_evidence.tallymem import TallyMem, Trajectory\n"
        "tally = TallyMem(Trajectory.from_pairs([('open drawer 1', 'You open the drawer 1.')]))\n"
        "question = 'How many times was drawer 1 opened?'\n"
        "print('count = 1' in str(TallyMemQueryEngine(tally).query(question)))\n"
        "print('count = 1' in str(tally_query_engine_tool(tally).call(question).content))\n"
        "print(len(TallyMemRetriever(tally).retrieve(question)))\n"
        "from llama_index.core import Settings; print(Settings._llm)"
    )
    assert python(program) == "True\nTrue\n1\nNone\n"


@pytest.mark.parametrize("name", ["llamaindex_swap_retriever", "agent_tally_tool"])
def test_example_prints_what_its_docstring_says(name: str) -> None:
    program = EXAMPLES / f"{name}.py"
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=True)
    assert done.stdout == dedent(program.read_text(encoding="utf-8").split("Prints:\n\n")[1].split('"""')[0])


def test_demo_counts_what_retrieval_does_not_see() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / "demo_tallymem.py")], capture_output=True, text=True, check=True
    )
    retrieved, counted = done.stdout.split("TallyMem:")
    edits = {5, 8, 9, 12, 17, 18}
    assert edits.isdisjoint(map(int, re.findall(r"step +(\d+):", retrieved)))
    assert "= 4 (6 matched steps)" in counted
    assert "/shop/tax.py: 2 (steps 5, 18)" in counted
