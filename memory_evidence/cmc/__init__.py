"""CMC, the Contract Memory Compiler: resolve contradictory updates first, then follow current relations."""

from memory_evidence.cmc.evidence import Added, Edge, Evidence, Period, Receipt, Superseded
from memory_evidence.cmc.memory import ContractMemory
from memory_evidence.cmc.pool import MemoryPool
from memory_evidence.cmc.readers import CardReader, WindowReader

__all__ = (
    "Added",
    "CardReader",
    "ContractMemory",
    "Edge",
    "Evidence",
    "MemoryPool",
    "Period",
    "Receipt",
    "Superseded",
    "WindowReader",
)
