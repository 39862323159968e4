"""Rows that a store keeps are read again when steps are read in another way; what a model said stays."""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
from collections.abc import Iterable
from dataclasses import replace

import pytest

from memory_evidence.store import open_log
from memory_evidence.tallymem import Effect, Ledger, Observed, Outcome, Row, Step, TallyMem, Trajectory, reading
from memory_evidence.tallymem.annotate import Said, annotated
from memory_evidence.tallymem.coding import decode_row, encode_row
from memory_evidence.tallymem.kept import SAID
from memory_evidence.testing import ScriptedModel
from tests.tallymem.tallies import call
from tests.tallymem.trajectories import real

SCOPE = ("acme", "ann")

_OBSERVED = (
    "",
    "ok",
    "Nothing happens.",
    "Error: no such thing",
    "ERROR:\nNo replacement was performed.",
    "The file /a/b.py has been edited.",
    "File created successfully at: /a/b.py",
    "Here's the result of running `cat -n` on /a/b.py",
    "[The command completed with exit code 0.]",
    "[The command completed with exit code 1.]",
    "EXECUTION RESULT of [edit_file]:\nThe file /a/b.py does not exist.",
    "You pick up the cup 1 from the shelf 2.",
    "You turn on the lamp 1.",
    "You are carrying: a cup 1.",
    "The file /a/b.py has been updated.",
    "The file a.py has been deleted.",
    "exit code: 3 is content\nexit code 5",
    "{'error': None}",
    "Error handling: a guide",
)
_ACTIONS = (
    "",
    "look",
    "go to shelf 2",
    "take cup 1 from shelf 2",
    "put cup 1 in/on shelf 10",
    "use lamp 1",
    "click [12] where [12] is link 'Next page'",
    "scroll [down]",
    "search: kestrel falcon",
    "Move East",
    "fetch({'url': 'http://x.test/a'})",
    call("fetch", url="http://x.test/a", text="b"),
    call("str_replace_editor", command="view", path="/a/b.py", view_range=[1, 9]),
    call("str_replace_editor", command="create", path="/a/b.py", file_text="x"),
    call("str_replace_editor", command="str_replace", path="/a/b.py", old_str="x", new_str="y"),
    call("str_replace_editor", command="insert", path="/a/c.py", new_str="y"),
    call("str_replace_editor", command="undo_edit", path="/a/b.py"),
    call("str_replace_editor", command="view"),
    "str_replace_editor view /a/b.py --range 1 5",
    call("edit_file", path="a.py", old="1", new="2"),
    call("read_file", file_name="a.py"),
    call("write_file", filename="a.py", content="1"),
    call("delete_file", path="a.py"),
    call("files.remove", path="a.py"),
    call("move_file", path="a.py", target="b.py"),
    call("send_mail", to="a@x.org", body="line\nline"),
    call("MultiEdit", file_path="/a/b.py"),
    call("writeFile", fileName="a.ts"),
    call("apply_patch", input="*** a.py"),
    call("create_user", id="u1"),
    call("container.exec", cmd=["bash", "-lc", "ls | wc"]),
    call("run_command", command="ls"),
    "The page is odd",
    call("run_tests", suite="all"),
    call("python", code="print(1)"),
    call("execute_bash", command="cd /a && git add -A && git commit -m 'x | y' > /dev/null"),
    call("execute_bash", command="find . -name '*.py' | xargs -n 1 grep -l total; timeout 30 python3.11 -m pytest -q"),
    call("execute_bash", command="sudo -u bob env A=1 nohup ./run.sh & poetry run python a/b.py"),
    call("execute_bash", command="bash -c 'rm -rf /a && ls' ; cat <<EOF > /a/d.py\nmake all\nEOF"),
    call("execute_bash", command="diff a.py b.py || grep -c total /a/b.py"),
    call("execute_bash", commands="ls"),
    "pytest -q tests/a.py",
    "grep -rn total src | head",
    "for f in *; do wc $f; done # all\ncat <<E\nmake\nE\nX=$(git log)",
    'edit_file: {"path": "a.py"',
    "edit_file('a.py', 'x', 'y')",
    'read_file(path="a.py", limit=5)',
    "edit_file: a.py 3:5",
    "create_event: a.py",
)
FIXED = [
    *(
        Step(number, action, observation)
        for number, (action, observation) in enumerate(
            (action, observation) for observation in _OBSERVED for action in _ACTIONS
        )
    ),
    Step(10_000, "fetch x", "timeout", Observed.ERROR),
    Step(10_001, "fetch x", "", Observed.MISSING),
    Step(10_002, "ran the tests", "exit code 3", tool="terminal", arguments='{"command": "pytest"}'),
]

PINNED = {"here": "1dc1b5d856bafb36", "real": "f8eaf405a0bf9e4f"}
"""Of the rows that the version `reading.READING` makes. Where these steps are read in another way, raise the version in
the same change, and only then put the new hashes here: stores of users hold rows of the old one."""
VERSION = 6


def digest(ledgers: Iterable[Ledger]) -> str:
    found = hashlib.sha256()
    for ledger in ledgers:
        for row in ledger.rows:
            found.update(encode_row(row) + b"\n")
    return found.hexdigest()[:16]


def test_the_version_goes_up_when_steps_are_read_in_another_way():
    assert (reading.READING, digest([Ledger(FIXED)])) == (VERSION, PINNED["here"])


def test_the_version_goes_up_when_real_steps_are_read_in_another_way():
    assert (reading.READING, digest(Ledger(trajectory) for trajectory, _ in real())) == (VERSION, PINNED["real"])


STEPS = Trajectory.from_pairs(
    [
        (call("execute_bash", command="find . | xargs grep total"), "[The command completed with exit code 0.]"),
        ("press the red button", "A green light turns on. The door is now open."),
        ("open drawer 1", "You open the drawer 1. The drawer 1 is open."),
        ("read log", "A page about errors: see below"),
        (call("edit_file", path="a.py", old="1"), "The file a.py has been edited."),
        ("turn the knob", "Error: it is stuck"),
        ("look", "You see a door."),
    ]
)
SAYS = [
    {"id": 0, "act": "search", "targets": ["total"]},
    {
        "id": 1,
        "act": "push",
        "targets": ["red button", "door"],
        "outcome": "success",
        "quote": "green light",
        "changes": [{"object": "door", "property": "state", "value": "open"}],
    },
    {"id": 2, "outcome": "failure", "quote": "The drawer 1 is open", "targets": ["drawer 1"]},
    {"id": 3, "targets": ["log"], "act": "log"},
    {"id": 4, "outcome": "unknown"},
    {"id": 5, "outcome": "success", "quote": "it is stuck"},
]
"""What a model says of all steps but the last."""


def older_row(row: Row) -> Row:
    """Return a row as some reading before this one may have made it."""
    older = {
        0: replace(row, act="find xargs", targets=(), effect=Effect.READ),
        2: replace(row, outcome=Outcome.UNKNOWN, quote="", changes=()),
        3: replace(row, outcome=Outcome.FAILURE, quote="A page about errors: see below", targets=()),
        4: replace(row, tool="edit", act="edit", effect=None, difference="old: 1 -> 2"),
    }
    return older.get(row.step, row)


def without_untold(row: Row) -> bytes:
    """Return a row as it was kept when there was no `untold`."""
    return json.dumps(json.loads(encode_row(row))[:10]).encode()


def write_as_reading_2(path: str) -> None:
    """Turn what a file keeps of `STEPS` into what was kept before there were versions of the reading."""
    said = {one["id"]: Said.model_validate(one) for one in SAYS}
    with sqlite3.connect(path) as file:
        name = b"tallymem-rows-%d/" % reading.READING
        kept = file.execute("SELECT scope_id, compiler, hash, payload FROM memory_evidence_compiled").fetchall()
        file.execute("DELETE FROM memory_evidence_compiled")
        # Steps tell their rows apart here by their actions and observations alone.
        at = {encode_row(row): row for row in Ledger(STEPS).rows}
        for scope, compiler, key, payload in kept:
            if not compiler.startswith(name):
                continue
            options = compiler.removeprefix(name)
            row = older_row(at[payload])
            step = STEPS.step(row.step)
            insert = "INSERT INTO memory_evidence_compiled (scope_id, compiler, hash, payload) VALUES (?, ?, ?, ?)"
            file.execute(insert, (scope, b"tallymem-rows-2/" + options, key, without_untold(row)))
            if one := said.get(row.step):
                whole = without_untold(annotated(row, step, one))
                file.execute(insert, (scope, b"tallymem-annotations-1/" + options, key, whole))
        file.execute(insert, (scope, b"tallymem-annotations-1/" + options, b"mark", b"1"))
    file.close()


@pytest.fixture
def older(file_url: str) -> str:
    """The URL of a store that a release with an older reading wrote."""
    with TallyMem.open(SCOPE, store=file_url) as live:
        live.extend(STEPS)
    write_as_reading_2(file_url.removeprefix("sqlite:///"))
    return file_url


def answer(ids: Iterable[int]) -> str:
    return json.dumps({"rows": [one for one in SAYS if one["id"] in ids]})


def as_read_now() -> list[Row]:
    """The rows of the steps and of what the model said, with nothing kept before."""
    memory = TallyMem(STEPS, ScriptedModel([answer(range(6))]))
    memory.annotate()
    return list(memory.ledger.rows)


def test_rows_of_an_older_reading_are_read_again_and_no_model_is_asked(older: str):
    with TallyMem.open(SCOPE, store=older) as again:
        assert list(again.ledger.rows) == as_read_now()
        assert again.ledger.row(0).act == "find xargs grep"
        assert again.evidence("How many files were edited?").computed.results[0].value == 1
        # What the older reading took from the text itself is no annotation, though the annotated row held it.
        assert (again.ledger.row(3).outcome, again.ledger.row(3).act) == (Outcome.UNKNOWN, "log")
        assert again.ledger.row(2).outcome is Outcome.SUCCESS


def test_they_are_read_once_and_only_steps_without_an_annotation_are_annotated(
    older: str, monkeypatch: pytest.MonkeyPatch
):
    with TallyMem.open(SCOPE, store=older):
        expected = as_read_now()
    monkeypatch.setattr(reading, "read_action", None)
    model = ScriptedModel([json.dumps({"rows": [{"id": 6, "targets": ["door"]}]})])
    with TallyMem.open(SCOPE, store=older, model=model) as again:
        assert list(again.ledger.rows) == expected
        assert again.annotate().calls == 1
        assert [one["id"] for one in json.loads(model.calls[0].messages[-1].content)] == [6]
        rows = list(again.ledger.rows)
    with TallyMem.open(SCOPE, store=older, model=ScriptedModel([])) as once_more:
        assert list(once_more.ledger.rows) == rows
        assert once_more.annotate().calls == 0


def test_the_next_version_of_the_reading_keeps_what_the_model_said(file_url: str, monkeypatch: pytest.MonkeyPatch):
    with TallyMem.open(SCOPE, store=file_url, model=ScriptedModel([answer(range(6))])) as live:
        live.extend(STEPS)
        live.annotate()
    monkeypatch.setattr("memory_evidence.tallymem.kept.READING", reading.READING + 1)
    read = reading.read_action
    monkeypatch.setattr(
        reading,
        "read_action",
        lambda step, prefixes: replace(read(step, prefixes), act=f"{read(step, prefixes).act} anew"),
    )
    with TallyMem.open(SCOPE, store=file_url, model=ScriptedModel([])) as again:
        rows = again.ledger.rows
        assert [row.act.endswith(" anew") for row in rows] == [True] * len(rows)
        assert [row.annotated for row in rows] == [True] * 6 + [False]
        assert [str(change) for change in rows[1].changes] == ["door.state -> open"]


def test_what_a_model_said_holds_under_other_options_as_well(file_url: str):
    with TallyMem.open(SCOPE, store=file_url, model=ScriptedModel([answer(range(6))])) as live:
        live.extend(STEPS)
        live.annotate()
    with TallyMem.open(SCOPE, store=file_url, receipts=()) as other:
        # No receipt says any more that the drawer was opened, so that what the model said of it counts.
        assert other.ledger.row(2).outcome is Outcome.FAILURE
        assert other.ledger.row(1).annotated


def test_what_is_damaged_of_an_annotation_is_asked_again(caplog: pytest.LogCaptureFixture):
    with open_log("sqlite://") as log:
        live = TallyMem.open(SCOPE, store=log, model=ScriptedModel([answer(range(6))]))
        live.extend(STEPS)
        live.annotate()
        log.save_compiled(live._place, SAID, {live._key(1): b"[", live._key(2): b"{}"})
        with caplog.at_level(logging.WARNING):
            again = TallyMem.open(SCOPE, store=log, model=ScriptedModel([answer([1, 2])]))
        assert len(caplog.records) == 2
        assert [row.step for row in again.ledger.rows if not row.annotated] == [1, 2, 6]
        again.annotate()
        assert list(TallyMem.open(SCOPE, store=log).ledger.rows) == as_read_now()


def test_an_answer_for_steps_that_are_gone_by_then_is_dropped():
    with open_log("sqlite://") as log:
        live = TallyMem.open(SCOPE, store=log)

        def slow(messages: object) -> str:
            live.forget()
            live.append(Step(1, "press the red button", "A green light turns on. The door is shut."))
            return answer(range(6))

        live._model = ScriptedModel([slow])
        live.extend(STEPS)
        live.annotate()
        assert not live.ledger.row(1).annotated
        assert not TallyMem.open(SCOPE, store=log).ledger.row(1).annotated


def test_a_row_that_was_kept_comes_back_with_what_the_model_said_of_it():
    row = as_read_now()[1]
    assert decode_row(encode_row(row), STEPS.step(1)) == row
