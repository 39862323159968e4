"""What is handed to mem0 to remember: without evidence blocks of ours, and in a form that every version takes."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any

from memory_evidence.blocks import NOTICE, TAG

__all__ = ["outgoing"]

logger = logging.getLogger(__name__)

# As `block` writes it, also where the end was cut off; no other text that happens to hold the tag is touched.
_BLOCK = re.compile(rf"<{TAG}>\s*{re.escape(NOTICE)}.*?(?:</{TAG}>|\Z)", re.DOTALL)


def outgoing(messages: Any, *, flatten: bool) -> Any:
    """Return `messages` as mem0's `add` takes them, or None where nothing is left to remember.

    An evidence block was recalled from memory; remembering it again would only multiply it, so that it is cut out,
    with a warning. What stands beside it stays, and a message that was nothing else goes.

    Args:
        messages: A text, a message, or a list of messages; anything else goes to mem0 as it is, to be refused there.
        flatten: Whether lists of content parts become their text, and messages without any are dropped: mem0 1.x
            without vision fails at both.
    """
    if isinstance(messages, str):
        return _cut(messages)
    if not isinstance(messages, (list, Mapping)):
        return messages
    given = [messages] if isinstance(messages, Mapping) else messages
    # What is no message goes to mem0 as it is, None as well.
    kept = [
        sent
        for message in given
        for sent in (_message(message, flatten) if isinstance(message, Mapping) else [message])
    ]
    return kept if kept or not given else None


def _message(message: Mapping[str, Any], flatten: bool) -> list[Mapping[str, Any]]:
    """Return the message, or nothing where nothing is left of it."""
    content = message.get("content")
    if isinstance(content, str):
        text = _cut(content)
        return [] if text is None else [{**message, "content": text}]
    if isinstance(content, list):
        content = [sent for part in content for sent in _part(part)]
        if not content:
            return []
    if not flatten:
        return [{**message, "content": content} if "content" in message else message]
    texts = [part["text"] for part in content if _is_text(part)] if isinstance(content, list) else []
    return [{**message, "content": " ".join(texts)}] if texts else []


def _part(part: Any) -> list[Any]:
    if not _is_text(part):
        return [part]
    text = _cut(part["text"])
    return [] if text is None else [{**part, "text": text}]


def _is_text(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "text" and isinstance(part.get("text"), str)


def _cut(text: str) -> str | None:
    """Return `text` without blocks of ours; None where nothing else was in it."""
    rest, found = _BLOCK.subn("", text)
    if not found:
        return text
    logger.warning("an evidence block, which came out of memory, is not remembered again")
    return rest.strip() or None
