"""How long calls report how far they are, and a bar that shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int], None]
"""Called as `progress(done, total)`."""


@contextmanager
def progress_bar(what: str) -> Iterator[Progress]:
    """Give a `Progress` that draws a bar on stderr, and nothing where stderr is no terminal.

    `with progress_bar("linking") as bar: memory.link_pending(progress=bar)`
    """
    from tqdm import tqdm  # deferred: nobody else needs it

    with tqdm(desc=what, disable=None, leave=False) as bar:

        def progress(done: int, total: int) -> None:
            if bar.total != total:
                bar.reset(total)
            bar.update(done - bar.n)

        yield progress
