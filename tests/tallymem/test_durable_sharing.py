"""One trajectory, many threads and processes, some of which are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memory_evidence.errors import InputError
from memory_evidence.store import open_log
from memory_evidence.tallymem import Ledger, Step, TallyMem, Trajectory
from tests.tallymem.recorder import SCOPE
from tests.tallymem.tallies import HOUSE

ROOT = Path(__file__).parents[2]


@pytest.fixture(params=["file", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    return request.getfixturevalue(f"{request.param}_url")


def recorder(url: str, name: str, steps: int) -> subprocess.Popen[str]:
    program = [sys.executable, "-W", "error", "-m", "tests.tallymem.recorder", url, name, str(steps)]
    return subprocess.Popen(program, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_processes_that_record_at_once_lose_and_mix_up_nothing(url: str):
    names, count = ("drawer", "cabinet", "box"), 10
    with TallyMem.open(SCOPE, store=url) as memory:
        programs = [recorder(url, name, count) for name in names]
        outputs = [program.communicate()[0].split() for program in programs]
        assert [program.returncode for program in programs] == [0] * len(names)
        for name, output in zip(names, outputs, strict=True):
            assert output[count] == str(count)
            memory.refresh()
            told = [memory.trajectory.step(int(line)).action for line in output[:count]]
            assert told == [f"open {name} {number}" for number in range(count)]
        assert [step.id for step in memory.trajectory] == list(range(count * len(names)))
        assert memory.ledger.rows == Ledger(memory.trajectory).rows
        with TallyMem.open(SCOPE, store=url) as again:
            assert again.ledger.rows == memory.ledger.rows


def test_a_killed_process_has_lost_nothing_that_it_acknowledged(url: str):
    acknowledged: list[int] = []
    for least in (3, 20):
        with recorder(url, "drawer", 0) as program:
            assert program.stdout is not None
            for line in program.stdout:
                acknowledged.append(int(line))
                if len(acknowledged) >= least:
                    program.send_signal(signal.SIGKILL)
                    break
            acknowledged += map(int, program.stdout)
        assert program.returncode == -signal.SIGKILL
        with TallyMem.open(SCOPE, store=url) as memory:
            assert acknowledged == list(range(len(acknowledged)))
            ids = [step.id for step in memory.trajectory]
            # At most one step was stored and not yet acknowledged; there is no half of one.
            assert ids[: len(acknowledged)] == acknowledged
            assert len(ids) <= len(acknowledged) + 1
            assert memory.ledger.rows == Ledger(memory.trajectory).rows
            acknowledged = ids


def test_what_a_killed_process_stored_without_its_row_is_read_from_the_step(url: str):
    with open_log(url) as log:  # type: ignore[attr-defined]
        live = TallyMem.open(SCOPE, store=log)
        live.extend(HOUSE.steps[:4])
        save, log.save_compiled = log.save_compiled, None  # type: ignore[method-assign]
        with pytest.raises(TypeError):  # the process ends here, behind the commit of the step
            live.append(HOUSE.steps[4])
        log.save_compiled = save  # type: ignore[method-assign]
        again = TallyMem.open(SCOPE, store=log)
        again.extend(HOUSE)
        assert again.trajectory == HOUSE
        assert again.ledger.rows == Ledger(HOUSE).rows


def test_threads_that_record_and_ask_at_once_lose_and_mix_up_nothing(url: str):
    threads, count = 4, 8
    with TallyMem.open(SCOPE, store=url) as memory:

        def work(name: int) -> list[int]:
            rows = []
            for number in range(count):
                rows.append(memory.record(f"open drawer {name}", f"You open the drawer {name}. {number}").step)
                evidence = memory.evidence(f"How many times was drawer {name} opened?")
                assert evidence.computed is not None
                assert evidence.computed.results[0].value == number + 1
            return rows

        with ThreadPoolExecutor(threads) as pool:
            told = list(pool.map(work, range(threads)))
        assert sorted(id for rows in told for id in rows) == list(range(threads * count))
        assert memory.ledger.rows == Ledger(memory.trajectory).rows


def test_threads_that_number_steps_themselves_never_share_a_number(url: str):
    with TallyMem.open(SCOPE, store=url) as memory:

        def work(name: int) -> list[Step]:
            held = []
            for number in range(8):
                step = Step(number, f"open drawer {name}", "You open it.")
                try:
                    memory.append(step)
                    held.append(step)
                except InputError:
                    pass
            return held

        with ThreadPoolExecutor(3) as pool:
            held = [step for steps in pool.map(work, range(3)) for step in steps]
        assert Trajectory(tuple(sorted(held, key=lambda step: step.id))) == memory.trajectory


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
def test_a_forked_child_records_beside_its_parent(file_url: str):
    code = (
        "import os, sys\n"
        "from memory_evidence.tallymem import TallyMem\n"
        "memory = TallyMem.open(('acme', 'shared'), store=sys.argv[1])\n"
        "memory.record('open drawer 1', 'You open the drawer 1.')\n"
        "memory._lock.acquire()  # as if another thread were in the middle of a read\n"
        "import threading; held = threading.Thread(target=memory._lock.acquire); held.start()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(memory.record('open drawer 2', 'You open the drawer 2.').step)\n"
        "memory._lock.release(); held.join()\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, file_url], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "1\n", done.stderr
    with TallyMem.open(SCOPE, store=file_url) as memory:
        assert [step.action for step in memory.trajectory] == ["open drawer 1", "open drawer 2"]
