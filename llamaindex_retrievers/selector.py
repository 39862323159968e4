"""The selector: by the compiled load of a question it goes to one query engine or another; no LLM is asked."""

from __future__ import annotations

from collections.abc import Sequence

from llama_index.core.base.base_selector import BaseSelector, SelectorResult, SingleSelection
from llama_index.core.prompts.mixin import PromptDictType
from llama_index.core.schema import QueryBundle
from llama_index.core.tools import ToolMetadata
from typing_extensions import override

from memory_evidence.errors import ConfigError
from memory_evidence.tallymem import TallyEvidence, TallyMem
from memory_evidence.tallymem.asking import Asking, OnError

Choice = int | str
"""One of the choices: its place, or the name of its tool."""


class TallyLoadSelector(BaseSelector):
    """Sends questions that the log can count to one engine, and all others to another.

    ```python
    tools = [tally_query_engine_tool(tally, llm, name="log"), QueryEngineTool.from_defaults(vectors, name="documents")]
    router = RouterQueryEngine(TallyLoadSelector(tally, computed="log", otherwise="documents"), tools, llm=llm)
    ```

    With `few` it routes by load, as the paper's router attaches: questions of which no more than the tally's
    `attach_above` steps match go there, to an engine that reads the log. Every question is compiled here and once more
    by the engine that answers it, which matters where a model compiles. A model that gives no plan sends the question
    to `otherwise`. (`RouterQueryEngine` without `llm` reads `Settings.llm`.)
    """

    def __init__(
        self,
        tally: TallyMem,
        *,
        computed: Choice = 0,
        otherwise: Choice = 1,
        few: Choice | None = None,
        on_error: OnError = "raise",
    ) -> None:
        """Route by `tally`.

        Args:
            tally: Compiles and counts.
            computed: Where questions go for which something was computed.
            otherwise: Where all others go. Where there is one choice alone, everything goes there.
            few: Where questions go whose matched steps are few enough to read; None: to `computed` as well.
            on_error: Whether a failing store or model raises, or the question goes to `otherwise` after one warning
                ("skip"); the reason of the selection says so.

        Raises:
            ConfigError: An argument is wrong; when selecting: there is no such choice.
            StoreError: When selecting: the tally's store cannot be read, and `on_error` is "raise".
        """
        if not isinstance(tally, TallyMem):
            raise ConfigError("tally", tally, "a TallyMem")
        routes = {"computed": computed, "otherwise": otherwise, "few": computed if few is None else few}
        for name, choice in routes.items():
            if not isinstance(choice, (int, str)) or isinstance(choice, bool):
                raise ConfigError(name, choice, "the place of a choice, or the name of its tool")
        self._tally, self._routes, self._asking = tally, routes, Asking(on_error)

    @override
    def _select(self, choices: Sequence[ToolMetadata], query: QueryBundle) -> SelectorResult:
        return self._selected(choices, self._asking.ask(lambda: self._tally, query.query_str))

    @override
    async def _aselect(self, choices: Sequence[ToolMetadata], query: QueryBundle) -> SelectorResult:
        return self._selected(choices, await self._asking.aask(self._tally, query.query_str))

    def _selected(self, choices: Sequence[ToolMetadata], evidence: TallyEvidence) -> SelectorResult:
        name = "otherwise" if evidence.computed is None else "computed" if evidence.attached else "few"
        # All of them, so that a misspelt name does not wait for the first question of its kind.
        places = {route: _place(route, choice, choices) for route, choice in self._routes.items()}
        place = 0 if len(choices) == 1 else places[name]
        return SelectorResult(selections=[SingleSelection(index=place, reason=_reason(evidence))])

    @override
    def _get_prompts(self) -> PromptDictType:
        return {}

    @override
    def _update_prompts(self, prompts: PromptDictType) -> None:
        pass


def _place(name: str, choice: Choice, choices: Sequence[ToolMetadata]) -> int:
    names = [one.name for one in choices]
    if isinstance(choice, str) and names.count(choice) == 1:
        return names.index(choice)
    if isinstance(choice, int) and 0 <= choice < len(choices):
        return choice
    if len(choices) == 1:
        return 0
    named = "" if len(set(names)) == len(names) else "; give each tool a name of its own"
    raise ConfigError(name, choice, f"one of the {len(choices)} choices, {names}{named}")


def _reason(evidence: TallyEvidence) -> str:
    if evidence.computed is None:
        return f"nothing was computed: {evidence.reason}"
    return f"{evidence.computed.load} matched steps, {'counted' if evidence.attached else 'few enough to read'}"
