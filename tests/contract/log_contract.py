"""What every log must do. Subclass `LogContract` and override the fixture `log`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count, islice, pairwise
from threading import Event
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_evidence.errors import ScopeError
from memory_evidence.records import Draft, Record, Scope
from memory_evidence.store import Log

ANN = ("acme", "ann")
BOB = ("acme", "bob")

ODD_TEXTS = [
    "",
    " ",
    "\0",
    "a\0b\0",
    "\ud800",
    "\udfff and \ud83d\ude00",
    "\U0001f600",
    "e\u0301 is not \u00e9",
    "one\r\ntwo\rthree\u2028four",
    "{name} %s %(x)s ${y} :param ?",
    'O\'Brien "quoted" \\ ; DROP TABLE scopes; --',
    "שלום 你好 нет",
    "\ufeffwith a mark",
]

any_text = st.text(st.characters(exclude_categories=()), max_size=20)
any_draft = st.builds(Draft, any_text, any_text, st.none() | any_text, st.none() | any_text)
any_part = st.text(st.characters(exclude_categories=()), min_size=1, max_size=3).filter(str.strip)
any_scope = st.lists(any_part, min_size=1, max_size=3).map(tuple)

_fresh = count()


def texts(log: Log, scope: Scope, after: int = 0) -> list[str]:
    return [record.text for record in log.records(scope, after)]


class LogContract:
    @pytest.fixture
    def log(self) -> Log:
        raise NotImplementedError

    # Appending and reading

    def test_positions_count_from_one_across_calls(self, log: Log) -> None:
        assert log.append(ANN, [Draft("a"), Draft("b")]) == [1, 2]
        assert log.append(ANN, [Draft("c")]) == [3]
        assert [record.position for record in log.records(ANN)] == [1, 2, 3]

    def test_record_comes_back_with_all_its_fields(self, log: Log) -> None:
        log.append(ANN, [Draft("I moved.", "Ann", "2024-05-01T10:00:00+02:00", "message-1"), Draft("Plain.")])
        assert list(log.records(ANN)) == [
            Record(1, "I moved.", "Ann", "2024-05-01T10:00:00+02:00", "message-1"),
            Record(2, "Plain."),
        ]

    def test_appending_nothing_changes_nothing(self, log: Log) -> None:
        before = log.version(ANN)
        assert log.append(ANN, []) == []
        assert log.version(ANN) == before
        assert list(log.records(ANN)) == []

    def test_records_after_a_position_leave_out_that_position(self, log: Log) -> None:
        log.append(ANN, [Draft(f"text {i}") for i in range(1, 6)])
        assert texts(log, ANN, after=3) == ["text 4", "text 5"]
        assert texts(log, ANN, after=5) == []
        assert texts(log, ANN, after=99) == []

    def test_many_records_come_back_in_order(self, log: Log) -> None:
        written = [f"text {i}" for i in range(12_345)]
        assert log.append(ANN, [Draft(text) for text in written]) == list(range(1, 12_346))
        assert texts(log, ANN) == written
        assert texts(log, ANN, after=12_000) == written[12_000:]

    @pytest.mark.parametrize("text", ODD_TEXTS)
    def test_odd_text_is_kept_in_every_field(self, log: Log, text: str) -> None:
        log.append(ANN, [Draft(text, text, text, text)])
        assert list(log.records(ANN)) == [Record(1, text, text, text, text)]
        assert log.append(ANN, [Draft("again", key=text)]) == [1]

    def test_ten_megabytes_are_kept_in_every_field(self, log: Log) -> None:
        big = "0123456789" * 999_999 + "é\0\udc00"
        log.append(ANN, [Draft(big, big, big, big), Draft("next")])
        assert list(log.records(ANN)) == [Record(1, big, big, big, big), Record(2, "next")]
        assert log.append(ANN, [Draft("again", key=big), Draft("new", key=big + "!")]) == [1, 3]

    def test_whatever_is_appended_comes_back_unchanged(self, log: Log) -> None:
        @settings(max_examples=40, deadline=None)
        @given(st.lists(any_draft, max_size=8))
        def check(drafts: list[Draft]) -> None:
            scope = ("any", str(next(_fresh)))
            positions = log.append(scope, drafts)
            first: dict[str, Draft] = {}
            kept = [d for d in drafts if d.key is None or first.setdefault(d.key, d) is d]
            stored = {record.position: record for record in log.records(scope)}
            assert list(stored) == list(range(1, len(kept) + 1))
            assert [(r.text, r.speaker, r.time, r.key) for r in stored.values()] == [
                (d.text, d.speaker, d.time, d.key) for d in kept
            ]
            assert [stored[position].key for position in positions] == [draft.key for draft in drafts]
            assert set(positions) == set(stored)

        check()

    def test_reading_may_be_left_half_way(self, log: Log) -> None:
        log.append(ANN, [Draft(str(i)) for i in range(6_000)])
        reading = log.records(ANN)
        assert [record.text for record in islice(reading, 2)] == ["0", "1"]
        log.append(ANN, [Draft("more")])
        assert log.forget(ANN) == 6_001

    def test_appending_while_reading_keeps_the_order(self, log: Log) -> None:
        log.append(ANN, [Draft(str(i)) for i in range(5_100)])
        seen = []
        for record in log.records(ANN):
            seen.append(record.position)
            if record.position % 1_000 == 0:
                log.append(ANN, [Draft("more")])
        assert seen == list(range(1, len(seen) + 1))
        assert len(seen) >= 5_100

    def test_forgetting_while_reading_never_mixes_old_and_new(self, log: Log) -> None:
        log.append(ANN, [Draft("old")] * 6_000)
        reading = log.records(ANN)
        next(reading)
        log.forget(ANN)
        log.append(ANN, [Draft("new")] * 12_000)
        assert {record.text for record in reading} == {"old"}

    # Keys

    def test_known_key_is_not_stored_again(self, log: Log) -> None:
        assert log.append(ANN, [Draft("first", key="k1"), Draft("other", key="k2")]) == [1, 2]
        assert log.append(ANN, [Draft("third", key="k3"), Draft("changed", key="k1"), Draft("fourth")]) == [3, 1, 4]
        assert texts(log, ANN) == ["first", "other", "third", "fourth"]

    def test_key_repeated_within_a_call_is_stored_once(self, log: Log) -> None:
        drafts = [Draft("a", key="k"), Draft("b"), Draft("c", key="k")]
        assert log.append(ANN, drafts) == [1, 2, 1]
        assert texts(log, ANN) == ["a", "b"]

    def test_call_with_known_keys_only_changes_nothing(self, log: Log) -> None:
        drafts = [Draft(str(i), key=str(i)) for i in range(1_200)]
        positions = log.append(ANN, drafts)
        before = log.version(ANN)
        assert log.append(ANN, drafts) == positions == list(range(1, 1_201))
        assert log.version(ANN) == before

    def test_equal_texts_without_key_are_two_records(self, log: Log) -> None:
        assert log.append(ANN, [Draft("same"), Draft("same")]) == [1, 2]
        assert log.append(ANN, [Draft("same")]) == [3]

    def test_empty_key_is_a_key(self, log: Log) -> None:
        assert log.append(ANN, [Draft("a", key=""), Draft("b"), Draft("c", key="")]) == [1, 2, 1]

    def test_keys_are_compared_exactly(self, log: Log) -> None:
        keys = [
            "k",
            "K",
            " k",
            "k ",
            "k\0",
            "\u00e9",
            "e\u0301",
            "\U0001f600",
            "\ud83d\ude00",
            *("x" * n for n in (999, 1_000, 1_001, 5_000)),
        ]
        assert log.append(ANN, [Draft("text", key=key) for key in keys]) == list(range(1, len(keys) + 1))

    def test_key_belongs_to_its_scope(self, log: Log) -> None:
        log.append(ANN, [Draft("ann's", key="k")])
        assert log.append(BOB, [Draft("bob's", key="k")]) == [1]
        assert texts(log, BOB) == ["bob's"]

    # Scopes

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (("a_b",), ("a", "b")),
            (("a,b",), ("a", "b")),
            (('a", "b',), ("a", "b")),
            (("team_a",), ("team", "a")),
            (("a",), ("a", "a")),
            (("a", "b"), ("b", "a")),
            (("a",), ("A",)),
            (("a",), ("a ",)),
            (("a",), ("a\0",)),
            (("%",), ("a",)),
            (("a%",), ("ab",)),
            (("\u00e9",), ("e\u0301",)),
            (("\U0001f600",), ("\ud83d\ude00",)),
            (("s" * 5_000,), ("s" * 5_001,)),
        ],
    )
    def test_scopes_that_differ_share_nothing(self, log: Log, one: Scope, other: Scope) -> None:
        log.append(one, [Draft("one", key="k")])
        log.save_compiled(one, "c", {"h": b"one"})
        assert texts(log, other) == []
        assert log.load_compiled(other, "c", ["h"]) == {}
        assert log.append(other, [Draft("other", key="k")]) == [1]
        assert log.forget(one) == 1
        assert texts(log, other) == ["other"]

    def test_scopes_never_mix(self, log: Log) -> None:
        @settings(max_examples=25, deadline=None)
        @given(st.lists(st.tuples(any_scope, st.integers(0, 3)), max_size=12))
        def check(steps: list[tuple[Scope, int]]) -> None:
            expected: dict[Scope, list[str]] = {}
            for number, (scope, size) in enumerate(steps):
                new = [f"{number}.{i} of {scope!r}" for i in range(size)]
                log.append(scope, [Draft(text) for text in new])
                expected.setdefault(scope, []).extend(new)
            for scope, written in expected.items():
                assert texts(log, scope) == written
            for scope, written in expected.items():
                assert log.forget(scope) == len(written)
                assert texts(log, scope) == []

        check()

    @pytest.mark.parametrize("scope", [(), ("",), ("a", " "), "ann", None, (1,)])
    def test_missing_or_empty_scope_is_an_error(self, log: Log, scope: Any) -> None:
        log.append(ANN, [Draft("kept")])
        for call in (
            lambda: log.append(scope, [Draft("a")]),
            lambda: log.append(scope, []),
            lambda: list(log.records(scope)),
            lambda: log.version(scope),
            lambda: log.save_compiled(scope, "c", {"h": b""}),
            lambda: log.load_compiled(scope, "c", ["h"]),
            lambda: log.forget(scope),
        ):
            with pytest.raises(ScopeError):
                call()
        assert texts(log, ANN) == ["kept"]

    # Version

    def test_version_stays_while_nothing_changes(self, log: Log) -> None:
        assert log.version(ANN) == log.version(ANN)
        log.append(ANN, [Draft("a")])
        before = log.version(ANN)
        list(log.records(ANN))
        log.load_compiled(ANN, "c", ["h"])
        assert log.version(ANN) == before

    def test_version_changes_with_every_change(self, log: Log) -> None:
        seen = [log.version(ANN)]
        for change in (
            lambda: log.append(ANN, [Draft("a")]),
            lambda: log.append(ANN, [Draft("b")]),
            lambda: log.save_compiled(ANN, "c", {"h": b"1"}),
            lambda: log.save_compiled(ANN, "c", {"h": b"2"}),
            lambda: log.forget(ANN),
            lambda: log.append(ANN, [Draft("a")]),
        ):
            change()
            seen.append(log.version(ANN))
        assert all(one != next_ for one, next_ in pairwise(seen))

    def test_epoch_stays_until_the_scope_is_forgotten(self, log: Log) -> None:
        log.append(ANN, [Draft("a")])
        epoch = log.version(ANN).epoch
        log.append(ANN, [Draft("b")])
        log.save_compiled(ANN, "c", {"h": b"1"})
        log.append(BOB, [Draft("b")])
        log.forget(BOB)
        assert log.version(ANN).epoch == epoch

    def test_epoch_never_returns_though_positions_do(self, log: Log) -> None:
        epochs = []
        for _ in range(4):
            assert log.append(ANN, [Draft("a"), Draft("b")]) == [1, 2]
            epochs.append(log.version(ANN).epoch)
            log.forget(ANN)
        assert len(set(epochs)) == 4

    # Compiled results

    def test_compiled_results_come_back(self, log: Log) -> None:
        log.append(ANN, [Draft("a")])
        log.save_compiled(ANN, "c", {"h1": b"\0\xff", "h2": b""})
        assert log.load_compiled(ANN, "c", ["h2", "h3", "h1"]) == {"h1": b"\0\xff", "h2": b""}
        assert log.load_compiled(ANN, "c", []) == {}

    def test_compiled_result_is_replaced(self, log: Log) -> None:
        log.append(ANN, [Draft("a")])
        log.save_compiled(ANN, "c", {"h1": b"old", "h2": b"kept"})
        log.save_compiled(ANN, "c", {"h1": b"new"})
        assert log.load_compiled(ANN, "c", ["h1", "h2"]) == {"h1": b"new", "h2": b"kept"}

    def test_compilers_do_not_see_each_other(self, log: Log) -> None:
        log.append(ANN, [Draft("a")])
        log.save_compiled(ANN, "one", {"h": b"1"})
        log.save_compiled(ANN, "two", {"h": b"2"})
        assert log.load_compiled(ANN, "one", ["h"]) == {"h": b"1"}
        assert log.load_compiled(ANN, "two", ["h"]) == {"h": b"2"}
        assert log.load_compiled(ANN, "on", ["h"]) == {}

    def test_thousands_of_compiled_results_come_back(self, log: Log) -> None:
        log.append(ANN, [Draft("a")])
        results = {f"{i:064x}": str(i).encode() for i in range(5_000)}
        log.save_compiled(ANN, "c" * 64, results)
        assert log.load_compiled(ANN, "c" * 64, iter(results)) == results

    def test_hashes_may_be_computed_while_reading(self, log: Log) -> None:
        log.append(ANN, [Draft("a"), Draft("b")])
        log.save_compiled(ANN, "c", {"hash of b": b"1"})
        hashes = (f"hash of {record.text}" for record in log.records(ANN))
        assert log.load_compiled(ANN, "c", hashes) == {"hash of b": b"1"}

    def test_scope_without_records_keeps_no_compiled_results(self, log: Log) -> None:
        # Else a slow compilation that ends after `forget` would bring back what was to be forgotten.
        log.append(ANN, [Draft("a")])
        log.forget(ANN)
        log.save_compiled(ANN, "c", {"h": b"of a"})
        log.append(ANN, [Draft("b")])
        assert log.load_compiled(ANN, "c", ["h"]) == {}

    # Forgetting

    def test_forget_deletes_exactly_one_scope(self, log: Log) -> None:
        for scope in (ANN, BOB, ("acme",), (*ANN, "thread")):
            log.append(scope, [Draft("a", key="k"), Draft("b")])
            log.save_compiled(scope, "c", {"h": b"x"})
        assert log.forget(ANN) == 2
        assert texts(log, ANN) == []
        assert log.load_compiled(ANN, "c", ["h"]) == {}
        for scope in (BOB, ("acme",), (*ANN, "thread")):
            assert texts(log, scope) == ["a", "b"]
            assert log.load_compiled(scope, "c", ["h"]) == {"h": b"x"}

    def test_forgotten_scope_starts_anew(self, log: Log) -> None:
        log.append(ANN, [Draft("a", key="k")])
        log.save_compiled(ANN, "c", {"h": b"x"})
        log.forget(ANN)
        assert log.append(ANN, [Draft("b", key="k")]) == [1]
        assert texts(log, ANN) == ["b"]
        assert log.load_compiled(ANN, "c", ["h"]) == {}

    def test_forgetting_nothing_is_no_error(self, log: Log) -> None:
        assert log.forget(ANN) == 0
        log.append(ANN, [Draft("a")])
        assert (log.forget(ANN), log.forget(ANN)) == (1, 0)

    # Threads

    def test_threads_write_without_gaps_and_are_seen_in_order(self, log: Log) -> None:
        def write(writer: int) -> list[list[int]]:
            return [log.append(ANN, [Draft(f"{writer} {n} {i}") for i in range(3)]) for n in range(10)]

        def read() -> None:
            while not written.is_set():
                seen = [record.position for record in log.records(ANN)]
                assert seen == list(range(1, len(seen) + 1))

        written = Event()
        with ThreadPoolExecutor(9) as pool:
            reading = pool.submit(read)
            try:
                batches = [batch for writer in pool.map(write, range(8)) for batch in writer]
            finally:
                written.set()
            reading.result()
        assert sorted(position for batch in batches for position in batch) == list(range(1, 241))
        assert all(batch == list(range(batch[0], batch[0] + 3)) for batch in batches)
        stored = texts(log, ANN)
        for writer in range(8):
            own = [text for text in stored if text.startswith(f"{writer} ")]
            assert own == [f"{writer} {n} {i}" for n in range(10) for i in range(3)]

    def test_threads_store_one_record_per_key(self, log: Log) -> None:
        drafts = [Draft(f"text {i}", key=str(i)) for i in range(20)]
        with ThreadPoolExecutor(8) as pool:
            positions = list(pool.map(lambda _: log.append(ANN, drafts), range(16)))
        assert positions == [list(range(1, 21))] * 16
        assert len(texts(log, ANN)) == 20

    def test_threads_may_forget_while_others_write(self, log: Log) -> None:
        def write(_: int) -> None:
            for _ in range(10):
                log.append(ANN, [Draft("text")])
                log.save_compiled(ANN, "c", {"h": b"x"})

        with ThreadPoolExecutor(4) as pool:
            writing = [pool.submit(write, i) for i in range(4)]
            forgotten = sum(log.forget(ANN) for _ in range(10))
            for each in writing:
                each.result()
        left = [record.position for record in log.records(ANN)]
        assert left == list(range(1, len(left) + 1))
        assert forgotten + len(left) == 40
