"""What kinds of things a log knows (files, pages, places), and what files go by: a stem, a directory, an ending."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memory_evidence.tallymem.bounds import Unread
from memory_evidence.tallymem.ledger import Ledger
from memory_evidence.tallymem.terms import contains
from memory_evidence.tallymem.wording import DIRECTORIES, FILES, PAGES, PLACES, THINGS, words

_GOING = words("go goto go_to walk move navigate travel visit")
_WAYS = words(
    """
    north south east west northeast northwest southeast southwest up down left right forward forwards backward backwards
    back in out n s e w
    """
)
"""Where one goes from any place: none of them is a place."""
_SITES = words("website websites site sites")
_TURNING = words("click tap press submit back go_back goback forward go_forward goforward navigate_back browser_back")
"""Tools that may lead to another page and do not name it."""
_PIECES = THINGS - words("thing things something anything everything")
_ENDING = re.compile(r"(?:.*/(?P<below>[^/]*[^/\s.])|(?P<alone>[^/\s]*[^/\s.]))\.(?P<ending>[A-Za-z]\w{0,5})\Z")
_LANGUAGES = {
    "python": ("py", "pyi"),
    "markdown": ("md",),
    "javascript": ("js", "mjs", "cjs"),
    "typescript": ("ts", "tsx"),
    "yaml": ("yaml", "yml"),
    "html": ("html", "htm"),
    "text": ("txt",),
    "shell": ("sh",),
    "rust": ("rs",),
    "java": ("java",),
} | {name: (name,) for name in ("json", "css", "csv", "sql", "toml", "xml", "go")}

_ENDINGS = frozenset(ending for endings in _LANGUAGES.values() for ending in endings)


def check_kinds(ledger: Ledger, names: Iterable[str], *, filing: bool, placed: bool, going: bool) -> None:
    """Check that the log has things of every kind that is named.

    Args:
        ledger: The log.
        names: Nouns for kinds ("files", "rooms") in lower case.
        filing: Whether what is asked about is done to files.
        placed: Whether the log numbers its things ("drawer 1"), or has an action of going.
        going: Whether it is where one went that is asked.

    Raises:
        Unread: It has none, or does not tell them from others.
    """
    for name in names:
        if name in DIRECTORIES:
            raise Unread(f"the log does not tell directories from files: {name!r}")
        known = True
        if name in _SITES:
            raise Unread(f"the log tells pages, and not which {name} they are of")
        if name in PAGES:
            known = any(map(is_page, ledger.values("target")))
            if known and (turning := next((tool for tool in _tools(ledger) if tool in _TURNING), None)):
                raise Unread(f"the log does not tell which of its {name} {turning!r} led to")
        elif name in FILES and not name.startswith("target"):
            known = not placed or bool(ledger.values("effect"))
        elif name in PLACES:
            known = placed and not filing
            if going and (way := next((value for value in ledger.held("place") if value.casefold() in _WAYS), None)):
                raise Unread(f"the log tells ways to go, and no {name}: {way!r}")
        elif name in _PIECES:
            known = not filing
        if not known:
            raise Unread(f"the log knows no {name!r}")


def _tools(ledger: Ledger) -> Iterator[str]:
    return (part for name in ledger.values("tool") for part in name.casefold().split())


def is_page(value: str) -> bool:
    """Whether a target is the address of a page."""
    return "://" in value or value.startswith("www.")


def check_class(ledger: Ledger, name: str) -> None:
    """Refuse a class of things whose word is in the name of another: "toilet" beside "toilet paper hanger 1".

    Raises:
        Unread: The log has one.
    """
    holds, own = contains(name), re.compile(rf"(?:the\s+)?{re.escape(name)}(?:\s+\d+)?", re.IGNORECASE)
    other = next((value for value in ledger.values("target") if holds(value) and not own.fullmatch(value)), None)
    if other is not None:
        raise Unread(f"it does not say whether {name!r} takes in {other!r}")


def goes(tools: Iterable[str]) -> bool:
    """Whether one of these tools goes to a place."""
    return not _GOING.isdisjoint(tools)


def of_stem(ledger: Ledger, word: str) -> str | None:
    """Return the name of the file whose stem is `word` ("total" of `/shop/total.py`); None where there is none.

    Raises:
        Unread: Several files have it.
    """
    found = [value for value in ledger.values("target") if _stem(value) == word.casefold()]
    found = [value for value in found if _ENDING.match(value) or not below(ledger, value)]  # a directory is no file
    paths = {value for value in found if value.startswith(("/", "~"))} or set(found)
    if len(paths) > 1:
        raise Unread(f"{word!r} may be any of {', '.join(map(repr, sorted(paths)[:4]))}")
    return found[0].rsplit("/", 1)[-1] if found else None


def below(ledger: Ledger, path: str) -> tuple[str, ...]:
    """Return the targets that lie below the directory `path`."""
    inside = path.rstrip("/") + "/"
    return tuple(value for value in ledger.values("target") if value.startswith(inside) and value != inside)


def of_language(ledger: Ledger, word: str) -> tuple[str, ...]:
    """Return the files that a word before "files" stands for ("python", "py", ".lock"); () where it stands for none."""
    name = word.casefold().lstrip("*")
    endings = _LANGUAGES.get(name, (name[1:],) if name.startswith(".") else (name,) if name in _ENDINGS else ())
    return tuple(value for value, ending in _endings(ledger) if ending in endings)


def _endings(ledger: Ledger) -> Iterator[tuple[str, str]]:
    for value in ledger.values("target"):
        if match := _ENDING.match(value):
            yield value, match["ending"].casefold()


def _stem(value: str) -> str:
    match = _ENDING.match(value)
    if match:
        return (match["below"] or match["alone"]).casefold()
    return value.rsplit("/", 1)[-1].casefold() if "/" in value else ""
