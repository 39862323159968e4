"""Which of the common names that a model proposes for a slot are taken over; the others leave the slot as it is.

A wrong name lets one thing's values replace another's, so the model may only choose among names that are there, or
word the slot's own name more or less fully.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Set

from memory_evidence.cmc.anchor import FIRST_PERSON
from memory_evidence.cmc.facts import Slot
from memory_evidence.cmc.keys import fold, name_key, tokens
from memory_evidence.records import USER

MAX_NAME = 200
"""Most characters of a name that a model makes up."""

_SELF = FIRST_PERSON | {USER, "speaker", "the speaker"}
_MINE = re.compile(r"\b(?:my|our)(?=\s)")
_OWNER = re.compile(r".*\w(?='s?\s)", re.DOTALL)
_POSSESSIVE = re.compile(r"'s?(?!\w)")
_SMALL = frozenset(("the", "a", "an", "of", "to", "for", "with", "and", "in", "on", "at", "by", "from"))
_DIGITS = re.compile(r"\d+")
_BREAKING = frozenset(("Cc", "Cs", "Zl", "Zp"))


def is_name(text: str) -> bool:
    """Whether `text` can name a relation or a subject: not blank, not too long, no control characters in it."""
    text = text.strip()
    return 0 < len(text) <= MAX_NAME and not any(unicodedata.category(character) in _BREAKING for character in text)


def accepted(slot: Slot, proposed: Slot, said_by: Set[str], speakers: Set[str], subjects: Set[str]) -> Slot:
    """Return `proposed` if `slot` may be called that, else `slot`.

    The relation may be any with the same digits. The subject may be the slot's own, one that is in use, something that
    the slot's own has ("Ann", "Ann's team"), or one that shares most words with it and does not belong to another.
    Never are subjects taken for one that differ in digits, nor what somebody has for its owner ("Ann's sister" is not
    Ann), and nobody's facts become a speaker's. What speakers say of themselves may go to a longer name that holds
    theirs ("user's team"), and to nobody else.

    Args:
        slot: As it was read.
        proposed: What the model calls it.
        said_by: The speakers of the records that have this slot.
        speakers: Keys of all speakers there are.
        subjects: Keys of all subjects in use.
    """
    subject, relation = proposed.subject.strip(), proposed.relation.strip()
    if not (is_name(subject) and is_name(relation) and _digits(relation) == _digits(slot.relation)):
        return slot
    own, new = name_key(slot.subject), name_key(subject)
    if own == new:
        return Slot(slot.subject, relation)
    speaker = next(iter(said_by)) if len(said_by) == 1 else None
    key = None if speaker is None else name_key(speaker)
    if new in _SELF or new in speakers:
        # "I" and "user" are the speaker by another name; of several speakers, nobody knows which.
        if speaker is None or not {own, new} <= _SELF | {key}:
            return slot
        return Slot(speaker, relation)
    if key != USER and not {USER, "my", "our"}.isdisjoint(tokens(new)):
        return slot  # "user's team" would be one team for all speakers
    mine = f"{fold(speaker or USER)}'s"
    own, new = (_MINE.sub(lambda _: mine, name) for name in (own, new))
    old_words, new_words, old_owner, new_owner = _words(own), _words(new), _owner(own), _owner(new)
    if _digits(own) != _digits(new) or set(new_words) <= set(old_owner):
        return slot
    if own in _SELF or own in speakers:
        fits = bool(old_words) and set(old_words) <= set(new_words)
    else:
        old, shown = set(old_words[len(old_owner) :]), set(new_words[len(new_owner) :])
        fits = (
            new in subjects
            or (bool(old_words) and set(old_words) <= set(new_owner))
            or (_ends(old_owner, new_owner) and 2 * len(old & shown) > min(len(old), len(shown)))
        )
    return Slot(subject, relation) if fits else slot


def _digits(name: str) -> list[str]:
    return _DIGITS.findall(name)


def _words(key: str) -> list[str]:
    """Return the words of a name that tell it from others, without the sign of possession."""
    words = tokens(_POSSESSIVE.sub(" ", key))
    return [word for word in words if word not in _SMALL and any(map(str.isalnum, word))]


def _owner(key: str) -> list[str]:
    """Return the first words of a name, those that say whose it is."""
    found = _OWNER.match(key)
    return _words(found[0]) if found else []


def _ends(one: list[str], other: list[str]) -> bool:
    """Whether one of two owners is the other named more fully ("friend", "user's friend"), or is not named at all."""
    shorter, longer = sorted((one, other), key=len)
    return longer[len(longer) - len(shorter) :] == shorter
