"""Trajectories of the tests' own making."""

from __future__ import annotations

import json

from memory_evidence.tallymem import Ledger, Trajectory
from memory_evidence.tallymem.execute import execute
from memory_evidence.tallymem.results import Execution
from memory_evidence.tallymem.rules import RuleCompiler

HOUSE = Trajectory.from_pairs(
    [
        ("look", "You are in the middle of a room."),
        ("go to drawer 1", "You arrive at drawer 1. The drawer 1 is closed."),
        ("open drawer 1", "You open the drawer 1. The drawer 1 is open. In it, you see a spoon 2."),
        ("take spoon 2 from drawer 1", "You pick up the spoon 2 from the drawer 1."),
        ("go to drawer 10", "You arrive at drawer 10. The drawer 10 is closed."),
        ("open drawer 10", "You open the drawer 10. The drawer 10 is open. In it, you see a spoon 12."),
        ("move spoon 2 to drawer 10", "You move the spoon 2 to the drawer 10."),
        ("close drawer 1", "Nothing happens."),
        ("go to drawer 1", "You arrive at drawer 1. The drawer 1 is open."),
        ("close drawer 1", "You close the drawer 1."),
        ("take spoon 12 from drawer 10", "You pick up the spoon 12 from the drawer 10."),
        ("open drawer 1", "You open the drawer 1. The drawer 1 is open. In it, you see nothing."),
        ("look", "You are facing the drawer 1. Next to it, you see nothing. To open drawer 1 again, close it."),
        ("inventory", "You are carrying: a spoon 12."),
    ]
)


def call(tool: str, **arguments: object) -> str:
    """Return a call as logs of coding agents write it."""
    return f"{tool}: {json.dumps(arguments)}"


CODE = Trajectory.from_pairs(
    [
        (call("search", query="open the shop"), "3 results"),
        (call("search_web", query="search"), "2 results"),
        (call("search", query="cart"), "Error: rate limit reached"),
        (call("str_replace_editor", command="view", path="/shop/cart.py"), "Here's the result of running `cat -n`"),
        (
            call("str_replace_editor", command="str_replace", path="/shop/cart.py", old_str="x", new_str="view"),
            "The file /shop/cart.py has been edited.",
        ),
        (call("execute_bash", command="grep -n total /shop/cart.py"), "[The command completed with exit code 1.]"),
        (
            call("execute_bash", command="pytest -q"),
            "exit code 0 is expected\n[The command completed with exit code 2.]",
        ),
        (
            call("str_replace_editor", command="create", path="/shop/tax.py", file_text="rate = 2"),
            "File created successfully at: /shop/tax.py",
        ),
        (
            call("str_replace_editor", command="str_replace", path="/shop/cart.py", old_str="y", new_str="z"),
            "The file /shop/cart.py has been edited.",
        ),
        (call("execute_bash", command="cd /shop && ls | grep -c tax"), "1\n[The command completed with exit code 0.]"),
    ]
)


_EDITED, _CREATED = "The file {} has been edited.", "File created successfully at: {}"
EDITS = Trajectory.from_pairs(
    [
        (call("execute_bash", command="ls /shop"), "tax.py cart.py old.py"),
        (call("str_replace_editor", command="create", path="/shop/tax.py"), _CREATED.format("/shop/tax.py")),
        (
            call("str_replace_editor", command="create", path="/shop/tax.py"),
            "File already exists at: /shop/tax.py. Cannot overwrite files using command `create`.",
        ),
        (
            call("str_replace_editor", command="str_replace", path="/shop/tax.py", old_str="x"),
            "No replacement was performed, old_str `x` did not appear verbatim in /shop/tax.py.",
        ),
        (
            call("str_replace_editor", command="str_replace", path="/shop/old.py", old_str="x"),
            "ERROR:\nNo replacement was performed. Multiple occurrences of old_str `x` in lines [2, 9].",
        ),
        (
            call("str_replace_editor", command="view", path="/shop/gone.py"),
            "The path /shop/gone.py does not exist. Please provide a valid path.",
        ),
        (call("str_replace_editor", command="str_replace", path="/shop/tax.py"), _EDITED.format("/shop/tax.py")),
        (call("str_replace_editor", command="insert", path="/shop/tax.py"), _EDITED.format("/shop/tax.py")),
        (call("str_replace_editor", command="str_replace", path="/shop/cart.py"), _EDITED.format("/shop/cart.py")),
        (call("str_replace_editor", command="view", path="/shop/tax.py"), "Here's the result of running `cat -n`"),
        (call("str_replace_editor", command="create", path="/shop/rates.json"), _CREATED.format("/shop/rates.json")),
    ]
)
"""Of the ten calls of the editor, four are refused: a create, two replacements and a view."""


def ask(trajectory: Trajectory, question: str) -> Execution:
    """Compile by the rules and run."""
    ledger = Ledger(trajectory)
    return execute(ledger, RuleCompiler(ledger).compile(question))


def steps(trajectory: Trajectory, question: str) -> tuple[int, ...]:
    """Return the matched steps of the only result."""
    (result,) = ask(trajectory, question).results
    return result.steps


def value(trajectory: Trajectory, question: str) -> object:
    """Return the value of the only result."""
    (result,) = ask(trajectory, question).results
    return result.value
