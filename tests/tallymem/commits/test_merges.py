"""What a merge changed itself is not counted, and is told of."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_evidence.tallymem import CommitLedger, Filter, Plan, SubQuery
from tests.tallymem.commits.asking import block, reason, value
from tests.tallymem.commits.repositories import Builder, text


@pytest.fixture
def resolved(tmp_path: Path) -> Builder:
    """Two branches give a name two values, and their merge a third, with a file of its own."""
    builder = Builder(tmp_path / "repo")
    builder.commit("base", a_py=text("a", LIMIT=1), o_py=text("o", OTHER=1))
    builder.git("checkout", "--quiet", "-b", "side")
    builder.commit("side", a_py=text("a", LIMIT=20), b_py=text("b", SIDE=1))
    builder.git("checkout", "--quiet", "main")
    builder.commit("main", a_py=text("a", LIMIT=10))
    builder.clock += 60
    builder.git("merge", "--quiet", "--no-ff", "--no-commit", "--strategy", "ours", "side")
    builder.write("a.py", text("a", LIMIT=30))
    builder.write("ünï.py", text("new", MADE=1))
    builder.commit("merge", b_py=text("b", SIDE=1))
    return builder


def test_what_a_merge_changed_itself_is_told_of(resolved: Builder):
    ledger = CommitLedger.from_repository(resolved.folder)
    assert ledger.commits[3].resolved == ("a.py", "ünï.py")
    merge = ledger.commits[3].id[:10]
    for question in (
        "How often was a.py changed?",
        "Which commits changed a.py?",
        "What values did LIMIT have in a.py?",
    ):
        said = f"1 merges in scope differ from all that they merge in these files, which is not counted: 4 ({merge})"
        assert said in block(ledger, question)
    for question in ("How often was o.py changed?", "How often was a.py changed before commit 4?", "How many commits?"):
        assert "merges in" not in block(ledger, question)
    assert "in some files, which is not counted: 4" in block(ledger, "How many files were changed?")
    # The file itself has what no commit but the merge gave.
    assert value(ledger, "What is the current value of LIMIT?") == "30"
    assert "gives 'LIMIT' the value 30 after commit 4, though '10' was" in reason(
        ledger, "What is the last value of LIMIT?"
    )
    assert "only merges are seen to change 'ünï.py' (commit 4)" in reason(ledger, "How often was `ünï.py` changed?")
    assert (
        "what 1 merges changed themselves is not read"
        in ledger.execute(Plan((SubQuery("count", (Filter("change", ("MADE",)),)),))).reason
    )
    # A zero is not verified where a merge may have done it.
    deleted = ledger.evidence("How many commits deleted a.py?")
    assert deleted.computed is not None
    assert not deleted.computed.results[0].verified_zero
    assert "none matches but for what merges changed" in deleted.computed.text
    assert "verified" in block(ledger, "How many commits deleted o.py?")


def test_a_file_in_which_only_a_merge_assigns_is_looked_at(resolved: Builder):
    resolved.write("ünï.py", text("new", LIMIT=7))
    resolved.git("add", "--all")
    resolved.git("commit", "--quiet", "--amend", "--no-edit")
    ledger = CommitLedger.from_repository(resolved.folder)
    assert "'a.py': 30; 'ünï.py': 7" in reason(ledger, "What is the current value of LIMIT?")
    assert value(ledger, "What is the current value of LIMIT in a.py?") == "30"


def test_commits_beside_each_other_have_no_state(resolved: Builder):
    ledger = CommitLedger.from_repository(resolved.folder)
    assert "are on several branches" in reason(ledger, "What was the current value of LIMIT before commit 4?")
    for bound in ("before commit 4", "after commit 3", "up to commit 3"):
        assert "commits of other branches that were made beside" in block(
            ledger, f"How often was a.py changed {bound}?"
        )
    for bound in ("up to commit 2", "after commit 2", ""):
        assert "other branches" not in block(ledger, f"How often was a.py changed {bound}?")


def test_on_the_main_line_a_merge_is_counted(resolved: Builder):
    ledger = CommitLedger.from_repository(resolved.folder, first_parent=True)
    assert value(ledger, "What values did LIMIT have?") == ("1", "10", "30")
    assert "merges" not in block(ledger, "How often was a.py changed?")


def test_a_merge_that_only_merged_is_not_mentioned(tmp_path: Path):
    builder = Builder(tmp_path)
    builder.commit("main", a_py=text("a", LIMIT=1))
    builder.git("checkout", "--quiet", "-b", "side")
    builder.commit("side", b_py=text("b", SIDE=1))
    builder.git("checkout", "--quiet", "main")
    builder.commit("on", a_py=text("a", LIMIT=2))
    builder.git("merge", "--quiet", "--no-ff", "-m", "merge", "side")
    ledger = CommitLedger.from_repository(builder.folder)
    assert "merge" not in block(ledger, "How often was a.py changed?")
    assert value(ledger, "What is the last value of LIMIT?") == "2"
