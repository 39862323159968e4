"""The constants of the paper's appendix C, each by what it does, and written out: none is taken from the code."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable

from memory_evidence.models import run
from memory_evidence.tallymem import Ledger, ReadingIndex, Step, TallyMem, Trajectory
from memory_evidence.tallymem.annotate import supports
from memory_evidence.tallymem.compile import answered, asks_for
from memory_evidence.tallymem.receipts import Receipt
from memory_evidence.tallymem.selection import Selection
from memory_evidence.testing import ScriptedModel
from tests.tallymem.trajectories import editor

WORDS = [f"w{letter}" for letter in "abcdefghijklmnopqrst"]


def test_defaults_are_the_papers():
    defaults = {name: part.default for name, part in inspect.signature(TallyMem).parameters.items()}
    assert (defaults["view_budget"], defaults["block_budget"], defaults["attach_above"]) == (26_000, 6_000, 15)


def chosen(
    budget: int, linked: Iterable[int], named: Iterable[int] = (), dear: Iterable[int] = (), brief: int = 0
) -> Selection:
    """Select around step 90 of 100 that cost 1 each, those of `dear` far more, and an index record `brief`."""
    costly = set(dear)

    def cost(place: int, cap: int) -> int:
        if not cap:
            return brief
        return 10_000 if place in costly else 1

    made = Selection(budget, 0, range(100), [*named, 90], cost, lambda before, after: 0, 100)
    made.fill(list(named), linked)
    return made


def test_up_to_eight_linked_steps_come_before_all_others():
    assert list(chosen(1_000, range(19, -1, -1)).caps)[:9] == [*range(19, 11, -1), 90]


def test_linked_steps_take_a_fifth_of_what_named_steps_and_their_neighbours_leave():
    assert list(chosen(10, range(19, -1, -1)).caps)[:3] == [19, 18, 90]
    assert list(chosen(15, range(19, -1, -1), named=[50]).caps)[:8] == [50, 51, 49, 52, 48, 19, 18, 90]


def test_index_records_take_thirty_percent():
    assert len(chosen(100, (), dear=range(100), brief=1).briefs) == 30
    records = Selection(100, 0, range(100), [90], lambda place, cap: 1, lambda before, after: 0, 100)
    assert [records.add_record(cost) for cost in (20, 11, 10, 1)] == [True, False, True, False]


def test_a_step_that_does_not_fit_is_skipped_and_those_behind_it_are_not():
    assert list(chosen(3, (), dear=[91, 89]).caps) == [90, 92, 88]


def anchors(shared: int, question: str, first: tuple[str, str], last: tuple[str, str]) -> set[int]:
    """Return the anchors of a log of eight steps that share so many terms with a question, between two others."""
    middle = [("walk", " ".join(WORDS[:shared]))] * 8
    log = Trajectory.from_pairs([first, *middle, last])
    return set(ReadingIndex(log).view(f"{' '.join(WORDS)} {question}").anchors)


def test_a_named_step_counts_eight():
    quiet = ("rest", "nothing")
    assert len(anchors(8, "at step 9", quiet, quiet)) == 8  # it is one of the eight best itself
    assert len(anchors(9, "at step 9", quiet, quiet)) == 9  # it joins the eight best


def test_a_named_file_counts_twelve():
    file, quiet = (editor("view", "/src/x.py"), ""), ("rest", "nothing")
    # Two terms of its name are shared as well.
    assert 0 in anchors(14, "in x.py", file, quiet)
    assert 0 not in anchors(15, "in x.py", file, quiet)


def test_fields_keep_four_thousand_and_twelve_hundred_characters():
    log = Trajectory.from_pairs([("walk", "a" * 5_000)] * 30)
    view = ReadingIndex(log).view("What was at step 3?")
    kept = dict.fromkeys(view.steps, 0)
    for span in view.spans:
        if span.field == "observation" and span.record in kept:
            kept[span.record] += span.stop - span.start
    assert [kept[step] for step in range(8)] == [1_200, 4_000, 4_000, 4_000, 4_000, 4_000, 1_200, 1_200]


def test_a_quote_needs_four_characters_and_eight_to_be_recovered():
    assert supports("beep", "A BEEP.")
    assert not supports("bee", "A BEEP.")
    assert supports("ab.cd-efgh", "abcd efgh")
    assert not supports("ab.cd-efg", "abcd efg")


def test_the_catalog_has_forty_targets_and_twenty_properties():
    told = [Receipt(re.compile(rf"p{n}\b"), changes=(("x", f"p{n}", "1", ""),)) for n in range(30)]
    steps = [Step(n, f"open drawer {n}", f"p{n % 30} is set") for n in range(60)]
    model = ScriptedModel([json.dumps({"applicable": False})])
    run(answered(asks_for("How many?", Ledger(steps, receipts=told))), model)
    shown = json.loads(model.calls[0].messages[1].content)
    assert (len(shown["targets"]), len(shown["change_properties"])) == (40, 20)


def test_further_plans_are_sampled_at_seven_tenths():
    model = ScriptedModel([json.dumps({"applicable": False})] * 5)
    log = Trajectory.from_pairs([("look", "a room")])
    TallyMem(log, model, compiler="model", samples=4, concurrency=1).evidence("How many?")
    assert [call.temperature for call in model.calls] == [0.0, 0.7, 0.7, 0.7, 0.7]
