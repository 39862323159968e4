"""Reads files of agent trajectories for the benchmarks, as they are: nothing of the engine is used here."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def episodes(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the episodes of an AMA-Bench file, one JSON object a line."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)
