"""Whatever is written at the same time, a link leads from what was written earlier to what was written later."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import pytest
from typing_extensions import override

from memory_evidence.cable import Cable, Hit, LinkOptions, Memory
from tests.cable.hosts import NumpyHost

SCOPE = ("user",)
EVERY_PAIR = LinkOptions(direct_k=0, subtract=False, verify=False)
TEXTS = [f"Emma moved house number {number} after the flood in Ghent." for number in range(48)]


class SharedHost(NumpyHost):
    """One that several threads write to."""

    def __init__(self, memories: Sequence[Memory] = ()) -> None:
        self._lock = threading.RLock()
        super().__init__(memories)

    @override
    def put(self, *memories: Memory) -> None:
        with self._lock:
            super().put(*memories)

    @override
    def search(self, query: str, k: int) -> list[Hit]:
        with self._lock:
            return super().search(query, k)


def cable_of(host: NumpyHost, url: str, linking: Literal["inline", "background", "deferred"]) -> Cable:
    return Cable(lambda _: host, store=url, linking=linking, link_options=EVERY_PAIR)


def backward(cable: Cable) -> list[tuple[str, str]]:
    order = cable.links.order(SCOPE, [str(number) for number in range(len(TEXTS) + 2)])
    return [(one.prior, one.new) for one in cable.links.all(SCOPE) if order[one.prior] >= order[one.new]]


@pytest.fixture
def two() -> list[Memory]:
    return [Memory("0", TEXTS[0]), Memory("1", TEXTS[1])]


@pytest.mark.parametrize("linking", ["inline", "background"])
def test_threads_that_write_at_once_leave_no_link_backward(
    shared_url: str, linking: Literal["inline", "background"]
) -> None:
    host = SharedHost()

    def write(memory: Memory) -> None:
        host.put(memory)
        cable.written(SCOPE, [memory])

    with cable_of(host, shared_url, linking) as cable:
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(write, [Memory(str(number), text) for number, text in enumerate(TEXTS)]))
        cable.link_pending()
        pairs = {(one.prior, one.new) for one in cable.links.all(SCOPE)}
        assert len(pairs) > len(TEXTS)
        assert backward(cable) == []
        assert not {(new, prior) for prior, new in pairs} & pairs


def test_what_the_host_showed_before_it_was_queued_is_no_antecedent(url: str, two: list[Memory]) -> None:
    host = NumpyHost(two)
    with cable_of(host, url, "inline") as cable:
        cable.written(SCOPE, two[:1])
        cable.written(SCOPE, two[1:])
        assert [(one.prior, one.new) for one in cable.links.all(SCOPE)] == [("0", "1")]


def test_what_is_queued_while_a_memory_is_linked_is_no_antecedent(url: str, two: list[Memory]) -> None:
    host = NumpyHost(two)
    with cable_of(host, url, "deferred") as cable:
        cable.written(SCOPE, two[:1])

        def order(scope: Any, ids: Any) -> dict[str, float]:
            places = look_up(scope, ids)
            if "1" in ids:
                cable.links.enqueue(SCOPE, two[1:])
            return places

        look_up = cable.links.order
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cable.links, "order", order)
            cable.link_pending()
        cable.link_pending()
        assert [(one.prior, one.new) for one in cable.links.all(SCOPE)] == [("0", "1")]


def test_what_was_there_before_us_stays_an_antecedent_once_it_is_backfilled(url: str, two: list[Memory]) -> None:
    host = NumpyHost(two)
    with cable_of(host, url, "inline") as cable:
        cable.written(SCOPE, two[1:])
        assert [(one.prior, one.new) for one in cable.links.all(SCOPE)] == [("0", "1")]
        cable.backfill(host)
        assert [(one.prior, one.new) for one in cable.links.all(SCOPE)] == [("0", "1")]
