"""Stored text as the prompts of linking show it: as data."""

from __future__ import annotations

import json

from memory_evidence.blocks import encodable, safe_line

__all__ = ["MOST_CHARACTERS", "as_data", "shown"]

MOST_CHARACTERS = 2_000
"""Characters of one memory that a prompt shows."""


def as_data(**fields: str | None) -> str:
    """Return `fields` as JSON for a prompt, without those that are None."""
    return encodable(json.dumps({k: shown(v) for k, v in fields.items() if v is not None}, ensure_ascii=False))


def shown(text: str) -> str:
    """Return the beginning of `text` so that it can neither pose as a chat turn nor open or close a block of ours."""
    return safe_line(text[:MOST_CHARACTERS])
