"""The checks that refuse: what a clause says is computed only where the log can tell it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from memory_evidence.tallymem.actions import EDITOR_COMMANDS, is_bare_command, is_shell
from memory_evidence.tallymem.asked import Asked
from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.clause import Clause
from memory_evidence.tallymem.directions import check_directions
from memory_evidence.tallymem.filed import check_files_alone
from memory_evidence.tallymem.joining import ACTS, RESULTS, filters
from memory_evidence.tallymem.kinds import check_kinds, goes, is_page
from memory_evidence.tallymem.ledger import Ledger
from memory_evidence.tallymem.light import check_used
from memory_evidence.tallymem.matching import matching
from memory_evidence.tallymem.mentions import read_mentions
from memory_evidence.tallymem.phrases import ATTEMPT, EVENT_NOUNS, JOIN, NOUNS, PATH
from memory_evidence.tallymem.plan import Filter, Predicate, Scope
from memory_evidence.tallymem.roles import check_roles
from memory_evidence.tallymem.rows import Outcome, Row
from memory_evidence.tallymem.terms import contains
from memory_evidence.tallymem.things import definite, done_to, stray_tool
from memory_evidence.tallymem.toolnames import is_called
from memory_evidence.tallymem.vocabulary import PART
from memory_evidence.tallymem.wording import DIRECTORIES, EFFECTS, PAGES, WORD, lemmas, words

_SHOWN = 12
_AND_WHICH = re.compile(
    r"\b(?:and|or|but|then)\s+(?:(?:at|in|on|to|by|for|of|with)\s+)?(?:which|what|who|whom|whose|where|when|how)\b",
    re.IGNORECASE,
)
_STEPS = words("steps turns")
_THINGS_TOO = words("event events")
_OF = re.compile(r"\s+(?:of|to|with)\s+(?:the\s+)?['\"`]?", re.IGNORECASE)
_DOES = re.compile(r"\b(did|does|do|has|have|had)\s+(?:(?:the|an?|any)\s+)?['\"`]?\Z", re.IGNORECASE)
_UNDERGOES = re.compile(r"['\"`]?\s+(?:(?:ever|also)\s+)*(?:been|chang\w+|was|were)\b", re.IGNORECASE)
_GOT = re.compile(r"['\"`]?\s+(?:(?:ever|also)\s+)*(?:get|chang\w+|\w+(?:ed|en))\b", re.IGNORECASE)
_BY = re.compile(r"\bby\s+(?:(?:the|an?|any)\s+)?['\"`]?\Z", re.IGNORECASE)
_COMMANDS = re.compile(r"\bcommands?\b", re.IGNORECASE)
_USED = re.compile(
    r"\bto\s+\w+|\b(?:that|which)\s+\w+ed\b|\b(?:modif|edit|creat|chang|read|view)\w*\s+with\b", re.IGNORECASE
)


def read_event(clause: Clause) -> Predicate:
    """Return the filters of one kind of event that `clause` names with every word.

    Raises:
        Unread: A word is not understood, or it names none.
    """
    read_mentions(clause)
    check_read(clause, named=True)
    where = where_of(clause)
    if not where:
        raise Unread(f"no event of the log is named by {clause.text.strip()!r}")
    if shell_commands(clause, where, Scope()) is not None:
        raise Unread("it does not say whether 'commands' are those of the shell or all calls")
    check_files_alone(clause, where)
    check_ways(clause, where)
    check_used(clause, where)
    check_second(clause)
    check_actors(clause)
    check_roles(clause, None, where)
    return where


def as_done(clause: Clause, where: Predicate, *, same: bool = False) -> Predicate:
    """Return the filters of what happened, and not of what was tried: "after drawer 1 was closed", "was it closed?".

    Args:
        clause: After it has been read.
        where: Its filters.
        same: Whether it is about what another clause names.
    """
    acts = [mention for mention in clause.mentions if mention.field in ACTS]
    things = [m for m in (*clause.mentions, *clause.classes) if m.field == "target"]
    called = any(is_called(clause, mention.start, mention.stop) for mention in acts)
    if (
        not acts
        or not (things or same)
        or called
        or ATTEMPT.search(clause.text)
        or any(p.field in RESULTS for p in where)
    ):
        return where
    return (*where, Filter("outcome", (Outcome.FAILURE.value, Outcome.NO_EFFECT.value), True))


def where_of(clause: Clause, only: tuple[str, ...] = ()) -> Predicate:
    """Return the filters that a clause makes, without the classes of targets that are counted themselves."""
    return (*clause.predicate(), *filters(clause.text, [m for m in clause.classes if m.term not in only]))


def check_second(clause: Clause) -> None:
    """Refuse a second question in short form, or a second item without a name: "and which failed", "edits and calls".

    Raises:
        Unread: There is one.
    """
    if match := _AND_WHICH.search(clause.left):
        raise Unread(f"it asks two questions: {match[0]!r}")
    acts = [mention for mention in clause.mentions if mention.field in ACTS]
    results = {mention.stop: mention.start for mention in clause.mentions if mention.field in RESULTS}
    for match in WORD.finditer(clause.text):
        named = any(m.start <= match.start() < m.stop for m in clause.mentions)
        if named or match[0].casefold() not in EVENT_NOUNS | _STEPS:
            continue
        start = results.get(len(clause.text[: match.start()].rstrip()), match.start())
        joined = any(m.stop <= start and JOIN.match(clause.text[m.stop : start]) for m in acts)
        if joined and not any(_OF.fullmatch(clause.text, match.end(), m.start) for m in acts):
            raise Unread(f"it does not say which {match[0]} it means")


def check_actors(clause: Clause) -> None:
    """Refuse "how many transfers did bob make": a log tells what a step names, and not which of it acts.

    Raises:
        Unread: It asks for what something that is named did.
    """
    for mention in (*clause.mentions, *clause.classes):
        if mention.field != "target":
            continue
        verb = _DOES.search(clause.text, 0, mention.start)
        undergoes = _GOT if verb and verb[1].casefold() in ("did", "does", "do") else _UNDERGOES
        if (verb and not undergoes.match(clause.text, mention.stop)) or _BY.search(clause.text, 0, mention.start):
            raise Unread(f"the log does not say what {clause.text[mention.start : mention.stop]!r} did")


def check_read(clause: Clause, *, named: bool) -> None:
    """Refuse a clause of which a word is left.

    Args:
        clause: After it has been read.
        named: Whether it filters by something, so that a noun for a kind of thing says nothing more.

    Raises:
        Unread: Nothing has accounted for a word.
    """
    rest = clause.leftover(NOUNS if named else frozenset(clause.nouns))
    if rest:
        said = f"not understood: {', '.join(dict.fromkeys(rest))}"
        if any(form in EFFECTS for word in rest for form in lemmas(word)):
            tools = ", ".join(name for name, _ in clause.ledger.catalog().tools[:_SHOWN]) or "none"
            said += f" (no call of the log both says so and names a file; its tools: {tools})"
        raise Unread(said)


def check_ways(clause: Clause, where: Predicate) -> None:
    """Refuse "from drawer 1" where a row that matches goes to it.

    Raises:
        Unread: One does, or does not tell.
    """
    kept = [part for part in where if not part.exclude]
    named = [*(mention for mention in clause.mentions if mention.field == "target"), *clause.classes]
    filing = any(part.field == "effect" for part in kept)

    def rows() -> Iterator[Row]:  # looked for only where the question says a way
        for at in sorted(matching(clause.ledger, kept)) if kept else ():
            yield clause.ledger.rows[at]

    check_directions(clause.text, named, rows(), filing=filing)


def check_together(ledger: Ledger, where: Predicate) -> None:
    """Refuse what must hold together and never does: "go from A to B" is no step, and no search edits a file.

    Raises:
        Unread: No row that the other filters admit has two targets, or none of a tool has the effect.
    """
    acts = [part for part in where if part.field in ("tool", "effect") and not part.exclude]
    effects = {term for part in acts if part.field == "effect" for term in part.terms}
    things = sum(part.field == "target" and not part.exclude for part in where)
    for part in acts:
        apart = effects and part.field == "tool" and not set(part.terms) <= set(EDITOR_COMMANDS)
        if apart and not any(row.effect in effects for row in _rows(ledger, part)):
            raise Unread("no step of the log does both that it names")
        if things and any(_rows(ledger, part)) and not any(row.targets for row in _rows(ledger, part)):
            raise Unread(f"no step with {part} names a thing")
    if effects and not any(part.field == "tool" for part in acts):
        _check_filed(ledger, where)
    if acts and things == 1 and not matching(ledger, where):
        _check_longer(ledger, where)
    if things < 2:
        return
    found = matching(ledger, [part for part in where if part.field != "target"])
    if not any(len(ledger.rows[at].targets) > 1 for at in found):
        raise Unread("no step of that kind names two things")


def _check_longer(ledger: Ledger, where: Predicate) -> None:
    """Refuse a zero for "Ann" where she is searched for, and what is asked of is done to ann@x.org alone.

    Raises:
        Unread: A name that is done so to has the one that is named for a part.
    """
    rest = [part for part in where if part.field != "target"]
    terms = [term for part in where if part.field == "target" and not part.exclude for term in part.terms]
    finders = [(term, contains(term)) for term in terms]
    for at in sorted(matching(ledger, rest)):
        for target in ledger.rows[at].targets:
            for term, holds in finders:
                if target.casefold() != term.casefold() and holds(target):
                    raise Unread(f"it does not say whether {term!r} is {target!r}")


def _check_filed(ledger: Ledger, where: Iterable[Filter]) -> None:
    """Refuse "door 1 was opened" where only files are opened by what the log calls reading.

    Raises:
        Unread: What is named is no file, and no call tells what it does to it.
    """
    for part in where:
        if part.field != "target" or part.exclude or any(PATH.fullmatch(term) for term in part.terms):
            continue
        if not any(row.effect for row in _rows(ledger, part)):
            raise Unread(f"no call of the log tells what it does to {part.terms[0]!r}")


def _rows(ledger: Ledger, part: Filter) -> Iterator[Row]:
    found = chain.from_iterable(ledger.postings(part.field, part.terms))
    return (ledger.rows[at] for at in found)


def shell_commands(clause: Clause, where: Predicate, scope: Scope) -> Filter | None:
    """Return the filter for a shell's where "commands" may mean them, or all calls; None where both are the same.

    Raises:
        Unread: They may, and none of a shell's is among those that are asked for.
    """
    shells = clause.words.shells
    if not shells or not _COMMANDS.search(clause.text) or any(part.field in ACTS for part in where):
        return None
    found = matching(clause.ledger, where).intersection(clause.ledger.span(scope.low, scope.high))
    run = found & clause.ledger.positions("tool", shells)
    if run == found:
        return None
    rows = clause.ledger.rows
    # A tool may have the name of a program that a bare command line begins with.
    if not run or run != {at for at in found if is_shell(rows[at].tool) or is_bare_command(rows[at])}:
        raise Unread("it does not say whether 'commands' are those of the shell or all calls")
    return Filter("tool", shells)


def _check_named(ledger: Ledger, where: Predicate, *, filing: bool) -> None:
    """Refuse to count things where no step that matches names one, and directories as files.

    Raises:
        Unread: None does, or a step is about a directory by its tool's name.
    """
    found = matching(ledger, where)
    if found and not any(ledger.rows[at].targets for at in found):
        first = ledger.rows[min(found)]
        raise Unread(f"step {first.step} and its like name no thing: {first.action[:80]!r}")
    for tool, places in ledger.held("tool").items() if filing else ():
        if DIRECTORIES.intersection(PART.split(tool.casefold())) and (both := found.intersection(places)):
            other = ledger.rows[min(both)]
            raise Unread(f"step {other.step} is about a directory, and not a file: {other.action[:80]!r}")


def _logged(clause: Clause) -> str | None:
    """Return a word for a logged event that a tool's name has for a thing as well: "events", beside `create_event`."""
    things = {parts[-1] for tool in clause.words.tools if len(parts := PART.split(tool)) > 1} & _THINGS_TOO
    return next((word[0] for word in WORD.finditer(clause.left) if not things.isdisjoint(lemmas(word[0]))), None)


def check_things(clause: Clause, asked: Asked, where: Predicate) -> None:
    """Refuse what asks about kinds of things that the log does not have, or about one thing without its name.

    Raises:
        Unread: It does.
    """
    filing = any(part.field == "effect" and not part.exclude for part in where)
    said = {word.casefold() for word in WORD.findall(clause.left)} | clause.nouns
    placed = bool(clause.words.classes) or goes(clause.words.tools)
    going = goes(mention.term.casefold().split()[0] for mention in clause.mentions if mention.field == "tool")
    check_kinds(clause.ledger, sorted(said & NOUNS), filing=filing, placed=placed, going=going)
    if asked.by in ("target", "object", "place"):
        _check_named(clause.ledger, where, filing=filing)
    if asked.by == "target" and said & PAGES and any(part.field == "tool" for part in where):
        rows = (clause.ledger.rows[at] for at in matching(clause.ledger, where))
        if other := next((row for row in rows if not any(map(is_page, row.targets))), None):
            raise Unread(f"step {other.step} names no page: {other.action[:80]!r}")
    if filing and not any(part.field == "tool" for part in where):
        _check_filed(clause.ledger, [Filter("target", (term,)) for term in asked.only])
    if asked.by in ("tool", "base") and (filing or done_to(clause)) and not _USED.search(clause.text):
        raise Unread("it asks what was done to a tool: ask how often each was used, or which files were edited")
    if not any(mention.field == "tool" for mention in clause.mentions) and (noun := _logged(clause)):
        raise Unread(f"it does not say whether {noun!r} are steps of the log or what its tools are about")
    if where and (stray := stray_tool(clause)):
        raise Unread(f"it does not say which {stray} it means")
    if asked.operation in ("count", "first", "last", "list", "timeline") and (noun := definite(clause)):
        raise Unread(f"it does not say which {noun} it means")
