"""The garbage collector is paused for a slice of work, and never left in another state than it was found in."""

import gc

import pytest

from memory_evidence.bulk import bulk


def broken_work():
    with bulk():
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
        with bulk():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
