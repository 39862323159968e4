"""Noun phrases in front of a verb: whose fact it is."""

from __future__ import annotations

from typing import Final, NamedTuple

from memory_evidence.cmc.facts import Span
from memory_evidence.cmc.frontends.english import nouns
from memory_evidence.cmc.frontends.english import vocabulary as v
from memory_evidence.cmc.frontends.english.relations import WORKS, canonical_relation
from memory_evidence.cmc.frontends.english.words import POSSESSIVE, QUOTED, Words

MAX_SUBJECT_WORDS: Final = 12
_MAX_ROLE_WORDS: Final = 6
_UNNAMED: Final = v.TIME_WORDS | nouns.DEMONYMS
"""Capitalised in front of a noun, but not whose it is: "the Monday deadline", "the French price"."""


class Subject(NamedTuple):
    """Whose fact it is."""

    span: Span | None
    """None: the speaker."""
    role: str = ""
    """What is meant of them: "sister" in "my sister", "headquarters" in "Acme's headquarters"."""
    whole: Span | None = None
    """The phrase with the role."""
    definite: bool = False
    """A thing that a name tells from others of its kind: "the Atlas launch"."""
    apposed: str = ""
    """What the name is to the speaker: "sister" in "my sister Ann"."""

    @property
    def head(self) -> str:
        """The noun of the role: "place" in "place of birth"; empty without a role."""
        return role_head(self.role)


def role_head(role: str) -> str:
    """Return the noun that a role is about."""
    words = role.split(" of ")[0].split()
    return words[-1] if words else ""


def read_subject(w: Words, i: int, e: int) -> Subject | None:
    """Read words `i` to `e` as the subject of a statement; None where they are anything else."""
    if not 0 < e - i <= MAX_SUBJECT_WORDS:
        return None
    low = w.low
    first = low[i]
    if e == i + 1:
        if first == "i":
            return Subject(None)
        if first in nouns.SELF_KIN:
            return Subject(None, first, (w.starts[i], w.ends[i]))
    if first in v.MY:
        return _read_my(w, i, e)
    of = _link(w, i, e) if first == "the" else e
    if POSSESSIVE in low[i:of]:
        return _read_possessive(w, i, low.index(POSSESSIVE, i, e), e)
    if first == "the":
        if of < e and (not w.proper(i + 1) or low[of - 1] in nouns.ROLES):  # not "the University of Oslo"
            return _read_the_of(w, i, of, e)
        name = _read_known_name(w, i + 1, e)
        if name is not None:
            return Subject(name)
        return _read_compound(w, i + 1, e) if _is_named_thing(w, i + 1, e) else None
    name = read_name(w, i, e)
    return Subject(name) if name is not None else None


def _link(w: Words, i: int, e: int) -> int:
    """Return the "of" of "the head of Acme" or the "for" of "the deadline for Atlas"; `e` where there is none."""
    low = w.low
    for at in range(i + 2, e):
        if low[at] == "of":
            return at
        if low[at] == "for" and (low[at - 1] in nouns.ATTRIBUTES or low[at - 1] in nouns.RELATED) and not w.proper(at):
            return at
    return e


def _read_compound(w: Words, i: int, e: int) -> Subject | None:
    """Read "the Atlas launch"; "the Atlas deadline" is the deadline of Atlas."""
    low = w.low
    whole = (w.starts[i], w.ends[e - 1])
    at = i
    while at < e and w.proper(at) and low[at] not in _UNNAMED and not low[at][0].isdigit():
        at += 1
    if not i < at < e or not (low[e - 1] in nouns.ATTRIBUTES or low[e - 1] in nouns.ROLES):
        return Subject(whole, definite=True)
    if low[at] == "project" and at < e - 1:
        at += 1
        role = read_role(w, at, e)
        return Subject((w.starts[i], w.ends[at - 2]), role, whole) if role and at > i + 1 else None
    role = read_role(w, at, e)
    return Subject((w.starts[i], w.ends[at - 1]), role, whole) if role else None


def _read_my(w: Words, i: int, e: int) -> Subject | None:
    """Read "my sister" and "my sister Ann"."""
    for at in range(i + 1, e - 1):
        if w.low[at] in nouns.RELATED and w.all_proper(at + 1, e):
            name, role = read_name(w, at + 1, e), read_role(w, i + 1, at + 1)
            return Subject(name, apposed=role) if name is not None and role else None
    role = read_role(w, i + 1, e)
    return Subject(None, role, (w.starts[i], w.ends[e - 1])) if role else None


def _read_possessive(w: Words, i: int, at: int, e: int) -> Subject | None:
    """Read "Acme's office", and names such as McDonald's and Schindler's List."""
    if all(w.proper(n) and w.low[n] not in nouns.ROLES and w.low[n] not in nouns.KIN for n in range(at + 1, e)):
        name = read_name(w, i, e)
        return Subject(name) if name is not None else None
    owner = read_owner(w, i, at) if "and" not in w.low[i:at] else None  # "Ann and Bob's manager"
    role = read_role(w, at + 1, e) if owner is not None else ""
    return Subject(owner, role, (w.starts[i], w.ends[e - 1])) if role else None


def _read_the_of(w: Words, i: int, of: int, e: int) -> Subject | None:
    """Read "the headquarters of Acme", "the head of my team"."""
    role = read_role(w, i + 1, of)
    if not role or w.low[of - 1] in nouns.PARTITIVES or w.low[i + 1] in nouns.PARTITIVES or of + 1 >= e:
        return None
    whole = (w.starts[i], w.ends[e - 1])
    if w.low[of + 1] in v.MY and not w.proper(of + 1):
        inner = read_role(w, of + 2, e)
        return Subject(None, f"{inner}'s {role}", whole) if inner else None
    if "and" in w.low[of + 1 : e] and canonical_relation(role) not in WORKS:
        return None  # of two, unless it is a title
    owner = read_owner(w, of + 1, e, inner=True)
    return Subject(owner, role, whole) if owner is not None else None


def is_nested(w: Words, i: int, e: int) -> bool:
    """Whether words `i` to `e` name someone by what they are to another: "the CEO of Acme", "Acme's CEO".

    Who that is changes; a fact about the wording would neither follow nor be found.
    """
    low = w.low
    begin = i + 1 if low[i] == "the" else i
    for at in range(begin, e - 1):
        if low[at] == POSSESSIVE and not w.all_proper(at + 1, e):
            return True
        if low[at] == POSSESSIVE and (low[e - 1] in nouns.RELATED or low[e - 1] in nouns.OCCUPATIONS):
            return True
        if low[at + 1] in ("of", "for") and (low[at] in nouns.RELATED or low[at] in nouns.PLACES_OF):
            titled = begin > i and not w.proper(i) and low[at] in nouns.RELATED
            if titled or not w.proper(at) or w.text[w.starts[at] : w.ends[at]].isupper():
                return True
    return False


def read_owner(w: Words, i: int, e: int, inner: bool = False) -> Span | None:
    """Read a name or "the Atlas launch", no article; None for "the CEO of Acme", who is someone else tomorrow."""
    if e <= i or is_nested(w, i, e):
        return None
    if w.low[i] == "the" and e > i + 1:
        if w.low[e - 1] == "project" and w.all_proper(i + 1, e - 1) and e > i + 2:
            e -= 1  # "the Atlas project" is Atlas
        thing = (w.starts[i + 1], w.ends[e - 1])
        return _read_known_name(w, i + 1, e) or (thing if _is_named_thing(w, i + 1, e) else None)
    if is_titled(w, i, e):
        return (w.starts[i], w.ends[e - 1]) if read_name(w, i + 1, e, inner=True) is not None else None
    return read_name(w, i, e, inner)


def is_titled(w: Words, i: int, e: int) -> bool:
    """Whether words `i` to `e` begin with what the name behind it is: "project Heron", "team Blue"."""
    return i + 1 < e and w.low[i] in nouns.TITLED and not w.proper(i) and (w.proper(i + 1) or w.lowercase)


def read_role(w: Words, i: int, e: int) -> str:
    """Return the wording of a role or attribute ("sister", "favorite color"), or "" where it is none."""
    low = w.low
    while i < e - 1 and low[i] in v.FRESH:
        i += 1
    if not 0 < e - i <= _MAX_ROLE_WORDS or low[e - 1] in nouns.NOT_ROLES or low[i] in v.ROLE_PREPOSITIONS:
        return ""
    if low[i] == POSSESSIVE or low[e - 1] == POSSESSIVE:
        return ""
    for at in range(i, e):
        word = low[at]
        if word in v.CONJUNCTIONS or word in v.ARTICLES or word == QUOTED or _breaks_noun(w, at, i, e):
            return ""
    return " ".join(low[i:e]).replace(" 's", "'s")


def _breaks_noun(w: Words, at: int, i: int, e: int) -> bool:
    """Whether word `at` cannot stand in the noun phrase of words `i` to `e`."""
    word = w.low[at]
    if word in v.PUNCTUATION:
        return True
    if word not in v.NOT_IN_NAMES or word in v.ALSO_NOUNS:
        return False
    return not (word in v.ROLE_PREPOSITIONS and i < at < e - 1)


def read_name(w: Words, i: int, e: int, inner: bool = False) -> Span | None:
    """Return the span of a name: capitalised words, with small ones ("of", "van") only between them.

    Where it stands inside a sentence (`inner`) a capital is never that of the sentence: "the author of It".
    """
    for at in range(i, e):
        word = w.low[at]
        # Most words of names are capitalised and nothing else; what is left takes a closer look.
        if not (
            (w.proper(at) and word not in v.NOT_IN_NAMES and word not in v.ADVERBS) or _in_name(w, at, i, e, inner)
        ):
            return None
    return (w.starts[i], w.ends[e - 1]) if i < e else None


def _in_name(w: Words, at: int, i: int, e: int, inner: bool) -> bool:
    """Whether word `at` can stand in the name of words `i` to `e`."""
    word = w.low[at]
    edge = at == i or at == e - 1
    if w.proper(at):
        if word in v.NOT_IN_NAMES and word not in v.NAMEABLE:
            # "Who" and "Is" stand inside titles, but open none; in capital letters nothing can be told apart.
            return not w.shouts and (at > i or (inner and word != "i"))
        return at > i or word not in v.ADVERBS
    if word == POSSESSIVE:
        return at > i
    if word in v.CONNECTORS:
        return at < e - 1 and (at > i or word in v.NAME_OPENERS)
    if word in v.INNER_WORDS:
        return not edge
    if word == ",":
        return not edge and w.low[at + 1] in v.SUFFIXES
    return w.lowercase and e - i <= 2 and not (word in v.NOT_IN_NAMES or word in v.PUNCTUATION or word in v.ADVERBS)


def _read_known_name(w: Words, i: int, e: int) -> Span | None:
    """Return the span of a name behind "the"; None where capitals do not show that it is no ordinary noun."""
    if (w.lowercase and not w.all_proper(i, e)) or (w.shouts and w.low[e - 1] in nouns.THINGS):
        return None
    return read_name(w, i, e)


def _is_named_thing(w: Words, i: int, e: int) -> bool:
    """Whether words `i` to `e` behind "the" name a thing: a name first, no person, clause, pronoun or punctuation.

    "The meeting" and "the flight to Dublin" only point back to what other words have named, and which that is this
    record does not say: a slot of their own would leave the outdated value in the other.
    """
    low = w.low
    if not w.proper(i) or low[i] in _UNNAMED or low[i][0].isdigit():
        return False
    if not 0 < e - i <= _MAX_ROLE_WORDS or low[i] in nouns.PARTITIVES or low[e - 1] in nouns.PARTITIVES:
        return False
    for at in range(i, e):
        word = low[at]
        if word in v.PUNCTUATION or word in v.POSSESSIVES or word in nouns.PERSONS or word == POSSESSIVE:
            return False
        if w.proper(at) and at > i:
            continue
        if _breaks_noun(w, at, i, e) or (word.endswith("ed") and len(word) > 4):
            return False
        if i < at - 1 and w.proper(at - 1) and not w.proper(at - 2) and word not in v.ROLE_PREPOSITIONS:
            return False  # "the book Bob wrote"
    return True
