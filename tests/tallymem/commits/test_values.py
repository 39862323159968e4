"""A name of several files or places is not one name, and a current value is in its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_evidence.tallymem import CommitLedger, Filter, Plan, SubQuery
from tests.tallymem.commits.asking import block, each, reason, steps, value
from tests.tallymem.commits.repositories import Builder, text


def renamed(folder: Path) -> Builder:
    builder = Builder(folder)
    builder.commit("one", a_py=text("a", RATE=1))
    builder.git("mv", "a.py", "b.py")
    builder.commit("two")
    return builder


@pytest.fixture
def history(tmp_path: Path) -> CommitLedger:
    """Names that one file assigns, that two do, that a section assigns twice, and that are in a deleted file."""
    builder = Builder(tmp_path / "repo")
    builder.commit("one", a_py=text("a", ONE=1, BOTH=1), c_yaml="server:\n  port: 80\ndb:\n  port: 5432\n")
    builder.commit("two", b_py=text("b", BOTH=2, GONE=3))
    builder.commit("three", a_py=text("a", ONE=2, BOTH=1))
    builder.git("rm", "--quiet", "b.py")
    builder.commit("four")
    builder.commit("five", a_py=text("a", BOTH=1))
    return CommitLedger.from_repository(builder.folder)


def test_a_name_that_several_files_assign_is_answered_for_each(history: CommitLedger):
    assert each(history, "What was the first value of BOTH?") == [("a.py", "1"), ("b.py", "2")]
    assert each(history, "What values did BOTH have?") == [("a.py", ("1",)), ("b.py", ("2",))]
    assert each(history, "How often was BOTH changed?") == [("a.py", 1), ("b.py", 1)]
    assert each(history, "How many different values did BOTH have?") == [("a.py", 1), ("b.py", 1)]
    # A file that is gone holds nothing now.
    assert each(history, "What is the current value of BOTH?") == [("a.py", "1")]
    assert value(history, "How often was BOTH changed before commit 2?") == 1
    assert value(history, "What is the current value of BOTH in a.py?") == "1"
    (dropped,) = history.execute(Plan((SubQuery("first", (Filter("change", ("BOTH",)),), by="changed"),))).dropped
    assert "is assigned in 2 files, such as 'a.py' and 'b.py'; name one" in dropped.reason


def test_a_name_of_more_files_than_a_plan_asks_about_is_refused(tmp_path: Path):
    builder = Builder(tmp_path)
    builder.commit("one", **{f"f{n}_py": text(f"f{n}", RATE=n) for n in range(5)})
    ledger = CommitLedger.from_repository(tmp_path)
    assert "is assigned in 5 files, such as 'f0.py' and 'f1.py'; name one" in reason(
        ledger, "What values has RATE had?"
    )
    assert steps(ledger, "Which commits set RATE?") == (1,)
    # Two files that had one name after another are not told apart by it.
    builder.git("mv", "f0.py", "g.py")
    builder.commit("two")
    builder.commit("three", f0_py="ONLY = 1\n")
    builder.commit("four", g_py=text("f0", ONLY=2))
    builder.git("mv", "f0.py", "h.py")
    builder.commit("five")
    ledger = CommitLedger.from_repository(tmp_path)
    assert [path for path, _ in each(ledger, "What values has ONLY had?")] == ["h.py", "g.py"]


def test_a_renamed_file_is_one_file_that_assigns(tmp_path: Path):
    builder = renamed(tmp_path)
    builder.commit("three", b_py=text("a", RATE=2))
    ledger = CommitLedger.from_repository(tmp_path)
    assert value(ledger, "What values has RATE had?") == ("1", "2")
    assert value(ledger, "What was the first value of RATE?") == "1"
    assert "'b.py' was 'a.py' before, where 'RATE' was assigned" in reason(
        ledger, "What was the first value of RATE in b.py?"
    )
    assert "under other names, not counted: a.py" in block(ledger, "What values has RATE had in b.py?")
    assert value(ledger, "What is the current value of RATE in a.py?") == "2"
    assert value(ledger, "What is the current value of RATE in b.py before commit 3?") == "1"
    assert "no line of 'b.py' that is read" in reason(
        ledger, "What is the current value of RATE in b.py before commit 2?"
    )
    # Files are counted as files, and paths as paths.
    assert value(ledger, "How many files were changed?") == 1
    assert value(ledger, "How often was each file changed?") == {"b.py": 3}
    assert value(ledger, "How often was b.py changed?") == 2
    assert "under other names, not counted: a.py" in block(ledger, "How often was b.py changed?")


def test_a_file_of_a_name_that_another_had_is_the_one_meant(tmp_path: Path):
    builder = renamed(tmp_path)
    builder.commit("three", a_py=text("other", RATE=2))
    ledger = CommitLedger.from_repository(tmp_path)
    for word in ("last", "current"):
        assert value(ledger, f"What is the {word} value of RATE in a.py?") == "2"
    assert value(ledger, "What is the current value of RATE in a.py before commit 3?") == "1"
    assert value(ledger, "What was the last value of RATE in a.py before commit 3?") == "1"
    either = "What is the current value of RATE in a.py or b.py?"
    assert "several values after commit 3: 'b.py': 1; 'a.py': 2" in reason(ledger, either)
    assert "in 2 files, such as 'b.py' and 'a.py'; name one" in reason(ledger, "What is the current value of RATE?")


def test_a_file_that_came_back_is_not_the_one_that_was_deleted(tmp_path: Path):
    builder = Builder(tmp_path)
    builder.commit("one", a_py=text("a"))
    builder.git("rm", "--quiet", "a.py")
    builder.commit("two")
    builder.commit("three", a_py=text("other"))
    builder.git("mv", "a.py", "b.py")
    builder.commit("four")
    ledger = CommitLedger.from_repository(tmp_path)
    assert value(ledger, "Which files were deleted?") == {"a.py": 1}
    assert value(ledger, "How often was each file changed?") == {"a.py": 2, "b.py": 2}


def test_a_value_of_a_deleted_file_is_not_current(history: CommitLedger):
    assert "was deleted by commit 4" in reason(history, "What is the current value of GONE?")
    assert "was deleted by commit 4" in reason(history, "What is the last value of GONE?")
    assert value(history, "What was the first value of GONE?") == "3"
    assert value(history, "What was the last value of GONE before commit 4?") == "3"
    assert value(history, "What was the current value of GONE before commit 4?") == "3"


def test_a_key_of_several_sections_has_no_one_value(history: CommitLedger):
    assert "several values after commit 5: 'c.yaml': 80 and 5432" in reason(
        history, "What is the current value of port?"
    )
    for question in ("What is the original value of port?", "How often was port changed?", "How many values of port?"):
        assert "several values in 'c.yaml' by commit 1" in reason(history, question)
        assert "80 and 5432" in reason(history, question)
    assert value(history, "What values did port have?") == ("80", "5432")
    (bare,) = (
        CommitLedger(zip(history.commits, [history.rows[:2]], strict=False))
        .execute(history.plan("How often was port changed?"))
        .dropped
    )
    assert "several values in 'c.yaml' by commit 1" in bare.reason


def test_sections_that_came_one_after_the_other_are_several(tmp_path: Path):
    builder = Builder(tmp_path)
    builder.commit("one", c_yaml="server:\n  port: 80\n")
    builder.commit("two", c_yaml="server:\n  port: 80\ndb:\n  port: 5432\n")
    ledger = CommitLedger.from_repository(tmp_path)
    for question in (
        "How often was port changed?",
        "What is the last value of port?",
        "What is the current value of port?",
    ):
        assert "80 and 5432" in reason(ledger, question)
    assert value(ledger, "What was the first value of port?") == "80"
    assert value(ledger, "What is the current value of port before commit 2?") == "80"


def test_a_line_that_was_only_moved_assigns_nothing(tmp_path: Path):
    builder = Builder(tmp_path)
    long = "x" * 300
    builder.commit("one", a_py=text("a", RATE=1, NAME=long + "1"), c_ini="one = 1\ntwo = 2\n")
    builder.commit("moved", a_py="if True:\n    RATE = 1\n" + text("a", NAME=long + "2"), c_ini="two = 2\none = 1\n")
    builder.commit("ends", c_ini="two = 2\r\none = 1\r\n")
    builder.commit("new", c_ini="two = 2\r\none = 3\r\n")
    ledger = CommitLedger.from_repository(tmp_path)
    assert steps(ledger, "Which commits set RATE?") == (1,)
    assert steps(ledger, "Which commits set NAME?") == (1, 2)
    assert steps(ledger, "Which commits set one?") == (1, 4)
    assert value(ledger, "What values did one have?") == ("1", "3")
    assert value(ledger, "What is the current value of one?") == "3"


def test_a_current_value_is_in_its_file(history: CommitLedger):
    assert "no line of 'a.py' that is read assigns 'ONE' after commit 5" in reason(
        history, "What is the current value of ONE?"
    )
    assert value(history, "What is the current value of ONE before commit 5?") == "2"
    said = block(history, "What is the last value of ONE?")
    assert "last value assigned = 2, in commit 3" in said
    assert "whether or not they were removed later" in said
    assert "value = 1, as a.py is after commit 5" in block(history, "What is the current value of BOTH?")
    assert "has no commit to begin with" in reason(history, "What is the current value of BOTH after commit 1?")
    bare = CommitLedger(zip(history.commits, [history.rows[:2]], strict=False))
    (dropped,) = bare.execute(bare.plan("What is the current value of ONE?")).dropped
    assert "not at hand" in dropped.reason


def test_a_line_that_stays_is_current_though_another_came_and_went(tmp_path: Path):
    builder = Builder(tmp_path)
    builder.commit("one", a_py=text("a", RATE=1))
    builder.commit("two", a_py=text("a", RATE=1) + "if False:\n    RATE = 2\n")
    builder.commit("three", a_py=text("a", RATE=1))
    ledger = CommitLedger.from_repository(tmp_path)
    assert value(ledger, "What is the current value of RATE?") == "1"
    assert "'RATE' is assigned several values" in reason(ledger, "What is the last value of RATE?")


def test_a_repository_that_is_gone_gives_no_value(tmp_path: Path):
    builder = Builder(tmp_path / "repo")
    builder.commit("one", a_py=text("a", RATE=1))
    ledger = CommitLedger.from_repository(builder.folder)
    (builder.folder / ".git").rename(tmp_path / "elsewhere")
    for question in ("What is the current value of RATE?", "What was the first value of RATE?"):
        assert "the files of the history cannot be read" in reason(ledger, question)
    assert value(ledger, "What values did RATE have?") == ("1",)


@pytest.mark.parametrize("name", ["with space.py", "ünï.py", "new\nline.py", "x missing"])
def test_files_of_any_name_hold_a_current_value(tmp_path: Path, name: str):
    builder = Builder(tmp_path)
    builder.write(name, "RATE = 1\n")
    builder.commit("one")
    ledger = CommitLedger.from_repository(tmp_path)
    if "\n" in name:
        assert "has a name that is not read" in reason(ledger, "What is the current value of RATE?")
    else:
        assert value(ledger, "What is the current value of RATE?") == "1"


def test_either_of_two_files_is_one_count(history: CommitLedger):
    assert value(history, "How many commits changed a.py or b.py?") == 5
    counts = history.execute(history.plan("How many commits changed a.py and b.py?")).results
    assert [result.value for result in counts] == [3, 2]
    assert value(history, "Which commit last changed a.py or b.py?") == 5
    assert "this by itself, whatever else these" in block(history, "How many commits changed a.py and b.py?")
    assert "this by itself" not in block(history, "How many commits changed a.py or b.py?")
    mixed = history.plan("How many commits changed a.py or b.py and c.yaml?")
    assert "does not say which of its files 'and' and 'or' join" in mixed.reason


@pytest.mark.parametrize("bound", ["before commit 4", "after commit 1", "up to commit 3"])
def test_commits_that_are_counted_from_another_bound_are_not_guessed(history: CommitLedger, bound: str):
    plan = history.plan(f"How often was a.py changed in the last 2 commits {bound}?")
    assert "does not say where it counts from" in plan.reason
