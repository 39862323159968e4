"""What is handed to mem0: nothing that came out of memory, and nothing that the installed version fails at."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from mem0_adapter.messages import outgoing
from memory_evidence.blocks import TAG, block

BLOCK = block("1. Ann lives in Oslo.")
IMAGE = {"type": "image_url", "image_url": {"url": "http://127.0.0.1/cat.png"}}


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


@pytest.mark.parametrize(
    "messages",
    ["Ann moved.", user("Ann moved."), [user("a"), user([part("b"), IMAGE])], [], [user(None)], ["odd"], 3, None],
)
def test_what_holds_no_block_goes_on_as_it_is(messages: Any) -> None:
    sent = outgoing(messages, flatten=False)
    assert sent == ([messages] if isinstance(messages, dict) else messages)


def test_a_block_is_cut_out_and_what_stands_beside_it_stays(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "mem0_adapter.messages"):
        assert outgoing(f"I moved to Rome.\n{BLOCK}", flatten=False) == "I moved to Rome."
        assert outgoing([user(f"{BLOCK}\nWhere do I live?")], flatten=False) == [user("Where do I live?")]
        mixed = [user([part(BLOCK), part("Hello"), IMAGE])]
        assert outgoing(mixed, flatten=False) == [user([part("Hello"), IMAGE])]
    assert len(caplog.records) == 3
    assert "Oslo" not in caplog.text


def test_where_nothing_but_blocks_was_said_nothing_is_left() -> None:
    for messages in (BLOCK, [user(BLOCK)], user([part(BLOCK)]), [user(f"{BLOCK}\n {BLOCK}")], BLOCK[:-20]):
        assert outgoing(messages, flatten=False) is None
    assert outgoing([user(BLOCK), user("Hello")], flatten=False) == [user("Hello")]


def test_a_text_that_only_mentions_our_tag_is_left_whole() -> None:
    for text in (f"What is <{TAG}>?", f"<{TAG}>\nmine\n</{TAG}>", f"</{TAG}> {{x}} <{TAG}>"):
        assert outgoing(text, flatten=False) == text


def test_flattening_keeps_the_text_of_content_parts_and_drops_messages_without_any() -> None:
    messages = [user([part("I like"), IMAGE, part("red")]), user([IMAGE]), user(None), {"role": "user"}, user("plain")]
    assert outgoing(messages, flatten=True) == [user("I like red"), user("plain")]
    assert outgoing([user([IMAGE])], flatten=True) is None


def test_the_callers_messages_are_left_as_they_are() -> None:
    messages = [user([part(f"Hi {BLOCK}")])]
    outgoing(messages, flatten=True)
    assert messages == [user([part(f"Hi {BLOCK}")])]


def test_what_is_no_message_goes_to_mem0_as_it_is() -> None:
    for odd in ([None], [3, None], None, 3, [[]]):
        for flatten in (True, False):
            assert outgoing(odd, flatten=flatten) == odd
