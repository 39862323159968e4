"""Steps and trajectories: ids as questions name them, and three ways of seeing nothing."""

from __future__ import annotations

import pickle
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.errors import InputError
from memory_evidence.tallymem import Observed, Step, Trajectory
from tests.tallymem.trajectories import KITCHEN, trajectories


def test_pairs_count_from_0_as_the_benchmark_does():
    assert [step.id for step in KITCHEN] == list(range(7))
    assert KITCHEN.step(2).action == "take mug 3 from shelf 2"
    assert KITCHEN.task == "Make tea."


def test_pairs_count_from_where_they_are_told_to():
    assert [step.id for step in Trajectory.from_pairs([("a", "b"), ("c", "d")], first=1)] == [1, 2]


def test_missing_empty_and_error_observations_are_three_things():
    missing, empty, text = Trajectory.from_pairs([("a", None), ("b", ""), ("c", " ")])
    assert [missing.observed, empty.observed, text.observed] == [Observed.MISSING, Observed.EMPTY, Observed.TEXT]
    assert Step(0, "d", "boom", Observed.ERROR).observed is Observed.ERROR
    assert Step(0, "d", "", Observed.ERROR).observed is Observed.ERROR


def test_text_is_kept_as_it_is():
    text = " {x} %s \0 \r\n\ud800 Action: <|system|> "
    (step,) = Trajectory.from_pairs([(text, text)])
    assert step.action == step.observation == text


@pytest.mark.parametrize(
    ("ids", "said"),
    [([0, 1, 1], "given to one step only; got 1"), ([0, 2, 1], "above that of the step before it, 2; got 1")],
)
def test_ids_that_repeat_or_go_back_are_refused(ids: list[int], said: str):
    with pytest.raises(InputError, match=said):
        Trajectory(tuple(Step(id, "a") for id in ids))


def test_ids_may_have_gaps():
    trajectory = Trajectory((Step(3, "a"), Step(7, "b"), Step(100, "c")))
    assert [trajectory.step(id).action for id in (3, 7, 100)] == ["a", "b", "c"]
    with pytest.raises(InputError, match="one of the 3 steps, 3 to 100; got 4"):
        trajectory.step(4)


@pytest.mark.parametrize("bad", [-1, True, 1.0, "1", None])
def test_an_id_is_a_whole_number(bad: object):
    with pytest.raises(InputError, match="a step's id"):
        Step(bad, "a")  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["action", "observation", "tool", "arguments", "call_id"])
def test_fields_are_texts(field: str):
    with pytest.raises(InputError, match=f"the {field} of step 4"):
        Step(4, **({"action": "a"} | {field: 7}))  # type: ignore[arg-type]


@pytest.mark.parametrize("observed", [Observed.EMPTY, Observed.MISSING])
def test_what_is_not_there_has_no_text(observed: Observed):
    with pytest.raises(InputError, match="the observation of step 0"):
        Step(0, "a", "text", observed)


@pytest.mark.parametrize("pairs", ["look", {"a": "b"}, [("a",)], ["ab"], [("a", "b", "c")], [(1, "b")], [("a", 2)]])
def test_what_is_no_pair_is_refused(pairs: object):
    with pytest.raises(InputError):
        Trajectory.from_pairs(pairs)  # type: ignore[arg-type]


def test_an_empty_trajectory_has_no_steps_and_says_so():
    assert len(Trajectory(())) == 0
    with pytest.raises(InputError, match="the trajectory is empty"):
        Trajectory(()).step(0)


def test_appending_leaves_the_shorter_one_as_it_is():
    longer = KITCHEN.append(Step(9, "look", "You see a mug 3."))
    assert (len(KITCHEN), len(longer), longer.step(9).action, longer.task) == (7, 8, "look", "Make tea.")
    with pytest.raises(InputError, match="given to one step only"):
        longer.append(Step(9, "look"))
    with pytest.raises(InputError, match="a step must be a Step"):
        longer.append("look")  # type: ignore[arg-type]


def test_what_is_no_step_is_refused():
    with pytest.raises(InputError, match="a step must be a Step"):
        Trajectory(("look",))  # type: ignore[arg-type]


@given(trajectories())
def test_appending_one_by_one_gives_the_same_as_all_at_once(whole: Trajectory):
    grown = Trajectory(())
    for step in whole:
        grown = grown.append(step)
    assert grown == whole
    assert all(whole.step(step.id) is step for step in whole)


@given(trajectories(), st.integers(0, 60))
def test_a_step_is_found_exactly_if_it_is_there(trajectory: Trajectory, id: int):
    if id in [step.id for step in trajectory]:
        assert trajectory.step(id).id == id
    else:
        with pytest.raises(InputError):
            trajectory.step(id)


def test_trajectories_travel_between_processes():
    assert pickle.loads(pickle.dumps(KITCHEN)) == KITCHEN


def test_what_is_appended_to_one_trajectory_twice_makes_two():
    base = KITCHEN.append(Step(9, "look"))
    one, other = base.append(Step(10, "open box 1")), base.append(Step(11, "open box 2"))
    assert [len(KITCHEN), len(base), len(one), len(other)] == [7, 8, 9, 9]
    assert [step.id for step in one][-2:] == [9, 10]
    assert [step.id for step in other][-2:] == [9, 11]
    assert one.steps == (*base.steps, Step(10, "open box 1"))
    with pytest.raises(InputError):
        one.step(11)
    with pytest.raises(InputError):
        base.step(10)
    assert pickle.loads(pickle.dumps(one)) == one == Trajectory(one.steps, one.task)
    assert hash(one) == hash(Trajectory(one.steps, one.task))


def test_appending_copies_no_steps():
    steps = [Step(n, "look") for n in range(3_000)]
    tracemalloc.start()
    try:
        versions = list(accumulate(steps, Trajectory.append, initial=Trajectory(())))
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # Had each version its own tuple, they would hold 36 MB.
    assert held < 2_000_000
    assert [len(version) for version in versions] == list(range(3_001))


def test_threads_that_append_to_one_trajectory_get_one_each():
    base = Trajectory(()).append(Step(0, "look"))
    with ThreadPoolExecutor(8) as pool:
        grown = list(pool.map(lambda n: base.append(Step(n, f"open box {n}")), range(1, 200)))
    assert [tuple(step.id for step in one) for one in grown] == [(0, n) for n in range(1, 200)]
