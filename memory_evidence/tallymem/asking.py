"""Asking a tally in the middle of an agent's turn: a failure is raised, or the turn goes on without evidence."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from memory_evidence.errors import ConfigError, HostError, MemoryEvidenceError, ModelError, StoreError
from memory_evidence.tallymem.evidence import TallyEvidence
from memory_evidence.tallymem.memory import TallyMem
from memory_evidence.tallymem.plan import not_applicable
from memory_evidence.tallymem.view import ReadingIndex

logger = logging.getLogger(__name__)

OnError = Literal["raise", "skip"]
"""What a failing store, model or host does: raise, or let the turn go on without evidence after one warning."""
_SKIPPED = (StoreError, ModelError, HostError)


@dataclass(frozen=True, slots=True)
class Asking:
    """Asks tallies, as the adapters do.

    What the caller got wrong (`ConfigError`, `InputError`) is always raised.

    Raises:
        ConfigError: `on_error` is neither.
    """

    on_error: OnError = "raise"

    def __post_init__(self) -> None:
        if self.on_error not in get_args(OnError):
            raise ConfigError("on_error", self.on_error, '"raise" or "skip"')

    def ask(self, tally: Callable[[], TallyMem], question: str) -> TallyEvidence:
        """Return the evidence of the tally that `tally` returns, or where a failure is skipped, empty evidence.

        Raises:
            StoreError, ModelError: The tally failed, and `on_error` is "raise".
            HostError: So did something that is not ours, which is the cause.
        """
        try:
            return tally().evidence(question)
        except Exception as exc:  # noqa: BLE001 - raised again as one of ours, or skipped as the caller asked
            return self._failed(question, exc)

    async def aask(self, tally: TallyMem, question: str) -> TallyEvidence:
        """Do the same for one tally without blocking the event loop."""
        try:
            return await tally.aevidence(question)
        except Exception as exc:  # noqa: BLE001 - as above
            return self._failed(question, exc)

    def _failed(self, question: str, exc: Exception) -> TallyEvidence:
        error = exc
        if not isinstance(exc, MemoryEvidenceError):
            error = HostError("tally", f"{type(exc).__name__}: {exc}")
            error.__cause__ = exc
        if self.on_error == "raise" or not isinstance(error, _SKIPPED):
            raise error
        logger.warning("this turn goes on without the log: %s", error)
        reason = f"the log could not be read: {error}"
        nothing = ReadingIndex().view(question)
        return TallyEvidence(question, nothing, None, False, not_applicable(reason), reason, error=str(error))
