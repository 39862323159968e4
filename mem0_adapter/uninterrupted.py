"""Calls that end although their caller is cancelled: mem0's threads cannot be stopped, and its links follow them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["uninterrupted"]

T = TypeVar("T")

_running: set[asyncio.Task[Any]] = set()


async def uninterrupted(call: Coroutine[Any, Any, T]) -> T:
    """Await `call`, which goes on to its end when this is cancelled, unless the event loop itself ends."""
    task = asyncio.ensure_future(call)
    _running.add(task)  # the loop keeps weak references alone
    task.add_done_callback(_running.discard)
    return await asyncio.shield(task)
