"""Reads one action mechanically: tool, kind of action, targets, effect. Nothing here looks at a question."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_evidence.tallymem.rows import Effect
from memory_evidence.tallymem.trajectory import Step

_CALL = re.compile(r"\s*([A-Za-z_][\w.\-]*)\s*(?::\s*|(?=\(|\{|\[|\s|$))")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z")
_SHELL = re.compile(r"(?:\A|_)(?:bash|shell|sh|terminal|cmd|powershell|console)(?:_|\Z)", re.IGNORECASE)
_RUNS = re.compile(r"(?:\A|_)(?:exec|execute|run|command|process|python|ipython|jupyter|tests?)(?:_|\Z)", re.IGNORECASE)
_INTERPRETS = re.compile(r"(?:\A|_)(?:exec|execute|command|python|ipython|jupyter)(?:_|\Z)", re.IGNORECASE)
_COMMAND_KEYS = ("command", "cmd", "code", "script", "bash_command")
# Keys whose value names what a call is about; where there is one, the other arguments are content.
_NAMING = re.compile(
    r"(?:\A|_)(?:path|paths|file|filename|filepath|dir|directory|folder|url|uri|target|id|element)(?:_name)?\Z", re.I
)
_PATH = re.compile(
    r"(?<![\w/.~-])(?:~?/[\w.@+/-]*[\w/]|[\w.@+-]+(?:/[\w.@+-]*\w)+|[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,5})(?![\w/])"
)
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
_PROGRAM = re.compile(
    r"(?:\A|[|;&\n(]|\b(?:then|do|else)\b|(?<=\bxargs)(?:\s+-\S+)*(?=\s)|\s-exec(?:dir)?\b)"
    r"\s*(?:(?:sudo|time|env|nohup|exec|nice)(?:\s+(?:-[un]\s+[^\s-]\S*|-\S+))*\s+|\w+=\S*\s+)*([A-Za-z_./][\w./+-]*)"
)
# Programs that run the program behind them, which is what a question means; both are run.
_LAUNCHED = re.compile(
    r"(?:timeout(?:\s+-[ks]\s+[^\s-]\S*|\s+-\S+)*\s+[\d.]+[smhd]?|python[\d.]*(?:\s+-(?![mc]\b)\w\S*)*\s+-m"
    r"|(?:npx|uvx|bunx|pipx\s+run|xvfb-run|stdbuf|strace|(?:poetry|uv|pipenv|pdm|rye|hatch|conda|mamba|coverage)\s+run)"
    r"(?:\s+(?:-[np]|--with|--python|--package|--extra|--group|--name)\s+[^\s-]\S*|\s+-\S+)*)"
    r"\s+([A-Za-z_./][\w./+-]*)"
)
_INLINE = re.compile(r"\b(?:ba|z|da)?sh\s+-\w*c\s+('[^']*'|\"(?:[^\"\\]|\\.)*\")")
_MOST_LAUNCHES = 4
# Programs that begin a bare command line, as in logs that have a shell command for an action and no tool around it.
_BARE = re.compile(
    r"\s*(?:(?:cd|ls|cat|grep|egrep|rg|rm|mkdir|pip3?|python3?|pytest|git|sed|awk|make|npm|npx|node|echo|cp|mv|touch|chmod"
    r"|curl|wget|tox|conda|export|source|bash|sh|head|tail|wc|diff|which|pwd|tree|cargo|mvn|gradle)(?=\s|\Z)"
    r"|find\s+[./~-]|\S+=\S+\s+\w+|\./\S)"
)
_ELEMENT = re.compile(r"\[(\d+)\]")
_LABEL = re.compile(r"\bwhere \[\d+\] is (\w+ '[^\n]*?')(?=\s+\w+:|\s*\Z)")
_BRACKETED = re.compile(r"\[([^\[\]]+)\]")
_PREPOSITION = re.compile(r"\s+(?:in/on|to|from|in|on|into|onto|with|at|under|inside|using|of|toward|towards)\s+")
_LEADING = re.compile(r"(?:in/on|to|up|down|at|in|on|into|onto|around|off|out|with|from)(?=\s|\Z)\s*")
_MAX_TARGET = 200
_MAX_TARGETS = 32
_MAX_WORDS = 12

EDITOR_COMMANDS = ("view", "create", "str_replace", "insert", "undo_edit")
"""What an editor tool of coding agents can do, whether or not a log shows it doing so."""

_EDITOR = {
    "view": Effect.READ,
    "read": Effect.READ,
    "open": Effect.READ,
    "create": Effect.CREATE,
    "write": Effect.CREATE,
    "save": Effect.CREATE,
    "saver": Effect.CREATE,
    "str_replace": Effect.EDIT,
    "insert": Effect.EDIT,
    "edit": Effect.EDIT,
    "replace": Effect.EDIT,
    "undo_edit": Effect.EDIT,
    "append": Effect.EDIT,
    "patch": Effect.EDIT,
}
"""What an editor's command, or a word of a file tool's name, does to its file."""


@dataclass(frozen=True, slots=True)
class Call:
    """An action, taken apart."""

    tool: str
    act: str
    targets: tuple[str, ...]
    effect: Effect | None
    arguments: Mapping[str, Any] | None
    """The JSON arguments, where there are any that parse."""
    text: str
    """What follows the tool's name."""
    shell: bool = False
    """Whether it is a command of a shell."""


def read_action(step: Step, prefixes: Sequence[str] = ()) -> Call:
    """Take the action of `step` apart; an action without a leading identifier has the tool "".

    Args:
        step: The step.
        prefixes: What is cut off the front of the tool's name, the first that fits.
    """
    name, text = _name(step)
    name = next((name.removeprefix(part) for part in prefixes if part and name.startswith(part)), name)
    arguments = _arguments(text)
    if arguments is None and not step.tool and is_command_line(step.action) and (act := _programs(step.action)):
        # No tool is named, and none is made up: it goes by its first program.
        return Call(act.split()[0], act, _paths(step.action), None, None, step.action, shell=True)
    if arguments is None:
        return _from_text(name, text)
    command = arguments.get("command")
    refined = isinstance(command, str) and _IDENTIFIER.match(command) and not is_shell(name)
    shell = _shell_text(name, arguments)
    if shell is not None:
        return Call(name, _programs(shell), _paths(shell), None, arguments, text, shell=True)
    targets, named = _named(arguments)
    if refined:
        return Call(
            f"{name} {command}", str(command), targets, _EDITOR.get(str(command)) if named else None, arguments, text
        )
    return Call(name, name, targets, _effect(name) if named else None, arguments, text)


def is_command_line(action: str) -> bool:
    """Whether an action is a command of a shell, with no tool around it."""
    return _BARE.match(action) is not None


def is_shell(tool: str) -> bool:
    """Whether `tool` runs commands of a shell."""
    return _SHELL.search(tool) is not None


def runs_anything(tool: str, action: str) -> bool:
    """Whether a call runs what it is given, a shell's commands or code: such a step may do anything to any file."""
    return is_shell(tool) or _INTERPRETS.search(tool) is not None or is_command_line(action)


def runs_commands(tool: str) -> bool:
    """Whether `tool` runs something that ends with an exit code; what a file or a page says about one is content."""
    return is_shell(tool) or _RUNS.search(tool) is not None


def _name(step: Step) -> tuple[str, str]:
    if step.tool:
        return step.tool, step.arguments if step.arguments is not None else step.action
    match = _CALL.match(step.action)
    return (match[1], step.action[match.end() :]) if match else ("", step.action)


def _arguments(text: str) -> Mapping[str, Any] | None:
    body = text.strip()
    if body.startswith("(") and body.endswith(")"):
        body = body[1:-1].strip()
    if not body.startswith("{"):
        return None
    try:
        value = json.loads(body, strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _shell_text(name: str, arguments: Mapping[str, Any]) -> str | None:
    if not is_shell(name):
        return None
    return next((value for key in _COMMAND_KEYS if isinstance(value := arguments.get(key), str)), "")


def _from_text(name: str, text: str) -> Call:
    body = text.strip()
    if is_shell(name):
        return Call(name, _programs(body), _paths(body), None, None, text, shell=True)
    words = body.split(maxsplit=2)
    if len(words) > 1 and words[0] in _EDITOR and words[1].startswith(("/", "~")):  # an editor called on a command line
        return Call(f"{name} {words[0]}", words[0], (words[1],), _EDITOR[words[0]], None, text)
    if "[" in body or "(" in body or "{" in body or "\n" in body or len(body.split()) > _MAX_WORDS:
        return Call(name, name, tuple(_marked(body)), None, None, text)
    if not name:
        return Call("", "", (), None, None, text)
    leading = _LEADING.match(body)
    act, rest = (f"{name} {leading[0].strip()}", body[leading.end() :]) if leading else (name, body)
    return Call(name, act, phrases(rest), None, None, text)


def phrases(text: str) -> tuple[str, ...]:
    """Return what a text command names, taken apart at its prepositions: "Add to cart" is "Add" and "cart"."""
    parts = (part.strip(" .") for part in _PREPOSITION.split(text))
    return tuple(dict.fromkeys(part for part in parts if part))


def _marked(body: str) -> Iterator[str]:
    """Yield what a web action marks: element numbers with their brackets, labels with their role, bare arguments."""
    seen = dict.fromkeys(f"[{number}]" for number in _ELEMENT.findall(body))
    seen.update(dict.fromkeys(match[1] for match in _LABEL.finditer(body)))
    if "\n" not in body and len(body.split()) <= _MAX_WORDS and not _LABEL.search(body):
        seen.update(dict.fromkeys(match[0][1:-1].strip() for match in _QUOTED.finditer(body)))
    bare = (match.strip() for match in _BRACKETED.findall(body))
    seen.update(dict.fromkeys(part for part in bare if part and not part.isdigit()))
    yield from (value for value in list(seen)[:_MAX_TARGETS] if 0 < len(value) <= _MAX_TARGET)


def _named(arguments: Mapping[str, Any]) -> tuple[tuple[str, ...], bool]:
    """Return the targets among the arguments, and whether one of them is there under a name that says so."""
    naming = [value for key, value in arguments.items() if _NAMING.search(key)]
    values = naming or [value for key, value in arguments.items() if key not in _COMMAND_KEYS]
    found: dict[str, None] = {}
    for value in values:
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, str) and 0 < len(part) <= _MAX_TARGET and "\n" not in part:
                found[part] = None
    return tuple(list(found)[:_MAX_TARGETS]), bool(naming)


def _effect(name: str) -> Effect | None:
    return next((_EDITOR[word] for word in re.split(r"[_.\-]", name.lower()) if word in _EDITOR), None)


def _programs(command: str) -> str:
    """Return the names of the programs that a shell command runs, in order; words inside arguments are none."""
    first = command.split("<<", 1)[0]  # what follows is a document, not a command
    within = " ; ".join(match[1][1:-1] for match in _INLINE.finditer(first))
    names = (name.rsplit("/", 1)[-1] for text in (first, within) for name in _run(_QUOTED.sub("''", text)))
    return " ".join(dict.fromkeys(name for name in names if name))


def _run(command: str) -> Iterator[str]:
    """Yield the programs of a command without its quoted texts, those that launch another one before it."""
    for match in _PROGRAM.finditer(command):
        yield match[1]
        start = match.start(1)
        for _ in range(_MOST_LAUNCHES):
            launched = _LAUNCHED.match(command, start)
            if launched is None:
                break
            yield launched[1]
            start = launched.start(1)


def _paths(command: str) -> tuple[str, ...]:
    first = command.split("<<", 1)[0]
    return tuple(list(dict.fromkeys(match[0] for match in _PATH.finditer(first)))[:_MAX_TARGETS])
