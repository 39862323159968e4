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
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from memory_evidence.cable.construct import READ_BEFORE, LinkOptions, link_steps
from memory_evidence.cable.host import Memory, MemoryHost
from memory_evidence.cable.link_store import LinkStore
from memory_evidence.cable.links import Link, text_hash
from memory_evidence.cable.reports import Tally
from memory_evidence.cable.reverify import verdict_steps
from memory_evidence.errors import HostError, ModelError, StoreError
from memory_evidence.models import ChatModel, Steps, UsageMeter, run
from memory_evidence.records import Scope
from memory_evidence.store.node_rows import Claimed

logger = logging.getLogger(__name__)

LEASE_S = 60.0
"""How long a claim is kept for a worker that is not heard of, in seconds."""

RETRY_S = 30.0
"""How long a memory waits after its linking failed, in seconds; twice as long after each further failure."""

R = TypeVar("R")

_CLAIM = 4
_FAILURES = 3
_POLL_S = 0.25


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
    ) -> None:
        """Link what waits in `scope`, the oldest first.

        Args:
            scope: Whose memories.
            host: Where they are.
            tally: Adds up what is done.
            patient: Whether memories that failed a short while ago are left alone.
            ids: Only these.
            on_done: Called after each memory.
            stop: Set when the caller wants no further memory.

        Raises:
            ModelError: The model seems to be down; the memory that it failed for is counted as failed.
            HostError: Likewise for the host.
            StoreError: The store failed.
        """
        owner = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex}"
        after = None if patient else float("-inf")
        failures = 0
        while batch := self.links.claim(scope, owner, _CLAIM, LEASE_S, after=after, ids=ids):
            after = None if after is None else batch[-1].position
            with self._renewing(owner), self._releasing(scope, owner, batch) as remaining:
                while remaining:
                    if stop is not None and stop.is_set():
                        return
                    claimed = remaining[0]
                    try:
                        self._link_one(scope, host, owner, claimed, tally)
                        failures = 0
                    except (ModelError, HostError) as error:
                        failures += 1
                        self._fail(scope, owner, claimed, error, tally)
                        if failures >= _FAILURES or (isinstance(error, ModelError) and error.retryable):
                            raise
                    remaining.pop(0)
                    on_done()

    def wait_for_others(self, scope: Scope, stop: threading.Event) -> bool:
        """Wait a moment if other workers have claimed memories of `scope`, and return whether they have."""
        until = self.links.first_until(scope, claimed=True)
        if until is None:
            return False
        stop.wait(min(max(until - time.time(), 0.001), _POLL_S))
        return not stop.is_set()

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
        judged = zip(priors, self._drive(steps, meter), strict=True)
        return [as_link(memory, prior, reason, verifier) for prior, reason in judged if reason is not None]

    def _link_one(self, scope: Scope, host: MemoryHost, owner: str, claimed: Claimed, tally: Tally) -> None:
        rules = self.rules and (self.model is None or self.options.rules_beside_model)
        before = self.links.before(scope, claimed.position, READ_BEFORE) if rules else []
        held = host.get([*before, claimed.id])
        memory = held.get(claimed.id)
        if memory is None:
            self.links.discard(scope, owner, claimed)
            tally.gone += 1
            return

        def is_prior(ids: Sequence[str]) -> set[str]:
            order = self.links.order(scope, ids)
            # What is unknown was there before us.
            return {i for i in ids if i != claimed.id and order.get(i, float("-inf")) < claimed.position}

        linking = self._drive(
            link_steps(
                memory,
                host,
                is_prior=is_prior,
                options=self.options,
                use_model=self.model is not None,
                before=[held[i] for i in before if i in held],
            ),
            tally.meter,
        )
        found = [as_link(memory, each.prior, each.reason, each.verifier) for each in linking.accepted]
        for later in self._stale_after(scope, host, memory):
            # Stale because this earlier end was changed: without a new verdict, finishing deletes them.
            found += self.verify(scope, later, [memory], tally.meter)
        kept = self.links.finish(scope, owner, claimed, text_hash(memory.text), found)
        if kept is None:
            return  # written again or deleted meanwhile: what was found is about a text that is gone
        tally.links += kept[0] - self._take_back(scope, host, found)
        tally.refused += kept[1]
        if linking.skipped is None:
            tally.linked += 1
        else:
            tally.skipped += 1

    def _take_back(self, scope: Scope, host: MemoryHost, links: Sequence[Link]) -> int:
        """Delete those of `links` whose memories are gone, and return how many.

        Looked up after they were stored: what is deleted from here on takes its links along itself.
        """
        ends = dict.fromkeys(end for link in links for end in (link.prior, link.new))
        held = host.get(list(ends))
        gone = [(link.prior, link.new) for link in links if link.prior not in held or link.new not in held]
        return self.links.restate(scope, (), gone) if gone else 0

    def _stale_after(self, scope: Scope, host: MemoryHost, memory: Memory) -> list[Memory]:
        """Return the later memories that an earlier text of `memory` was linked to."""
        now = text_hash(memory.text)
        around = self.links.around(scope, [memory.id])
        stale = [link.new for link in around if link.prior == memory.id and link.prior_hash != now]
        return list(host.get(stale).values())

    def _drive(self, steps: Steps[R], meter: UsageMeter) -> R:
        if self.model is not None:
            return run(steps, self.model, meter=meter, concurrency=self.concurrency)
        try:
            next(steps)
        except StopIteration as stop:
            result: R = stop.value
            return result
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
