"""Which programs a shell command runs: what a launcher launches is run as well."""

from __future__ import annotations

import pytest

from memory_evidence.tallymem import Trajectory
from tests.tallymem.tallies import ask, call

LAUNCHES = [
    "python -m pytest -q",
    "python3.11 -Xdev -m pytest",
    "pytest -q",
    "poetry run pytest",
    "uv run --with httpx pytest tests",
    "conda run -n dev pytest",
    "timeout 60 pytest",
    "timeout -k 5 60s python -m pytest",
    "coverage run -m pytest",
    "sudo -E pytest",
    "sudo -u nobody pytest",
    "nice -n 5 pytest",
    "env A=1 pytest",
    "time pytest",
    "cd x && pytest",
    "PYTHONPATH=. pytest",
    "bash -lc 'cd x && pytest -q'",
    "cd x && timeout 60 poetry run python -m pytest",
]
OTHERS = [
    "echo pytest",
    "pip install pytest",
    "python -c 'import pytest'",
    "python run.py -m pytest",
    "grep -rn pytest .",
    "command -v pytest",
    "timeout 60 echo pytest",
    "echo 'bash pytest'",
]


@pytest.mark.parametrize("command", LAUNCHES)
def test_what_a_launcher_launches_is_run(command):
    log = Trajectory.from_pairs([(call("bash", command=command), ""), (call("bash", command="pytest x"), "")])
    (result,) = ask(log, "How many times was pytest run?").results
    assert result.value == 2


@pytest.mark.parametrize("command", OTHERS)
def test_what_is_an_argument_is_not_run(command):
    log = Trajectory.from_pairs([(call("bash", command=command), ""), (call("bash", command="pytest x"), "")])
    (result,) = ask(log, "How many times was pytest run?").results
    assert result.steps == (1,)


def test_the_launcher_is_run_as_well():
    log = Trajectory.from_pairs([(call("bash", command=command), "") for command in LAUNCHES])
    (result,) = ask(log, "How many times was python run?").results
    assert result.steps == (0, 1, 7, 17)


def test_a_command_in_no_list_is_one_by_the_exit_code_that_it_came_back_with():
    ended = "{}\n[The command completed with exit code {}.]"
    log = Trajectory.from_pairs(
        [
            ("frobnicate --all", ended.format("3 found", 0)),
            ("kubectl get pods", "error: no cluster"),
            ("frobnicate", ended.format("no such cluster", 3)),
            ("open drawer 1", "exit code 3 is painted on it."),
            ("note: all kept", ended.format("kept", 3)),
        ]
    )
    assert ask(log, "How many commands returned exit code 3?").results[0].steps == (2,)
    assert ask(log, "How many times was frobnicate run?").results[0].steps == (0, 2)
    assert ask(log, "How many times was kubectl run?").results[0].steps == (1,)


def test_no_tool_is_made_up_for_what_names_none():
    log = Trajectory.from_pairs([("ls src", ""), ("make coffee", ""), ("cat sleeps", ""), ("go north", "")])
    (result,) = ask(log, "How often was each tool used?").results
    assert result.value == {"ls": 1, "make": 1, "cat": 1, "go": 1}


def test_programs_of_bare_command_lines_are_counted():
    log = Trajectory.from_pairs([("cd x && pytest", ""), ("pytest -q", ""), ("ls", ""), ("look", "")])
    assert ask(log, "How many times was pytest run?").results[0].steps == (0, 1)
    assert ask(log, "How many bash commands were executed?").results[0].steps == (0, 1, 2)
