"""The forms of questions about a history, and the sub-queries that each stands for.

A form is a regular expression with words in <angle brackets>, which are spelled out below; `(...)` captures nothing. It
must fit a question as a whole, so that no word is passed over that might change what is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from memory_evidence.tallymem.commits.index import History
from memory_evidence.tallymem.plan import Filter, Operation, Scope, SubQuery

OPEN, CLOSE = "\ue000", "\ue001"
"""Around the mark that stands for a file ("f0") or a commit ("c12") in a question."""

_KINDS = {
    "add": "added|created|introduced",
    "delete": "deleted|removed",
    "rename": "renamed|moved",
    "modify": "modified|edited|updated",
    "": "changed|touched",
}
"""What is said of a file, and the kind of change that it means; "" is any change at all.

"Changed" and "touched" are any: to be added, edited, deleted or renamed. What was "modified", "edited" or "updated" was
there before and kept its name (git's letter M): a file that was only added, renamed or deleted was not modified.
"""
_NOUNS = {"modify": "edits|modifications", "": "changes"}
"""The same of the nouns."""
_FIRST = ("first", "oldest", "initial", "original")
_NO_NAMES = ("it", "this", "that", "they", "them", "something", "anything", "everything")
_FILE = f"{OPEN}f\\d+{CLOSE}"
_WORDS = {
    "<files>": rf"(?P<files>{_FILE}(?:(?:\s*,\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+){_FILE})*)",
    "<verb>": rf"(?P<verb>{'|'.join(_KINDS.values())})",
    "<was>": r"(was|were|is|are|has|have|had|did|does)",
    "<often>": r"(how (often|many times|frequently)|((in|by) )?how many (different )?commits"
    r"|(what is )?(number|count) of (times|commits)( in which| that)?)",
    "<which>": r"((in|by) )?(which|what)",
    "<list>": r"(which|what|list|show|name)( all| of)?",
    "<that>": r"( that| which)?",
    "<edits>": rf"(?P<noun>{'|'.join(_NOUNS.values())})",
    "<values>": r"(different |distinct |unique )?values",
    "<set>": r"(assigned|set|changed|touched)",
    "<end>": rf"(?P<end>{'|'.join(_FIRST)}|last|latest|current|final|most recent(ly)?)",
    "<name>": r"((variable|constant|name|setting|option|key) )?[`\"']?(?P<name>[A-Za-z_$][\w$.-]*?)[`\"']?",
    "<held>": r"(had|have|has|take|taken|held|(been )?assigned|been given)",
    "<appear>": r"(appear(ed)?|came)",
    "<way>": r"(?P<way>most|least) ?(often|frequently|frequent)?",
}


@dataclass(slots=True)
class Asked:
    """A question, with marks in the place of what it names, and without its bounds."""

    history: History
    text: str
    scope: Scope = field(default_factory=Scope)
    files: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Fit:
    """A question that fits a form."""

    asked: Asked
    match: re.Match[str]

    @property
    def files(self) -> list[str]:
        """The files that it names where the form says <files>."""
        return list(dict.fromkeys(self.asked.files[int(mark)] for mark in re.findall(r"\d+", self._said("files"))))

    def each(self, operation: Operation, *more: Filter) -> list[SubQuery]:
        """Return one sub-query for each file named, or one for all: where none is named, and of "a or b"."""
        where = (*self._kind(), *more)
        parts = [tuple(self.files)] if re.search(r"\bor\b", self._said("files")) else [(path,) for path in self.files]
        targets: list[tuple[Filter, ...]] = [(Filter("target", part),) for part in parts] or [()]
        return [SubQuery(operation, (*where, *target), self.asked.scope) for target in targets]

    def by_file(self, operation: Operation) -> list[SubQuery]:
        """Return one sub-query over the files named, or over all."""
        targets = (Filter("target", tuple(self.files)),) if self.files else ()
        return [SubQuery(operation, (*self._kind(), *targets), self.asked.scope, by="target")]

    def values(self, operation: Operation) -> list[SubQuery]:
        """Return the sub-queries for the assignments of a name, in each file named."""
        return self.each(operation, Filter("change", (self.match["name"],)))

    def changes(self, operation: Operation) -> list[SubQuery]:
        """Return the same for a name that some line assigns; [] where what was "changed" is no such name."""
        name = self.match["name"]
        known = name in self.asked.history.by_name and name.lower() not in _NO_NAMES
        return self.values(operation) if known else []

    def by_value(self, operation: Operation) -> list[SubQuery]:
        """Return the sub-queries over the different values of a name, in each file named."""
        return [replace(query, operation=operation, by="changed") for query in self.values("list")]

    def renames(self) -> list[SubQuery]:
        """Return the renames of the files named, under every name that each went by."""
        lineage = tuple(dict.fromkeys(name for path in self.files for name in self.asked.history.lineage(path)))
        targets = (Filter("target", lineage),) if lineage else ()
        return [SubQuery("list", (Filter("tool", ("rename",)), *targets), self.asked.scope)]

    def end(self) -> Operation:
        """Return whether it asks for the first or the last."""
        return "first" if self._said("end").lower() in _FIRST else "last"

    def way(self) -> Operation:
        """Return whether it asks for the most or the least."""
        return "least" if self._said("way").lower() == "least" else "most"

    def _kind(self) -> tuple[Filter, ...]:
        said = (self._said("verb") or self._said("noun")).lower()
        kinds = [kind for words in (_KINDS, _NOUNS) for kind, spelled in words.items() if said in spelled.split("|")]
        kind = kinds[0] if kinds else ""
        return (Filter("tool", (kind,)),) if kind else ()

    def _said(self, group: str) -> str:
        return (self.match[group] or "") if group in self.match.re.groupindex else ""


Make = Callable[[Fit], list[SubQuery]]


def _count(fit: Fit) -> list[SubQuery]:
    return fit.each("count")


def _list(fit: Fit) -> list[SubQuery]:
    return fit.each("list")


def _end(fit: Fit) -> list[SubQuery]:
    return fit.each(fit.end())


def _order(fit: Fit) -> list[SubQuery]:
    return fit.by_file("order")


def _values(fit: Fit) -> list[SubQuery]:
    return fit.values("timeline")


_FORMS: tuple[tuple[Make, tuple[str, ...]], ...] = (
    (
        _count,
        (
            "<often> (<was> )?<files>( been)? <verb>",
            "<often> <files> <was>( been)? <verb>",
            "<often>( <was>)? <verb> <files>",
            "how many <edits> (<was> )?(made )?to <files>( <was> (there|made))?",
            "how many <edits> <was> (there|made) to <files>",
            "how many commits( (<was>( there| made)?|exist))?|(what is )?number of commits",
        ),
    ),
    (
        _end,
        (
            "(<which> )?(<was> )?<end> commit<that> <verb> <files>",
            "<which> commit( <was>)? <end> <verb> <files>",
            "(when|<which> commit) <was> <files>( been)? <end> <verb>",
            "(when|<which> commit) <was> <files>( been)? <verb> (for )?<end>( time)?",
        ),
    ),
    (lambda fit: fit.each("first"), ("(when|<which> commit) (did )?<files> first appear(ed)?",)),
    (
        _list,
        (
            "<list> commits?<that>( have| has)? <verb> <files>",
            "(when|<which> commits?) <was> <files>( been)? <verb>",
        ),
    ),
    (
        _order,
        (
            "in (which|what) order (did|were|was|have|has) (<files>|files)( been)?( first)? (<appear>|<verb>)( first)?",
            "(what is )?order of first appearance( of (<files>|files))?",
            "which( one)? of <files> (?=.*first)(was )?(first )?(<appear>|<verb>)( first)?",
            "which( file| one)? (?=.*first)(was )?(first )?(<appear>|<verb>)( first)?[,:]? <files>",
        ),
    ),
    (
        _values,
        (
            "((what is|show|list) )?(value )?history of (values? of )?<name>( in <files>)?",
            "<list> values( <was>)? <name>( <held>)?( in <files>)?",
            "<list> values( <was>)? <name> in <files> <held>",
            "<list> values( <was>)?<that>( been)? (assigned|given) to <name>( in <files>)?",
            "<list> values of <name>( in <files>)?",
            "how (did|has|have) (values? of )?<name>( in <files>)? (changed?|evolved?)",
            "how (often|many times) (<was> )?<name>( been)? (re)?assigned( in <files>)?",
        ),
    ),
    (
        lambda fit: fit.changes("count"),
        (
            "<often> (<was> )?<name>( been)? <set>( in <files>)?",
            "<often>( <was>)? (changed|touched) <name>( in <files>)?",
            "how many changes (<was> )?(made )?to <name>( in <files>)?( <was> (there|made))?",
        ),
    ),
    (
        lambda fit: fit.changes("list"),
        (
            "<list> commits?<that>( have| has)? <set> <name>( in <files>)?",
            "(when|<which> commits?) <was> <name>( been)? <set>( in <files>)?",
        ),
    ),
    (
        lambda fit: fit.changes(fit.end()),
        (
            "(<which> )?(<was> )?<end> commit<that> <set> <name>( in <files>)?",
            "<which> commit( <was>)? <end> <set> <name>( in <files>)?",
            "(when|<which> commit) <was> <name>( been)? <end> <set>( in <files>)?",
        ),
    ),
    (
        lambda fit: fit.by_value("distinct"),
        (
            "how many <values> <was> <name> <held>( in <files>)?",
            "(how many|(what is )?number of) <values> of <name>( in <files>)?( <was> there)?",
        ),
    ),
    (
        lambda fit: fit.by_value("group"),
        ("<list> (different|distinct|unique) values <was> <name> <held>( in <files>)?",),
    ),
    (lambda fit: fit.values("count"), ("<often> (assigned|assigns?|sets?) <name>( in <files>)?",)),
    (
        lambda fit: fit.values(fit.end()),
        ("(what <was> )?<end> value (of|assigned to|given to) <name>( in <files>)?",),
    ),
    (
        Fit.renames,
        (
            "<list> files <was>( been)? (renamed|moved)",
            "<list> ((file )?renames|renamed files)( (<was> there|happened))?",
            "(how (often|many times) )?(was|has) <files>( been)? (renamed|moved)",
            "what (was|has) <files>( been)? (renamed|moved|called)( to| from| before)?",
            "<list>( other| earlier| previous| former)? names <was> <files> (had|have|gone by)( before)?",
            "rename history of <files>",
        ),
    ),
    (
        lambda fit: fit.by_file(fit.way()),
        (
            "<list> files? <was>( been)? <verb> <way>",
            "((what|which) is )?<way> <verb> file",
        ),
    ),
    (
        lambda fit: fit.by_file("group"),
        (
            "<often> <was> (each|every) file( been)? <verb>",
            "(number of )?(commits|changes) (per|by|of each|for each) file",
            "<list>( different)? files<that> <was>( been)? <verb>",
        ),
    ),
    (
        lambda fit: fit.by_file("distinct"),
        ("how many (different |distinct |unique )?files <was>( been)? <verb>",),
    ),
)


def _pattern(form: str) -> re.Pattern[str]:
    for word, spelled in _WORDS.items():
        form = form.replace(word, spelled)
    return re.compile(re.sub(r"\((?!\?)", "(?:", form).replace(" ", r"\s+"), re.IGNORECASE)


_PATTERNS = tuple((_pattern(form), make) for make, forms in _FORMS for form in forms)


def fitting(asked: Asked, text: str) -> list[SubQuery] | None:
    """Return the sub-queries of the first form that fits `text`, what is left of a question; None where none does."""
    for pattern, make in _PATTERNS:
        if (match := pattern.fullmatch(text)) and (queries := make(Fit(asked, match))):
            return queries
    return None


def _vocabulary() -> frozenset[str]:
    spelled = " ".join((*_WORDS.values(), *(form for _, forms in _FORMS for form in forms)))
    spelled = re.sub(r"\?P?<\w+>|\?=|\\\w", " ", spelled)
    longest = re.sub(r"\((\w+)\)\?", r"\1", spelled).replace("?", "")
    shortest = re.sub(r"\((\w+)\)\?|\w\?", "", spelled)
    return frozenset(re.findall(r"[a-z]+", f"{longest} {shortest}"))


VOCABULARY = _vocabulary()
"""The words of all forms, in lower case."""
