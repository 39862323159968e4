"""A value over several lines is not read: its name has no count and no value that its first line would tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_evidence.tallymem import CommitLedger
from memory_evidence.tallymem.commits.continued import left_open
from tests.tallymem.commits.asking import block, each, reason, steps, value
from tests.tallymem.commits.repositories import Builder

QUESTIONS = (
    "What is the current value of OPTS?",
    "What was the last value of OPTS?",
    "What was the first value of OPTS?",
    "How often was OPTS changed?",
    "How many different values did OPTS have?",
    "What values did OPTS have?",
    "Which commits set OPTS?",
    "Which commit last changed OPTS?",
    "How often was OPTS changed in the last 1 commits?",
    "What was the last value of OPTS after commit 1?",
)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("c.py", "OPTS = dict(\n  limit=3,\n)\n", "OPTS = dict(\n  limit=5,\n)\n"),
        ("c.py", "OPTS = dict(limit=3,\n  most=3)\n", "OPTS = dict(limit=3,\n  most=5)\n"),
        ("c.py", "OPTS = [\n  3\n]\n", "OPTS = [\n  5\n]\n"),
        ("c.py", "OPTS = {  # it's\n  3\n}\n", "OPTS = {  # it's\n  5\n}\n"),
        ("c.py", "OPTS = (\n  3\n)\n", "OPTS = (\n  5\n)\n"),
        ("c.py", "OPTS = 1 + \\\n  3\n", "OPTS = 1 + \\\n  5\n"),
        ("c.py", 'OPTS = """a\n3"""\n', 'OPTS = """a\n5"""\n'),
        ("c.py", 'OPTS = f("""(a)\n3""")\n', 'OPTS = f("""(a)\n5""")\n'),
        ("c.js", "const OPTS = `a\n3`;\n", "const OPTS = `a\n5`;\n"),
        ("c.js", "const OPTS =\n  3;\n", "const OPTS =\n  5;\n"),
        ("c.js", "const OPTS = a ||\n  3;\n", "const OPTS = a ||\n  5;\n"),
        ("c.rs", "let OPTS: &'static str = f(\n  3);\n", "let OPTS: &'static str = f(\n  5);\n"),
        ("Makefile", "OPTS = a \\\n  3\n", "OPTS = a \\\n  5\n"),
        ("c.sh", "OPTS='a\n3'\n", "OPTS='a\n5'\n"),
        ("c.toml", "OPTS = [\n  3\n]\n", "OPTS = [\n  5\n]\n"),
        ("c.cfg", "[a]\nOPTS =\n  3\n", "[a]\nOPTS =\n  5\n"),
        ("c.json", '{\n"OPTS": [\n  3\n]}\n', '{\n"OPTS": [\n  5\n]}\n'),
        ("c.yaml", "OPTS:\n  - 3\n", "OPTS:\n  - 5\n"),
        ("c.yaml", "OPTS: |\n  3\n", "OPTS: |\n  5\n"),
        ("c.yaml", "OPTS: [1,\n  3]\n", "OPTS: [1,\n  5]\n"),
    ],
)
def test_a_value_over_several_lines_is_refused_with_the_reason(tmp_path: Path, path: str, before: str, after: str):
    builder = Builder(tmp_path)
    for content in (before, after):
        builder.write(path, content)
        builder.commit("more")
    ledger = CommitLedger.from_repository(tmp_path)
    for question in QUESTIONS:
        said = reason(ledger, question)
        assert f"'OPTS' has a value in '{path}' after commit" in said, question
        assert "goes on over several lines" in said
    assert value(ledger, f"How often was `{path}` changed?") == 2


def test_only_what_rests_on_such_a_value_is_refused(tmp_path: Path):
    builder = Builder(tmp_path)
    builder.commit("one", c_py="OPTS = 3\n")
    builder.commit("two", c_py="OPTS = [\n  3,\n]\n", d_py="OPTS = 9\n")
    builder.commit("three", c_py="OPTS = [5]\n")
    ledger = CommitLedger.from_repository(tmp_path)
    assert value(ledger, "What was the first value of OPTS in c.py?") == "3"
    assert value(ledger, "What was the last value of OPTS in c.py?") == "[5]"
    assert value(ledger, "What is the current value of OPTS in c.py?") == "[5]"
    assert "in 'c.py' after commit 2" in reason(ledger, "How often was OPTS changed in c.py?")
    assert value(ledger, "How often was OPTS changed in c.py before commit 2?") == 1
    # What is told of one file does not pass for the whole.
    assert each(ledger, "How often was OPTS changed?") == [("d.py", 1)]
    assert "\nnot computed: 'OPTS' has a value in 'c.py'" in block(ledger, "How often was OPTS changed?")


def test_a_value_that_goes_on_does_so_under_the_later_names_of_its_file(tmp_path: Path):
    builder = Builder(tmp_path)
    body = "\n".join(f"# line {n}" for n in range(12))
    builder.commit("one", a_py=f"{body}\nOPTS = [\n  3\n]\n")
    builder.git("mv", "a.py", "b.py")
    builder.commit("two", b_py=f"{body}\nOPTS = [\n  5\n]\n")
    ledger = CommitLedger.from_repository(tmp_path)
    for question in ("How often was OPTS changed in b.py?", "What is the current value of OPTS in b.py?"):
        assert "goes on over several lines" in reason(ledger, question)


@pytest.mark.parametrize(
    ("ending", "written"),
    [
        ("py", "f(80, [81])  # or (82, as it's"),
        ("py", "'it\\'s (' + \"]\""),
        ("py", "rb\"(\" + b'['"),
        ("py", '"""a (b"""'),
        ("py", "3)"),
        ("c", "'('; // don't ["),
        ("c", "1; /* don't ( */"),
        ("rs", "f::<'a>(1)"),
        ("js", '"http://a/(" + "x"'),
        ("md", "what we don't say"),
        ("yaml", "it's (so"),
        ("ini", "it's (so"),
        ("", ""),
        ("env", ""),
        ("sh", "${x#y}"),
    ],
)
def test_a_value_on_one_line_is_whole(ending: str, written: str):
    assert not left_open(written, ending)


def test_what_goes_on_is_shown_in_the_view_as_one_line(tmp_path: Path):
    Builder(tmp_path).commit("one", c_py="OPTS = dict(\n  limit=3,\n)\nRATE = 1\n")
    ledger = CommitLedger.from_repository(tmp_path)
    assert "OPTS = dict(\n  RATE = 1" in next(iter(ledger.trajectory)).observation
    assert steps(ledger, "Which commits set RATE?") == (1,)
    assert "RATE = 1" in block(ledger, "Which commits set RATE?")
