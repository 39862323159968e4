"""A child that is forked while another thread uses the memory can use it, too."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_a_child_forked_in_the_middle_of_a_read_reads(kind, tmp_path):
    url = "sqlite://" if kind == "memory" else f"sqlite:///{tmp_path / 'm.db'}"
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-m", "tests.cmc.forking", url],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.stdout.strip() == "read", done.stderr
