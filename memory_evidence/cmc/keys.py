"""Keys under which names and relations are compared, and the token boundaries at which names may start and end."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_TYPOGRAPHIC = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})
_COPULA = re.compile(r"(?:is|are|was|were|am|be)\s+(?=\S)")
_ARTICLE = re.compile(r"(?:the|a|an)\s+(?=\S)")

# Scripts written without spaces: each character is a token, so that a name can be found inside a sentence.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Myanmar, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Kana, Han
    "\uac00-\ud7a3"  # Hangul: particles are attached to names
)
# Combining marks that `\w` leaves out: without them a boundary would fall inside a word.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
_TOKEN = re.compile(rf"[{_UNSPACED}]|(?:[^\W{_UNSPACED}]|[{_MARKS}])+|[^\w\s]")


# The same over ASCII, several times faster: most names and questions are ASCII.
_ASCII_TOKEN = re.compile(r"\w+|[^\w\s]")


def fold(text: str) -> str:
    """Return `text` in NFC, casefolded, with straight quotes and single spaces."""
    text = " ".join(text.split())
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).translate(_TYPOGRAPHIC).casefold())


def name_key(name: str) -> str:
    """Return the key of a name. Names that differ in any letter or digit have different keys.

    Periods at the end are not part of the key: `Apple Inc.` at the end of a sentence and `Apple Inc` are one name.
    """
    key = fold(name)
    if key.endswith("."):
        return key.rstrip(". ") or key
    return key


@lru_cache(maxsize=4_096)  # relations are few, and every fact has one
def relation_key(relation: str) -> str:
    """Return the key of a relation: a name key without a leading copula or article ("is located in": "located in")."""
    key = name_key(relation)
    key = _COPULA.sub("", key, count=1) if _COPULA.match(key) else key
    return _ARTICLE.sub("", key, count=1) if _ARTICLE.match(key) else key


def token_spans(folded: str) -> list[tuple[int, int]]:
    """Return start and stop of each token of `folded` text: words, single symbols, single unspaced characters."""
    return [match.span() for match in (_ASCII_TOKEN if folded.isascii() else _TOKEN).finditer(folded)]


def tokens(folded: str) -> list[str]:
    """Return the tokens of `folded` text."""
    return (_ASCII_TOKEN if folded.isascii() else _TOKEN).findall(folded)
