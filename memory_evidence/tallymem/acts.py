"""Reads which acts a clause names by their verbs and nouns: tools, what was done to files, outcomes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.clause import Clause
from memory_evidence.tallymem.joining import Mention
from memory_evidence.tallymem.kinds import check_class
from memory_evidence.tallymem.phrases import (
    ACTED_ON,
    ACTIVE,
    COUNTED,
    DETERMINED,
    DOES,
    EVENT_NOUNS,
    EXPLICIT,
    MOVED_TO,
    NOUNS,
    OUTCOMES,
    PARTICIPLE,
    STEPS_TAKEN,
    SWITCHED,
    WITH_PARTICLE,
)
from memory_evidence.tallymem.plan import Filter
from memory_evidence.tallymem.rows import Outcome, Row
from memory_evidence.tallymem.terms import contains
from memory_evidence.tallymem.things import (
    check_moves,
)
from memory_evidence.tallymem.vocabulary import PART, class_of, compound_of, pair_of, tool_of
from memory_evidence.tallymem.wording import (
    DIRECTIONS,
    DIRECTORIES,
    EFFECTS,
    ENDING,
    FILES,
    FILING,
    LIGHT,
    NEUTRAL,
    PAGES,
    PARTICLES,
    WORD,
    lemmas,
    words,
)

_THE = re.compile(r"\bthe\s+\Z", re.IGNORECASE)
_ERROR = re.compile(
    r"(?<!\bin )(?<!\bwith )(?<!\ban )(?<![\w./-])errors?(?![\w/-]|\.\w)(?:\s+(?:occur(?:red|s)?|happen(?:ed|s)?)\b)?",
    re.IGNORECASE,
)
_ANYTHING = words("target targets")
_MAKING = words("send create post publish schedule book submit forward reply compose draft")
"""Verbs of which each call makes another thing, whatever it is given: an email is sent twice, and is two emails."""


def read_outcomes(clause: Clause) -> None:
    """Find words for outcomes: "failed", "had no effect"; errors are failures where there are no others.

    A shell prints errors as well, and where actions had no effect, it is not said whether those are errors.
    """
    unlike = clause.words.shells or Outcome.NO_EFFECT.value in clause.ledger.values("outcome")
    while not unlike and (match := _ERROR.search(clause.left)):
        clause.add("outcome", Outcome.FAILURE.value, *match.span())
    for pattern, outcome in OUTCOMES:
        while match := pattern.search(clause.left):
            # Where nothing runs commands, what had no effect is what failed.
            also = outcome is Outcome.FAILURE and not clause.words.shells
            clause.add_all("outcome", (outcome.value, *((Outcome.NO_EFFECT.value,) if also else ())), match)


def of_events(clause: Clause) -> bool:
    """Whether events are asked about as such, so that "made" or "performed" says nothing more."""
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
    if "use" in clause.words.tools:
        while match := SWITCHED.search(clause.left):
            _read_switch(clause, clause.words.tools["use"], match)
    if match := WITH_PARTICLE.search(clause.left):
        raise Unread(f"not understood: {match[0]!r}")
    events = of_events(clause)
    explicit = any(mention.field == "tool" for mention in clause.mentions)
    if "go" in clause.words.tools:
        while match := MOVED_TO.search(clause.left):
            clause.add("tool", clause.words.tools["go"], *match.span())
    for match in list(WORD.finditer(clause.left)):
        word = match[0]
        if word.casefold() in clause.nouns or (
            word.casefold() in EVENT_NOUNS and word.casefold() not in clause.words.tools
        ):
            continue
        if class_ := class_of(word, clause.words):
            if only := _only_one(clause, class_, match):
                clause.add("target", only, *match.span())
                continue
            check_class(clause.ledger, class_)
            clause.classes.append(Mention("target", class_, *match.span()))
            clause.blank(*match.span())
            continue
        if events and ENDING.intersection(lemmas(word)) and tool_of(word, clause.words):
            raise Unread(f"it does not say whether {word!r} is a tool of the log or what became of a call")
        # "Actions took a spoon" is no taking of actions.
        doing = tool_of(word, clause.words) is not None and DOES.search(clause.text, 0, match.start())
        if (events or explicit) and not doing and any(lemma in LIGHT for lemma in lemmas(word)):
            continue
        _read_verb(clause, match)
    check_moves(clause)


def _read_compound(clause: Clause, tool: str, match: re.Match[str]) -> None:
    """Note the tool of a verb, and take out its object where the name has that as well: "emails sent" by send_email.

    Raises:
        Unread: Its objects are counted, and need not be as many as its calls: those of `list_tables`, a service twice.
    """
    parts = set(PART.split(tool.casefold()))
    kinds = {form for part in parts for form in lemmas(part)}
    for said in PAGES, DIRECTORIES, FILES - PAGES - DIRECTORIES - _ANYTHING:
        if not clause.nouns.isdisjoint(said) and kinds.isdisjoint(said):
            raise Unread(f"{tool!r} does not tell that it is done to {' or '.join(sorted(clause.nouns & said))}")
    clause.doing |= not FILING.isdisjoint(lemmas(match[0]))
    clause.add("tool", tool, *match.span())
    named = [row.targets for row in _rows_of(clause, tool)]
    if clause.nouns & FILES and (several := next((targets for targets in named if len(targets) > 1), None)):
        raise Unread(f"it does not say which of {', '.join(map(repr, several[:4]))} is {match[0]}")
    making = not _MAKING.isdisjoint(lemmas(match[0]))
    # Of the whole clause: in "emails sent or read", another verb may have taken the noun.
    for word in list(WORD.finditer(clause.text)):
        if parts.isdisjoint(lemmas(word[0])) or word.start() == match.start():
            continue
        many = word[0].casefold() in parts and word[0].casefold().endswith("s")
        # A count that is compared begins with its noun.
        counted = COUNTED.search(clause.text, 0, word.start()) or not WORD.search(clause.text, 0, word.start())
        if counted and (many or (len(set(named)) < len(named) and not making)):
            raise Unread(f"it does not say whether {word[0]!r} are the calls of {tool!r} or what they are about")
        clause.blank(*word.span())


def _pair(clause: Clause, match: re.Match[str]) -> str | None:
    """Return the tool whose name says a verb and what it is done to, where nothing else is said to be it."""
    if not clause.nouns.isdisjoint(FILES):
        return None
    others = [word[0] for word in WORD.finditer(clause.text) if word.start() != match.start()]
    return pair_of(match[0], others, clause.words)


def _only_one(clause: Clause, class_: str, match: re.Match[str]) -> str | None:
    """Return the one thing of a class that "the" means, where the log has no other: "the fridge" is fridge 1."""
    if match[0].casefold() != class_ or not _THE.search(clause.text, 0, match.start()):
        return None
    numbered = re.compile(rf"{re.escape(class_)}\s+\d+", re.IGNORECASE)
    found = [value for value in clause.ledger.values("target") if numbered.fullmatch(value)]
    return found[0] if len(found) == 1 else None


def _read_verb(clause: Clause, match: re.Match[str]) -> None:
    word, stop = match[0], match.end()
    if word.casefold() in NOUNS and DETERMINED.search(clause.text, 0, match.start()):
        return  # "a place" is no placing
    if word.casefold() in NEUTRAL:
        return  # also where a tool is called "do": as a verb it says no more than that something was done
    effects = next((EFFECTS[lemma] for lemma in lemmas(word) if lemma in EFFECTS), ())
    tool = tool_of(word, clause.words)
    if tool is None and (pair := _pair(clause, match)):
        _read_compound(clause, pair, match)
        return
    active = ACTIVE.search(clause.text, 0, match.start()) is not None
    what = ACTED_ON.search(clause.text, 0, match.start()) if PARTICIPLE.match(word) else None
    if tool is None and not effects and (compound := compound_of(word, clause.words, active=active)):
        if what:
            raise Unread(f"{what[1]!r} names no thing that can be {word}")
        _read_compound(clause, compound, match)
        return
    filing = tool is None or tool.casefold() in clause.words.filing
    explicit = EXPLICIT.match(clause.left, stop) and tool is not None
    if (effects or tool) and what:
        raise Unread(f"{what[1]!r} names no thing that can be {word}")
    # An editor that never created a file has the command: what was created is then none by any call that tells.
    told = clause.words.effects.intersection(effects) or (clause.words.effects and effects and tool is not None)
    if told and filing and not explicit:
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


def _read_switch(clause: Clause, tool: str, match: re.Match[str]) -> None:
    """Read "turned on" as the action that does so.

    Raises:
        Unread: The log does not tell of each whether it turned something on or off.
    """
    things = [mention.term for mention in clause.mentions if mention.field == "target"]
    rows = (row for row in _rows_of(clause, tool) if all(any(map(contains(term), row.targets)) for term in things))
    ways = [{change.value for change in row.changes if change.property == "power"} for row in rows]
    if not all(ways):
        raise Unread(f"the log does not tell of every {tool!r} whether something was {match[0]!r}")
    clause.add("tool", tool, *match.span())
    clause.within.append(Filter("change", (f"-> {match['way'].casefold()}",)))


def _rows_of(clause: Clause, tool: str) -> Iterator[Row]:
    return (clause.ledger.rows[at] for at in sorted(clause.ledger.positions("tool", [tool])))


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
    if any(row.targets for row in _rows_of(clause, tool)):
        return tool
    if "examine" in clause.words.tools:
        return clause.words.tools["examine"]
    raise Unread("the log has no action that looks at one thing")
