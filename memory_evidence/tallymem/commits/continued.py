"""Whether the value on an assignment's line goes on in the lines below, so that the line does not tell it.

What stands below is in no diff of the line: such a value may change without the line that assigns it. A value that goes
on is kept with the end of its line, which no other value holds.
"""

from __future__ import annotations

import re

_PLAIN = frozenset(("ini", "cfg", "conf", "properties"))
"""Settings in which quotes and brackets are as any other character."""
_MAY_BE_EMPTY = frozenset(("", "sh", "bash", "zsh", "fish", "env", "mk", "bat", "conf", "properties", "txt", "md"))
"""Files in which nothing behind the sign is a value, and not one in the next line."""
_PREFIX = re.compile(r"(?<!\w)(?:[rbfuRBFUL]{1,2}|u8)\Z")
_COMMENT = re.compile(r"(?<!\S)#")
_COMMENT_OF_C = re.compile(r"(?<!:)//|(?<!\S)#")
_UNFINISHED = re.compile(r"(?:&&|\|\||\s[-+*/|&^?=]|(?:\A|[\s(])<<[-~]?(?:\"\"|[A-Z_]+))\Z")
"""The end of a value that an operator, or a here-document, leads on."""
_QUOTE = re.compile(r"\"\"\"|'''|[\"'`]")
_OPEN, _CLOSED = "([{", ")]}"


def continued(value: str) -> str:
    """Return a value as one that goes on over several lines."""
    return value + "\n"


def goes_on(value: str) -> bool:
    """Whether a value, as `read_assignments` returns it, goes on over several lines."""
    return value.endswith("\n")


def left_open(value: str, ending: str) -> bool:
    r"""Whether what stands behind the sign of an assignment is not all of the value.

    It is not where a bracket or a string is left open, where the line ends in a backslash or an operator, and where
    nothing stands there in a language that needs a value. What merely may go on (a chain of calls, a plain text of
    yaml) is not told.

    Args:
        value: All that follows the sign on the line, without space around it.
        ending: What follows the last dot of the file's name, in lower case; "" for none.
    """
    if not value:
        return ending not in _MAY_BE_EMPTY
    if ending in ("yaml", "yml"):
        return value[0] in "\"'[{" and _unclosed(value, ending)
    if value.endswith("\\"):
        return True
    return ending not in _PLAIN and _unclosed(value, ending)


def _unclosed(value: str, ending: str) -> bool:
    comment = _COMMENT if ending in ("py", "pyi", "yaml", "yml", "toml", "sh", "") else _COMMENT_OF_C
    depth = at = 0
    code: list[str] = []
    while at < len(value):
        if comment.match(value, at):
            break
        if value.startswith("/*", at):
            end = value.find("*/", at + 2)
            if end < 0:
                break
            at = end + 2
        elif (quote := _QUOTE.match(value, at)) is not None and _begins_text(value, at, ending):
            end = _end_of_text(value, quote.end(), quote[0])
            if end < 0:
                return True
            code.append('""')
            at = end
        else:
            depth = depth + 1 if value[at] in _OPEN else max(depth - 1, 0) if value[at] in _CLOSED else depth
            code.append(value[at])
            at += 1
    return depth > 0 or _UNFINISHED.search("".join(code).rstrip()) is not None


def _begins_text(value: str, at: int, ending: str) -> bool:
    """Whether a quote is one: not an apostrophe inside a word, nor the sign of a lifetime in Rust."""
    if value[at] != "'":
        return True
    if ending == "rs":
        return re.match(r"'(?:\\[^']*|[^'\\])'", value[at:]) is not None
    return at == 0 or not (value[at - 1].isalnum() or value[at - 1] == "_") or _PREFIX.search(value[:at]) is not None


def _end_of_text(value: str, at: int, quote: str) -> int:
    """Return where a text ends that began before `at`, -1 where the line leaves it open."""
    while at < len(value):
        if value[at] == "\\":
            at += 2
        elif value.startswith(quote, at):
            return at + len(quote)
        else:
            at += 1
    return -1
