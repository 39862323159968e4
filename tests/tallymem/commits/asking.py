"""What a ledger says to a question."""

from __future__ import annotations

from memory_evidence.tallymem import CommitLedger


def value(ledger: CommitLedger, question: str) -> object:
    (result,) = ledger.execute(ledger.plan(question)).results
    return result.value


def steps(ledger: CommitLedger, question: str) -> tuple[int, ...]:
    (result,) = ledger.execute(ledger.plan(question)).results
    return result.steps


def each(ledger: CommitLedger, question: str) -> list[tuple[str, object]]:
    """The last path that each result is about, with its value."""
    results = ledger.execute(ledger.plan(question)).results
    return [(result.query.where[-1].terms[-1], result.value) for result in results]


def reason(ledger: CommitLedger, question: str) -> str:
    found = ledger.evidence(question)
    assert found.computed is None, found.computed
    return found.reason


def block(ledger: CommitLedger, question: str) -> str:
    found = ledger.evidence(question)
    assert found.computed is not None, found.reason
    return found.computed.text
