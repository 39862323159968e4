"""Reads which acts a clause names: tools by their whole names, verbs by their forms, outcomes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.joining import Mention
from memory_evidence.tallymem.phrases import (
    ACTED_ON,
    DETERMINED,
    DOES,
    ENUMERATION,
    EVENT_NOUNS,
    EXPLICIT,
    MOVED_TO,
    NAME,
    NOUNS,
    OUTCOMES,
    PARTICIPLE,
    RUN_AFTER,
    RUN_BEFORE,
    SHELL,
    STEPS_TAKEN,
    SWITCHED,
    WITH_PARTICLE,
)
from memory_evidence.tallymem.rows import Outcome
from memory_evidence.tallymem.things import (
    check_moves,
)
from memory_evidence.tallymem.vocabulary import class_of, tool_of
from memory_evidence.tallymem.wording import (
    DIRECTIONS,
    EFFECTS,
    ENDING,
    FILING,
    LIGHT,
    NEUTRAL,
    PARTICLES,
    WORD,
    lemmas,
)

if TYPE_CHECKING:
    from memory_evidence.tallymem.mentions import Clause


def read_tools(clause: Clause) -> None:
    """Find tools by their whole names: identifiers, and names of several words."""
    said = clause.left.casefold()
    for phrase in sorted((p for p in clause.words.phrases if p.split()[0] in said), key=len, reverse=True):
        for match in list(re.finditer(rf"(?<![\w.-]){_spelled(phrase)}(?![\w-])", clause.left, re.IGNORECASE)):
            if phrase.split()[-1] in PARTICLES and not EXPLICIT.match(clause.left, match.end()):
                continue  # "go to drawer 1" is read word by word
            clause.add("tool", clause.words.phrases[phrase], *match.span())
    for names in list(ENUMERATION.finditer(clause.left)):
        parts = list(NAME.finditer(clause.left, *names.span()))
        spelled = [clause.words.tools.get(part[0].casefold()) for part in parts]
        for part, name in zip(parts, spelled, strict=True):
            if name is not None and None not in spelled:
                clause.add("tool", name, *part.span())
    for match in list(WORD.finditer(clause.left)):
        key = match[0].casefold()
        if key in clause.words.tools and ("_" in key or EXPLICIT.match(clause.left, match.end())):
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


def _drop_bases(clause: Clause) -> None:
    """Where a command of a tool is named as well, the tool's own name adds nothing."""
    named = {mention.term.casefold() for mention in clause.mentions if mention.field == "tool"}
    full = {value.casefold() for value in clause.ledger.values("tool") if " " in value}
    bases = {base for base in named for part in named if part != base and f"{base} {part}" in full}
    clause.mentions = [m for m in clause.mentions if m.field != "tool" or m.term.casefold() not in bases]


def read_outcomes(clause: Clause) -> None:
    """Find words for outcomes: "failed", "had no effect"."""
    for pattern, outcome in OUTCOMES:
        while match := pattern.search(clause.left):
            # Where nothing runs commands, what had no effect is what failed.
            also = outcome is Outcome.FAILURE and not clause.words.shells
            clause.add_all("outcome", (outcome.value, *((Outcome.NO_EFFECT.value,) if also else ())), match)


def _of_events(clause: Clause) -> bool:
    # Of the whole clause: "which actions" has been taken for the operation by now.
    said = {word.casefold() for word in WORD.findall(clause.text)}
    # "Take or move": what the log has a tool for is no word for an event.
    named = bool(said & EVENT_NOUNS - clause.words.tools.keys())
    return clause.acting or named or STEPS_TAKEN.search(clause.text) is not None


def read_verbs(clause: Clause) -> None:
    """Find verbs and their nouns, which name a tool or what was done to a file, and classes of targets.

    Raises:
        Unread: A verb says what cannot be done to an event, or may mean two things.
    """
    if match := WITH_PARTICLE.search(clause.left):
        raise Unread(f"not understood: {match[0]!r}")
    events = _of_events(clause)
    explicit = any(mention.field == "tool" for mention in clause.mentions)
    if "go" in clause.words.tools:
        while match := MOVED_TO.search(clause.left):
            clause.add("tool", clause.words.tools["go"], *match.span())
    if "use" in clause.words.tools:
        while match := SWITCHED.search(clause.left):
            clause.add("tool", clause.words.tools["use"], *match.span())
    for match in list(WORD.finditer(clause.left)):
        word = match[0]
        if word.casefold() in clause.nouns or (
            word.casefold() in EVENT_NOUNS and word.casefold() not in clause.words.tools
        ):
            continue
        if class_ := class_of(word, clause.words):
            clause.classes.append(Mention("target", class_, *match.span()))
            clause.blank(*match.span())
            continue
        # "Actions took a spoon" is no taking of actions.
        doing = tool_of(word, clause.words) is not None and DOES.search(clause.text, 0, match.start())
        if (events or explicit) and not doing and any(lemma in LIGHT for lemma in lemmas(word)):
            continue
        _read_verb(clause, match)
    check_moves(clause)


def drop_light(clause: Clause) -> None:
    """Take out verbs that say no more than that something was done."""
    events = _of_events(clause)
    kinds = {mention.field for mention in clause.mentions}
    empty = (LIGHT if events or kinds - {"target"} else frozenset()) | (
        ENDING if clause.acting or kinds & {"exit_code", "outcome"} else frozenset()
    )
    for match in list(WORD.finditer(clause.left)):
        if any(lemma in empty for lemma in lemmas(match[0])):
            clause.blank(*match.span())


def _read_verb(clause: Clause, match: re.Match[str]) -> None:
    word, stop = match[0], match.end()
    if word.casefold() in NOUNS and DETERMINED.search(clause.text, 0, match.start()):
        return  # "a place" is no placing
    if word.casefold() in NEUTRAL and word.casefold() not in clause.words.tools:
        return
    effects = next((EFFECTS[lemma] for lemma in lemmas(word) if lemma in EFFECTS), ())
    tool = tool_of(word, clause.words)
    filing = tool is None or tool.casefold() in clause.words.filing
    explicit = EXPLICIT.match(clause.left, stop) and tool is not None
    if (effects or tool) and (what := ACTED_ON.search(clause.text, 0, match.start())) and PARTICIPLE.match(word):
        raise Unread(f"{what[1]!r} names no thing that can be {word}")
    if clause.words.effects.intersection(effects) and filing and not explicit:
        particle = re.compile(r"\s+(?:at|into)\b", re.IGNORECASE).match(clause.left, stop)
        clause.add_all("effect", effects, match)
        if particle:
            clause.blank(*particle.span())
    elif tool is not None:
        clause.doing |= bool(FILING.intersection(lemmas(word))) and not explicit
        tool = _looked(clause, tool, stop)
        particle = re.compile(rf"\s+({'|'.join(PARTICLES)})\b", re.IGNORECASE).match(clause.left, stop)
        if particle and particle[1].casefold() in DIRECTIONS:
            tool = _directed(clause, tool, match, particle)
        clause.add("tool", tool, match.start(), stop)
        if particle:
            clause.blank(*particle.span())


def _directed(clause: Clause, tool: str, match: re.Match[str], particle: re.Match[str]) -> str:
    """Return the tool for "scroll up": the act of that name, or the tool where a target is called "up".

    Raises:
        Unread: The log does not tell in which direction.
    """
    way = particle[1].casefold()
    if act := clause.words.phrases.get(f"{tool} {way}".casefold()):
        return act
    if way in clause.words.targets:
        clause.add("target", clause.words.targets[way], *particle.span(1))
    elif DIRECTIONS[way].isdisjoint(lemmas(match[0])):
        raise Unread(f"the log does not tell {match[0] + particle[0]!r} from {match[0]!r}")
    return tool


def _looked(clause: Clause, tool: str, stop: int) -> str:
    """Return the tool for "look at X": an environment whose `look` takes no object has `examine` for that."""
    if tool.casefold() != "look" or not re.compile(r"\s+(?:at|into|inside|in)\b", re.I).match(clause.left, stop):
        return tool
    if any(clause.ledger.rows[at].targets for at in clause.ledger.positions("tool", [tool])):
        return tool
    if "examine" in clause.words.tools:
        return clause.words.tools["examine"]
    raise Unread("the log has no action that looks at one thing")


def _spelled(phrase: str) -> str:
    """Return a pattern for a phrase whose words may be joined by hyphens ("go-to")."""
    return r"[\s-]+".join(map(re.escape, phrase.split()))
