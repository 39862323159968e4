"""The offline estimate of tokens."""

from __future__ import annotations

import base64
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memory_evidence.tokens
from memory_evidence.tokens import Measure, approximate_tokens
from tests.tokenizers import cl100k, local_model

any_text = st.text(st.characters(exclude_categories=()), max_size=60)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("\n", 1),
        ("\n\n", 2),
        (" ", 1),
        (" " * 9, 2),
        ("\t\n", 2),
        ("word", 1),
        ("Words", 1),
        ("sevenss", 2),
        ("readFile", 2),
        ("ERROR", 3),
        ("Ann lives in Oslo.", 6),
        ("step 12", 4),
        ("  word", 2),
        ("1234567", 7),
        ("北京", 6),
        ("é", 2),
        ("🙂", 4),
        ("\ud800", 3),
        ("a,b", 3),
        ("don't", 3),
    ],
)
def test_words_digits_and_signs_count(text: str, count: int) -> None:
    assert approximate_tokens(text) == count


@given(st.lists(any_text, min_size=1, max_size=5))
def test_lines_cost_together_what_they_cost_alone(rows: list[str]) -> None:
    # Budgets add up lines, each with the new line behind it; joined they must not cost more.
    assert approximate_tokens("\n".join(rows)) == sum(map(approximate_tokens, rows)) + len(rows) - 1


@given(any_text, any_text)
def test_more_text_never_costs_less(text: str, more: str) -> None:
    assert approximate_tokens(text + more) >= approximate_tokens(text)


@given(any_text)
def test_no_text_costs_more_than_its_bytes(text: str) -> None:
    # That is the bound of a tokenizer over bytes; an estimate above it would only waste the budget.
    assert approximate_tokens(text) <= len(text.encode("utf-8", "surrogatepass"))


CHANCE = random.Random(7)
RECORDS = [{"id": n, "name": f"node {n}", "ok": n % 2 == 0, "value": n / 7} for n in range(50)]
TEXTS = {
    "prose": "The agent walked to the kitchen and opened the drawer, but nothing was inside of it.\n" * 9,
    "capitals": "THE COMMAND FAILED BECAUSE OF AN UNEXPECTED CONTRIBUTION TO THE ENVIRONMENT\n" * 9,
    "names in code": "test_that_every_request_is_answered getHttpResponseCodeFromFactory\n" * 9,
    "code": Path(memory_evidence.tokens.__file__).read_text(encoding="utf-8"),
    "json": json.dumps(RECORDS),
    "indented json": json.dumps(RECORDS, indent=4),
    "log": "2024-01-05 12:33:01,123 ERROR [worker-3] com.acme.Foo: request 17 failed at Foo.java:123\n" * 9,
    "paths": "/usr/lib/python3.11/site-packages/django/contrib/admin/templatetags/admin_list.py:127\n" * 9,
    "tags": '<div class="col-md-6 btn-primary"><span aria-label="Close">x</span></div>\n' * 9,
    "digits": "".join(CHANCE.choices("0123456789", k=900)),
    "numbers": " ".join(str(CHANCE.randrange(1_000)) for _ in range(300)),
    "blanks": "a   b        c\n\n    d\t\t e\n" * 50 + " " * 500 + "\t" * 500 + "\n" * 500,
    "lines of DOS": "a\r\n" * 300,
    "signs": "".join(CHANCE.choices("!@#$%^&*()[]{};:<>,./?|=-", k=900)) + "=" * 500,
    "boxes": "┌──┬──┐\n│  │  │\n└──┴──┘\n" * 30,
    "Chinese": "我们在厨房里找到了一个茶壶，然后把它放在桌子上。" * 20,
    "Japanese": "私たちはキッチンでティーポットを見つけて、テーブルの上に置きました。" * 20,
    "Korean": "우리는 부엌에서 찻주전자를 찾아 테이블 위에 놓았습니다. " * 20,
    "Russian": "Мы нашли чайник на кухне и поставили его на стол. " * 20,
    "Hindi": "हमें रसोई में एक चायदानी मिली और उसे मेज पर रख दिया। " * 20,
    "emoji": "😀🎉🚀👍🏽👨‍👩‍👧‍👦" * 20,
}
MORE = {
    "base64": base64.b64encode(CHANCE.randbytes(3_000)).decode(),
    "hashes": " ".join(CHANCE.randbytes(20).hex() for _ in range(50)),
    "German": "Wir fanden die Teekanne in der Küche und stellten sie über dem Gefäß auf den Tisch.\n" * 9,
    "Dutch": "De agenten openden de keukenlade en vonden een theepot die ze op de eettafel hebben neergezet.\n" * 9,
    "Indonesian": "Para agen membuka laci dapur dan menemukan teko yang kemudian mereka letakkan di atas meja.\n" * 9,
}
"""Texts of which the documentation says that they may need half as much again."""


def check(count: Measure) -> None:
    assert {name for name, text in TEXTS.items() if count(text) > approximate_tokens(text)} == set()
    assert {name for name, text in MORE.items() if count(text) > 1.5 * approximate_tokens(text)} == set()


def test_a_common_tokenizer_needs_no_more_for_ordinary_text() -> None:
    check(cl100k())


def test_the_tokenizer_of_a_small_english_model_needs_no_more_for_ordinary_text(local_model_url: str) -> None:
    check(local_model(local_model_url))
