"""Repositories as they are found: hostile, broken, odd, huge. Nothing of theirs is run, and nothing is misread."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory_evidence.errors import HostError, InputError
from memory_evidence.tallymem import CommitLedger
from memory_evidence.tallymem.commits import git as git_module
from memory_evidence.tallymem.commits.continued import continued
from memory_evidence.tallymem.commits.history import MOST_VALUES
from tests.tallymem.commits.repositories import Builder, shop, text

ODD = (
    b"with space.py",
    b"tab\there.py",
    b"new\nline.py",
    b'double"quote.py',
    b"single'quote.py",
    b"back\\slash.py",
    b"-dash.py",
    b":colon.py",
    "ünï.py".encode(),
    b"latin\xe9.py",
    b"trailing ",
    b"a -> b.py",
)


def rows(ledger: CommitLedger) -> list[tuple[int, str, tuple[str, ...], list[str]]]:
    return [(row.step, row.tool, row.targets, list(map(str, row.changes))) for row in ledger.rows]


def value(ledger: CommitLedger, question: str) -> object:
    execution = ledger.execute(ledger.plan(question))
    assert execution.results, execution.reason
    return execution.results[0].value


@pytest.mark.parametrize("name", ODD)
def test_files_of_any_name_are_read_and_asked_about(name: bytes, tmp_path: Path):
    made = Builder(tmp_path)
    made.write(name, text("odd", RATE=1))
    made.commit("one", plain_py=text("plain", RATE=5))
    made.write(name, text("odd", RATE=2))
    made.commit("two")
    made.git("mv", "--", name, b"moved" + name)
    made.commit("three")
    path, moved = os.fsdecode(name), "moved" + os.fsdecode(name)
    ledger = CommitLedger.from_repository(tmp_path)
    assert [row[:3] for row in rows(ledger) if path in row[2]] == [
        (1, "add", (path,)),
        (2, "modify", (path,)),
        (3, "rename", (path, moved)),
    ]
    assert value(ledger, f"How often was `{path}` changed?") == 3
    assert value(ledger, f"How many times was {path} changed?") == 3
    assert value(ledger, f"What values has RATE had in `{path}`?") == ("1", "2")
    evidence = ledger.evidence(f"Which commits changed `{path}`?")
    assert str(evidence.view).encode()
    assert str(evidence.computed).count("\n   commit ") == 3


def test_lines_of_a_file_cannot_pass_for_headers(tmp_path: Path):
    made = Builder(tmp_path)
    hostile = "\n".join(
        [
            "diff --git a/other.py b/other.py",
            "--- a/other.py",
            "+++ b/other.py",
            "++ b/other.py",
            "@@ -1 +1,9 @@",
            "-- a",
            "\0" + "f" * 40,
            "RATE = 1",
            "\\ No newline at end of file",
            "LIMIT = 2",
        ]
    )
    made.write("a.py", "x\n" * 9_000 + hostile)  # far enough behind for git not to look for NUL
    made.write("other.py", "RATE = 7")
    made.commit("one\n\ndiff --git a/z b/z\n+++ b/z\n@@ -0,0 +1 @@\n+RATE = 99")
    made.write("a.py", "x\n" * 9_000 + hostile.replace("RATE = 1", "RATE = 3"))
    made.commit("two")
    assert rows(CommitLedger.from_repository(tmp_path)) == [
        (1, "add", ("a.py",), ["RATE.value -> 1", "LIMIT.value -> 2"]),
        (1, "add", ("other.py",), ["RATE.value -> 7"]),
        (2, "modify", ("a.py",), ["RATE.value -> 3"]),
    ]


def test_binary_files_are_changed_and_assign_nothing(tmp_path: Path):
    made = Builder(tmp_path)
    made.write("logo.png", b"\x89PNG\0RATE = 1\n")
    made.commit("one", code_py="RATE = 2\n")
    made.write("logo.png", b"\x89PNG\0RATE = 3\n")
    made.commit("two")
    ledger = CommitLedger.from_repository(tmp_path)
    assert value(ledger, "How often was logo.png changed?") == 2
    assert value(ledger, "What values has RATE had?") == ("2",)


def test_modes_links_and_types_are_changes(tmp_path: Path):
    made = Builder(tmp_path)
    made.commit("one", run_sh="RATE=1\n")
    (tmp_path / "run.sh").chmod(0o755)
    made.commit("two")
    (tmp_path / "run.sh").unlink()
    (tmp_path / "run.sh").symlink_to("RATE=4")
    made.commit("three")
    ledger = CommitLedger.from_repository(tmp_path)
    assert [row.tool for row in ledger.rows] == ["add", "modify", "retype"]
    assert value(ledger, "What values has RATE had in run.sh?") == ("1", "4")


def test_very_long_lines_and_large_diffs_are_read_as_a_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made = Builder(tmp_path)
    made.write("long.js", "RATE = '" + "x" * 3_000_000 + "'\nLIMIT = 2\n")
    made.write("made.ini", "".join(f"key_{n} = {n}\n" for n in range(MOST_VALUES + 5)))
    made.commit("one", code_py="RATE = 1\n")
    ledger = CommitLedger.from_repository(tmp_path)
    assert value(ledger, "What values has LIMIT had in long.js?") == ("2",)
    (long,) = [row for row in ledger.rows if row.targets == ("long.js",)]
    assert long.changes[0].value == continued("'" + "x" * 199 + "...")
    # What is not kept is not counted as if it were not there.
    refused = ledger.execute(ledger.plan("What values has key_7 had in made.ini?"))
    assert f"assign more than {MOST_VALUES} names each" in refused.reason
    evidence = ledger.evidence("What values has RATE had?")
    assert evidence.computed is not None
    assert "1 changes of single files that assign more than" in evidence.computed.text


def merged(folder: Path) -> Builder:
    made = Builder(folder)
    made.commit("one", a_py="RATE = 1\n")
    made.git("checkout", "--quiet", "-b", "side")
    made.commit("side", b_py="RATE = 2\n")
    made.git("checkout", "--quiet", "main")
    made.commit("main", c_py="RATE = 3\n")
    made.clock += 60
    made.git("merge", "--quiet", "--no-ff", "--message", "merge", "side")
    return made


def test_a_merge_changes_nothing_that_its_branches_did_not(tmp_path: Path):
    merged(tmp_path)
    ledger = CommitLedger.from_repository(tmp_path)
    assert [row[0::2] for row in rows(ledger)] == [(1, ("a.py",)), (2, ("b.py",)), (3, ("c.py",))]
    assert len(ledger.commits) == 4
    assert len(ledger.commits[3].parents) == 2
    assert value(ledger, "How many commits are there?") == 4


def test_on_the_main_line_a_merge_is_the_change(tmp_path: Path):
    merged(tmp_path)
    ledger = CommitLedger.from_repository(tmp_path, first_parent=True)
    assert [commit.subject for commit in ledger.commits] == ["one", "main", "merge"]
    assert [row[0::2] for row in rows(ledger)] == [(1, ("a.py",)), (2, ("c.py",)), (3, ("b.py",))]
    told = [value(ledger, f"What values has RATE had in {path}?") for path in ("a.py", "b.py", "c.py")]
    assert told == [("1",), ("2",), ("3",)]


def test_commits_without_changes_are_commits(tmp_path: Path):
    made = Builder(tmp_path)
    made.commit("empty")
    made.commit("one", a_py="RATE = 1\n")
    ledger = CommitLedger.from_repository(tmp_path)
    assert value(ledger, "How many commits are there?") == 2
    assert value(ledger, "When was a.py first changed?") == 2


def test_a_repository_without_commits_is_empty(tmp_path: Path):
    Builder(tmp_path)
    evidence = CommitLedger.from_repository(tmp_path).evidence("How many commits are there?")
    assert (evidence.computed, evidence.reason) == (None, "the history holds no commits")
    assert str(evidence) == ""


def test_what_is_no_repository_is_an_error(tmp_path: Path):
    (tmp_path / "plain").mkdir()
    made = shop(tmp_path / "shop")
    for path in (tmp_path / "plain", tmp_path / "shop" / "src", tmp_path / "shop" / ".git" / "refs"):
        with pytest.raises(InputError, match="a git repository that may be read"):
            CommitLedger.from_repository(path)
    for path in (tmp_path / "none", tmp_path / "shop" / "README.md", "nul\0byte"):
        with pytest.raises(InputError, match="the repository"):
            CommitLedger.from_repository(path)
    with pytest.raises(InputError, match="the repository"):
        CommitLedger.from_repository(None)  # type: ignore[arg-type]
    made.git("clone", "--quiet", "--bare", str(made.folder), str(tmp_path / "bare"))
    for path in (tmp_path / "bare", made.folder / ".git", str(made.folder)):
        assert len(CommitLedger.from_repository(path).commits) == 7


def test_a_shallow_copy_is_refused(tmp_path: Path):
    made = shop(tmp_path / "shop")
    made.git("clone", "--quiet", "--depth=2", f"file://{made.folder}", str(tmp_path / "copy"))
    with pytest.raises(InputError, match="a whole history"):
        CommitLedger.from_repository(tmp_path / "copy")


def test_a_history_ends_where_it_is_told_to(tmp_path: Path):
    made = shop(tmp_path)
    made.git("tag", "old", "HEAD~4")
    assert len(CommitLedger.from_repository(tmp_path, revision="old").commits) == 3
    for revision in ("none", "--all", "-n1", "--output=out", "", "HEAD:README.md", "old^{tree}", "a\0b", 7):
        with pytest.raises(InputError, match="revision"):
            CommitLedger.from_repository(tmp_path, revision=revision)  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()


def test_nothing_that_a_repository_names_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made = shop(tmp_path / "shop")
    head, body = made.git("cat-file", "commit", "HEAD").split("\n\n", 1)
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
    (tmp_path / "signed").write_text(f"{head}\n{signature}\n\n{body}\n")
    made.git("reset", "--quiet", "--hard", made.git("hash-object", "-t", "commit", "-w", str(tmp_path / "signed")))
    expected = rows(CommitLedger.from_repository(made.folder))
    marker = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\ntouch {marker}\ncat "$1" 2>/dev/null\nexit 0\n')
    program.chmod(0o755)
    run = str(program)
    for key in ("core.fsmonitor", "core.pager", "pager.log", "diff.external", "diff.x.command", "diff.x.textconv"):
        made.git("config", key, run)
    for key in ("gpg.program", "core.sshCommand", "filter.x.clean", "filter.x.smudge", "core.editor", "alias.log"):
        made.git("config", key, run if key != "alias.log" else f"!{run}")
    made.git("config", "log.showSignature", "true")
    (made.folder / ".git" / "info" / "attributes").write_text("* diff=x filter=x\n")
    for hook in ("post-checkout", "pre-commit", "reference-transaction", "post-index-change"):
        target = made.folder / ".git" / "hooks" / hook
        target.parent.mkdir(exist_ok=True)
        target.write_text(program.read_text())
        target.chmod(0o755)
    for name in ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_SSH_COMMAND", "GIT_EDITOR"):
        monkeypatch.setenv(name, run)
    assert rows(CommitLedger.from_repository(made.folder)) == expected
    monkeypatch.undo()
    assert not marker.exists()
    for trap in (("show", "--ext-diff"), ("show", "--no-ext-diff"), ("log", "-1")):  # driver, text conversion, gpg
        made.git("--no-pager", *trap)
        assert marker.exists(), trap
        marker.unlink()


def test_settings_and_surroundings_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made = shop(tmp_path / "shop")
    expected = rows(CommitLedger.from_repository(made.folder))
    (tmp_path / "order").write_text("tax.py\n")
    settings = {
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.renames": "false",
        "diff.renameLimit": "1",
        "diff.algorithm": "patience",
        "diff.context": "9",
        "diff.interHunkContext": "50",
        "diff.orderFile": str(tmp_path / "order"),
        "diff.relative": "true",
        "diff.submodule": "log",
        "diff.wordRegex": ".",
        "diff.colorMoved": "zebra",
        "color.ui": "always",
        "color.diff": "always",
        "core.quotePath": "false",
        "core.abbrev": "4",
        "format.pretty": "fuller",
        "log.date": "relative",
        "log.decorate": "full",
        "log.follow": "true",
        "log.diffMerges": "combined",
        "log.excludeDecoration": "x",
        "i18n.logOutputEncoding": "ISO-8859-1",
    }
    for key, setting in settings.items():
        made.git("config", key, setting)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_DIFF_OPTS", "--unified=9")
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    monkeypatch.chdir(tmp_path)
    assert rows(CommitLedger.from_repository("shop")) == expected


def test_a_damaged_repository_is_an_error_and_no_shorter_history(tmp_path: Path):
    made = shop(tmp_path)
    lost = made.git("rev-parse", "HEAD~3^{tree}")
    (tmp_path / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    with pytest.raises(HostError, match="git log failed"):
        CommitLedger.from_repository(tmp_path)


def test_a_machine_without_git_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HostError, match="install it"):
        CommitLedger.from_repository(tmp_path)


def test_reading_writes_nothing(tmp_path: Path):
    made = shop(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in made.folder.rglob("*")}
    CommitLedger.from_repository(tmp_path).evidence("Which files were renamed?")
    assert {path: path.stat().st_mtime_ns for path in made.folder.rglob("*")} == before


def test_a_stream_that_is_left_early_ends_its_program(tmp_path: Path):
    shop(tmp_path)
    repository = git_module.Repository(tmp_path)
    with repository.stream("log", "--format=%H", "HEAD", "--") as told:
        assert len(told.readline()) == 41
    with pytest.raises(ZeroDivisionError), repository.stream("log", "--format=%H", "HEAD", "--"):
        raise ZeroDivisionError
