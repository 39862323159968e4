"""A word that is both an assigned name and what a file may be called is refused, unless the wording tells which."""

from __future__ import annotations

import pytest

from memory_evidence.tallymem import CommitLedger
from tests.tallymem.commits.asking import reason, value
from tests.tallymem.commits.repositories import Builder


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> CommitLedger:
    builder = Builder(tmp_path_factory.mktemp("meant"))
    builder.commit("one", README_md="a\n", c_py='README = "x"\n', p_toml='readme = "README.md"\n')
    builder.commit("two", README_md="b\n", limit_py="x\n", total_py="x\n")
    builder.commit("three", README_md="c\n", limit_py="y\n", Makefile="a:\n", d_py="Makefile = 1\nLIMIT = 2\n")
    builder.commit("four", labels_yml="total.py: 3\n")
    return CommitLedger.from_repository(builder.folder)


@pytest.mark.parametrize(
    ("question", "word", "file"),
    [
        ("How often was the README changed?", "README", "README.md"),
        ("How often was `README` changed?", "README", "README.md"),
        ("How many changes were made to README?", "README", "README.md"),
        ("Which commits changed README?", "README", "README.md"),
        ("When was the README last changed?", "README", "README.md"),
        ("How has README changed?", "README", "README.md"),
        ("How often was the readme changed?", "readme", "README.md"),
        ("How often was Makefile changed?", "Makefile", "Makefile"),
        ("How often was `Makefile` changed?", "Makefile", "Makefile"),
        ("How often was total.py changed?", "total.py", "total.py"),
    ],
)
def test_a_name_does_not_win_over_a_file_nor_a_file_over_a_name(
    ledger: CommitLedger, question: str, word: str, file: str
):
    said = reason(ledger, question)
    assert f"{word!r} is a name that lines assign, and may be the file '{file}'" in said
    assert f"ask for 'the variable {word}' or for 'the file `{file}`'" in said


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How often was the variable README changed?", 1),
        ("How often was the file `README.md` changed?", 3),
        ("How often was README.md changed?", 3),
        ("How often was README set?", 1),
        ("How often was README changed in c.py?", 1),
        ("What is the current value of README?", '"x"'),
        ("What values did `README` have?", ('"x"',)),
        ("How often was the variable `Makefile` changed?", 1),
        ("What is the current value of `Makefile`?", "1"),
        ("How often was the file `Makefile` changed?", 1),
        ("How often was `Makefile` added?", 1),
        ("How often was the variable total.py changed?", 1),
        ("How often was the file total.py changed?", 1),
        ("What is the current value of total.py?", "3"),
        ("How often was LIMIT changed?", 1),
    ],
)
def test_the_wording_tells_which_is_meant(ledger: CommitLedger, question: str, answer: object):
    assert value(ledger, question) == answer


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How often was total changed?", "'total' is not understood (a file like 'total.py' is named with its ending)"),
        ("How often was `total` changed?", "(a file like 'total.py' is named with its ending)"),
        ("How often was the file README changed?", "(a file like 'README.md' is named with its ending)"),
        ("How often was the file Makefile changed?", "(a file like 'Makefile' must be in quotes)"),
    ],
)
def test_a_file_is_not_named_by_its_stem(ledger: CommitLedger, question: str, said: str):
    assert said in reason(ledger, question)
