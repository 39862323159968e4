"""The controlled probe: generated questions with known event sets, answered by compiled plans.

    python -m benchmarks.ama_probe FILE [--seed N] [--model URL [--model-questions N] [--max-tokens N]] [--json]

FILE: AMA-Bench episodes (`.jsonl`, `.jsonl.gz`); embodied (alfworld) and software (swebench) ones are taken. The
templates and how their answers are parsed: `benchmarks.probe_questions`, which uses nothing of the engine.

Arms: `rules` (the rule compiler), `model` (every question goes to the model at URL), `fixed_counter` (one plan for all:
group by tool within the stated bound, no compilation), `view_only` (the reading view alone: its recall is
the share of needed steps it shows). A question is exact when some sub-query or group selects exactly its event set;
precision, recall and F1 are those of the candidate with the highest F1, as in the paper; `answer_correct` is the share
of questions whose computed value is the parsed answer: 0 for the fixed counter by construction, since it gives many
groups and no value, so that `exact_rate` is what it can be compared by. `--model-questions` takes that many for the arm
of the model, evenly spread over all, and `rules_on_the_same` repeats the rules' figures on these.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from pydantic import BaseModel

from benchmarks.common import SEED, emit, environment, say
from benchmarks.probe_questions import Question, generate
from benchmarks.trajectories import episodes
from integrations.openai_model import OpenAIModel
from memory_evidence.models import ChatModel, Completion, Message
from memory_evidence.tallymem import Execution, Plan, Result, Scope, SubQuery, TallyMem, Trajectory

_BOUND = re.compile(r"up to and including step (\d+)")


@dataclass(frozen=True)
class Score:
    """How one question came out in one arm."""

    template: str
    exact: bool
    precision: float
    recall: float
    correct: bool

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


Arm = Callable[[TallyMem, Question], Score]


def by_plan(memory: TallyMem, question: Question) -> Score:
    """Score what the memory's own compiler makes of a question."""
    return _score(question, memory.execute(memory.plan(question.text)))


def by_fixed_counter(memory: TallyMem, question: Question) -> Score:
    """Score one plan for all: the count of each tool within the stated bound."""
    bound = _BOUND.search(question.text)
    plan = Plan((SubQuery("group", scope=Scope(None, int(bound[1]) if bound else None), by="tool"),))
    return _score(question, memory.execute(plan))


def by_view(memory: TallyMem, question: Question) -> Score:
    """Score the steps that the reading view shows; a view computes no answer."""
    shown, needed = set(memory.evidence(question.text).view.steps), set(question.events)
    recall = len(shown & needed) / len(needed)
    return Score(question.template, shown == needed, len(shown & needed) / max(len(shown), 1), recall, False)


def _score(question: Question, execution: Execution) -> Score:
    best = Score(question.template, False, 0.0, 0.0, False)
    needed = set(question.events)
    for steps in _candidates(execution.results):
        found = set(steps)
        hits = len(found & needed)
        score = Score(question.template, found == needed, hits / max(len(found), 1), hits / len(needed), False)
        best = max(best, score, key=lambda s: s.f1)
    correct = any(_answers(result, question) for result in execution.results)
    return Score(question.template, best.exact, best.precision, best.recall, correct)


def _candidates(results: Iterable[Result]) -> Iterable[tuple[int, ...]]:
    for result in results:
        yield result.steps
        yield from result.groups.values()


def _answers(result: Result, question: Question) -> bool:
    """Whether the value of a result, and not one value among many, is the answer."""
    value: object = result.value
    if result.operation in ("most", "least"):
        return value == (question.answer,)
    return type(value) is type(question.answer) and value == question.answer


class Capped:
    """A model that is never asked for more than so many tokens: a small one that loses its thread writes on and on."""

    def __init__(self, model: ChatModel, max_tokens: int) -> None:
        self._model, self._most = model, max_tokens

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
    ) -> Completion:
        """Answer, or raise `ModelError`."""
        most = min(max_tokens, self._most)
        return self._model.complete(messages, schema=schema, temperature=temperature, max_tokens=most)

    async def acomplete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
    ) -> Completion:
        """`complete` without blocking the event loop."""
        most = min(max_tokens, self._most)
        return await self._model.acomplete(messages, schema=schema, temperature=temperature, max_tokens=most)


ARMS: Mapping[str, Arm] = {"rules": by_plan, "fixed_counter": by_fixed_counter, "view_only": by_view}


def run(path: Path, seed: int, model: ChatModel | None = None, model_questions: int | None = None) -> dict[str, Any]:
    """Return the figures of every arm over one file."""
    probes = [
        (Trajectory.from_ama(episode), questions)
        for episode in episodes(path)
        if (questions := list(generate(episode, seed)))
    ]
    scores: dict[str, list[Score]] = {name: [] for name in ARMS}
    for trajectory, questions in probes:
        say(f"episode {questions[0].episode}: {len(questions)} questions")
        for name, arm in ARMS.items():
            memory = TallyMem(trajectory, compiler="rules")
            scores[name] += [arm(memory, question) for question in questions]
    figures = {name: _arm(values) for name, values in scores.items()}
    if model is not None:
        figures["model"] = _by_model(probes, model, scores["rules"], model_questions)
    return {
        "benchmark": "ama_probe",
        "environment": environment("openai"),
        "seed": seed,
        "questions": len(scores["rules"]),
        "arms": figures,
    }


def _by_model(
    probes: Sequence[tuple[Trajectory, Sequence[Question]]],
    model: ChatModel,
    by_rules: Sequence[Score],
    most: int | None,
) -> dict[str, Any]:
    asked = [(trajectory, question) for trajectory, questions in probes for question in questions]
    count = min(most or len(asked), len(asked))
    chosen = [place * len(asked) // count for place in range(count)]
    scores: list[Score] = []
    planned = 0
    for done, place in enumerate(chosen, 1):
        trajectory, question = asked[place]
        memory = TallyMem(trajectory, model, compiler="model")
        plan = memory.plan(question.text)
        planned += plan.applicable
        scores.append(_score(question, memory.execute(plan)))
        say(f"model: {done} of {count} questions")
    same = _figures([by_rules[place] for place in chosen])
    return {**_arm(scores), "planned": planned, "rules_on_the_same": same}


def _arm(scores: Sequence[Score]) -> dict[str, Any]:
    templates = sorted({score.template for score in scores})
    return {
        **_figures(scores),
        "templates": {name: _figures([score for score in scores if score.template == name]) for name in templates},
    }


def _figures(scores: Sequence[Score]) -> dict[str, Any]:
    if not scores:
        return {"questions": 0}
    return {
        "questions": len(scores),
        "exact": sum(score.exact for score in scores),
        "exact_rate": round(fmean(score.exact for score in scores), 4),
        "precision": round(fmean(score.precision for score in scores), 4),
        "recall": round(fmean(score.recall for score in scores), 4),
        "f1": round(fmean(score.f1 for score in scores), 4),
        "answer_correct": round(fmean(score.correct for score in scores), 4),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(prog="benchmarks.ama_probe", description="Generated questions with known events.")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--model", metavar="URL", help="OpenAI-compatible server that compiles the questions")
    parser.add_argument("--model-name", default="local", help="the model's name at that server")
    parser.add_argument("--model-questions", type=int, metavar="N", help="ask the model this many questions only")
    parser.add_argument("--max-tokens", type=int, default=1024, help="most tokens of an answer of the model")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    given = parser.parse_args(arguments)
    model: ChatModel | None = None
    if given.model:
        model = Capped(OpenAIModel(given.model_name, base_url=given.model, timeout_s=600), given.max_tokens)
    result = run(given.file, given.seed, model, given.model_questions)
    result |= {key: value for key, value in result["arms"]["rules"].items() if key != "questions"}
    rows = [{"arm": name, "template": "all", **figures} for name, figures in result["arms"].items()]
    rows += [{"arm": "rules", "template": name, **row} for name, row in result["arms"]["rules"]["templates"].items()]
    columns = ["arm", "template", "questions", "exact", "exact_rate", "precision", "recall", "f1", "answer_correct"]
    emit(result, as_json=given.json, rows=rows, columns=columns)
    return 0


if __name__ == "__main__":
    sys.exit(main())
