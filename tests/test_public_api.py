"""The names that users may rely on: a change here is a change for them."""

from __future__ import annotations

import dataclasses
import inspect
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import memory_evidence
from amem_adapter import CableAgenticMemory
from integrations.chroma import CableCollection
from integrations.simplemem import CableSimpleMem
from memory_evidence import cmc, errors, records, testing, testing_cable
from memory_evidence.cmc.frontends.hybrid import HybridFrontend
from memory_evidence.cmc.frontends.llm import LLMFrontend

NAMES = {
    "memory_evidence.cmc": {
        "Added",
        "CardReader",
        "ContractMemory",
        "Edge",
        "Evidence",
        "MemoryPool",
        "Period",
        "Receipt",
        "Superseded",
        "WindowReader",
    },
    "memory_evidence.cable": {
        "PAPER",
        "SIMILARITY",
        "Cable",
        "Entry",
        "ExpandOptions",
        "Expansion",
        "Hit",
        "Link",
        "LinkOptions",
        "LinkingReport",
        "Memory",
        "MemoryHost",
        "Path",
        "Skipped",
        "Stats",
        "open_links",
        "text_hash",
    },
    "llamaindex_retrievers": {
        "TallyLoadSelector",
        "TallyMemPostprocessor",
        "TallyMemQueryEngine",
        "TallyMemRetriever",
        "tally_query_engine_tool",
    },
    "mem0_adapter": {"AsyncCableMemory", "CableMemory"},
    "amem_adapter": {"CableAgenticMemory"},
    "memory_evidence.store": {"Log", "LogVersion", "open_log"},
    "memory_evidence.models": {
        "MAX_JSON_CHARS",
        "Answer",
        "Ask",
        "ChatModel",
        "Completion",
        "Message",
        "Steps",
        "Usage",
        "UsageMeter",
        "arun",
        "parse_json",
        "run",
    },
    "langgraph_nodes": {
        "BaseStoreLog",
        "ContractMemoryMiddleware",
        "ContractMemoryNode",
        "EvidenceState",
        "RememberMiddleware",
        "RememberNode",
        "TallyNode",
        "TallyState",
        "tally_tool",
        "memory_tools",
        "with_evidence",
    },
}


@pytest.mark.parametrize("module", NAMES)
def test_exported_names_are_these_and_all_there(module: str) -> None:
    package = import_module(module)
    assert set(package.__all__) == NAMES[module]
    assert len(set(package.__all__)) == len(package.__all__)
    for name in package.__all__:
        assert getattr(package, name).__doc__ or name in ("Answer", "Steps", "MAX_JSON_CHARS", "PAPER", "SIMILARITY")


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("memory_evidence.records", {"Draft", "Record", "Scope", "SourceRef", "USER", "as_drafts", "check_scope"}),
        ("memory_evidence.tokens", {"Measure", "approximate_tokens"}),
        ("memory_evidence.testing", {"ScriptedModel", "ScriptEndedError", "Call"}),
        ("memory_evidence.testing_cable", {"CableContract", "WrappedHost"}),
        ("memory_evidence.function_model", {"FunctionModel"}),
        ("memory_evidence.progress", {"Progress", "progress_bar"}),
        ("integrations.chroma", {"CableCollection"}),
        ("integrations.simplemem", {"CableSimpleMem"}),
        ("memory_evidence.cmc.frontends.english", {"EnglishGrammar", "MULTI_VALUED", "RELATION_SYNONYMS"}),
        ("memory_evidence.cmc.frontends.patterns", {"Pattern", "PatternGrammar"}),
        ("memory_evidence.cmc.frontends.factconsolidation", {"FACTCONSOLIDATION"}),
        ("memory_evidence.cmc.frontends.llm", {"LLMFrontend"}),
        ("memory_evidence.cmc.frontends.hybrid", {"HybridFrontend"}),
        ("memory_evidence.cmc.history", {"split_history"}),
    ],
)
def test_documented_names_are_in_their_modules(module: str, names: set[str]) -> None:
    assert names <= set(vars(import_module(module)))


@pytest.mark.parametrize("name", ["CableContract", "WrappedHost"])
def test_the_suite_for_hosts_is_shipped_in_the_testing_module(name: str) -> None:
    assert getattr(testing, name) is getattr(testing_cable, name)


def test_the_root_exports_its_version_and_nothing_else() -> None:
    public = {name for name in vars(memory_evidence) if not name.startswith("_")}
    submodules = {path.stem for path in Path(memory_evidence.__file__).parent.iterdir()}
    assert public - submodules == {"logging"}
    assert memory_evidence.__version__ == version("memory-evidence")


def test_the_package_says_that_it_is_typed() -> None:
    assert Path(memory_evidence.__file__).with_name("py.typed").exists()


@pytest.mark.parametrize(
    "kind",
    [
        cmc.Added,
        cmc.Edge,
        cmc.Evidence,
        cmc.Period,
        cmc.Receipt,
        cmc.Superseded,
        records.Draft,
        records.Record,
        records.SourceRef,
        LLMFrontend,
        HybridFrontend,
    ],
)
def test_what_is_handed_over_cannot_be_changed(kind: type) -> None:
    names = getattr(kind, "_fields", None) or [field.name for field in dataclasses.fields(kind)]
    example = kind(**dict.fromkeys(names, "x"))
    with pytest.raises(AttributeError):  # FrozenInstanceError is one
        setattr(example, names[0], "y")
    assert not hasattr(example, "__dict__")


def test_every_error_is_in_the_drawn_tree() -> None:
    drawn = errors.__doc__ or ""
    for name, kind in vars(errors).items():
        if isinstance(kind, type) and issubclass(kind, Exception):
            assert f"{name} " in drawn or f"{name}\n" in drawn


def test_the_memory_has_an_async_twin_of_each_method_that_may_wait() -> None:
    for name in ("add", "compile", "read"):
        plain, twin = getattr(cmc.ContractMemory, name), getattr(cmc.ContractMemory, f"a{name}")
        assert inspect.iscoroutinefunction(twin)
        assert inspect.signature(plain).parameters == inspect.signature(twin).parameters


@pytest.mark.parametrize("wrapper", [CableAgenticMemory, CableCollection, CableSimpleMem])
def test_each_wrapper_of_a_host_has_an_async_twin_of_each_method_that_may_wait(wrapper: type) -> None:
    methods = {name: method for name, method in inspect.getmembers(wrapper, inspect.isfunction) if name[0] != "_"}
    waiting = {name: method for name, method in methods.items() if not inspect.iscoroutinefunction(method)}
    assert {"backfill", "close", "explain", "link_pending", "reverify", "stats"} < waiting.keys()
    for name, method in waiting.items():
        twin = methods[f"a{name}"]
        assert inspect.iscoroutinefunction(twin), name
        assert inspect.signature(method) == inspect.signature(twin), name


def test_the_memory_takes_its_scope_first_and_its_settings_by_name() -> None:
    scope, *settings = list(inspect.signature(cmc.ContractMemory).parameters.values())
    assert (scope.name, scope.default) == ("scope", inspect.Parameter.empty)
    assert {setting.kind for setting in settings} == {inspect.Parameter.KEYWORD_ONLY}
    defaults = {setting.name: setting.default for setting in settings}
    assert defaults["store"] == "sqlite:///memory.db"
    assert defaults["model"] is None
    assert (defaults["hops"], defaults["budget"], defaults["order"]) == (5, 60_000, "source")
