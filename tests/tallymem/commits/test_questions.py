"""How questions about a history are read: any wording alike, every word accounted for, nothing guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_evidence.tallymem import CommitLedger, Filter, Plan, Scope, SubQuery
from memory_evidence.tallymem.commits.assignments import read_assignment, read_assignments, unquote
from tests.tallymem.commits.repositories import Builder, shop


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> CommitLedger:
    made = shop(tmp_path_factory.mktemp("shop"))
    made.commit("More", src__tax_py="RATE = 4\n", test="words\n", commit="words\n", Makefile="all: test\n")
    return CommitLedger.from_repository(made.folder)


CART = Filter("target", ("src/cart.py",))


@pytest.mark.parametrize(
    "question",
    [
        "How often was src/cart.py changed?",
        "How many times was src/cart.py touched",
        "how frequently has `src/cart.py` been changed?",
        "In how many commits was src/cart.py changed?",
        "How many commits changed src/cart.py?",
        "How many commits have touched the file 'src/cart.py'?",
        "What is the number of commits that changed src/cart.py in the history?",
        "Number of times src/cart.py was changed over time.",
        "How many changes were made to src/cart.py so far?",
        "By how many different commits was the file src/cart.py ever touched?",
        'Please tell me how many edits there were made to "src/cart.py"',
    ],
)
def test_any_wording_of_a_count_is_the_same_plan(ledger: CommitLedger, question: str):
    plan = ledger.plan(question)
    if question.startswith("Please"):
        assert not plan.applicable  # two verbs: not a sentence that is read
    else:
        assert plan == Plan((SubQuery("count", (CART,)),))


@pytest.mark.parametrize(
    "question",
    [
        "How often was src/cart.py modified?",
        "How often was src/cart.py edited?",
        "How many commits updated src/cart.py?",
        "How many edits were made to src/cart.py?",
        "How many modifications to src/cart.py were there?",
    ],
)
def test_what_is_modified_is_neither_added_nor_renamed(ledger: CommitLedger, question: str):
    assert ledger.plan(question) == Plan((SubQuery("count", (Filter("tool", ("modify",)), CART)),))


@pytest.mark.parametrize(
    ("bound", "scope"),
    [
        ("up to commit 3", Scope(None, 3)),
        ("up to and including commit #3", Scope(None, 3)),
        ("before commit 3", Scope(None, 2)),
        ("after commit 3", Scope(4, None)),
        ("since commit 3", Scope(3, None)),
        ("from commit 3 on", Scope(3, None)),
        ("between commit 5 and commit 3", Scope(3, 5)),
        ("from commit 3 to commit 5", Scope(3, 5)),
        ("in commit 3", Scope(3, 3)),
        ("in the first 2 commits", Scope(None, 2)),
        ("in the last 2 commits", Scope(7, None)),
        ("after commit 2 and before commit 6", Scope(3, 5)),
        ("after commit 2 but before the 6th commit", Scope(3, 5)),
        ("prior to commit 3", Scope(None, 2)),
        ("between commits 3 and 5", Scope(3, 5)),
        ("in commits 3 to 5", Scope(3, 5)),
        ("in commits 3-5", Scope(3, 5)),
        ("in commits 3 and 5", None),
        ("in the last 200 commits", Scope(1, None)),
    ],
)
def test_bounds_are_commits(ledger: CommitLedger, bound: str, scope: Scope | None):
    plan = ledger.plan(f"How often was src/cart.py changed {bound}?")
    assert plan.queries == ((SubQuery("count", (CART,), scope),) if scope else ())


def test_a_word_of_hexadecimal_letters_is_no_commit(ledger: CommitLedger):
    (query,) = ledger.plan("How many commits added src/cart.py?").queries
    assert query.where == (Filter("tool", ("add",)), CART)


LIMIT = Filter("change", ("LIMIT",))


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("How often was LIMIT changed?", SubQuery("count", (LIMIT,))),
        ("How many commits changed LIMIT in src/cart.py?", SubQuery("count", (LIMIT, CART))),
        ("How often was LIMIT changed before commit 6?", SubQuery("count", (LIMIT,), Scope(None, 5))),
        ("Which commits changed LIMIT?", SubQuery("list", (LIMIT,))),
        ("Which commits changed src/cart.py?", SubQuery("list", (CART,))),
        ("last commit that changed src/cart.py", SubQuery("last", (CART,))),
        ("What was the first commit that changed src/cart.py?", SubQuery("first", (CART,))),
        ("What was the last commit that changed `LIMIT`?", SubQuery("last", (LIMIT,))),
        ("When was LIMIT last set?", SubQuery("last", (LIMIT,))),
        ("What was the first value of LIMIT?", SubQuery("first", (LIMIT,), by="changed")),
        ("What is the latest value of LIMIT?", SubQuery("last", (LIMIT,), by="changed")),
        ("What is the current value of LIMIT?", SubQuery("last", (LIMIT,), by="object")),
        ("How many different values did LIMIT have?", SubQuery("distinct", (LIMIT,), by="changed")),
        ("Number of distinct values of LIMIT", SubQuery("distinct", (LIMIT,), by="changed")),
        ("Which different values has LIMIT had?", SubQuery("group", (LIMIT,), by="changed")),
    ],
)
def test_names_are_asked_for_as_files_are(ledger: CommitLedger, question: str, query: SubQuery):
    assert ledger.plan(question).queries == (query,)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Why was src/cart.py changed?", "'Why' is not understood"),
        ("How often was src/cart.py almost changed by Ann?", "'almost', 'Ann' are not understood"),
        ("How often was NOPE changed?", "'NOPE' is not understood (no word of these, no file, no name seen assigned)"),
        ("How often was Makefile changed?", "'Makefile' is not understood (a file like 'Makefile' must be in quotes)"),
        ("src/cart.py changed how often", "the form of '`src/cart.py` changed how often' is not understood"),
        ("How often was commit 3 changed?", "commit 3 as something else than a bound"),
    ],
)
def test_a_refusal_names_the_word_or_the_form(ledger: CommitLedger, question: str, said: str):
    reason = ledger.plan(question).reason
    assert said in reason
    assert "\n" not in reason
    assert ("questions that are read: how often a file was changed" in reason) == ("understood" in said)


def test_commits_are_named_by_any_beginning_of_their_id(ledger: CommitLedger):
    id = ledger.commits[3].id
    for name in (id, id[:12], id[:7].upper()):
        assert ledger.plan(f"How often was cart.py changed before commit {name}?").queries[0].scope == Scope(None, 3)


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("", "the question is empty"),
        ("x" * 3_000, "longer than"),
        ("Why was src/cart.py changed?", "not understood"),
        ("How often was src/cart.py changed by Ann?", "not understood"),
        ("How often was src/cart.py almost changed?", "not understood"),
        ("How often was src/cart.py not changed?", "not understood"),
        ("Wie oft wurde src/cart.py geändert?", "not understood"),
        ("What does src/cart.py do?", "not understood"),
        ("How often was tax.go changed?", "knows no file 'tax.go'"),
        ("How often was src/none.py changed?", "knows no file 'src/none.py'"),
        ("How often was it changed?", "not understood"),
        ("How often was test changed?", "not understood"),
        ("How often was src/cart.py changed before commit ffffffff?", "knows no commit 'ffffffff'"),
        ("How often was src/cart.py changed before commit 0?", "numbered from 1"),
        ("How often was src/cart.py changed before commit 900?", "knows no commit '900'"),
        ("How often was src/cart.py changed before commit 1?", "no commit lies within"),
        ("How often was src/cart.py changed after commit 8?", "no commit lies within"),
        ("How often was commit 3 changed?", "as something else than a bound"),
        ("How often were `cart.py`, `src/cart.py`, tax.py, README.md and `Makefile` changed?", "at most 4"),
    ],
)
def test_what_is_not_read_as_a_whole_is_not_compiled(ledger: CommitLedger, question: str, reason: str):
    plan = ledger.plan(question)
    assert not plan.applicable
    assert reason in plan.reason


def test_a_word_is_a_file_only_in_quotes(ledger: CommitLedger):
    for name in ("test", "commit", "Makefile"):
        (query,) = ledger.plan(f"How often was `{name}` changed?").queries
        assert query.where == (Filter("target", (name,)),)


def test_a_name_that_several_files_end_with_is_not_guessed(tmp_path: Path):
    made = Builder(tmp_path)
    made.commit("one", a__x_py="RATE = 1\n", b__x_py="RATE = 2\n", c__y_py="RATE = 3\n", c__yy_py="RATE = 4\n")
    ledger = CommitLedger.from_repository(tmp_path)
    assert "'x.py' may be one of 2 files" in ledger.plan("How often was x.py changed?").reason
    assert ledger.plan("How often was y.py changed?").queries[0].where == (Filter("target", ("c/y.py",)),)
    assert ledger.plan("How often was ./c/y.py changed?").queries[0].where == (Filter("target", ("c/y.py",)),)


def test_names_follow_a_file_through_its_renames(tmp_path: Path):
    made = Builder(tmp_path)
    body = "\n".join(f"line {n}" for n in range(20))
    made.commit("one", a_py=body)
    made.git("mv", "a.py", "b.py")
    made.commit("two")
    made.git("mv", "b.py", "c.py")
    made.commit("three")
    made.commit("another file of the old name", a_py="new\n")
    ledger = CommitLedger.from_repository(tmp_path)
    for question in ("What names has c.py had?", "What was `b.py` renamed to?", "Rename history of c.py"):
        (query,) = ledger.plan(question).queries
        assert query.where == (Filter("tool", ("rename",)), Filter("target", ("a.py", "b.py", "c.py")))
    # The later a.py is another file.
    (query,) = ledger.plan("Was `a.py` ever renamed?").queries
    assert query.where[1:] == (Filter("target", ("a.py",)),)


@pytest.mark.parametrize(
    ("line", "assigned"),
    [
        ("RATE = 1", ("RATE", "1")),
        ("  rate=1;", ("rate", "1")),
        ("rate: int = 1  # note", ("rate", "1  # note")),
        ("export const rate = f(a == b)", ("rate", "f(a == b)")),
        ("static unsigned int rate = 1;", ("rate", "1")),
        ("let rate: Vec<u8> = vec![];", ("rate", "vec![]")),
        ("rate := 1", ("rate", "1")),
        ("self.rate = 1", ("self.rate", "1")),
        ("max-rate = 1", ("max-rate", "1")),
        ("rate = other = 1", ("rate", "other = 1")),
        ("rate ?= 1", ("rate", "1")),
        ("rate ::= 1", ("rate", "1")),
        ("rate += 1", None),
        ("rate ??= 1", None),
        ("rate == 1", None),
        ("rate => 1", None),
        ("rate =~ 1", None),
        ("rate != 1", None),
        ("rate <= 1", None),
        ("if rate = 1", None),
        ("return rate = 1", None),
        ("rate[0] = 1", None),
        ("f(rate=1)", None),
        ("rate, limit = 1, 2", None),
        ("int rate, limit = 2", None),
        ("Map<String, List<Int>> rate = 1", ("rate", "1")),
        ("# rate = 1", None),
        ("rate", None),
        ("", None),
    ],
)
def test_a_line_assigns_what_stands_before_the_sign(line: str, assigned: tuple[str, str] | None):
    assert read_assignment(line) == assigned


@pytest.mark.parametrize(
    ("ending", "line", "assigned"),
    [
        ("yaml", "port: 80", [("port", "80")]),
        ("yml", '  - "port": "80"  # note', [("port", '"80"  # note')]),
        ("yaml", "url: http://a:80", [("url", "http://a:80")]),
        ("yaml", "in: [1, 2]", [("in", "[1, 2]")]),
        ("yaml", "run: RATE=1", [("run", "RATE=1")]),
        ("yaml", "  RATE=1", [("RATE", "1")]),
        ("yaml", "steps:", [("steps", "\n")]),
        ("yaml", "steps: &all  # below", [("steps", "&all  # below\n")]),
        ("yaml", "run: |-", [("run", "|-\n")]),
        ("yaml", "run: " + "&" * 500 + " x", [("run", "&" * 200 + "...")]),
        ("yaml", "at: {port: 80}", [("at", "{port: 80}\n")]),
        ("yaml", "- http://a", []),
        ("yaml", "# port: 80", []),
        ("json", '  "port": 80,', [("port", "80")]),
        (
            "json",
            '{"port": 80, "host": "a, \\"b\\": 1", "on": true}',
            [("port", "80"), ("host", '"a, \\"b\\": 1"'), ("on", "true")],
        ),
        (
            "json",
            '"at": {"ports": [80, 81], "names": ["a", "]"], "in": [{}]}',
            [("at", "{\n"), ("ports", "[80, 81]"), ("names", '["a", "]"]'), ("in", "[\n")],
        ),
        ("json", '"a sentence": 1, "rate = 1"', []),
        ("toml", '"port" = 80', [("port", "80")]),
        ("toml", "from = 80", [("from", "80")]),
        ("toml", "[tool]", []),
        ("ini", "port: 80", [("port", "80")]),
        ("cfg", "port = 80", [("port", "80")]),
        ("ini", "; port = 80", []),
        ("py", "port: 80", []),
        ("py", "    port=80,", []),
        ("pyi", "    port=80,  # the usual one", []),
        ("py", "port = f(80, 81)  # or 82, as it was", [("port", "f(80, 81)  # or 82, as it was")]),
        ("c", "    PORT = 80,", [("PORT", "80")]),
        ("py", "port = 80", [("port", "80")]),
        ("", '"port": 80', []),
    ],
)
def test_keys_are_assigned_where_the_ending_says_so(ending: str, line: str, assigned: list[tuple[str, str]]):
    assert read_assignments(line, ending) == assigned


def test_settings_of_any_kind_have_a_history(tmp_path: Path):
    made = Builder(tmp_path)
    made.commit("one", Makefile="DATA ?= a\n", a_yml="port: 80\n", b_JSON='{"port": 81}\n', c_py="port: 82\n")
    made.commit("two", Makefile="DATA ?= b\nDATA += c\n", a_yml="port: 83\n")
    ledger = CommitLedger.from_repository(tmp_path)
    for question, values in (
        ("What values did DATA have?", ("a", "b")),
        ("What values has port had?", ("80", "83", "81")),
    ):
        results = ledger.execute(ledger.plan(question)).results
        assert tuple(value for result in results for value in result.value) == values


def test_what_is_not_read_is_not_denied(tmp_path: Path):
    made = Builder(tmp_path)
    made.commit("one", a_py="RATE += 1\nLIMIT = 1\n", b_py="LIMIT += 1\n")
    ledger = CommitLedger.from_repository(tmp_path)
    assert "read are added lines" in ledger.execute(ledger.plan("What values did RATE have?")).reason
    evidence = ledger.evidence("How many commits set LIMIT in b.py?")
    computed = evidence.computed
    assert computed is not None
    assert not computed.results[0].verified_zero
    assert "verified zero" not in evidence.explain()
    assert "no assignment that is read matches; read are added lines" in computed.text
    assert "verified" not in computed.text


def test_names_in_quotes_are_unquoted():
    assert unquote(b"plain name") == b"plain name"
    assert unquote(rb'"b/\303\274\"\\\t\n\001"') == 'b/ü"\\\t\n\x01'.encode()
