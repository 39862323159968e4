"""Stored text on one line: as a terminal shows it and does not obey it, and as a Mermaid chart takes it."""

from __future__ import annotations

import re

from memory_evidence.blocks import encodable

# Control characters, and those that turn the direction of text.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# What means something to Mermaid or HTML, also inside quotes.
_MARKUP = re.compile(r"""["'`<>&#|\\{}\[\]]""")
_LONGEST = 60


def one_line(text: str) -> str:
    """Return `text` as one line that a terminal shows and does not obey."""
    return _CONTROL.sub("\ufffd", " ".join(encodable(text).split()))


def chart_label(text: str) -> str:
    """Return the beginning of `text` as it may stand in the quotes of a Mermaid label."""
    text = one_line(text)
    # Cut before it is escaped: half an entity would be shown as it stands.
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
    return _MARKUP.sub(lambda match: f"#{ord(match[0])};", text)
