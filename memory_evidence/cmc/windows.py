"""Read a history by overlapping windows (paper appendix I): BM25 picks original text, in source order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from typing_extensions import override

from memory_evidence.blocks import block, safe_line
from memory_evidence.cmc.keys import fold, tokens
from memory_evidence.lexical import BM25Index
from memory_evidence.records import Record, SourceRef
from memory_evidence.tokens import Measure

WINDOW = 2_048
OVERLAP = 256
CANDIDATES = 64
SHOWN = 24


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of consecutive records, cut at `WINDOW` characters."""

    refs: tuple[SourceRef, ...]
    """The spans it is made of, one a record, in order."""
    texts: tuple[str, ...]
    """The spans' texts."""


@dataclass(frozen=True, slots=True)
class WindowEvidence:
    """The windows chosen for one question, in source order; `str()` is the block for a prompt."""

    question: str
    windows: tuple[Window, ...]
    text: str
    left_out: int
    """Windows among the nearest that did not fit into the budget."""

    def __bool__(self) -> bool:
        return bool(self.text)

    @override
    def __str__(self) -> str:
        return block(self.text, notes="Excerpts in the order they were told; the number is the record's.")


def cut_windows(records: Sequence[Record], size: int = WINDOW, overlap: int = OVERLAP) -> Iterator[Window]:
    """Yield windows of `size` characters over the records' joined text, `overlap` characters shared with the next."""
    ends = list(accumulate(len(record.text) for record in records))
    total = ends[-1] if ends else 0
    start = 0
    while start < total:
        stop = min(start + size, total)
        refs: list[SourceRef] = []
        texts: list[str] = []
        row = bisect_right(ends, start)
        while row < len(records) and (base := ends[row] - len(records[row].text)) < stop:
            low, high = max(start - base, 0), min(stop - base, len(records[row].text))
            if low < high:
                refs.append(SourceRef(records[row].position, "text", low, high))
                texts.append(records[row].text[low:high])
            row += 1
        yield Window(tuple(refs), tuple(texts))
        if stop == total:
            return
        start += size - overlap


class WindowIndex:
    """The windows of a list of records, ranked by BM25."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._windows = list(cut_windows(records))
        self._index: BM25Index[int] = BM25Index()
        for number, window in enumerate(self._windows):
            self._index.add(number, tokens(fold(" ".join(window.texts))))

    def read(
        self,
        question: str,
        *,
        budget: int,
        measure: Measure = len,
        candidates: int = CANDIDATES,
        shown: int = SHOWN,
    ) -> WindowEvidence:
        """Return the best `shown` of the `candidates` nearest windows that fit, in source order."""
        chosen: list[int] = []
        left_out = 0
        for number, _ in self._index.top(tokens(fold(question)), candidates):
            if len(chosen) == shown:
                break
            cost = measure(_render(self._windows[number])) + 1
            if cost > budget + 1:
                left_out += 1
                continue
            budget -= cost
            chosen.append(number)
        picked = tuple(self._windows[number] for number in sorted(chosen))
        return WindowEvidence(question, picked, "\n".join(map(_render, picked)), left_out)


def _render(window: Window) -> str:
    return "\n".join(f"{ref.record}. {safe_line(text)}" for ref, text in zip(window.refs, window.texts, strict=True))
