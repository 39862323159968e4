"""The two other ways to read a memory: original windows, and model-written cards (paper appendix I)."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections.abc import Sequence

from memory_evidence.cmc.cards import Card, CardEvidence, card_steps, chunk_records, read_cards
from memory_evidence.cmc.memory import ContractMemory
from memory_evidence.cmc.render import BUDGET
from memory_evidence.cmc.windows import WindowEvidence, WindowIndex
from memory_evidence.models import ChatModel, Usage, UsageMeter, run
from memory_evidence.progress import Progress
from memory_evidence.records import Record, SourceRef
from memory_evidence.tokens import Measure

_COMPILER = "cards-1"


class WindowReader:
    """Answers from windows over the original records of a memory; needs no model and no extraction."""

    def __init__(self, memory: ContractMemory, *, budget: int = BUDGET, measure: Measure = len) -> None:
        self._memory, self._budget, self._measure = memory, budget, measure
        self._built: tuple[object, WindowIndex] | None = None
        self._lock = threading.Lock()

    def read(self, question: str, *, until: str | None = None) -> WindowEvidence:
        """Return the windows nearest to `question`, in source order.

        Args:
            question: Any text.
            until: Leave out records whose time is later than this ISO time (records without a time stay). A date
                alone means the end of that day.
        """
        state = (self._memory.version(), until)
        with self._lock:
            if self._built is None or self._built[0] != state:
                records = [r for r in self._memory.records() if _by(r.time, until)]
                self._built = (state, WindowIndex(records))
            index = self._built[1]
        return index.read(question, budget=self._budget, measure=self._measure)

    async def aread(self, question: str, *, until: str | None = None) -> WindowEvidence:
        """`read` without blocking the event loop."""
        return await asyncio.to_thread(self.read, question, until=until)


class CardReader:
    """Answers from cards that a model wrote about the records of a memory, with excerpts where it wrote none."""

    def __init__(
        self, memory: ContractMemory, model: ChatModel, *, budget: int = BUDGET, measure: Measure = len
    ) -> None:
        self._memory, self._model = memory, model
        self._budget, self._measure = budget, measure

    def write(self, *, progress: Progress | None = None) -> Usage:
        """Write the cards of all chunks that have none yet, and return what that used. Cards are kept in the store.

        A chunk whose answer cannot be read keeps its excerpt; a chunk for which the model could not be reached is
        tried again by the next call.
        """
        meter = UsageMeter()
        chunks = {_hash(chunk): chunk for chunk in chunk_records(list(self._memory.records()))}
        known = self._memory.load_compiled(_COMPILER, list(chunks))
        waiting = [chunk for key, chunk in chunks.items() if key not in known]
        for done, chunk in enumerate(waiting, 1):
            cards = run(card_steps(chunk), self._model, meter=meter)
            if cards is None:
                break
            self._memory.save_compiled(_COMPILER, {_hash(chunk): _encode(chunk, cards)})
            if progress is not None:
                progress(done, len(waiting))
        return meter.total

    def read(self, question: str) -> CardEvidence:
        """Return the cards nearest to `question`, in source order. Never calls the model."""
        chunks = chunk_records(list(self._memory.records()))
        known = self._memory.load_compiled(_COMPILER, [_hash(chunk) for chunk in chunks])
        cards = [card for chunk in chunks for card in _decode(chunk, known.get(_hash(chunk)))]
        return read_cards(cards, question, budget=self._budget, measure=self._measure)

    async def awrite(self, *, progress: Progress | None = None) -> Usage:
        """`write` without blocking the event loop."""
        return await asyncio.to_thread(self.write, progress=progress)

    async def aread(self, question: str) -> CardEvidence:
        """`read` without blocking the event loop."""
        return await asyncio.to_thread(self.read, question)


def _by(time: str | None, until: str | None) -> bool:
    # ISO times sort as text; what is more precise than `until` is within it.
    return until is None or time is None or time[: len(until)] <= until


def _hash(chunk: Sequence[Record]) -> str:
    digest = hashlib.sha256()
    for record in chunk:
        for part in (record.speaker, record.text):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def _encode(chunk: Sequence[Record], cards: Sequence[Card]) -> bytes:
    # Places are kept relative to the chunk: equal text elsewhere in the log has the same cards.
    base = chunk[0].position
    rows = [[card.note, [[r.record - base, r.start, r.stop] for r in card.quotes]] for card in cards]
    return json.dumps(rows).encode("ascii")


def _decode(chunk: Sequence[Record], payload: bytes | None) -> list[Card]:
    rows = json.loads(payload) if payload else []
    cards: list[Card] = []
    for note, quotes in rows:
        refs = tuple(SourceRef(chunk[offset].position, "text", start, stop) for offset, start, stop in quotes)
        texts = tuple(ref.of(chunk[offset].text) for ref, (offset, _, _) in zip(refs, quotes, strict=True))
        cards.append(Card(note, refs, texts))
    return cards or [Card.excerpt(chunk)]
