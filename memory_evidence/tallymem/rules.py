"""Compiles a question into a plan by rules, without a model.

The rules account for every word: what is no operation, bound, filter or filler is a word that may change what is asked,
and then nothing is computed. A question that is not read costs a fallback to the view; one misread, a wrong number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice

from memory_evidence.tallymem.actions import EDITOR_COMMANDS
from memory_evidence.tallymem.bounds import Bounded, Unread, read_bounds
from memory_evidence.tallymem.changes import read_changes
from memory_evidence.tallymem.directions import check_directions
from memory_evidence.tallymem.framing import unframed
from memory_evidence.tallymem.joining import filters
from memory_evidence.tallymem.kinds import check_kinds, goes
from memory_evidence.tallymem.ledger import Field, Ledger
from memory_evidence.tallymem.mentions import Clause
from memory_evidence.tallymem.operations import Asked, read_operation
from memory_evidence.tallymem.plan import MAX_SUBQUERIES, Filter, Plan, Predicate, Scope, SubQuery, not_applicable
from memory_evidence.tallymem.rows import Row
from memory_evidence.tallymem.things import definite, done_to, stray_tool
from memory_evidence.tallymem.vocabulary import Vocabulary, read_vocabulary
from memory_evidence.tallymem.wording import EFFECTS, FILES, PLACES, THINGS, TOOLS, WORD, lemmas, words

_NAMING: tuple[Field, ...] = ("tool", "target", "effect")
_SAMPLE, _LONG = 50, 80
_SHOWN = 12
_LONGEST = 2_000
_EXPLAINING = re.compile(
    r"\b(?:why|explain|explains|explanation|because|reasons?|should|would|could|might|if|suggest|recommend"
    r"|advice|advise|improve"
    r"|better|best|strateg(?:y|ies|ic)|imply|implies|implication|infer(?:red)?|purpose|significan(?:t|ce)"
    r"|counterfactual"
    r"|hypothetical(?:ly)?|suppose|assuming|instead|predict|understand(?:ing)?|root\s+cause|lesson|critical"
    r"|justify|describe"
    r"|summari[sz]e|compare)\b|\bhow\s+(?:did|does|do|can|was|were|is)\b(?!.*\b(?:chang|evolv|interact))"
    r"|\bwhat\s+(?:caused|led|enabled|motivated)\b",
    re.IGNORECASE,
)
_CAUSING = re.compile(r"\bcaus(?:e|ed|es|ing|al)\b", re.IGNORECASE)
_TAKES = re.compile(
    r"\bhow\s+many\s+(?:steps|turns|actions)\s+(?:did|does)\s+it\s+take\b|\bhow\s+long\b"
    r"|\bhow\s+many\s+(?:steps|turns|actions)\s+(?:after|before|later|between)\b",
    re.IGNORECASE,
)
_CLAUSES = re.compile(
    r",?\s*;\s*|,?\s+and\s+(?=(?:how\s+(?:many|often)(?!(?:\s+times|\s+frequently)?\s*(?:\W*\Z|(?:(?:was|were|did"
    r"|has|have|had)\s+)?(?:each|every)\b))|what\s+(?:is|was)\s+the\s+(?:number|first|last)|(?:at"
    r"|in|on)\s+(?:which|what)\s+steps?\s+(?:did|was|were|has|does))\b)",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"(?:^\s*|[\s,(])(?P<side>after|before|following|prior\s+to|since|until)\s+(?P<what>[^,?;]+?)(?=\s*(?:,"
    r"|\?|;|\.?\s*$))",
    re.IGNORECASE,
)
_EVENT_FIRST = re.compile(
    r"\b(?:for\s+)?(?:the\s+)?first(?:\s+time)?\b|\bthe\s+(?:agent|assistant)\b"
    r"|\A\s*(?:it|they)\b(?!\s+(?:was|were|is|are|had\s+been|has\s+been|got|gets)\b)",
    re.IGNORECASE,
)
_SAME = re.compile(r"\b(?:it|them|they|this|that)\b", re.IGNORECASE)
"""What an event is about, where it is what the rest of the question names."""
_BEING = re.compile(r"\s*(?:being|having\s+been|that|this)\b", re.IGNORECASE)
_EVENT_OTHER = re.compile(r"\b(?:last|second|third|fourth|fifth|final|next|each|every|all)\b", re.IGNORECASE)
_MORE = re.compile(
    r"\b(?:how\s+(?:many|much)|(?:was|were|is|are)\s+there)\s+(?P<way>more|fewer|less)\b(?P<first>.*?)\bthan\b(?P<second>.*)",
    re.IGNORECASE | re.DOTALL,
)
_OF_TWO = re.compile(
    r"\b(?P<kind>difference|ratio)\s+(?:in\s+(?:count|number)s?\s+)?(?P<link>between|of"
    r"|in)\s+(?P<first>.+?)\s+(?P<joint>and|to)\s+(?P<second>.+)",
    re.IGNORECASE | re.DOTALL,
)
_ACTS: frozenset[Field] = frozenset(["tool", "action", "effect"])
_COUNTING = re.compile(r"\b(?:the\s+)?(?:number|count)s?\s+of(?:\s+times)?\b|\btimes\b", re.IGNORECASE)


class RuleCompiler:
    """Compiles questions about one ledger; it follows the ledger as it grows."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._words: Vocabulary | None = None
        self._read_at = -1

    def compile(self, question: str) -> Plan:
        """Return the plan of `question`, or one that says why there is none; never raises."""
        if not question.strip():
            return not_applicable("the question is empty")
        if len(question) > _LONGEST:
            return not_applicable(f"the question is longer than {_LONGEST} characters")
        if not len(self._ledger):
            return not_applicable("the trajectory holds no steps")
        text = unframed(question)
        if match := _EXPLAINING.search(text):
            return not_applicable(f"not a question of counting, grouping, ordering or listing ({match[0].strip()!r})")
        if _TAKES.search(text):
            return not_applicable("distances between events are not computed")
        try:
            queries = self._queries(text)
        except Unread as unread:
            return not_applicable(str(unread))
        if len(queries) > MAX_SUBQUERIES:
            return not_applicable(f"it asks for {len(queries)} quantities, and a plan holds at most {MAX_SUBQUERIES}")
        return Plan(tuple(queries))

    def _queries(self, text: str) -> list[SubQuery]:
        parts = [part for part in _CLAUSES.split(text) if part.strip(" .?!")]
        if not parts:
            raise Unread("the question is empty")
        if changes := self._changes(text, alone=len(parts) == 1):
            return list(changes)
        if match := _CAUSING.search(text):
            raise Unread(f"not a question of counting, grouping, ordering or listing ({match[0]!r})")
        bounded = [read_bounds(part, self._ledger) for part in parts]
        own = [part for part in bounded if part.found]
        shared = own[0].scope if len(own) == 1 else Scope()
        queries: list[SubQuery] = []
        for part in bounded:
            queries += self._clause_queries(part if part.found else replace(part, scope=shared), queries)
        return queries

    def _changes(self, text: str, *, alone: bool) -> tuple[SubQuery, ...]:
        try:
            whole = read_bounds(text, self._ledger)
        except Unread:
            if alone:
                raise
            return ()  # its clauses have bounds of their own
        return read_changes(self._clause(whole.text), whole.scope)

    def _clause(self, text: str) -> Clause:
        return Clause(text, self._ledger, self._vocabulary())

    def _vocabulary(self) -> Vocabulary:
        # Values are only ever added: as many as before are the same as before.
        size = sum(len(self._ledger.values(name)) for name in _NAMING)
        if self._words is None or self._read_at != size:
            self._words, self._read_at = read_vocabulary(self._ledger), size
        return self._words

    def _clause_queries(self, part: Bounded, earlier: list[SubQuery]) -> list[SubQuery]:
        if match := _MORE.search(part.text):
            first, second = self._two(match["first"], match["second"], part.text[: match.start()])
            if match["way"].lower() != "more":
                first, second = second, first
            return [SubQuery("difference", first, part.scope, versus=second)]
        if match := _OF_TWO.search(part.text):
            first, second = self._two(match["first"], match["second"], part.text[: match.start()])
            kind = match["kind"].lower()
            return [SubQuery("ratio" if kind == "ratio" else "difference", first, part.scope, versus=second)]
        text, scope, meant = self._events(part.text, part.scope)
        if part.counted and (scope.after or scope.before):
            raise Unread("it does not say whether the steps are counted from the event that it names")
        clause = self._clause(text)
        asked = read_operation(clause)
        if asked is None:
            raise Unread("it does not ask for a count, an order, a group or a list")
        if asked.same:
            if not earlier:
                raise Unread("it does not say what it counts")
            asked = Asked(earlier[-1].operation, earlier[-1].by, earlier[-1].only)
        if asked.by is not None:  # each name counts once anyway
            clause.take(_DIFFERENT)
        self._pronouns(clause, earlier)
        clause.read()
        queries = self._assemble(clause, asked, scope, earlier)
        return [_filled(query, meant) for query in queries] if meant else queries

    def _events(self, text: str, scope: Scope) -> tuple[str, Scope, tuple[str, ...]]:
        """Take "after it first opened the safe" and the like out of `text`.

        Returns:
            The rest, the scope, and those of its sides ("after", "before") whose event is about what the rest names:
            "before it was opened".
        """
        meant: list[str] = []
        while match := _EVENT.search(text):
            what = match["what"]
            if _EVENT_OTHER.search(what):
                raise Unread(f"a scope can begin or end at the first event of a kind only: {what.strip()!r}")
            if _BEING.match(what):
                raise Unread(f"it does not say which event it means: {match['what'].strip()!r}")
            what = _EVENT_FIRST.sub(" ", what)
            same = _SAME.search(what)
            where = self._predicate(_SAME.sub(" ", what))
            if all(part.field == "target" for part in where):
                raise Unread(f"it does not say what happened: {what.strip()!r}")
            side = match["side"].lower()
            ahead = side in ("before", "until") or side.startswith("prior")
            if scope.before if ahead else scope.after:
                raise Unread("it names two events to begin or end at")
            if same:
                meant.append("before" if ahead else "after")
            scope = replace(scope, before=where) if ahead else replace(scope, after=where)
            text = (
                text[: match.start("side")]
                + " " * (match.end("what") - match.start("side"))
                + text[match.end("what") :]
            )
        return text, scope, tuple(meant)

    def _two(self, first: str, second: str, before: str) -> tuple[Predicate, Predicate]:
        """Return the filters of two counts; what one of them leaves out it takes from the other."""
        left, right = (self._predicate(_COUNTING.sub(" ", part)) for part in (first, second))
        if rest := Clause(before, self._ledger, self._vocabulary()).leftover():
            raise Unread(f"not understood: {', '.join(rest)}")
        filled_left, filled_right = _completed(left, right), _completed(right, left)
        if filled_left == filled_right:
            raise Unread("its two counts are the same")
        return filled_left, filled_right

    def _predicate(self, text: str) -> Predicate:
        clause = self._clause(text)
        clause.read()
        _check_read(clause, named=True)
        where = self._where(clause, ())
        if not where:
            raise Unread(f"no event of the log is named by {text.strip()!r}")
        self._check_directions(clause, where)
        return where

    def _check_directions(self, clause: Clause, where: Predicate) -> None:
        kept = [part for part in where if not part.exclude]
        found = set.intersection(*(self._ledger.positions(part.field, part.terms) for part in kept)) if kept else set()
        named = [*(mention for mention in clause.mentions if mention.field == "target"), *clause.classes]
        filing = any(part.field == "effect" for part in kept)
        check_directions(clause.text, named, (self._ledger.rows[at] for at in sorted(found)), filing=filing)

    def _check_together(self, where: Predicate) -> None:
        """Refuse what must hold together and never does: "go from A to B" is no step, and no search edits a file.

        Raises:
            Unread: No row that the other filters admit has two targets, or none of a tool has the effect.
        """
        acts = [part for part in where if part.field in ("tool", "effect") and not part.exclude]
        effects = {term for part in acts if part.field == "effect" for term in part.terms}
        things = sum(part.field == "target" and not part.exclude for part in where)
        for part in acts:
            apart = effects and part.field == "tool" and not set(part.terms) <= set(EDITOR_COMMANDS)
            if apart and not any(row.effect in effects for row in self._rows(part)):
                raise Unread("no step of the log does both that it names")
            if things and any(self._rows(part)) and not any(row.targets for row in self._rows(part)):
                raise Unread(f"no step with {part} names a thing")
        if things < 2:
            return
        rows = self._ledger.rows
        admitted = [self._ledger.positions(p.field, p.terms) for p in where if p.field != "target" and not p.exclude]
        found = set.intersection(*admitted) if admitted else range(len(rows))
        if not any(len(rows[at].targets) > 1 for at in found):
            raise Unread("no step of that kind names two things")

    def _rows(self, part: Filter) -> Iterator[Row]:
        found = chain.from_iterable(self._ledger.postings(part.field, part.terms))
        return (self._ledger.rows[at] for at in found)

    def _where(self, clause: Clause, only: tuple[str, ...]) -> Predicate:
        return (*clause.predicate(), *filters(clause.text, [m for m in clause.classes if m.term not in only]))

    def _check_kinds(self, clause: Clause, asked: Asked, where: Predicate) -> None:
        filing = any(part.field == "effect" and not part.exclude for part in where)
        said = {word.casefold() for word in WORD.findall(clause.left)} | clause.nouns
        placed = bool(clause.words.classes) or goes(clause.words.tools)
        check_kinds(self._ledger, said & _NOUNS, filing=filing, placed=placed)
        if asked.by == "tool" and (filing or done_to(clause)) and not _USED.search(clause.text):
            raise Unread("it asks what was done to a tool: ask how often each was used, or which files were edited")
        if where and (stray := stray_tool(clause)):
            raise Unread(f"it does not say which {stray} it means")
        if asked.operation in ("count", "first", "last", "list", "timeline") and (noun := definite(clause)):
            raise Unread(f"it does not say which {noun} it means")

    def _pronouns(self, clause: Clause, earlier: list[SubQuery]) -> None:
        """Note whether `clause` speaks of what an earlier one names.

        Raises:
            Unread: It does, and there is no earlier one.
        """
        for agent in _AGENT.finditer(clause.text):
            clause.blank(*agent.span("it"))
        if _THAT.search(clause.text):
            raise Unread("it does not say what 'that' stands for")
        if match := _PRONOUN.search(clause.left):
            if not earlier:
                raise Unread(f"it does not say what {match[0]!r} stands for")
            clause.nouns.add("it")
            clause.blank(*match.span())

    def _spelled(self, asked: Asked) -> Asked:
        """Return `asked` over tools where it is over actions that are calls with arguments: they hardly ever recur."""
        some = list(islice(self._ledger.values("action"), _SAMPLE))
        long = sum("{" in action or "\n" in action or len(action) > _LONG for action in some)
        return replace(asked, by="tool") if asked.by == "action" and 2 * long > len(some) else asked

    def _assemble(self, clause: Clause, asked: Asked, scope: Scope, earlier: list[SubQuery]) -> list[SubQuery]:
        where = self._where(clause, asked.only)
        self._check_kinds(clause, asked, where)
        if "it" in clause.nouns:
            where = (*where, *(part for part in earlier[-1].where if part.field == "target"))
        self._check_together(where)
        self._check_directions(clause, where)
        _check_read(clause, named=bool(where) or asked.by == "tool")
        operation, by = asked.operation, asked.by
        both = clause.several("effect") or clause.several("tool")
        if both and by != "tool" and operation not in ("count", "list", "timeline"):
            raise Unread("it names two actions, and not whether both were done, or one of them")
        if operation == "count" and clause.several("effect"):
            rest = tuple(part for part in where if part.field != "effect")
            return [SubQuery("count", (part, *rest), scope) for part in clause.each_effect()]
        if operation in ("group", "distinct", "order", "most", "least"):
            asked = self._spelled(asked)
            queries = [_keyed(asked, where, scope)]
            if asked.by == "action" and operation != "group":
                # "The most frequent action" may mean `go to drawer 1` or `go`: both are computed, each under its name.
                queries.append(replace(queries[0], by="tool"))
            return queries
        listed = operation == "list" and scope != Scope() and not WORD.search(clause.left)  # "list the first 5 actions"
        events = (
            listed or clause.acting or any(word in _COUNTABLE for word in map(str.casefold, WORD.findall(clause.text)))
        )
        if not where and not (events and operation in ("count", "timeline", "list", "first", "last")):
            raise Unread("it names no tool, target, outcome or change of the log")
        if not where and operation not in ("count", "first", "last"):
            if scope == Scope():
                raise Unread("it asks for everything that was done, which the view shows")
            operation = "timeline"
        if not events and all(part.field == "target" for part in where):
            raise Unread("it does not say what was done")
        if operation == "count":
            for part in where:
                kind = part.field
                if (kind == "target" or kind == "tool") and len(part.terms) > 1 and clause.several(kind):
                    only = part.terms if kind == "target" else ()
                    return [SubQuery("breakdown", where, scope, kind, only=only)]
        return [SubQuery(operation, where, scope, by)]


_AGENT = re.compile(r"\b(?:did|does|has|had|have)\s+(?P<it>it|they|he|she)\b", re.IGNORECASE)
_DIFFERENT = re.compile(r"\b(?:different|distinct|unique)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|them|(?:those|these)(?!\s+(?:of|to|on|in)\b))\b", re.IGNORECASE)
_THAT = re.compile(r"\b(?:was|were|is|are|been)\s+(?:this|that)\s+\w+(?:ed|en|ad|un)\b", re.IGNORECASE)
_USED = re.compile(
    r"\bto\s+\w+|\b(?:that|which)\s+\w+ed\b|\b(?:modif|edit|creat|chang|read|view)\w*\s+with\b", re.IGNORECASE
)
_COUNTABLE = words(
    """
    action actions step steps turn turns call calls command commands operation operations
    """
)
_NOUNS = PLACES | THINGS | FILES | TOOLS


def _completed(where: Predicate, other: Predicate) -> Predicate:
    """Return the filters of one of two counts, with those of the other for what it leaves out.

    What was done is one thing whichever field tells it: "edits" (an effect) take no tool over from "bash commands".
    """
    fields = {part.field for part in where}
    if fields & _ACTS:
        fields |= _ACTS | {"outcome"}
    return (*where, *(part for part in other if part.field not in fields))


def _filled(query: SubQuery, meant: tuple[str, ...]) -> SubQuery:
    """Return `query` with what it is about in the events that its scope begins or ends at.

    Raises:
        Unread: It is about nothing, or about several things.
    """
    about = tuple(part for part in query.where if part.field == "target" and not part.exclude)
    if len(about) != 1 or len(about[0].terms) != 1:
        raise Unread("it does not say what 'it' stands for")
    scope = query.scope
    if "after" in meant:
        scope = replace(scope, after=(*scope.after, *about))
    if "before" in meant:
        scope = replace(scope, before=(*scope.before, *about))
    return replace(query, scope=scope)


def _keyed(asked: Asked, where: Predicate, scope: Scope) -> SubQuery:
    by = asked.by
    if by is None:
        raise Unread("it does not say what to group by")
    if by in ("object", "place", "target") and all(part.field == "target" or part.exclude for part in where):
        raise Unread("it does not say what was done to what it counts")
    return SubQuery(asked.operation, where, scope, by, only=asked.only)


def _check_read(clause: Clause, *, named: bool) -> None:
    rest = clause.leftover(_NOUNS if named else frozenset(clause.nouns))
    if rest:
        said = f"not understood: {', '.join(dict.fromkeys(rest))}"
        if undone := next((word for word in rest if any(form in EFFECTS for form in lemmas(word))), None):
            tools = ", ".join(name for name, _ in clause.ledger.catalog().tools[:_SHOWN]) or "none"
            said += f" (no call of the log tells that a file was {undone}; its tools: {tools})"
        raise Unread(said)
