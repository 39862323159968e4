"""Run the Python blocks of Markdown files, each in a process and folder of its own: `python -m tests.readme_blocks`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(path: Path) -> list[str]:
    """Return the Python blocks of `path`, in order."""
    return BLOCK.findall(path.read_text(encoding="utf-8"))


def run(code: str) -> subprocess.CompletedProcess[str]:
    """Run one block in an empty folder."""
    root = Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            [sys.executable, "-W", "error::DeprecationWarning:__main__", "-c", code],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(root)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


def main() -> int:
    """Run every block of the files named on the command line."""
    for name in sys.argv[1:]:
        found = blocks(Path(name))
        if not found:
            print(f"{name}: no Python block")
            return 1
        for number, code in enumerate(found, 1):
            done = run(code)
            if done.returncode:
                print(f"{name}, block {number} failed:\n{code}\n{done.stdout}{done.stderr}")
                return 1
        print(f"{name}: {len(found)} blocks ran")
    return 0


if __name__ == "__main__":
    sys.exit(main())
