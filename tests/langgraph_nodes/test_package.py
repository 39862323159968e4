from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

import langgraph_nodes

EXAMPLES = Path(__file__).parents[2] / "examples"


def python(program: str) -> None:
    done = subprocess.run([sys.executable, "-c", dedent(program)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_everything_that_is_promised_is_there() -> None:
    assert [name for name in langgraph_nodes.__all__ if getattr(langgraph_nodes, name).__name__ != name] == []
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        langgraph_nodes.Nothing  # noqa: B018


def test_node_does_without_langchain() -> None:
    python("""
        import sys
        sys.modules["langchain"] = None
        from langgraph_nodes import BaseStoreLog, ContractMemoryNode, RememberNode, memory_tools
        from memory_evidence.errors import MissingExtraError
        for name in ("ContractMemoryMiddleware", "RememberMiddleware"):
            try:
                exec(f"from langgraph_nodes import {name}")
            except MissingExtraError as error:
                assert "memory-evidence[langchain]" in str(error)
            else:
                raise SystemExit(name)
    """)


def test_missing_langgraph_is_an_error_that_says_what_to_install() -> None:
    python("""
        import sys
        sys.modules["langgraph"] = None
        from memory_evidence.errors import MissingExtraError
        try:
            import langgraph_nodes
        except MissingExtraError as error:
            assert "memory-evidence[langgraph]" in str(error)
        else:
            raise SystemExit("imported")
    """)


@pytest.mark.parametrize("name", ["langgraph_current_state", "langchain_middleware"])
def test_example_prints_what_its_docstring_says(name: str) -> None:
    program = EXAMPLES / f"{name}.py"
    done = subprocess.run([sys.executable, "-W", "error", str(program)], capture_output=True, text=True)
    assert done.stderr == ""
    shown = program.read_text().split("Prints:\n\n")[1].split('"""')[0]
    assert done.stdout == dedent(shown)
