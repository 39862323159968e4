"""Questions with known event sets over raw trajectories: the controlled probe of TallyMem's appendix H.

Answers and event sets come from the raw action and observation strings alone; nothing of the engine is imported. An
embodied action is read by its leading verb and the words after it; a software action by the tool's name before the
colon and its JSON arguments; the exit code of a bash command is the last "exit code N" of its observation.

The paper does not print its table of templates. These 16 fit what it says of them (six operations; E1 and S1 at three
bounds, E2 and S2 the same count as "how often"; S3 non-zero exit codes; S4 and S5 modifications that name the create,
replace and insert commands; locations with ties skipped):

    E1 count of moves   E2 the same, "how often"   E3 count of moves to one place    E4 first opening
    E5 last take        E6 list of closings of one receptacle   E7 most visited place   E8 distinct places
    S1 count of bash    S2 the same, "how often"   S3 list of non-zero exits         S4 list of modifications of a file
    S5 distinct files modified   S6 first view of a path   S7 last str_replace        S8 most viewed path
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Answer = int | str | tuple[int, ...]

_EXIT = re.compile(r"exit code (-?\d+)")
_WRITES = ("create", "str_replace", "insert")
_INTEGER, _STEP = "Answer with an integer.", "Answer with a step number."
_LIST, _NAME = 'Answer with a comma-separated list of step numbers, or "none".', "Answer with a name."


@dataclass(frozen=True, slots=True)
class Question:
    """A generated question, its answer and the steps that determine it."""

    template: str
    episode: str
    text: str
    answer: Answer
    events: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RawStep:
    """A step as the benchmark's file has it."""

    id: int
    action: str
    observation: str


def generate(episode: Mapping[str, Any], seed: int) -> Iterator[Question]:
    """Yield the questions of one episode; none where it is of another domain."""
    steps = [RawStep(t["turn_idx"], t["action"] or "", t["observation"] or "") for t in episode["trajectory"]]
    makers = {"alfworld": _embodied, "swebench": _software}
    maker = makers.get(episode.get("task_type", ""))
    if maker is None or len(steps) < 4:
        return
    name = str(episode["episode_id"])
    for template, text, answer, events in maker(steps, random.Random(f"{seed}/{name}")):
        yield Question(template, name, text, answer, tuple(events))


def bounds(count: int) -> tuple[int, int, int]:
    """Return the paper's three bounds of a trajectory of `count` steps."""
    return count // 4 - 1, count // 2 - 1, count - 1


_Made = tuple[str, str, Answer, Sequence[int]]


def _embodied(steps: Sequence[RawStep], draw: random.Random) -> Iterator[_Made]:
    def verb(step: RawStep) -> str:
        return step.action.split(" ")[0]

    def place(step: RawStep) -> str:
        return step.action.removeprefix("go to ")

    first, second, last = bounds(len(steps))
    went = [step for step in steps if verb(step) == "go"]
    yield from _counts("E", went, (first, second, last), "go to a location")
    if went:
        visited = sorted({place(step) for step in went})
        # Where one name begins another ("drawer 1" and "drawer 10"), it is the harder one to count.
        traps = [name for name in visited if any(other != name and other.startswith(name) for other in visited)]
        name = draw.choice(traps or visited)
        ids = [step.id for step in went if place(step) == name]
        yield (
            "E3",
            f"How many times did the agent go to {name} up to and including step {last}? {_INTEGER}",
            len(ids),
            ids,
        )
    opened = [step.id for step in steps if verb(step) == "open"]
    if opened:
        yield "E4", f"At which step did the agent first open a receptacle? {_STEP}", opened[0], opened[:1]
    taken = [step.id for step in steps if verb(step) == "take" and step.id <= last]
    if taken:
        text = f"At which step did the agent last take an object, up to and including step {last}? {_STEP}"
        yield "E5", text, taken[-1], taken[-1:]
    closed = [(step.id, step.action.removeprefix("close ")) for step in steps if verb(step) == "close"]
    if closed:
        name = draw.choice(sorted({name for _, name in closed}))
        ids = [id for id, other in closed if other == name]
        yield (
            "E6",
            f"At which steps did the agent close {name}, up to and including step {last}? {_LIST}",
            tuple(ids),
            ids,
        )
    if winner := _winner((place(step), step.id) for step in went):
        text = f"Which location did the agent go to most often up to and including step {last}? {_NAME}"
        yield "E7", text, *winner
    if went:
        text = f"How many different locations did the agent go to up to and including step {second}? {_INTEGER}"
        until = [step for step in went if step.id <= second]
        if until:
            yield "E8", text, len({place(step) for step in until}), [step.id for step in until]


def _software(steps: Sequence[RawStep], draw: random.Random) -> Iterator[_Made]:
    def tool(step: RawStep) -> str:
        return step.action.split(":", 1)[0]

    edits = [(step.id, *_editor(step)) for step in steps if tool(step) == "str_replace_editor"]
    first, second, last = bounds(len(steps))
    bash = [step for step in steps if tool(step) == "execute_bash"]
    yield from _counts("S", bash, (first, second, last), "call execute_bash")
    failing = [step.id for step in bash if (codes := _EXIT.findall(step.observation)) and int(codes[-1]) != 0]
    if failing:
        text = f"At which steps did a bash command finish with a non-zero exit code, up to and including step {last}?"
        yield "S3", f"{text} {_LIST}", tuple(failing), failing
    written = [(id, path) for id, command, path in edits if command in _WRITES]
    how = "with the create, str_replace or insert command of str_replace_editor"
    if written:
        path = draw.choice(sorted({path for _, path in written}))
        ids = [id for id, other in written if other == path]
        yield (
            "S4",
            f"At which steps did the agent modify {path} {how}, up to and including step {last}? {_LIST}",
            tuple(ids),
            ids,
        )
        until = [(id, path) for id, path in written if id <= last]
        text = f"How many different files did the agent modify {how}, up to and including step {last}? {_INTEGER}"
        yield "S5", text, len({path for _, path in until}), [id for id, _ in until]
    viewed = [(path, id) for id, command, path in edits if command == "view"]
    if viewed:
        path = draw.choice(sorted({path for path, _ in viewed}))
        id = next(id for other, id in viewed if other == path)
        yield "S6", f"At which step did the agent first view {path} with str_replace_editor? {_STEP}", id, [id]
    replaced = [id for id, command, _ in edits if command == "str_replace" and id <= last]
    if replaced:
        text = f"At which step did the agent last use the str_replace command, up to and including step {last}? {_STEP}"
        yield "S7", text, replaced[-1], replaced[-1:]
    if winner := _winner(viewed):
        text = f"Which path did the agent view most often with str_replace_editor, up to and including step {last}?"
        yield "S8", f"{text} {_NAME}", *winner


def _counts(domain: str, events: Sequence[RawStep], limits: Sequence[int], what: str) -> Iterator[_Made]:
    """Yield the same count at three bounds, and at the last one with another wording."""
    wordings = [(f"{domain}1", "How many times", bound) for bound in limits]
    wordings.append((f"{domain}2", "How often", limits[-1]))
    for template, asks, bound in wordings:
        ids = [step.id for step in events if step.id <= bound]
        if ids:
            yield template, f"{asks} did the agent {what} up to and including step {bound}? {_INTEGER}", len(ids), ids


def _winner(events: Any) -> tuple[str, list[int]] | None:
    """Return the most frequent name with its steps; None where there is none or a tie."""
    groups: dict[str, list[int]] = {}
    for name, id in events:
        groups.setdefault(name, []).append(id)
    sizes = sorted((len(ids) for ids in groups.values()), reverse=True)
    if not sizes or sizes[1:2] == sizes[:1]:
        return None
    return next((name, ids) for name, ids in groups.items() if len(ids) == sizes[0])


def _editor(step: RawStep) -> tuple[str, str]:
    arguments = json.loads(step.action.split(":", 1)[1])
    return arguments.get("command", ""), arguments.get("path", "")
