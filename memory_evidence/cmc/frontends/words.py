"""A sentence as words with their places in the text."""

from __future__ import annotations

import re

from memory_evidence.cmc.frontends.vocabulary import (
    FRAME_NOUNS,
    FRAME_OPENERS,
    FRAME_REACH,
    FRAMES,
    NAMEABLE,
    PUNCTUATION,
    UNCERTAIN,
)

_QUOTE_CHARS = 200
_TOKEN = re.compile(
    rf'"[^"\n]{{1,{_QUOTE_CHARS}}}"|“[^”\n]{{1,{_QUOTE_CHARS}}}”|«[^»\n]{{1,{_QUOTE_CHARS}}}»'
    rf"|`[^`\n]{{1,{_QUOTE_CHARS}}}`"
    r"|[:;]-?[)(DPp](?!\w)"  # a smiley
    r"|(?:[^\s,;:()\[\]{}<>\"“”«»`*|—–!?…，、；：（）]|[,:](?=\d)|:(?=//)|(?<=\w)!(?=\S))+"
    r"|[,;:()\[\]{}<>\"“”«»`|—–!?…，、；：（）]"
)
_PLAIN = re.compile(r"[^\W_]+(?: [^\W_]+)*")
_OPENING = frozenset('"“«`')
_FOLDED = {"，": ",", "、": ",", "；": ";", "：": ":", "（": "(", "）": ")", "--": "–", "-": "–", "—": "–"}
_CONTRACTED = {"'m": "am", "'ve": "have", "'re": "are", "'ll": "will", "'d": "would"}
_IRREGULAR = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
_SHORT_IS = frozenset(["it", "that", "he", "she", "there", "what", "who", "where", "here", "how", "name", "let", "everything", "everyone"])
_SYMBOLS = 0x2000

QUOTED = "\0"
"""What `low` holds for a quotation, whose span is the text inside the marks."""

POSSESSIVE = "'s"
"""What `low` holds for the possessive ending, a word of its own: "Bob's" are two, and so are "James'"."""


class Words:
    """The words of `text[start:stop]` in reading order: `low` in lower case, contractions taken apart."""

    __slots__ = ("ends", "low", "lowercase", "shouts", "starts", "text")

    def __init__(self, text: str, start: int, stop: int) -> None:
        self.text = text
        self.low: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.lowercase = self.shouts = False
        """Typed without capitals; typed in nothing else."""
        if text[start].islower():
            self.lowercase = text[start:stop].islower()
        else:
            self.shouts = stop - start > 12 and text[start:stop].isupper()
        low, starts, ends = self.low, self.starts, self.ends
        if _PLAIN.fullmatch(text, start, stop):  # nothing to take apart
            low.extend(text[start:stop].lower().split(" "))
            at = start
            for word in text[start:stop].split(" "):
                starts.append(at)
                at += len(word)
                ends.append(at)
                at += 1
            return
        for match in _TOKEN.finditer(text, start, stop):
            begin, end = match.span()
            word = text[begin:end].lower()
            if word.isalpha():
                pass
            elif word[0] in _OPENING and end - begin > 2:
                inside = text[begin + 1 : end - 1]
                begin += 1 + len(inside) - len(inside.lstrip())
                end = begin + len(inside.strip())
                if begin == end:
                    continue
                word = QUOTED
            elif "'" in word or "’" in word:
                word = word.replace("’", "'")
                cut = self._contraction(word)
                if cut:
                    low.append(cut[0])
                    starts.append(begin)
                    ends.append(begin + cut[2])
                    begin, word = begin + cut[2], cut[1]
                elif word[0] == "'":
                    word = "'"  # an opening quotation mark
            elif word in _FOLDED:
                word = _FOLDED[word]
            elif (len(word) > 1 and word[0] in ":;") or (word not in PUNCTUATION and _is_symbol(word)):
                continue  # smileys say nothing
            low.append(word)
            starts.append(begin)
            ends.append(end)

    @staticmethod
    def _contraction(word: str) -> tuple[str, str, int] | None:
        """Return the two words that `word` stands for, and how long the first is in the text."""
        at = word.rfind("'")
        if word.endswith("n't") and len(word) > 3:
            base = word[:-3]
            return _IRREGULAR.get(base, base), "not", len(word) - (2 if base in ("ca", "wo", "sha") else 3)
        if word[at:] in _CONTRACTED and at > 0:
            return word[:at], _CONTRACTED[word[at:]], at
        if word.endswith("'s") and at > 0:
            return word[:-2], "is" if word[:-2] in _SHORT_IS else POSSESSIVE, at
        if word.endswith("s'") and at > 1:
            return word[:-1], POSSESSIVE, at
        return None

    def proper(self, i: int) -> bool:
        """Whether word `i` is written as a name: not in lower case (names in scripts without case are)."""
        if self.low[i] in (QUOTED, POSSESSIVE):
            return self.low[i] == QUOTED
        begin = self.starts[i]
        first = self.text[begin]
        if first.islower():
            return not self.text[begin : self.ends[i]].islower()  # iPhone, eBay
        return first.isalnum() or first in "$€£¥#@&" or (self.low[i] not in PUNCTUATION and not first.isascii())

    def written(self, i: int) -> str:
        """Return word `i` as it stands in the text."""
        return self.text[self.starts[i] : self.ends[i]]

    def first_uncertain(self) -> int:
        """Return the place of the first word that makes a statement uncertain, or the number of words."""
        low = self.low
        if UNCERTAIN.isdisjoint(low):
            return len(low)
        for i, word in enumerate(low):
            if word in UNCERTAIN and not (word in NAMEABLE and self.proper(i) and i > 0):
                return i
        return len(low)

    def framed(self) -> bool:
        """Whether the words announce fiction, an example or a text to work on."""
        low = self.low
        if not FRAMES.isdisjoint(low):
            return True
        if FRAME_OPENERS.isdisjoint(low) or FRAME_NOUNS.isdisjoint(low):
            return False
        opening = low[: FRAME_REACH + 4]
        return any(
            word in FRAME_OPENERS and not FRAME_NOUNS.isdisjoint(opening[at : at + FRAME_REACH])
            for at, word in enumerate(opening[:4])
        )


def _is_symbol(word: str) -> bool:
    return all(ord(c) >= _SYMBOLS and not c.isalnum() for c in word) or word in ("~", "_", "__")
