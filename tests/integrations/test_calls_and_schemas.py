import json
from typing import Any, Generic, Literal, TypeVar

import pytest
from pydantic import BaseModel, Field, RootModel

from integrations._calls import Options, named_in, prepared
from integrations._schemas import response_format
from memory_evidence.models import Message

T = TypeVar("T")


class Quote(BaseModel):
    text: str = Field(description="Copied, not told.")
    record: int = Field(ge=1)


class Answer(BaseModel):
    kind: Literal["facts", "none"]
    best: Quote = Field(description="The one that says most.")
    quotes: list[Quote] = []
    note: str | None = None


class Tree(BaseModel):
    name: str
    parts: list["Tree"] = []


class Capped(BaseModel):
    text: str = Field(max_length=40)


class Open(BaseModel):
    counts: dict[str, int]


class Anything(BaseModel):
    value: Any


class Names(RootModel[list[str]]):
    pass


class Page(BaseModel, Generic[T]):
    items: list[T]


def sent(schema: type[BaseModel]) -> dict[str, Any]:
    return response_format(schema)["json_schema"]


@pytest.mark.parametrize("schema", [Answer, Tree, Page[Quote], Quote])
def test_ordinary_schemas_are_strict(schema: type[BaseModel]) -> None:
    assert sent(schema)["strict"] is True


@pytest.mark.parametrize("schema", [Capped, Open, Anything, Names, Page[Open]])
def test_what_strict_mode_refuses_is_sent_without_strict(schema: type[BaseModel]) -> None:
    assert sent(schema)["strict"] is False


def test_every_object_is_closed_and_needs_all_its_properties() -> None:
    form = sent(Answer)["schema"]
    assert form["required"] == ["kind", "best", "quotes", "note"]
    assert form["additionalProperties"] is False
    assert form["$defs"]["Quote"]["required"] == ["text", "record"]
    assert form["$defs"]["Quote"]["additionalProperties"] is False
    assert form["properties"]["best"] == {"$ref": "#/$defs/Quote"}
    assert '"default"' not in json.dumps(form)


def test_limits_survive_where_strict_is_off() -> None:
    assert sent(Capped)["schema"]["properties"]["text"]["maxLength"] == 40
    assert sent(Open)["schema"]["properties"]["counts"]["additionalProperties"] == {"type": "integer"}


def test_name_has_only_letters_that_servers_take() -> None:
    assert sent(Page[Quote])["name"] == "Page_Quote_"


@pytest.mark.parametrize(
    ("roles", "at"), [("su", 1), ("sua", 1), ("u", 0), ("s", 0), ("sus", 2)], ids=lambda value: str(value)
)
def test_schema_in_words_goes_to_the_end_of_the_last_prompt(roles: str, at: int) -> None:
    names = {"s": "system", "u": "user", "a": "assistant"}
    messages = [Message(names[role], f"text {place}") for place, role in enumerate(roles)]
    done = prepared(messages, Quote)
    assert [one.role for one in done] == [one.role for one in messages]
    changed = [place for place, (old, new) in enumerate(zip(messages, done, strict=True)) if old != new]
    assert changed == [at]
    assert done[at].content.startswith(f"text {at}\n\n")
    assert json.loads(done[at].content.splitlines()[-1])["title"] == "Quote"


def test_schema_in_words_gets_a_message_of_its_own_where_nobody_asks() -> None:
    assert [one.role for one in prepared([Message("assistant", "Yes?")], Quote)] == ["assistant", "user"]
    assert [one.role for one in prepared([], Quote)] == ["user"]


def test_messages_without_a_schema_stay_as_they_are() -> None:
    messages = [Message("system", "{braces} %s ${X} naïve 東京"), Message("user", "")]
    assert prepared(messages) == messages


def test_only_an_option_that_is_called_unknown_counts_as_refused() -> None:
    options = {"temperature", "max_tokens"}
    unknown = TypeError("chat() got an unexpected keyword argument 'temperature'")
    assert named_in(unknown, options) == {"temperature"}
    assert named_in(ValueError("reduce max_tokens"), options) == frozenset()
    assert named_in(ValueError("unexpected end of input"), options) == frozenset()


def test_options_left_out_in_a_good_call_stay_out() -> None:
    options = Options()
    asked = options.asked(0.0, 9)
    fewer = options.without(TypeError("unexpected keyword argument 'temperature'"), asked)
    assert fewer == {"max_tokens": 9}
    assert options.asked(0.0, 9) == asked
    options.learn(fewer)
    assert options.asked(0.0, 9) == {"max_tokens": 9}
    assert options.without(ValueError("something else"), fewer) is None
