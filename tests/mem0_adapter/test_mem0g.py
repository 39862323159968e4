"""mem0 1.x with graph memory (embedded Kuzu): the relations of a search are seeds, too."""

from __future__ import annotations

from typing import Any

import pytest

from mem0_adapter import AsyncCableMemory, CableMemory
from mem0_adapter.host import Mem0Host
from mem0_adapter.relations import related
from mem0_adapter.rows import Rows
from memory_evidence.cable.expand import PAPER
from tests.mem0_adapter.memories import MODERN, ids, link, plain, remember, scope_in

CAUSE = "The new manager shouted at everybody in the Monday meeting."
STATED = "Emma works at the harbour office."
NEAR = [f"A hobby of Emma is {what}." for what in ("chess", "gardening", "cycling", "singing", "cooking")]
QUESTION = "What are the hobbies of Emma?"


class GraphLLM:
    """Answers mem0's three questions about a graph from a list of (source, relation, destination)."""

    def __init__(self, *triples: tuple[str, str, str]) -> None:
        self.triples, self.asked = triples, 0

    def generate_response(self, messages: Any, tools: Any = None, **_: Any) -> dict[str, Any]:
        self.asked += 1
        said = messages[-1]["content"].casefold()
        named = [(s, r, d) for s, r, d in self.triples if s.casefold() in said or d.casefold() in said]
        tool = tools[0]["function"]["name"]
        if tool == "extract_entities":
            names = dict.fromkeys(name for s, _, d in named for name in (s, d) if name.casefold() in said)
            arguments = {"entities": [{"entity": name, "entity_type": "thing"} for name in names]}
        elif "delete" in tool:
            return {"content": "", "tool_calls": []}
        else:
            stated = [(s, r, d) for s, r, d in named if s.casefold() in said and d.casefold() in said]
            arguments = {"entities": [{"source": s, "relationship": r, "destination": d} for s, r, d in stated]}
        return {"content": "", "tool_calls": [{"name": tool, "arguments": arguments}]}


graph_only = pytest.mark.skipif(MODERN, reason="mem0 2.x has no graph memory; its 1.x environment runs this")


@graph_only
@pytest.mark.parametrize("provider", ["chroma", "qdrant"])
def test_a_memory_that_only_the_graph_names_leads_to_what_it_is_linked_with(
    make: Any, links: str, provider: str
) -> None:
    memory = make(provider, graph=True)
    memory.graph.llm = GraphLLM(("Emma", "works_at", "harbour office"))
    cable = CableMemory(memory, store=links, model="rules", linking="deferred", expand_options=PAPER)
    cause, stated = remember(cable, CAUSE), remember(cable, STATED)
    for text in NEAR:
        remember(cable, text)
    cable.links.add(cable.scope(user_id="ann"), [link(cause, stated, (CAUSE, STATED))])
    asked = memory.graph.llm.asked
    response = cable.search(QUESTION, user_id="ann", limit=4)
    assert memory.graph.llm.asked == asked + 1, "mem0's own question, and none of ours"
    assert [relation["destination"] for relation in response["relations"]] == ["harbour_office"]
    alone = ids(plain(memory, QUESTION, 4))
    assert stated not in alone
    found = ids(response)
    assert found[:-1] == alone[:-1]
    assert (found[-1], response["results"][-1]["cable"]["paths"][0]["seed"]) == (cause, stated)


@graph_only
def test_without_links_the_result_with_its_relations_is_mem0s_own(make: Any, links: str) -> None:
    memory = make("chroma", graph=True)
    memory.graph.llm = GraphLLM(("Emma", "works_at", "harbour office"))
    cable = CableMemory(memory, store=links, model="rules", linking="deferred")
    for text in (CAUSE, STATED, *NEAR):
        remember(cable, text)
    response = cable.search(QUESTION, user_id="ann", limit=4)
    assert response == memory.search(QUESTION, user_id="ann", limit=4)
    assert response["relations"]


@graph_only
async def test_the_async_memory_uses_relations_as_well(make: Any, links: str) -> None:
    memory = make("chroma", graph=True, asynchronous=True)
    memory.graph.llm = GraphLLM(("Emma", "works_at", "harbour office"))
    cable = AsyncCableMemory(memory, store=links, model="rules", linking="deferred", expand_options=PAPER)
    stored = [ids(await cable.add(text, user_id="ann", infer=False))[0] for text in (CAUSE, STATED, *NEAR)]
    cable.links.add(cable.scope(user_id="ann"), [link(stored[0], stored[1], (CAUSE, STATED))])
    assert stored[0] in ids(await cable.search(QUESTION, user_id="ann", limit=4))


@graph_only
def test_linking_asks_the_graphs_model_nothing(make: Any, links: str) -> None:
    memory = make("chroma", graph=True)
    memory.graph.llm = GraphLLM()
    cable = CableMemory(memory, store=links, model="rules", linking="deferred")
    for text in (CAUSE, STATED):
        remember(cable, text)
    asked = memory.graph.llm.asked
    assert cable.link_pending().pending == 0
    assert memory.graph.llm.asked == asked


@pytest.mark.parametrize(
    ("relation", "found"),
    [
        ({"source": "emma", "relationship": "works_at", "destination": "harbour_office"}, [STATED]),
        ({"source": "emma", "relationship": "works_at", "target": "harbour_office"}, [STATED]),
        ({"source": "ann", "relationship": "visited", "destination": "harbour_office"}, [STATED]),
        ({"source": "emma", "relationship": "works_at", "destination": "opera"}, []),
        ({"source": "ann", "relationship": "is", "destination": "ann"}, []),
        ({"source": "emm", "relationship": "works_at", "destination": "harbour_office"}, []),
        ({"source": None}, []),
        ({}, []),
    ],
)
def test_a_memory_states_a_relation_if_it_names_both_ends(
    make: Any, relation: dict[str, Any], found: list[str]
) -> None:
    memory = make("chroma")
    for text in (CAUSE, STATED, *NEAR):
        remember(memory, text)
    host = Mem0Host(Rows(memory), scope_in(memory))
    assert [hit.memory.text for hit in related({"relations": [relation]}, host, ())] == found


def test_a_memory_that_the_searchs_filters_hide_leads_nowhere(make: Any) -> None:
    memory = make("chroma")
    remember(memory, STATED, metadata={"session": 1})
    relation = {"source": "emma", "relationship": "works_at", "destination": "harbour_office"}
    for session, found in ((1, [STATED]), (2, [])):
        host = Mem0Host(Rows(memory), scope_in(memory), filters={"session": session})
        assert [hit.memory.text for hit in related({"relations": [relation]}, host, ())] == found


def test_memories_of_the_result_are_not_looked_for_again(make: Any) -> None:
    memory = make("chroma")
    stated = remember(memory, STATED)
    host = Mem0Host(Rows(memory), scope_in(memory))
    relation = {"source": "emma", "relationship": "works_at", "destination": "harbour_office"}
    assert related({"relations": [relation]}, host, {stated}) == []
    for response in ({}, {"relations": None}, {"relations": {}}, [], {"relations": [relation] * 50}):
        assert len(related(response, host, ())) <= 1
