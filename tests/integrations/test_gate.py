import asyncio
import os
import signal
import threading

import pytest

from integrations._gate import Gate


async def enter(gate: Gate, name: str, order: list[str]) -> None:
    async with gate.aentered():
        order.append(name)


async def test_places_are_given_first_come_first_served() -> None:
    gate, order = Gate(1), []
    async with gate.aentered():
        tasks = [asyncio.create_task(enter(gate, name, order)) for name in "abc"]
        await asyncio.sleep(0)
        assert order == []
    await asyncio.gather(*tasks)
    assert order == ["a", "b", "c"]


async def test_waiter_cancelled_before_its_turn_is_passed_over() -> None:
    gate, order = Gate(1), []
    async with gate.aentered():
        first, second = (asyncio.create_task(enter(gate, name, order)) for name in "ab")
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0)
    await second
    assert order == ["b"]
    assert first.cancelled()


async def test_waiter_cancelled_right_after_its_turn_came_hands_the_place_on() -> None:
    gate, order = Gate(1), []
    async with gate.aentered():
        first, second = (asyncio.create_task(enter(gate, name, order)) for name in "ab")
        await asyncio.sleep(0)
    first.cancel()  # its place has been given, but it has not run since
    await asyncio.wait_for(second, 5)
    assert order == ["b"]
    await asyncio.wait_for(enter(gate, "c", order), 5)


async def test_error_inside_gives_the_place_back() -> None:
    gate, order = Gate(1), []
    with pytest.raises(ZeroDivisionError):
        async with gate.aentered():
            raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError), gate.entered():
        raise ZeroDivisionError
    await asyncio.wait_for(enter(gate, "a", order), 5)


def test_thread_interrupted_while_waiting_takes_no_place(request: pytest.FixtureRequest) -> None:
    # In the background of a shell interrupts are ignored, and so would this one be.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    gate, order = Gate(1), []
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    with gate.entered():
        timer.start()
        with pytest.raises(KeyboardInterrupt), gate.entered():
            order.append("interrupted")
    timer.join()
    with gate.entered():
        order.append("next")
    assert order == ["next"]


def test_threads_and_coroutines_queue_together() -> None:
    gate, order = Gate(1), []

    def in_thread() -> None:
        with gate.entered():
            order.append("thread")

    with gate.entered():
        waiting = [
            threading.Thread(target=in_thread),
            threading.Thread(target=lambda: asyncio.run(enter(gate, "loop", order))),
        ]
        for thread in waiting:
            thread.start()
    for thread in waiting:
        thread.join()
    assert sorted(order) == ["loop", "thread"]
