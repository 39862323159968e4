"""What to ask memory for, and how its answer goes into the model's input."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_messages,
)

from memory_evidence.blocks import holds_block
from memory_evidence.cmc import Evidence
from memory_evidence.errors import InputError
from memory_evidence.records import USER, Draft
from memory_evidence.tallymem import TallyEvidence

Role = Literal["human", "ai"]
SPEAKERS: Mapping[str, str] = {"human": USER, "ai": "assistant"}


def field_of(state: Any, key: str) -> Any:
    """Return one value of a graph's state (mapping, dataclass or pydantic model); None where it is missing."""
    return state.get(key) if isinstance(state, Mapping) else getattr(state, key, None)


def messages_of(state: Any, key: str) -> list[BaseMessage]:
    """Return the messages of a graph's state, or of a plain list of messages.

    Raises:
        InputError: They are no messages.
    """
    messages = state if isinstance(state, list) else field_of(state, key)
    try:
        return convert_to_messages(messages or [])
    except (NotImplementedError, TypeError, ValueError) as exc:
        raise InputError(f"the state's {key}", messages, "a list of messages") from exc


def text_of(message: BaseMessage) -> str:
    """Return the text of a message, the text blocks alone where its content is a list."""
    if isinstance(message.content, str):
        return message.content
    blocks = (block if isinstance(block, str) else _text_block(block) for block in message.content)
    return "\n".join(filter(None, blocks))


def question_of(messages: Sequence[BaseMessage]) -> str | None:
    """Return the text of the last thing the user said; None if there is no text in it, or no such thing."""
    message = next((message for message in reversed(messages) if _is_human(message)), None)
    text = "" if message is None else text_of(message)
    return text if text.strip() else None


def with_evidence(messages: Sequence[BaseMessage], evidence: Evidence | TallyEvidence) -> list[BaseMessage]:
    """Return the model's input: one system message at index 0 that ends with the evidence, and all others in order.

    System messages that are already there are merged into that one. The messages given are left as they are; where
    there is neither evidence nor a system message, they are returned in a new list.
    """
    others = [message for message in messages if not isinstance(message, SystemMessage)]
    system = merged_system([message for message in messages if isinstance(message, SystemMessage)], evidence)
    return [system, *others] if system else others


def merged_system(system: Sequence[SystemMessage], evidence: Evidence | TallyEvidence) -> SystemMessage | None:
    """Return system messages and evidence as one message; None for nothing at all."""
    block = str(evidence)
    contents = [message.content for message in system] + ([block] if block else [])
    if not contents:
        return None
    content: str | list[Any]
    if all(isinstance(each, str) for each in contents):
        content = "\n\n".join(str(each) for each in contents if each)
    else:
        content = [part for each in contents for part in ([_as_block(each)] if isinstance(each, str) else each)]
    return system[0].model_copy(update={"content": content}) if system else SystemMessage(content)


def turn_drafts(messages: Sequence[BaseMessage], roles: Sequence[Role], thread: str | None) -> list[Draft]:
    """Return the current turn's messages as records: from the last thing the user said before anyone answered.

    Left out are roles that are not asked for, messages without text, human messages that a middleware wrote (such as a
    summary), and text that holds a block of evidence. The key of a record is made from the thread, the id of its
    message and its text: the same message is stored once however often it comes by, and anew when it is edited. A
    message that has no id is told apart by its place, and without a thread as well not at all.
    """
    start = len(messages)
    while start and not _is_human(messages[start - 1]):
        start -= 1
    while start and not isinstance(messages[start - 1], (AIMessage, ToolMessage)):
        start -= 1
    drafts: list[Draft] = []
    for place in range(start, len(messages)):
        message = messages[place]
        role = "human" if _is_human(message) else "ai" if isinstance(message, AIMessage) else None
        text = text_of(message)
        if role in roles and role is not None and text.strip() and not holds_block(text):
            drafts.append(Draft(text, SPEAKERS[role], key=_key(message, place, role, text, thread)))
    return drafts


def _is_human(message: BaseMessage) -> bool:
    # langchain marks what a middleware says in the user's place, such as a summary, with `lc_source`.
    return isinstance(message, HumanMessage) and "lc_source" not in message.additional_kwargs


def _key(message: BaseMessage, place: int, role: str, text: str, thread: str | None) -> str | None:
    if not message.id and thread is None:
        return None
    identity = [thread, message.id or place, role, text]
    return "message:" + hashlib.sha256(json.dumps(identity).encode()).hexdigest()


def _text_block(block: Mapping[str, Any]) -> str:
    text = block.get("text")
    return text if block.get("type") == "text" and isinstance(text, str) else ""


def _as_block(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
