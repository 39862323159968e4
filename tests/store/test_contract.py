"""The contract of a log, on every database."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_evidence.records import Draft
from memory_evidence.store import Log, LogVersion, open_log
from tests.contract.log_contract import ANN, LogContract, texts
from tests.store.writer import SCOPE

HERE = Path(__file__).parent


def start(program: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error", str(HERE / program), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


class SharedLogContract(LogContract):
    """What a log adds that several processes open at one URL."""

    @pytest.fixture
    def url(self) -> str:
        raise NotImplementedError

    @pytest.fixture
    def log(self, url: str) -> Iterator[Log]:
        log = open_log(url)
        yield log
        log.close()

    def test_everything_is_there_after_reopening(self, url: str) -> None:
        log = open_log(url)
        log.append(ANN, [Draft("kept", "Ann", "2024", "k")])
        log.save_compiled(ANN, "c", {"h": b"x"})
        records, version = list(log.records(ANN)), log.version(ANN)
        log.close()
        again = open_log(url)
        assert list(again.records(ANN)) == records
        assert again.load_compiled(ANN, "c", ["h"]) == {"h": b"x"}
        assert again.version(ANN) == version
        assert again.append(ANN, [Draft("new"), Draft("known", key="k")]) == [2, 1]
        again.close()

    def test_version_shows_the_changes_of_another_log(self, log: Log, url: str) -> None:
        other = open_log(url)
        log.append(ANN, [Draft("a")])
        seen: list[LogVersion] = [log.version(ANN)]
        for change in (
            lambda: other.append(ANN, [Draft("b")]),
            lambda: other.save_compiled(ANN, "c", {"h": b"1"}),
            lambda: other.forget(ANN),
            lambda: other.append(ANN, [Draft("a")]),
        ):
            change()
            seen.append(log.version(ANN))
            assert log.version(ANN) == other.version(ANN)
        assert len(set(seen)) == 5
        assert seen[0].epoch == seen[1].epoch == seen[2].epoch != seen[4].epoch
        other.close()

    def test_version_ignores_other_scopes(self, log: Log) -> None:
        log.append(ANN, [Draft("a")])
        before = log.version(ANN)
        log.append(("acme", "bob"), [Draft("b")])
        assert log.version(ANN) == before

    def test_processes_that_start_together_write_without_gaps(self, url: str) -> None:
        writers = [start("writer.py", url, name, 12, 5) for name in "abcd"]
        acknowledged = []
        for writer in writers:
            out, _ = writer.communicate()
            assert writer.returncode == 0
            acknowledged += [tuple(map(int, line.split())) for line in out.splitlines()]
        assert sorted(acknowledged) == [(first, first + 4) for first in range(1, 241, 5)]
        log = open_log(url)
        written = texts(log, SCOPE)
        assert [record.position for record in log.records(SCOPE)] == list(range(1, 241))
        for name in "abcd":
            own = [text for text in written if text.startswith(name)]
            assert own == [f"{name} {n} {i}" for n in range(12) for i in range(5)]
        log.close()

    def test_killed_writer_loses_nothing_acknowledged_and_leaves_no_part_of_a_batch(self, url: str) -> None:
        size, last = 700, 0
        for kill_after in (1, 3, 6):
            writer = start("writer.py", url, f"w{kill_after}", 0, size)
            assert writer.stdout is not None
            for _ in range(kill_after):
                assert writer.stdout.readline()
            writer.kill()
            rest = writer.stdout.read().splitlines(keepends=True)
            acknowledged = last + size * (kill_after + sum(line.endswith("\n") for line in rest))
            writer.stdout.close()
            writer.wait()
            log = open_log(url)
            # Waits for a server that is still busy with what the writer sent last.
            after = log.append(SCOPE, [Draft("after")])
            records = list(log.records(SCOPE))
            assert [record.position for record in records] == list(range(1, after[0] + 1))
            own = [record.text for record in records[last:-1]]
            assert own == [f"w{kill_after} {n} {i}" for n in range(len(own) // size) for i in range(size)]
            # The batch under way may have been stored in whole, with only its acknowledgement lost.
            assert acknowledged <= last + len(own) <= acknowledged + size
            last = after[0]
            log.close()

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
    def test_log_works_on_both_sides_of_a_fork(self, url: str) -> None:
        program = start("forker.py", url)
        out, _ = program.communicate()
        assert program.returncode == 0
        rows = [line.split(maxsplit=1) for line in out.splitlines()]
        assert [int(position) for position, _ in rows] == list(range(1, 43))
        written = [text for _, text in rows]
        for name, count in (("child", 21), ("parent", 20)):
            assert [text for text in written if text.startswith(name)] == [f"{name} {i}" for i in range(count)]


class TestMemoryLog(LogContract):
    @pytest.fixture
    def log(self) -> Iterator[Log]:
        log = open_log("sqlite://")
        yield log
        log.close()

    def test_each_log_in_memory_is_its_own(self, log: Log) -> None:
        log.append(ANN, [Draft("here")])
        other = open_log("sqlite://")
        assert texts(other, ANN) == []
        other.close()
        assert texts(log, ANN) == ["here"]


class TestFileLog(SharedLogContract):
    @pytest.fixture
    def url(self, file_url: str) -> str:
        return file_url


class TestPostgresLog(SharedLogContract):
    @pytest.fixture
    def url(self, postgres_url: str) -> str:
        return postgres_url
