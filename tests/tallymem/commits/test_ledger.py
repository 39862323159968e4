"""What a ledger computes over a small history, and what a reader gets of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from memory_evidence.blocks import safe_line
from memory_evidence.errors import ConfigError, InputError
from memory_evidence.tallymem import CommitLedger, Filter, Plan, Scope, SubQuery
from tests.tallymem.commits.repositories import shop, text


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shop(tmp_path_factory.mktemp("shop")).folder


@pytest.fixture(scope="module")
def ledger(folder: Path) -> CommitLedger:
    return CommitLedger.from_repository(folder)


def told(ledger: CommitLedger, question: str) -> tuple[object, tuple[int, ...]]:
    execution = ledger.execute(ledger.plan(question))
    assert execution.results, execution.reason
    (result,) = execution.results
    return result.value, result.steps


@pytest.mark.parametrize(
    ("question", "value", "commits"),
    [
        ("How often was src/cart.py changed?", 2, (4, 6)),
        ("How often was cart.py changed?", 3, (1, 3, 4)),
        ("How often was cart.py modified?", 1, (3,)),
        ("When was tax.py last edited?", None, ()),
        ("Which files were updated?", {"src/cart.py": 2, "README.md": 1}, (3, 6, 7)),
        ("How many files were renamed?", 1, (4,)),
        ("How many times was README.md modified after commit 1?", 1, (7,)),
        ("In how many commits was tax.py touched?", 3, (2, 5, 7)),
        ("How many times was tax.py added?", 2, (2, 7)),
        ("How many commits deleted tax.py?", 1, (5,)),
        ("Which commit first changed src/cart.py?", 4, (4,)),
        ("When was README.md last updated?", 7, (7,)),
        ("Which commits changed cart.py?", (1, 3, 4), (1, 3, 4)),
        ("When did tax.py first appear?", 2, (2,)),
        (
            "In which order did tax.py, cart.py and src/cart.py first appear?",
            ("cart.py", "tax.py", "src/cart.py"),
            (1, 2, 4),
        ),
        ("Which of tax.py or README.md appeared first?", ("README.md", "tax.py"), (1, 2)),
        ("What is the value history of RATE in cart.py?", ("1", "2"), (1, 3)),
        ("How did LIMIT change over time?", ("5", "7"), (1, 6)),
        ("How many commits set RATE in tax.py?", 2, (2, 7)),
        ("What is the latest value of RATE in tax.py?", '"high"', (7,)),
        ("What was the first value of LIMIT?", "5", (1,)),
        ("Which commit deleted tax.py?", (5,), (5,)),
        ("When was LIMIT last set?", 6, (6,)),
        ("Which commits set LIMIT?", (1, 6), (1, 6)),
        ("Which was added first, tax.py or README.md?", ("README.md", "tax.py"), (1, 2)),
        ("How often was LIMIT changed?", 2, (1, 6)),
        ("How many different values did LIMIT have?", 2, (1, 6)),
        ("Which different values did LIMIT have?", {"5": 1, "7": 1}, (1, 6)),
        ("Which files were renamed?", (4,), (4,)),
        ("What was src/cart.py called before?", (4,), (4,)),
        ("What was cart.py renamed to?", (4,), (4,)),
        ("Which file was changed most often?", ("src/cart.py",), (1, 2, 3, 4, 5, 6, 7)),
        ("How many different files were changed?", 3, (1, 2, 3, 4, 5, 6, 7)),
        ("Which files were deleted?", {"tax.py": 1}, (5,)),
        ("How many commits are there?", 7, (1, 2, 3, 4, 5, 6, 7)),
    ],
)
def test_questions_are_answered_exactly(ledger: CommitLedger, question: str, value: object, commits: tuple[int, ...]):
    assert told(ledger, question) == (value, commits)


def test_a_rename_is_one_event_of_one_file(tmp_path: Path):
    made = shop(tmp_path)
    for old, new in (("src/cart.py", "src/basket.py"), ("README.md", "README"), ("src/basket.py", "trolley.py")):
        made.git("mv", old, new)
        made.commit(f"{old} is {new}")
    made.git("rm", "--quiet", "trolley.py")
    made.commit("No trolley", README=text("readme"))
    made.git("mv", "README", "trolley.py")
    made.commit("Another file of an old name")
    made.git("mv", "trolley.py", "guide.txt")
    made.commit("And gone")
    ledger = CommitLedger.from_repository(tmp_path)
    assert told(ledger, "How many files were renamed?") == (2, (4, 8, 9, 10, 12, 13))
    assert told(ledger, "Which files were renamed most often?")[0] == ("trolley.py", "guide.txt")
    # Nothing of a later time is told within a bound.
    assert told(ledger, "Which file was renamed most often before commit 9?")[0] == ("src/basket.py",)
    assert told(ledger, "In what order were the files renamed?")[0] == ("trolley.py", "guide.txt")


def test_an_order_keeps_to_the_kind_of_change_asked_for(ledger: CommitLedger):
    assert told(ledger, "In what order did the files first appear?")[0][-1] == "src/cart.py"
    assert told(ledger, "In what order were the files added?") == (("README.md", "cart.py", "tax.py"), (1, 2))
    assert told(ledger, "How many files were added?")[0] == 3
    assert told(ledger, "In what order were the files deleted?") == (("tax.py",), (5,))
    assert told(ledger, "Which of tax.py or cart.py was added first?")[0] == ("cart.py", "tax.py")
    assert not ledger.plan("Which of tax.py or cart.py was added?").applicable
    evidence = ledger.evidence("In what order were src/cart.py and tax.py added?")
    assert evidence.computed is not None
    assert "order of first add: 1 files" in evidence.computed.text
    assert "   src/cart.py: no such commit" in evidence.computed.text.splitlines()


def test_two_files_are_two_quantities(ledger: CommitLedger):
    results = ledger.execute(ledger.plan("How often were cart.py and tax.py changed?")).results
    assert [(result.value, result.steps) for result in results] == [(3, (1, 3, 4)), (3, (2, 5, 7))]


def test_what_a_rename_assigns_is_in_the_file_under_its_new_name(tmp_path: Path):
    made = shop(tmp_path)
    made.git("mv", "tax.py", "duty.py")
    made.write("duty.py", (made.folder / "duty.py").read_text().replace('RATE = "high"', "RATE = 9"))
    made.commit("Duties")
    ledger = CommitLedger.from_repository(tmp_path)
    assert told(ledger, "What values has RATE had in duty.py?") == (("9",), (8,))
    assert told(ledger, "What values has RATE had in tax.py?") == (('"low"', '"high"'), (2, 7))


def test_nothing_that_matches_is_a_verified_zero(ledger: CommitLedger):
    evidence = ledger.evidence("How many commits deleted README.md?")
    assert evidence.computed is not None
    assert evidence.computed.results[0].verified_zero
    assert "count = 0 (verified: all 7 commits in scope were looked at" in evidence.computed.text
    assert told(ledger, "What values has LIMIT had in tax.py?") == ((), ())


def test_the_block_names_commits_by_number_and_id(ledger: CommitLedger):
    evidence = ledger.evidence("What values has RATE had in cart.py?")
    assert evidence.computed is not None
    id = ledger.commits[2].id[:10]
    assert f"   commit 3 ({id}): cart.py: RATE = 2" in evidence.computed.text.splitlines()
    assert not evidence.attached
    assert str(evidence) == str(evidence.view)
    assert "A higher rate" in evidence.view.text
    assert evidence.view.steps == (1, 2, 3, 4, 5, 6, 7)


def test_the_block_says_what_is_counted(ledger: CommitLedger):
    def block(question: str) -> str:
        computed = ledger.evidence(question).computed
        assert computed is not None
        return computed.text

    assert "count = 2 (2 matched commits that assign it, its first value included)" in block("How often was LIMIT set?")
    assert "distinct values = 2 (2 matched commits)" in block("How many different values did LIMIT have?")
    assert "commits by value: 2 different" in block("Which different values did LIMIT have?")
    assert "distinct files = 1 (1 matched commits)" in block("How many files were renamed?")


def test_blocks_keep_to_their_budget(folder: Path):
    ledger = CommitLedger.from_repository(folder, block_budget=300, attach_above=None)
    for question in ("How often was each file changed?", "What values has RATE had?", "Which commits changed cart.py?"):
        evidence = ledger.evidence(question)
        assert evidence.attached
        assert evidence.computed is not None
        assert len(evidence.computed.text) <= 300
    assert "more files are not shown" in ledger.evidence("How often was each file changed?").computed.text


def test_explanation_and_time_line_name_the_commits(ledger: CommitLedger):
    evidence = ledger.evidence("Which commits changed cart.py?")
    assert "Result: list, 3 of 7 steps: 1, 3-4" in evidence.explain()
    assert "    step 3 : A higher rate" in evidence.to_mermaid()


def test_the_view_keeps_to_the_commits_in_scope(ledger: CommitLedger):
    evidence = ledger.evidence("How often was cart.py changed before commit 4?")
    assert evidence.view.steps == (1, 2, 3)
    assert evidence.computed is not None
    assert evidence.computed.results[0].scope == (1, 3)


def test_every_span_of_a_view_is_its_source(ledger: CommitLedger):
    view = ledger.evidence("Why was the rate changed?").view
    assert view.spans
    assert all(safe_line(ledger.archive.text(span)) in view.text for span in view.spans)


def test_the_async_twins_give_the_same(folder: Path, ledger: CommitLedger):
    async def ask():
        twin = await CommitLedger.afrom_repository(folder)
        plan = await twin.aplan("How often was cart.py changed?")
        return await twin.aexecute(plan), await twin.aevidence("How often was cart.py changed?")

    execution, evidence = asyncio.run(ask())
    assert execution == ledger.execute(ledger.plan("How often was cart.py changed?"))
    assert evidence.computed == ledger.evidence("How often was cart.py changed?").computed


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        (SubQuery("count", (Filter("target", ("cart",)),)), "knows no file 'cart'"),
        (
            SubQuery("count", (Filter("change", ("rate",)),)),
            "no line that is read as an assignment sets 'rate'; read are",
        ),
        (SubQuery("count", (Filter("tool", ("edit",)),)), "knows no kind of change 'edit'"),
        (SubQuery("count", (Filter("target", ("cart.py",), exclude=True),)), "not filtered by target not"),
        (SubQuery("count", (Filter("outcome", ("failure",)),)), "not filtered by outcome"),
        (SubQuery("distinct", by="changed"), "distinct by changed is not computed"),
        (SubQuery("group", by="tool"), "group by tool is not computed"),
        (SubQuery("breakdown"), "breakdown with these conditions"),
        (SubQuery("count", scope=Scope(9, 12)), "no commit lies in"),
        (SubQuery("count", scope=Scope(after=(Filter("tool", ("add",)),))), "with these conditions"),
    ],
)
def test_a_plan_that_the_history_cannot_support_gives_no_number(ledger: CommitLedger, query: SubQuery, reason: str):
    execution = ledger.execute(Plan((query, SubQuery("count"))))
    assert [result.value for result in execution.results] == [7]
    assert reason in execution.dropped[0].reason


def test_inputs_of_another_kind_are_errors(ledger: CommitLedger, folder: Path):
    with pytest.raises(InputError, match="the question"):
        ledger.evidence(None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="the plan"):
        ledger.execute("count")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="block_budget"):
        CommitLedger.from_repository(folder, block_budget=10)
