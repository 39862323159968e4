"""What an agent did, step by step: the source that every view, count and quote of TallyMem rests on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from os import PathLike
from threading import Lock
from typing import Any, Self

from memory_evidence.errors import InputError
from memory_evidence.tallymem.steps import LAST_ID, Observed, Step

__all__ = ["LAST_ID", "Observed", "Source", "Step", "Trajectory"]

Source = str | PathLike[str] | Mapping[str, Any] | Sequence[Any]
"""Plain data, or the path of a JSON file that holds it (`.gz` is unpacked)."""

_appending = Lock()


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Steps in the order they were executed; any sequence of `Step` is taken, and held as a tuple.

    Raises:
        InputError: An item is no `Step`, or the ids are not unique and ascending.
    """

    steps: tuple[Step, ...]
    task: str = ""
    """What the agent was asked to do."""
    # What `append` returns shares one growing list with what it was called on; its tuple is made when it is asked for.
    _grown: list[Step] | None = field(init=False, repr=False, compare=False, default=None)
    _size: int = field(init=False, repr=False, compare=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(self.steps))
        object.__setattr__(self, "_size", len(self.steps))
        if not isinstance(self.task, str):
            raise InputError("the task", self.task, "a string")
        last = -1
        for step in self.steps:
            last = _next_id(step, last)

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[str, str | None]], *, first: int = 0, task: str = "") -> Self:
        """Build a trajectory from (action, observation) pairs.

        Args:
            pairs: In order; an observation of None is missing, one of "" is empty.
            first: The number of the first step. Steps count from 0, as in AMA-Bench and the paper ("until step 149" of
                150 steps); pass 1 where people count from 1.
            task: What the agent was asked to do.

        Raises:
            InputError: An item is no pair of an action and an observation.
        """
        if isinstance(pairs, (str, Mapping)):
            raise InputError("pairs", pairs, "a sequence of (action, observation) pairs")
        steps = []
        for number, pair in enumerate(pairs, first):
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise InputError(f"pair {number}", pair, "an (action, observation) pair")
            action, observation = pair
            observed = Observed.MISSING if observation is None else Observed.TEXT
            steps.append(Step(number, action, "" if observation is None else observation, observed))
        return cls(tuple(steps), task)

    @classmethod
    def from_ama(cls, source: Source, *, episode: str | int | None = None) -> Self:
        """Build a trajectory from AMA-Bench: an episode, its list of turns, or a file of episodes.

        Step ids are the turns' own `turn_idx`.

        Args:
            source: The data, or the path of a `.json` or `.jsonl` file.
            episode: The `episode_id` to take; needed where there are several.

        Raises:
            InputError: The data is not of this format, or the episode is not in it.
        """
        from memory_evidence.tallymem.importers.ama import ama_steps

        return cls(*ama_steps(source, episode))

    @classmethod
    def from_openai(cls, source: Source, *, first: int = 0, nested: bool = False) -> Self:
        """Build a trajectory from OpenAI messages: Chat Completions, or items of the Responses API.

        One step per call that an assistant made, in the order of the calls; an answer is found by its call id.

        Args:
            source: The messages as dicts or as the client's own objects, or the path of a JSON file of them.
            first: The number of the first step.
            nested: Whether calls of sub-agents count, where a call holds messages of its own.

        Raises:
            InputError: The data is not of this format, or an answer belongs to no call.
        """
        from memory_evidence.tallymem.importers.openai import openai_steps

        return cls(*openai_steps(source, first, nested))

    @classmethod
    def from_langchain(cls, source: Source, *, first: int = 0, nested: bool = False) -> Self:
        """Build a trajectory from LangChain or LangGraph messages (a list, or a state with `messages`).

        One step per tool call of an AI message, invalid ones too; an answer is the tool message with the call's id.

        Args:
            source: Message objects, their dicts, a state, or the path of a JSON file.
            first: The number of the first step.
            nested: Whether calls of sub-agents count, where a tool message's artifact holds their messages.

        Raises:
            InputError: The data is not of this format, or an answer belongs to no call.
        """
        from memory_evidence.tallymem.importers.langchain import langchain_steps

        return cls(*langchain_steps(source, first, nested))

    @classmethod
    def from_llamaindex(cls, source: Source, *, first: int = 0) -> Self:
        """Build a trajectory from LlamaIndex chat messages, or from the events of an agent workflow.

        Args:
            source: `ChatMessage`s with tool call blocks, or `ToolCallResult` events; objects, their dicts, or a path.
            first: The number of the first step.

        Raises:
            InputError: The data is not of this format, or an answer belongs to no call.
        """
        from memory_evidence.tallymem.importers.llamaindex import llamaindex_steps

        return cls(*llamaindex_steps(source, first))

    @classmethod
    def from_sweagent(cls, source: Source, *, first: int = 0) -> Self:
        """Build a trajectory from a SWE-agent `.traj` file or its content.

        Args:
            source: The data, or the path of the file.
            first: The number of the first step.

        Raises:
            InputError: The data is not of this format.
        """
        from memory_evidence.tallymem.importers.sweagent import sweagent_steps

        return cls(*sweagent_steps(source, first))

    @classmethod
    def from_openhands(cls, source: Source, *, first: int = 0, nested: bool = False) -> Self:
        """Build a trajectory from OpenHands events.

        One step per executed action of the agent; an observation is found by its `cause`.

        Args:
            source: The events, an object that holds them as `history` or `trajectory`, or the path of a JSON file.
            first: The number of the first step.
            nested: Whether actions of delegated agents count.

        Raises:
            InputError: The data is not of this format.
        """
        from memory_evidence.tallymem.importers.openhands import openhands_steps

        return cls(*openhands_steps(source, first, nested))

    def step(self, id: int) -> Step:
        """Return the step of this number.

        Raises:
            InputError: There is none.
        """
        steps = self.steps if self._grown is None else self._grown
        at = bisect_left(steps, id, hi=self._size, key=_id)
        if at == self._size or steps[at].id != id:
            raise InputError("the step id", id, self._known())
        return steps[at]

    def append(self, step: Step) -> Self:
        """Return a trajectory with one more step at its end; steps are copied only where another one was put there.

        Raises:
            InputError: The step's id is not above the last one.
        """
        with _appending:
            grown = self._grown
            if grown is None or len(grown) != self._size:
                grown = list(self)
            _next_id(step, grown[-1].id if grown else -1)
            grown.append(step)
            size = len(grown)
        longer = object.__new__(type(self))
        for name, value in (("task", self.task), ("_grown", grown), ("_size", size)):
            object.__setattr__(longer, name, value)
        return longer

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps) if self._grown is None else islice(self._grown, self._size)

    def __getattr__(self, name: str) -> Any:
        if name != "steps":  # the one slot that is filled late
            raise AttributeError(name)
        object.__setattr__(self, name, tuple(self))
        return self.steps

    def _known(self) -> str:
        if not self.steps:
            return "the id of a step, but the trajectory is empty"
        return f"the id of one of the {len(self.steps)} steps, {self.steps[0].id} to {self.steps[-1].id}"


def _id(step: Step) -> int:
    return step.id


def _next_id(step: object, last: int) -> int:
    if not isinstance(step, Step):
        raise InputError("a step", step, "a Step(id, action, observation)")
    if step.id <= last:
        need = "given to one step only" if step.id == last else f"above that of the step before it, {last}"
        raise InputError("a step's id", step.id, need)
    return step.id
