"""What `Cable` does when the model fails or is slow: memories wait, are tried again, are given up, never lost."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from memory_evidence.cable import Link, Memory, linking, text_hash
from memory_evidence.cable.queue_store import MAX_ATTEMPTS
from memory_evidence.testing import ScriptedModel
from tests.cable.hosts import NumpyHost
from tests.cable.judges import down, judge
from tests.cable.test_cable import CAUSE, EFFECT, ONE_QUERY, STORY, TRUE, cable_of, links_of, read

SCOPE = ("user",)


@pytest.fixture
def host() -> NumpyHost:
    return NumpyHost(STORY)


def test_model_that_is_down_costs_one_attempt_a_round_and_nothing_is_lost(
    host: NumpyHost, caplog: pytest.LogCaptureFixture
) -> None:
    model = down()
    with cable_of(host, model=model) as cable:
        cable.written(SCOPE, STORY)
        report = cable.link_pending()
        assert (report.failed, report.pending, report.linked) == (1, 8, 0)
        assert report.error is not None
        assert "connection refused" in report.error
        assert len(model.calls) == 1
        assert "linking memory 1 failed 1 times" in caplog.text
        assert CAUSE not in caplog.text


def test_memory_that_the_model_refuses_is_given_up_and_can_be_retried(host: NumpyHost) -> None:
    with cable_of(host, model=down(retryable=False)) as cable:
        cable.written(SCOPE, STORY[:2])
        for _ in range(MAX_ATTEMPTS):
            assert cable.link_pending().failed == 2
        assert (cable.stats().failed, cable.stats().pending) == (2, 0)
        assert cable.link_pending().failed == 0
        assert cable.link_pending(retry_failed=True).failed == 2
        assert (cable.stats().failed, cable.stats().pending) == (0, 2)


def test_inline_write_does_not_fail_with_the_model(host: NumpyHost) -> None:
    with cable_of(host, model=down(), linking="inline") as cable:
        cable.written(SCOPE, STORY[:1])
        assert cable.stats().pending == 1


def test_link_pending_waits_for_what_a_dead_worker_had_claimed(host: NumpyHost, file_url: str) -> None:
    with cable_of(host, store=file_url, model=judge(TRUE, ONE_QUERY)) as cable:
        cable.written(SCOPE, STORY)
        cable.links.claim(SCOPE, "dead", 5, 0.4)
        report = cable.link_pending()
        assert (report.linked, report.pending, links_of(cable)) == (8, 0, {("1", "8")})


def test_claims_of_a_slow_model_are_renewed(host: NumpyHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking, "LEASE_S", 0.3)
    taken: list[Any] = []

    def slow(messages: Any) -> str:
        first = cable.links.first_until(SCOPE, claimed=True)
        while cable.links.first_until(SCOPE, claimed=True) == first:
            pass
        taken.extend(cable.links.claim(SCOPE, "other", 9, 60.0))
        return "{}"

    with cable_of(host, model=ScriptedModel([slow, *["{}"] * 20])) as cable:
        cable.written(SCOPE, [Memory("8", EFFECT)])
        assert cable.link_pending().linked == 1
    assert taken == []


def test_texts_stay_out_of_the_log(host: NumpyHost, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with cable_of(host, model=judge(TRUE, ONE_QUERY)) as cable:
        cable.written(SCOPE, STORY)
        cable.link_pending()
        cable.links.add(SCOPE, [Link("a", f"b{n}", "r", "v", "t", text_hash("a"), "h") for n in range(40)])
        read(cable, host)
    assert "links were refused" in caplog.text
    assert not any(memory.text in caplog.text for memory in STORY)
