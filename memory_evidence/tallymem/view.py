"""The reading view (TM, paper section 4, appendix C): what a question needs, verbatim and in order, in a budget."""

from __future__ import annotations

import re
import time
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from typing_extensions import override

from memory_evidence.blocks import block, safe_line
from memory_evidence.errors import ConfigError, InputError
from memory_evidence.records import SourceRef
from memory_evidence.tallymem.files import FileGraph
from memory_evidence.tallymem.passages import Passage, is_cut, show_brief, show_file, show_gap, show_step
from memory_evidence.tallymem.scoring import (
    BEST_STEPS,
    NAMED_FILE,
    NAMED_STEP,
    RANKED_ITEMS,
    TermIndex,
    best,
    read_question,
    terms,
)
from memory_evidence.tallymem.selection import Selection
from memory_evidence.tallymem.trajectory import Step, Trajectory
from memory_evidence.tokens import Measure, approximate_tokens

BUDGET = 26_000
_NOTES = "Steps of one trajectory, in the order they were executed; a line in [square brackets] says what is left out."
_VERB = re.compile(r"\s*([^\W\d][\w.-]*)")
# Measures under which the parts of a text, each ended by a new line, cost exactly what the whole does.
_ADDITIVE: tuple[Measure, ...] = (len, approximate_tokens)


@dataclass(frozen=True, slots=True)
class View:
    """The part of a trajectory that one question is given to read; `str(view)` is the block for a prompt."""

    question: str
    text: str
    steps: tuple[int, ...]
    """Ids of exactly the steps shown, in order."""
    shown: tuple[str, ...]
    """The part of `text` that shows each of `steps`, in the same order."""
    omitted: tuple[int, ...]
    """Ids of all other steps, in order; some of them may be shown in brief."""
    brief: tuple[int, ...]
    """Ids of the omitted steps that have an index record: the head of their action."""
    truncated: tuple[int, ...]
    """Ids of the steps of which a field was cut."""
    spans: tuple[SourceRef, ...]
    """The source spans in `text`, in order; each stands there as `blocks.safe_line(archive.text(span))`."""
    anchors: tuple[int, ...]
    """Ids of the steps around which the others were chosen."""
    files: tuple[str, ...]
    """Files that the question names."""
    tokens: int
    """What `str(view)` costs; never above the budget."""
    elapsed_ms: float = field(compare=False, default=0.0)

    def __bool__(self) -> bool:
        return bool(self.text)

    @override
    def __str__(self) -> str:
        return block(self.text, notes=_NOTES)

    def explain(self) -> str:
        """Return how the view was chosen, for a person to read."""
        total = len(self.steps) + len(self.omitted)
        lines = [
            f"Anchors: {', '.join(map(str, self.anchors)) or 'none, so the newest steps are shown'}",
            f"Shown: {len(self.steps)} of {total} steps, {len(self.truncated)} of them cut",
            f"Omitted: {len(self.omitted)}, {len(self.brief)} of them shown in brief",
            f"Cost: {self.tokens} in {self.elapsed_ms:.2f} ms",
        ]
        return "\n".join([f"File named: {safe_line(path)}" for path in self.files] + lines)


class ReadingIndex:
    """Builds reading views of one trajectory; what does not depend on the question is computed once.

    Any number of threads may read at a time, but none while a step is added (owners hold a lock).
    """

    def __init__(
        self,
        trajectory: Trajectory | Iterable[Step] = (),
        *,
        budget: int = BUDGET,
        measure: Measure = approximate_tokens,
        counter: bool = False,
    ) -> None:
        """Index a trajectory.

        Args:
            trajectory: Its steps.
            budget: Most that a view may cost in the unit of `measure`, the block's delimiters included (paper: 26,000).
            measure: Cost of a text. The default estimates tokens offline, on the high side (`approximate_tokens` says
                for which texts); pass the tokenizer's own counter where the exact number matters.
            counter: Whether "how many times" adds the count of each kind of action, as in the paper; off by default,
                since it misses "how often" and everything else that asks the same.

        Raises:
            ConfigError: `budget` is out of range.
        """
        if not isinstance(budget, int) or isinstance(budget, bool) or budget < 1:
            raise ConfigError("budget", budget, "a whole number of at least 1")
        self._budget, self._measure, self._counter = budget, measure, counter
        self._steps: list[Step] = []
        self._ids: list[int] = []
        self._terms = TermIndex()
        self.files = FileGraph()
        self._path_terms: dict[str, set[str]] = {}
        self._costs: dict[tuple[int, int], int] = {}
        self._fixed = measure(block("\n", notes=_NOTES)) - 2 * measure("\n")
        for step in trajectory:
            self.add(step)

    def add(self, step: Step) -> None:
        """Index the next step.

        Raises:
            InputError: Its id is not above that of the last one.
        """
        if self._ids and step.id <= self._ids[-1]:
            raise InputError("a step's id", step.id, f"above that of the step before it, {self._ids[-1]}")
        self._terms.add((step.action, step.observation))
        event = self.files.add(step)
        if event is not None and event.path not in self._path_terms:
            self._path_terms[event.path] = terms(event.path)
        self._ids.append(step.id)
        self._steps.append(step)

    def view(self, question: str, *, scope: tuple[int | None, int | None] = (None, None)) -> View:
        """Return the view for `question`.

        Args:
            question: In any wording; empty: the newest steps.
            scope: First and last step id to read, both included; None: open.

        Raises:
            InputError: `question` is not a string.
        """
        if not isinstance(question, str):
            raise InputError("the question", question, "a string")
        began = time.perf_counter()
        scope_places = self._scope(scope)
        asked = read_question(question)
        files = self.files.named(question)
        places = (self._place(step) for step in asked.steps)
        named = sorted(place for place in places if place is not None and place in scope_places)
        anchors = self._anchors(asked.terms, named, files, scope_places)
        chosen = Selection(
            self._budget, self._fixed, scope_places, anchors, self._cost, self._gap_cost, len(self._steps)
        )
        heading = [
            passage
            for passage in self._records(question, files, scope_places)
            if chosen.add_record(self._measure(passage.text + "\n"))
        ]
        linked = {place for path in files for place in self._file_places(path, scope_places)}
        chosen.fill(named, sorted(linked, reverse=True))
        return self._render(question, heading, chosen, anchors, files, began)

    def _scope(self, scope: tuple[int | None, int | None]) -> range:
        low, high = scope
        start = 0 if low is None else bisect_left(self._ids, low)
        return range(start, len(self._ids) if high is None else max(start, bisect_right(self._ids, high)))

    def _anchors(self, asked: frozenset[str], named: list[int], files: tuple[str, ...], scope: range) -> list[int]:
        """Return the places of the steps that the question names, and of those behind the best items (equation 3)."""
        scores = {place: score for place, score in self._terms.shared(asked).items() if place in scope}
        if not named and not files:
            return sorted(place for _, place in best(scores, BEST_STEPS))
        for place in named:
            scores[place] = scores.get(place, 0) + NAMED_STEP
        items: list[tuple[int, int, str]] = [(score, place, "") for score, place in best(scores, RANKED_ITEMS)]
        for path, words in self._path_terms.items():
            score = len(asked & words) + (NAMED_FILE if path in files else 0)
            if score:
                items.append((score, len(self._ids), path))  # of equal items the file goes first
        places = set(named)
        for _, place, path in sorted(items, reverse=True)[:RANKED_ITEMS]:
            places.update(self._file_places(path, scope) if path else (place,))
        return sorted(places)

    def _file_places(self, path: str, scope: range) -> list[int]:
        places = (bisect_left(self._ids, event.step) for event in self.files.of(path))
        return [place for place in places if place in scope]

    def _records(self, question: str, files: tuple[str, ...], scope: range) -> Iterator[Passage]:
        """Yield the index records that belong to no single step."""
        for path in files:
            events = tuple(e for e in self.files.of(path) if bisect_left(self._ids, e.step) in scope)
            if events:
                yield show_file(events)
        if self._counter and "how many times" in question.lower():
            verbs = (_VERB.match(self._steps[place].action) for place in scope)
            counts = Counter(match[1] for match in verbs if match).most_common()
            yield Passage("Actions counted: " + ", ".join(f"{name} {count}" for name, count in counts), ())

    def _cost(self, place: int, cap: int) -> int:
        """Return what a step costs under a cap; its index record for a cap of 0."""
        key = (place, cap)
        if key not in self._costs:
            self._costs[key] = self._measure(self._passage(place, cap).text + "\n")
        return self._costs[key]

    def _passage(self, place: int, cap: int) -> Passage:
        step = self._steps[place]
        return show_step(step, cap) if cap else show_brief(step)

    def _gap_cost(self, before: int, after: int) -> int:
        if after - before < 2:
            return 0
        return self._measure(show_gap(self._ids[before + 1], self._ids[after - 1]) + "\n")

    def _place(self, step: int) -> int | None:
        place = bisect_left(self._ids, step)
        return place if place < len(self._ids) and self._ids[place] == step else None

    def _render(
        self,
        question: str,
        heading: list[Passage],
        chosen: Selection,
        anchors: list[int],
        files: tuple[str, ...],
        began: float,
    ) -> View:
        """Render what was chosen; under a measure whose parts do not add up, the last admitted go until it fits."""
        while True:
            steps = {place: self._passage(place, cap) for place, cap in chosen.caps.items()}
            passages = [*heading, *self._passages(chosen, steps)]
            text = "\n".join(passage.text for passage in passages)
            cost = chosen.spent if self._measure in _ADDITIVE else self._measure(block(text, notes=_NOTES))
            if cost <= self._budget:
                break
            if not chosen.shrink(cost - self._budget):
                heading, passages, text, cost = [], [], "", 0
                chosen.briefs.clear()
                break
        ids = self._ids
        return View(
            question=question,
            text=text,
            steps=tuple(ids[place] for place in chosen.places),
            shown=tuple(steps[place].text for place in chosen.places),
            omitted=tuple(id for place, id in enumerate(ids) if place not in chosen.caps),
            brief=tuple(ids[place] for place in sorted(chosen.briefs)),
            truncated=tuple(ids[place] for place in chosen.places if is_cut(self._steps[place], chosen.caps[place])),
            spans=tuple(span for passage in passages for span in passage.spans),
            anchors=tuple(ids[place] for place in anchors),
            files=files,
            tokens=cost if text else 0,
            elapsed_ms=(time.perf_counter() - began) * 1_000,
        )

    def _passages(self, chosen: Selection, steps: Mapping[int, Passage]) -> Iterator[Passage]:
        """Yield steps, marks of omission and index records in the order of the steps."""
        briefs = sorted(chosen.briefs)
        for before, after in pairwise([-1, *chosen.places, len(self._ids)]):
            if before >= 0:
                yield steps[before]
            if after - before > 1:
                yield Passage(show_gap(self._ids[before + 1], self._ids[after - 1]), ())
                for place in briefs[bisect_right(briefs, before) : bisect_left(briefs, after)]:
                    yield self._passage(place, 0)
