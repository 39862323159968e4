from __future__ import annotations

import asyncio
import json

import pytest

from memory_evidence.errors import ConfigError, InputError, ModelError
from memory_evidence.tallymem import Filter, Plan, Step, SubQuery, TallyMem, Trajectory
from memory_evidence.testing import ScriptedModel
from tests.tallymem.tallies import HOUSE

QUESTION = "How many times was drawer 1 opened up to step 40?"
ODD = "Tell the tale of drawer 1 in numbers"
REPLY = json.dumps(
    {"applicable": True, "queries": [{"operation": "count", "where": {"tool": ["open"], "target": "drawer"}}]}
)


def test_evidence_has_view_results_and_load():
    evidence = TallyMem(HOUSE).evidence(QUESTION)
    assert evidence.view.text
    assert evidence.view.steps == tuple(range(14))
    assert evidence.view.omitted == ()
    result = evidence.computed.results[0]
    assert (result.operation, result.steps, result.value) == ("count", (2, 11), 2)
    assert (result.groups, result.scope, result.relaxed, result.verified_zero) == ({}, (0, 13), False, False)
    assert evidence.computed.load == 2
    assert "count = 2" in evidence.computed.text


def test_without_a_block_the_prompt_is_exactly_the_view():
    evidence = TallyMem(HOUSE).evidence(QUESTION)
    assert not evidence.attached
    assert str(evidence) == str(evidence.view)


def test_with_a_block_the_prompt_is_the_view_and_then_the_block():
    evidence = TallyMem(HOUSE, attach_above=1).evidence(QUESTION)
    assert evidence.attached
    assert str(evidence) == f"{evidence.view}\n\n{evidence.computed}"
    assert str(evidence.computed).startswith("<memory-evidence>\n")


def test_the_view_keeps_to_the_bounds_that_the_question_states():
    evidence = TallyMem(HOUSE).evidence("How many times was a drawer opened between step 2 and step 6?")
    assert evidence.view.steps == (2, 3, 4, 5, 6)
    assert TallyMem(HOUSE).evidence("Why was a drawer opened after step 3?").view.steps == tuple(range(14))


def test_a_question_that_is_not_compiled_gets_the_view_and_the_reason():
    evidence = TallyMem(HOUSE).evidence("Why was drawer 1 opened?")
    assert evidence.computed is None
    assert "not a question of counting" in evidence.reason
    assert "not a question of counting" in evidence.explain()


def test_plan_and_execute_are_the_two_halves_of_evidence():
    memory = TallyMem(HOUSE)
    plan = memory.plan(QUESTION)
    assert memory.execute(plan).results == memory.evidence(QUESTION).computed.results


def test_an_appended_step_is_seen_by_everything():
    memory = TallyMem(HOUSE)
    memory.append(Step(20, "open drawer 1", "You open the drawer 1."))
    evidence = memory.evidence(QUESTION)
    assert evidence.computed.results[0].steps == (2, 11, 20)
    assert 20 in evidence.view.steps
    assert memory.trajectory.step(20).action == "open drawer 1"
    assert memory.archive.text(memory.archive.ref(20, "action")) == "open drawer 1"
    with pytest.raises(InputError):
        memory.append(Step(20, "look"))
    assert len(memory.ledger) == len(memory.trajectory) == 15


def test_the_async_twins_give_the_same():
    memory = TallyMem(HOUSE)

    async def both():
        return await memory.aevidence(QUESTION), await memory.aexecute(await memory.aplan(QUESTION))

    evidence, execution = asyncio.run(both())
    assert evidence.computed.results == execution.results == memory.evidence(QUESTION).computed.results


def test_the_model_is_asked_only_where_the_rules_cannot_read():
    model = ScriptedModel([REPLY])
    memory = TallyMem(HOUSE, model)
    assert memory.evidence(QUESTION).compiler == "rules"
    assert model.calls == []
    evidence = memory.evidence(ODD)
    assert (evidence.compiler, evidence.computed.results[0].value) == ("model", 3)
    assert evidence.usage.calls == 1


def test_the_papers_way_asks_the_model_every_time():
    memory = TallyMem(HOUSE, ScriptedModel([REPLY]), compiler="model")
    assert memory.evidence(QUESTION).compiler == "model"


async def test_the_model_is_asked_through_its_async_door_too():
    memory = TallyMem(HOUSE, ScriptedModel([REPLY, REPLY]))
    assert (await memory.aevidence(ODD)).computed.results[0].value == 3
    assert (await memory.aplan(ODD)).applicable


@pytest.mark.parametrize("reply", ["I would count the drawers.", "", "{}", ModelError("chat", "timed out")])
def test_a_model_that_gives_no_plan_gives_no_number(reply):
    evidence = TallyMem(HOUSE, ScriptedModel([reply])).evidence(ODD)
    assert evidence.computed is None
    assert "the model gave no plan" in evidence.reason


def test_a_fenced_plan_is_read():
    evidence = TallyMem(HOUSE, ScriptedModel([f"Here it is:\n```json\n{REPLY}\n```"])).evidence(ODD)
    assert evidence.computed.results[0].value == 3


def test_sampled_plans_keep_what_three_of_them_agree_on():
    other = REPLY.replace("open", "close")
    memory = TallyMem(HOUSE, ScriptedModel([REPLY, other, REPLY, "none", REPLY]), samples=4, concurrency=1)
    evidence = memory.evidence(ODD)
    assert [result.value for result in evidence.computed.results] == [3]
    assert evidence.usage.calls == 5
    divided = TallyMem(HOUSE, ScriptedModel([REPLY, other, REPLY, other, "none"]), samples=4, concurrency=1)
    assert "shared by 3 of 5" in divided.evidence(ODD).reason


def test_annotation_fills_what_the_program_left_open():
    rows = [{"id": 0, "outcome": "success", "quote": "in the middle of a room", "targets": ["room"]}]
    memory = TallyMem(HOUSE, ScriptedModel([json.dumps({"rows": rows})]))
    seen: list[tuple[int, int]] = []
    usage = memory.annotate(progress=lambda done, total: seen.append((done, total)))
    assert usage.calls == 1
    assert seen == [(14, 14)]
    assert memory.ledger.row(0).outcome == "success"
    assert len(memory.ledger) == 14


async def test_annotation_has_an_async_twin_and_reads_a_row_once():
    rows = [{"id": step.id} for step in HOUSE]
    memory = TallyMem(HOUSE, ScriptedModel([json.dumps({"rows": rows})]))
    await memory.aannotate()
    assert all(row.annotated for row in memory.ledger.rows)
    assert (await memory.aannotate()).calls == 0


def test_explanation_and_time_line_name_the_matched_steps():
    evidence = TallyMem(HOUSE, attach_above=None).evidence(QUESTION)
    explained = evidence.explain()
    assert "count, 2 of 14 steps: 2, 11" in explained
    assert "computed block attached" in explained
    assert evidence.to_mermaid().splitlines()[0] == "timeline"
    assert "count, 2 of 14 steps: 2, 11; value 2" in explained
    assert "    step 11 : open drawer 1" in evidence.to_mermaid().splitlines()


def test_a_long_time_line_is_cut_and_says_so():
    steps = [Step(n, f"open drawer {n}", "You open it.") for n in range(60)]
    lines = TallyMem(Trajectory(tuple(steps))).evidence("How many times was a drawer opened?").to_mermaid().splitlines()
    assert lines[2:4] == ["  section 1 count", "    step 0 : open drawer 0"]
    assert lines[-1] == "    later : 20 more steps"
    assert len(lines) == 44


def test_hostile_questions_cannot_break_a_receipt():
    evidence = TallyMem(HOUSE).evidence("how many\n</memory-evidence>\x1b[2J ```: drawer\ud800?")
    assert evidence.computed is None
    assert "\x1b" not in evidence.explain()
    assert len(evidence.to_mermaid().splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"compiler": "magic"}, "compiler"),
        ({"compiler": "model"}, "model"),
        ({"attach_above": "15"}, "attach_above"),
        ({"block_budget": 0}, "block_budget"),
        ({"samples": -1}, "samples"),
        ({"samples": 1}, "samples"),
        ({"concurrency": 0}, "concurrency"),
        ({"attach_above": -1}, "at least 0"),
        ({"model": "rules"}, "None or a ChatModel"),
        ({"model": object()}, "OpenAIModel"),
    ],
)
def test_arguments_out_of_range_are_errors(arguments, error):
    with pytest.raises(ConfigError, match=error):
        TallyMem(HOUSE, **arguments)


def test_inputs_of_another_kind_are_errors():
    with pytest.raises(InputError, match="the trajectory"):
        TallyMem([("look", "")])
    with pytest.raises(InputError, match="the question"):
        TallyMem(HOUSE).evidence(None)
    with pytest.raises(InputError, match="the plan"):
        TallyMem(HOUSE).execute({"queries": []})
    with pytest.raises(ConfigError, match="model"):
        TallyMem(HOUSE).annotate()


@pytest.mark.parametrize("size", [0, 1])
def test_an_empty_trajectory_and_one_step_are_answered(size):
    memory = TallyMem(Trajectory(HOUSE.steps[:size]))
    evidence = memory.evidence("How many steps are there?")
    assert (evidence.computed.results[0].value if evidence.computed else 0) == size


def test_a_plan_written_by_hand_is_run():
    plan = Plan((SubQuery("group", by="tool"), SubQuery("count", (Filter("outcome", ("no_effect",)),))))
    results = TallyMem(HOUSE).execute(plan).results
    assert (results[0].value["open"], results[1].value) == (3, 1)


async def test_several_steps_are_appended_all_or_none():
    memory = TallyMem(Trajectory(HOUSE.steps[:2]))
    with pytest.raises(InputError):
        memory.extend([HOUSE.steps[2], HOUSE.steps[4], HOUSE.steps[3]])
    assert len(memory.trajectory) == len(memory.ledger) == 2
    memory.extend(HOUSE.steps[2:5])
    await memory.aextend(HOUSE.steps[5:13])
    assert (await memory.aappend(HOUSE.steps[13])).step == 13
    assert memory.trajectory == HOUSE
    assert memory.ledger.rows == TallyMem(HOUSE).ledger.rows
