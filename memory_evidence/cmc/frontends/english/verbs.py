"""What verb phrases mean, as a table of wordings and the trie that is made of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from memory_evidence.cmc.frontends.english.relations import (
    AGE,
    DISLIKES,
    LIKES,
    LOCATED,
    MARRIED,
    NAME,
    OFFICE,
    PRICE,
    SCHEDULED,
    SWITCHED,
    VALUE_OF,
    WORKS_AS,
    WORKS_AT,
)
from memory_evidence.cmc.frontends.sentences import word_set


class Kind(Enum):
    """What the object of a relation must look like; anything else is left unread."""

    NAME = "a name"
    PLACE = "a name of a place; lower case only as far as it cannot be mistaken"
    ORG = "a name of an employer"
    PHRASE = "a bare noun phrase: sushi, hiking, the Beatles"
    PLAYED = "an instrument or a game"
    JOB = "a job, with or without article"
    POSSESSION = "something that has a name: a Tesla"
    VALUE = "whatever stands there, up to the end of the clause"
    WHEN = "a point in time"
    WHERE_OR_WHEN = "a place or a point in time, which decides the relation"
    AGE = "a whole number of years"
    MEASURE = "a number with its unit"
    OFFICE = "an office: CEO of Acme, my manager"
    OFFICE_OF_SUBJECT = 'who had an office, "as", and the office that the subject has now'
    OFFICE_OF_OBJECT = 'who has an office now, "as", and the office'


@dataclass(frozen=True, slots=True)
class Rule:
    """One reading of a verb phrase: subject, relation, object."""

    relation: str
    kind: Kind
    retracts: bool = False
    change: bool = False
    """An event, not a state: it cannot be negated, and told with a date in the past it may be outdated."""
    inverse: str = ""
    """The object has the relation to the subject ("X founded Y": Y was founded by X); this names it seen from X."""
    opposite: str = ""
    """A relation that the same object leaves by this (likes, dislikes)."""
    lasting: bool = False
    """Holds only with "for" or "since" behind it ("has lived in Rome for two years")."""
    ends: bool = False
    """Retracts whatever value the relation had; there is no object."""
    update: bool = False
    """The object is the new value of what the subject names: "my address changed to ..."."""
    after_from: bool = False
    """The old value stands first: "... from A to B"."""
    quits: bool = False
    """Who quits a job quits the employer that stands behind it, too."""
    vague: bool = False
    """Says of an employer only what the rest of the sentence proves: "joined Acme as a nurse", not "joined Slack"."""
    lasts: bool = False
    """ "For two years" behind it says how long it has held, not how long it will."""


STATE: Final = Rule("", Kind.VALUE)
EVENT: Final = Rule("", Kind.VALUE, change=True)
"""Rules for what has no row below: judged as a state, judged as an event."""


def _states() -> Iterator[tuple[str, Rule]]:
    name, place, org, phrase, when = Kind.NAME, Kind.PLACE, Kind.ORG, Kind.PHRASE, Kind.WHEN
    likes, dislikes = Rule(LIKES, phrase, opposite=DISLIKES), Rule(DISLIKES, phrase, opposite=LIKES)
    yield "live/lives/reside/resides in", Rule(LOCATED, place)
    yield "is/am/are living/residing/based/located/headquartered/situated in", Rule(LOCATED, place)
    yield "has/have been living/residing/based/located in", Rule(LOCATED, place, lasts=True)
    yield "has/have lived/resided in", Rule(LOCATED, place, change=True, lasting=True, lasts=True)
    yield "is/am/are from", Rule("from", place)
    yield "come/comes from", Rule("from", place)
    yield "work/works/teach/teaches at", Rule(WORKS_AT, org)
    yield "work/works for", Rule(WORKS_AT, org)
    yield "is/am/are working/employed at", Rule(WORKS_AT, org)
    yield "is/am/are working for", Rule(WORKS_AT, org)
    yield "is/am/are employed by", Rule(WORKS_AT, org)
    yield "has/have been working at/for", Rule(WORKS_AT, org, lasts=True)
    yield "has/have worked at/for", Rule(WORKS_AT, org, change=True, lasting=True, lasts=True)
    yield "work/works as", Rule(WORKS_AS, Kind.JOB)
    yield "is/am/are working as", Rule(WORKS_AS, Kind.JOB)
    yield "has/have been working as", Rule(WORKS_AS, Kind.JOB, lasts=True)
    yield "report/reports to", Rule("manager", name)
    yield "is/am/are managed by", Rule("manager", name)
    yield "manage/manages", Rule("manager", name, inverse="manager of")
    yield "is/am/are married to", Rule(MARRIED, name)
    yield "is/am/are engaged to", Rule("engaged to", name)
    yield "is/am/are dating", Rule("dating", name)
    yield "know/knows", Rule("knows", name)
    yield "speak/speaks", Rule("speaks", name)
    yield "speak/speaks the language of", Rule("speaks", name)
    yield "like/likes/love/loves/enjoy/enjoys", likes
    yield "hate/hates/dislike/dislikes", dislikes
    yield "cannot stand", dislikes
    yield "can not stand", dislikes
    yield "prefer/prefers", Rule("prefers", phrase)
    yield "is/am/are allergic to", Rule("allergic to", phrase)
    yield "own/owns", Rule("owns", Kind.POSSESSION)
    yield "drive/drives", Rule("drives", Kind.POSSESSION)
    yield "use/uses", Rule("uses", name)
    yield "has/have visited", Rule("has visited", name, change=True)
    yield "has/have been to", Rule("has visited", name, change=True)
    yield "study/studies at", Rule("studies at", name)
    yield "is/am/are studying/enrolled at", Rule("studies at", name)
    yield "study/studies", Rule("studies", phrase)
    yield "is/am/are studying", Rule("studies", phrase)
    yield "major/majors in", Rule("major", phrase)
    yield "is/am/are majoring in", Rule("major", phrase)
    yield "play/plays", Rule("plays", Kind.PLAYED)
    yield "play/plays for", Rule("plays for", name)
    yield "play/plays the position of", Rule("position", phrase)
    yield "is/are owned by", Rule("owner", name)
    yield "belongs to", Rule("belongs to", name)
    yield "is/are part of", Rule("part of", name)
    yield "is/am/are called/named", Rule(NAME, name)
    yield "is/am/are known as", Rule(NAME, name)
    yield "go/goes by", Rule(NAME, name)
    yield "cost/costs", Rule(PRICE, Kind.VALUE)
    yield "weigh/weighs", Rule("weight", Kind.MEASURE)
    yield "is/are scheduled/set/planned for", Rule(SCHEDULED, when)
    yield "is/are scheduled on/at", Rule(SCHEDULED, when)
    yield "is/are due", Rule(SCHEDULED, when)
    yield "is/are due on/in/by/at", Rule(SCHEDULED, when)
    yield "takes/take place on/at/in", Rule(SCHEDULED, when)


def _events() -> Iterator[tuple[str, Rule]]:
    name, place, org, when = Kind.NAME, Kind.PLACE, Kind.ORG, Kind.WHEN
    moved = "moved/relocated"
    for phrase in (moved, "moved back", f"has/have {moved}", f"has/have been {moved}", f"is/are/was/were/got {moved}"):
        yield f"{phrase} to", Rule(LOCATED, Kind.WHERE_OR_WHEN, change=True)
        yield f"{phrase} from", Rule(LOCATED, Kind.WHERE_OR_WHEN, change=True, after_from=True)
    for phrase in ("moved/relocated away from", "moved out of", "stopped living in"):
        yield phrase, Rule(LOCATED, place, retracts=True, change=True)
    for phrase in ("joined", "has/have joined"):
        yield phrase, Rule(WORKS_AT, org, change=True, vague=True)
    for phrase in ("started working at/for", "started/got/took a job at/with"):
        yield phrase, Rule(WORKS_AT, org, change=True)
    yield "started/got/took a new job at/with", Rule(WORKS_AT, org, change=True)
    for phrase in ("left/quit", "has/have left/quit", "stopped/quit working at/for", "resigned from"):
        yield phrase, Rule(WORKS_AT, org, retracts=True, change=True)
    for phrase in ("was/got fired from", "was/got laid off from/by"):
        yield phrase, Rule(WORKS_AT, org, retracts=True, change=True)
    for phrase in ("quit/lost/left my/his/her/their job", "has/have quit/lost/left my/his/her/their job"):
        yield phrase, Rule(WORKS_AT, org, retracts=True, change=True, ends=True)
        yield f"{phrase} at/with", Rule(WORKS_AT, org, retracts=True, change=True)
        yield f"{phrase} as", Rule(WORKS_AS, Kind.JOB, retracts=True, change=True, quits=True)
    for phrase in ("started working as", "was/got promoted to", "has/have been promoted to"):
        yield phrase, Rule(WORKS_AS, Kind.JOB, change=True)
    yield "stopped/quit working as", Rule(WORKS_AS, Kind.JOB, retracts=True, change=True)
    for phrase in ("married", "got married to", "has/have married"):
        yield phrase, Rule(MARRIED, name, change=True)
    yield "divorced", Rule(MARRIED, name, retracts=True, change=True)
    yield "is/am/are divorced from", Rule(MARRIED, name, retracts=True, change=True)
    yield "got engaged to", Rule("engaged to", name, change=True)
    yield "stopped dating", Rule("dating", name, retracts=True, change=True)
    yield "broke up with", Rule("dating", name, retracts=True, change=True)
    yield "turned", Rule(AGE, Kind.AGE, change=True)
    yield "was born in", Rule("born in", Kind.WHERE_OR_WHEN, change=True)
    yield "was born on", Rule("born on", when, change=True)
    yield "died in", Rule("died in", Kind.WHERE_OR_WHEN, change=True)
    yield "died on", Rule("died on", when, change=True)
    yield "was founded in", Rule("founded in", Kind.WHERE_OR_WHEN, change=True)
    yield "was founded/established by", Rule("founded by", name, change=True)
    yield "founded", Rule("founded by", name, change=True, inverse="founder of")
    for verb in ("created", "developed", "invented", "performed", "composed", "designed"):
        yield f"was {verb} by", Rule(f"{verb} by", name, change=True)
    yield "was written by", Rule("author", name, change=True)
    yield "was directed by", Rule("director", name, change=True)
    yield "was named after", Rule("named after", name, change=True)
    yield "was acquired by", Rule("owner", name, change=True)
    yield "was educated at", Rule("educated at", name, change=True)
    yield "graduated from", Rule("educated at", name, change=True)
    for phrase in ("was/were renamed", "has/have been renamed"):
        yield phrase, Rule(NAME, name, change=True)
        yield f"{phrase} to", Rule(NAME, name, change=True)
    for phrase in ("took over as", "has/have taken over as"):
        yield phrase, Rule(OFFICE, Kind.OFFICE, change=True)
    for auxiliary in ("was/were", "has/have been"):
        for verb in ("appointed", "elected", "named"):
            yield f"{auxiliary} {verb}", Rule(OFFICE, Kind.OFFICE, change=True)
            yield f"{auxiliary} {verb} as", Rule(OFFICE, Kind.OFFICE, change=True)
        yield f"{auxiliary} replaced/succeeded by", Rule(OFFICE, Kind.OFFICE_OF_OBJECT, change=True)
    for phrase in ("replaced/succeeded/replaces/succeeds", "has/have replaced/succeeded"):
        yield phrase, Rule(OFFICE, Kind.OFFICE_OF_SUBJECT, change=True)
    for phrase in ("stepped down", "has/have stepped down", "resigned", "has/have resigned", "was/were removed"):
        yield f"{phrase} as", Rule(OFFICE, Kind.OFFICE, retracts=True, change=True)
    put_off = "rescheduled/postponed/delayed/pushed/shifted"
    for phrase in (f"is/was/were/got {put_off}", f"has/have been {put_off}", "was/were/got pushed back"):
        yield f"{phrase} to/until/for", Rule(SCHEDULED, when, change=True)
    for auxiliary in ("is/are/was/were/got", "has/have been"):
        for verb in ("cancelled/canceled", "called off"):
            yield f"{auxiliary} {verb}", Rule(SCHEDULED, when, retracts=True, change=True, ends=True)
    for auxiliary in ("", "has/have/was/were ", "has/have been "):
        for verb in (
            "changed",
            "updated",
            "increased",
            "raised",
            "rose",
            "dropped",
            "fell",
            "grew",
            "went up",
            "went down",
            "switched",
        ):
            relation = SWITCHED if verb == "switched" else VALUE_OF
            yield f"{auxiliary}{verb} to", Rule(relation, Kind.VALUE, change=True, update=True)
            yield f"{auxiliary}{verb} from", Rule(relation, Kind.VALUE, change=True, update=True, after_from=True)


Trie = dict[Any, Any]
"""Next word to next trie; under `END` the rule that ends here."""
END: Final = 0


def _trie() -> Trie:
    root: Trie = {}
    for table in (_states(), _events()):
        for phrase, rule in table:
            nodes = [root]
            for word in phrase.split():
                nodes = [node.setdefault(form, {}) for node in nodes for form in word.split("/")]
            for node in nodes:
                node[END] = rule
    return root


VERBS: Final = _trie()
BASE_FORMS: Final = word_set(
    "live reside work teach report manage come study major play speak know like love enjoy hate dislike prefer own "
    "drive use go cost weigh"
)
"""Verb forms of the first person and of the plural."""
COPULAS: Final = frozenset(("is", "am", "are"))
BECOMING: Final = frozenset(("became", "becomes"))
DO: Final = frozenset(("do", "does"))
HAVE: Final = frozenset(("has", "have"))
HAVING: Final = HAVE | {"got", "adopted", "own", "owns", "bought"}
"""Verbs behind which "a dog named Rex" introduces a dog."""
CHANGES: Final = frozenset(("changed", "switched", "updated"))
"""Verbs behind which "my email to ..." gives a new value."""
HEADS: Final = frozenset(VERBS) | COPULAS | BECOMING | DO | HAVING | CHANGES
"""First words of all that can be read as a verb phrase."""
