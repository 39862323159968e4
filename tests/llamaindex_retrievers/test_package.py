from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import llamaindex_retrievers
from llamaindex_retrievers import TallyMemQueryEngine, TallyMemRetriever, tally_query_engine_tool
from memory_evidence.errors import MissingExtraError


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
