"""Make many objects that stay, without the garbage collector looking at all of them again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def bulk() -> Iterator[None]:
    """Pause the cyclic garbage collector while a slice of records is indexed, if it is on.

    None of what is made is garbage, yet every few hundred objects would have it walk the young ones, and from time to
    time the whole index: half of the time of an ingest. Kept to slices of some milliseconds, for it is the process's.
    """
    paused = gc.isenabled()
    if paused:
        gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()
