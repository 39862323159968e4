"""Names of relations: which wordings mean the same, and which relations hold several values at a time."""

from __future__ import annotations

from typing import Final

from memory_evidence.cmc.frontends.english.vocabulary import ARTICLES, FRESH
from memory_evidence.cmc.frontends.sentences import word_set

LOCATED: Final = "located in"
SCHEDULED: Final = "scheduled for"
WORKS_AT: Final = "works at"
WORKS_AS: Final = "works as"
MARRIED: Final = "married to"
LIKES: Final = "likes"
DISLIKES: Final = "dislikes"
MEMBER: Final = "member of"
OWNS: Final = "owns"
NAME: Final = "name"
PRICE: Final = "price"
AGE: Final = "age"
OFFICE: Final = "office"
"""Stands in the verb table for whichever office the sentence names."""
SWITCHED: Final = "switched to"
HABITS: Final = ("uses", "prefers", "drives", "plays", "studies")
"""What one may be said to do with what one later switches from."""
VALUE_OF: Final = "is"
"""Relation of "the Atlas build is green": the thing itself has the value."""

_WORDINGS: Final[dict[str, str]] = {
    LOCATED: "lives in|live in|resides in|is located in|is based in|based in|moved to|relocated to|location|residence|"
    "city of residence|place of residence",
    WORKS_AT: "works for|work at|work for|is employed by|employed by|joined|employer|workplace",
    WORKS_AS: "work as|job|occupation|profession|job title",
    MARRIED: "is married to|wife|husband|spouse",
    "engaged to": "is engaged to|fiancé|fiancée|fiance|fiancee",
    "manager": "reports to|report to|is managed by|managed by|boss|supervisor|line manager",
    LIKES: "loves|enjoys|like|love|enjoy",
    DISLIKES: "hates|hate|dislike|doesn't like|does not like",
    "prefers": "prefer",
    "speaks": "speak",
    OWNS: "own",
    "born in": "was born in|birthplace|place of birth",
    "born on": "was born on|date of birth|birthdate|birth date",
    "died in": "place of death",
    "founded by": "was founded by|founder|founders",
    "created by": "was created by|creator",
    "developed by": "was developed by|developer",
    "owner": "is owned by|owned by|was acquired by|acquired by",
    "author": "was written by|written by|writer",
    "director": "was directed by|directed by",
    PRICE: "costs|cost",
    SCHEDULED: "is scheduled for|is set for|is due on|due on|date|due date",
    NAME: "is called|is named|was renamed|renamed to",
    "email": "email address|e-mail|e-mail address",
    "phone number": "telephone number|cell number|mobile number",
    "hometown": "home town",
    "ceo": "chief executive officer|chief executive",
    MEMBER: "is a member of",
    "citizen of": "is a citizen of",
    "mother": "mum|mom",
    "father": "dad",
    "position": "plays the position of",
}
RELATION_SYNONYMS: Final[dict[str, str]] = {
    wording: name for name, wordings in _WORDINGS.items() for wording in wordings.split("|")
}
"""Wordings of one relation, to its common name. A name that is in no pair stands for itself."""

_SEVERAL = word_set(
    "sister brother sibling son daughter child kid friend cousin uncle aunt nephew niece twin roommate neighbor "
    "colleague coworker co-worker teammate client customer student employee mentee member cofounder co-founder pet "
    "dog cat puppy kitten bird fish horse rabbit hamster hobby interest skill language allergy"
)
MULTI_VALUED: Final[frozenset[str]] = frozenset(
    (
        *_SEVERAL,
        *(
            LIKES,
            DISLIKES,
            "prefers",
            "knows",
            "speaks",
            OWNS,
            "uses",
            "plays",
            "studies",
            "has visited",
            "educated at",
        ),
        *(MEMBER, "fan of", "allergic to", "manager of", SWITCHED),
    )
)
"""Relations that hold several objects at a time by default; every other relation holds one, the latest."""
SPLIT_AT_AND: Final = frozenset(("allergic to", "speaks"))
"""Of these "A and B" are two objects; elsewhere it may be one ("mac and cheese")."""
WORKS: Final = frozenset(
    ("author", "director", "performed by", "created by", "composed by", "developed by", "designed by", "named after")
)
"""Relations of works, whose titles may begin with any word."""
DEFINITE: Final = WORKS | {
    *(LOCATED, SCHEDULED, VALUE_OF, PRICE, NAME, "owner", "manager", "founded by", "founded in", "founded on"),
    *("part of", "invented by", "belongs to"),
}
"""What "the Atlas launch" can have; no person is called so."""
OF_PROJECTS: Final = word_set("lead leader head manager owner sponsor deadline budget status phase stage")
"""Of these "Project Heron" is Heron."""
PERSONAL: Final = frozenset(("manager", MARRIED, "engaged to", "dating"))
"""Of these the object is a person, so "A & B" are two."""
TRANSIENT: Final = frozenset((LOCATED, WORKS_AT, WORKS_AS, MARRIED, "dating", AGE, OFFICE))
"""An event that set one of these in a past year may have been followed by another."""


def _plural(noun: str) -> str:
    if noun == "child":
        return "children"
    return noun[:-1] + "ies" if noun.endswith("y") else noun + "s"


_SINGULAR = {_plural(noun): noun for noun in _SEVERAL}
_SPELLINGS = {"favourite": "favorite", "favorites": "favorite", "colour": "color", "neighbour": "neighbor"}
_PARENTS = {"mum": "mother", "mom": "mother", "mommy": "mother", "dad": "father", "daddy": "father"}


def role_name(wording: str) -> str:
    """Return the common name of a role: lower case, without "new" or "current", American, singular."""
    words = [_SPELLINGS.get(word, word) for word in wording.lower().replace("’", "'").split()]
    while len(words) > 1 and (words[0] in FRESH or words[0] in ARTICLES):
        del words[0]
    if words:
        words[-1] = _PARENTS.get(words[-1], _SINGULAR.get(words[-1], words[-1]))
    name = " ".join(words)
    return name.removesuffix("'s name") if len(words) > 1 else name


def canonical_relation(wording: str) -> str:
    """Return the common name of a relation: `role_name` under `RELATION_SYNONYMS`."""
    name = role_name(wording)
    return RELATION_SYNONYMS.get(name, name)
