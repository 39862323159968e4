"""What is kept of a link between two memories, and the hash by which it knows their texts."""

from __future__ import annotations

import hashlib
from typing import NamedTuple


# A tuple, for every read makes hundreds of these, and a frozen dataclass takes four times as long to make.
class Link(NamedTuple):
    """A verified link of one scope: memory `prior` is an antecedent of the later memory `new`."""

    prior: str
    """The host's id of the earlier memory."""
    new: str
    """The host's id of the later memory."""
    reason: str
    """Why it was accepted, as the verifier said it: untrusted text."""
    verifier: str
    """Who accepted it: "model", "rules", "recorded"..."""
    time: str
    """When it was verified, ISO 8601, UTC."""
    prior_hash: str
    """`text_hash` of the earlier memory's text when the link was verified."""
    new_hash: str
    """`text_hash` of the later memory's text when the link was verified."""


def text_hash(text: str) -> str:
    """Return what tells whether a memory's text is still the one that was verified: SHA-256 of its UTF-8, in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
