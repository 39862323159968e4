"""TallyMem: a source-preserving view of an agent's trajectory, next to exact counts, groups, orders and lists."""

from memory_evidence.tallymem.archive import Archive
from memory_evidence.tallymem.commits import CommitLedger
from memory_evidence.tallymem.durable import DurableTallyMem
from memory_evidence.tallymem.evidence import Computed, TallyEvidence
from memory_evidence.tallymem.files import FileEvent, FileGraph
from memory_evidence.tallymem.ledger import Ledger
from memory_evidence.tallymem.memory import TallyMem
from memory_evidence.tallymem.plan import Filter, Plan, Scope, SubQuery
from memory_evidence.tallymem.receipts import Receipt
from memory_evidence.tallymem.results import Dropped, Execution, Result
from memory_evidence.tallymem.rows import Change, Effect, Outcome, Row
from memory_evidence.tallymem.trajectory import Observed, Step, Trajectory
from memory_evidence.tallymem.view import ReadingIndex, View

__all__ = [
    "Archive",
    "Change",
    "CommitLedger",
    "Computed",
    "Dropped",
    "DurableTallyMem",
    "Effect",
    "Execution",
    "FileEvent",
    "FileGraph",
    "Filter",
    "Ledger",
    "Observed",
    "Outcome",
    "Plan",
    "ReadingIndex",
    "Receipt",
    "Result",
    "Row",
    "Scope",
    "Step",
    "SubQuery",
    "TallyEvidence",
    "TallyMem",
    "Trajectory",
    "View",
]
