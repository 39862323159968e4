"""What a command of a shell runs and names, whatever stands around it."""

from __future__ import annotations

import pytest

from memory_evidence.tallymem import Trajectory
from memory_evidence.tallymem.shell import paths, programs
from memory_evidence.tallymem.terms import interpreter, names
from tests.tallymem.tallies import ask, call


@pytest.mark.parametrize(
    ("command", "run"),
    [
        # Here-documents, here-strings and shifts end nothing.
        ("cat > a.py <<'EOF'\nprint(1)\nEOF\npytest -q", "cat pytest"),
        ("cat <<A <<-B\nmake 1\nA\nmake 2\n\tB\nls", "cat ls"),
        ('cat <<"END OF IT" > x\nmake all\nEND OF IT\nls', "cat ls"),
        ("cat <<EOF\nmake all", "cat"),
        ("echo $((1<<2)); pytest", "echo pytest"),
        ("python -c 'print(1<<2)' && pytest", "python pytest"),
        ('grep -q x <<< "$v"; pytest', "grep pytest"),
        # Keywords are no programs, and hide none.
        ("for f in *.py; do pytest $f; done", "pytest"),
        ("if grep -q x f; then rm f; else ls; fi", "grep rm ls"),
        ("if [ -f a ]; then ls; fi", "ls"),
        ("if ! pytest; then make; fi", "pytest make"),
        ("while git pull; do sleep 1; done", "git sleep"),
        ("case $x in a) git pull;; b) ls;; esac", "git ls"),
        ("! grep x f", "grep"),
        ("function f() { git status; }; f", "git f"),
        ("f() { git status; }", "git"),
        ("{ ls; } && (cd x && make)", "ls cd make"),
        # What is substituted is run.
        ("X=$(git rev-parse HEAD)", "git"),
        ("X=`git rev-parse HEAD` make", "make git"),
        ('echo "$(git rev-parse "$(pwd)")"', "echo git pwd"),
        ("diff <(sort a) <(sort -u b)", "diff sort"),
        # Comments and words that are arguments are not.
        ("pytest # git status; rm -rf", "pytest"),
        ("# all of it\npytest", "pytest"),
        ("echo then rm x; echo ${#x} a#b", "echo"),
        ("git commit -m 'fix #3; rm x' -m \"a `date`\"", "git date"),
        ("make 2>&1 | tail -3 > out.txt; ls &> log & wc -l", "make tail ls wc"),
        ("command git status; command -v make", "git command"),
        ("find . | xargs -n 1 -P 2 grep x", "find xargs grep"),
        ("make \\\n  -j 4 && \\\n  ls", "make ls"),
        # What breaks off is read as far as it goes.
        ("echo 'x", "echo"),
        ('echo "x $(ls', "echo ls"),
        ("ls `git", "ls git"),
        ("", ""),
    ],
)
def test_programs_are_those_that_the_command_runs(command: str, run: str):
    assert programs(command) == run


def test_a_command_of_any_depth_and_length_is_read():
    assert programs("ls; " + "$(" * 5_000) == "ls"
    assert programs("echo " + "`a` " * 500).startswith("echo a")
    assert programs("cat <<EOF\n" + "x\n" * 200_000 + "EOF\nls") == "cat ls"


def test_paths_are_those_of_the_command_and_not_of_a_document_in_it():
    command = "cat > /a/b.py <<'EOF'\nopen('/c/d.txt')\nEOF\npytest \"tests/e.py\" # see f.py"
    assert list(paths(command)) == ["/a/b.py", "tests/e.py"]


def test_versions_of_an_interpreter_are_that_program_and_a_version_is_itself():
    assert [interpreter(name) for name in ("python", "python3.11", "Python3", "pythonic", "go")] == [
        "python", "python", "python", None, None,
    ]  # fmt: skip
    for name, found in (("python", "yyyn"), ("python3", "nynn"), ("python3.11", "nnyn")):
        held = [names(name)(value) for value in ("python", "cd python3", "python3.11 pytest", "python_tool")]
        assert "".join("yn"[not one] for one in held) == found


def test_every_version_of_python_is_counted_as_python():
    commands = ("python a.py", "python3 a.py", "/usr/bin/python3.11 -m pytest", "pip3 install python", "ls")
    log = Trajectory.from_pairs([(call("bash", command=command), "") for command in commands])
    assert ask(log, "How many times was python run?").results[0].steps == (0, 1, 2)
    assert ask(log, "How many times was python3 run?").results[0].steps == (1,)
