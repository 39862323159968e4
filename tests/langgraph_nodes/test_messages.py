from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from langgraph_nodes import with_evidence
from langgraph_nodes.messages import messages_of, question_of, text_of, turn_drafts
from memory_evidence.blocks import block
from memory_evidence.cmc import Evidence
from memory_evidence.errors import InputError
from memory_evidence.records import Draft

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
FOUND = Evidence("q", "1. Ann lives in Oslo.", (1,), ())
NOTHING = Evidence("q", "", (), ())


def text(value: str) -> dict[str, str]:
    return {"type": "text", "text": value}


# What to ask


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("plain", "plain"),
        ([text("a"), IMAGE, text("b")], "a\nb"),
        (["a", text("b")], "a\nb"),
        ([IMAGE], ""),
        ([], ""),
        ([{"type": "reasoning", "text": "no"}, {"type": "text"}, {"type": "text", "text": None}], ""),
    ],
)
def test_text_is_taken_from_text_blocks_alone(content: Any, expected: str) -> None:
    assert text_of(HumanMessage.model_construct(content=content)) == expected


def test_question_is_what_the_user_said_last() -> None:
    messages = [HumanMessage("one"), HumanMessage("two"), AIMessage("three"), ToolMessage("four", tool_call_id="1")]
    assert question_of(messages) == "two"


@pytest.mark.parametrize(
    "messages", [[], [AIMessage("a")], [HumanMessage("a"), HumanMessage([IMAGE])], [HumanMessage(" ")]]
)
def test_no_text_from_the_user_is_no_question(messages: list[BaseMessage]) -> None:
    assert question_of(messages) is None


def test_summary_that_a_middleware_wrote_is_no_question() -> None:
    summary = HumanMessage("Here is a summary.", additional_kwargs={"lc_source": "summarization"})
    assert question_of([HumanMessage("Where is Ann?"), AIMessage("Hm."), summary]) == "Where is Ann?"


def test_messages_come_from_any_kind_of_state() -> None:
    class State:
        messages = (("user", "hello"),)

    for state in (State, {"messages": [{"role": "user", "content": "hello"}]}, [HumanMessage("hello")]):
        assert [message.content for message in messages_of(state, "messages")] == ["hello"]
    assert messages_of({}, "messages") == []


def test_state_without_messages_in_it_is_an_error() -> None:
    with pytest.raises(InputError, match="list of messages"):
        messages_of({"messages": [object()]}, "messages")


# What the model sees

contents = st.sampled_from(["", "words", [text("words")], [IMAGE], ["words", IMAGE]])
message_lists = st.lists(
    st.one_of(
        st.builds(HumanMessage, content=contents),
        st.builds(SystemMessage, content=contents),
        st.just(AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "1"}])),
        st.just(ToolMessage("result", tool_call_id="1")),
    ),
    max_size=6,
)


@given(message_lists, st.sampled_from([FOUND, NOTHING]))
def test_one_system_message_at_the_front_and_all_else_in_order(messages: list[BaseMessage], evidence: Evidence) -> None:
    before = deepcopy(messages)
    after = with_evidence(messages, evidence)
    assert messages == before
    assert not any(isinstance(message, SystemMessage) for message in after[1:])
    others = [message for message in messages if not isinstance(message, SystemMessage)]
    assert [message for message in after if not isinstance(message, SystemMessage)] == others
    if evidence:
        assert isinstance(after[0], SystemMessage)
        assert str(after[0].content).count("Ann lives in Oslo.") == 1
        assert after[0].text.endswith("</memory-evidence>")
    elif len(others) == len(messages):
        assert after == messages
        assert after is not messages


def test_system_message_is_kept_and_evidence_put_at_its_end() -> None:
    system = SystemMessage("Be brief.", id="s1", additional_kwargs={"cache": True})
    after = with_evidence([HumanMessage("hello"), system], FOUND)
    assert after[0].content == f"Be brief.\n\n{FOUND}"
    assert (after[0].id, after[0].additional_kwargs) == ("s1", {"cache": True})
    assert system.content == "Be brief."


def test_blocks_of_a_system_message_stay_blocks() -> None:
    cached = {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}
    after = with_evidence([SystemMessage([cached]), SystemMessage("And kind."), HumanMessage("hello")], FOUND)
    assert after[0].content == [cached, text("And kind."), text(str(FOUND))]


# What is remembered


def drafts(*messages: BaseMessage, roles: Any = ("human",), thread: str | None = "t") -> list[Draft]:
    return turn_drafts(messages, roles, thread)


def test_turn_begins_with_the_last_thing_the_user_said() -> None:
    turn = [HumanMessage("old"), AIMessage("answer"), HumanMessage("one"), HumanMessage("two"), AIMessage("new answer")]
    assert [draft.text for draft in drafts(*turn)] == ["one", "two"]
    both = drafts(*turn, roles=("human", "ai"))
    assert [(draft.text, draft.speaker) for draft in both] == [
        ("one", "user"),
        ("two", "user"),
        ("new answer", "assistant"),
    ]
    assert [draft.text for draft in drafts(*turn, roles=("ai",))] == ["new answer"]


def test_what_is_not_the_users_own_words_is_not_remembered() -> None:
    assert drafts(SystemMessage("system"), HumanMessage([IMAGE]), HumanMessage(" \n")) == []
    assert drafts(HumanMessage("a"), ToolMessage("found", tool_call_id="1"), roles=("human", "ai"))[1:] == []
    assert drafts(HumanMessage("summary", additional_kwargs={"lc_source": "summarization"})) == []
    assert drafts(HumanMessage("Look: " + block("1. Ann lives in Oslo."))) == []
    assert drafts(AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "1"}]), roles=("ai",)) == []


def test_text_blocks_alone_are_remembered() -> None:
    assert [draft.text for draft in drafts(HumanMessage([text("I live in Oslo."), IMAGE]))] == ["I live in Oslo."]


def key(message: BaseMessage, *before: BaseMessage, thread: str | None = "t") -> str | None:
    return drafts(*before, message, thread=thread)[-1].key


def test_key_is_the_same_wherever_the_message_comes_by() -> None:
    said = HumanMessage("same", id="m1")
    assert key(said) == key(said, HumanMessage("a"), AIMessage("b")) == key(said.model_copy())


def test_key_differs_for_another_message_thread_or_wording() -> None:
    said = HumanMessage("same", id="m1")
    others = [
        key(said),
        key(HumanMessage("same", id="m2")),
        key(said, thread="t2"),
        key(HumanMessage("edited", id="m1")),
        key(HumanMessage("same")),
        key(HumanMessage("same"), HumanMessage("a"), AIMessage("b")),
    ]
    assert len({*others}) == 6


def test_message_without_id_is_told_apart_by_its_place() -> None:
    assert key(HumanMessage("same"), AIMessage("a")) == key(HumanMessage("same"), AIMessage("a"))
    assert key(HumanMessage("same"), thread=None) is None


def test_odd_text_has_a_key() -> None:
    assert key(HumanMessage.model_construct(content="\ud800\0", id="1"))
