"""The words of a ledger as a question may use them: names of tools, targets, and classes of numbered targets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memory_evidence.tallymem.actions import EDITOR, EDITOR_COMMANDS, is_bare_command, is_shell
from memory_evidence.tallymem.arguments import words_of
from memory_evidence.tallymem.ledger import Ledger
from memory_evidence.tallymem.phrases import NOUNS
from memory_evidence.tallymem.rows import Effect
from memory_evidence.tallymem.wording import EFFECTS, ENDING, FUNCTION_WORDS, LIGHT, PAST, SYNONYMS, lemmas

_NUMBERED = re.compile(r"(.*\S)\s+\d+\Z")
_VERBS = frozenset(SYNONYMS) | {verb for verbs in SYNONYMS.values() for verb in verbs}
_MAX_WORDS = 8
PART = re.compile(r"[_.-]+")
"""Between the words of a tool's name."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a question can name, all keys in lower case."""

    tools: dict[str, str]
    """Words of tool names and acts ("go", "str_replace_editor", "view"), to the name as the log spells it."""
    phrases: dict[str, str]
    """Whole tool names and acts of several words, also with spaces for underscores, to the term that finds them."""
    programs: dict[str, str]
    """Programs that shell commands ran."""
    shells: tuple[str, ...]
    """Tools that run commands of a shell."""
    targets: dict[str, str]
    classes: frozenset[str]
    """Nouns of numbered targets: "drawer" where there is a "drawer 1"."""
    filing: frozenset[str]
    """Words of those tool names that read or write files."""
    effects: frozenset[str]
    twins: frozenset[str]
    """Names, in lower case, that several tools have but for their case."""

    @property
    def longest(self) -> int:
        """Most words that a target may have and still be looked for in a question."""
        return _MAX_WORDS


def read_vocabulary(ledger: Ledger) -> Vocabulary:
    """Return the vocabulary of a ledger; costs time in its distinct values, not in its rows."""
    tools: dict[str, str] = {}
    phrases: dict[str, str] = {}
    programs: dict[str, str] = {}
    shells: dict[str, None] = {}
    filing: set[str] = set()
    spellings: dict[str, set[str]] = {}
    rows = ledger.rows
    effects = ledger.positions("effect", list(Effect))
    for name, positions in ledger.values("tool").items():
        first = rows[positions[0]]
        if not name:
            continue
        if is_bare_command(first):
            programs.update({part.casefold(): part for part in name.split()})
            if name == first.tool:
                shells[name] = None
            continue
        if is_shell(first.tool) and name == first.act and name != first.tool:
            programs.update({part.casefold(): part for part in name.split()})
            continue
        if is_shell(name):
            shells[name] = None
        parts = name.split()
        for part in parts:
            spellings.setdefault(part.casefold(), set()).add(part)
        tools.update({part.casefold(): part for part in parts[: 1 if name == first.act else None]})
        # "go to" is a phrase as it stands, and the name of a tool may be written with spaces.
        for spelled in {name.casefold(), name.casefold().replace("_", " ").replace("-", " ")}:
            if " " in spelled:
                phrases[spelled] = name
        # Of an editing tool, a call whose arguments do not tell may come before one that does.
        if first.effect or not (EDITOR.keys().isdisjoint(words_of(name)) or effects.isdisjoint(positions)):
            filing.update(part.casefold() for part in parts)
    if ledger.has_editor:
        for command in EDITOR_COMMANDS:
            tools.setdefault(command, command)
            filing.add(command)
    targets = {value.casefold(): value for value in ledger.values("target")}
    numbered = (_NUMBERED.match(value) for value in targets)
    classes = {match[1] for match in numbered if match and match[1].replace(" ", "").isalpha()}
    return Vocabulary(
        tools=tools,
        phrases=phrases,
        programs=programs,
        shells=tuple(shells),
        targets=targets,
        classes=frozenset(classes),
        filing=frozenset(filing),
        effects=frozenset(ledger.values("effect")),
        twins=frozenset(name for name, spelled in spellings.items() if len(spelled) > 1),
    )


def class_of(word: str, vocabulary: Vocabulary) -> str | None:
    """Return the class that `word` names, in singular or plural."""
    return next((lemma for lemma in lemmas(word) if lemma in vocabulary.classes), None)


def compound_of(word: str, vocabulary: Vocabulary, *, active: bool = False) -> str | None:
    """Return the one tool that a verb is a part of the name of: "searches" are those of `tavily_search`.

    Only a form of the first part that is a verb there ("sent" of `send_email`, and "send" if it is `active`: behind who
    acts), and a word that is a verb wherever it stands, is read so: the tests of `run_tests` are no calls.
    """
    forms = [form for form in lemmas(word) if form not in FUNCTION_WORDS | LIGHT | ENDING and form not in EFFECTS]
    for form in forms:
        holding = {name for key, name in vocabulary.tools.items() if form in (parts := PART.split(key)) and parts[1:]}
        name = next(iter(holding), "")
        leads = (active or PAST.match(word)) and PART.split(name.casefold())[0] == form
        if len(holding) == 1 and (leads or form in _VERBS):
            return name
    return None


def pair_of(word: str, others: Iterable[str], vocabulary: Vocabulary) -> str | None:
    """Return the one tool whose name is a verb and a noun that are both said: "events created" are by `create_event`.

    Args:
        word: The verb.
        others: The other words of the clause.
        vocabulary: The words of the log; tools that read or write files have effects for a name.
    """
    verbs = set(lemmas(word)) - FUNCTION_WORDS - LIGHT - ENDING
    nouns = {form for other in others for form in lemmas(other)} - NOUNS
    found = {
        name
        for key, name in vocabulary.tools.items()
        if key not in vocabulary.filing
        and len(parts := PART.split(key)) == 2
        and parts[0] in verbs
        and not nouns.isdisjoint(lemmas(parts[1]))
    }
    return found.pop() if len(found) == 1 else None


def tool_of(word: str, vocabulary: Vocabulary) -> str | None:
    """Return the tool that `word` names in one of its forms or by a synonym; None where it names none."""
    forms = [form for form in dict.fromkeys(lemmas(word)) if form not in FUNCTION_WORDS]
    for names in (forms, [other for form in forms for other in SYNONYMS.get(form, ())]):
        for name in names:
            if name in vocabulary.tools:
                return vocabulary.tools[name]
    return None
