"""Reads what an act is done to: files by their stem, groups of files, and names that look like fillers or verbs."""

from __future__ import annotations

import re
from itertools import takewhile

from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.clause import Clause
from memory_evidence.tallymem.kinds import below, of_language, of_stem
from memory_evidence.tallymem.phrases import (
    ACTIVE,
    ADVERB,
    ASKED_OF_EVENTS,
    ATTRIBUTE,
    BEFORE_OBJECT,
    BEING,
    CLAUSE,
    COUNTED,
    DEFINITE,
    ENDS,
    EXISTING,
    INDEFINITE,
    INSIDE,
    LANGUAGE,
    NAMED_BEFORE,
    NOUNS,
    NUMBERED_AFTER,
    ON_WHAT,
    PART_OF,
    PARTICIPLE,
    STATE,
    STATES,
)
from memory_evidence.tallymem.plan import Filter
from memory_evidence.tallymem.vocabulary import class_of, tool_of
from memory_evidence.tallymem.wording import (
    BETWEEN,
    EFFECTS,
    ENDING,
    EVENTS,
    FILES,
    LIGHT,
    NEUTRAL,
    PLACES,
    THINGS,
    TOOLS,
    WORD,
    lemmas,
    words,
)

_OCCASIONS = words("step steps turn turns instance instances occasion occasions occurrence occurrences")
_MOST_FILES = 500
_AGENTS = words("agent agents assistant")
_NOUNS_TOO = words("log record issue launch trigger")
_INDEFINITES = words("something anything everything somewhere anywhere")
_ONE_THING = frozenset(noun for noun in PLACES | THINGS | FILES | TOOLS if not noun.endswith("s")) - _INDEFINITES
"""Nouns that no question uses without "a" or "the": as it stands, each is a name."""


def read_groups(clause: Clause) -> None:
    """Find "in /src" and "python files": the files that are meant are filtered by, each under its name.

    Raises:
        Unread: They are too many for a filter.
    """
    while match := INSIDE.search(clause.left):
        found = below(clause.ledger, match["path"])
        if not found:
            break
        clause.within.append(_any_of(found, match[0]))
        clause.blank(*match.span())
    for match in LANGUAGE.finditer(clause.text):
        if found := of_language(clause.ledger, match["what"]):
            clause.within.append(_any_of(found, match["what"]))
            clause.blank(*match.span("what"))


def _any_of(files: tuple[str, ...], said: str) -> Filter:
    if len(files) > _MOST_FILES:
        raise Unread(f"{said.strip()!r} stands for {len(files)} files, and a filter names at most {_MOST_FILES}")
    return Filter("target", files)


def check_states(clause: Clause) -> None:
    """Refuse what asks for a state, as in "is drawer 1 open": events do not tell what holds.

    Raises:
        Unread: It asks for one.
    """
    for match in ATTRIBUTE.finditer(clause.text):
        done = match["what"].casefold() not in STATES and PARTICIPLE.match(match["what"])
        acted = match["what"].casefold() in STATES or tool_of(match["what"], clause.words) is not None
        if acted and class_of(match["noun"], clause.words) and not (done and not EXISTING.search(clause.text)):
            raise Unread(f"it asks what holds, and not what was done: {match['what'] + ' ' + match['noun']!r}")
    if "open" not in clause.words.tools:
        return
    for match in STATE.finditer(clause.text):
        if match[0].endswith("open") or not ASKED_OF_EVENTS.search(clause.text):
            raise Unread(f"it asks what holds, and not what was done: {match[0]!r}")


def read_patients(clause: Clause) -> None:
    """Read what stands between "was" and what was done to it: a name there is no filler, and no verb.

    Raises:
        Unread: The log does not know it.
    """
    tokens = list(WORD.finditer(clause.left))
    for at, token in enumerate(tokens):
        if token[0].casefold() not in BEING:
            continue
        after = list(takewhile(lambda word: word[0].casefold() not in BEING | CLAUSE, tokens[at + 1 : at + 7]))
        done = next((place for place, word in enumerate(after) if _is_done(clause, word[0])), 0)
        if _is_done(clause, " ".join(word[0] for word in after[done + 1 : done + 2])):
            done += 1  # "was run edited"
        light = any(lemma in LIGHT for lemma in lemmas(after[done][0])) if done else False
        for place, word in enumerate(after[:done]):
            key = word[0].casefold()
            beside = clause.text[token.end() : word.start()].strip().casefold()  # "was path", "was the agent"
            if (beside == "" and key in _ONE_THING) or (beside in ("", "the") and key in _AGENTS):
                _add_file(clause, word)
                continue
            if key in _AGENTS:
                continue
            if key in BETWEEN | NOUNS or (ADVERB.match(key) and key not in LIGHT) or class_of(key, clause.words):
                continue
            called = bool(place) and after[place - 1][0].casefold() in clause.words.tools
            if _is_name(clause, key, light=light, called=called):
                _add_file(clause, word)


def _is_name(clause: Clause, key: str, *, light: bool, called: bool) -> bool:
    """Whether a word that could be a filler or a verb is the name of what something was done to.

    Args:
        clause: Where it stands.
        key: The word, in lower case.
        light: Whether the participle behind it says no more than that something was done.
        called: Whether a tool is named in front of it: "the go action".
    """
    if key in EVENTS:
        return not (light or called)
    forms = list(lemmas(key))
    acting = tool_of(key, clause.words) is not None or any(form in EFFECTS for form in forms)
    empty = any(form in LIGHT or form in ENDING for form in forms)
    return key in NEUTRAL or (empty and not acting if light else empty or acting)


def read_objects(clause: Clause) -> None:
    """Read what an act is done to, where that is a word for an event or an empty verb: "edits to log" name a file.

    Raises:
        Unread: The log does not know it.
    """
    acts = [mention for mention in clause.mentions if mention.field in ("tool", "effect", "outcome", "exit_code")]
    for match in list(WORD.finditer(clause.left)):
        key = match[0].casefold()
        empty = any(form in LIGHT or form in ENDING for form in lemmas(key))
        if key in clause.words.targets and key in NEUTRAL | EVENTS and ON_WHAT.search(clause.left, 0, match.start()):
            clause.add("target", clause.words.targets[key], *match.span())
            continue
        if not acts or not (empty or key in EVENTS | _OCCASIONS | _AGENTS):
            continue
        before, start = clause.left[: match.start()], match.start()
        part = PART_OF.search(clause.text, 0, start) and key in EVENTS  # "how many of the commands failed"
        behind = not part and ON_WHAT.search(before) and ENDS.match(clause.left, match.end())
        done = any(
            m.stop <= start
            and BEFORE_OBJECT.match(clause.text[m.stop : start])
            and ACTIVE.search(clause.text, 0, m.start)
            for m in acts
        )
        named = key not in EVENTS | NEUTRAL and not PARTICIPLE.match(key)
        counted = named and (key in _NOUNS_TOO or COUNTED.search(clause.text, 0, start))
        if behind or done or counted:
            _add_file(clause, match)


def _is_done(clause: Clause, word: str) -> bool:
    if not PARTICIPLE.match(word):
        return False
    return tool_of(word, clause.words) is not None or any(lemma in EFFECTS or lemma in LIGHT for lemma in lemmas(word))


def read_stems(clause: Clause) -> None:
    """Find files that are named by their stem: "total" is `total.py`."""
    for match in list(WORD.finditer(clause.left)):
        key = match[0].casefold()
        if key in NEUTRAL | EVENTS | NOUNS or INDEFINITE.search(clause.text, 0, match.start()):
            continue
        if of_stem(clause.ledger, match[0]) is None:
            continue
        if key.endswith("s") and not NAMED_BEFORE.search(clause.text, 0, match.start()):
            raise Unread(f"it does not say whether {match[0]!r} is a file or a kind of thing")
        _add_file(clause, match)


def _add_file(clause: Clause, match: re.Match[str]) -> None:
    name = of_stem(clause.ledger, match[0])
    if name is None:
        raise Unread(f"the log knows no {match[0]!r}")
    clause.add("target", name, *match.span())


def check_moves(clause: Clause) -> None:
    """Refuse "moved" where it may be going or carrying: there is an action for each, and nothing says which."""
    tools = [mention for mention in clause.mentions if mention.field == "tool"]
    if not {"go", "move"} <= clause.words.tools.keys() or any(m.term.casefold() != "move" for m in tools):
        return
    moving = re.search(r"\bmov(?:e|es|ed|ing)\b(?!\s+(?:actions?|commands?|calls?)\b)", clause.text, re.IGNORECASE)
    carried = clause.classes or any(mention.field == "target" for mention in clause.mentions)
    if moving and not carried and THINGS.isdisjoint(word.casefold() for word in WORD.findall(clause.text)):
        raise Unread(f"it does not say whether {moving[0]!r} means going or carrying")


def done_to(clause: Clause) -> bool:
    """Whether a tool is named by a participle: what something was done to with it, "opened"."""
    return any(m.field == "tool" and PARTICIPLE.match(clause.text[m.start : m.stop]) for m in clause.mentions)


def stray_tool(clause: Clause) -> str | None:
    """Return a word for tools that stands beside the name of none; None where there is none."""
    spans = [(m.start, m.stop) for m in clause.mentions if m.field == "tool"]
    for match in WORD.finditer(clause.left):
        if match[0].casefold() not in TOOLS:
            continue
        if not any(0 <= match.start() - stop <= 3 or 0 <= start - match.end() <= 3 for start, stop in spans):
            return match[0]
    return None


def definite(clause: Clause) -> str | None:
    """Return the noun of one thing that is meant and not named: "the file"; None where there is none."""
    for match in DEFINITE.finditer(clause.text):
        noun = match["noun"].casefold()
        generic = noun in NOUNS and clause.left[match.start("noun") : match.end("noun")].strip()
        numbered = noun in clause.words.classes and not NUMBERED_AFTER.match(clause.text, match.end())
        targets = [mention for mention in clause.mentions if mention.field == "target"]
        named = any(0 <= m.start - match.end() <= 2 or m.start == match.start("noun") for m in targets)
        if (generic or numbered) and not named:
            return match["noun"]
    return None
