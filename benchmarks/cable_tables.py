"""The tables about CABLE of `docs/figures.md`, made from the kept results."""

from __future__ import annotations

from benchmarks.tables import RESULTS, percent, recalls, result_of, spread, table

REACHES = tuple((host, *budget) for host in ("dense", "bm25", "fused") for budget in ((10, 2), (20, 3), (45, 5)))
"""Host, entries, and how many of them may be exchanged, for which reach on LoCoMo is kept."""
REAL_HOSTS = tuple((host, *budget) for host in ("chroma", "mem0") for budget in ((10, 2), (20, 3), (45, 5)))
"""The same for memories of other people, each under its wrapper."""
NEEDS = {"locomo_amem_45": "agentic_memory", "locomo_simplemem_45": "simplemem"}
"""By result, the package that brings torch along and is not in the environment of all others; 45 entries, 5 open."""
JUDGED = ("conv-26", "conv-30")
"""The conversations whose links were judged by a strong model."""
CONSTRUCTIONS = {
    "locomo_construction": "the paper's",
    "locomo_no_subtraction": "without subtraction",
    "locomo_no_verification": "without verification",
    "locomo_generic": "generic queries",
    "locomo_rules": "rules, no model",
    "locomo_beside": "the record and rules",
}
"""How links are made, by the result that is kept of it."""
STAGES = {"classify": "type", "queries": "queries", "verify": "verdicts"}
"""The stages of link construction that ask a model."""


def cable() -> str:
    """Return the tables about CABLE."""
    return "\n".join([*_reaches(), "", *_constructions(), "", *_cable_growth()])


def _reaches() -> list[str]:
    lines = [
        "Evidence reached on LoCoMo with recorded links, recall in points, conversations 26 / 30, entry for entry; "
        "random links have the same degrees, mean (least-most) of five draws:",
        "",
    ]
    lines += table(
        ["host", "entries / open", "host alone", "paper's score", "with random links", "ours", "with random links"],
        (
            [
                host,
                f"{budget} / {replace}",
                *recalls(reach["by_conversation"], "host"),
                *recalls(reach["scores"]["paper"]["by_conversation"], "cable"),
                _control(reach["scores"]["paper"]["random_links"]),
                *(f"**{cell}**" for cell in recalls(reach["scores"]["default"]["by_conversation"], "cable")),
                _control(reach["scores"]["default"]["random_links"]),
            ]
            for host, budget, replace in REACHES
            for reach in [result_of(f"locomo_{host}_{budget}")]
        ),
    )
    lines += ["", "The same links in other people's memories, each under its wrapper:", ""]
    lines += table(
        ["host", "conversations", "entries / open", "host alone", "ours", "added to a read, ms"],
        (
            [
                host,
                " / ".join(name.removeprefix("conv-") for name in reach["by_conversation"]),
                f"{budget} / {replace}",
                *recalls(reach["by_conversation"], "host"),
                *(f"**{cell}**" for cell in recalls(reach["by_conversation"], "cable")),
                f"{reach['added_read_ms']:.1f}",
            ]
            for host, budget, replace in (*REAL_HOSTS, ("amem", 45, 5), ("simplemem", 45, 5))
            # Those with an environment of their own may not have been run.
            if (host, budget, replace) in REAL_HOSTS or (RESULTS / f"locomo_{host}_{budget}.json").exists()
            for reach in [result_of(f"locomo_{host}_{budget}")]
        ),
    )
    return lines


def _constructions() -> list[str]:
    results = {title: result_of(name) for name, title in CONSTRUCTIONS.items()}
    full, beside = result_of("locomo_construction"), result_of("locomo_beside")["agreement"]
    lines = ["How links are made (dense, 45 / 5; calls and tokens for each memory that is linked):", ""]
    lines += table(
        ["links", "how many", "model calls", "tokens, in / out", "paper's score", "with random links", "ours"],
        (
            [
                title,
                f"{result['links']['count']:,}",
                *_cost(result["usage"]),
                *recalls(result["scores"]["paper"]["by_conversation"], "cable"),
                _control(result["scores"]["paper"]["random_links"]),
                *recalls(result["scores"]["default"]["by_conversation"], "cable"),
            ]
            for title, result in results.items()
        ),
    )
    linked = full["usage"]["classify"]["calls"]
    lines += ["", f"The paper's way by stage, for each of {linked} memories:", ""]
    lines += table(
        ["stage", "calls", "tokens in", "tokens out"],
        (
            [title, *(f"{used[key] / linked:,.1f}" for key in ("calls", "prompt_tokens", "completion_tokens"))]
            for stage, title in STAGES.items()
            for used in [full["usage"][stage]]
        ),
    )
    lines += [
        "",
        f"Of the rules' links the strong model had judged {beside['judged']} and accepted {beside['accepted']} "
        f"({percent(beside['accepted'] / beside['judged'])}); of all that it judged it accepted "
        f"{percent(beside['base_rate'])}.",
    ]
    return lines


def _cost(usage: dict[str, dict[str, int]]) -> list[str]:
    """Return the calls and tokens for each memory that was linked."""
    if not usage:
        return ["none", "none"]
    linked = usage["classify"]["calls"]
    calls = " + ".join(f"{usage.get(stage, {}).get('calls', 0) / linked:.1f}" for stage in STAGES)
    read, written = (sum(one[f"{kind}_tokens"] for one in usage.values()) / linked for kind in ("prompt", "completion"))
    return [calls, f"{read:,.0f} / {written:,.0f}"]


def _cable_growth() -> list[str]:
    growth, soak = result_of("cable_growth"), result_of("cable_soak")["soak"]
    lines = table(
        ["memories", "links", "added to a read of 20, ms (median / p95)", "of 45", "links written/s"],
        (
            [
                f"{size['memories']:,}",
                f"{size['kept_links']:,}",
                spread(size["read_20_ms"]["added"]),
                spread(size["read_45_ms"]["added"]),
                f"{size['links_per_s']:,}",
            ]
            for size in growth["sizes"]
        ),
    )
    lines += [
        "",
        f"Four threads adding, linking and searching for three users, {soak['seconds']:.0f} s: {soak['added']:,} "
        f"memories, {soak['links']:,} links ({soak['links_across_users']} across users, {soak['lost_links']} lost), "
        f"{soak['errors']} errors.",
    ]
    return lines


def _control(by_conversation: dict[str, dict[str, float]]) -> str:
    """Return the mean recall with random links of each conversation, and the least and the most of the draws."""
    return " / ".join(
        f"{100 * figures['cable']:.1f} ({100 * figures['least']:.1f}-{100 * figures['most']:.1f})"
        for figures in by_conversation.values()
    )
