"""Adds memories to the mem0 in a folder until it is killed, and prints the id of each when it is acknowledged."""

import os
import sys
import tempfile
from itertools import count
from pathlib import Path

os.environ["MEM0_TELEMETRY"] = "False"
os.environ.setdefault("MEM0_DIR", tempfile.mkdtemp(prefix="mem0-tests-"))

from mem0_adapter import CableMemory
from tests.mem0_adapter.memories import open_memory, remember

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    cable = CableMemory(open_memory(folder / "mem0"), store=f"sqlite:///{folder / 'links.db'}", model="rules")
    for number in count():
        print(remember(cable, f"Ann planned trip {number}, because boat {number} was sold."), flush=True)
