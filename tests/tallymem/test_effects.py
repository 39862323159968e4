"""What a call does to files: only a call that names a file and says what it does has an effect."""

from __future__ import annotations

import pytest

from memory_evidence.tallymem import Effect, Ledger, Outcome, Row, Step
from tests.tallymem.tallies import call


def row_of(action: str, observation: str = "") -> Row:
    return Ledger([Step(0, action, observation)]).rows[0]


@pytest.mark.parametrize(
    ("tool", "arguments", "effect"),
    [
        ("edit_file", {"path": "a.ts"}, Effect.EDIT),
        ("editFile", {"path": "a.ts"}, Effect.EDIT),
        ("MultiEdit", {"file_path": "/a.ts"}, Effect.EDIT),
        ("NotebookEdit", {"notebook_path": "/n.ipynb"}, Effect.EDIT),
        ("update_file", {"filePath": "a.ts"}, Effect.EDIT),
        ("fs.modify", {"file": "a.ts"}, Effect.EDIT),
        ("mcp__fs__rewrite", {"target": "src/a.ts"}, Effect.EDIT),
        ("writeFile", {"fileName": "a.ts"}, Effect.CREATE),
        ("Read", {"file_path": "/a.ts"}, Effect.READ),
        ("delete_file", {"path": "a.ts"}, Effect.DELETE),
        ("removeFile", {"file_name": "a.ts"}, Effect.DELETE),
        ("files.remove", {"paths": ["a.ts", "b.ts"]}, Effect.DELETE),
        ("editor", {"command": "delete", "path": "a.ts"}, Effect.DELETE),
        ("editor", {"command": "view", "path": "a.ts"}, Effect.READ),
        # About no file.
        ("create_user", {"id": "u1"}, None),
        ("read_email", {"id": "m1"}, None),
        ("open_door", {"target": "door 1"}, None),
        ("open_url", {"url": "https://x.test/a.html"}, None),
        ("delete_record", {"id": "7"}, None),
        ("removed_items", {"path": "a.ts"}, None),  # the word is another
        ("credit", {"file": "a.ts"}, None),
        ("edit_file", {"text": "a.ts"}, None),  # not under a name that says so
    ],
)
def test_an_effect_needs_a_word_of_the_name_and_a_file(tool: str, arguments: dict[str, object], effect: Effect | None):
    assert row_of(call(tool, **arguments)).effect is effect


@pytest.mark.parametrize(
    ("action", "untold"),
    [
        (call("bash", command="ls"), True),
        (call("run_command", command="ls"), True),
        (call("runCommand", command="ls -la"), True),
        (call("container.exec", cmd=["bash", "-lc", "ls"]), True),
        (call("code_interpreter", code="open('/b.py', 'w')"), True),
        (call("run", script="x"), True),
        (call("node", code="x"), True),
        (call("execute_python", source="x"), True),
        ("ls src", True),
        ("python: print(1)", True),
        (call("move_file", path="a.py", target="b.py"), True),
        (call("copy", source_file="a.py"), True),
        (call("apply_patch", input="*** Update File: a.py"), True),
        (call("edit_file", diff="--- a.py"), True),
        (call("edit_file", path="a.py"), False),
        (call("search_files", path="src", query="x"), False),
        (call("list_dir", path="src"), False),
        (call("browser", command="scroll"), False),
        (call("send_email", to="a@x.org", body="code"), False),
        (call("open_door", target="door 1"), False),
        ("go to drawer 1", False),
        ("", False),
    ],
)
def test_what_a_call_may_have_done_is_told_apart_from_what_it_says(action: str, untold: bool):
    assert row_of(action).untold is untold


@pytest.mark.parametrize("command", ["ls", "make", "ls -la"])
@pytest.mark.parametrize("tool", ["run_command", "execute_command", "runCommand", "container.exec", "ssh"])
def test_the_command_of_a_tool_that_runs_commands_is_a_program_and_no_part_of_its_name(tool: str, command: str):
    row = row_of(call(tool, command=command))
    assert (row.tool, row.act) == (tool, command.split()[0])


def test_a_command_may_come_as_a_list_of_words():
    assert row_of(call("container.exec", cmd=["bash", "-lc", "cd a && pytest -q | tail"])).act == "bash cd pytest tail"


def written(*steps: tuple[str, str]) -> list[Effect | None]:
    ledger = Ledger([Step(number, action, observation) for number, (action, observation) in enumerate(steps)])
    return [row.effect for row in ledger.rows]


def test_writing_to_a_file_that_is_there_does_not_create_it():
    write = call("Write", file_path="/a.py", content="x")
    assert written((write, "ok"), (write, "ok")) == [Effect.CREATE, Effect.EDIT]
    assert written((call("Read", file_path="/a.py"), "1 x"), (write, "ok"))[-1] is Effect.EDIT
    assert written((write, "The file /a.py has been updated."))[-1] is Effect.EDIT
    assert written((write, "File created successfully at: /a.py"))[-1] is Effect.CREATE
    # A read that failed, and a deletion, leave no file to write to.
    assert written((call("Read", file_path="/a.py"), "Error: no such file"), (write, "ok"))[-1] is Effect.CREATE
    assert written((write, ""), (call("delete_file", path="/a.py"), ""), (write, ""))[-1] is Effect.CREATE
    # `create` of an editor refuses to overwrite: it says itself what it did.
    made = call("str_replace_editor", command="create", path="/a.py")
    assert written((made, ""), (made, "")) == [Effect.CREATE, Effect.CREATE]


def test_a_deletion_is_confirmed_by_its_receipt():
    row = row_of(call("delete_file", path="a.py"), "The file a.py has been deleted.")
    assert (row.outcome, [str(change) for change in row.changes]) == (Outcome.SUCCESS, ["a.py.content -> deleted"])
    assert row_of(call("delete_file", path="a.py"), "No such file").outcome is Outcome.FAILURE
    assert row_of(call("delete_file", path="a.py"), "a.py").outcome is Outcome.UNKNOWN


@pytest.mark.parametrize("text", ["The page is odd", "I will open it", "All good", "this, then that", "Next we look"])
def test_prose_in_the_place_of_an_action_is_no_tool(text: str):
    assert (row_of(text).tool, row_of(text).targets) == ("", ())


@pytest.mark.parametrize("action", ["I: {}", "next({})", "a 1", "Move East", "the_tool: x"])
def test_a_tool_may_have_a_name_that_prose_begins_with(action: str):
    assert row_of(action).tool
