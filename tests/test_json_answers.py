import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, RootModel

from memory_evidence.errors import ModelError, ModelOutputError
from memory_evidence.json_answers import MAX_JSON_CHARS, MAX_REPAIR_CHARS, parse_json


class Item(BaseModel):
    name: str
    value: int


class Items(BaseModel):
    items: list[Item]


class Defaults(BaseModel):
    items: list[Item] = []
    note: str = ""


class Names(BaseModel):
    names: list[str]
    note: str = ""


class Choice(BaseModel):
    choice: int


class Score(BaseModel):
    score: float | None


class Aliased(BaseModel):
    items: list[str] = Field(alias="entries")


class Bare(RootModel[list[Item]]):
    pass


class Loose(BaseModel):
    items: list[Any]


class Tree(BaseModel):
    name: str = ""
    parts: list["Tree"] = []


A, B = Item(name="a", value=1), Item(name="b", value=2)
ONE = '{"items": [{"name": "a", "value": 1}]}'
TWO = '[{"name": "a", "value": 1}, {"name": "b", "value": 2}]'


@pytest.mark.parametrize(
    "text",
    [
        ONE,
        f"\ufeff \n{ONE}\n",
        f"```json\n{ONE}\n```",
        f"```\n{ONE}\n```",
        f"Sure!\n```json\n{ONE}\n```\nHope [this] helps {{you}}.",
        f"The answer is: {ONE}",
        f"As [1] and {{x}} say (see [the notes]): {ONE}",
        f"{ONE}\n\nI hope that this helps.",
        f'{ONE} "done" [ok]',
        f"<think>Perhaps {{}} or {TWO}</think>{ONE}",
        f'{{"items": []}} Wait, I missed one: {ONE}',
        f'{ONE}\nBut {{"note": I am not sure of it',
        f"[{ONE}]",
        f'{{"answer": {ONE}}}',
        '{"data": [{"name": "a", "value": 1}]}',
        '[{"name": "a", "value": 1}]',
        'Here: [{"name": "a", "value": 1}] as asked.',
        '{"name": "a", "value": 1}',
        '```json\n{"name": "a", "value": 1}\n```',
        "{'items': [{'name': 'a', 'value': 1}]}",
        "As [1] says: {'items': [{'name': 'a', 'value': 1}]}",
        '{items: [{name: "a", value: 1}]}',
        '{{"items": [{{"name": "a", "value": 1}}]}}',
        '{"items": [ // the first\n {"name": "a", "value": 1,}, ] }',
        '{"items": [{"name": "a" "value": 1}]}',
        '{"items": [{"name": "a", "value": 1}',
        '{"items": [{"name": "a", "value": "1"}]}',
    ],
)
def test_one_item_is_read_in_every_wrapping(text: str) -> None:
    assert parse_json(text, Items) == Items(items=[A])


@pytest.mark.parametrize(
    "text",
    [
        TWO,
        f"The list: {TWO}!",
        '{"name": "a", "value": 1}\n{"name": "b", "value": 2}',
        '{"items": [{"name": "a", "value": 1} {"name": "b", "value": 2}]}',
        '{"found": ' + TWO + "}",
    ],
)
def test_no_entry_of_a_list_is_lost(text: str) -> None:
    assert parse_json(text, Items) == Items(items=[A, B])


@pytest.mark.parametrize(
    ("text", "schema", "answer"),
    [
        ("2", Choice, Choice(choice=2)),
        ('{"answer": 2}', Choice, Choice(choice=2)),
        ('["x", "y"]', Names, Names(names=["x", "y"])),
        ('{"entries": ["x"]}', Aliased, Aliased(entries=["x"])),
        ('["x"]', Aliased, Aliased(entries=["x"])),
        (TWO, Bare, Bare([A, B])),
        ("{}", Defaults, Defaults()),
        ('{"items": []}', Items, Items(items=[])),
        ("```{'items': [],}```", Items, Items(items=[])),
        ('{"note": "none"}', Defaults, Defaults(note="none")),
        ('{"name": "{a]\n", "value": 1}', Item, Item(name="{a]\n", value=1)),
        ('{"name": "first", "value": 0} {"name": "a", "value": 1}', Item, A),
    ],
)
def test_schemas_of_other_shapes_are_read(text: str, schema: type[BaseModel], answer: BaseModel) -> None:
    assert parse_json(text, schema) == answer


def test_strings_come_through_exactly() -> None:
    text = 'naïve 東京 {} {name} %s ${X} \\ " \u2028 </evidence>'
    assert parse_json(json.dumps({"name": text, "value": 1}), Item).name == text


@pytest.mark.parametrize("text", ['{"data": [{"name": "a", "value": 1}], "n": 1}', '{"error": "busy"}', '{"x": {}}'])
def test_object_without_any_field_of_the_schema_is_no_empty_answer(text: str) -> None:
    with pytest.raises(ModelOutputError):
        parse_json(text, Defaults)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no JSON found"),
        (" \n", "no JSON found"),
        ("I do not know.", "no JSON found"),
        ("{", "no JSON found"),
        ('{"items": [', "no JSON found"),
        ('{"items": [{"na', "not a Items: items.0: "),
        ("null", "not a Items: Input should be"),
        ('{"items": [{"name": "a", "value": "many"}]}', "not a Items: items.0.value: "),
        ('{"items": [{"name": "a", "value": 1}, {"name": "b", "va', "not a Items: items.1.value: Field required"),
    ],
)
def test_what_cannot_be_read_says_why_and_keeps_the_answer(text: str, reason: str) -> None:
    with pytest.raises(ModelOutputError) as caught:
        parse_json(text, Items)
    assert str(caught.value).startswith(f"model: read answer failed: {reason}")
    assert caught.value.raw == text
    assert isinstance(caught.value, ModelError)
    assert not caught.value.retryable


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_is_none(number: str) -> None:
    assert parse_json(f'{{"score": {number}}}', Score) == Score(score=None)
    with pytest.raises(ModelOutputError):
        parse_json(f'{{"name": "a", "value": {number}}}', Item)


def test_megabyte_is_refused_unread() -> None:
    with pytest.raises(ModelOutputError, match="longer than 400000 characters"):
        parse_json("{" * 1_000_000, Items)


@pytest.mark.parametrize(
    "unit", ["{", "[", '{"a":', "[{", '[{"', "x[1] ", "{x} ", "lorem {\"a ' , [} ", '", "', '"k":', "{'a': ["]
)
def test_long_garbage_is_refused(unit: str) -> None:
    # Repaired as it is, some of these would take minutes.
    text = '{"items": [' + unit * ((MAX_JSON_CHARS - 20) // len(unit))
    with pytest.raises(ModelOutputError):
        parse_json(text, Items)


def test_answer_that_runs_into_a_loop_ends_where_the_loop_begins() -> None:
    text = '{"items": [{"name": "a", "value": 1}, ' + '"k": ' * MAX_REPAIR_CHARS
    assert parse_json(text, Loose).items[0] == {"name": "a", "value": 1}


def test_whole_json_in_a_long_answer_is_read_without_repair() -> None:
    assert parse_json("word " * MAX_REPAIR_CHARS + ONE, Items) == Items(items=[A])


def test_long_broken_json_is_not_repaired() -> None:
    entries = ", ".join(f'{{"name": "{number}", "value": {number}}}' for number in range(MAX_REPAIR_CHARS // 25))
    with pytest.raises(ModelOutputError, match="no JSON found"):
        parse_json(f'{{"items": [{entries}', Items)


def test_deep_nesting_is_refused_and_does_not_crash() -> None:
    for depth in (200, 2_000, 100_000):
        for text in ("[" * depth + "]" * depth, '{"parts": [' * depth + "]}" * depth):
            with pytest.raises(ModelOutputError):
                parse_json(text, Items)
    with pytest.raises(ModelOutputError):
        parse_json('{"parts": [' * 900 + "]}" * 900, Tree)


SCHEMAS = st.sampled_from([Item, Items, Defaults, Names, Choice, Score, Aliased, Bare, Tree])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["items", "name", "value", "names", "choice", "score", "parts"]) | st.text(max_size=4),
        inner,
        max_size=3,
    ),
    max_leaves=8,
)  # fmt: skip
# Everything a model may emit, lone surrogates included, and what looks like JSON without being it.
TEXT = st.text(st.characters(), max_size=60) | st.text("{}[]\":,'a1 \n\\/*`-nultrefas", max_size=60)


def reads(text: str, schema: type[BaseModel]) -> BaseModel | None:
    try:
        return parse_json(text, schema)
    except ModelOutputError:
        return None


@given(TEXT, SCHEMAS)
def test_any_text_is_read_or_refused(text: str, schema: type[BaseModel]) -> None:
    reads(text, schema)


@given(JSON, TEXT, TEXT, st.integers(0, 80), SCHEMAS)
def test_any_json_cut_anywhere_in_any_prose_is_read_or_refused(
    value: Any, before: str, after: str, cut: int, schema: type[BaseModel]
) -> None:
    reads(before + json.dumps(value)[:cut] + after, schema)


# Strings that a repair might take for structure.
TRICKY = st.lists(
    st.sampled_from(['"', "\\", "{", "}", "[", "]", ",", ":", "//", "/*", "#", " ", "a", "\n", "```", "'"])
)


@given(
    st.lists(st.builds(Item, name=st.text() | TRICKY.map("".join), value=st.integers()), max_size=4),
    st.sampled_from(["{}", "```json\n{}\n```", "As {x} and [the notes] say: {} [end]", "[see] {}"]),
    st.booleans(),
)
def test_valid_answers_are_read_as_they_are(items: list[Item], wrapping: str, raw_breaks: bool) -> None:
    answer = Items(items=items)
    text = answer.model_dump_json().replace("\\n", "\n" if raw_breaks else "\\n")
    if raw_breaks and "\\" in text:
        return  # the replacement may have split another escape
    assert parse_json(wrapping.replace("{}", text), Items) == answer


def test_import_is_light() -> None:
    code = "import sys, memory_evidence.models, memory_evidence.testing; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    hosts = ("openai", "langchain", "langchain_core", "langgraph", "llama_index", "integrations")
    assert not set(hosts) & set(done.stdout.split())


def test_answers_that_differ_are_none_where_they_must_agree():
    assert parse_json('{"score": 1} {"score": 2}', Score) == Score(score=2)
    assert parse_json('See [x]: {"score": 2}\n```json\n{"score": 2}\n```', Score, unanimous=True) == Score(score=2)
    with pytest.raises(ModelOutputError, match="several answers that differ"):
        parse_json('{"score": 1} {"score": 2}', Score, unanimous=True)
