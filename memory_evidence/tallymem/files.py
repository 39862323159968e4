"""The file-event graph: which step read or wrote which file, by the editor's own calls and receipts (appendix C).

A file is a node under its exact absolute path: two paths with one basename are two files, a renamed file is another
file, and nothing is inferred about a file that no call names. Calls of other tools stay in the archive alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from json import JSONDecoder
from typing import Literal

from memory_evidence.records import SourceRef
from memory_evidence.tallymem.trajectory import Observed, Step

Access = Literal["read", "write"]

ACCESS: dict[str, Access] = {
    "view": "read",
    "create": "write",
    "insert": "write",
    "str_replace": "write",
    "undo_edit": "write",  # ours: the paper names the four above
}
EDITORS = ("str_replace_editor", "str_replace_based_edit_tool", "file_editor")
"""Names that the one editor tool goes by."""

_NAME = "|".join(EDITORS)
_JSON_CALL = re.compile(rf"\s*(?:{_NAME})\s*[:(]?\s*(?=\{{)")
_SHELL_CALL = re.compile(
    rf"\s*(?:{_NAME})\s+(?P<command>[a-z_]+)\s+(?:\"(?P<double>[^\"\n]+)\"|'(?P<single>[^'\n]+)'|(?P<bare>[^\s\"']+))"
)
# What some logs put before what the tool said.
_PREAMBLE = re.compile(rf"\s*(?:(?:EXECUTION RESULT of \[(?:{_NAME})\]|OBSERVATION):)?\s*")
_RECEIPTS = {
    "view": (
        "Here's the result of running `cat -n` on {path}",
        "Here's the content of {path}",
        "Here's the files and directories up to 2 levels deep in {path}",
        "<NOTE>This file is too large to display entirely.",
    ),
    "create": ("File created successfully at: {path}", "New file created successfully at {path}"),
    "insert": ("The file {path} has been edited", "The file {path} has been updated"),
    "str_replace": ("The file {path} has been edited", "The file {path} has been updated"),
    "undo_edit": ("Last edit to {path} undone successfully",),
}
_PART_OF_NAME = r"[\w./@+~-]"
_DECODER = JSONDecoder(strict=False)
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class FileEvent:
    """One call of the editor on one file."""

    step: int
    path: str
    command: str
    access: Access
    confirmed: bool
    """Whether the observation begins with the tool's receipt for this command and path; otherwise an attempt."""
    path_ref: SourceRef
    command_ref: SourceRef
    observation_ref: SourceRef
    """The receipt where there is one, the whole observation otherwise."""


class FileGraph:
    """Files and the steps that read or wrote them; steps are added in order."""

    def __init__(self, steps: Iterable[Step] = ()) -> None:
        self._of: dict[str, list[FileEvent]] = {}
        self._by_basename: dict[str, list[str]] = {}
        self._events: dict[int, FileEvent] = {}
        for step in steps:
            self.add(step)

    def add(self, step: Step) -> FileEvent | None:
        """Add a step, and return its event; None where it is no call of the editor on an absolute path."""
        event = read_event(step)
        if event is not None:
            if event.path not in self._of:
                self._of[event.path] = []
                self._by_basename.setdefault(_basename(event.path), []).append(event.path)
            self._of[event.path].append(event)
            self._events[event.step] = event
        return event

    @property
    def events(self) -> tuple[FileEvent, ...]:
        """All events in the order of their steps."""
        return tuple(self._events.values())

    @property
    def paths(self) -> tuple[str, ...]:
        """All files, in order of first mention."""
        return tuple(self._of)

    def of(self, path: str) -> tuple[FileEvent, ...]:
        """Return the events of the file with exactly this path."""
        return tuple(self._of.get(path, ()))

    def event(self, step: int) -> FileEvent | None:
        """Return what a step did to a file; None for nothing that is known."""
        return self._events.get(step)

    def named(self, text: str) -> tuple[str, ...]:
        """Return the files that `text` names: by the whole path, or by an end of it that no other file shares."""
        found: dict[str, None] = {}
        for basename, paths in self._by_basename.items():
            if basename not in text:
                continue
            for match in re.finditer(
                rf"(?<!{_PART_OF_NAME}){_PART_OF_NAME}*(?<![\w.-]){re.escape(basename)}(?!\w|[-/@+]\w|\.\w)", text
            ):
                name = match[0]
                ends = [path for path in paths if path.endswith("/" + name.removeprefix("./"))]
                if name in paths:
                    found[name] = None
                elif len(ends) == 1:
                    found[ends[0]] = None
        return tuple(found)


def read_event(step: Step) -> FileEvent | None:
    """Return what `step` did to a file; None where it is no readable call of the editor on an absolute path."""
    call = _json_call(step) if step.tool is None or step.tool in EDITORS else None
    call = call or (_shell_call(step) if step.tool in (None, *EDITORS) else None)
    if call is None:
        return None
    command, path, command_ref, path_ref = call
    if command not in ACCESS or not path.startswith("/"):
        return None
    receipt = _receipt(step, command, path)
    start, stop = receipt or (0, len(step.observation))
    observed = SourceRef(step.id, "observation", start, stop)
    return FileEvent(step.id, path, command, ACCESS[command], receipt is not None, path_ref, command_ref, observed)


_Call = tuple[str, str, SourceRef, SourceRef]


def _json_call(step: Step) -> _Call | None:
    match = _JSON_CALL.match(step.action)
    fields = _top_level(step.action, match.end()) if match else None
    if not fields or not {"command", "path"} <= fields.keys():
        return None
    command, path = fields["command"], fields["path"]
    if not isinstance(command[0], str) or not isinstance(path[0], str):
        return None
    # The spans are those of the raw JSON strings, without their quotes.
    refs = [SourceRef(step.id, "action", start + 1, stop - 1) for _, start, stop in (command, path)]
    return command[0], path[0], refs[0], refs[1]


def _shell_call(step: Step) -> _Call | None:
    match = _SHELL_CALL.match(step.action)
    if match is None:
        return None
    group = next(name for name in ("double", "single", "bare") if match[name] is not None)
    refs = [SourceRef(step.id, "action", *match.span(name)) for name in ("command", group)]
    return match["command"], match[group], refs[0], refs[1]


def _top_level(text: str, start: int) -> dict[str, tuple[object, int, int]] | None:
    """Return the values of the JSON object at `start` with their spans; None where it does not parse."""
    fields: dict[str, tuple[object, int, int]] = {}
    at = _skip(text, start + 1)
    try:
        while text[at] != "}":
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, at)
            if not isinstance(key, str) or text[at] != ":":
                return None
            begin = _skip(text, at + 1)
            value, end = _DECODER.raw_decode(text, begin)
            fields[key] = (value, begin, end)
            at = _skip(text, end)
            if text[at] == ",":
                at = _skip(text, at + 1)
            elif text[at] != "}":
                return None
    except (ValueError, IndexError, RecursionError):
        return None
    return fields


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _receipt(step: Step, command: str, path: str) -> tuple[int, int] | None:
    if step.observed is not Observed.TEXT:
        return None
    match = _PREAMBLE.match(step.observation)
    start = match.end() if match else 0
    for form in _RECEIPTS[command]:
        said = form.format(path=path) if "{path}" in form else form
        stop = start + len(said)
        # A longer path that begins with this one is another file.
        if step.observation.startswith(said, start) and not re.match(r"[\w/-]|\.\w", step.observation[stop : stop + 2]):
            return start, stop
    return None


def _basename(path: str) -> str:
    return path.rstrip("/").rsplit("/", 1)[-1] or path
