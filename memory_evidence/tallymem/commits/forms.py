"""The forms of questions about a history, and the sub-queries that each stands for.

A form is a regular expression with words in <angle brackets>, which are spelled out below; `(...)` captures nothing. It
must fit a question as a whole, so that no word is passed over that might change what is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memory_evidence.tallymem.commits.fit import CLOSE, FIRST, KINDS, NOUNS, NOW, OPEN, Asked, Fit
from memory_evidence.tallymem.plan import SubQuery

_FILE = f"{OPEN}f\\d+{CLOSE}"
_WORDS = {
    "<files>": rf"(?P<files>{_FILE}(?:(?:\s*,\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+){_FILE})*)",
    "<verb>": rf"(?P<verb>{'|'.join(KINDS.values())})",
    "<was>": r"(was|were|is|are|has|have|had|did|does)",
    "<often>": r"(how (often|many times|frequently)|((in|by) )?how many (different )?commits"
    r"|(what is )?(number|count) of (times|commits)( in which| that)?)",
    "<which>": r"((in|by) )?(which|what)",
    "<list>": r"(which|what|list|show|name)( all| of)?",
    "<that>": r"( that| which)?",
    "<edits>": rf"(?P<noun>{'|'.join(NOUNS.values())})",
    "<values>": r"(different |distinct |unique )?values",
    "<set>": r"(assigned|set|changed|touched)",
    "<end>": rf"(?P<end>{'|'.join(FIRST)}|last|latest|{'|'.join(NOW)}|final|most recent(ly)?)",
    "<name>": r"((variable|constant|name|setting|option|key) )?[`\"']?(?P<name>[A-Za-z_$][\w$.-]*?)[`\"']?",
    "<held>": r"(had|have|has|take|taken|held|(been )?assigned|been given)",
    "<appear>": r"(appear(ed)?|came)",
    "<way>": r"(?P<way>most|least) ?(often|frequently|frequent)?",
}

Make = Callable[[Fit], list[SubQuery]]


def _count(fit: Fit) -> list[SubQuery]:
    return fit.each("count")


def _list(fit: Fit) -> list[SubQuery]:
    return fit.each("list")


def _end(fit: Fit) -> list[SubQuery]:
    return fit.each(fit.end())


def _order(fit: Fit) -> list[SubQuery]:
    return fit.by_file("order")


def _values(fit: Fit) -> list[SubQuery]:
    return fit.values("timeline")


_FORMS: tuple[tuple[Make, tuple[str, ...]], ...] = (
    (
        _count,
        (
            "<often> (<was> )?<files>( been)? <verb>",
            "<often> <files> <was>( been)? <verb>",
            "<often>( <was>)? <verb> <files>",
            "how many <edits> (<was> )?(made )?to <files>( <was> (there|made))?",
            "how many <edits> <was> (there|made) to <files>",
            "how many commits( (<was>( there| made)?|exist))?|(what is )?number of commits",
        ),
    ),
    (
        _end,
        (
            "(<which> )?(<was> )?<end> commit<that> <verb> <files>",
            "<which> commit( <was>)? <end> <verb> <files>",
            "(when|<which> commit) <was> <files>( been)? <end> <verb>",
            "(when|<which> commit) <was> <files>( been)? <verb> (for )?<end>( time)?",
        ),
    ),
    (lambda fit: fit.each("first"), ("(when|<which> commit) (did )?<files> first appear(ed)?",)),
    (
        _list,
        (
            "<list> commits?<that>( have| has)? <verb> <files>",
            "(when|<which> commits?) <was> <files>( been)? <verb>",
        ),
    ),
    (
        _order,
        (
            "in (which|what) order (did|were|was|have|has) (<files>|files)( been)?( first)? (<appear>|<verb>)( first)?",
            "(what is )?order of first appearance( of (<files>|files))?",
            "which( one)? of <files> (?=.*first)(was )?(first )?(<appear>|<verb>)( first)?",
            "which( file| one)? (?=.*first)(was )?(first )?(<appear>|<verb>)( first)?[,:]? <files>",
        ),
    ),
    (
        _values,
        (
            "((what is|show|list) )?(value )?history of (values? of )?<name>( in <files>)?",
            "<list> values( <was>)? <name>( <held>)?( in <files>)?",
            "<list> values( <was>)? <name> in <files> <held>",
            "<list> values( <was>)?<that>( been)? (assigned|given) to <name>( in <files>)?",
            "<list> values of <name>( in <files>)?",
            "how (did|has|have) (values? of )?<name>( in <files>)? (changed?|evolved?)",
            "how (often|many times) (<was> )?<name>( been)? (re)?assigned( in <files>)?",
        ),
    ),
    (
        lambda fit: fit.changes("count"),
        (
            "<often> (<was> )?<name>( been)? <set>( in <files>)?",
            "<often>( <was>)? (changed|touched) <name>( in <files>)?",
            "how many changes (<was> )?(made )?to <name>( in <files>)?( <was> (there|made))?",
        ),
    ),
    (
        lambda fit: fit.changes("list"),
        (
            "<list> commits?<that>( have| has)? <set> <name>( in <files>)?",
            "(when|<which> commits?) <was> <name>( been)? <set>( in <files>)?",
        ),
    ),
    (
        lambda fit: fit.changes(fit.end()),
        (
            "(<which> )?(<was> )?<end> commit<that> <set> <name>( in <files>)?",
            "<which> commit( <was>)? <end> <set> <name>( in <files>)?",
            "(when|<which> commit) <was> <name>( been)? <end> <set>( in <files>)?",
        ),
    ),
    (
        lambda fit: fit.by_value("distinct"),
        (
            "how many <values> <was> <name> <held>( in <files>)?",
            "(how many|(what is )?number of) <values> of <name>( in <files>)?( <was> there)?",
        ),
    ),
    (
        lambda fit: fit.by_value("group"),
        ("<list> (different|distinct|unique) values <was> <name> <held>( in <files>)?",),
    ),
    (lambda fit: fit.values("count"), ("<often> (assigned|assigns?|sets?) <name>( in <files>)?",)),
    (
        Fit.value,
        ("(what <was> )?<end> value (of|assigned to|given to) <name>( in <files>)?",),
    ),
    (
        Fit.renames,
        (
            "<list> files <was>( been)? (renamed|moved)",
            "<list> ((file )?renames|renamed files)( (<was> there|happened))?",
            "(how (often|many times) )?(was|has) <files>( been)? (renamed|moved)",
            "what (was|has) <files>( been)? (renamed|moved|called)( to| from| before)?",
            "<list>( other| earlier| previous| former)? names <was> <files> (had|have|gone by)( before)?",
            "rename history of <files>",
        ),
    ),
    (
        lambda fit: fit.by_file(fit.way()),
        (
            "<list> files? <was>( been)? <verb> <way>",
            "((what|which) is )?<way> <verb> file",
        ),
    ),
    (
        lambda fit: fit.by_file("group"),
        (
            "<often> <was> (each|every) file( been)? <verb>",
            "(number of )?(commits|changes) (per|by|of each|for each) file",
            "<list>( different)? files<that> <was>( been)? <verb>",
        ),
    ),
    (
        lambda fit: fit.by_file("distinct"),
        ("how many (different |distinct |unique )?files <was>( been)? <verb>",),
    ),
)


def _pattern(form: str) -> re.Pattern[str]:
    for word, spelled in _WORDS.items():
        form = form.replace(word, spelled)
    return re.compile(re.sub(r"\((?!\?)", "(?:", form).replace(" ", r"\s+"), re.IGNORECASE)


_PATTERNS = tuple((_pattern(form), make) for make, forms in _FORMS for form in forms)


def fitting(asked: Asked, text: str) -> list[SubQuery] | None:
    """Return the sub-queries of the first form that fits `text`, what is left of a question; None where none does."""
    for pattern, make in _PATTERNS:
        if (match := pattern.fullmatch(text)) and (queries := make(Fit(asked, match))):
            return queries
    return None


def _vocabulary() -> frozenset[str]:
    spelled = " ".join((*_WORDS.values(), *(form for _, forms in _FORMS for form in forms)))
    spelled = re.sub(r"\?P?<\w+>|\?=|\\\w", " ", spelled)
    longest = re.sub(r"\((\w+)\)\?", r"\1", spelled).replace("?", "")
    shortest = re.sub(r"\((\w+)\)\?|\w\?", "", spelled)
    return frozenset(re.findall(r"[a-z]+", f"{longest} {shortest}"))


VOCABULARY = _vocabulary()
"""The words of all forms, in lower case."""
