"""Real mem0 memories with real vectors. mem0 writes a folder and starts telemetry at import, unless told before."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

os.environ["MEM0_TELEMETRY"] = "False"
os.environ.setdefault("MEM0_DIR", tempfile.mkdtemp(prefix="mem0-tests-"))

from memory_evidence.cable.expand import PAPER
from tests.mem0_adapter import memories


@pytest.fixture(params=["chroma", "qdrant", "faiss"])
def provider(request: pytest.FixtureRequest) -> str:
    """The last stands for all stores whose vectors are out of reach."""
    if request.param == "faiss":
        pytest.importorskip("faiss", reason="faiss-cpu is not installed")
    return str(request.param)


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens mem0 memories in folders of their own, and closes their stores at the end."""
    with ExitStack() as stack:

        def opened(provider: str = "chroma", **options: Any) -> Any:
            folder = tmp_path / f"mem0-{len(list(tmp_path.iterdir()))}"
            memory = memories.open_memory(folder, provider, **options)
            stack.callback(memories.release, memory)
            return memory

        yield opened


@pytest.fixture
def links(tmp_path: Path) -> str:
    """Where a test keeps its links."""
    return f"sqlite:///{tmp_path / 'links.db'}"


@pytest.fixture
def story(make: Callable[..., Any], links: str) -> memories.Story:
    """mem0, its wrapper, and the ids of a cause and of its effect, linked to each other."""
    memory = make("chroma")
    cable = memories.CableMemory(
        memory, store=links, model=memories.refusing(), linking="deferred", expand_options=PAPER
    )
    cause = memories.remember(cable, memories.CAUSE)
    for text in memories.NEAR:
        memories.remember(cable, text)
    effect = memories.remember(cable, memories.EFFECT)
    cable.links.add(cable.scope(user_id="ann"), [memories.link(cause, effect, (memories.CAUSE, memories.EFFECT))])
    return memory, cable, cause, effect
