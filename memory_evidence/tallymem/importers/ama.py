"""AMA-Bench episodes: `trajectory` is a list of {turn_idx, action, observation}."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_evidence.errors import InputError
from memory_evidence.tallymem.importers.sources import load
from memory_evidence.tallymem.steps import Observed, Step

_FORM = "an AMA-Bench episode, its list of turns {turn_idx, action, observation}, or a list of episodes"


def ama_steps(source: object, episode: str | int | None) -> tuple[tuple[Step, ...], str]:
    """Return the steps and the task of one episode."""
    data = load(source, _FORM)
    if isinstance(data, (list, tuple)) and data and isinstance(data[0], Mapping) and "trajectory" in data[0]:
        data = _chosen(data, episode)
    elif episode is not None and isinstance(data, Mapping) and str(data.get("episode_id")) != str(episode):
        raise InputError("`episode`", episode, f"the one that the source holds, {data.get('episode_id')!r}")
    task, turns = "", data
    if isinstance(data, Mapping):
        task, turns = data.get("task") or "", data.get("trajectory")
    if not isinstance(turns, (list, tuple)):
        raise InputError("the source", source, _FORM)
    return tuple(_step(place, turn) for place, turn in enumerate(turns)), task if isinstance(task, str) else ""


def _chosen(episodes: list[Any] | tuple[Any, ...], episode: str | int | None) -> Mapping[str, Any]:
    if episode is None and len(episodes) == 1:
        return dict(episodes[0])
    ids = [str(each.get("episode_id")) for each in episodes if isinstance(each, Mapping)]
    if str(episode) not in ids:
        raise InputError("`episode`", episode, f"one of the {len(ids)} episodes of the source: {', '.join(ids[:8])}...")
    return next(each for each in episodes if isinstance(each, Mapping) and str(each.get("episode_id")) == str(episode))


def _step(place: int, turn: object) -> Step:
    if not isinstance(turn, Mapping) or "action" not in turn:
        raise InputError(f"turn {place} of the episode", turn, "an object with turn_idx, action and observation")
    if turn.get("turn_idx") is None:
        raise InputError(f"the turn_idx of turn {place}", turn.get("turn_idx"), "the number of the step")
    observation = turn.get("observation")
    observed = Observed.MISSING if observation is None else Observed.TEXT
    return Step(turn["turn_idx"], turn["action"] or "", "" if observation is None else observation, observed)
