"""Real tokenizers, to hold the offline estimate against."""

from __future__ import annotations

import json
import urllib.request

import pytest

from memory_evidence.tokens import Measure


def cl100k() -> Measure:
    """Return the count of OpenAI's cl100k, whose file comes with LlamaIndex, or skip the test."""
    utils = pytest.importorskip("llama_index.core.utils")
    encode = utils.get_tokenizer()
    return lambda text: len(encode(text))


def local_model(url: str) -> Measure:
    """Return the count of the local model (SmolLM2: 49,152 tokens, English, one for each digit), asked of its server.

    Args:
        url: Its base URL, that of the fixture `local_model_url`.
    """

    def count(text: str) -> int:
        body = json.dumps({"content": text}).encode()
        request = urllib.request.Request(
            url.removesuffix("/v1") + "/tokenize", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return len(json.load(answer)["tokens"])

    return count
