from __future__ import annotations

import pytest

from memory_evidence.tallymem import Filter, Ledger, Plan, Step, SubQuery
from memory_evidence.tallymem.execute import execute
from memory_evidence.tallymem.plan import not_applicable
from memory_evidence.tallymem.router import ATTACH_ABOVE, attach


def execution(count: int):
    ledger = Ledger([Step(n, "open box 1" if n < count else "look") for n in range(40)])
    return execute(ledger, Plan((SubQuery("count", (Filter("tool", ("open",)),)),)))


@pytest.mark.parametrize(("load", "attached"), [(1, False), (15, False), (16, True), (40, True)])
def test_a_block_is_attached_above_a_load_of_fifteen(load, attached):
    assert ATTACH_ABOVE == 15
    assert attach(execution(load)) is attached


def test_the_threshold_can_be_moved_or_lifted():
    assert attach(execution(3), above=2)
    assert attach(execution(1), above=None)


def test_nothing_computed_is_never_attached():
    assert not attach(execute(Ledger(), not_applicable("no")), above=None)
