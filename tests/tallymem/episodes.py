"""Made-up episodes in the two forms that the probe asks about."""

from __future__ import annotations

import json
import random
from typing import Any

HELP = "\n\nThe current available actions are: go to drawer 1, open drawer 12, look"
FILES = ("/repo/cart.py", "/repo/test_cart.py", "/repo/tax/rates.py", "/repo/README.md")
ENDING = "\n[The command completed with exit code {}.]\n[Command finished with exit code {}]"


def household(episode: str, count: int) -> dict[str, Any]:
    """An embodied episode whose names begin one another: drawer 1 and drawer 12, spoon 2 and spoon 21."""
    draw = random.Random(episode)
    turns = []
    for number in range(count):
        place = f"{draw.choice(('drawer', 'cabinet'))} {draw.choice((1, 2, 12))}"
        thing = f"spoon {draw.choice((2, 21))}"
        action, observation = draw.choice(
            (
                (f"go to {place}", f"You arrive at {place}. On the {place}, you see a {thing}."),
                (f"go to {place}", f"You arrive at {place}. The {place} is closed."),
                (f"open {place}", f"You open the {place}. The {place} is open. In it, you see nothing."),
                (f"close {place}", f"You close the {place}."),
                (f"take {thing} from {place}", f"You pick up the {thing} from the {place}."),
                (f"move {thing} to {place}", f"You move the {thing} to the {place}."),
                ("look", f"You are facing the {place}. Next to it, you see nothing."),
                ("inventory", f"You are carrying: a {thing}."),
                (f"examine {thing}", "Nothing happens."),
            )
        )
        turns.append({"turn_idx": number, "action": action, "observation": observation + HELP})
    return {"episode_id": episode, "task_type": "alfworld", "trajectory": turns, "qa_pairs": []}


def software(episode: str, count: int) -> dict[str, Any]:
    """A software episode; commands and file contents name other tools and other exit codes."""
    draw = random.Random(episode)
    turns = []
    for number in range(count):
        path = draw.choice(FILES)
        kind = draw.choice(("bash", "bash", "view", "view", "str_replace", "create", "insert", "think"))
        code = draw.choice((0, 0, 1, 2))
        if kind == "bash":
            command = draw.choice((f"grep -n view {path}", "pytest -q", f"cat {path} | head", "python create.py"))
            action = "execute_bash: " + json.dumps({"command": command})
            observation = f"the log says exit code {9 - code}" + ENDING.format(code, code)
        elif kind == "think":
            action = "think: " + json.dumps({"thought": f"I should view {path} and run execute_bash"})
            observation = "Your thought has been logged."
        else:
            given = {"command": kind, "path": path, "new_str": "view create insert exit code 5"}
            action = "str_replace_editor: " + json.dumps(given)
            observation = {
                "view": f"Here's the result of running `cat -n` on {path}:\n 1\texit code 7",
                "create": f"File created successfully at: {path}",
            }.get(kind, f"The file {path} has been edited.")
        turns.append({"turn_idx": number, "action": action, "observation": observation})
    return {"episode_id": episode, "task_type": "swebench", "trajectory": turns, "qa_pairs": []}
