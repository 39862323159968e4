"""A language model that answers from an arm's evidence: one call a question, one prompt for all arms."""

from __future__ import annotations

from collections.abc import Sequence

from integrations.openai_model import OpenAIModel
from memory_evidence.models import Message

MAX_CHARS = 24_000
"""What fits a reader's window of 8,192 tokens; longer evidence keeps its newest records, as a full window would."""
SYSTEM = "Give short answers."


class Reader:
    """An OpenAI-compatible server at `url`, asked at temperature 0."""

    def __init__(self, url: str, model: str = "local") -> None:
        self._model = OpenAIModel(model, base_url=url, timeout_s=600)

    def answer(self, question: str, texts: Sequence[str]) -> str:
        """Answer `question` from records in the order given."""
        kept: list[str] = []
        left = MAX_CHARS
        for text in reversed(texts):
            left -= len(text) + 1
            if left < 0:
                break
            kept.append(text)
        facts = "\n".join(reversed(kept))
        messages = [Message("system", SYSTEM), Message("user", f"{facts}\n\nQuestion: {question}\nAnswer:")]
        return self._model.complete(messages, temperature=0.0, max_tokens=36).text
