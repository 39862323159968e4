"""The garbage collector is paused for a slice of work, and never left in another state than it was found in."""

import gc

import pytest

from memory_evidence.bulk import MOST, bulk


def broken_work():
    with bulk([1]):
        assert not gc.isenabled()
        raise ValueError("broken")


def test_the_collector_is_paused_and_comes_back_even_after_an_error():
    assert gc.isenabled()
    with pytest.raises(ValueError, match="broken"):
        broken_work()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off():
    gc.disable()
    try:
        with bulk([1]):
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_the_outermost_pause_ends_it():
    with bulk([1]):
        with bulk([1]):
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


@pytest.mark.parametrize("items", [range(MOST + 1), iter([1])])
def test_nothing_is_paused_for_many_items_or_for_an_unknown_number(items):
    with bulk(items):
        assert gc.isenabled()
