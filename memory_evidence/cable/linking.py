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
from typing import TypeVar

from memory_evidence.cable.construct import READ_BEFORE, LinkOptions, link_steps
from memory_evidence.cable.host import Memory, MemoryHost
from memory_evidence.cable.link_store import Found, LinkStore
from memory_evidence.cable.priors import Priors
from memory_evidence.cable.reports import Tally
from memory_evidence.cable.stated import statements_of
from memory_evidence.cable.verdicts import verdict_steps
from memory_evidence.errors import HostError, ModelError, StoreError
from memory_evidence.models import ChatModel, Steps, UsageMeter, run
from memory_evidence.records import Scope
from memory_evidence.store.link import Link, text_hash
from memory_evidence.store.node_rows import Claimed

__all__ = ["KEEP_S", "LEASE_S", "RETRY_S", "Linker", "Work"]

logger = logging.getLogger(__name__)

LEASE_S = 60.0
"""How long a claim is kept for a worker that is not heard of, in seconds."""

RETRY_S = 30.0
"""How long a memory waits after its linking failed, in seconds; twice as long after each further failure."""

KEEP_S = 1.0
"""How long what the rules found may wait for the transaction that keeps it together with more of it, in seconds."""

R = TypeVar("R")

# A model takes seconds for a memory, so that others should find some to claim; the rules take less than a commit.
_CLAIM, _CLAIM_RULES = 4, 64
_FAILURES = 3
_POLL_S = 0.25
_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True)
class Linker:
    """What links memories; safe to share between threads."""

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

    def verify(self, scope: Scope, memory: Memory, priors: Sequence[Memory], meter: UsageMeter) -> list[Link]:
        """Return links to `memory` from those of `priors` that are its antecedents.

        Raises:
            ModelError: The model failed, so that nothing can be said.
        """
        just_before: list[str] = []
        if self.model is None:
            place = self.links.order(scope, [memory.id]).get(memory.id)
            just_before = [] if place is None else self.links.before(scope, place, self.options.previous)
        steps = verdict_steps(memory, priors, use_model=self.model is not None, just_before=frozenset(just_before))
        verifier = "rules" if self.model is None else "model"
        judged = zip(priors, self.drive(steps, meter), strict=True)
        return [_link(memory, prior, reason, verifier) for prior, reason in judged if reason is not None]

    def drive(self, steps: Steps[R], meter: UsageMeter) -> R:
        """Run `steps` with the model, if there is one."""
        if self.model is not None:
            return run(steps, self.model, meter=meter, concurrency=self.concurrency)
        try:
            next(steps)
        except StopIteration as stop:
            result: R = stop.value
            return result
        raise AssertionError("without a model nothing is asked")


@dataclass(slots=True)
class Work:
    """One worker's linking in one scope."""

    linker: Linker
    scope: Scope
    host: MemoryHost
    tally: Tally
    """Adds up what is done."""
    stop: threading.Event
    """Set when no further memory is to be linked."""
    on_done: Callable[[], None] = lambda: None
    """Called after each memory, when what was found for it is kept."""
    owner: str = field(default_factory=lambda: f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex}")
    failures: int = 0
    """Memories that failed one after another."""
    _priors: Priors = field(init=False)
    _waited_s: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self._priors = Priors(self.linker.links, self.host)

    def link(
        self, *, patient: bool, ids: Sequence[str] | None = None, newest: bool = False, turn_s: float = float("inf")
    ) -> bool:
        """Link what waits, the oldest first.

        Args:
            patient: Whether memories that failed a short while ago are left alone.
            ids: Only these.
            newest: Whether the newest come first, so that what is written now does not wait behind a long backlog;
                only together with `patient`.
            turn_s: After how many seconds no more memories are claimed, so that others have their turn.

        Returns:
            Whether nothing is left that could be claimed.

        Raises:
            ModelError: The model seems to be down; the memory that it failed for is counted as failed.
            HostError: Likewise for the host.
            StoreError: The store failed.
        """
        after = None if patient else float("-inf")
        most = _CLAIM if self.linker.model is not None else _CLAIM_RULES
        until = time.monotonic() + turn_s
        while batch := self.linker.links.claim(
            self.scope, self.owner, most, LEASE_S, after=after, ids=ids, newest=newest
        ):
            after = None if after is None else batch[-1].position
            with self._renewing(), self._releasing(batch):
                self._priors.update()
                self._link_batch(batch)
            if self.stop.is_set() or time.monotonic() >= until:
                return False
        return True

    def wait_for_others(self) -> bool:
        """Wait a moment if other workers have claimed memories of the scope, and return whether they have."""
        until = self.linker.links.first_until(self.scope, claimed=True)
        if until is None:
            self._waited_s = 0.0
            return False
        if self._waited_s <= _PATIENCE_S < self._waited_s + _POLL_S:
            logger.warning("another worker has claimed memories; if it has died, they are free within %.0f s", LEASE_S)
        self._waited_s += _POLL_S
        self.stop.wait(min(max(until - time.time(), 0.001), _POLL_S))
        return not self.stop.is_set()

    def _link_batch(self, batch: Sequence[Claimed]) -> None:
        found: list[Found] = []
        kept = time.monotonic()
        try:
            for claimed in batch:
                if self.stop.is_set():
                    return
                try:
                    one = self._find(claimed)
                except (ModelError, HostError) as error:
                    self._fail(claimed, error)
                    if self.failures >= _FAILURES or (isinstance(error, ModelError) and error.retryable):
                        raise
                    self.on_done()
                    continue
                self.failures = 0
                if one is None:
                    self.on_done()
                else:
                    found.append(one)
                # What a model found is kept at once, what the rules found in few transactions.
                if self.linker.model is not None or time.monotonic() - kept >= KEEP_S:
                    ready, found = found, []
                    self._keep(ready)
                    kept = time.monotonic()
        finally:
            self._keep(found)

    def _find(self, claimed: Claimed) -> Found | None:
        """Return what is behind a memory; None if the host no longer holds it."""
        linker, links = self.linker, self.linker.links
        rules = linker.rules and (linker.model is None or linker.options.rules_beside_model)
        before = links.before(self.scope, claimed.position, READ_BEFORE) if rules else []
        held = self.host.get([*before, claimed.id])
        memory = held.get(claimed.id)
        if memory is None:
            links.discard(self.scope, self.owner, claimed)
            self.tally.gone += 1
            return None

        linking = linker.drive(
            link_steps(
                memory,
                lambda wanted: self._priors.before(memory, claimed.position, wanted),
                options=linker.options,
                use_model=linker.model is not None,
                before=[held[i] for i in before if i in held],
            ),
            self.tally.meter,
        )
        found = [_link(memory, each.prior, each.reason, each.verifier) for each in linking.accepted]
        for later in self._stale_after(memory):
            # Stale because this earlier end was changed: without a new verdict, finishing deletes them.
            found += linker.verify(self.scope, later, [memory], self.tally.meter)
        skipped = linking.skipped is not None
        return Found(claimed, text_hash(memory.text), found, skipped, statements_of(memory.text))

    def _stale_after(self, memory: Memory) -> list[Memory]:
        """Return the later memories that an earlier text of `memory` was linked to."""
        now = text_hash(memory.text)
        around = self.linker.links.around(self.scope, [memory.id])
        stale = [link.new for link in around if link.prior == memory.id and link.prior_hash != now]
        return list(self.host.get(stale).values())

    def _keep(self, found: Sequence[Found]) -> None:
        kept: list[Link] = []
        for each, counted in zip(found, self.linker.links.finish(self.scope, self.owner, found), strict=True):
            if counted is not None:
                self.tally.links += counted[0]
                self.tally.refused += counted[1]
                self.tally.skipped += each.skipped
                self.tally.linked += not each.skipped
                kept += each.links
            # Otherwise it was written again or deleted meanwhile: what was found is about a text that is gone.
            self.on_done()
        self._take_back(kept)

    def _take_back(self, links: Sequence[Link]) -> None:
        """Delete those of `links` whose memories are gone.

        Looked up after they were stored: what is deleted from here on takes its links along itself.
        """
        held = self.host.get(list(dict.fromkeys(end for link in links for end in (link.prior, link.new))))
        gone = [(link.prior, link.new) for link in links if link.prior not in held or link.new not in held]
        if gone:
            self.tally.links -= self.linker.links.restate(self.scope, (), gone)

    def _fail(self, claimed: Claimed, error: Exception) -> None:
        self.failures += 1
        self.tally.failed += 1
        self.tally.error = str(error)
        wait_s = RETRY_S * 2**claimed.attempts
        given_up = self.linker.links.failed(self.scope, self.owner, claimed, str(error), wait_s)
        logger.warning(
            "linking memory %s failed %d times%s: %s",
            claimed.id,
            claimed.attempts + 1,
            " and is given up" if given_up else "",
            error,
        )

    @contextmanager
    def _releasing(self, batch: Sequence[Claimed]) -> Iterator[None]:
        """Give back at the end what of `batch` was not dealt with."""
        finished = False
        try:
            yield
            finished = not self.stop.is_set()
        finally:
            if not finished:
                try:
                    self.linker.links.release(self.scope, self.owner, batch)
                except StoreError as error:
                    logger.warning("memories stay claimed for up to %.0f s: %s", LEASE_S, error)

    @contextmanager
    def _renewing(self) -> Iterator[None]:
        """Keep the claims while a slow model is at work."""
        done = threading.Event()

        def renew() -> None:
            while not done.wait(LEASE_S / 3):
                try:
                    self.linker.links.renew(self.owner, LEASE_S)
                except StoreError as error:
                    logger.warning("claims could not be renewed: %s", error)

        thread = threading.Thread(target=renew, name="memory-evidence-claims", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


def _link(new: Memory, prior: Memory, reason: str, verifier: str) -> Link:
    """Return the link that was verified just now."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Link(prior.id, new.id, reason, verifier, now, text_hash(prior.text), text_hash(new.text))
