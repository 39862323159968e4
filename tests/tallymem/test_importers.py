"""Importers: one step for each executed call, whatever the log's format."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from memory_evidence.errors import InputError
from memory_evidence.tallymem import Observed, Trajectory
from tests.tallymem.trajectories import data, episodes


def told(trajectory: Trajectory) -> list[tuple[int, str, str, str]]:
    return [(step.id, step.action, step.observation, step.observed.value) for step in trajectory]


def call(id: str, name: str, arguments: str = "{}") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def answer(id: str, content: object, **more: object) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": content, **more}


# AMA-Bench

TURNS = [
    {"turn_idx": 0, "action": "look", "observation": "a wall"},
    {"turn_idx": 1, "action": "wait", "observation": ""},
    {"turn_idx": 4, "action": "open", "observation": None},
    {"turn_idx": 5, "action": "close"},
]
EPISODE = {"episode_id": "30", "task": "Find the door.", "trajectory": TURNS, "qa_pairs": []}


def test_ama_ids_are_the_turn_numbers():
    trajectory = Trajectory.from_ama(EPISODE)
    assert told(trajectory) == [
        (0, "look", "a wall", "text"),
        (1, "wait", "", "empty"),
        (4, "open", "", "missing"),
        (5, "close", "", "missing"),
    ]
    assert trajectory.task == "Find the door."
    assert Trajectory.from_ama(TURNS).steps == trajectory.steps


def test_an_episode_is_chosen_by_its_id(tmp_path: Path):
    other = {**EPISODE, "episode_id": "31", "trajectory": TURNS[:1]}
    path = tmp_path / "episodes.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, [EPISODE, other])).encode()))
    assert len(Trajectory.from_ama(path, episode="31")) == 1
    assert len(Trajectory.from_ama(str(path), episode=30)) == 4
    assert len(Trajectory.from_ama([EPISODE])) == 4
    for wrong in (None, "32"):
        with pytest.raises(InputError, match="one of the 2 episodes of the source: 30, 31"):
            Trajectory.from_ama(path, episode=wrong)
    with pytest.raises(InputError, match="`episode`"):
        Trajectory.from_ama(EPISODE, episode="31")


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        ([TURNS[0], {"action": "look", "observation": "x"}], "the turn_idx of turn 1"),
        ([TURNS[0], TURNS[0]], "given to one step only; got 0"),
        ([TURNS[1], TURNS[0]], "above that of the step before it, 1"),
        ([{"turn_idx": 0, "observation": "x"}], "turn 0 of the episode"),
        (["look"], "turn 0 of the episode"),
        ([{"turn_idx": "0", "action": "a", "observation": "x"}], "a step's id"),
        ([{"turn_idx": 0, "action": "a", "observation": ["x"]}], "the observation of step 0"),
    ],
)
def test_ama_turns_that_cannot_be_taken_are_named(turns: list[Any], said: str):
    with pytest.raises(InputError, match=said):
        Trajectory.from_ama({"trajectory": turns})


def test_real_ama_episodes_are_taken_whole():
    for episode in episodes():
        trajectory = Trajectory.from_ama(episode)
        turns: Any = episode["trajectory"]
        assert [(s.id, s.action, s.observation) for s in trajectory] == [
            (turn["turn_idx"], turn["action"], turn["observation"]) for turn in turns
        ]


# OpenAI

CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "You may call search and search_web."},
    {"role": "user", "content": [{"type": "text", "text": "Where is Oslo?"}]},
    {"role": "assistant", "content": None, "tool_calls": [call("a", "search", '{"q": "Oslo"}'), call("b", "look")]},
    answer("b", ""),
    answer("a", [{"type": "text", "text": "in"}, {"type": "text", "text": "Norway"}]),
    {"role": "assistant", "content": "calls search: {} now", "tool_calls": [call("c", "search", "{broken")]},
    {"role": "assistant", "content": "In Norway."},
]


def test_each_openai_call_is_one_step_in_the_order_of_the_calls():
    trajectory = Trajectory.from_openai(CHAT)
    assert told(trajectory) == [
        (0, 'search: {"q": "Oslo"}', "in\nNorway", "text"),
        (1, "look: {}", "", "empty"),
        (2, "search: {broken", "", "missing"),
    ]
    assert [(s.tool, s.arguments, s.call_id) for s in trajectory][2] == ("search", "{broken", "c")
    assert trajectory.task == "Where is Oslo?"


def test_a_file_an_object_and_a_list_of_messages_give_the_same(tmp_path: Path):
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"messages": CHAT, "tools": [{"function": {"name": "never_called"}}]}))
    assert Trajectory.from_openai(path) == Trajectory.from_openai({"messages": CHAT}) == Trajectory.from_openai(CHAT)


def test_offered_tools_and_mentions_are_no_steps():
    assert len(Trajectory.from_openai(CHAT[:2])) == 0


def test_ids_that_are_used_again_belong_to_the_latest_open_call():
    again = [{"role": "assistant", "tool_calls": [call("x", "a")]}, answer("x", "1")] * 2
    again[3] = answer("x", "2")
    assert [step.observation for step in Trajectory.from_openai(again, first=1)] == ["1", "2"]


def test_legacy_function_calls_are_answered_in_order():
    messages = [
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "done"},
    ]
    assert told(Trajectory.from_openai(messages)) == [(0, "f: {}", "done", "text")]


def test_an_answer_without_its_call_is_an_error_and_not_a_step_less():
    with pytest.raises(InputError, match="the call id of an answer"):
        Trajectory.from_openai([answer("gone", "x")])
    with pytest.raises(InputError, match="answered once"):
        Trajectory.from_openai([*CHAT, answer("a", "again")])


def test_nested_calls_count_only_when_asked_for():
    inner = [{"role": "assistant", "tool_calls": [call("i", "read")]}, answer("i", "page")]
    messages = [{"role": "assistant", "tool_calls": [call("o", "delegate")]}, answer("o", "done", messages=inner)]
    assert [step.tool for step in Trajectory.from_openai(messages)] == ["delegate"]
    nested = Trajectory.from_openai(messages, nested=True)
    assert told(nested) == [(0, "delegate: {}", "done", "text"), (1, "read: {}", "page", "text")]


def test_responses_items_are_read_with_what_hosted_tools_bring():
    items = [
        {"role": "user", "content": "Count."},
        {"type": "reasoning", "summary": []},
        {"type": "mcp_list_tools", "tools": [{"name": "offered"}]},
        {"type": "function_call", "call_id": "1", "name": "add", "arguments": '{"a":1}', "id": "fc"},
        {"type": "function_call_output", "call_id": "1", "output": "2"},
        {"type": "web_search_call", "id": "w", "status": "completed", "action": {"query": "x"}},
        {"type": "mcp_call", "id": "m", "name": "fetch", "arguments": "{}", "output": None, "error": "refused"},
        {"type": "code_interpreter_call", "id": "c", "code": "1+1", "outputs": [{"logs": "2"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "2"}]},
    ]
    assert told(Trajectory.from_openai(items)) == [
        (0, 'add: {"a":1}', "2", "text"),
        (1, 'web_search: {"query": "x"}', "", "missing"),
        (2, "fetch: {}", "refused", "error"),
        (3, "code_interpreter: 1+1", '[{"logs": "2"}]', "text"),
    ]


def test_the_openai_clients_own_objects_are_read():
    chat = pytest.importorskip("openai.types.chat")
    responses = pytest.importorskip("openai.types.responses")
    message = chat.ChatCompletionMessage.model_validate(
        {"role": "assistant", "content": None, "tool_calls": [call("a", "search", '{"q": 1}')]}
    )
    assert told(Trajectory.from_openai([message, answer("a", "yes")])) == [(0, 'search: {"q": 1}', "yes", "text")]
    item = responses.ResponseFunctionToolCall(type="function_call", call_id="1", name="f", arguments="{}")
    assert told(Trajectory.from_openai([item])) == [(0, "f: {}", "", "missing")]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "x"}]},
        {"role": "robot", "content": "x"},
        {"content": "x"},
        "hello",
        {"role": "assistant", "tool_calls": [{"id": "1", "function": {"arguments": "{}"}}]},
    ],
)
def test_messages_of_another_form_are_refused(message: object):
    with pytest.raises(InputError):
        Trajectory.from_openai([message])


# SWE-agent


def test_sweagent_entries_are_steps_by_their_place():
    log = {
        "trajectory": [
            {"action": "str_replace_editor view /a.py", "observation": "x", "thought": "t"},
            {"action": "ls", "observation": ""},
            {"action": "", "observation": "Exited"},
            {"action": "submit", "observation": None},
        ],
        "history": [
            {"role": "user", "content": "example", "is_demo": True},
            {"role": "user", "content": [{"type": "text", "text": "Fix it."}]},
            {"role": "assistant", "action": "ls", "tool_calls": [call("1", "bash", '{"command": "ls"}')]},
        ],
    }
    trajectory = Trajectory.from_sweagent(log, first=1)
    assert [(id, observed) for id, _, _, observed in told(trajectory)] == [
        (1, "text"),
        (2, "empty"),
        (3, "text"),
        (4, "missing"),
    ]
    assert trajectory.task == "Fix it."
    assert [step.tool for step in trajectory] == [None, "bash", None, None]
    assert trajectory.step(2).arguments == '{"command": "ls"}'


def test_real_sweagent_logs_are_taken_whole():
    lengths = {}
    for path in data("swe").glob("*.traj.gz"):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            raw = json.load(file)["trajectory"]
        trajectory = Trajectory.from_sweagent(path)
        assert [(s.action, s.observation) for s in trajectory] == [(e["action"], e["observation"]) for e in raw]
        assert trajectory.task
        lengths[path.name] = len(trajectory)
    assert max(lengths.values()) == 76


@pytest.mark.parametrize("log", [[], {}, {"trajectory": {}}, {"trajectory": ["ls"]}, {"trajectory": [{"thought": ""}]}])
def test_what_is_no_sweagent_log_is_refused(log: Any):
    with pytest.raises(InputError):
        Trajectory.from_sweagent(log)


# OpenHands


def run(id: int, command: str, **more: object) -> dict[str, Any]:
    return {"id": id, "source": "agent", "action": "run", "args": {"command": command, "thought": "so"}, **more}


def came(cause: int, content: str, observation: str = "run", **extras: object) -> dict[str, Any]:
    return {"source": "agent", "cause": cause, "observation": observation, "content": content, "extras": extras}


def test_openhands_actions_are_steps_with_what_they_caused():
    events = [
        {"id": 0, "source": "user", "action": "message", "args": {"content": "Fix it."}},
        run(1, "ls"),
        came(1, "a.py", metadata={"exit_code": 0, "suffix": ""}),
        {"id": 3, "source": "environment", "observation": "agent_state_changed", "content": "", "extras": {}},
        run(4, "cat b"),
        came(4, "no such file", "error"),
        run(6, "true"),
        came(6, ""),
        run(8, "sleep 9"),
        {"id": 9, "source": "agent", "action": "message", "args": {"content": "Done."}},
    ]
    trajectory = Trajectory.from_openhands(events)
    assert told(trajectory) == [
        (0, 'run: {"command": "ls"}', "a.py\n[Command finished with exit code 0]", "text"),
        (1, 'run: {"command": "cat b"}', "no such file", "error"),
        (2, 'run: {"command": "true"}', "", "empty"),
        (3, 'run: {"command": "sleep 9"}', "", "missing"),
    ]
    assert trajectory.task == "Fix it."
    assert Trajectory.from_openhands({"history": events}) == trajectory


def test_actions_of_a_delegate_count_only_when_asked_for():
    events = [
        run(1, "ls"),
        {"id": 2, "source": "agent", "action": "delegate", "args": {"agent": "browser"}},
        run(3, "inner"),
        came(3, "x"),
        came(2, "found", "delegate"),
        run(6, "pwd"),
    ]
    assert [step.tool for step in Trajectory.from_openhands(events)] == ["run", "delegate", "run"]
    assert [step.tool for step in Trajectory.from_openhands(events, nested=True)] == ["run", "delegate", "run", "run"]


def test_the_real_openhands_log_has_its_four_calls():
    trajectory = Trajectory.from_openhands(data("swe") / "openhands_demo.json")
    assert [step.tool for step in trajectory] == [
        "execute_bash",
        "str_replace_editor",
        "str_replace_editor",
        "execute_bash",
    ]
    assert trajectory.step(0).observation.endswith("exit code 0.]")
    assert trajectory.step(1).observation == "File created successfully at: /workspace/todo-app/index.html"
    assert json.loads(trajectory.step(2).arguments or "")["path"] == "/workspace/todo-app/app.js"
    assert trajectory.task.startswith("I want to create a VueJS app")


@pytest.mark.parametrize("log", [{}, {"events": 3}, ["x"], [{"id": 1}], 7])
def test_what_is_no_openhands_log_is_refused(log: Any):
    with pytest.raises(InputError):
        Trajectory.from_openhands(log)


# Sources


@pytest.mark.parametrize("content", ["{", "", '{"a": }'])
def test_a_file_that_is_not_json_is_named(tmp_path: Path, content: str):
    path = tmp_path / "log.json"
    path.write_text(content)
    with pytest.raises(InputError, match="a file of valid JSON"):
        Trajectory.from_openai(path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path):
    (tmp_path / "bad.json.gz").write_bytes(b"not gzip")
    (tmp_path / "bad.json").write_bytes(b"\xff\xfe\xff")
    for path in (tmp_path / "none.json", tmp_path / "bad.json.gz", tmp_path / "bad.json", tmp_path):
        with pytest.raises(InputError, match="the path of a JSON file"):
            Trajectory.from_sweagent(path)


def test_a_log_without_calls_is_empty():
    assert told(Trajectory.from_openai([{"role": "user", "content": "hello"}])) == []


def test_observed_kinds_come_from_the_format_alone():
    (step,) = Trajectory.from_openai([CHAT[2] | {"tool_calls": [call("a", "f")]}, answer("a", "Error: no")])
    assert step.observed is Observed.TEXT


def test_a_call_that_is_sent_again_before_its_answer_is_one_call():
    called = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "search", "arguments": "{}"}}]}
    answer = {"role": "tool", "tool_call_id": "1", "content": "ok"}
    once = Trajectory.from_openai([called, answer])
    assert Trajectory.from_openai([called, called, answer]) == once
    # After its answer it is another call; so is one with other arguments, or without an id.
    assert len(Trajectory.from_openai([called, answer, called, answer])) == 2
    other = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "search", "arguments": "[]"}}]}
    assert len(Trajectory.from_openai([called, other, answer, answer])) == 2
