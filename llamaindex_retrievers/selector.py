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

Choice = int | str
"""One of the choices: its place, or the name of its tool."""


class TallyLoadSelector(BaseSelector):
    """Sends questions with a computed block to one engine, and all others to another.

    ```python
    tools = [tally_query_engine_tool(tally, llm, name="log"), QueryEngineTool.from_defaults(vectors, name="documents")]
    router = RouterQueryEngine(TallyLoadSelector(tally, computed="log", otherwise="documents"), tools, llm=llm)
    ```

    The tally's own router decides: the block is there where more than `attach_above` steps match. Every question is
    compiled here and once more by the engine that answers it, which matters where a model compiles. A model that gives
    no plan sends the question to `otherwise`. (`RouterQueryEngine` without `llm` reads `Settings.llm`.)
    """

    def __init__(self, tally: TallyMem, *, computed: Choice = 0, otherwise: Choice = 1) -> None:
        """Route by `tally`.

        Args:
            tally: Compiles and counts.
            computed: Where questions go whose computed block is attached.
            otherwise: Where all others go. Where there is one choice alone, everything goes there.

        Raises:
            ConfigError: An argument is wrong; when selecting: there is no such choice.
        """
        if not isinstance(tally, TallyMem):
            raise ConfigError("tally", tally, "a TallyMem")
        for name, choice in (("computed", computed), ("otherwise", otherwise)):
            if not isinstance(choice, (int, str)) or isinstance(choice, bool):
                raise ConfigError(name, choice, "the place of a choice, or the name of its tool")
        self._tally, self._computed, self._otherwise = tally, computed, otherwise

    @override
    def _select(self, choices: Sequence[ToolMetadata], query: QueryBundle) -> SelectorResult:
        return self._selected(choices, self._tally.evidence(query.query_str))

    @override
    async def _aselect(self, choices: Sequence[ToolMetadata], query: QueryBundle) -> SelectorResult:
        return self._selected(choices, await self._tally.aevidence(query.query_str))

    def _selected(self, choices: Sequence[ToolMetadata], evidence: TallyEvidence) -> SelectorResult:
        name, choice = ("computed", self._computed) if evidence.attached else ("otherwise", self._otherwise)
        place = 0 if len(choices) == 1 else _place(name, choice, choices)
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
    raise ConfigError(name, choice, f"one of the {len(choices)} choices, {names}")


def _reason(evidence: TallyEvidence) -> str:
    if evidence.computed is None:
        return f"nothing was computed: {evidence.reason}"
    return f"{evidence.computed.load} matched steps, {'counted' if evidence.attached else 'few enough to read'}"
