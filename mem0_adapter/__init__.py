"""CABLE for mem0: a memory of mem0 2.x or 1.x whose searches reach what similarity misses.

mem0 itself is never imported here, for importing it writes a folder and starts its telemetry: wrap the memory that you
have.
"""

from __future__ import annotations

from mem0_adapter.async_memory import AsyncCableMemory
from mem0_adapter.memory import CableMemory

__all__ = ["AsyncCableMemory", "CableMemory"]
