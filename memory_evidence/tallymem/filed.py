"""Refuses to count what was done to files for what was done: pages are no files, and tools change other things too."""

from __future__ import annotations

from collections.abc import Iterator

from memory_evidence.tallymem.actions import EDITOR
from memory_evidence.tallymem.arguments import words_of
from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.clause import Clause
from memory_evidence.tallymem.ledger import Ledger
from memory_evidence.tallymem.matching import matching
from memory_evidence.tallymem.plan import Predicate
from memory_evidence.tallymem.rows import Effect
from memory_evidence.tallymem.shell import is_path, paths
from memory_evidence.tallymem.wording import EFFECTS, FILES, PAGES, WORD, lemmas, words

_NAMES_FILES = FILES - PAGES - words("target targets")
_CHANGES = frozenset((Effect.CREATE.value, Effect.EDIT.value))
_SHOWN = 4


def check_files_alone(clause: Clause, where: Predicate) -> None:
    """Refuse "how many pages were read" and "how many updates were there" where it is files alone that would count.

    Args:
        clause: After it has been read.
        where: Its filters.

    Raises:
        Unread: It asks for pages; or calls of other tools do so to what is no file, and it does not say that it asks
            for files.
    """
    if not any(part.field == "effect" for part in where):
        return
    said = {word.casefold() for word in WORD.findall(clause.text)}
    if page := next(iter(sorted(said & PAGES)), None):
        raise Unread(f"the log tells what is done to files, and a {page.removesuffix('s')} is none")
    named = [part for part in where if not part.exclude]
    if said & _NAMES_FILES or any(part.field == "tool" for part in named):
        return
    things = [clause.ledger.positions("target", part.terms) for part in named if part.field == "target"]
    forms = {form for word in said for form in lemmas(word) if form in EFFECTS}
    if others := list(_others(clause, forms, things)):
        tools = ", ".join(map(repr, others[:_SHOWN]))
        raise Unread(f"it does not say whether it means files alone, or what {tools} did as well")


def check_told_apart(ledger: Ledger, where: Predicate) -> None:
    """Refuse to count files where a step names one among words: "edit: a.py 3:5" and "edit: a.py 7:9" are one file.

    Args:
        ledger: The log.
        where: The filters of the steps whose things are counted.

    Raises:
        Unread: A step that matches does.
    """
    found = matching(ledger, where) if any(not part.exclude for part in where) else ()
    for row in (ledger.rows[at] for at in sorted(found)):
        if row.untold and any(not is_path(target) and any(paths(target)) for target in row.targets):
            raise Unread(f"step {row.step} does not tell which file it names: {row.action[:80]!r}")


def _others(clause: Clause, forms: set[str], things: list[set[int]]) -> Iterator[str]:
    """Yield the tools whose name has one of these verbs, and that do so to something other than a file."""
    ledger = clause.ledger
    changing = any(frozenset(EFFECTS[form]) == _CHANGES for form in forms)
    filed = ledger.positions("effect", list(Effect)) | ledger.untold(range(len(ledger)))
    for tool, places in ledger.values("tool").items():
        verbs = set(words_of(tool))
        if forms.isdisjoint(verbs) and not (changing and any(map(_changes, verbs))):
            continue
        if set(places).difference(filed).intersection(*things):
            yield tool


def _changes(verb: str) -> bool:
    """Whether a word of a tool's name says that it creates or changes something."""
    effects = EFFECTS.get(verb, (EDITOR[verb].value,) if verb in EDITOR else ())
    return bool(effects) and _CHANGES.issuperset(effects)
