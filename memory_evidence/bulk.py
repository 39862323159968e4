"""Make many objects that stay, without the garbage collector looking at all of them again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sized
from contextlib import contextmanager

MOST = 10_000
"""Items at a time for which the collector is paused: it is the process's, and a pause ends within a second."""


@contextmanager
def bulk(items: object = ()) -> Iterator[None]:
    """Pause the cyclic garbage collector while `items` are written, if it is on and they are at most `MOST`.

    None of what is made is garbage, yet every few hundred objects would have it walk the young ones, and from time to
    time the whole index: half of the time of an ingest. Pauses may be nested; the outermost ends them.
    """
    paused = gc.isenabled() and isinstance(items, Sized) and len(items) <= MOST
    if paused:
        gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()
