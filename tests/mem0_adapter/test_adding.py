"""What is added through the wrapper: each memory by itself, in order, and nothing that came out of memory."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mem0_adapter import AsyncCableMemory, CableMemory
from memory_evidence.blocks import block
from memory_evidence.cable.expand import PAPER
from tests.mem0_adapter.memories import (
    MODERN,
    QUESTION,
    ScriptedLLM,
    Story,
    asynchronous,
    ids,
    link,
    pending,
    plain,
    refusing,
    remember,
)


def test_each_message_of_a_batch_is_queued_in_order(story: Story) -> None:
    memory, cable, _, _ = story
    texts = ["Bob called about the rent.", "Bob paid the rent late.", "Bob moved out of the flat."]
    messages = [{"role": "user", "content": text} for text in texts]
    added = ids(cable.add([{"role": "system", "content": "Be kind."}, *messages], user_id="bob", infer=False))
    assert pending(cable, "bob") == 3
    order = cable.links.order(cable.scope(user_id="bob"), added)
    assert sorted(added, key=order.__getitem__) == added
    assert [memory.get(i)["memory"] for i in added] == texts


def test_images_and_lists_of_parts_are_remembered_by_their_text(story: Story) -> None:
    _, cable, _, _ = story
    image = {"type": "image_url", "image_url": {"url": "http://127.0.0.1:9/cat.png"}}
    text = {"type": "text", "text": "Bob adopted a cat."}
    (item,) = cable.add([{"role": "user", "content": [text, image]}], user_id="bob", infer=False)["results"]
    assert item["memory"] == "Bob adopted a cat."
    assert cable.add([{"role": "user", "content": [image]}], user_id="bob", infer=False) == {"results": []}
    assert cable.add([{"role": "assistant", "content": None}], user_id="bob", infer=False) == {"results": []}
    assert pending(cable, "bob") == 1


def test_recalled_evidence_is_not_remembered_again(story: Story) -> None:
    memory, cable, _, _ = story
    recalled = str(cable.explain(QUESTION, user_id="ann", limit=6))
    assert cable.add(recalled, user_id="bob", infer=False) == {"results": []}
    assert plain(memory, "Emma", 10, "bob") == []
    (item,) = cable.add(f"{recalled}\nBob met Emma.", user_id="bob", infer=False)["results"]
    assert item["memory"] == "Bob met Emma."
    assert cable.add([{"role": "user", "content": block("1. x")}], user_id="bob") == {"results": []}


async def test_nothing_to_remember_is_refused_by_mem0_itself(story: Story) -> None:
    memory, cable, _, _ = story
    with pytest.raises(Exception, match="messages") as own:
        memory.add(None, user_id="bob", infer=False)
    with pytest.raises(type(own.value), match="messages"):
        cable.add(None, user_id="bob", infer=False)
    async with AsyncCableMemory(asynchronous(memory), store="sqlite://", model="rules") as twin:
        with pytest.raises(type(own.value), match="messages"):
            await twin.add(None, user_id="bob", infer=False)


def test_what_a_model_extracts_is_queued_each_by_itself(make: Any, links: str) -> None:
    memory = make("chroma")
    cable = CableMemory(memory, store=links, model=refusing(), linking="deferred", expand_options=PAPER)
    if MODERN:
        memory.llm = ScriptedLLM({"memory": [{"text": "Ann has a cat."}, {"text": "Ann moved to Oslo."}]})
        added = ids(cable.add("I have a cat and moved to Oslo.", user_id="ann"))
        assert len(added) == 2
        assert set(cable.links.known(cable.scope(user_id="ann"), added)) == set(added)
        return
    kept, changed, gone = (
        remember(cable, text) for text in ("Ann has a dog.", "Ann lives in Rome.", "Ann is a vegan.")
    )
    cable.link_pending()
    scope = cable.scope(user_id="ann")
    texts = {kept: "Ann has a dog.", changed: "Ann lives in Rome.", gone: "Ann is a vegan."}
    cable.links.add(scope, [link(gone, changed, (texts[gone], texts[changed]))])
    # mem0 1.x numbers the memories it found for its model; the order is not ours to know, so the model looks.
    memory.llm = _Editor(
        {"Ann has a dog.": "NONE", "Ann lives in Rome.": "UPDATE", "Ann is a vegan.": "DELETE"},
        new="Ann lives in Oslo.",
    )
    events = {
        item["event"]: item["id"] for item in cable.add("I moved to Oslo and eat fish.", user_id="ann")["results"]
    }
    assert (events["UPDATE"], events["DELETE"]) == (changed, gone)
    assert "NONE" not in events
    assert set(cable.links.known(scope, [kept, changed, gone, events["ADD"]])) == {kept, changed, events["ADD"]}
    assert pending(cable) == 2
    assert list(cable.links.all(scope)) == []


class _Editor(ScriptedLLM):
    """Extracts one fact, then does to each memory that mem0 1.x shows it what it was told to."""

    def __init__(self, wanted: dict[str, str], new: str) -> None:
        super().__init__({"facts": [new]})
        self.wanted, self.new = wanted, new

    def generate_response(self, messages: Any, response_format: Any = None, **_: Any) -> str:
        if self.answers:
            return super().generate_response(messages)
        shown = messages[-1]["content"]
        actions = [{"id": "99", "text": "Ann eats fish.", "event": "ADD"}]
        for number in "0123456789":
            for text, event in self.wanted.items():
                if f'"id": "{number}", "text": "{text}"' in shown or f"'id': '{number}', 'text': '{text}'" in shown:
                    said = self.new if event == "UPDATE" else text
                    actions.append({"id": number, "text": said, "event": event, "old_memory": text})
        return json.dumps({"memory": actions})
