"""What files assign to a name as they were after a commit, read from the repository when a question needs it.

The rows of a history tell what was added. Whether it is there still, and whether a file gives a name several values at
a time, only the file itself tells.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from memory_evidence.tallymem.commits.assignments import read_assignments
from memory_evidence.tallymem.commits.git import LONGEST_LINE, Repository

_BINARY = 8_000
"""Bytes in which git looks for a NUL to tell that a file is no text."""


class Versions:
    """The files of a repository at each of its commits."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def assigned(self, files: Sequence[tuple[str, str]], name: str) -> list[tuple[str, ...] | None]:
        """Return the values that each file assigns to `name`, from the top; None where it is not read.

        Args:
            files: (commit id, path) of each.
            name: The name, as lines assign it.

        Raises:
            HostError: The repository cannot be read any more.
        """
        contents = self._repository.contents(files)
        return [
            None if content is None else _assigned(content, path, name)
            for (_, path), content in zip(files, contents, strict=True)
        ]


def _assigned(content: bytes, path: str, name: str) -> tuple[str, ...]:
    if b"\0" in content[:_BINARY]:
        return ()
    ending = os.path.splitext(path)[1][1:].lower()
    wanted = name.encode("utf-8", "replace")
    return tuple(
        value
        for line in content.split(b"\n")
        if wanted in line
        for found, value in read_assignments(line[:LONGEST_LINE].decode("utf-8", "replace"), ending)
        if found == name
    )
