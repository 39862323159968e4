"""Resolution: the last statement of a slot decides, whatever order statements arrive in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.cmc.resolve import SlotHistory, StateGraph, Statement, ended, runs

SUBJECTS = ("ann", "bo")
RELATIONS = ("seat", "boss", "friend")
MULTI = frozenset({"friend"})
OBJECTS = ("x", "y", "z")


@dataclass(frozen=True)
class Said:
    """What one record says; an empty object retracts whatever the value was."""

    subject: str
    relation: str
    object: str
    retracts: bool = False


assertions = st.builds(Said, st.sampled_from(SUBJECTS), st.sampled_from(RELATIONS), st.sampled_from(OBJECTS))
retractions = st.builds(
    Said, st.sampled_from(SUBJECTS), st.sampled_from(RELATIONS), st.sampled_from((*OBJECTS, "")), st.just(True)
)
# Several a record, as a record may hold more than one fact.
histories = st.lists(st.lists(assertions | assertions | retractions, min_size=1, max_size=3), max_size=12)


def statements(history: list[list[Said]]) -> list[Statement]:
    return [
        Statement(
            position, order, said.subject, said.relation, said.object, said.subject, said.relation, said.object,
            said.retracts,
        )
        for position, record in enumerate(history, 1)
        for order, said in enumerate(record)
    ]  # fmt: skip


def graph_of(arriving: list[Statement]) -> StateGraph:
    graph = StateGraph(MULTI)
    for statement in arriving:
        graph.add(statement)
    return graph


def replayed(history: list[list[Said]]) -> dict[tuple[str, str], list[str]]:
    """The state, by the plainest means."""
    state: dict[tuple[str, str], list[str]] = {}
    for said in [said for record in history for said in record]:
        values = state.setdefault((said.subject, said.relation), [])
        if said.retracts:
            values[:] = [value for value in values if said.object not in ("", value)]
        elif said.relation in MULTI:
            values[:] = [*(value for value in values if value != said.object), said.object]
        else:
            values[:] = [said.object]
    return state


def state_of(graph: StateGraph, as_of: int | None = None) -> dict[tuple[str, str], list[str]]:
    return {
        (subject, relation): [s.object_key for s in slot.current(as_of)]
        for subject in SUBJECTS
        for relation, slot in graph.slots(subject).items()
    }


def seen(graph: StateGraph, last: int) -> Any:
    """Everything that a graph tells, after each record and now."""
    moments = [None, *range(last + 1)]
    return {
        subject: (
            [(relation, [s.at for s in slot.statements]) for relation, slot in graph.slots(subject).items()],
            [[s.at for s in graph.current(subject, moment)] for moment in moments],
            [[s.at for s in graph.standing(subject, moment)] for moment in moments],
            [
                [(e := slot.ended_by(s, moment)) and e.at for s in slot.statements]
                for slot in graph.slots(subject).values()
                for moment in moments
            ],
        )
        for subject in SUBJECTS
    }


@given(histories)
def test_the_graph_holds_what_replaying_gives(history: list[list[Said]]) -> None:
    graph = graph_of(statements(history))
    assert state_of(graph) == replayed(history)
    assert len(graph) == sum(map(len, history))
    assert set(graph.subjects()) == {said.subject for record in history for said in record}


@given(histories)
def test_the_graph_as_of_a_record_is_the_graph_of_the_history_up_to_it(history: list[list[Said]]) -> None:
    graph = graph_of(statements(history))
    for n in range(len(history) + 1):
        before = replayed(history[:n])
        assert {key: values for key, values in state_of(graph, n).items() if values} == {
            key: values for key, values in before.items() if values
        }


@given(histories.flatmap(lambda history: st.tuples(st.just(history), st.permutations(statements(history)))))
def test_any_order_of_arrival_gives_the_same_graph(drawn: tuple[list[list[Said]], list[Statement]]) -> None:
    history, shuffled = drawn
    assert seen(graph_of(shuffled), len(history)) == seen(graph_of(statements(history)), len(history))


# report 2, report 3
@given(histories)
def test_a_single_valued_slot_holds_exactly_the_last_value(history: list[list[Said]]) -> None:
    said = [s for record in history for s in record if s.relation not in MULTI and not s.retracts]
    only_assertions = [[s for s in record if not s.retracts] for record in history]
    graph = graph_of(statements(only_assertions))
    last = {(s.subject, s.relation): s.object for s in said}
    assert {key: values for key, values in state_of(graph).items() if key[1] not in MULTI} == {
        key: [value] for key, value in last.items()
    }


# report 6
@given(histories, histories)
def test_what_is_said_about_others_never_changes_a_subject(history: list[list[Said]], more: list[list[Said]]) -> None:
    others = [[s for s in record if s.subject != "ann"] for record in more]
    before, after = graph_of(statements(history)), graph_of(statements(history + others))
    assert [s.at for s in before.standing("ann")] == [s.at for s in after.standing("ann")]


# report 6
@given(histories, histories, st.sampled_from(RELATIONS))
def test_what_is_said_under_other_relations_never_changes_a_slot(
    history: list[list[Said]], more: list[list[Said]], relation: str
) -> None:
    others = [[s for s in record if s.relation != relation] for record in more]
    before, after = state_of(graph_of(statements(history))), state_of(graph_of(statements(history + others)))
    for subject in SUBJECTS:
        assert before.get((subject, relation)) == after.get((subject, relation))


# report 4
@given(histories)
def test_saying_the_current_values_again_changes_only_when_they_were_confirmed(history: list[list[Said]]) -> None:
    current = replayed(history)
    again = [[Said(*key, value)] for key, values in current.items() for value in values]
    graph = graph_of(statements(history + again))
    assert state_of(graph) == current
    for subject in SUBJECTS:
        for statement in graph.current(subject):
            assert statement.position > len(history)


# report 12
@given(st.lists(st.sampled_from(OBJECTS), min_size=1, max_size=8))
def test_a_multi_valued_slot_keeps_every_value(objects: list[str]) -> None:
    graph = graph_of(statements([[Said("ann", "friend", value)] for value in objects]))
    assert {s.object for s in graph.current("ann")} == set(objects)


@given(histories)
def test_standing_is_the_state_and_the_retraction_that_emptied_a_slot(history: list[list[Said]]) -> None:
    graph = graph_of(statements(history))
    for subject in SUBJECTS:
        for slot in graph.slots(subject).values():
            standing = list(slot.standing())
            if slot.current():
                assert standing == list(slot.current())
            elif any(not s.retracts for s in slot.statements) or slot.statements[-1].order == 0:
                assert [s.at for s in standing] == [slot.statements[-1].at]
            else:
                assert standing == []  # only implied by another fact of its record


@given(histories)
def test_what_ended_a_value_is_later_and_says_something_else(history: list[list[Said]]) -> None:
    graph = graph_of(statements(history))
    for subject in SUBJECTS:
        for slot in graph.slots(subject).values():
            current = {s.object_key for s in slot.current()}
            for statement in slot.statements:
                end = slot.ended_by(statement)
                if statement.retracts or statement.object_key in current:
                    assert end is None
                else:
                    assert end is not None
                    assert end.at > statement.at
                    assert end.retracts or end.object_key != statement.object_key


def test_a_restatement_does_not_end_a_value_but_its_successor_does() -> None:
    slot = SlotHistory(multi=False)
    for statement in statements([[Said("ann", "seat", value)] for value in "xxy"]):
        slot.add(statement)
    first, _, last = slot.statements
    assert slot.ended_by(first) is last


@given(histories)
def test_runs_say_what_holds_and_since_when(history: list[list[Said]]) -> None:
    graph = graph_of(statements(history))
    for subject in SUBJECTS:
        for slot in graph.slots(subject).values():
            found = runs(slot.statements, slot.multi)
            assert {run.last.at for run in found if run.ended_by is None} == {s.at for s in slot.current()}
            for run in found:
                assert run.first.at <= run.last.at
                assert run.ended_by is None or run.last.at < run.ended_by.at


# report 7
def test_retracted_and_stated_again_is_current_with_two_periods() -> None:
    history = [[Said("ann", "seat", "x")], [Said("ann", "seat", "x", True)], [Said("ann", "seat", "x")]]
    (slot,) = graph_of(statements(history)).slots("ann").values()
    assert [(run.first.position, run.ended_by and run.ended_by.position) for run in runs(slot.statements, False)] == [
        (1, 2),
        (3, None),
    ]


@given(histories, st.integers(0, 3))
def test_a_subject_below_the_limit_is_never_taken_for_a_hub_wrongly(history: list[list[Said]], limit: int) -> None:
    graph = graph_of(statements(history))
    for subject in SUBJECTS:
        if len(list(graph.standing(subject))) > limit:
            assert graph.may_exceed(subject, limit)


@given(histories)
def test_what_ended_is_what_the_runs_say(history: list[list[Said]]) -> None:
    graph = graph_of(statements(history))
    for subject in SUBJECTS:
        for slot in graph.slots(subject).values():
            assert ended(slot.statements, slot.multi) == [
                (run.last, run.ended_by) for run in runs(slot.statements, slot.multi) if run.ended_by is not None
            ]
