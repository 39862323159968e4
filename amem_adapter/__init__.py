"""CABLE for A-MEM: `CableAgenticMemory` extends the search of an `AgenticMemorySystem`."""

from __future__ import annotations

from amem_adapter.memory import CableAgenticMemory

__all__ = ("CableAgenticMemory",)
