"""Grammar first, and the model only for what the grammar left."""

from __future__ import annotations

import pytest

from memory_evidence.cmc import ContractMemory
from memory_evidence.cmc.facts import Extraction, Label, Slot
from memory_evidence.cmc.frontends.english import EnglishGrammar
from memory_evidence.cmc.frontends.hybrid import HybridFrontend
from memory_evidence.cmc.frontends.llm import LLMFrontend
from memory_evidence.errors import ModelError
from memory_evidence.models import Usage, run
from memory_evidence.records import Record
from memory_evidence.store import open_log
from memory_evidence.testing import ScriptedModel
from tests.cmc.frontends.scripts import asked, reader, rows
from tests.cmc.histories import GRAMMAR, numbered, timeless

SCOPE = ("acme", "ann")
PLAIN = "Ann works at Acme."
ODD = "Ann's been slaving away over at Globex as of late!"
READS = {ODD: [("Ann", "employer", "Globex")]}
HYBRID = HybridFrontend(GRAMMAR, LLMFrontend(align=False))


def open_memory(model: ScriptedModel, store: object = "sqlite://") -> ContractMemory:
    return ContractMemory(SCOPE, store=store, model=model)  # type: ignore[arg-type]


def test_a_memory_with_a_model_is_a_hybrid_and_asks_only_about_what_the_grammar_left() -> None:
    model = reader(READS)
    memory = open_memory(model)
    added = memory.add([PLAIN, ODD, "Where does Ann work?"])
    assert asked(model) == [[ODD]]
    assert (added.facts, added.pending, added.unresolved) == (2, 0, 0)


def test_where_the_grammar_reads_everything_no_model_is_asked() -> None:
    memory = open_memory(ScriptedModel([]))
    added = memory.add([PLAIN, "Hello!", "Does Ann live in Rome?"])
    assert (added.facts, added.usage) == (1, Usage())


def test_what_the_grammar_reads_is_there_while_the_model_is_down() -> None:
    memory = open_memory(ScriptedModel([ModelError("complete", "timed out")]))
    added = memory.add([PLAIN, ODD])
    assert (added.facts, added.pending) == (1, 1)
    found = memory.read("Where does Ann work?")
    assert (found.positions, found.receipt.pending) == ((1, 2), 1)


def test_the_model_is_shown_the_slots_that_the_grammar_filled() -> None:
    model = reader(READS)
    open_memory(model).add([PLAIN, ODD])
    assert ["Ann", "works at"] in rows(model.calls[-1].messages)["known"]


# report 13
@pytest.mark.parametrize("relation", ["employer", "job place"])
def test_what_the_model_reads_supersedes_what_the_grammar_read(relation: str) -> None:
    model = reader({ODD: [("Ann", relation, "Globex")]}, {("Ann", "job place"): ("Ann", "works at")})
    memory = open_memory(model)
    memory.add([PLAIN, ODD])
    assert [edge.object for edge in memory.current("Ann")] == ["Globex"]
    memory.add("Ann works at Initech.")
    assert [edge.object for edge in memory.current("Ann")] == ["Initech"]


def test_where_the_model_can_read_nothing_the_grammars_part_counts() -> None:  # report 40
    text = "Ann works at Acme. Fnord wibbled its glarch yesterday, sort of."
    memory = open_memory(ScriptedModel(["Sorry."]))
    added = memory.add(text)
    assert (added.facts, added.unresolved, added.usage.unreadable) == (1, 1, 1)
    assert [edge.object for edge in memory.current("Ann")] == ["Acme"]


@pytest.mark.parametrize("text", ["Ann works at Acme. " + "wibble " * 2_000, "x" * 10_000_000])
def test_a_record_too_long_for_the_model_is_not_sent_to_it(text: str) -> None:
    model = ScriptedModel([])
    memory = open_memory(model)
    added = memory.add(text)
    assert (added.unresolved, added.pending, model.calls) == (1, 0, [])


def test_the_part_that_the_grammar_read_of_a_record_too_long_for_the_model_counts() -> None:
    frontend = HybridFrontend(EnglishGrammar(), LLMFrontend(batch_characters=30))
    found = frontend.extract_now(Record(1, "Ann works at Acme. Fnord wibbled its glarch yesterday."))
    assert found is not None
    assert (found.label, [fact.object for fact in found.facts]) == (Label.UNRESOLVED, ["Acme"])


def test_what_the_grammar_reads_never_waits() -> None:
    read, unread = numbered(["Ann sits in Oslo.", "Someone hummed a tune about Ann."])
    assert HYBRID.extract_now(read) == GRAMMAR.extract(read)
    assert HYBRID.extract_now(unread) is None


def test_a_record_that_the_model_could_not_be_asked_about_waits() -> None:
    model = ScriptedModel([ModelError("complete", "timed out")])
    assert run(HYBRID.steps(numbered(["Someone hummed a tune about Ann."]), ()), model) == [None]


def test_a_label_of_the_model_counts() -> None:
    texts = ["Someone hummed a tune about Ann."]
    assert run(HYBRID.steps(numbered(texts), ()), reader({})) == [Extraction(Label.NO_FACT)]


def test_a_hybrid_shares_what_its_model_read() -> None:
    assert HYBRID.fingerprint == LLMFrontend(align=False).fingerprint


def test_a_memory_reopened_reads_as_before_without_asking() -> None:
    with open_log("sqlite://") as log:
        memory = open_memory(reader(READS, {("Ann", "employer"): ("Ann", "works at")}), log)
        memory.add([ODD, PLAIN, "Acme is located in Oslo."])
        again = open_memory(ScriptedModel([]), log)
        for question in ("Where does Ann work?", "Where did Ann work before?", "Oslo?", ""):
            assert timeless(again.read(question)) == timeless(memory.read(question))


def test_slots_of_the_model_and_of_the_grammar_have_one_name() -> None:
    memory = open_memory(reader(READS))
    memory.add([ODD, "Ann's manager is Bo."])
    assert Slot("Ann", "manager") in memory._live.index.slots
