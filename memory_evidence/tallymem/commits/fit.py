"""A question that fits a form, and the sub-queries that it may stand for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal

from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.commits.index import History
from memory_evidence.tallymem.grouping import within
from memory_evidence.tallymem.plan import MAX_SUBQUERIES, Filter, Operation, Scope, SubQuery

OPEN, CLOSE = "\ue000", "\ue001"
"""Around the mark that stands for a file ("f0") or a commit ("c12") in a question."""

KINDS = {
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
NOUNS = {"modify": "edits|modifications", "": "changes"}
"""The same of the nouns."""
NOW = ("current", "present")
"""Words for the value that is there at the end."""
FIRST = ("first", "oldest", "initial", "original")
"""Words for the first of something."""
_SAYS_FILE = re.compile(
    "|".join(words for kind, words in (*KINDS.items(), *NOUNS.items()) if kind)
    + r"|files?|names|appear(ed)?|came|order",
    re.IGNORECASE,
)
_SAYS_VALUE = re.compile(
    r"values?|(re)?assign(s|ed)?|sets?|given|variable|constant|name|setting|option|key", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d]+")
_NO_NAMES = ("it", "this", "that", "they", "them", "something", "anything", "everything")


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
        """Return one sub-query for each file named, or one for all: where none is named, and of "a or b".

        Raises:
            Unread: It says both "and" and "or".
        """
        where = (*self._kind(), *more)
        joined = {word.lower() for word in re.findall(r"\b(?:and|or)\b", self._said("files"), re.IGNORECASE)}
        if len(joined) > 1:
            raise Unread("it does not say which of its files 'and' and 'or' join")
        parts = [tuple(self.files)] if "or" in joined else [(path,) for path in self.files]
        targets: list[tuple[Filter, ...]] = [(Filter("target", part),) for part in parts] or [()]
        return [SubQuery(operation, (*where, *target), self.asked.scope) for target in targets]

    def by_file(self, operation: Operation) -> list[SubQuery]:
        """Return one sub-query over the files named, or over all."""
        targets = (Filter("target", tuple(self.files)),) if self.files else ()
        return [SubQuery(operation, (*self._kind(), *targets), self.asked.scope, by="target")]

    def values(self, operation: Operation) -> list[SubQuery]:
        """Return the sub-queries for the assignments of a name, in each file named; else in each that assigns it.

        Raises:
            Unread: More files assign it than a plan can ask about, or one name is that of several; or the name may be
                meant for a file.
        """
        name = self.match["name"]
        start, end = self.match.span("name")
        if not self.files and says(self.match.string[:start], self.match.string[end:]) != "value":
            check_meant(self.asked.history, name)
        if self.files or operation == "list":
            return self.each(operation, Filter("change", (name,)))
        scope = self.asked.scope
        files = self.asked.history.assigning(name, scope.low, scope.high)
        if len(files) < 2:
            return self.each(operation, Filter("change", (name,)))
        every = [path for paths in files for path in paths]
        if len(files) > MAX_SUBQUERIES or len(set(every)) < len(every):
            shown = " and ".join(repr(paths[-1]) for paths in files[:2])
            raise Unread(f"{name!r} is assigned in {len(files)} files, such as {shown}; name one")
        return [query for paths in files for query in self.each(operation, *_of(name, paths))]

    def value(self) -> list[SubQuery]:
        """Return the sub-queries for the first, the last or the current value of a name."""
        queries = self.values(self.end())
        if self._said("end").lower() not in NOW:
            return [replace(query, by="changed") for query in queries]
        there = [query for query in queries if len(queries) == 1 or self._there(query)]
        return [replace(query, by="object") for query in there or queries]

    def changes(self, operation: Operation) -> list[SubQuery]:
        """Return the same for a name that some line assigns; [] where what was "changed" is no such name."""
        name = self.match["name"]
        known = name in self.asked.history.by_name and name.lower() not in _NO_NAMES
        return self.values(operation) if known else []

    def by_value(self, operation: Operation) -> list[SubQuery]:
        """Return the sub-queries over the different values of a name, in each file named."""
        return [replace(query, operation=operation, by="changed") for query in self.values("count")]

    def renames(self) -> list[SubQuery]:
        """Return the renames of the files named, under every name that each went by."""
        lineage = tuple(dict.fromkeys(name for path in self.files for name in self.asked.history.lineage(path)))
        targets = (Filter("target", lineage),) if lineage else ()
        return [SubQuery("list", (Filter("tool", ("rename",)), *targets), self.asked.scope)]

    def end(self) -> Operation:
        """Return whether it asks for the first or the last."""
        return "first" if self._said("end").lower() in FIRST else "last"

    def way(self) -> Operation:
        """Return whether it asks for the most or the least."""
        return "least" if self._said("way").lower() == "least" else "most"

    def _there(self, query: SubQuery) -> bool:
        """Whether the file of a query was not deleted at last."""
        path, high = query.where[-1].terms[-1], query.scope.high
        history = self.asked.history
        places = within(history.by_path.get(path, ()), history.places(None, high))
        return not places or history.rows[places[-1]].tool != "delete"

    def _kind(self) -> tuple[Filter, ...]:
        said = (self._said("verb") or self._said("noun")).lower()
        kinds = [kind for words in (KINDS, NOUNS) for kind, spelled in words.items() if said in spelled.split("|")]
        kind = kinds[0] if kinds else ""
        return (Filter("tool", (kind,)),) if kind else ()

    def _said(self, group: str) -> str:
        return (self.match[group] or "") if group in self.match.re.groupindex else ""


def says(before: str, after: str) -> Literal["file", "value", ""]:
    """Return what a question says that a word is, from what stands before and behind it; "" where it does not say."""
    if re.search(r"\bfiles?\s+[`\"']?\Z|\bin\s+[`\"']?\Z", before, re.IGNORECASE):
        return "file"
    words = _WORD.findall(f"{before} {after}")
    if any(map(_SAYS_VALUE.fullmatch, words)):
        return "value"
    return "file" if any(map(_SAYS_FILE.fullmatch, words)) else ""


def check_meant(history: History, word: str) -> None:
    """Refuse a word that is both the name of a value and what a file may be called by.

    Raises:
        Unread: It is.
    """
    if word in history.by_name and (files := history.called(word)):
        one = f"one of {len(files)} files, such as " if len(files) > 1 else "the file "
        raise Unread(
            f"{word!r} is a name that lines assign, and may be {one}{files[0]!r}; ask for 'the variable {word}' or for"
            f" 'the file `{files[0]}`'"
        )


def _of(name: str, paths: list[str]) -> tuple[Filter, ...]:
    return Filter("change", (name,)), Filter("target", tuple(paths))
