"""Finds tools by their names: identifiers, names of several words, programs, names in front of "calls"."""

from __future__ import annotations

import re

from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.clause import Clause
from memory_evidence.tallymem.phrases import (
    CALLED_AFTER,
    CALLED_BEFORE,
    ENUMERATION,
    EXPLICIT,
    NAME,
    NOUNS,
    RUN_AFTER,
    RUN_BEFORE,
    SHELL,
    TOKEN,
)
from memory_evidence.tallymem.wording import EVENTS, FUNCTION_WORDS, PARTICLES, WORD


def read_tools(clause: Clause) -> None:
    """Find tools by their whole names.

    Raises:
        Unread: Two tools of the log have a name that is named, but for its case.
    """
    _read_phrases(clause)
    for token in list(TOKEN.finditer(clause.left)):
        dotted = token[0].rstrip(".:'")
        if not WORD.fullmatch(dotted) and dotted.casefold() in clause.words.tools:  # "functions.search"
            clause.add("tool", clause.words.tools[dotted.casefold()], token.start(), token.start() + len(dotted))
    for names in list(ENUMERATION.finditer(clause.left)):
        parts = list(NAME.finditer(clause.left, *names.span()))
        spelled = [clause.words.tools.get(part[0].casefold()) for part in parts]
        for part, name in zip(parts, spelled, strict=True):
            if name is not None and None not in spelled:
                clause.add("tool", name, *part.span())
    for match in list(WORD.finditer(clause.left)):
        key = match[0].casefold()
        if _is_tool(clause, match):
            clause.add("tool", clause.words.tools[key], *match.span())
        elif key in clause.words.programs and (
            EXPLICIT.match(clause.left, match.end())
            or RUN_AFTER.match(clause.text, match.end())
            or RUN_BEFORE.search(clause.left, 0, match.start())
        ):
            clause.add("tool", clause.words.programs[key], *match.span())
    if clause.words.shells:
        while shell := SHELL.search(clause.left):
            clause.add_all("tool", clause.words.shells, shell)
    _drop_bases(clause)


def check_twins(clause: Clause) -> None:
    """Refuse a name that two tools have, but for its case.

    Raises:
        Unread: A tool is named so.
    """
    for mention in clause.mentions:
        if mention.field == "tool" and mention.term.casefold() in clause.words.twins:
            raise Unread(f"several tools of the log are called {mention.term!r}, but for its case")


def _is_tool(clause: Clause, match: re.Match[str]) -> bool:
    """Whether a word is the name of a tool, and no verb: "search_web", "the view command", "open was used"."""
    key = match[0].casefold()
    if key not in clause.words.tools:
        return False
    if "_" in key or (EXPLICIT.match(clause.left, match.end()) and key not in FUNCTION_WORDS):
        return True
    if key in FUNCTION_WORDS | EVENTS | NOUNS:
        return False
    spelled = match[0] == clause.words.tools[key] and not match[0].islower()  # "before the first Write"
    return spelled or is_called(clause, *match.span())


def is_called(clause: Clause, start: int, stop: int) -> bool:
    """Whether the name there is said to be called, used or run, whatever came of that."""
    text, left = clause.text, clause.left
    if clause.text[start:stop].casefold() in clause.words.programs or "_" in text[start:stop]:
        return True
    return bool(EXPLICIT.match(left, stop) or CALLED_AFTER.match(text, stop) or CALLED_BEFORE.search(text, 0, start))


def _read_phrases(clause: Clause) -> None:
    said = clause.left.casefold()
    for phrase in sorted((p for p in clause.words.phrases if p.split()[0] in said), key=len, reverse=True):
        for match in list(re.finditer(rf"(?<![\w.-]){_spelled(phrase)}(?![\w-])", clause.left, re.IGNORECASE)):
            if phrase.split()[-1] in PARTICLES and not EXPLICIT.match(clause.left, match.end()):
                continue  # "go to drawer 1" is read word by word
            clause.add("tool", clause.words.phrases[phrase], *match.span())


def _spelled(phrase: str) -> str:
    """Return a pattern for a phrase whose words may be joined by hyphens ("go-to")."""
    return r"[\s-]+".join(map(re.escape, phrase.split()))


def _drop_bases(clause: Clause) -> None:
    """Where a command of a tool is named as well, the tool's own name adds nothing."""
    named = {mention.term.casefold() for mention in clause.mentions if mention.field == "tool"}
    full = {value.casefold() for value in clause.ledger.values("tool") if " " in value}
    bases = {base for base in named for part in named if part != base and f"{base} {part}" in full}
    clause.mentions = [m for m in clause.mentions if m.field != "tool" or m.term.casefold() not in bases]
