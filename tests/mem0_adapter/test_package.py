"""Importing the adapter imports no mem0, which would write a folder and start its telemetry."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import mem0_adapter
from mem0_adapter import AsyncCableMemory, CableMemory

ROOT = Path(__file__).parents[2]


def test_importing_the_adapter_imports_no_host_and_writes_nothing(tmp_path: Path) -> None:
    code = "import mem0_adapter, sys; print({'mem0', 'chromadb', 'qdrant_client', 'sqlalchemy'} & sys.modules.keys())"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("set()\n", "")
    assert list(tmp_path.iterdir()) == []


def test_exported_names_are_these() -> None:
    assert mem0_adapter.__all__ == ["AsyncCableMemory", "CableMemory"]


@pytest.mark.parametrize("kind", [CableMemory, AsyncCableMemory])
def test_settings_are_given_by_name_and_have_the_documented_defaults(kind: type) -> None:
    memory, *settings = inspect.signature(kind).parameters.values()
    assert (memory.name, memory.default) == ("memory", inspect.Parameter.empty)
    assert {one.name: one.default for one in settings if one.name != "settings"} == {
        "store": "sqlite:///memory.db",
        "model": None,
        "replace": 5,
    }
    assert {one.kind for one in settings} == {inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD}
