"""What a log does not tell is no number: effects of shell commands, and words that would change what is asked."""

from __future__ import annotations

import pytest

from memory_evidence.tallymem import Execution, Filter, Ledger, Plan, Scope, SubQuery, TallyMem, Trajectory
from memory_evidence.tallymem.execute import execute
from memory_evidence.tallymem.ledger import Field
from memory_evidence.tallymem.plan import Key, Operation
from memory_evidence.tallymem.render import render
from tests.tallymem.tallies import ask, call, steps

_EDITOR = "str_replace_editor"
SHELL = Trajectory.from_pairs(
    [
        (call(_EDITOR, command="view", path="/r/b.py"), "Here's the result of running `cat -n` on /r/b.py"),
        (call(_EDITOR, command="create", path="/r/b.py"), "File created successfully at: /r/b.py"),
        (call("bash", command="cat /r/a.py"), "1"),
        (call("bash", command="sed -i s/1/2/ /r/a.py"), ""),
        (call("bash", command="echo 3 > /r/a.py"), ""),
    ]
)


def reason(trajectory: Trajectory, question: str) -> str:
    """Return why nothing was computed."""
    execution = ask(trajectory, question)
    assert execution.results == ()
    return execution.reason


@pytest.mark.parametrize(
    "question",
    ["How many times was a.py read?", "How many times was a.py modified?", "How often was /r/a.py viewed?"],
)
def test_shell_commands_that_name_a_file_leave_open_what_was_done_to_it(question):
    assert "3 steps that ran commands or code, or do not say what they do to a file, may have done it" in reason(
        SHELL, question
    )


def test_a_file_that_no_command_names_has_a_zero_that_is_not_verified():
    pairs = [*((step.action, step.observation) for step in SHELL), (call(_EDITOR, command="view", path="/r/c.py"), "")]
    (result,) = ask(Trajectory.from_pairs(pairs), "How many times was c.py modified?").results
    assert (result.value, result.verified_zero, result.commands) == (0, False, 3)


@pytest.mark.parametrize("question", ["How many files were modified?", "How many times was b.py modified?"])
def test_a_count_of_edits_says_which_steps_it_cannot_see(question):
    evidence = TallyMem(SHELL, attach_above=None).evidence(question)
    assert evidence.computed is not None
    (result,) = evidence.computed.results
    assert (result.value, result.steps, result.commands) == (1, (1,), 3)
    assert "; not counted: 3 steps that ran commands or code" in evidence.computed.text
    assert "3 steps that ran commands or code, or do not say" in evidence.explain()


def test_a_log_without_commands_has_verified_zeros():
    files = Trajectory.from_pairs([(call("edit_file", path="a.py"), "ok"), (call("read_file", path="b.py"), "x")])
    (result,) = ask(files, "How many times was b.py modified?").results
    assert (result.value, result.verified_zero, result.commands) == (0, True, 0)


TIMED = Trajectory.from_pairs([("run_tests: {}", "ok"), ("run_tests: {}", "Error: timed out")])


@pytest.mark.parametrize("verb", ["time out", "run out", "run over", "take over", "step in", "come up", "take time"])
def test_a_verb_with_a_particle_is_another_verb(verb):
    assert reason(TIMED, f"How many times did run_tests {verb}?") == f"not understood: {verb!r}"


def test_a_call_carried_out_is_a_call():
    (result,) = ask(TIMED, "How many run_tests calls were carried out?").results
    assert result.value == 2


def test_a_tool_of_that_name_is_no_particle():
    (result,) = ask(
        Trajectory.from_pairs([("go out", ""), ("go in", "")]), "How many times did the agent go out?"
    ).results
    assert result.steps == (0,)


@pytest.mark.parametrize("action", ["edit: a.py", "edit a.py", call("edit_file", path="a.py")])
def test_a_refused_edit_is_none_however_the_call_is_written(action):
    log = Trajectory.from_pairs([(action, "Error: permission denied"), (action, "File updated.")])
    assert steps(log, "How many times was a.py edited?") == (1,)
    assert steps(log, f"How many times was the {action.split(':')[0].split()[0]} tool called?") == (0, 1)


def files(*paths: str) -> Trajectory:
    """Return a log with an edit of each path."""
    return Trajectory.from_pairs([(call("edit_file", path=path), "ok") for path in paths])


def test_a_file_that_a_tool_was_called_on_is_not_its_namesake():
    assert steps(files("a.py", "lib/a.py"), "How many times was a.py edited?") == (0,)
    assert steps(files("a.py", "lib/a.py"), "How many times was lib/a.py edited?") == (1,)


def test_one_number_never_mixes_files_of_one_name():
    log = files("src/a.py", "lib/a.py", "lib/a.py")
    said = reason(log, "How many times was a.py edited?")
    assert said == "'a.py' may be any of 'src/a.py' (1 steps), 'lib/a.py' (2 steps)"
    assert steps(log, "How many times was lib/a.py edited?") == (1, 2)


def test_the_end_of_a_path_may_be_that_path():
    pairs = [(call("edit_file", path="/r/lib/a.py"), "ok"), (call("bash", command="cd /r/lib && cat a.py"), "1")]
    assert steps(Trajectory.from_pairs(pairs), "How many times was a.py edited?") == (0,)
    assert steps(files("/r/lib/a.py", "lib/a.py"), "How many times was lib/a.py edited?") == (1,)


@pytest.mark.parametrize(
    "action",
    [
        "click [30] 'Add to cart'",
        "click('Add to cart')",
        'click("Add to cart")',
        "click: Add to cart",
        "click[Add to cart]",
    ],
)
def test_a_label_in_an_action_is_a_target(action):
    log = Trajectory.from_pairs([(action, ""), ("click [31] 'Remove'", ""), (action, "")])
    assert steps(log, "How many times was 'Add to cart' clicked?") == (0, 2)
    assert reason(log, "How many times was 'Add to bag' clicked?") == "the log knows no 'Add to bag'"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many files were modified?", "no call of the log both says so and names a file; its tools: search"),
        ("Was search called at least 3 times?", "a count is not compared with a number ('least 3')"),
    ],
)
def test_a_reason_says_what_the_log_lacks(question, said):
    assert said in reason(Trajectory.from_pairs([("search: x", "r")] * 3), question)


BOTH = Trajectory.from_pairs(
    [
        (call("bash", command="cat > /r/new.py"), "[The command completed with exit code 0.]"),
        (call(_EDITOR, command="view", path="/r/c.py"), "Here's the result of running `cat -n` on /r/c.py"),
        (call(_EDITOR, command="str_replace", path="/r/a.py"), "The file /r/a.py has been edited."),
    ]
)
EDITED = Filter("effect", ("edit", "create"))


def on(*names: str) -> tuple[Filter, ...]:
    return (EDITED, Filter("target", names))


def run(trajectory: Trajectory, query: SubQuery) -> Execution:
    return execute(Ledger(trajectory), Plan((query,)))


@pytest.mark.parametrize("operation", ["difference", "ratio"])
def test_neither_side_of_a_comparison_is_a_zero_where_commands_may_have_done_it(operation: Operation):
    for one, other in (("a.py", "new.py"), ("new.py", "a.py")):
        execution = run(BOTH, SubQuery(operation, on(one), versus=on(other)))
        assert "1 steps that ran commands or code" in execution.reason
    assert run(BOTH, SubQuery(operation, on("a.py"), versus=on("c.py"))).results[0].groups["second"] == ()


def test_a_breakdown_has_every_name_that_was_asked_for():
    (result,) = run(BOTH, SubQuery("breakdown", on("a.py", "c.py"))).results
    assert result.value == {"/r/a.py": 1, "c.py": 0}
    assert "c.py: 0" in render(Ledger(BOTH), [result])
    assert "of 'new.py'" in run(BOTH, SubQuery("breakdown", on("a.py", "new.py"))).reason
    # Where no names were given, those that do not occur are not made up.
    assert run(BOTH, SubQuery("group", (EDITED,), by="target")).results[0].value == {"/r/a.py": 1}


def test_the_event_that_a_scope_begins_or_ends_with_may_be_one_that_is_not_told():
    pairs = [("sed -i s/a/b/ app.py", ""), ("pytest", ""), (call("edit_file", path="app.py"), "ok"), ("pytest -q", "")]
    log = Trajectory.from_pairs(pairs)
    tests = (Filter("tool", ("pytest",)),)
    for scope in (Scope(before=on("app.py")), Scope(after=on("app.py"))):
        assert "may be one of 1 earlier steps that ran commands" in run(log, SubQuery("count", tests, scope)).reason
    (result,) = run(log, SubQuery("count", tests, Scope(before=(EDITED,)))).results
    assert (result.value, result.edge) == (1, 2)
    assert "2 steps before it may be such an event" in render(Ledger(log), [result])
    (zero,) = run(log, SubQuery("count", (Filter("tool", ("edit_file",)),), Scope(before=(EDITED,)))).results
    assert (zero.value, zero.verified_zero) == (0, False)


def test_an_outcome_that_is_unknown_leaves_open_where_a_scope_ends():
    log = Trajectory.from_pairs([("search: a", "ok"), ("search: b", "Error: no"), ("search: c", "ok")])
    (result,) = run(log, SubQuery("count", scope=Scope(before=(Filter("outcome", ("failure",)),)))).results
    assert (result.value, result.edge) == (1, 1)


def test_an_exclusion_of_outcomes_says_how_many_are_unknown():
    log = Trajectory.from_pairs([("search: a", "ok"), ("search: b", "Error: no"), ("search: c", "")])
    query = SubQuery("count", (Filter("tool", ("search",)), Filter("outcome", ("failure",), exclude=True)))
    (result,) = run(log, query).results
    assert (result.value, result.unsure) == (2, 2)
    assert "the outcome of 2 of these steps is unknown" in render(Ledger(log), [result])
    difference = SubQuery("difference", (Filter("tool", ("search",)),), versus=(Filter("outcome", ("failure",)),))
    assert run(log, difference).results[0].unsure == 2


@pytest.mark.parametrize(
    ("field", "term", "known"),
    [
        ("tool", "serch", False),
        ("target", "b", False),
        ("action", "look", False),
        ("outcome", "bogus", False),
        ("effect", "bogus", False),
        ("change", "lamp", False),
        ("outcome", "no_effect", True),
        ("effect", "delete", True),
        ("exit_code", "3", True),
        ("change", "*", True),
        ("tool", "search", True),
    ],
)
def test_what_is_excluded_has_to_be_known_as_well(field: Field, term: str, known: bool):
    log = Trajectory.from_pairs([("search: a", "ok"), ("open: a", "ok")])
    execution = run(log, SubQuery("count", (Filter(field, (term,), exclude=True),)))
    assert bool(execution.results) is known
    assert known or f"the log knows no {field} {term!r}" in execution.reason


@pytest.mark.parametrize("operation", ["distinct", "group", "most", "least", "order"])
@pytest.mark.parametrize("key", ["exit_code", "changed", "tool", "target", "object", "place"])
def test_what_no_step_has_is_no_zero_to_group_by(operation: Operation, key: Key):
    log = Trajectory.from_pairs([("((0,0),(0,1))", "x"), ("((1,0),(0,1))", "x")])
    (result,) = run(log, SubQuery("distinct", by="action")).results
    assert result.value == 2
    assert "no step of the log has" in run(log, SubQuery(operation, by=key)).reason


def test_a_count_says_how_many_of_its_steps_came_to_nothing():
    log = Trajectory.from_pairs(
        [("open door", "You open the door."), ("open door", "Nothing happens."), ("open x", "Error: no")]
    )
    (result,) = run(log, SubQuery("count", (Filter("tool", ("open",)),))).results
    assert (result.value, result.refused) == (3, 2)
    assert "2 of these failed or had no effect" in render(Ledger(log), [result])
    asked = (Filter("tool", ("open",)), Filter("outcome", ("failure",), exclude=True))
    assert run(log, SubQuery("count", asked)).results[0].refused == 0
    assert run(log, SubQuery("count")).results[0].refused == 2
    (listed,) = run(log, SubQuery("list", (Filter("tool", ("open",)),))).results
    assert "of these failed" not in render(Ledger(log), [listed])  # each of them says so itself
