"""The keyword arguments of a `TallyMem` and of recording a step, and what they may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict, get_args

from memory_evidence.errors import ConfigError
from memory_evidence.models import ChatModel, check_model
from memory_evidence.tallymem.compile import SAMPLES
from memory_evidence.tallymem.receipts import Receipt
from memory_evidence.tallymem.trajectory import Observed
from memory_evidence.tokens import Measure

Compiler = Literal["auto", "rules", "model"]
"""Who compiles questions: the rules, the model, or ("auto") the rules and for what they do not read the model."""


class Options(TypedDict, total=False):
    """The keyword arguments of `TallyMem`, where they are described."""

    compiler: Compiler
    attach_above: int | None
    view_budget: int
    measure: Measure
    block_budget: int
    receipts: Sequence[Receipt]
    tool_prefixes: Sequence[str]
    samples: int
    concurrency: int


class Recorded(TypedDict, total=False):
    """What `DurableTallyMem.record` takes beside action and observation."""

    observed: Observed
    tool: str | None
    arguments: str | None
    call_id: str | None
    key: str | None
    """The caller's own name for this very action: a second call with it changes nothing and returns the same row."""


def check_options(
    model: ChatModel | None,
    compiler: str,
    attach_above: int | None,
    block_budget: int,
    samples: int,
    concurrency: int,
) -> None:
    """Check what no other part checks.

    Raises:
        ConfigError: One of them is out of range.
    """
    if compiler not in get_args(Compiler):
        raise ConfigError("compiler", compiler, " or ".join(map(repr, get_args(Compiler))))
    check_model(model)
    if compiler == "model" and model is None:
        raise ConfigError("model", None, 'a ChatModel for compiler="model"')
    for name, value, least in (
        ("block_budget", block_budget, 200),
        ("samples", samples, 0),
        ("concurrency", concurrency, 1),
    ):
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ConfigError(name, value, f"a whole number of at least {least}")
    if attach_above is not None and (
        not isinstance(attach_above, int) or isinstance(attach_above, bool) or attach_above < 0
    ):
        raise ConfigError("attach_above", attach_above, "a whole number of at least 0, or None: always")
    if 0 < samples < SAMPLES // 2:
        raise ConfigError("samples", samples, "0, or at least 2, so that three plans can agree")
