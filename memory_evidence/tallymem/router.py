"""Decides whether the computed block is attached: by the number of steps that the plan matched (paper appendix J)."""

from __future__ import annotations

from memory_evidence.tallymem.results import Execution

ATTACH_ABOVE = 15
"""The paper's threshold: a reader counts fewer events than this as well from the view alone."""


def attach(execution: Execution, *, above: int | None = ATTACH_ABOVE) -> bool:
    """Whether the block of `execution` goes into the prompt; deterministic, no model.

    Args:
        execution: What was computed.
        above: Attach when the compiled load is larger; None: attach whatever was computed (ours).
    """
    return bool(execution.results) and (above is None or execution.load > above)
