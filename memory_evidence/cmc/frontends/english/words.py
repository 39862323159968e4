"""A sentence as words with their places in the text."""

from __future__ import annotations

import re
from typing import Final

from memory_evidence.cmc.frontends.english.vocabulary import (
    FRAME_NOUNS,
    FRAME_OPENERS,
    FRAMES,
    PUNCTUATION,
    SPEECH,
    UNCERTAIN,
)
from memory_evidence.cmc.frontends.sentences import word_set

QUOTED: Final = "\0"
"""What `low` holds for a quotation, whose span is the text inside the marks."""
POSSESSIVE: Final = "'s"
"""What `low` holds for the possessive ending, a word of its own: "Bob's" are two words, and so are "James'"."""

_PLAIN = re.compile(r"[^\W_]+(?: [^\W_]+)*")
_MARKS = r",;:()\[\]{}<>\"“”«»`|—–!?…，、；：（）="
_TOKEN = re.compile(
    r'"[^"\n]{1,200}"|“[^”\n]{1,200}”|«[^»\n]{1,200}»|`[^`\n]{1,200}`'
    r"|[:;]-?[)(DPp](?!\w)"  # a smiley
    rf"|(?:[^\s*{_MARKS}]|[,:](?=\d)|:(?=//)|(?<=\w)(?:!(?=\S)|–(?=\w)))+"
    rf"|[{_MARKS}]"
)
_OPENING = frozenset('"“«`')
_FOLDED = {"，": ",", "、": ",", "；": ";", "：": ":", "（": "(", "）": ")", "--": "–", "-": "–", "—": "–"}
_CONTRACTED = {"'m": "am", "'ve": "have", "'re": "are", "'ll": "will", "'d": "would"}
_SHORT_NOT = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
_SHORT_IS = word_set("it that he she there what who where here how name let everything everyone")
_SYMBOLS = 0x2000
_FRAME_REACH = 6


class Words:
    """The words of `text[start:stop]` in reading order; markup and smileys are left out."""

    __slots__ = ("ends", "low", "lowercase", "shouts", "starts", "text")

    def __init__(self, text: str, start: int, stop: int) -> None:
        self.text = text
        self.low: list[str] = []
        """In lower case, contractions taken apart ("isn't": "is", "not")."""
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.lowercase = text[start].islower() and text[start:stop].islower()
        """Typed without capitals."""
        self.shouts = stop - start > 12 and text[start:stop].isupper()
        """Typed in nothing but capitals."""
        if _PLAIN.fullmatch(text, start, stop):  # nothing to take apart: the usual short statement
            self.low = text[start:stop].lower().split(" ")
            at = start
            for plain in text[start:stop].split(" "):
                self.starts.append(at)
                at += len(plain)
                self.ends.append(at)
                at += 1
            return
        for match in _TOKEN.finditer(text, start, stop):
            begin, end = match.span()
            word = text[begin:end].lower()
            if word.isalpha():
                self._add(word, begin, end)
            elif word[0] in _OPENING and end - begin > 2:
                inside = text[begin + 1 : end - 1]
                begin += 1 + len(inside) - len(inside.lstrip())
                if inside.strip():
                    self._add(QUOTED, begin, begin + len(inside.strip()))
            elif "'" in word or "’" in word:
                self._add_contraction(word.replace("’", "'"), begin, end)
            elif word in _FOLDED:
                self._add(_FOLDED[word], begin, end)
            elif not (len(word) > 1 and word[0] in ":;") and (word in PUNCTUATION or not _is_symbol(word)):
                self._add(word, begin, end)

    def _add(self, word: str, begin: int, end: int) -> None:
        self.low.append(word)
        self.starts.append(begin)
        self.ends.append(end)

    def _add_contraction(self, word: str, begin: int, end: int) -> None:
        at = word.rfind("'")
        if word.endswith("n't") and len(word) > 3:
            base = word[:-3]
            cut = begin + len(word) - (2 if base in ("ca", "wo", "sha") else 3)
            self._add(_SHORT_NOT.get(base, base), begin, cut)
            self._add("not", cut, end)
        elif at > 0 and word[at:] in _CONTRACTED:
            self._add(word[:at], begin, begin + at)
            self._add(_CONTRACTED[word[at:]], begin + at, end)
        elif at > 0 and word.endswith("'s"):
            self._add(word[:-2], begin, begin + at)
            self._add("is" if word[:-2] in _SHORT_IS else POSSESSIVE, begin + at, end)
        elif at > 1 and word.endswith("s'"):
            self._add(word[:-1], begin, begin + at)
            self._add(POSSESSIVE, begin + at, end)
        else:
            self._add("'" if at == 0 else word, begin, end)  # an opening quotation mark, or a name like O'Brien

    def __len__(self) -> int:
        return len(self.low)

    def proper(self, i: int) -> bool:
        """Whether word `i` is written as a name: not in lower case (names in scripts without case are)."""
        begin = self.starts[i]
        first = self.text[begin]
        if first.isupper():
            return True
        low = self.low[i]
        if low in (QUOTED, POSSESSIVE):
            return low == QUOTED
        if first.islower():
            return not self.text[begin : self.ends[i]].islower()  # iPhone, eBay
        return first.isalnum() or first in "$€£¥#@&" or (low not in PUNCTUATION and not first.isascii())

    def all_proper(self, i: int, e: int) -> bool:
        """Whether all words `i` to `e` are written as names."""
        return all(self.proper(at) for at in range(i, e))

    def first_uncertain(self) -> int:
        """Return the place of the first word that makes a statement uncertain, or the number of words."""
        low = self.low
        if UNCERTAIN.isdisjoint(low):
            return len(low)
        for i, word in enumerate(low):
            if word in UNCERTAIN:
                # "United States", "Never Let Me Go": capitals inside a sentence that has other words make names.
                named = i > 0 and word not in SPEECH and self.proper(i) and not self.shouts
                if not named or self.all_proper(0, len(low)):
                    return i
        return len(low)

    def framed(self) -> bool:
        """Whether the words announce fiction, an example or a text to work on."""
        low = self.low
        if not FRAMES.isdisjoint(low):
            return True
        if FRAME_OPENERS.isdisjoint(low) or FRAME_NOUNS.isdisjoint(low):
            return False
        return any(
            word in FRAME_OPENERS and not FRAME_NOUNS.isdisjoint(low[at : at + _FRAME_REACH])
            for at, word in enumerate(low[:4])
        )


def _is_symbol(word: str) -> bool:
    return word in ("~", "_", "__") or all(ord(c) >= _SYMBOLS and not c.isalnum() for c in word)
