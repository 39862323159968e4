"""Records, drafts, scopes and spans."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_evidence.errors import InputError, ScopeError
from memory_evidence.records import USER, Draft, Record, SourceRef, as_drafts, check_scope

parts = st.text(st.characters(exclude_categories=()), min_size=1, max_size=8).filter(str.strip)


# report 39
@given(st.lists(parts, min_size=1, max_size=4))
def test_a_scope_is_kept_exactly(scope: list[str]) -> None:
    assert check_scope(scope) == check_scope(tuple(scope)) == tuple(scope)


# report 39
@pytest.mark.parametrize(
    "scope", [None, "", "ann", b"ann", (), [], ("",), ("a", ""), (" ",), ("a", None), (1,), {"a"}, {"a": "b"}, 5]
)
def test_what_is_no_scope_is_refused(scope: Any) -> None:
    with pytest.raises(ScopeError, match=r'`scope` must be a tuple of non-empty strings such as \("tenant", "user"\)'):
        check_scope(scope)


def test_drafts_are_made_of_texts_and_drafts_in_order() -> None:
    draft = Draft("b", "Ann", "2024", "k")
    assert as_drafts(["a", draft]) == [Draft("a"), draft]
    assert as_drafts("a") == [Draft("a", USER, None, None)]
    assert as_drafts(draft) == [draft]
    assert as_drafts(text for text in ("a", "b")) == [Draft("a"), Draft("b")]  # type: ignore[arg-type]
    assert as_drafts(()) == []


@pytest.mark.parametrize("items", [[1], ["a", None], [["a"]], [Record(1, "a")], b"a", bytearray(b"a")])
def test_an_item_that_is_no_record_is_refused(items: Any) -> None:
    with pytest.raises(InputError, match=r"a record must be a string or a Draft\(text, speaker, time, key\); got"):
        as_drafts(items)


@pytest.mark.parametrize("items", [None, 5, {"text": "a"}, {"a", "b"}, frozenset("a"), {"a": 1}.keys()])
def test_items_without_an_order_are_refused(items: Any) -> None:
    with pytest.raises(InputError, match="records must be a text, a Draft, or a list of them in the order"):
        as_drafts(items)


@pytest.mark.parametrize("field", ["text", "speaker", "time", "key"])
@pytest.mark.parametrize("value", [5, b"x", ["x"], None])
def test_a_draft_holds_strings(field: str, value: Any) -> None:
    if value is None and field in ("time", "key"):
        assert getattr(Draft(**{"text": "a", field: None}), field) is None
        return
    with pytest.raises(InputError, match=f"a record's {field} must be a string"):
        Draft(**{"text": "a", field: value})


@given(st.text(max_size=20), st.data())
def test_a_reference_is_a_span_of_its_source(source: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(source)))
    stop = data.draw(st.integers(start, len(source)))
    assert SourceRef(1, "text", start, stop).of(source) == source[start:stop]
