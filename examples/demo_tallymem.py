"""What a retriever sees of a coding agent's log, and what TallyMem computes over all of it. Needs no key, no model.

Run it with `make demo`.
"""

from __future__ import annotations

import json

from memory_evidence.cmc.keys import fold, tokens
from memory_evidence.lexical import BM25Index
from memory_evidence.tallymem import TallyMem, Trajectory

EDITED = "The file {} has been edited. Review the changes and make sure they are as expected."
CREATED = "File created successfully at: {}"
VIEWED = "Here's the result of running `cat -n` on {}:\n     1\t{}"
CODE = "[The command completed with exit code {}.]"


def view(path: str, line: str) -> tuple[str, str]:
    """Return a step that reads a file."""
    return _editor("view", path), VIEWED.format(path, line)


def edit(path: str, old: str, new: str) -> tuple[str, str]:
    """Return a step that changes a file."""
    return _editor("str_replace", path, old_str=old, new_str=new), EDITED.format(path)


def create(path: str, text: str) -> tuple[str, str]:
    """Return a step that makes a file."""
    return _editor("create", path, file_text=text), CREATED.format(path)


def shell(command: str, output: str, code: int = 0) -> tuple[str, str]:
    """Return a step that runs a command."""
    return f"execute_bash: {json.dumps({'command': command})}", f"{output}\n{CODE.format(code)}"


def _editor(command: str, path: str, **more: str) -> str:
    return f"str_replace_editor: {json.dumps({'command': command, 'path': path, **more})}"


TRACE = [
    shell("git log --oneline | head -3", "9f2 Log how many rows were modified\n7c1 Add the tax report"),
    shell("grep -rn round /shop", "/shop/tax.py:2: return round(x)\n/shop/total.py:4: return round(x)"),
    view("/shop/tax.py", "def tax(x):"),
    view("/shop/total.py", "def total(items):"),
    shell("pytest -q", "2 failed: test_tax, test_total", 1),
    edit("/shop/tax.py", "round(x)", "round(x, 2)"),
    shell("pytest -q", "1 failed: test_total", 1),
    view("/shop/README.md", "Say in the changelog which files were modified, and why."),
    edit("/shop/total.py", "round(x)", "cents(x)"),
    create("/shop/cents.py", "def cents(x): return int(100 * x)"),
    shell("pytest -q", "1 failed: test_total", 1),
    view("/shop/cents.py", "def cents(x): return int(100 * x)"),
    edit("/shop/cents.py", "int(100 * x)", "round(100 * x)"),
    shell("pytest -q", "6 passed"),
    view("/shop/report.py", "# Rows that were modified, and when: one line each"),
    shell("git status --short", "files modified: tax.py total.py; untracked: cents.py"),
    view("/shop/CHANGELOG.md", "# Files that were modified, by release"),
    edit("/shop/CHANGELOG.md", "# Next", "# Next\n- Totals are exact to the cent."),
    edit("/shop/tax.py", "round(x, 2)", "cents(x) / 100"),
    shell("pytest -q", "6 passed"),
]
QUESTION = "How many files were modified, and when?"


def retrieved(log: Trajectory, question: str, k: int) -> list[int]:
    """Return the ids of the k steps nearest to the question by BM25."""
    index: BM25Index[int] = BM25Index()
    for step in log:
        index.add(step.id, tokens(fold(f"{step.action} {step.observation}")))
    return [id for id, _ in index.top(tokens(fold(question)), k)]


def main() -> None:
    """Show the log, the steps that a retriever finds, and what is computed for two questions."""
    log = Trajectory.from_pairs(TRACE, task="Make totals exact to the cent.")
    print(f"The log of a coding agent: {len(log)} steps, among them reads, test runs and edits.")
    print(f"\nQuestion: {QUESTION}\n")
    print("Top 5 by similarity (BM25): steps whose text speaks of modified files, and not one that modifies a file.")
    for id in sorted(retrieved(log, QUESTION, 5)):
        print(f"  step {id:2}: {' '.join(log.step(id).observation.split())[:100]}")

    tally = TallyMem(log)
    evidence = tally.evidence(QUESTION)
    assert evidence.computed is not None
    print("\nTallyMem: the question becomes a query over a ledger with one row a step; no model is asked.\n")
    print("\n".join(f"  {line}" for line in evidence.computed.text.splitlines()))
    exits = tally.evidence("How many commands ended with exit code 1, and at which steps?")
    assert exits.computed is not None
    print(f"\nQuestion: {exits.question}\n")
    print("\n".join(f"  {line}" for line in exits.computed.text.splitlines()))
    why = tally.evidence("Why did test_total fail?")
    print(f"\nQuestion: {why.question}\n  no number is made up: {why.reason}")
    print(f"  the reader gets the view alone: {len(why.view.steps)} steps, {why.view.tokens} tokens")


if __name__ == "__main__":
    main()
