"""The file-event graph: exact paths, reads apart from writes, confirmed by receipts alone."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.tallymem import Archive, FileGraph, Observed, Step, Trajectory
from memory_evidence.tallymem.files import read_event
from tests.tallymem.trajectories import editor, real, texts, trajectories

SHOWN = "Here's the result of running `cat -n` on {}:\n     1\tx = 1"
EDITED = "The file {} has been edited. Here's the result of running `cat -n` on a snippet of {}:\n"


def graph(*pairs: tuple[str, str]) -> FileGraph:
    return FileGraph(Trajectory.from_pairs(pairs))


@pytest.mark.parametrize(
    ("command", "receipt", "access"),
    [
        ("view", SHOWN, "read"),
        ("view", "Here's the files and directories up to 2 levels deep in {}, excluding hidden items:\n", "read"),
        ("view", "<NOTE>This file is too large to display entirely. Showing abbreviated version.", "read"),
        ("create", "File created successfully at: {}", "write"),
        ("insert", EDITED, "write"),
        ("str_replace", EDITED, "write"),
        ("undo_edit", "Last edit to {} undone successfully.", "write"),
        ("str_replace", "EXECUTION RESULT of [str_replace_editor]:\n" + EDITED, "write"),
    ],
)
def test_a_leading_receipt_confirms(command: str, receipt: str, access: str):
    (event,) = graph((editor(command, "/src/a.py"), receipt.format("/src/a.py", "/src/a.py"))).events
    assert (event.command, event.access, event.confirmed, event.path) == (command, access, True, "/src/a.py")


@pytest.mark.parametrize(
    "observation",
    [
        "",
        "ERROR:\nNo replacement was performed. Multiple occurrences of old_str.",
        "Note: The file /src/a.py has been edited.",
        "The file /src/a.pyx has been edited.",
        "The file /src/b.py has been edited.",
        "File created successfully at: /src/a.py",
    ],
)
def test_without_its_leading_receipt_an_operation_stays_an_attempt(observation: str):
    (event,) = graph((editor("str_replace", "/src/a.py"), observation)).events
    assert not event.confirmed
    assert (event.observation_ref.start, event.observation_ref.stop) == (0, len(observation))


def test_an_error_confirms_nothing_whatever_it_says():
    event = read_event(Step(0, editor("create", "/a"), "File created successfully at: /a", Observed.ERROR))
    assert event is not None
    assert not event.confirmed


def test_files_of_one_name_stay_apart_and_a_renamed_file_is_another():
    files = graph(
        (editor("create", "/src/a.py"), "File created successfully at: /src/a.py"),
        (editor("view", "/lib/a.py"), SHOWN.format("/lib/a.py")),
        ("execute_bash: " + json.dumps({"command": "mv /src/a.py /src/c.py"}), ""),
        (editor("view", "/src/c.py"), SHOWN.format("/src/c.py")),
    )
    assert files.paths == ("/src/a.py", "/lib/a.py", "/src/c.py")
    assert [event.step for event in files.of("/src/a.py")] == [0]
    assert files.event(2) is None


@pytest.mark.parametrize(
    "action",
    [
        editor("view", "/src/a b.py"),
        'str_replace_editor({"path": "/src/a b.py", "command": "view"})',
        'str_replace_editor: {"command":"view","view_range":[1,{"path":"/x"}],"path":"/src/a b.py"} trailing',
        "str_replace_editor view '/src/a b.py' --view_range 1 9",
        'str_replace_editor view "/src/a b.py"',
    ],
)
def test_every_form_of_the_call_is_read(action: str):
    (event,) = graph((action, SHOWN.format("/src/a b.py"))).events
    assert (event.path, event.command, event.confirmed) == ("/src/a b.py", "view", True)
    step = Step(0, action)
    assert event.path_ref.of(step.action) == "/src/a b.py"
    assert event.command_ref.of(step.action) == "view"


def test_a_structured_tool_name_decides():
    assert read_event(Step(0, editor("view", "/a"), tool="bash", arguments="{}")) is None
    assert read_event(Step(0, editor("view", "/a"), tool="str_replace_editor", arguments="{}")) is not None


@pytest.mark.parametrize(
    "action",
    [
        editor("view", "src/a.py"),
        editor("destroy", "/src/a.py"),
        'str_replace_editor: {"command": "view", "path": ["/src/a.py"]}',
        'str_replace_editor: {"command": "view", "path": "/src/a.py"',
        'str_replace_editor: {"command" "view"}',
        "str_replace_editor: {",
        "str_replace_editor",
        "my_str_replace_editor: " + json.dumps({"command": "view", "path": "/src/a.py"}),
        "echo 'str_replace_editor view /src/a.py'",
        "",
    ],
)
def test_what_is_no_readable_call_on_an_absolute_path_is_no_event(action: str):
    assert graph((action, SHOWN.format("/src/a.py"))).events == ()


def test_a_word_inside_an_argument_is_no_command():
    (event,) = graph((editor("view", "/a.py", note='{"command": "create", "path": "/b.py"}'), "")).events
    assert (event.command, event.path) == ("view", "/a.py")


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Who changed /src/util/card.py?", ["/src/util/card.py"]),
        ("What became of util/card.py, and why?", ["/src/util/card.py"]),
        ("`./util/card.py`", ["/src/util/card.py"]),
        ("Was main.go read?", ["/src/main.go"]),
        ("card.py", []),
        ("/elsewhere/main.go", []),
        ("test_main.go or main.gob or x-main.go", []),
        ("/src/util/card.py and /lib/card.py.", ["/src/util/card.py", "/lib/card.py"]),
    ],
)
def test_a_question_names_a_file_by_its_path_or_by_an_end_that_only_it_has(question: str, named: list[str]):
    files = graph(*((editor("view", path), "") for path in ("/src/util/card.py", "/lib/card.py", "/src/main.go")))
    assert sorted(files.named(question)) == sorted(named)


@given(st.one_of(texts, texts.map("str_replace_editor: {}".format), texts.map("str_replace_editor view /{}".format)))
def test_no_text_breaks_the_reader_and_spans_equal_their_source(action: str):
    event = read_event(Step(0, action, "The file /x has been edited"))
    if event is not None and "\\" not in action:
        assert event.path_ref.of(action) == event.path


@given(trajectories(), texts)
def test_any_question_may_be_asked_for_files(trajectory: Trajectory, question: str):
    files = FileGraph(trajectory)
    assert set(files.named(question)) <= set(files.paths)


def test_every_editor_call_of_the_real_logs_is_read_and_its_spans_hold():
    confirmed = attempts = 0
    for trajectory, _ in real():
        files, archive = FileGraph(trajectory), Archive(trajectory)
        calls = [step.id for step in trajectory if step.action.startswith("str_replace_editor")]
        assert [event.step for event in files.events] == calls
        for event in files.events:
            assert archive.text(event.path_ref) == event.path
            assert archive.text(event.command_ref) == event.command
            confirmed += event.confirmed
            attempts += not event.confirmed
            if not event.confirmed:
                said = trajectory.step(event.step).observation
                assert said.startswith(("ERROR", "No replacement", "File already exists"))
    assert confirmed > 800
    assert attempts > 10
