"""A receipt has its form: content that begins with the same words shows nothing."""

from __future__ import annotations

import pytest

from memory_evidence.tallymem import Ledger, Outcome, Step
from memory_evidence.tallymem.receipts import exit_code
from tests.tallymem.tallies import call


def outcome(observation: str, action: str = "web_search: x") -> Outcome:
    return Ledger([Step(0, action, observation)]).rows[0].outcome


@pytest.mark.parametrize(
    "observation",
    [
        "Error: rate limit reached",
        "ERROR:\nno",
        "Error",
        "Error 404",
        "error code 7 from the server",
        "Error [5]: no",
        "Error executing tool search: no",
        "An error occurred",
        "fetch_page error: no route",
        "KeyError: 'x'",
        "requests.exceptions.ConnectionError: no",
        "Exception: no",
        "Failed to open the page",
        "Failed: no",
        "failed",
        "Traceback (most recent call last):\n",
        "fatal: not a git repository",
        "{'error': 'no such page'}",
        '{"error": {"code": 3}}',
    ],
)
def test_an_error_that_is_told_in_the_form_of_one_is_a_failure(observation: str):
    assert outcome(observation) is Outcome.FAILURE


@pytest.mark.parametrize(
    "observation",
    [
        "Error handling in Python: a guide",
        "Errors: how to read them",
        "Heart failure: an overview",
        "Failed states in history",
        "Exception handling, chapter 3",
        "{'error': None}",
        '{"error": null, "result": 3}',
        "{'error': False}",
        '{"error": "", "result": 3}',
        "Nothing happens in this novel",
        "Unknown actions of the past",
        "Invalid action figures, a list",
        "The page explains what an error is.",
    ],
)
def test_content_that_begins_with_the_same_words_is_none(observation: str):
    assert outcome(observation) is Outcome.UNKNOWN


@pytest.mark.parametrize(
    "observation", ["Nothing happens.", "nothing happens", "Nothing happens!", "Invalid action: fly", "No edits made"]
)
def test_what_had_no_effect_is_said_in_a_whole_sentence(observation: str):
    assert outcome(observation) is Outcome.NO_EFFECT


@pytest.mark.parametrize(
    ("observation", "code"),
    [
        ("[The command completed with exit code 0.]", 0),
        (
            "out\n[The command completed with exit code 3.]\n[Directory: /a]\n[Command finished with exit code 3]",
            3,
        ),
        ("out\n[The command completed with exit code 130. CTRL+C was sent.]", 130),
        ("Exit code 1\nsome output", 1),
        ("some output\nExit code: 2\n", 2),
        ("some output\nProcess exited with exit code -9", -9),
        ("a\nexit code 0\n\n\n", 0),
        ("x" * 1_000_000 + "\nexit code 4", 4),
        ("step 3: exit code: 5\nstep 4 ok", None),
        ("step 3: exit code: 5", None),
        ("a\nexit code 5\nb", None),
        ("the docs say: exit code 2 means usage\n", None),
        ("exit code " * 100_000, None),
        ("[" * 100_000, None),
        ("", None),
    ],
)
def test_an_exit_code_is_that_of_the_command_and_not_one_in_its_output(observation: str, code: int | None):
    assert exit_code(observation) == code
    row = Ledger([Step(0, call("bash", command="cat ci.log"), observation)]).rows[0]
    assert row.exit_code == code
