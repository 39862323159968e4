"""The compiled state of one scope, kept level with the log that it is a cache of."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

from memory_evidence.bulk import bulk
from memory_evidence.cmc.facts import Extraction, Frontend, ModelFrontend
from memory_evidence.cmc.frontends.coding import decode, encode, record_hash
from memory_evidence.cmc.index import CompiledIndex
from memory_evidence.models import ChatModel, Usage, UsageMeter, run
from memory_evidence.progress import Progress
from memory_evidence.records import Draft, Record, Scope
from memory_evidence.store.log import Log, LogVersion

logger = logging.getLogger(__name__)

_CATCH_UP = 2_000
_SLICE = 500
_COMPILE = 200


class LiveIndex:
    """The index of one scope, and how it comes to hold what the log holds.

    Args:
        log: Where the records are.
        scope: Whose.
        frontend: Reads records; one that reads with a model reads what it can without it first.
        new_index: Makes an empty index.
    """

    def __init__(
        self, log: Log, scope: Scope, frontend: Frontend | ModelFrontend, new_index: Callable[[], CompiledIndex]
    ) -> None:
        self._log, self._scope, self._new_index = log, scope, new_index
        self._model_frontend = frontend if isinstance(frontend, ModelFrontend) else None
        self._read_now: Callable[[Record], Extraction | None] = (
            frontend.extract_now if isinstance(frontend, ModelFrontend) else frontend.extract
        )
        self.index = new_index()
        self._seen: LogVersion | None = None
        self.lock = threading.RLock()
        """To be held while `index` is read."""
        self._compiling = threading.Lock()

    @contextmanager
    def reading(self) -> Iterator[CompiledIndex]:
        """Give the index, level with the log; nobody changes it meanwhile."""
        with self.lock:
            self.catch_up()
            yield self.index

    def catch_up(self) -> None:
        """Bring the index up to the log; costs one cheap look when nothing changed."""
        version = self._log.version(self._scope)
        while version != self._seen:
            if self._seen is None or version.epoch != self._seen.epoch:
                # Forgotten and begun anew: nothing read before counts, whatever becomes of this attempt to read on.
                self.index, self._seen = self._new_index(), None
            self._load()
            self._seen = version
            # Had the scope been forgotten while it was read, two histories would be mixed.
            version = version if version.epoch == (now := self._log.version(self._scope)).epoch else now

    def size(self) -> int:
        """Return the number of records there are, caught up with."""
        with self.lock:
            if not self._log.version(self._scope).epoch:
                return 0  # nothing to catch up with; the first records are read once, after they are stored
            self.catch_up()
            return len(self.index)

    def take(self, positions: Sequence[int], drafts: Sequence[Draft]) -> None:
        """Index what was just written without reading it back, as far as it is exactly what the index lacks."""
        if self._seen is None:
            return  # the first records of the scope: the log tells of which epoch they are
        for start in range(0, len(drafts), _SLICE):
            pairs = zip(positions[start : start + _SLICE], drafts[start : start + _SLICE], strict=True)
            records = [Record(position, d.text, d.speaker, d.time, d.key) for position, d in pairs]
            # Reading takes far longer than indexing: others may ask meanwhile.
            with bulk(records):
                readings = [self._read_now(record) for record in records]
            with self.lock, bulk(records):
                first = len(self.index) + 1
                # Forgotten meanwhile, others wrote as well, or a key was known: the log tells.
                if self._seen is None or [r.position for r in records] != list(range(first, first + len(records))):
                    return
                for record, reading in zip(records, readings, strict=True):
                    self.index.add(record, reading)

    def compile(self, model: ChatModel | None, *, concurrency: int, progress: Progress | None) -> Usage:
        """Let the model read the records that wait for it, and return what that used; nothing to do without a model."""
        meter = UsageMeter()
        with self.lock:
            self.catch_up()
            waiting = len(self.index.pending)
        if waiting and model is not None and self._model_frontend is not None:
            with self._compiling:
                self._compile(model, self._model_frontend, meter, concurrency, progress)
        return meter.total

    def forget(self) -> int:
        """Delete everything of the scope and return how many records there were."""
        with self.lock:
            count = self._log.forget(self._scope)
            self.index, self._seen = self._new_index(), None
            return count

    def after_fork(self) -> None:
        """Make the locks anew in a forked child; an index that was being changed at that moment is read again."""
        if not self.lock.acquire(blocking=False):
            self.index, self._seen = self._new_index(), None
        self.lock, self._compiling = threading.RLock(), threading.Lock()

    def _load(self) -> None:
        records = self._log.records(self._scope, len(self.index))
        while chunk := list(islice(records, _CATCH_UP)):
            with bulk(chunk):
                readings = [self._read_now(record) for record in chunk]
            waiting = [record_hash(r) for r, x in zip(chunk, readings, strict=True) if x is None]
            compiled = self._compiled(list(dict.fromkeys(waiting)))
            with bulk(chunk):
                for record, reading in zip(chunk, readings, strict=True):
                    self.index.add(record, reading or compiled.get(record_hash(record)))
        if self.index.pending:
            hashes = {position: record_hash(record) for position, record in self.index.pending.items()}
            compiled = self._compiled(list(dict.fromkeys(hashes.values())))
            for position, key in hashes.items():
                if key in compiled:
                    self.index.resolve_pending(position, compiled[key])

    def _compiled(self, hashes: Sequence[str]) -> dict[str, Extraction]:
        if not hashes or self._model_frontend is None:
            return {}
        kept = self._log.load_compiled(self._scope, self._model_frontend.fingerprint, hashes)
        found: dict[str, Extraction] = {}
        for key, payload in kept.items():
            try:
                found[key] = decode(payload)
            except (ValueError, TypeError):
                logger.warning("what the model read of record %s is damaged in the store; it is read again", key)
        return found

    def _compile(
        self,
        model: ChatModel,
        frontend: ModelFrontend,
        meter: UsageMeter,
        concurrency: int,
        progress: Progress | None,
    ) -> None:
        with self.lock:
            self.catch_up()
            waiting = list(self.index.pending.values())
        for start in range(0, len(waiting), _COMPILE):
            chunk = waiting[start : start + _COMPILE]
            with self.lock:
                known = self.index.slots
            readings = run(frontend.steps(chunk, known), model, meter=meter, concurrency=concurrency)
            results = {
                record_hash(record): encode(reading)
                for record, reading in zip(chunk, readings, strict=True)
                if reading is not None
            }
            # Kept chunk by chunk: a process that ends half-way has lost nothing that the model has read.
            self._log.save_compiled(self._scope, frontend.fingerprint, results)
            with self.lock:
                self.catch_up()
            if progress is not None:
                progress(start + len(chunk), len(waiting))
            if not results:
                logger.warning("the model could not be reached; %d records wait for it", len(waiting) - start)
                return
