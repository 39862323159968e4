"""`CableMemory` is mem0's `Memory` in all but its searches, which reach further at the same number of entries."""

from __future__ import annotations

import copy
import inspect
import json
from typing import Any

import pytest
from mem0 import Memory

from mem0_adapter import AsyncCableMemory, CableMemory
from memory_evidence.cable.expand import PAPER
from memory_evidence.errors import ConfigError, ScopeError
from memory_evidence.testing import ScriptedModel
from tests.mem0_adapter.memories import (
    CAUSE,
    EFFECT,
    MODERN,
    NEAR,
    QUESTION,
    REASON,
    MiniLM,
    ScriptedLLM,
    Story,
    ids,
    link,
    pending,
    plain,
    refusing,
    remember,
)


def test_everything_that_mem0_has_is_there(story: Story) -> None:
    memory, cable, _, _ = story
    for name in dir(memory):
        if not name.startswith("__"):
            assert hasattr(cable, name), name
    assert cable.vector_store is memory.vector_store
    with pytest.raises(AttributeError):
        _ = cable.nothing_of_the_kind
    assert copy.copy(cable).links is cable.links


def test_an_entry_that_came_over_a_link_has_mem0s_shape_and_one_key_more(story: Story) -> None:
    memory, cable, cause, effect = story
    before, alone = memory.get(cause), plain(memory, QUESTION, 6)
    response = cable.search(QUESTION, user_id="ann", limit=6)
    assert list(response) == ["results"]
    *kept, added = response["results"]
    assert kept == alone[:-1]
    assert set(added) == {*alone[-1], "cable"}
    assert {key: value for key, value in added.items() if key not in ("score", "cable")} == {
        key: value for key, value in before.items() if key != "score"
    }
    assert isinstance(added["score"], float)
    assert (added["score"] < alone[-1]["score"]) is MODERN  # a distance in 1.x
    (path,) = added["cable"]["paths"]
    assert (path["seed"], path["direction"], path["reason"]) == (effect, "prior", REASON)
    assert added["cable"]["replaced"] == alone[-1]["id"]
    assert memory.get(cause) == before, "nothing of ours is kept in mem0"


def test_both_spellings_find_the_same(story: Story) -> None:
    _, cable, cause, _ = story
    found = ids(cable.search(QUESTION, user_id="ann", limit=6))
    assert cause in found
    for options in (
        {"filters": {"user_id": "ann"}, "top_k": 6},
        {"filters": {"user_id": "ann"}, "limit": 6},
        {"user_id": "ann", "top_k": 6},
    ):
        assert ids(cable.search(QUESTION, **options)) == found
    assert len(cable.get_all(user_id="ann", limit=3)["results"]) == 3
    assert len(cable.get_all(filters={"user_id": "ann"}, top_k=50)["results"]) == len(NEAR) + 2


def test_a_misspelt_keyword_is_refused_and_not_swallowed(story: Story) -> None:
    _, cable, _, _ = story
    for call in (lambda: cable.search(QUESTION, user_id="ann", k=3), lambda: cable.get_all(user="ann")):
        with pytest.raises(ConfigError, match="called with keywords out of"):
            call()
    with pytest.raises(TypeError):
        cable.add("A text.", user="ann")


def test_without_ids_it_is_an_error_and_not_everybody(story: Story) -> None:
    _, cable, _, _ = story
    for call in (
        lambda: cable.search(QUESTION, limit=3),
        lambda: cable.get_all(),
        lambda: cable.add("A text.", infer=False),
        lambda: cable.delete_all(),
        lambda: cable.backfill(),
        lambda: cable.scope(),
    ):
        with pytest.raises(Exception, match=r"user_id|filter") as caught:
            call()
        assert isinstance(caught.value, ValueError) or type(caught.value).__module__ == "mem0.exceptions"
    with pytest.raises(ScopeError):
        cable.scope(user_id="*")


def test_what_comes_over_a_link_satisfies_the_filters_of_the_search(make: Any, links: str) -> None:
    cable = CableMemory(make("chroma"), store=links, model=refusing(), linking="deferred", expand_options=PAPER)
    cause = remember(cable, CAUSE, run_id="monday", metadata={"session": 1})
    for text in NEAR:
        remember(cable, text, run_id="friday", metadata={"session": 5})
    effect = remember(cable, EFFECT, run_id="friday", metadata={"session": 5})
    cable.links.add(cable.scope(user_id="ann"), [link(cause, effect, (CAUSE, EFFECT))])

    def found(**filters: Any) -> list[str]:
        return ids(cable.search(QUESTION, filters={"user_id": "ann", **filters}, limit=6))

    assert cause in found(), "links cross the sessions of one user"
    assert cause not in found(run_id="friday")
    assert cause not in found(session={"gte": 4})
    assert cause in found(session={"gte": 1})
    if MODERN:  # mem0 1.x cannot put this to Chroma
        assert cause in found(OR=[{"session": 1}, {"session": 5}])
    assert len(found(session={"gte": 4})) == 6


@pytest.mark.skipif(not MODERN, reason="mem0 1.x compares distances")
def test_what_comes_over_a_link_is_not_below_the_threshold_of_the_search(story: Story) -> None:
    _, cable, cause, _ = story
    found = cable.search(QUESTION, user_id="ann", limit=6)["results"]
    (score,) = [item["score"] for item in found if item["id"] == cause]
    assert cause in ids(cable.search(QUESTION, user_id="ann", limit=6, threshold=max(score - 0.01, 0.0)))
    strict = cable.search(QUESTION, user_id="ann", limit=6, threshold=score + 0.01)["results"]
    assert strict
    assert not [item for item in strict if item["id"] == cause or "cable" in item]


@pytest.mark.skipif(not MODERN, reason="mem0 1.x explains no scores")
def test_an_explained_search_gives_the_details_that_are_known_of_what_came_over_a_link(story: Story) -> None:
    _, cable, cause, _ = story
    *own, added = cable.search(QUESTION, user_id="ann", limit=6, explain=True)["results"]
    assert added["id"] == cause
    assert added["score_details"] == {"semantic_score": added["score"], "final_score": added["score"]}
    assert all(added["score_details"].keys() <= item["score_details"].keys() for item in own)


def test_an_agents_search_over_several_users_expands_nothing(make: Any, links: str) -> None:
    memory = make("chroma")
    cable = CableMemory(memory, store=links, model=refusing(), linking="deferred", expand_options=PAPER)
    for user in ("ann", "bob"):
        cause = remember(cable, CAUSE, user, agent_id="hr")
        for text in NEAR[:3]:
            remember(cable, text, user, agent_id="hr")
        effect = remember(cable, EFFECT, user, agent_id="hr")
        cable.links.add(cable.scope(user_id=user), [link(cause, effect, (CAUSE, EFFECT))])
    shared = cable.search(QUESTION, agent_id="hr", limit=4)
    assert {item["user_id"] for item in shared["results"]} == {"ann", "bob"}
    assert all("cable" not in item for item in shared["results"])
    assert cable.explain(QUESTION, agent_id="hr", limit=4).added == ()


def test_an_expired_memory_is_not_brought_back(make: Any, links: str) -> None:
    memory = make("chroma")
    cable = CableMemory(memory, store=links, model=refusing(), linking="deferred", expand_options=PAPER)
    cause = remember(cable, CAUSE, metadata={"expiration_date": "2020-01-01"})
    for text in (*NEAR, EFFECT):
        remember(cable, text)
    effect = ids(plain(memory, EFFECT, 1))[0]
    cable.links.add(cable.scope(user_id="ann"), [link(cause, effect, (CAUSE, EFFECT))])
    assert ids(cable.search(QUESTION, user_id="ann", limit=6)) == ids(plain(memory, QUESTION, 6))


def test_a_search_calls_no_model_and_embeds_its_query_once(make: Any, links: str) -> None:
    embedder = MiniLM()
    memory = make("chroma", embedder=embedder)
    memory.llm = ScriptedLLM()
    cable = CableMemory(memory, store=links, linking="deferred", expand_options=PAPER)
    cause, effect = remember(cable, CAUSE), remember(cable, EFFECT)
    remember(cable, NEAR[0])
    cable.links.add(cable.scope(user_id="ann"), [link(cause, effect, (CAUSE, EFFECT))])
    embedder.texts.clear()
    cable.search(f" {QUESTION} ", user_id="ann", limit=2)
    assert embedder.texts == [QUESTION if MODERN else f" {QUESTION} "]
    assert memory.llm.asked == 0


def test_mem0s_own_model_judges_links_unless_another_is_given(make: Any, links: str) -> None:
    for model in (None, ScriptedModel([_verdict] * 50)):
        memory = make("chroma")
        memory.llm = _Judge()
        cable = CableMemory(memory, store="sqlite://", model=model, linking="deferred")
        remember(cable, CAUSE)
        for text in NEAR:
            remember(cable, text)
        remember(cable, EFFECT)
        cable.link_pending()
        assert (memory.llm.asked > 0) is (model is None)
        assert pending(cable) == 0


def test_a_memory_whose_model_is_out_of_reach_says_what_to_give(make: Any, links: str) -> None:
    memory = make("chroma")
    memory.llm = None
    with pytest.raises(ConfigError, match='a ChatModel or "rules"'):
        CableMemory(memory, store=links)
    for wrong in ("gpt-4", object()):
        with pytest.raises(ConfigError, match="`model` must be a ChatModel"):
            CableMemory(memory, store=links, model=wrong)  # type: ignore[arg-type]
    CableMemory(memory, store=links, model="rules", linking="deferred").close()


def test_an_old_value_in_mem0s_own_result_is_marked(make: Any, links: str) -> None:
    with CableMemory(make("chroma"), store=links, model="rules", linking="deferred") as cable:
        old, new = remember(cable, "Emma lives in Rome."), remember(cable, "Emma moved to Oslo.")
        cable.link_pending()
        found = {item["id"]: item for item in cable.search("Where does Emma live?", user_id="ann", limit=2)["results"]}
        (mark,) = found[old].pop("cable")["superseded_by"]
        assert (mark["by"], mark["stated"], mark["value"]) == (new, "Rome", "Oslo")
        assert "cable" not in found[new]
        cable.delete(new)
        (item,) = cable.search("Where does Emma live?", user_id="ann", limit=2)["results"]
        assert "cable" not in item


def test_a_memory_is_wrapped_once(story: Story, links: str) -> None:
    with pytest.raises(ConfigError, match="has links already"):
        CableMemory(story[1], store=links)


def test_what_was_deleted_behind_our_back_is_forgotten_when_links_are_verified_again(story: Story) -> None:
    memory, cable, cause, _ = story
    before = cable.stats(user_id="ann").links
    memory.delete(cause)
    assert cable.reverify(user_id="ann").gone == before == 1
    assert cable.stats().links == 0


def test_a_backfill_with_filters_takes_only_what_satisfies_them(make: Any, links: str) -> None:
    memory = make("chroma")
    for session, text in ((1, CAUSE), (5, EFFECT), (6, NEAR[0])):
        remember(memory, text, metadata={"session": session})
    remember(memory, CAUSE, "bob", metadata={"session": 9})
    cable = CableMemory(memory, store=links, model=refusing(), linking="deferred")
    seen: list[tuple[int, int]] = []
    cable.backfill(filters={"user_id": "ann", "session": {"gte": 4}}, progress=lambda *now: seen.append(now))
    assert seen == [(1, 2), (2, 2)]
    assert cable.stats().memories == 2
    cable.backfill(user_id="ann")
    assert cable.stats().memories == 3


def test_an_update_makes_its_links_void_and_queues_it_again(story: Story) -> None:
    memory, cable, cause, _ = story
    cable.link_pending()
    assert pending(cable) == 0
    keyword = "text" if MODERN else "data"
    cable.update(cause, **{keyword: "The tram runs every ten minutes."})
    assert memory.get(cause)["memory"] == "The tram runs every ten minutes."
    assert pending(cable) == 1
    cable.update(cause, text="The bus runs every hour.")
    assert memory.get(cause)["memory"] == "The bus runs every hour."
    assert cause not in ids(cable.search(QUESTION, user_id="ann", limit=6))


def test_an_update_that_leaves_the_text_keeps_the_links(story: Story) -> None:
    _, cable, cause, _ = story
    cable.link_pending()
    cable.update(cause, CAUSE, metadata={"seen": 1})
    assert pending(cable) == 0
    assert cause in ids(cable.search(QUESTION, user_id="ann", limit=6))


def test_deleting_takes_the_links_along(story: Story) -> None:
    memory, cable, cause, _ = story
    cable.delete(cause)
    assert cause not in ids(plain(memory, CAUSE, 20))
    assert list(cable.links.all(cable.scope(user_id="ann"))) == []
    with pytest.raises((ValueError, IndexError)):  # whatever mem0 raises
        cable.delete(cause)


def test_deleting_a_session_leaves_the_links_of_others(make: Any, links: str) -> None:
    cable = CableMemory(make("chroma"), store=links, model=refusing(), linking="deferred", expand_options=PAPER)
    scope = cable.scope(user_id="ann")
    one, two = (remember(cable, text, run_id="one") for text in (CAUSE, EFFECT))
    three, four = (remember(cable, text, run_id="two") for text in (CAUSE, EFFECT))
    cable.links.add(scope, [link(one, two, (CAUSE, EFFECT)), link(three, four, (CAUSE, EFFECT))])
    cable.delete_all(user_id="ann", run_id="one")
    assert [(x.prior, x.new) for x in cable.links.all(scope)] == [(three, four)]
    assert set(cable.links.known(scope, [one, two, three, four])) == {three, four}
    cable.delete_all("ann")
    assert list(cable.links.all(scope)) == []


def test_what_mem0_did_not_delete_stays_linked(story: Story) -> None:
    memory, cable, cause, effect = story
    # mem0 1.x deletes the first hundred of a user's memories, and says that it deleted all.
    memory.delete_all = lambda **_: (
        [memory.vector_store.delete(cause)] and {"message": "Memories deleted successfully!"}
    )
    cable.delete_all(user_id="ann")
    scope = cable.scope(user_id="ann")
    assert set(cable.links.known(scope, [cause, effect])) == {effect}
    assert cable.stats(user_id="ann").memories == len(NEAR) + 1


def test_a_reset_takes_the_links_of_this_collection_and_no_others(story: Story) -> None:
    _, cable, cause, effect = story
    other = ("mem0", "elsewhere", cable.scope(user_id="ann")[2], "user_id", "ann")
    cable.links.add(other, [link(cause, effect, (CAUSE, EFFECT))])
    cable.reset()
    assert list(cable.links.all(cable.scope(user_id="ann"))) == []
    assert len(list(cable.links.all(other))) == 1
    again = remember(cable, CAUSE)
    assert ids(cable.search(QUESTION, user_id="ann", limit=6)) == [again]


def test_history_and_get_are_mem0s(story: Story) -> None:
    memory, cable, cause, _ = story
    assert cable.history(cause) == memory.history(cause)
    assert cable.get(cause) == memory.get(cause)


def test_its_methods_are_named_as_mem0s() -> None:
    for name in ("add", "search", "get_all", "update", "delete", "delete_all", "reset", "close"):
        ours, theirs = (list(inspect.signature(getattr(kind, name)).parameters)[:2] for kind in (CableMemory, Memory))
        assert ours == theirs or name == "get_all"


class _Judge(ScriptedLLM):
    def generate_response(self, messages: Any, response_format: Any = None, **_: Any) -> str:
        self.asked += 1
        return _verdict(None)


def _verdict(_: Any) -> str:
    return json.dumps({"type": "event", "queries": ["manager shouting"], "valid": True, "reason": REASON})


@pytest.mark.parametrize("wrapper", [CableMemory, AsyncCableMemory])
def test_an_unknown_setting_is_named_with_the_known_ones(make: Any, links: str, wrapper: Any) -> None:
    memory = make("chroma") if wrapper is CableMemory else make("chroma", asynchronous=True)
    with pytest.raises(ConfigError, match=r"out of: .*expand_options, .*linking, model, .*store; got \{'foo': 1\}"):
        wrapper(memory, store=links, foo=1)


@pytest.mark.parametrize("replace", [-1, True, 1.5, "2"])
def test_entries_to_replace_are_counted_alike_by_search_and_constructor(story: Story, links: str, replace: Any) -> None:
    memory, cable, _, _ = story
    for call in (
        lambda: CableMemory(memory, store=links, model="rules", replace=replace),
        lambda: cable.search(QUESTION, user_id="ann", limit=6, replace=replace),
        lambda: cable.search(QUESTION, user_id="nobody", limit=6, replace=replace),
        lambda: cable.explain(QUESTION, user_id="ann", limit=6, replace=replace),
    ):
        with pytest.raises(ConfigError, match="`replace` must be a whole number of at least 0"):
            call()


def test_mem0_is_asked_whatever_we_do_not_understand(story: Story) -> None:
    memory, cable, _, _ = story
    for messages in ([None], [3], 3):
        with pytest.raises(Exception) as theirs:  # noqa: PT011 - whatever mem0 raises
            memory.add(messages, user_id="ann", infer=False)
        with pytest.raises(type(theirs.value)) as ours:
            cable.add(messages, user_id="ann", infer=False)
        assert str(ours.value) == str(theirs.value)
