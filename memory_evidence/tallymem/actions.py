"""Reads one action mechanically: tool, kind of action, targets, effect. Nothing here looks at a question."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from memory_evidence.tallymem.arguments import (
    COMMAND_KEYS,
    MAX_TARGET,
    MAX_TARGETS,
    file_of,
    named_by,
    words_of,
)
from memory_evidence.tallymem.exit_codes import exit_code
from memory_evidence.tallymem.rows import Effect, Row
from memory_evidence.tallymem.shell import paths, programs
from memory_evidence.tallymem.trajectory import Step

_CALL = re.compile(r"\s*([A-Za-z_][\w.\-]*)\s*(?::\s*|(?=\(|\{|\[|\s|$))")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z")
_SHELL = frozenset(("bash", "shell", "sh", "terminal", "cmd", "powershell", "console", "ssh"))
_RUNS = frozenset(("exec", "execute", "run", "command", "process", "python", "ipython", "jupyter", "test", "tests"))
_INTERPRETS = frozenset(
    ("exec", "execute", "command", "python", "ipython", "jupyter", "interpreter", "repl", "eval", "sandbox")
)
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
# Programs that begin a bare command line, as in logs that have a shell command for an action and no tool around it.
_BARE = re.compile(
    r"\s*(?:(?:cd|ls|cat|grep|egrep|rg|rm|mkdir|pip3?|python3?|pytest|git|sed|awk|make|npm|npx|node|echo|cp|mv|touch|chmod"
    r"|curl|wget|tox|conda|export|source|bash|sh|head|tail|wc|diff|which|pwd|tree|cargo|mvn|gradle|kubectl|helm|docker"
    r"|docker-compose|terraform|ansible|ansible-playbook|systemctl|journalctl|aws|gcloud|az|scp|rsync|ps|df|du|chown|nano"
    r"|vim|apt|apt-get|brew|php|perl|dotnet|psql|mysql|redis-cli|sqlite3)(?=\s|\Z)"
    r"|find\s+[./~-]|\w+=\S+\s+\w+|\./\S)"
)
# A command that is in no list is told by the exit code it came back with, if it is words alone.
_WORDS_ALONE = re.compile(r"\s*[A-Za-z_.~/][\w.\-/]*(?=\s+[^\s:({\[]|\s*\Z)")
_ELEMENT = re.compile(r"\[(\d+)\]")
_LABEL = re.compile(r"\bwhere \[\d+\] is (\w+ '[^\n]*?')(?=\s+\w+:|\s*\Z)")
_BRACKETED = re.compile(r"\[([^\[\]]+)\]")
_PREPOSITION = re.compile(r"\s+(?:in/on|to|from|in|on|into|onto|with|at|under|inside|using|of|toward|towards)\s+")
_LEADING = re.compile(r"(?:in/on|to|up|down|at|in|on|into|onto|around|off|out|with|from)(?=\s|\Z)\s*")
_MAX_WORDS = 12

EDITOR_COMMANDS = ("view", "create", "str_replace", "insert", "undo_edit")
"""What an editor tool of coding agents can do, whether or not a log shows it doing so."""

EDITOR = {
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
    "update": Effect.EDIT,
    "modify": Effect.EDIT,
    "rewrite": Effect.EDIT,
    "delete": Effect.DELETE,
    "remove": Effect.DELETE,
}
"""What an editor's command, or a word of a file tool's name, does to its file."""

_WRITES = frozenset(("write", "save", "saver"))
"""Words of those that create a file, or put something else in the place of one that is there."""
_CHANGES_FILES = frozenset(("patch", "diff", "edit", "file", "files", "notebook"))
_LOOKS = frozenset(
    ("search", "find", "grep", "glob", "list", "ls", "tree", "stat", "info", "exists", "count", "check", "get", "show")
)
# Words that begin a sentence and name no tool, where an agent's prose stands in the place of an action.
_PROSE = re.compile(
    r"\s*(?:the|an?|i|we|you|s?he|it|they|this|that|these|those|t?here|my|our|your|all|no|yes|ok|okay|so|now|next|and|but|or"
    r"|if|when|since|because|as|in|on|to|for|with|what|which)\s+[^\W\d]",
    re.IGNORECASE,
)


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
    untold: bool = False
    """Whether it may have done anything to files: it runs something, or names a file and not what it does to it."""
    overwrites: bool = False
    """Whether its effect is to create a file, or to overwrite one that is there."""


def read_action(step: Step, prefixes: Sequence[str] = ()) -> Call:
    """Take the action of `step` apart; an action without a leading identifier has the tool "".

    Args:
        step: The step.
        prefixes: What is cut off the front of the tool's name, the first that fits.
    """
    name, text = _name(step)
    name = next((name.removeprefix(part) for part in prefixes if part and name.startswith(part)), name)
    arguments = _arguments(text)
    bare = arguments is None and not step.tool
    ended = not runs_commands(name) and _WORDS_ALONE.match(step.action) and exit_code(step.observation) is not None
    if bare and (is_command_line(step.action) or ended) and (act := programs(step.action)):
        # No tool is named, and none is made up: it goes by its first program.
        return Call(act.split()[0], act, _paths(step.action), None, None, step.action, shell=True, untold=True)
    if arguments is None:
        return _from_text(name, text)
    shell = _shell_text(name, arguments)
    if shell is not None:
        return Call(name, programs(shell), _paths(shell), None, arguments, text, shell=True, untold=True)
    return _from_arguments(name, text, arguments)


def is_command_line(action: str) -> bool:
    """Whether an action is a command of a shell, with no tool around it."""
    return _BARE.match(action) is not None


def is_bare_command(row: Row) -> bool:
    """Whether a row is of a command of a shell, with no tool around it: it goes by its first program."""
    told = is_command_line(row.action) or (row.exit_code is not None and _WORDS_ALONE.match(row.action))
    return bool(told and row.tool) and row.tool == row.act.split(" ")[0]


@lru_cache(maxsize=4_096)
def is_shell(tool: str) -> bool:
    """Whether `tool` runs commands of a shell."""
    words = words_of(tool)
    if "command" in words and not {"run", "exec", "execute"}.isdisjoint(words):
        return True
    return words[-1:] == ["exec"] or not _SHELL.isdisjoint(words)


def runs_anything(tool: str, action: str) -> bool:
    """Whether a call runs what it is given, a shell's commands or code: such a step may do anything to any file."""
    return _runs_given(tool) or is_command_line(action)


@lru_cache(maxsize=4_096)
def _runs_given(tool: str) -> bool:
    words = words_of(tool)
    return is_shell(tool) or not _INTERPRETS.isdisjoint(words) or words == ["run"]


@lru_cache(maxsize=4_096)
def runs_commands(tool: str) -> bool:
    """Whether `tool` runs something that ends with an exit code; what a file or a page says about one is content."""
    return is_shell(tool) or not (_RUNS | _INTERPRETS).isdisjoint(words_of(tool))


def _name(step: Step) -> tuple[str, str]:
    if step.tool:
        return step.tool, step.arguments if step.arguments is not None else step.action
    match = _CALL.match(step.action)
    if match is None or _PROSE.match(step.action):
        return "", step.action
    return match[1], step.action[match.end() :]


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
    for value in (arguments[key] for key in COMMAND_KEYS if key in arguments):
        if isinstance(value, str):
            return value
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            return shlex.join(value)
    return ""


def _from_arguments(name: str, text: str, arguments: Mapping[str, Any]) -> Call:
    targets, file = named_by(arguments)
    command = arguments.get("command")
    if isinstance(command, str) and _IDENTIFIER.match(command) and not _runs_given(name):
        # An editor or the like, whose `command` says what it does.
        effect = EDITOR.get(command) if file else None
        called = f"{name} {command}"
        return Call(called, command, targets, effect, arguments, text, untold=file and effect is None)
    word = next((word for word in words_of(name) if word in EDITOR), None)
    effect = EDITOR[word] if word and file else None
    return Call(
        name,
        name,
        targets,
        effect,
        arguments,
        text,
        untold=effect is None and _is_untold(name, arguments, file),
        overwrites=effect is Effect.CREATE and word in _WRITES,
    )


def _is_untold(name: str, arguments: Mapping[str, Any], file: bool) -> bool:
    """Whether a call whose name tells no effect may have done anything to files."""
    words = set(words_of(name))
    if _runs_given(name) or any(isinstance(arguments.get(key), (str, list)) for key in COMMAND_KEYS):
        return True
    if not words.isdisjoint(_LOOKS):
        return False
    return file or not (words.isdisjoint(EDITOR) or words.isdisjoint(_CHANGES_FILES))


def _from_text(name: str, text: str) -> Call:
    body = text.strip()
    if is_shell(name):
        return Call(name, programs(body), _paths(body), None, None, text, shell=True, untold=True)
    words = body.split(maxsplit=2)
    if len(words) > 1 and words[0] in EDITOR and words[1].startswith(("/", "~")):  # an editor called on a command line
        overwrites = words[0] in _WRITES
        return Call(f"{name} {words[0]}", words[0], (words[1],), EDITOR[words[0]], None, text, overwrites=overwrites)
    parts = words_of(name)
    word = next((part for part in parts if part in EDITOR), None)
    filing = not _CHANGES_FILES.isdisjoint(parts) or EDITOR.keys() >= set(parts)
    file = file_of(body, keyed_alone=not filing)
    if file and word and "editor" not in parts:  # what an editor does, its command says
        return Call(name, name, (file,), EDITOR[word], None, text, overwrites=word in _WRITES)
    named = _paths(body.partition("\n")[0]) if word and "://" not in body else ()
    untold = _is_untold(name, {}, file is not None or bool(named))
    if "[" in body or "(" in body or "{" in body or "\n" in body or len(body.split()) > _MAX_WORDS:
        targets = tuple(dict.fromkeys((*_marked(body), *named)))
        return Call(name, name, targets[:MAX_TARGETS], None, None, text, untold=untold)
    if not name:
        return Call("", "", (), None, None, text)
    leading = _LEADING.match(body)
    act, rest = (f"{name} {leading[0].strip()}", body[leading.end() :]) if leading else (name, body)
    return Call(name, act, phrases(rest), None, None, text, untold=untold)


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
    yield from (value for value in list(seen)[:MAX_TARGETS] if 0 < len(value) <= MAX_TARGET)


def _paths(command: str) -> tuple[str, ...]:
    return tuple(list(dict.fromkeys(paths(command)))[:MAX_TARGETS])
