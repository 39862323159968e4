"""Links the memories that wait: claims them, looks for their antecedents in the host, keeps what was found."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from memory_evidence.cable.construct import Linking, LinkOptions, link_steps
from memory_evidence.cable.host import Memory, MemoryHost
from memory_evidence.cable.link_store import LinkStore
from memory_evidence.cable.links import Link, text_hash
from memory_evidence.cable.reports import LinkingReport
from memory_evidence.errors import HostError, ModelError, StoreError
from memory_evidence.models import ChatModel, Steps, UsageMeter, run
from memory_evidence.records import Scope
from memory_evidence.store.node_rows import Claimed

logger = logging.getLogger(__name__)

LEASE_S = 60.0
"""How long a claim is kept for a worker that is not heard of, in seconds."""

RETRY_S = 30.0
"""How long a memory waits after its linking failed, in seconds; twice as long after each further failure."""

_CLAIM = 16
_FAILURES = 3
_POLL_S = 0.25


@dataclass(slots=True)
class Tally:
    """Adds up what a round of linking does, over all its scopes."""

    linked: int = 0
    links: int = 0
    skipped: int = 0
    gone: int = 0
    failed: int = 0
    refused: int = 0
    error: str | None = None
    meter: UsageMeter = field(default_factory=UsageMeter)

    @property
    def done(self) -> int:
        """Memories that were dealt with."""
        return self.linked + self.skipped + self.gone + self.failed

    def report(self, pending: int) -> LinkingReport:
        """Return what was done, and that `pending` memories still wait."""
        return LinkingReport(
            self.linked,
            self.links,
            self.skipped,
            self.gone,
            self.failed,
            self.refused,
            pending,
            self.meter.stages,
            self.error,
        )


@dataclass(frozen=True, slots=True)
class Linker:
    """Links memories of any scope; safe to share between threads."""

    links: LinkStore
    model: ChatModel | None
    rules: bool
    """Whether the deterministic verifier links where there is no model."""
    options: LinkOptions
    concurrency: int

    @property
    def can_link(self) -> bool:
        """Whether there is anything to judge candidates with."""
        return self.model is not None or self.rules

    def link(
        self,
        scope: Scope,
        host: MemoryHost,
        tally: Tally,
        *,
        patient: bool,
        ids: Sequence[str] | None = None,
        on_done: Callable[[], None] = lambda: None,
        stop: threading.Event | None = None,
    ) -> bool:
        """Link what waits in `scope`, the oldest first.

        Args:
            scope: Whose memories.
            host: Where they are.
            tally: Adds up what is done.
            patient: Whether memories that failed a short while ago are left alone.
            ids: Only these.
            on_done: Called after each memory.
            stop: Set when the caller wants no further memory.

        Returns:
            Whether all was tried; False after `stop`, or where the model or the host seems to be down.
        """
        owner = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex}"
        after = None if patient else float("-inf")
        failures = 0
        while batch := self.links.claim(scope, owner, _CLAIM, LEASE_S, after=after, ids=ids):
            with self._renewing(owner), self._releasing(scope, owner, batch) as remaining:
                while remaining:
                    if stop is not None and stop.is_set():
                        return False
                    claimed = remaining[0]
                    try:
                        self._link_one(scope, host, owner, claimed, tally)
                        failures = 0
                    except (ModelError, HostError) as error:
                        failures += 1
                        self._fail(scope, owner, claimed, error, tally)
                        if failures >= _FAILURES or (isinstance(error, ModelError) and error.retryable):
                            remaining.pop(0)
                            on_done()
                            return False
                    remaining.pop(0)
                    on_done()
            after = None if after is None else batch[-1].position
        return True

    def wait_for_others(self, scope: Scope, stop: threading.Event) -> bool:
        """Wait a moment if other workers have claimed memories of `scope`, and return whether they have."""
        until = self.links.leased_until(scope)
        if until is None:
            return False
        stop.wait(min(max(until - time.time(), 0.001), _POLL_S))
        return not stop.is_set()

    def _link_one(self, scope: Scope, host: MemoryHost, owner: str, claimed: Claimed, tally: Tally) -> None:
        memory = host.get([claimed.id]).get(claimed.id)
        if memory is None:
            self.links.discard(scope, owner, claimed)
            tally.gone += 1
            return

        def is_prior(ids: Sequence[str]) -> set[str]:
            order = self.links.order(scope, ids)
            # What is unknown was there before us.
            return {i for i in ids if i != claimed.id and order.get(i, float("-inf")) < claimed.position}

        steps = link_steps(memory, host, is_prior=is_prior, options=self.options, use_model=self.model is not None)
        linking = self._drive(steps, tally.meter)
        found = [as_link(memory, accepted.prior, accepted.reason, linking.verifier) for accepted in linking.accepted]
        kept = self.links.finish(scope, owner, claimed, text_hash(memory.text), found)
        if kept is None:
            return  # written again or deleted meanwhile: what was found is about a text that is gone
        tally.links += kept[0]
        tally.refused += kept[1]
        if linking.skipped is None:
            tally.linked += 1
        else:
            tally.skipped += 1

    def _drive(self, steps: Steps[Linking], meter: UsageMeter) -> Linking:
        if self.model is not None:
            return run(steps, self.model, meter=meter, concurrency=self.concurrency)
        try:
            next(steps)
        except StopIteration as stop:
            linking: Linking = stop.value
            return linking
        raise AssertionError("without a model nothing is asked")

    def _fail(self, scope: Scope, owner: str, claimed: Claimed, error: Exception, tally: Tally) -> None:
        tally.failed += 1
        tally.error = str(error)
        given_up = self.links.failed(scope, owner, claimed, str(error), RETRY_S * 2**claimed.attempts)
        logger.warning(
            "linking memory %s failed %d times%s: %s",
            claimed.id,
            claimed.attempts + 1,
            " and is given up" if given_up else "",
            error,
        )

    @contextmanager
    def _releasing(self, scope: Scope, owner: str, batch: Sequence[Claimed]) -> Iterator[list[Claimed]]:
        """Give back at the end what of `batch` was not dealt with."""
        remaining = list(batch)
        try:
            yield remaining
        finally:
            for claimed in remaining:
                try:
                    self.links.release(scope, owner, claimed)
                except StoreError as error:
                    logger.warning("memories stay claimed for up to %.0f s: %s", LEASE_S, error)
                    break

    @contextmanager
    def _renewing(self, owner: str) -> Iterator[None]:
        """Keep the claims of `owner` while a slow model is at work."""
        stop = threading.Event()

        def renew() -> None:
            while not stop.wait(LEASE_S / 3):
                try:
                    self.links.renew(owner, LEASE_S)
                except StoreError as error:
                    logger.warning("claims could not be renewed: %s", error)

        thread = threading.Thread(target=renew, name="memory-evidence-claims", daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


def as_link(new: Memory, prior: Memory, reason: str, verifier: str) -> Link:
    """Return the link that was verified just now."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Link(prior.id, new.id, reason, verifier, now, text_hash(prior.text), text_hash(new.text))
