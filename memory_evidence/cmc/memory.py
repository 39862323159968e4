"""`ContractMemory`: add records as they come, read the evidence for a question (the paper's compiler, live)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from typing_extensions import override

from memory_evidence.bulk import bulk
from memory_evidence.closing import Closing
from memory_evidence.cmc.anchor import FIRST_PERSON
from memory_evidence.cmc.arguments import check_arguments
from memory_evidence.cmc.evidence import Added, Edge, Evidence, Order, Period
from memory_evidence.cmc.facts import Frontend, ModelFrontend
from memory_evidence.cmc.frontends.english import MULTI_VALUED, RELATION_SYNONYMS, EnglishGrammar
from memory_evidence.cmc.frontends.hybrid import HybridFrontend
from memory_evidence.cmc.frontends.llm import LLMFrontend
from memory_evidence.cmc.index import CompiledIndex
from memory_evidence.cmc.keys import name_key
from memory_evidence.cmc.live_index import LiveIndex
from memory_evidence.cmc.reading import ReadOptions, periods, read
from memory_evidence.cmc.render import BUDGET, Fallback, Overflow
from memory_evidence.cmc.traverse import MAX_HOPS
from memory_evidence.errors import ConfigError, InputError
from memory_evidence.forks import renew_after_fork
from memory_evidence.models import ChatModel, Usage
from memory_evidence.progress import Progress
from memory_evidence.records import USER, Draft, Record, as_drafts, check_scope
from memory_evidence.store import open_log
from memory_evidence.store.log import Log, LogVersion
from memory_evidence.tokens import Measure

logger = logging.getLogger(__name__)


class ContractMemory(Closing):
    """Remembers the records of one scope and answers questions from their current state.

    Safe to share between threads; any number of processes may open one scope of a file or database, and each sees what
    the others wrote at its next call.
    """

    def __init__(
        self,
        scope: Sequence[str],
        *,
        store: str | Log = "sqlite:///memory.db",
        model: ChatModel | None = None,
        frontend: Frontend | ModelFrontend | None = None,
        multi_valued: frozenset[str] | set[str] = MULTI_VALUED,
        synonyms: Mapping[str, str] = RELATION_SYNONYMS,
        aliases: Mapping[str, str] | None = None,
        hops: int = MAX_HOPS,
        budget: int = BUDGET,
        measure: Measure = len,
        order: Order = "source",
        overflow: Overflow = "nearest",
        hub_limit: int | None = 8,
        unresolved_limit: int | None = None,
        earlier: bool = True,
        fallback: Fallback = "history",
        concurrency: int = 4,
    ) -> None:
        """Open the memory of `scope`.

        Args:
            scope: Whose memory: a tuple of non-empty strings, compared exactly.
            store: `sqlite:///FILE`, `sqlite://` (in memory), a PostgreSQL URL, or a `Log` to share between memories.
            model: Reads what the grammar cannot; None: no model is used at all.
            frontend: Reads records. Default: the English grammar, and with a model the hybrid of it and the model.
            multi_valued: Relations that hold several objects at a time; all others hold one, the latest.
            synonyms: Wordings of one relation, to its common name; facts keep the wording of their record.
            aliases: Other names of a subject, to the name it goes by in the records ("NYC": "New York City").
            hops: How many edges to follow from a subject that the question names, >= 1 (paper: 5).
            budget: Most that the records shown may cost, in the unit of `measure` (paper: 60,000 characters); the few
                lines around them in a prompt come on top.
            measure: Cost of a text; default characters. See `memory_evidence.tokens.approximate_tokens`.
            order: "source" (the paper's way) or "path": edges in the order they connect (ours).
            overflow: When the budget binds, keep the records "nearest" to the question in hops (ours), or the "newest"
                contiguous ones (the paper's way).
            hub_limit: Most edges kept of one subject, nearest to the question, >= 1 (ours); None: all (paper).
            unresolved_limit: Most unresolved records shown, nearest to the question, >= 0 (ours); None: all (paper).
            earlier: Whether a question that asks for an earlier value ("previous", "used to") is shown the superseded
                records as well, marked (ours); False: never (the paper's way).
            fallback: What to show where the question selects nothing: the newest records that fit the budget
                ("history", the paper's way), or "nothing" (ours), for a chat in which most turns ask nothing of memory.
            concurrency: Model calls at a time, >= 1.

        Raises:
            ScopeError: The scope is missing or malformed.
            ConfigError: Another argument is out of range.
            StoreError: The store cannot be opened.
        """
        self.scope = check_scope(scope)
        check_arguments(
            model=model,
            frontend=frontend,
            multi_valued=multi_valued,
            synonyms=synonyms,
            aliases=aliases,
            measure=measure,
            words={"order": order, "overflow": overflow, "fallback": fallback},
            counts={"hops": hops, "budget": budget, "concurrency": concurrency},
            hub_limit=hub_limit,
            unresolved_limit=unresolved_limit,
        )
        chosen = _frontend(frontend, model)
        self._model, self._concurrency = model, concurrency
        self._options = ReadOptions(hops, budget, measure, order, overflow, unresolved_limit, earlier, fallback)
        new_index = partial(
            CompiledIndex,
            multi_valued=frozenset(multi_valued),
            synonyms=synonyms,
            aliases=aliases or {},
            hub_limit=hub_limit,
            rank_unresolved=unresolved_limit is not None,
            list_slots=isinstance(chosen, ModelFrontend),
        )
        self._owns_log = isinstance(store, str)
        self._log = open_log(store)
        self._live = LiveIndex(self._log, self.scope, chosen, new_index)
        renew_after_fork(self)

    def add(self, items: str | Draft | Sequence[str | Draft], *, progress: Progress | None = None) -> Added:
        """Store records and compile them; they are durable when this returns.

        Args:
            items: One text, or several in the order they were said. `Draft` carries speaker, time and a key; a key that
                is already there is not stored again.
            progress: Called with the number of records the model has read, of all that wait.

        Raises:
            InputError: An item is neither text nor `Draft`; nothing is stored.
            StoreError: The store refused; nothing is stored.
        """
        with bulk(items):
            drafts = as_drafts(items)
            if not drafts:
                return Added(())
            before = self._live.size()
            positions = tuple(self._log.append(self.scope, drafts))
            self._live.take(positions, drafts)
        usage = self.compile(progress=progress)
        with self._live.lock, bulk(drafts):
            index = self._live.index
            # Not what a known key stands for, nor what was forgotten meanwhile.
            new = {position for position in positions if before < position <= len(index)}
            return Added(
                positions=positions,
                facts=sum([len(index.statements(position)) for position in new]),
                unresolved=sum(map(index.is_unresolved, new)) if index.unresolved else 0,
                pending=len(index.pending.keys() & new),
                usage=usage,
            )

    def compile(self, *, progress: Progress | None = None) -> Usage:
        """Let the model read the records that wait for it, and return what that used; nothing to do without a model."""
        return self._live.compile(self._model, concurrency=self._concurrency, progress=progress)

    def read(self, question: str, *, as_of: int | None = None) -> Evidence:
        """Return the records that answer `question` from the current state, or from the state after record `as_of`.

        Never calls a model.

        Raises:
            InputError: `question` is not a string, or `as_of` is not a position.
            StoreError: The store cannot be read.
        """
        if not isinstance(question, str):
            raise InputError("the question", question, "a string")
        _check_as_of(as_of)
        with self._live.reading() as index:
            return read(index, question, self._options, as_of)

    def current(self, subject: str, *, as_of: int | None = None) -> tuple[Edge, ...]:
        """Return the current facts about a subject, in order of first mention of their relation.

        Args:
            subject: A name, compared as in a question; a name that stands for several subjects finds all of them. "I"
                and "me" are the first person, whose subject is "user".
            as_of: Use the state after this record instead of the latest.

        Raises:
            InputError: `subject` is not a string, or `as_of` is not a position.
        """
        _check_name("the subject", subject)
        _check_as_of(as_of)
        with self._live.reading() as index:
            return tuple(
                Edge(s.subject, s.relation, s.object, s.position, 0)
                for key in index.named(_subject_key(subject), as_of)
                for s in index.graph.current(key, as_of)
            )

    def history(self, subject: str, relation: str) -> tuple[Period, ...]:
        """Return every value that a slot ever had, in the order they came to hold.

        Args:
            subject: As for `current`.
            relation: A relation or a synonym of it ("lives in" finds "located in").

        Raises:
            InputError: `subject` or `relation` is not a string.
        """
        _check_name("the subject", subject)
        _check_name("the relation", relation)
        with self._live.reading() as index:
            relation = index.relation(relation)
            slots = (index.graph.slots(key).get(relation) for key in index.named(_subject_key(subject)))
            return tuple(period for slot in slots if slot for period in periods(slot))

    def records(self, *, after: int = 0) -> Iterator[Record]:
        """Yield the stored records, verbatim, in order."""
        return self._log.records(self.scope, after)

    def version(self) -> LogVersion:
        """Return a token that differs whenever the log of this scope may have changed."""
        return self._log.version(self.scope)

    def save_compiled(self, compiler: str, results: Mapping[str, bytes]) -> None:
        """Keep what `compiler` made of records, by hash, in the store of this scope."""
        self._log.save_compiled(self.scope, compiler, results)

    def load_compiled(self, compiler: str, hashes: Sequence[str]) -> dict[str, bytes]:
        """Return what `save_compiled` kept among `hashes`."""
        return self._log.load_compiled(self.scope, compiler, hashes)

    def forget(self) -> int:
        """Delete everything of this scope and return how many records there were."""
        return self._live.forget()

    async def aadd(self, items: str | Draft | Sequence[str | Draft], *, progress: Progress | None = None) -> Added:
        """`add` without blocking the event loop.

        A cancelled call may still store its records; give them keys where it is tried again.
        """
        return await asyncio.to_thread(self.add, items, progress=progress)

    async def acompile(self, *, progress: Progress | None = None) -> Usage:
        """`compile` without blocking the event loop."""
        return await asyncio.to_thread(self.compile, progress=progress)

    async def aread(self, question: str, *, as_of: int | None = None) -> Evidence:
        """`read` without blocking the event loop."""
        return await asyncio.to_thread(self.read, question, as_of=as_of)

    def after_fork(self) -> None:
        """Make the locks anew in a forked child."""
        self._live.after_fork()

    @override
    def close(self) -> None:
        """Release the store, if this memory opened it."""
        if self._owns_log:
            self._log.close()


def _check_as_of(as_of: object) -> None:
    if as_of is not None and (not isinstance(as_of, int) or as_of < 0):
        raise InputError("as_of", as_of, "None or the position of a record")


def _check_name(what: str, name: object) -> None:
    if not isinstance(name, str):
        raise InputError(what, name, "a string")


def _frontend(frontend: Frontend | ModelFrontend | None, model: ChatModel | None) -> Frontend | ModelFrontend:
    if frontend is None:
        grammar = EnglishGrammar()
        return grammar if model is None else HybridFrontend(grammar, LLMFrontend())
    if isinstance(frontend, ModelFrontend):
        if model is None:
            raise ConfigError("model", model, f"a ChatModel, because {type(frontend).__name__} reads with a model")
    elif not callable(getattr(frontend, "extract", None)):
        raise ConfigError("frontend", frontend, "a Frontend or a ModelFrontend, such as EnglishGrammar()")
    return frontend


def _subject_key(subject: str) -> str:
    key = name_key(subject)
    return USER if key in FIRST_PERSON else key
