"""Mistakes in what a memory is opened with are errors at once, and say what to do."""

import pytest

from memory_evidence.cmc import ContractMemory, MemoryPool
from memory_evidence.cmc.frontends.english import EnglishGrammar
from memory_evidence.cmc.frontends.patterns import PatternGrammar
from memory_evidence.errors import ConfigError


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("model", "gpt-4", "OpenAIModel"),
        ("model", lambda text: text, "LangChainModel"),
        ("frontend", EnglishGrammar, "EnglishGrammar()"),
        ("frontend", "english", "extract(record)"),
        ("measure", "tokens", "approximate_tokens"),
        ("synonyms", [("a", "b")], "wording to common name"),
        ("aliases", {"New York City": ("NYC",)}, '{"NYC": "New York City"}'),
        ("multi_valued", "likes", "set of relation names"),
        ("multi_valued", [1], "set of relation names"),
        ("hops", 0, "at least 1"),
        ("hops", True, "at least 1"),
        ("budget", 0, "at least 1"),
        ("hub_limit", 0, "at least 1"),
        ("unresolved_limit", -1, "at least 0"),
        ("order", "newest", "'path'"),
        ("overflow", "path", "'nearest'"),
        ("fallback", None, "'nothing'"),
    ],
)
def test_a_wrong_argument_is_named_with_what_was_needed(name, value, hint):
    with pytest.raises(ConfigError, match=f"`{name}` must be") as raised:
        ContractMemory(("u1",), store="sqlite://", **{name: value})
    assert hint in str(raised.value)


@pytest.mark.parametrize("patterns", ["{subject} is {object}", ["{subject} is {object}"], None])
def test_patterns_that_are_no_list_of_patterns_are_refused(patterns):
    with pytest.raises(ConfigError, match="list of Pattern"):
        PatternGrammar(patterns)


def test_a_pool_refuses_what_is_no_memory_of_its_scope():
    for wrong in (lambda scope, log: None, lambda scope, log: ContractMemory(("other",), store=log)):
        with MemoryPool("sqlite://", open_memory=wrong) as pool, pytest.raises(ConfigError, match="open_memory"):
            pool.get(("u1",))
