"""Rounds of linking over all scopes of a host: everything that waits, or what is due."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from memory_evidence.cable.guard import GuardedHost
from memory_evidence.cable.host import MemoryHost
from memory_evidence.cable.linking import Linker, Work
from memory_evidence.cable.reports import LinkingReport, ReverifyReport, ReverifyTally, Tally
from memory_evidence.cable.reverify import reverify
from memory_evidence.errors import HostError, ModelError, ScopeError
from memory_evidence.models import UsageMeter
from memory_evidence.progress import Progress
from memory_evidence.records import Scope

logger = logging.getLogger(__name__)

TURN_S = 30.0
"""How long one scope's backlog is linked before the new memories of other scopes have their turn, in seconds."""

_IDS = 500


@dataclass(slots=True)
class Rounds:
    """Links the memories of one host, whose scopes `open_host` accepts."""

    linker: Linker
    open_host: Callable[[Scope], MemoryHost]
    usage: UsageMeter
    """Adds up the model use of all rounds."""
    stop: threading.Event = field(default_factory=threading.Event)

    def hosts(self, scopes: Sequence[Scope]) -> Iterator[tuple[Scope, GuardedHost]]:
        """Yield those of `scopes` that are of this host, and their memories."""
        for scope in scopes:
            try:
                host = self.open_host(scope)
            except ScopeError:
                continue  # of another host, whose links are in the same store
            yield scope, GuardedHost(host)

    def everything(self, scopes: Sequence[Scope], retry_failed: bool, progress: Progress | None) -> LinkingReport:
        """Link all that waits in `scopes`, also what other workers have claimed and do not finish."""
        links, tally = self.linker.links, Tally()
        hosts = list(self.hosts(scopes))
        if retry_failed:
            for scope, _ in hosts:
                links.retry(scope)
        total = sum(links.counts(scope).pending for scope, _ in hosts)
        done = 0

        def on_done() -> None:
            nonlocal done
            done += 1
            if progress is not None:
                progress(done, max(done, total))

        try:
            if self.linker.can_link:
                for scope, host in hosts:
                    work = Work(self.linker, scope, host, tally, self.stop, on_done)
                    work.link(patient=False)
                    while work.wait_for_others():
                        work.link(patient=True)
            elif total:
                tally.error = "there is no model, and the rules are off: memories wait"
        except (ModelError, HostError) as error:
            tally.error = str(error)
        finally:
            self._count(tally.meter)
        return tally.report(sum(links.counts(scope).pending for scope, _ in hosts))

    def written(self, scope: Scope, ids: Sequence[str]) -> None:
        """Link `ids`, which were written just now; what fails stays pending."""
        tally = Tally()
        try:
            if self.linker.can_link:
                for one, host in self.hosts([scope]):
                    for start in range(0, len(ids), _IDS):
                        work = Work(self.linker, one, host, tally, self.stop)
                        work.link(patient=False, ids=ids[start : start + _IDS])
        except (ModelError, HostError):
            pass  # logged, and counted as a failed attempt
        finally:
            self._count(tally.meter)

    def due(self, stop: threading.Event) -> float | None:
        """Link what is due in any scope, the newest first, scopes in turns of `TURN_S`.

        Returns:
            In how many seconds more will be due; None: nothing waits.

        Raises:
            ModelError: The model is down.
            HostError: The host is down.
        """
        links, tally = self.linker.links, Tally()
        if not self.linker.can_link:
            return None
        failed: dict[Scope, HostError] = {}
        waits: list[float] = []
        work: Work | None = None
        ended = False
        try:
            while not ended and not stop.is_set():
                ended = True
                for scope, host in self.hosts(links.scopes(pending=True)):
                    if scope in failed:
                        continue
                    if work is None or work.scope != scope:
                        work = Work(self.linker, scope, host, tally, stop)
                    try:
                        ended &= work.link(patient=True, newest=True, turn_s=TURN_S)
                    except HostError as error:
                        failed[scope] = error  # other scopes may be well
            untils = [links.first_until(scope) for scope, _ in self.hosts(links.scopes(pending=True))]
            waits = [until for until in untils if until is not None]
        finally:
            self._count(tally.meter)
        if failed:
            raise next(iter(failed.values()))
        return max(0.0, min(waits) - time.time()) if waits else None

    def again(self, scopes: Sequence[Scope], every: bool, progress: Progress | None) -> ReverifyReport:
        """Verify links of `scopes` again."""
        tally = ReverifyTally()
        hosts = list(self.hosts(scopes))
        total = sum(self.linker.links.count(scope) for scope, _ in hosts)

        def on_done(count: int) -> None:
            tally.checked += count
            if progress is not None:
                progress(tally.checked, max(tally.checked, total))

        try:
            if self.linker.can_link:
                for scope, host in hosts:
                    reverify(self.linker, scope, host, tally, every=every, on_done=on_done)
            else:
                tally.error = "there is no model, and the rules are off"
        except (ModelError, HostError) as error:
            tally.error = str(error)
        finally:
            self._count(tally.meter)
        return tally.report()

    def _count(self, meter: UsageMeter) -> None:
        for stage, usage in meter.stages.items():
            self.usage.add(stage, usage)
