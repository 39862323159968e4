"""What vector stores call distance, as a similarity: the spaces of Chroma, which A-MEM and mem0 store in as well."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from memory_evidence.cable.host import FloatArray

__all__ = ["Space", "chroma_space", "distance", "similarity"]

Space = Literal["l2", "ip", "cosine"]
"""Squared Euclidean distance, 1 - dot product, 1 - cosine."""


def chroma_space(configuration: Mapping[str, Any]) -> Space:
    """Return the space that a Chroma collection with this `configuration_json` measures in."""
    for index in ("hnsw", "spann"):
        space = (configuration.get(index) or {}).get("space")
        if space in ("l2", "ip", "cosine"):
            found: Space = space
            return found
    return "l2"  # Chroma's own default


def similarity(space: Space, distance: float) -> float:
    """Return a score that is higher for what is nearer: in (0, 1] for `l2`, else the dot product or the cosine."""
    return 1 / (1 + max(distance, 0.0)) if space == "l2" else 1 - distance


def distance(space: Space, one: FloatArray, other: FloatArray) -> float:
    """Return what the store would have given for two vectors of shape `(dim,)`.

    The cosine distance to a zero vector, which has no direction, is 1.
    """
    # In double precision: the square of a large or a tiny float32 would not fit.
    a, b = one.astype(np.float64), other.astype(np.float64)
    if space == "l2":
        return float(np.sum(np.square(a - b)))
    dot = float(a @ b)
    if space == "ip":
        return 1 - dot
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    return 1 - dot / lengths if lengths else 1.0
