"""Link construction: what is searched, subtracted, asked and accepted, and what that costs."""

from __future__ import annotations

import json
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_evidence.cable.classify import TypeOut
from memory_evidence.cable.construct import READ_BEFORE, LinkOptions, link_steps
from memory_evidence.cable.host import Hit, Memory
from memory_evidence.cable.priors import by_search
from memory_evidence.cable.queries import QueriesOut
from memory_evidence.errors import ConfigError, ModelError
from memory_evidence.models import UsageMeter, run
from memory_evidence.testing import ScriptedModel
from tests.cable.hosts import NumpyHost, numbered

TEXTS = (
    "Bo: The new manager shouted at everybody in the meeting.",
    "Emma: My salary was cut and the benefits are gone.",
    "Emma: I keep an old resignation letter in a drawer.",
    "Bo: Thanks, Emma!",
    "Emma: I wrote a resignation letter for a friend.",
)
NEW = Memory("6", "Emma: I submitted my resignation letter to the office.")
QUERIES = ["manager shouted meeting", "salary cut benefits", "thanks Emma"]
YES = '{"valid": true, "reason": "It made her go."}'
LATER = 53
NO = '{"valid": false, "reason": "Only the same person."}'


def prior(ids):
    return {i for i in ids if int(i) < 6}


def model(*verdicts, kind='{"type": "event"}', queries=QUERIES):
    """Answers by what is asked, and takes a verdict after the other."""
    left = list(verdicts)

    def reply(messages):
        data = json.loads(messages[-1].content)
        if "earlier" in data:
            return left.pop(0) if left else NO
        return kind if "kind" in messages[0].content else json.dumps({"queries": queries})

    return ScriptedModel([reply] * 50)


def link(memory=NEW, *, host=None, scripted=None, options=None, is_prior=prior, before=(), meter=None):
    host = host or NumpyHost(numbered(*TEXTS))
    steps = link_steps(
        memory,
        partial(by_search, host, memory.id, is_prior=is_prior, later=LATER),
        options=options or LinkOptions(direct_k=2),
        use_model=scripted is not None,
        before=before,
    )
    return run(steps, scripted or ScriptedModel([]), meter=meter, concurrency=1)


def test_candidates_are_what_queries_find_and_direct_search_does_not():
    linking = link(scripted=model(YES, NO))
    assert set(linking.direct) == {"3", "5"}
    assert set(linking.candidates) == {"1", "2"}
    assert (linking.memory_type, linking.queries, linking.verifier) == ("event", tuple(QUERIES), "model")
    assert [(a.prior.id, a.reason, a.verifier) for a in linking.accepted] == [
        (linking.candidates[0], "It made her go.", "model")
    ]
    assert linking.rejected == 1


@pytest.mark.parametrize("reason", ["...", "", " ", "…", "1."])
def test_a_yes_whose_reason_has_no_letter_links_nothing(reason):
    linking = link(scripted=model(json.dumps({"valid": True, "reason": reason}), YES))
    assert [a.reason for a in linking.accepted] == ["It made her go."]
    assert linking.rejected == 1


def test_calls_are_two_and_one_for_each_candidate_in_three_stages():
    meter = UsageMeter()
    scripted = model(YES, YES)
    linking = link(scripted=scripted, meter=meter)
    assert len(scripted.calls) == 2 + len(linking.candidates)
    assert {stage: usage.calls for stage, usage in meter.stages.items()} == {"classify": 1, "queries": 1, "verify": 2}
    assert [call.temperature for call in scripted.calls] == [0.1, 0.2, 0.0, 0.0]


@settings(max_examples=25)
@given(st.lists(st.sampled_from(TEXTS), max_size=12), st.integers(0, 5), st.integers(1, 6), st.integers(1, 4))
def test_calls_are_never_more_than_two_and_the_candidates(texts, direct_k, antecedent_k, queries):
    memories = numbered(*texts)
    scripted = ScriptedModel([lambda messages: YES if "earlier" in messages[-1].content else ""] * 100)
    options = LinkOptions(direct_k=direct_k, antecedent_k=antecedent_k, queries=queries)
    linking = link(Memory("99", NEW.text), host=NumpyHost(memories), scripted=scripted, options=options, is_prior=set)
    assert len(scripted.calls) == 2 + len(linking.candidates)
    assert len(linking.candidates) <= queries * antecedent_k
    assert set(linking.candidates).isdisjoint(linking.direct)


def test_only_prior_memories_are_found_also_where_later_ones_are_nearer():
    later = (Memory(str(n), TEXTS[n % len(TEXTS)]) for n in range(7, 7 + LATER))
    host = NumpyHost([*later, *numbered(*TEXTS)])  # of equal ones it finds the first
    linking = link(host=host, scripted=model(YES, YES))
    assert set(linking.candidates) == {"1", "2"}
    assert set(linking.direct) == {"3", "5"}


def test_the_memory_itself_its_copies_and_small_talk_are_no_candidates():
    host = NumpyHost([*numbered(*TEXTS), Memory("0", NEW.text), NEW])
    linking = link(host=host, scripted=model(queries=[NEW.text, "thanks Emma"]), options=LinkOptions(direct_k=0))
    assert "0" not in linking.candidates
    assert "4" not in linking.candidates
    assert NEW.id not in linking.candidates


class Scored(NumpyHost):
    """Finds what the query spells: "1=0.9 2=0.5"."""

    def search(self, query, k):
        spelled = (part.split("=") for part in query.split() if "=" in part)
        return [Hit(self.get([i])[i], float(score)) for i, score in spelled][:k]


def test_a_repeated_hit_keeps_its_best_score():
    scripted = model(queries=["1=0.9 2=0.5", "2=0.8 1=0.2", "3=0.85"])
    linking = link(host=Scored(numbered(*TEXTS)), scripted=scripted)
    assert linking.candidates == ("1", "3", "2")


class Scoreless(NumpyHost):
    def search(self, query, k):
        return [Hit(hit.memory, None) for hit in super().search(query, k) for _ in range(2)]


def test_a_host_without_scores_and_with_duplicates_gives_the_same_candidates():
    plain, odd = (link(host=kind(numbered(*TEXTS)), scripted=model()) for kind in (NumpyHost, Scoreless))
    assert set(plain.candidates) == set(odd.candidates)


@pytest.mark.parametrize("text", ["Bo: Thanks, Emma!", "How are you?", ""])
def test_a_memory_without_information_costs_nothing(text):
    host = NumpyHost(numbered(*TEXTS))
    linking = link(Memory("6", text), host=host, scripted=ScriptedModel([]))
    assert linking.skipped == "too little information"
    assert (linking.accepted, host.searches) == ((), [])


def test_recalled_evidence_that_was_stored_again_is_no_memory():
    text = "<memory-evidence>\nRecords from memory.\n1. Emma submitted her letter.\n</memory-evidence>"
    assert "recalled" in (link(Memory("6", text), scripted=ScriptedModel([])).skipped or "")


def test_prose_for_type_and_queries_is_replaced_and_prose_for_a_verdict_is_a_no():
    scripted = ScriptedModel([lambda _: "Of course! The antecedent is clear."] * 20)
    linking = link(scripted=scripted)
    assert linking.memory_type == "event"
    assert all("Emma" in query for query in linking.queries)
    assert linking.accepted == ()


def test_an_unreachable_model_raises_so_that_the_memory_can_wait():
    down = ModelError("chat", "down")
    with pytest.raises(ModelError, match="down"):
        link(scripted=ScriptedModel([down]))
    with pytest.raises(ModelError, match="down"):
        link(scripted=ScriptedModel(['{"type": "event"}', down]))
    with pytest.raises(ModelError, match="down"):
        link(scripted=ScriptedModel(['{"type": "event"}', json.dumps({"queries": QUERIES}), YES, down]))


def test_one_pair_that_a_model_refuses_for_good_is_a_no():
    refused = ModelError("chat", "content filter", False)
    queries = json.dumps({"queries": QUERIES})
    linking = link(scripted=ScriptedModel(['{"type": "event"}', queries, refused, YES]))
    assert len(linking.accepted) == 1
    with pytest.raises(ModelError, match="content filter"):
        link(scripted=ScriptedModel(['{"type": "event"}', queries, refused, refused]))


def test_ablations_leave_out_what_they_name():
    kept = link(scripted=model(), options=LinkOptions(direct_k=2, subtract=False))
    assert set(kept.candidates) >= {"1", "2", "3"}
    scripted = model()
    unverified = link(scripted=scripted, options=LinkOptions(direct_k=2, verify=False))
    assert {a.prior.id for a in unverified.accepted} == {"1", "2"}
    assert (unverified.verifier, len(scripted.calls)) == ("none", 2)
    scripted = model()
    link(scripted=scripted, options=LinkOptions(generic_queries=True))
    assert "topics" in scripted.calls[1].messages[0].content


def test_without_a_model_nothing_is_asked_and_the_rules_judge():
    texts = ("Bo: The manager cut the salary of Emma.", "Emma: I repair clocks.", "Bo: The river froze.")
    memory = Memory("6", "Emma: I left because the manager cut my salary.")
    linking = link(memory, host=NumpyHost(numbered(*texts)), options=LinkOptions(direct_k=0))
    assert [(a.prior.id, a.verifier) for a in linking.accepted] == [("1", "rules")]
    assert linking.verifier == "rules"


def test_rules_link_the_last_substantive_memories_written_just_before():
    before = numbered("Ann: The canoe sank.", "Bo: The planks were old.", "Ann: Oh!", "Bo: Who built it?")
    memory = Memory("6", "Ann: My uncle built it in the barn.")
    host = NumpyHost(before)
    assert [a.prior.id for a in link(memory, host=host, before=before).accepted] == ["1", "2"]
    assert [a.prior.id for a in link(memory, host=host, before=before, options=LinkOptions(previous=1)).accepted] == [
        "2"
    ]
    assert link(memory, host=host, before=before, options=LinkOptions(previous=0)).accepted == ()
    assert 2 + LinkOptions().previous <= READ_BEFORE


def test_beside_a_model_the_rules_link_only_where_told_and_without_a_call():
    before = numbered(*TEXTS)
    plain, beside = model(), model()
    assert link(scripted=plain, before=before).accepted == ()
    linking = link(scripted=beside, before=before, options=LinkOptions(direct_k=2, rules_beside_model=True))
    assert [(a.prior.id, a.verifier) for a in linking.accepted] == [("3", "rules"), ("5", "rules")]
    assert len(beside.calls) == len(plain.calls)


def test_a_prior_that_the_model_accepted_is_not_linked_twice():
    before = numbered(*TEXTS)[:2]
    linking = link(scripted=model(YES, YES), before=before, options=LinkOptions(direct_k=2, rules_beside_model=True))
    assert sorted(a.prior.id for a in linking.accepted) == ["1", "2"]


@pytest.mark.parametrize("wrong", [{"direct_k": -1}, {"antecedent_k": 0}, {"queries": 0}, {"previous": -1}])
def test_a_wrong_bound_is_refused(wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        LinkOptions(**wrong)


def test_schemas_go_with_the_questions():
    scripted = model()
    link(scripted=scripted)
    assert [call.schema for call in scripted.calls[:2]] == [TypeOut, QueriesOut]


def test_the_rules_take_only_what_stands_in_one_sitting_for_said_just_before():
    boss = Memory("1", "My boss shouted at me.", "2026-03-01T09:00:00")
    helmet = Memory("2", "The helmet costs forty euros.", "2026-06-01T09:00:00")
    new = Memory("3", "So I bought a green bicycle.", "2026-06-01T09:01:00")
    host = NumpyHost([boss, helmet])
    assert [each.prior.id for each in link(new, host=host, before=[boss, helmet]).accepted] == ["2"]
    assert link(new, host=host, before=[boss]).accepted == ()
