"""The commit ledger: the same questions over a git history instead of an agent's trajectory."""

from memory_evidence.tallymem.commits.history import Commit
from memory_evidence.tallymem.commits.ledger import CommitLedger

__all__ = ["Commit", "CommitLedger"]
