"""Reads a command of a shell: the programs that it runs, in order, and the paths that it names.

Quoted text, here-documents and comments run nothing; what they substitute (`$(...)`, backticks) is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_PATH = re.compile(
    r"(?<![\w/.~-])(?:~?/[\w.@+/-]*[\w/]|[\w.@+-]+(?:/[\w.@+-]*\w)+|[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,5})(?![\w/])"
)
_SPECIAL = re.compile(r"['\"\\`#\n]|\$\(\(?|[<>]\(|<<<|<<")
_DOCUMENT = re.compile(r"<<-?\s*(?:'([^'\n]+)'|\"([^\"\n]+)\"|\\?([\w.+-]+))")
_PARENTHESIS = re.compile(r"[()'\"\\]")
_IN_QUOTES = re.compile(r"[\"\\`]|\$\(")
_REDIRECTED = re.compile(r"(?:\b\d+|&)?(?:>>|>\||>&|<&|<>|<<<|>|<)\s*(?:&?[\w./~$-][^\s;|&()]*|'')?")
_FUNCTION = re.compile(r"(?:\bfunction\s+)?[\w.-]+\s*\(\s*\)")
_CASE = re.compile(r"(?<=\s)in\s+[\w*.'$|\s-]+\)|;;\s*[\w*.'$|\s-]+\)")
_ENDS = re.compile(r"[;|&\n()]+")
# What stands before a program in its command: keywords, programs that do nothing but run it, assignments.
_BEFORE = (
    r"\s*(?:(?:then|do|else|elif|if|while|until|!|\{)\s+)*"
    r"(?:(?:sudo|time|env|nohup|exec|nice|command(?!\s+-[vV]))(?:\s+(?:-[un]\s+[^\s-]\S*|-\S+))*\s+|\w+=\S*\s+)*"
)
_PROGRAM = re.compile(_BEFORE + r"(?!(?:then|do|else|elif|if|while|until)(?=\s|\Z))([A-Za-z_./][\w./+-]*)(?![\w=])")
_WITHOUT = re.compile(r"\s*(?:for|case|select|function|esac|done|fi|in|\})(?=\s|\Z)")
_WITHIN = re.compile(r"\s-exec(?:dir)?\b|\bxargs(?=\s)(?:\s+-[nPILsdE]\s+\S+|\s+-\S+)*(?=\s)")
# Programs that run the program behind them, which is what a question means; both are run.
_LAUNCHED = re.compile(
    r"(?:timeout(?:\s+-[ks]\s+[^\s-]\S*|\s+-\S+)*\s+[\d.]+[smhd]?|python[\d.]*(?:\s+-(?![mc]\b)\w\S*)*\s+-m"
    r"|(?:npx|uvx|bunx|pipx\s+run|xvfb-run|stdbuf|strace|(?:poetry|uv|pipenv|pdm|rye|hatch|conda|mamba|coverage)\s+run)"
    r"(?:\s+(?:-[np]|--with|--python|--package|--extra|--group|--name)\s+[^\s-]\S*|\s+-\S+)*)"
    r"\s+([A-Za-z_./][\w./+-]*)"
)
_INLINE = re.compile(r"\b(?:ba|z|da)?sh\s+-\w*c\s+('[^']*'|\"(?:[^\"\\]|\\.)*\")")
_MOST_LAUNCHES = 4
_MOST_INNER = 32
"""Commands within a command that are looked at."""


def programs(command: str) -> str:
    """Return the names of the programs that a command runs, each once, with spaces between them."""
    names: dict[str, None] = {}
    waiting = [command]
    for text in waiting:
        bare, plain, inner = _taken_apart(text)
        inner += [match[1][1:-1] for match in _INLINE.finditer(bare)]
        waiting += inner[: _MOST_INNER - len(waiting)]
        names.update(dict.fromkeys(name.rsplit("/", 1)[-1] for name in _run(plain)))
    return " ".join(name for name in names if name)


def paths(command: str) -> Iterator[str]:
    """Yield the paths that a command names, in order; quoted ones as well."""
    bare, _, _ = _taken_apart(command)
    yield from (match[0] for match in _PATH.finditer(bare))


def is_path(text: str) -> bool:
    """Whether a text is a path and nothing else: with a folder, or with the ending of a file."""
    return _PATH.fullmatch(text) is not None


def _taken_apart(command: str) -> tuple[str, str, list[str]]:
    """Return a command without documents and comments, the same without quoted text, and the commands within it."""
    bare: list[str] = []
    plain: list[str] = []
    inner: list[str] = []
    documents: list[str] = []
    at = 0
    while match := _SPECIAL.search(command, at):
        start, mark = match.start(), match[0]
        before, end, shown = command[at:start], match.end(), "''"
        kept = None
        if mark == "'":
            end = _after(command, "'", start + 1)
        elif mark == '"':
            end = _quoted(command, start + 1, inner)
        elif mark == "\\":
            end, shown = start + 2, " " if command.startswith("\n", start + 1) else "_"
        elif mark == "`":
            end = _after(command, "`", start + 1)
            inner.append(command[start + 1 : end].rstrip("`"))
        elif mark in ("$((", "$(", "<(", ">("):
            end = _closed(command, match.end() - mark.count("(") + 1)
            if mark != "$((":
                inner.append(command[match.end() : end - 1])
        elif mark == "#":
            if start and not command[start - 1].isspace() and command[start - 1] not in ";|&(":
                shown = "#"
            else:
                end = command.find("\n", start)
                end, shown, kept = len(command) if end < 0 else end, "", ""
        elif mark == "\n":
            for name in documents:
                end = _behind(command, name, end)
            documents.clear()
            shown, kept = "\n", "\n"
        elif mark == "<<" and (document := _DOCUMENT.match(command, start)):
            documents.append(document[1] or document[2] or document[3])
            end, shown, kept = document.end(), " ", " "
        else:
            shown = mark
        bare += (before, command[start:end] if kept is None else kept)
        plain += (before, shown)
        at = end
    bare.append(command[at:])
    plain.append(command[at:])
    return "".join(bare), "".join(plain), inner


def _after(text: str, mark: str, start: int) -> int:
    """Return where the text behind the next `mark` begins."""
    at = text.find(mark, start)
    return len(text) if at < 0 else at + len(mark)


def _closed(text: str, start: int) -> int:
    """Return where the text behind the parenthesis begins that closes the one in front of `start`."""
    depth, at = 1, start
    while match := _PARENTHESIS.search(text, at):
        at = match.end()
        if match[0] in "'\"":
            at = _after(text, match[0], at)
        elif match[0] == "\\":
            at += 1
        else:
            depth += 1 if match[0] == "(" else -1
            if not depth:
                return at
    return len(text) + 1  # as if it were closed behind the end


def _quoted(text: str, start: int, inner: list[str]) -> int:
    """Return where the text behind a double-quoted one begins, and add what is run within it to `inner`."""
    at = start
    while match := _IN_QUOTES.search(text, at):
        at = match.end()
        if match[0] == '"':
            return at
        if match[0] == "\\":
            at += 1
        elif match[0] == "`":
            end = _after(text, "`", at)
            inner.append(text[at:end].rstrip("`"))
            at = end
        elif not text.startswith("$((", match.start()):
            end = _closed(text, at)
            inner.append(text[at : end - 1])
            at = end
    return len(text)


def _behind(text: str, name: str, start: int) -> int:
    """Return where the text behind a here-document begins that the line `name` ends."""
    end = re.compile(rf"^\t*{re.escape(name)}[ \t]*$", re.MULTILINE).search(text, start)
    return len(text) if end is None else end.end()


def _run(command: str) -> Iterator[str]:
    """Yield the programs of a command without quoted text, those that launch another one before it."""
    command = _CASE.sub(" in\n", command) if "case" in command else command
    for part in _ENDS.split(_REDIRECTED.sub(" ", _FUNCTION.sub(" ", command))):
        if _WITHOUT.match(part):
            continue
        starts = [0, *(match.end() for match in _WITHIN.finditer(part))]
        for match in (_PROGRAM.match(part, start) for start in starts):
            if match is None:
                continue
            yield match[1]
            start = match.start(1)
            for _ in range(_MOST_LAUNCHES):
                launched = _LAUNCHED.match(part, start)
                if launched is None:
                    break
                yield launched[1]
                start = launched.start(1)
