"""A value of a name is that of one file that is still there; what is not read of merges is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_evidence.tallymem import CommitLedger
from tests.tallymem.commits.repositories import Builder, text


def value(ledger: CommitLedger, question: str) -> object:
    (result,) = ledger.execute(ledger.plan(question)).results
    return result.value


def reason(ledger: CommitLedger, question: str) -> str:
    found = ledger.evidence(question)
    assert found.computed is None
    return found.reason


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


def test_a_name_that_several_files_assign_has_no_one_value(history: CommitLedger):
    for question in ("What is the current value of BOTH?", "What was the first value of BOTH?"):
        assert "is assigned in 2 files, such as 'a.py' and 'b.py'; name one" in reason(history, question)
    assert value(history, "What is the current value of BOTH in a.py?") == "1"


def test_a_value_of_a_deleted_file_is_not_current(history: CommitLedger):
    assert "was deleted by commit 4" in reason(history, "What is the current value of GONE?")
    assert value(history, "What was the first value of GONE?") == "3"
    assert value(history, "What was the last value of GONE before commit 4?") == "3"


def test_a_key_of_several_sections_has_no_one_value(history: CommitLedger):
    for question in ("What is the current value of port?", "What is the original value of port?"):
        assert "several values in 'c.yaml' by commit 1" in reason(history, question)


def test_a_value_is_said_to_be_one_that_was_assigned(history: CommitLedger):
    found = history.evidence("What is the current value of ONE?")
    assert found.computed is not None
    assert "last value assigned = 2, in commit 3" in found.computed.text
    assert "whether or not they were removed later" in found.computed.text


def test_either_of_two_files_is_one_count(history: CommitLedger):
    assert value(history, "How many commits changed a.py or b.py?") == 5
    counts = history.execute(history.plan("How many commits changed a.py and b.py?")).results
    assert [result.value for result in counts] == [3, 2]
    assert value(history, "Which commit last changed a.py or b.py?") == 5


@pytest.mark.parametrize("bound", ["before commit 4", "after commit 1", "up to commit 3"])
def test_commits_that_are_counted_from_another_bound_are_not_guessed(history: CommitLedger, bound: str):
    plan = history.plan(f"How often was a.py changed in the last 2 commits {bound}?")
    assert "does not say where it counts from" in plan.reason


def test_what_a_merge_changed_itself_is_said_to_be_unread(tmp_path: Path):
    builder = Builder(tmp_path / "repo")
    builder.commit("main", a_py=text("a", LIMIT=1))
    builder.git("checkout", "--quiet", "-b", "side")
    builder.commit("side", b_py=text("b", SIDE=1))
    builder.git("checkout", "--quiet", "main")
    builder.commit("on", a_py=text("a", LIMIT=2))
    builder.git("merge", "--quiet", "--no-ff", "-m", "merge", "side")
    ledger = CommitLedger.from_repository(builder.folder)
    found = ledger.evidence("How often was a.py changed?")
    assert found.computed is not None
    assert "what 1 merges in scope changed themselves is not read" in found.computed.text
    bounded = ledger.evidence("How often was a.py changed before commit 3?")
    assert bounded.computed is not None
    assert "merges" not in bounded.computed.text
    straight = CommitLedger.from_repository(builder.folder, first_parent=True).evidence("How often was a.py changed?")
    assert straight.computed is not None
    assert "merges" not in straight.computed.text
