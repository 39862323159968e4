"""`DurableTallyMem`: a live trajectory in a store, which any number of processes append to and ask about.

A step is a record of the log, under its id as key. What the program and the model made of it is kept beside it (see
`kept`), under the hash of the log up to it: a row depends on the steps before it. So nothing is read twice, and what is
missing (the process that wrote the step was killed, or read steps in an older way) is made from the log.
"""

from __future__ import annotations

import asyncio
import threading
from array import array
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import accumulate, islice

from typing_extensions import Unpack, override

from memory_evidence.bulk import bulk
from memory_evidence.closing import Closing
from memory_evidence.errors import InputError, StoreError
from memory_evidence.forks import renew_after_fork
from memory_evidence.models import ChatModel
from memory_evidence.records import Draft, Record, check_scope
from memory_evidence.store import open_log
from memory_evidence.store.log import Log, LogVersion
from memory_evidence.tallymem.annotate import Said
from memory_evidence.tallymem.coding import decode, encode_step, encode_task, link
from memory_evidence.tallymem.kept import Kept
from memory_evidence.tallymem.memory import TallyMem
from memory_evidence.tallymem.options import Options, Recorded
from memory_evidence.tallymem.rows import Row
from memory_evidence.tallymem.trajectory import LAST_ID, Observed, Step, Trajectory

_ROOM = "tallymem"
_SPEAKER = "agent"
_CATCH_UP = 500
_FORGOTTEN = "the trajectory was forgotten in the same moment"
_NO_NUMBER = "below 2**53, but the last step has the largest id; forget the trajectory, or use another scope"


class DurableTallyMem(TallyMem, Closing):
    """The memory of a trajectory that a store keeps; see `TallyMem.open`.

    Safe to share between threads; any number of processes may open one scope of a file or database. Every question,
    plan and append takes in first what others wrote; `trajectory`, `ledger` and `archive` are as of then (`refresh`
    takes it in at any time). All methods may raise `StoreError`.
    """

    def __init__(
        self,
        scope: Sequence[str],
        *,
        store: str | Log = "sqlite:///memory.db",
        model: ChatModel | None = None,
        **options: Unpack[Options],
    ) -> None:
        """Open what the store keeps under `scope`; see `TallyMem.open`."""
        self.scope = check_scope(scope)
        super().__init__(Trajectory(()), model, **options)
        # A room of its own: records that another technique keeps under the same scope are no steps.
        self._place = (*self.scope, _ROOM)
        self._seen: LogVersion | None = None
        self._owns_log = isinstance(store, str)
        self._log = open_log(store)
        self._kept = Kept(self._log, self._place, self._receipts, self._prefixes)
        renew_after_fork(self)
        try:
            self.refresh()
        except BaseException:
            self.close()
            raise

    def refresh(self) -> None:
        """Take in what others appended or annotated."""
        with self._lock:
            self._catch_up()

    async def arefresh(self) -> None:
        """`refresh` without blocking the event loop."""
        await asyncio.to_thread(self.refresh)

    @override
    def append(self, step: Step) -> Row:
        """Store one more step; it is durable when this returns. The same step again changes nothing.

        Raises:
            InputError: The id is not above the last one, or another step has it; the step is not added.
            StoreError: The store refused; nothing is added.
        """
        self.extend((step,))
        with self._lock:
            return self._ledger.row(step.id)

    @override
    def extend(self, steps: Iterable[Step]) -> None:
        """Store further steps in one transaction; they are durable when this returns. Known ones change nothing.

        A `Trajectory` brings its task along, if there is none yet. Several processes that number steps themselves may
        come in each other's way; `record` numbers them by the order in which they are stored.

        Raises:
            InputError: An id is not above the one before it, or another step has it; nothing is added. Where another
                process appended in the same moment, those of the steps are added that its own leave room for.
            StoreError: The store refused; nothing is added.
        """
        wanted = steps if isinstance(steps, Trajectory) else Trajectory(tuple(steps))
        with self._lock:
            self._catch_up()
            new = [step for step in wanted if not self._knows(step)]
            drafts = [Draft(encode_step(step), _SPEAKER, key=f"step:{step.id}") for step in new]
            if wanted.task and not self._trajectory.task:
                drafts.insert(0, Draft(encode_task(wanted.task), _SPEAKER, key="task"))
        self._write(drafts)
        with self._lock:
            # Another may have appended in between: its step stands, and this one's number may be too small by now.
            if not all(self._knows(step) for step in new):
                raise StoreError("append", _FORGOTTEN)

    def record(self, action: str, observation: str | None = "", **more: Unpack[Recorded]) -> Row:
        """Store what was just done as the next step, whoever else appends, and return its row with the step's number.

        Args:
            action: Verbatim.
            observation: Verbatim; None where there is none.
            more: Further fields of the step, and a key for callers that try again; see `Recorded`.

        Raises:
            InputError: A part is no text, or the last step has the largest id there is; nothing is added.
            StoreError: The store refused; nothing is added.
        """
        observed = Observed.MISSING if observation is None else more.get("observed", Observed.TEXT)
        call = more.get("tool"), more.get("arguments"), more.get("call_id")
        step = Step(0, action, observation or "", observed, *call)
        key = more.get("key")
        draft = Draft(encode_step(step, numbered=False), _SPEAKER, key=None if key is None else f"key:{key}")
        with self._lock:
            self._catch_up()
            if len(self._ledger) and self._ledger.ids[-1] == LAST_ID:
                raise InputError("the next step's id", LAST_ID + 1, _NO_NUMBER)
        (position,) = self._write([draft])
        with self._lock:
            if position > len(self._placed):
                raise StoreError("append", _FORGOTTEN)
            if self._placed[position - 1] < 0:
                raise InputError("the next step's id", LAST_ID + 1, _NO_NUMBER)
            return self._ledger.row(self._placed[position - 1])

    async def arecord(self, action: str, observation: str | None = "", **more: Unpack[Recorded]) -> Row:
        """`record` without blocking the event loop."""
        return await asyncio.to_thread(self.record, action, observation, **more)

    def forget(self) -> int:
        """Delete the trajectory and all that was made of it, and return how many steps of it could be read."""
        with self._lock:
            # What cannot be read can be forgotten; a store that fails refuses that as well.
            with suppress(StoreError):
                self._catch_up()
            count = len(self._ledger)
            self._log.forget(self._place)
            self._begin(Trajectory(()))
            self._seen = None
            return count

    async def aforget(self) -> int:
        """`forget` without blocking the event loop."""
        return await asyncio.to_thread(self.forget)

    def after_fork(self) -> None:
        """Make the lock anew in a forked child; what was being changed at that moment is read again."""
        if not self._lock.acquire(blocking=False):
            self._begin(Trajectory(()))
            self._seen = None
        self._lock = threading.RLock()

    @override
    def close(self) -> None:
        """Release the store, if this memory opened it."""
        if self._owns_log:
            self._log.close()

    @override
    def _begin(self, trajectory: Trajectory) -> None:
        super()._begin(trajectory)
        self._placed: array[int] = array("q")  # the step id of each record; -1 for one that is not in the trajectory
        self._links: list[bytes] = []  # the hash of the log up to each step
        self._tip = b""
        self._mark: object = None

    @override
    def _catch_up(self) -> None:
        """Bring everything up to the log; costs one cheap look when nothing changed."""
        version = self._log.version(self._place)
        while version != self._seen:
            if self._seen is None or version.epoch != self._seen.epoch:
                # Forgotten and begun anew: nothing read before counts, whatever becomes of this attempt to read on.
                self._begin(Trajectory(()))
                self._seen = None
            records = self._log.records(self._place, len(self._placed))
            while chunk := list(islice(records, _CATCH_UP)):
                self._read(chunk)
            self._read_annotations()
            self._seen = version
            # Had the scope been forgotten while it was read, two histories would be mixed.
            version = version if version.epoch == (now := self._log.version(self._place)).epoch else now

    def _write(self, drafts: Sequence[Draft]) -> list[int]:
        """Store records, and take them in."""
        if not drafts:
            return []
        positions = self._log.append(self._place, drafts)
        with self._lock:
            first = len(self._placed) + 1
            if self._seen and self._seen.epoch and positions == list(range(first, first + len(drafts))):
                # Exactly what is missing here: it need not be read back.
                records = [
                    Record(at, d.text, d.speaker, d.time, d.key) for at, d in zip(positions, drafts, strict=True)
                ]
                for start in range(0, len(records), _CATCH_UP):
                    self._read(records[start : start + _CATCH_UP], fresh=True)
            else:
                self._catch_up()
        return positions

    def _read(self, records: Sequence[Record], *, fresh: bool = False) -> None:
        """Take in the next records, with the rows that were made of them before; the others are made now and kept."""
        links = list(accumulate((record.text for record in records), link, initial=self._tip))[1:]
        keys = [key.hex() for key in links]
        kept = {} if fresh else self._kept.rows(keys)
        made: dict[str, Row] = {}
        with bulk(records):
            for record, key, tip in zip(records, keys, links, strict=True):
                step = self._step(record)
                if step is not None:
                    row = self._kept.row(kept.get(key), step)
                    taken = self._take(step, row)
                    self._links.append(tip)
                    if row is None:
                        made[key] = taken
                self._placed.append(-1 if step is None else step.id)
                self._tip = tip
        self._kept.keep_rows(made)

    def _step(self, record: Record) -> Step | None:
        """Return the step that a record adds; None where it adds none."""
        last = self._ledger.ids[-1] if len(self._ledger) else -1
        try:
            # Behind the largest id there is no number: a step that gets none is not added.
            found = decode(record.text, min(last + 1, LAST_ID))
        except ValueError as error:
            what = f"record {record.position} of the scope {self._place} is no step ({error})"
            fix = (
                "restore it from a backup, use another scope, or delete it: open_log(...).forget(the scope named here)"
            )
            raise StoreError("read steps", f"{what}; {fix}") from error
        if isinstance(found, str):
            self._trajectory = Trajectory(self._trajectory.steps, self._trajectory.task or found)
            return None
        # Of two appended at once the second may have the smaller number: its writer was told.
        return found if found.id > last else None

    def _knows(self, step: Step) -> bool:
        """Whether this very step is there.

        Raises:
            InputError: It is not, and cannot come any more.
        """
        if not len(self._ledger) or step.id > self._ledger.ids[-1]:
            return False
        if not self._ledger.span(step.id, step.id):
            raise InputError("a step's id", step.id, f"above that of the last step, {self._ledger.ids[-1]}")
        if self._trajectory.step(step.id) != step:
            raise InputError("a step's id", step.id, "given to one step only, and another step has it")
        return True

    @override
    def _keep(self, said: Sequence[tuple[Step, Said]]) -> None:
        with self._lock:
            kept = {self._key(step.id): one for step, one in said if self._has(step)}
        self._kept.keep_said(kept)

    def _read_annotations(self) -> None:
        mark = self._kept.mark()
        if mark != self._mark:
            rows = zip(self._trajectory, self._ledger.rows, strict=True)
            self._say(self._kept.said({self._key(step.id): step for step, row in rows if not row.annotated}))
            self._mark = mark

    def _key(self, step: int) -> str:
        return self._links[self._ledger.span(step, step).start].hex()
