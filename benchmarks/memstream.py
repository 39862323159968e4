"""MQuAKE-MemStream: cases with edits as one ordered memory stream, and questions on its final state.

    python -m benchmarks.memstream FILE [--hops 2] [--frontend patterns|english] [--reader URL] [--json]

FILE: MQuAKE counterfactual cases (`single_hops`, `new_single_hops`, `requested_rewrite`, `questions`, `new_answer`).
The stream has two blocks: all assertions before the edits, then all after them, in the order of the cases (paper
appendix F). Each case gives its first multi-hop question, and the question of its first edit as single-hop question.
Every method reads the same stream; `all_current_facts` shows the whole resolved state.

The pattern frontend takes its sentence forms from the file's own prompts; `english` is the package's default grammar,
which was not written for this text.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.evaluation import Source, command_line, report
from benchmarks.factconsolidation import read_json
from memory_evidence.cmc.facts import Frontend
from memory_evidence.cmc.frontends.english import EnglishGrammar
from memory_evidence.cmc.frontends.patterns import Pattern, PatternGrammar


def stream(cases: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the assertions before all edits, then those after them; within a block each counts once."""
    blocks: dict[tuple[str, str], None] = {}
    for block in ("single_hops", "new_single_hops"):
        for case in cases:
            for hop in case[block]:
                blocks.setdefault((block, f"{hop['cloze']} {hop['answer']}."))
    return tuple(text for _, text in blocks)


def sources(cases: Sequence[Mapping[str, Any]]) -> list[Source]:
    """Return the stream with its multi-hop and its single-hop questions."""
    records = stream(cases)
    edits = [case["requested_rewrite"][0] for case in cases]
    return [
        Source(
            "memstream_mh",
            records,
            tuple(case["questions"][0] for case in cases),
            tuple((case["new_answer"],) for case in cases),
        ),
        Source(
            "memstream_sh",
            records,
            tuple(edit["question"] for edit in edits),
            tuple((edit["target_new"]["str"],) for edit in edits),
        ),
    ]


def patterns(cases: Iterable[Mapping[str, Any]]) -> tuple[Pattern, ...]:
    """Return the sentence forms of the edits' prompts, such as "{subject} is a citizen of {object}"."""
    prompts = Counter(edit["prompt"] for case in cases for edit in case["requested_rewrite"])
    return tuple(Pattern(prompt.replace("{}", "{subject}") + " {object}") for prompt, _ in prompts.most_common())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    parser = command_line("benchmarks.memstream", "Coverage and reader accuracy on MQuAKE-MemStream.")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--hops", type=int, default=2, help="take the cases with this many hops (paper: 2)")
    parser.add_argument("--frontend", choices=("patterns", "english"), default="patterns")
    given = parser.parse_args(arguments)
    everything = read_json(given.file)
    cases = [case for case in everything if len(case["new_single_hops"]) == given.hops]
    frontend: Frontend = PatternGrammar(patterns(everything)) if given.frontend == "patterns" else EnglishGrammar()
    report("memstream", sources(cases), frontend, parser, given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
