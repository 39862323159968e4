"""Verbs that say no more than that something was done ("made", "used"), and where they are a name or say more."""

from __future__ import annotations

import re

from memory_evidence.tallymem.acts import of_events
from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.clause import Clause
from memory_evidence.tallymem.phrases import ACTIVE, EXPLICIT, PARTICIPLE
from memory_evidence.tallymem.plan import Predicate
from memory_evidence.tallymem.wording import ENDING, EVENTS, LIGHT, WORD, lemmas, words

_TO_DO = re.compile(r"\b(?:to|did|does|do|not)\s+\Z", re.IGNORECASE)
_ABOUT = words("use involve include contain concern")
"""Verbs of a call that say what it is about."""
_DOING = re.compile(r"\b(?:did|does|do)\b", re.IGNORECASE)
_BESIDE = re.compile(r"\s*\Z")
_CALLS = re.compile(r"\s+(?:calls|commands|actions|steps|operations)\s+(?:(?:that|which)\s+)?", re.IGNORECASE)
_WITH = re.compile(r"\b(?:with|using)\s+(?:the\s+)?\Z", re.IGNORECASE)
_HOLDING = re.compile(
    r"\b(?:contain|includ|involv)(?:e|s|es|ed|ing)?\s+(?:(?:the|an?|any|text|word|string)\s+)*['\"`]?\Z", re.I
)
_CALLING = re.compile(r"\b(?:call|run|us|execut|invok|issu)(?:e|es|s|ed|ing|ning)?\s+(?:the\s+)?\Z", re.IGNORECASE)


def drop_light(clause: Clause) -> None:
    """Take out verbs that say no more than that something was done.

    Raises:
        Unread: One is the name of something, as in "kubectl get calls", or asks what a text holds.
    """
    _check_holding(clause)
    events = of_events(clause)
    kinds = {mention.field for mention in clause.mentions}
    empty = (LIGHT if events or kinds - {"target"} else frozenset()) | (
        ENDING if clause.acting or kinds & {"exit_code", "outcome"} else frozenset()
    )
    for match in list(WORD.finditer(clause.left)):
        if any(lemma in empty for lemma in lemmas(match[0])):
            if match[0].casefold() == "including" or _is_name(clause, match):
                raise Unread(f"not understood: {match[0]!r}")
            clause.blank(*match.span())


def _is_name(clause: Clause, match: re.Match[str]) -> bool:
    """Whether a verb stands where none can: bare in front of "calls", or between a program and another verb."""
    if match[0].casefold() not in LIGHT | ENDING:
        return False  # "made", "used"
    before = clause.text[: match.start()]
    if _CALLING.search(before) and not any(m.stop == match.start() for m in clause.mentions):
        return True  # "commands that used make"
    doing = ACTIVE.search(before) or _TO_DO.search(before)
    if EXPLICIT.match(clause.text, match.end()) and not doing:
        return True
    tools = [mention for mention in clause.mentions if mention.field == "tool" and mention.stop <= match.start()]
    if any(_CALLS.fullmatch(before, mention.stop) for mention in tools) and not PARTICIPLE.match(match[0]):
        return match[0].casefold() not in _ABOUT  # "which kubectl calls apply"
    tool = next((mention for mention in tools if _BESIDE.fullmatch(before, mention.stop)), None)
    if tool is None:
        return False
    if _CALLING.search(before, 0, tool.start):
        return True
    if not PARTICIPLE.match(match[0]):  # "did the last search occur" is the verb, "was kubectl get used" is not
        return match[0].casefold() not in EVENTS and _DOING.search(before, 0, tool.start) is None
    after = WORD.match(clause.text, match.end() + 1)  # "docker run executed"
    return after is not None and _is_light(after[0])


def _is_light(word: str) -> bool:
    return not LIGHT.isdisjoint(lemmas(word))


def _check_holding(clause: Clause) -> None:
    """Refuse "calls that contain X" unless the calls that are about X are those whose text holds it.

    Raises:
        Unread: They are not.
    """
    for mention in clause.mentions:
        if mention.field == "target" and (match := _HOLDING.search(clause.text, 0, mention.start)):
            about, holding = (clause.ledger.positions(field, [mention.term]) for field in ("target", "action"))
            if about != holding:
                raise Unread(f"what the text of a step holds is not looked at: {match[0].strip()!r}")


def check_used(clause: Clause, where: Predicate) -> None:
    """Refuse "the microwave was used" where a tool is called `use`, and the microwave served another.

    Raises:
        Unread: A verb that may say no more than that something was done is taken for the tool of its name.
    """
    # "Taken" is no empty verb where the log has a tool for it.
    named = (m for m in clause.mentions if m.field == "tool" and m.term.casefold() != "take")
    verbs = [m for m in named if _is_light(clause.text[m.start : m.stop]) and not EXPLICIT.match(clause.text, m.stop)]
    things = [part.terms for part in where if part.field == "target" and not part.exclude]
    for verb in verbs:
        done = clause.ledger.positions("tool", [verb.term])
        for terms in things:
            about = clause.ledger.positions("target", terms)
            served = any(_serves(clause, at, terms) for at in about - done)
            if not done & about or served:
                said = clause.text[verb.start : verb.stop]
                raise Unread(f"it does not say whether {said!r} means the tool {verb.term!r}")


def _serves(clause: Clause, at: int, terms: tuple[str, ...]) -> bool:
    action = clause.ledger.rows[at].action.casefold()
    places = (match.start() for term in terms for match in re.finditer(re.escape(term.casefold()), action))
    return any(_WITH.search(action, 0, place) for place in places)
