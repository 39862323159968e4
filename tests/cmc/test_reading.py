"""One read of a compiled index: which records, in which order, and what the receipt says."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_evidence.cmc.evidence import Superseded
from memory_evidence.cmc.reading import ReadOptions, periods
from memory_evidence.tokens import approximate_tokens
from tests.cmc.histories import (
    GRAMMAR,
    PLAIN,
    compiled,
    empty,
    evidence,
    extracted,
    histories,
    hub_limits,
    lines,
    numbered,
    options,
    questions,
    timeless,
)


def shown(texts: list[str], question: str, how: ReadOptions = PLAIN, as_of: int | None = None) -> tuple[int, ...]:
    return evidence(compiled(texts), question, how, as_of).positions


# Laws


@given(histories, questions, options, hub_limits, st.data())
def test_a_read_as_of_a_record_is_a_read_of_the_history_up_to_it(
    texts: list[str], question: str, how: ReadOptions, hub_limit: int | None, data: st.DataObject
) -> None:
    n = data.draw(st.integers(0, len(texts)))
    past = evidence(compiled(texts, hub_limit=hub_limit), question, how, n)
    fresh = evidence(compiled(texts[:n], hub_limit=hub_limit), question, how)
    assert timeless(past) == timeless(fresh)


@given(histories, questions, options, hub_limits, st.data())
def test_the_order_in_which_records_are_read_does_not_matter(
    texts: list[str], question: str, how: ReadOptions, hub_limit: int | None, data: st.DataObject
) -> None:
    late = data.draw(st.permutations([record.position for record in numbered(texts)]))
    late = late[: data.draw(st.integers(0, len(late)))]
    index = empty(hub_limit=hub_limit)
    extractions = {}
    for record, extraction in extracted(texts):
        extractions[record.position] = extraction
        index.add(record, None if record.position in late else extraction)
    for position in late:
        if data.draw(st.booleans()):
            evidence(index, question, how)  # a read in between builds what later ones rest on
        index.resolve_pending(position, extractions[position])
    assert timeless(evidence(index, question, how)) == timeless(
        evidence(compiled(texts, hub_limit=hub_limit), question, how)
    )


# report 22
@given(histories, questions, options, hub_limits, st.sampled_from([len, approximate_tokens]))
def test_the_budget_is_kept_and_the_positions_are_those_rendered(
    texts: list[str], question: str, how: ReadOptions, hub_limit: int | None, measure: object
) -> None:
    how = replace(how, measure=measure)
    found = evidence(compiled(texts, hub_limit=hub_limit), question, how)
    assert how.measure(found.text) <= how.budget
    assert list(lines(found)) == list(found.positions)
    assert len(set(found.positions)) == len(found.positions)


@given(histories, questions, options)
def test_path_order_shows_the_records_of_source_order(texts: list[str], question: str, how: ReadOptions) -> None:
    index = compiled(texts)
    by_source = evidence(index, question, replace(how, order="source"))
    by_path = evidence(index, question, replace(how, order="path"))
    assert sorted(by_path.positions) == list(by_source.positions)
    assert lines(by_path) == lines(by_source)


@given(histories, questions, options)
def test_the_newest_overflow_keeps_the_newest_of_what_was_selected(
    texts: list[str], question: str, how: ReadOptions
) -> None:
    index = compiled(texts)
    everything = evidence(index, question, replace(how, overflow="newest", budget=10**6, order="source")).positions
    kept = evidence(index, question, replace(how, overflow="newest", order="source"))
    assert kept.positions == everything[len(everything) - len(kept.positions) :]
    assert kept.receipt.overflow == len(everything) - len(kept.positions)


# report 1, report 13
@given(histories, questions)
def test_a_value_that_does_not_hold_is_never_readable_outside_a_mark(texts: list[str], question: str) -> None:
    index = compiled(texts)
    for position, line in lines(evidence(index, question)).items():
        for statement in index.statements(position):
            slot = statement.slot
            holds = {s.object_key for s in slot.current()}
            if not statement.retracts and statement.object_key not in holds:
                assert f"[superseded by {slot.ended_by(statement).position}: {statement.object}]" in line  # type: ignore[union-attr]


@given(histories, questions)
def test_default_reads_show_only_records_that_state_what_holds(texts: list[str], question: str) -> None:
    index = compiled(texts)
    found = evidence(index, question, replace(PLAIN, earlier=False))
    if found.receipt.fallback is None:
        stated = {edge.position for edge in found.edges} | set(found.receipt.retracted)
        assert set(found.positions) == stated | set(index.unresolved)


@given(histories, questions)
def test_reading_twice_gives_the_same(texts: list[str], question: str) -> None:
    index = compiled(texts, hub_limit=1)
    assert timeless(evidence(index, question)) == timeless(evidence(index, question))


@given(histories)
def test_periods_and_current_values_agree(texts: list[str]) -> None:
    index = compiled(texts)
    for subject in index.graph.subjects():
        for slot in index.graph.slots(subject).values():
            open_periods = {p.value.casefold() for p in periods(slot) if p.until is None}
            assert open_periods == {s.object_key for s in slot.current()}


# The paper's example


def test_an_update_changes_which_next_record_is_needed() -> None:
    index = compiled(
        [
            "Meeting sits in Room 1.",
            "Room 1 sits in East Wing.",
            "Room 2 sits in West Wing.",
            "Meeting sits in Room 2.",
        ]
    )
    found = evidence(index, "In which wing is the Meeting?")
    assert found.positions == (3, 4)
    assert [(e.subject, e.object, e.depth) for e in found.edges] == [
        ("Meeting", "Room 2", 0),
        ("Room 2", "West Wing", 1),
    ]
    assert found.receipt.superseded == (Superseded("Meeting", "sits in", "Room 1", 1, 4),)
    assert "East" not in found.text


def test_the_state_before_the_update_is_read_as_of_it() -> None:
    texts = ["Meeting sits in Room 1.", "Room 1 sits in East Wing.", "Meeting sits in Room 2."]
    assert shown(texts, "Where is the Meeting?", as_of=2) == (1, 2)
    assert shown(texts, "Where is the Meeting?", as_of=3) == (3,)
    assert shown(texts, "Where is the Meeting?", as_of=99) == (3,)
    assert shown(texts, "Where is the Meeting?", as_of=0) == ()


def test_a_later_longer_name_does_not_hide_an_earlier_one_as_of_then() -> None:
    texts = ["Ann sits in Oslo.", "Ann Lee sits in Rome."]
    assert shown(texts, "Where is Ann Lee?", as_of=1) == (1,)
    assert shown(texts, "Where is Ann Lee?") == (2,)


# Budget


def test_what_is_near_to_the_question_is_kept_when_the_budget_binds() -> None:
    texts = ["Ann reports to Bo.", "Bo reports to Cy.", "Cy reports to Dee."]
    how = replace(PLAIN, budget=45)
    found = evidence(compiled(texts), "Ann?", how)
    assert (found.positions, found.receipt.overflow) == ((1, 2), 1)
    assert shown(texts, "Ann?", replace(how, overflow="newest")) == (2, 3)


def test_a_record_that_does_not_fit_is_skipped_for_one_that_does() -> None:
    texts = ["Ann sits in " + "far " * 20 + "away.", "Ann reports to Bo."]
    found = evidence(compiled(texts), "Ann?", replace(PLAIN, budget=40))
    assert (found.positions, found.receipt.overflow) == ((2,), 1)


# report 22
def test_where_nothing_fits_the_block_is_empty_and_a_warning_says_so(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        found = evidence(compiled(["Ann sits in Oslo."]), "Ann?", replace(PLAIN, budget=5))
    assert (found.text, str(found), found.positions, found.receipt.overflow) == ("", "", (), 1)
    assert not found
    assert caplog.messages == ["none of 1 records fits into the budget of 5"]


def test_reads_that_select_nothing_warn_of_nothing(caplog: pytest.LogCaptureFixture) -> None:
    evidence(empty(), "Ann?")
    assert caplog.messages == []


def test_the_default_budget_is_the_papers() -> None:
    texts = [f"Ann knows {'x' * 980}{n:04}." for n in range(100)]
    found = evidence(compiled(texts), "Ann?")
    assert len(found.text) <= 60_000 < len(found.text) + 1_000


# Fallback


def test_a_question_that_names_nothing_gets_the_newest_history() -> None:
    texts = ["Ann sits in Oslo.", "Bo sits in Rome.", "Bo sits in Lima."]
    found = evidence(compiled(texts), "Any news?", replace(PLAIN, budget=60))
    assert found.receipt.fallback == "history"
    assert found.positions == (2, 3)
    assert found.text.startswith("2. Bo sits in [superseded by 3: Rome].")
    assert "Nothing in memory matched" in str(found)


def test_a_question_that_names_nothing_gets_nothing_where_that_is_asked_for() -> None:
    texts = ["Ann sits in Oslo.", "Someone hummed a tune about Bo."]
    found = evidence(compiled(texts), "Any news?", replace(PLAIN, fallback="nothing"))
    assert (str(found), found.positions, found.receipt.fallback, found.receipt.overflow) == ("", (), None, 0)


def test_a_question_that_names_something_is_answered_all_the_same_where_the_fallback_is_nothing() -> None:
    texts = ["Ann sits in Oslo.", "Someone hummed a tune about Bo."]
    assert shown(texts, "Ann?", replace(PLAIN, fallback="nothing")) == (1, 2)


def test_an_empty_history_has_no_fallback() -> None:
    found = evidence(empty(), "Ann?")
    assert (found.text, found.receipt.fallback) == ("", None)


# Unresolved records


def test_unresolved_records_are_shown_with_every_answer_and_counted() -> None:
    texts = ["Ann sits in Oslo.", "Someone hummed a tune about Ann.", "Bo sits in Rome."]
    found = evidence(compiled(texts), "Ann?")
    assert (found.positions, found.receipt.unresolved, found.receipt.pending) == ((1, 2), 1, 0)


def test_of_many_unresolved_records_the_nearest_are_shown() -> None:
    texts = [
        "Ann sits in Oslo.",
        "Someone hummed a tune about rain.",
        "Someone hummed a tune about snow.",
        "Someone hummed a tune about rain again.",
    ]
    index = compiled(texts)
    assert evidence(index, "Ann, rain?", replace(PLAIN, unresolved_limit=1)).positions in ((1, 2), (1, 4))
    assert evidence(index, "Ann, rain?", replace(PLAIN, unresolved_limit=2)).positions == (1, 2, 4)
    assert evidence(index, "Ann, rain?", replace(PLAIN, unresolved_limit=0)).positions == (1,)
    assert evidence(index, "Ann, rain?").positions == (1, 2, 3, 4)


def test_equally_near_unresolved_records_give_way_to_newer_ones() -> None:
    texts = ["Ann sits in Oslo.", *("Someone hummed a tune about rain." for _ in range(3)), "Bo sits in Rome."]
    assert shown(texts, "Ann, rain?", replace(PLAIN, unresolved_limit=1)) == (1, 4)


def test_records_close_to_the_question_come_before_unresolved_ones() -> None:
    texts = ["Ann sits in Oslo.", "Someone hummed a tune about Ann."]
    assert shown(texts, "Ann?", replace(PLAIN, budget=20)) == (1,)


def test_a_pending_record_counts_as_unresolved() -> None:
    first, second = numbered(["Ann sits in Oslo.", "Bo sits in Rome."])
    index = empty()
    index.add(first, GRAMMAR.extract(first))
    index.add(second, None)
    found = evidence(index, "Ann?")
    assert (found.positions, found.receipt.unresolved, found.receipt.pending) == ((1, 2), 1, 1)
    assert evidence(index, "Ann?", as_of=1).receipt.pending == 0
    index.resolve_pending(2, GRAMMAR.extract(second))
    assert evidence(index, "Ann?").receipt.pending == 0
    assert evidence(index, "Bo?").positions == (2,)


# Earlier values

MOVES = ["Ann sits in Oslo.", "Ann sits in Rome.", "Ann sits in Lima."]


@pytest.mark.parametrize(
    "question",
    [
        "Where did Ann sit previously?",
        "What was Ann's previous seat?",
        "Where did Ann sit before?",
        "Where did Ann use to sit? I know she used to.",
        "ANN'S FORMER SEAT?",
        "Where was Ann originally?",
    ],
)
def test_a_question_about_earlier_values_is_shown_them_marked(question: str) -> None:
    found = evidence(compiled(MOVES), question)
    assert found.receipt.earlier
    assert found.text.split("\n") == [
        "1. Ann sits in [superseded by 2: Oslo].",
        "2. Ann sits in [superseded by 3: Rome].",
        "3. Ann sits in Lima.",
    ]
    assert "no longer holds" in str(found)


def test_a_question_about_now_is_shown_what_holds_now() -> None:
    found = evidence(compiled(MOVES), "Where does Ann sit?")
    assert (found.text, found.receipt.earlier) == ("3. Ann sits in Lima.", False)
    assert "no longer holds" not in str(found)


def test_earlier_values_are_never_shown_where_that_is_off() -> None:
    assert shown(MOVES, "Where did Ann sit before?", replace(PLAIN, earlier=False)) == (3,)


def test_a_cue_that_names_the_relation_asks_for_no_earlier_value() -> None:
    from memory_evidence.cmc.frontends.patterns import Pattern, PatternGrammar

    grammar = PatternGrammar([Pattern("The {relation} of {subject} is {object}")])
    index = empty()
    for record in numbered(["The original owner of Dock is Ann.", "The original owner of Dock is Bo."]):
        index.add(record, grammar.extract(record))
    assert evidence(index, "Who is the original owner of Dock?").positions == (2,)
    assert evidence(index, "Who previously was the original owner of Dock?").positions == (1, 2)


# report 4, report 7
def test_a_value_that_holds_again_is_not_marked_where_it_was_first_said() -> None:
    texts = ["Ann sits in Oslo.", "Ann sits in Rome.", "Ann sits in Oslo."]
    found = evidence(compiled(texts), "Where did Ann sit before?")
    assert found.text.split("\n")[0] == "1. Ann sits in Oslo."
    assert found.edges[0].position == 3


# Retractions


def test_a_retraction_is_shown_where_nothing_took_the_place() -> None:
    texts = ["Ann reports to Bo.", "Ann no longer reports to Bo."]
    found = evidence(compiled(texts), "Who does Ann report to?")
    assert (found.positions, found.edges, found.receipt.retracted) == ((2,), (), (2,))
    assert found.receipt.superseded == (Superseded("Ann", "reports to", "Bo", 1, 2),)


def test_a_retraction_gives_way_to_a_new_value() -> None:
    texts = ["Ann reports to Bo.", "Ann no longer reports to Bo.", "Ann reports to Cy."]
    found = evidence(compiled(texts), "Ann?")
    assert (found.positions, found.receipt.retracted) == ((3,), ())


def test_the_receipt_names_only_retractions_that_are_shown() -> None:
    texts = ["Ann reports to nobody.", "Ann sits in Oslo."]
    found = evidence(compiled(texts), "Ann?", replace(PLAIN, budget=25))
    assert (found.positions, found.receipt.retracted, found.receipt.overflow) == ((2,), (), 1)


# Long histories of one slot


@settings(max_examples=20)
@given(st.integers(40, 80), st.integers(1, 39))
def test_the_past_of_a_slot_that_changes_all_day_is_read_as_of_then(changes: int, then: int) -> None:
    texts = [f"Ann sits in Seat {n}." for n in range(changes)]
    past = evidence(compiled(texts), "Where did Ann sit before?", as_of=then)
    assert timeless(past) == timeless(evidence(compiled(texts[:then]), "Where did Ann sit before?"))
    assert past.receipt.superseded == tuple(
        Superseded("Ann", "sits in", f"Seat {n}", n + 1, n + 2) for n in range(max(then - 32, 0), then - 1)
    )
