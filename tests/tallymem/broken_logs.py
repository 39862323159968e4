"""A log whose database fails."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from memory_evidence.tallymem import TallyMem, Trajectory


@contextmanager
def without_tables(folder: Path, log: Trajectory) -> Iterator[TallyMem]:
    """Open a log in a file, store `log`, and drop every table behind its back."""
    file = folder / "log.db"
    with TallyMem.open(("ann",), store=f"sqlite:///{file}") as tally:
        tally.extend(log)
        with closing(sqlite3.connect(file)) as connection:
            tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            for (name,) in connection.execute(tables).fetchall():
                connection.execute(f'DROP TABLE "{name}"')
            connection.commit()
        yield tally
