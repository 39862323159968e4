"""A language model that answers from an arm's evidence: one call a question, one prompt for all arms."""

from __future__ import annotations

from collections.abc import Sequence

from integrations.openai_model import OpenAIModel
from memory_evidence.models import Message

MAX_CHARS = 24_000
"""What fits a reader's window of 8,192 tokens; longer evidence keeps its newest records, as a full window would."""


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
        messages = [*EXAMPLES, Message("user", _asked("\n".join(reversed(kept)), question))]
        return self._model.complete(messages, temperature=0.0, max_tokens=24).text


def _asked(facts: str, question: str) -> str:
    return f"{facts}\n\nQuestion: {question}\nAnswer:"


# A model of this size needs to be shown what a short answer is; every arm gets the same examples, made up for this.
EXAMPLES = tuple(
    message
    for facts, question, answer in (
        (
            "The owner of Kestrel is Blue Team.\nBlue Team is located in the city of Bergen.\n"
            "Bergen is located in the country of Norway.\nThe mayor of Bergen is Ida Lund.",
            "In which country is the city where the owner of Kestrel is located?",
            "Norway",
        ),
        (
            "Mara Quill is married to Tom Reed.\nTom Reed is employed by Harbor Bank.",
            "Who employs the spouse of Mara Quill?",
            "Harbor Bank",
        ),
        (
            "The author of Salt Road is Ines Falk.\nInes Falk was born in the city of Turku.\n"
            "Turku is located in the continent of Europe.",
            "Where was the author of Salt Road born?",
            "Turku",
        ),
    )
    for message in (Message("user", _asked(facts, question)), Message("assistant", answer))
)
