"""Where the links of a LoCoMo conversation come from (a record, a recorded or live model, rules), and their times."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from benchmarks.locomo import Conversation, Pair, RecordedModel, pairs
from benchmarks.locomo_hosts import Searched
from integrations.openai_model import OpenAIModel
from memory_evidence.cable.cable import CableSettings
from memory_evidence.cable.construct import LinkOptions
from memory_evidence.cable.filter import spoken, statements
from memory_evidence.cable.queries import MOST_QUERIES
from memory_evidence.cable.words import FUNCTION_WORDS, POLITE_WORDS, words
from memory_evidence.models import ChatModel, Usage

ABLATIONS = {
    "subtraction": LinkOptions(subtract=False),
    "verification": LinkOptions(verify=False),
    "queries": LinkOptions(generic_queries=True),
    "generic": LinkOptions(),
}
"""What is left out: the subtraction of direct neighbours, the verification, or antecedent queries. For "queries" a live
model is asked for topics; "generic" takes `topics` by rule, so that the recorded verdicts judge what they find."""

Opened = Callable[[ChatModel | None, CableSettings], AbstractContextManager[Searched]]
"""Opens a conversation in the host that links are made in."""

_CLOCK = "%I:%M %p on %d %B, %Y"


@dataclass(slots=True)
class Agreement:
    """What the model whose verdicts were recorded says of the rules' links."""

    judged: int = 0
    """The rules' links that it judged."""
    accepted: int = 0
    """Those of them that it accepted."""
    all_judged: int = 0
    all_accepted: int = 0

    def add(self, rules: Sequence[Pair], accepted: Set[tuple[str, str]], candidates: Sequence[dict[str, Any]]) -> None:
        """Count the rules' links of one conversation."""
        judged = _judged(candidates)
        own = {(prior, new) for prior, new, _ in rules} & judged
        self.judged += len(own)
        self.accepted += len(own & accepted)
        self.all_judged += len(judged)
        self.all_accepted += len(judged & accepted)

    def as_dict(self) -> dict[str, Any] | None:
        """Return the counts, and the share that it accepted of all that it judged; None where it judged nothing."""
        if not self.all_judged:
            return None
        base_rate = round(self.all_accepted / self.all_judged, 4)
        return {"judged": self.judged, "accepted": self.accepted, "base_rate": base_rate}


def linked(
    conversation: Conversation,
    opened: Opened,
    recorded: dict[str, Any],
    usage: dict[str, Usage],
    *,
    url: str | None,
    ablate: str | None,
    beside: bool,
    agreement: Agreement | None = None,
) -> list[Pair]:
    """Return the links of `conversation`: recorded ones as they are, or what link construction finds.

    Args:
        conversation: Whose links.
        opened: Opens the host for link construction.
        recorded: The lines of the files `links`, `queries` and `candidates`, by conversation.
        usage: The calls of link construction are added to it, by stage.
        url: Of a live model; None: what is recorded, or the rules.
        ablate: A key of `ABLATIONS`.
        beside: Whether the rules' links are added.
        agreement: Where they are added to recorded ones, what the record's verdicts are on them is added to it.
    """
    found = pairs(recorded.get("links", {}).get(conversation.name, []))
    model = OpenAIModel("local", base_url=url, timeout_s=600) if url else _recorded(conversation, recorded, ablate)
    if model is not None or not found:
        options = replace(ABLATIONS[ablate] if ablate else LinkOptions(), rules_beside_model=beside)
        found = _constructed(opened, model, options, usage)
    elif beside:
        rules = _constructed(opened, None, LinkOptions(), usage)
        known = {(prior, new) for prior, new, _ in found}
        if agreement is not None:
            agreement.add(rules, known, recorded.get("candidates", {}).get(conversation.name, []))
        found += [pair for pair in rules if pair[:2] not in known]
    return found


def _recorded(conversation: Conversation, recorded: dict[str, Any], ablate: str | None) -> ChatModel | None:
    if "queries" not in recorded:
        return None
    links = pairs(recorded.get("links", {}).get(conversation.name, []))
    queries = recorded["queries"].get(conversation.name, [])
    if ablate == "generic":
        texts = {turn.id: turn.text for turn in conversation.turns}
        queries = [{**item, "queries": topics(texts[item["id"]])} for item in queries]
    judged = None
    if ablate == "subtraction":
        judged = _judged(recorded.get("candidates", {}).get(conversation.name, []))
    return RecordedModel(conversation.turns, queries, links, judged)


def _constructed(opened: Opened, model: ChatModel | None, options: LinkOptions, usage: dict[str, Usage]) -> list[Pair]:
    with opened(model, CableSettings(link_options=options)) as host:
        for stage, used in host.link().usage.items():
            usage[stage] = usage.get(stage, Usage()) + used
        turns = {host_id: turn for turn, host_id in host.ids.items()}
        return [(turns[link.prior], turns[link.new], link.reason) for link in host.links.all(host.scope)]


def _judged(candidates: Sequence[dict[str, Any]]) -> set[tuple[str, str]]:
    return {(prior, row["id"]) for row in candidates for prior in row["candidates"]}


def topics(text: str, *, most: int = MOST_QUERIES) -> list[str]:
    """Return at most `most` topics of a memory: generic topical decomposition, for the ablation of the queries.

    By a rule of ours in the place of the paper's prompt: groups of neighbouring words that are neither function words
    nor polite ones, the longest first. Verdicts were recorded for what antecedent queries find; a pair that only these
    queries find was never judged and counts as rejected, so what is measured with them is a lower bound.
    """
    groups: dict[str, int] = {}
    who, _ = spoken(text)
    for sentence in statements(text):
        group: list[str] = []
        for word in [*words(sentence), ""]:
            if word and word not in FUNCTION_WORDS and word not in POLITE_WORDS:
                group.append(word)
            elif group:
                groups.setdefault(" ".join(group), len(group))
                group = []
    longest = sorted(groups, key=lambda group: -groups[group])[:most]
    return [f"{who} {group}".strip() for group in longest]


def times(conversation: Conversation) -> dict[str, str]:
    """Return by turn when a link of it was verified, ISO 8601, as if questions were asked now.

    A session's turns are linked at its date, and the last session was today; those without a date were linked today.
    """
    dates = {
        turn.id: datetime.strptime(turn.time, _CLOCK).replace(tzinfo=UTC) for turn in conversation.turns if turn.time
    }
    now = datetime.now(UTC)
    end = max(dates.values(), default=now)
    ages = {turn.id: end - dates.get(turn.id, end) for turn in conversation.turns}
    return {turn: (now - age).isoformat(timespec="seconds") for turn, age in ages.items()}
