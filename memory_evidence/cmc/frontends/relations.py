"""What verbs mean: the relations of the English grammar, their common names, and which hold several values at a time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from memory_evidence.cmc.frontends.vocabulary import FRESH


class Kind(Enum):
    """What the object of a relation must look like; anything else is left unread."""

    NAME = "a name"
    PLACE = "a name of a place; lower case only as far as it cannot be mistaken"
    ORG = "a name of an employer"
    PHRASE = "a bare noun phrase: sushi, hiking, the Beatles"
    ROLE = "a job, with or without article"
    VALUE = "whatever stands there, up to the end of the clause"
    WHEN = "a point in time"
    WHERE_OR_WHEN = "a place or a point in time, which decides the relation"


@dataclass(frozen=True, slots=True)
class Rule:
    """One reading of a verb phrase: subject, relation, object."""

    relation: str
    kind: Kind
    retracts: bool = False
    change: bool = False
    """An event, not a state: it cannot be negated, and told with a date in the past it may be outdated."""
    inverse: bool = False
    """The object has the relation to the subject: "X founded Y" says that Y was founded by X."""
    opposite: str = ""
    """A relation that the same object leaves by this (likes, dislikes)."""
    lasting: bool = False
    """Holds only with "for" or "since" behind it ("has lived in Rome for two years")."""
    also: str = ""
    """A relation whose value, whatever it was, ends with this."""
    update: bool = False
    """The object is the new value of what the subject names: "my address changed to ..."."""
    after_from: bool = False
    """The old value stands first: "... from A to B"."""


SCHEDULED: Final = "scheduled for"
LOCATED: Final = "located in"
WORKS_AT: Final = "works at"
WORKS_AS: Final = "works as"
MARRIED: Final = "married to"
SWITCHED: Final = "switched to"
VALUE_OF: Final = "is"
"""Relation of "the budget is $5": the thing itself has the value."""

RELATION_SYNONYMS: Final[dict[str, str]] = {
    **dict.fromkeys(
        (
            "lives in",
            "live in",
            "resides in",
            "is located in",
            "is based in",
            "based in",
            "moved to",
            "relocated to",
            "location",
            "residence",
            "city of residence",
            "place of residence",
        ),
        LOCATED,
    ),
    **dict.fromkeys(
        ("works for", "work at", "work for", "is employed by", "employed by", "joined", "employer", "workplace"),
        WORKS_AT,
    ),
    **dict.fromkeys(("work as", "job", "occupation", "profession", "job title"), WORKS_AS),
    **dict.fromkeys(("is married to", "wife", "husband", "spouse"), MARRIED),
    **dict.fromkeys(("is engaged to", "fiancé", "fiancée", "fiance", "fiancee"), "engaged to"),
    **dict.fromkeys(("reports to", "report to", "is managed by", "managed by"), "manager"),
    **dict.fromkeys(("loves", "enjoys", "like", "love", "enjoy"), "likes"),
    **dict.fromkeys(("hates", "hate", "dislike", "doesn't like", "does not like"), "dislikes"),
    **dict.fromkeys(("prefer",), "prefers"),
    **dict.fromkeys(("speak",), "speaks"),
    **dict.fromkeys(("own",), "owns"),
    **dict.fromkeys(("was born in", "birthplace", "place of birth"), "born in"),
    **dict.fromkeys(("was born on", "date of birth", "birthdate", "birth date"), "born on"),
    **dict.fromkeys(("died in", "place of death"), "died in"),
    **dict.fromkeys(("was founded by", "founder", "founders"), "founded by"),
    **dict.fromkeys(("was created by", "creator"), "created by"),
    **dict.fromkeys(("was written by", "written by", "writer"), "author"),
    **dict.fromkeys(("was directed by", "directed by"), "director"),
    **dict.fromkeys(("was developed by", "developer"), "developed by"),
    **dict.fromkeys(("is owned by", "was acquired by", "acquired by", "owner"), "owned by"),
    **dict.fromkeys(("costs", "cost"), "price"),
    **dict.fromkeys(("is scheduled for", "is set for", "is due on", "due on", "date", "due date"), SCHEDULED),
    **dict.fromkeys(("is called", "is named", "was renamed", "renamed to"), "name"),
    **dict.fromkeys(("email address", "e-mail", "e-mail address"), "email"),
    **dict.fromkeys(("telephone number", "cell number", "mobile number"), "phone number"),
    **dict.fromkeys(("home town",), "hometown"),
    **dict.fromkeys(("chief executive officer", "chief executive"), "ceo"),
    **dict.fromkeys(("is a member of",), "member of"),
    **dict.fromkeys(("mum", "mom"), "mother"),
    **dict.fromkeys(("dad",), "father"),
    **dict.fromkeys(("plays the position of",), "position"),
    **dict.fromkeys(("is a citizen of",), "citizen of"),
}
"""Wordings of one relation, to its common name. A name that is in no pair stands for itself."""

_FAMILY = "sister brother sibling son daughter child kid friend cousin uncle aunt nephew niece twin roommate neighbor"
_WORKMATES = "colleague coworker co-worker teammate client customer student employee mentee member cofounder co-founder"
_PETS = "pet dog cat puppy kitten bird fish horse rabbit hamster"
_OTHER = (
    "hobby interest skill language allergy pronoun nickname|likes|dislikes|prefers|knows|speaks|owns|has visited|"
    "member of|fan of|citizen of|allergic to|educated at|studies|uses|switched to|part of|plays|manages|resident of"
)


def _plural(noun: str) -> str:
    if noun in ("child", "wife"):
        return {"child": "children", "wife": "wives"}[noun]
    return noun[:-1] + "ies" if noun.endswith("y") and noun[-2] not in "aeiou" else noun + "s"


_NOUNS = f"{_FAMILY} {_WORKMATES} {_PETS} {_OTHER.split('|')[0]}".split()
_SINGULAR = {_plural(noun): noun for noun in _NOUNS}

MULTI_VALUED: Final[frozenset[str]] = frozenset([*_NOUNS, *_OTHER.split("|")[1:]])
"""Relations that hold several objects at a time by default; every other relation holds one, the latest."""
SPLIT_AT_AND: Final = frozenset(("allergic to", "speaks"))
"""Of these "A and B" are two objects; elsewhere it may be one ("mac and cheese")."""

_SPELLINGS = {"favourite": "favorite", "colour": "color", "neighbour": "neighbor", "favorites": "favorite"}
_PARENTS = {"mum": "mother", "mom": "mother", "mommy": "mother", "dad": "father", "daddy": "father"}


def role_name(wording: str) -> str:
    """Return the common name of a role: lower case, without "new" or "current", American, singular."""
    words = [_SPELLINGS.get(word, word) for word in wording.lower().replace("’", "'").split()]
    while len(words) > 1 and (words[0] in FRESH or words[0] in ("the", "a", "an")):
        del words[0]
    if words:
        words[-1] = _PARENTS.get(words[-1], _SINGULAR.get(words[-1], words[-1]))
    name = " ".join(words)
    return name.removesuffix("'s name") if len(words) > 1 else name


def canonical_relation(wording: str) -> str:
    """Return the common name of a relation: `role_name` under `RELATION_SYNONYMS`."""
    name = role_name(wording)
    return RELATION_SYNONYMS.get(name, name)


def _rules() -> list[tuple[str, Rule]]:
    """Return verb phrases (alternatives per word: `live/lives in`) with their readings."""
    place, org, name, when = Kind.PLACE, Kind.ORG, Kind.NAME, Kind.WHEN
    move = Rule(LOCATED, Kind.WHERE_OR_WHEN, change=True)
    moved = Rule(LOCATED, Kind.WHERE_OR_WHEN, change=True, after_from=True)
    became = Rule(WORKS_AT, org, change=True)
    gone = Rule(WORKS_AT, org, retracts=True, change=True)
    rows: list[tuple[str, Rule]] = [
        ("live/lives/reside/resides in", Rule(LOCATED, place)),
        ("is/am/are living/residing/based/located/headquartered/situated in", Rule(LOCATED, place)),
        ("has/have been living/residing/based/located in", Rule(LOCATED, place)),
        ("has/have lived/resided in", Rule(LOCATED, place, change=True, lasting=True)),
        ("moved/relocated to", move),
        ("moved back to", move),
        ("moved/relocated from", moved),
        ("has/have moved/relocated from", moved),
        ("was/were/got moved/relocated from", moved),
        ("has/have been moved/relocated from", moved),
        ("has/have moved/relocated to", move),
        ("has/have been moved/relocated to", move),
        ("was/were/got moved/relocated to", move),
        ("moved/relocated away from", Rule(LOCATED, place, retracts=True, change=True)),
        ("moved out of", Rule(LOCATED, place, retracts=True, change=True)),
        ("stopped living in", Rule(LOCATED, place, retracts=True, change=True)),
        ("work/works at/for", Rule(WORKS_AT, org)),
        ("teach/teaches at", Rule(WORKS_AT, org)),
        ("is/am/are working at/for", Rule(WORKS_AT, org)),
        ("has/have been working at/for", Rule(WORKS_AT, org)),
        ("has/have worked at/for", Rule(WORKS_AT, org, change=True, lasting=True)),
        ("is/am/are employed by/at", Rule(WORKS_AT, org)),
        ("joined", became),
        ("has/have joined", became),
        ("started working at/for", became),
        ("started/got/took a job at/with", became),
        ("started/got/took a new job at/with", became),
        ("left/quit", gone),
        ("has/have left/quit", gone),
        ("stopped/quit working at/for", gone),
        ("resigned from", gone),
        ("was/got fired from", gone),
        ("was/got laid off from/by", gone),
        ("work/works as", Rule(WORKS_AS, Kind.ROLE)),
        ("is/am/are working as", Rule(WORKS_AS, Kind.ROLE)),
        ("has/have been working as", Rule(WORKS_AS, Kind.ROLE)),
        ("started working as", Rule(WORKS_AS, Kind.ROLE, change=True)),
        ("stopped/quit working as", Rule(WORKS_AS, Kind.ROLE, retracts=True, change=True)),
        ("was/got promoted to", Rule(WORKS_AS, Kind.ROLE, change=True)),
        ("has/have been promoted to", Rule(WORKS_AS, Kind.ROLE, change=True)),
        ("is/am/are married to", Rule(MARRIED, name)),
        ("married", Rule(MARRIED, name, change=True)),
        ("got married to", Rule(MARRIED, name, change=True)),
        ("has/have married", Rule(MARRIED, name, change=True)),
        ("divorced", Rule(MARRIED, name, retracts=True, change=True)),
        ("is/am/are divorced from", Rule(MARRIED, name, retracts=True, change=True)),
        ("is/am/are engaged to", Rule("engaged to", name)),
        ("got engaged to", Rule("engaged to", name, change=True)),
        ("is/am/are dating", Rule("dating", name)),
        ("stopped dating", Rule("dating", name, retracts=True, change=True)),
        ("broke up with", Rule("dating", name, retracts=True, change=True)),
        ("report/reports to", Rule("manager", name)),
        ("is/am/are managed by", Rule("manager", name)),
        ("manage/manages", Rule("manager", name, inverse=True)),
        ("is/am/are from", Rule("from", place)),
        ("come/comes from", Rule("from", place)),
        ("was born in", Rule("born in", Kind.WHERE_OR_WHEN, change=True)),
        ("was born on", Rule("born on", when, change=True)),
        ("died in", Rule("died in", Kind.WHERE_OR_WHEN, change=True)),
        ("died on", Rule("died on", when, change=True)),
        ("was founded in", Rule("founded in", Kind.WHERE_OR_WHEN, change=True)),
        ("was founded/established by", Rule("founded by", name, change=True)),
        ("founded", Rule("founded by", name, change=True, inverse=True)),
        ("was created by", Rule("created by", name, change=True)),
        ("was developed by", Rule("developed by", name, change=True)),
        ("was invented by", Rule("invented by", name, change=True)),
        ("was written by", Rule("author", name, change=True)),
        ("was directed by", Rule("director", name, change=True)),
        ("was performed by", Rule("performed by", name, change=True)),
        ("was composed by", Rule("composed by", name, change=True)),
        ("was designed by", Rule("designed by", name, change=True)),
        ("was named after", Rule("named after", name, change=True)),
        ("was acquired by", Rule("owned by", name, change=True)),
        ("is/are owned by", Rule("owned by", name)),
        ("belongs to", Rule("belongs to", name)),
        ("was educated at", Rule("educated at", name, change=True)),
        ("graduated from", Rule("educated at", name, change=True)),
        ("study/studies at", Rule("studies at", name)),
        ("is/am/are studying at", Rule("studies at", name)),
        ("is/am/are enrolled at", Rule("studies at", name)),
        ("study/studies", Rule("studies", Kind.PHRASE)),
        ("is/am/are studying", Rule("studies", Kind.PHRASE)),
        ("major/majors in", Rule("major", Kind.PHRASE)),
        ("is/am/are majoring in", Rule("major", Kind.PHRASE)),
        ("play/plays for", Rule("plays for", name)),
        ("play/plays the position of", Rule("position", Kind.PHRASE)),
        ("speak/speaks", Rule("speaks", name)),
        ("know/knows", Rule("knows", name)),
        ("like/likes/love/loves/enjoy/enjoys", Rule("likes", Kind.PHRASE, opposite="dislikes")),
        ("hate/hates/dislike/dislikes", Rule("dislikes", Kind.PHRASE, opposite="likes")),
        ("cannot stand", Rule("dislikes", Kind.PHRASE, opposite="likes")),
        ("can not stand", Rule("dislikes", Kind.PHRASE, opposite="likes")),
        ("prefer/prefers", Rule("prefers", Kind.PHRASE)),
        ("own/owns", Rule("owns", Kind.ROLE)),
        ("drive/drives", Rule("drives", Kind.ROLE)),
        ("use/uses", Rule("uses", name)),
        ("has/have visited", Rule("has visited", name, change=True)),
        ("has/have been to", Rule("has visited", name, change=True)),
        ("is/am/are allergic to", Rule("allergic to", Kind.PHRASE)),
        ("is/are part of", Rule("part of", name)),
        ("cost/costs", Rule("price", Kind.VALUE)),
        ("was/were renamed", Rule("name", name, change=True)),
        ("was/were renamed to", Rule("name", name, change=True)),
        ("has/have been renamed", Rule("name", name, change=True)),
        ("has/have been renamed to", Rule("name", name, change=True)),
        ("is/am/are called/named", Rule("name", name)),
        ("is/am/are known as", Rule("name", name)),
        ("go/goes by", Rule("name", name)),
        ("changed its/his/her name to", Rule("name", name, change=True)),
        ("is/are scheduled for/on/at", Rule(SCHEDULED, when)),
        ("is/are set for", Rule(SCHEDULED, when)),
        ("is/are planned for", Rule(SCHEDULED, when)),
        ("is/are due on/in/by/at", Rule(SCHEDULED, when)),
        ("is/are due", Rule(SCHEDULED, when)),
        ("takes/take place on/at/in", Rule(SCHEDULED, when)),
        (
            "was/were/got/is rescheduled/postponed/delayed/pushed/shifted to/until/for",
            Rule(SCHEDULED, when, change=True),
        ),
        ("was/were/got pushed back to", Rule(SCHEDULED, when, change=True)),
        ("has/have been rescheduled/postponed/delayed/pushed/shifted to/until/for", Rule(SCHEDULED, when, change=True)),
    ]
    for auxiliary in ("", "has ", "have ", "was ", "were ", "has been ", "have been "):
        for verb in (
            "changed",
            "switched",
            "updated",
            "increased",
            "raised",
            "rose",
            "dropped",
            "fell",
            "grew",
            "went up",
        ):
            relation = SWITCHED if verb == "switched" else VALUE_OF
            rows.append((f"{auxiliary}{verb} to", Rule(relation, Kind.VALUE, change=True, update=True)))
            rows.append(
                (f"{auxiliary}{verb} from", Rule(relation, Kind.VALUE, change=True, update=True, after_from=True))
            )
    for auxiliary in ("is", "are", "was", "were", "has been", "have been", "got"):
        for verb in ("cancelled", "canceled", "called off"):
            rows.append((f"{auxiliary} {verb}", Rule("", Kind.WHEN, retracts=True, also=SCHEDULED)))
    for phrase in ("quit my/his/her/their job", "lost my/his/her/their job", "left my/his/her/their job"):
        rows.append((phrase, Rule("", Kind.ORG, retracts=True, also=WORKS_AT)))
    return rows


Trie = dict[Any, Any]
"""Next word to next trie; under `END` the rule that ends here."""
END: Final = 0


def _trie() -> Trie:
    root: Trie = {}
    for phrase, rule in _rules():
        nodes = [root]
        for word in phrase.split():
            nodes = [node.setdefault(form, {}) for node in nodes for form in word.split("/")]
        for node in nodes:
            node[END] = rule
    return root


VERBS: Final = _trie()
BASE_FORMS: Final = frozenset(
    ["live", "reside", "work", "teach", "report", "manage", "come", "study", "major", "play", "speak", "know", "like", "love", "enjoy", "hate", "dislike", "prefer", "own", "drive", "use", "go", "cost"]
)
"""Verb forms of the first person and of the plural."""
COPULAS: Final = frozenset(("is", "am", "are"))
BECOMING: Final = frozenset(("became", "becomes"))
HAVING: Final = frozenset(("have", "has", "got", "adopted", "own", "owns", "bought"))
CHANGES: Final = frozenset(("changed", "switched", "updated"))
WORKS: Final = frozenset(
    ("author", "director", "performed by", "created by", "composed by", "developed by", "designed by", "named after")
)
"""Relations of works, whose titles may begin with any word."""
DEFINITE_RELATIONS: Final = frozenset(
    (
        LOCATED,
        SCHEDULED,
        VALUE_OF,
        "price",
        "name",
        "owned by",
        "manager",
        "founded by",
        "created by",
        "author",
        "director",
    )
    + (
        "developed by",
        "designed by",
        "part of",
        "named after",
        "performed by",
        "composed by",
        "founded in",
        "belongs to",
    )
)
"""What "the meeting" can have; whom "the man" is, a record alone does not say."""
