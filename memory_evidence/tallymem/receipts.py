"""Reads the outcome of a step from the receipts that environments and tools give, and the changes they confirm.

A receipt is the sentence with which a tool says what it did. Only receipts count: a word such as "error" somewhere in
an observation shows nothing, and an observation without a receipt leaves the outcome unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from memory_evidence.tallymem.actions import Call, runs_commands
from memory_evidence.tallymem.exit_codes import exit_code, exit_quote, last_said
from memory_evidence.tallymem.rows import Change, Effect, Outcome, Row
from memory_evidence.tallymem.trajectory import Observed, Step

_QUOTE = 200
# Programs that say "no" with exit code 1: nothing was found, or the two sides differ.
_ASKING = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "diff", "cmp", "test", "[", "which", "pgrep"})
_REFUSED = re.compile(
    r"(?:nothing happens\s*(?:[.!]|\Z)|no known action matches\b|i don't understand\b"
    r"|(?:unknown (?:action|command)|invalid action)\s*(?:[.:!'\"]|\Z)|no (?:changes|edits) (?:were )?made\b)[^\n]*",
    re.IGNORECASE,
)
# How editors say, without the word "error", that they did not do what they were told.
_NOT_DONE = re.compile(
    r"(?:no replacement (?:was )?performed|file already exists|cannot overwrite|no edit history found|no such file"
    r"|the (?:path|file|directory) (?:\S+|[`'\"][^\n]{1,300}?[`'\"]) (?:does not exist|is not an absolute path"
    r"|is a directory|already exists)|parameter `\w+` is required|unrecognized command|permission denied"
    r"|(?:file|path|string to replace|old_str) not found"
    r"|your (?:proposed )?(?:edit|changes?) (?:was|were|has|have) (?:not (?:been )?applied|introduced)"
    r"|(?:file|edit|changes?) (?:was|were) not (?:created|edited|saved|applied))\b[^\n]*",
    re.IGNORECASE,
)
# What some logs put before what the tool said.
_PREAMBLE = re.compile(r"\s*(?:(?:EXECUTION RESULT of \[[\w.\-]+\]|OBSERVATION):)?\s*")
# An error in the form of one: "Error handling in Python" is a title, and `{'error': None}` says that there was none.
_FAILED = re.compile(
    r"(?:(?:\w+_\w+\s+)?(?:error|exception|failure)(?:\s+\[?\d+\]?)?\s*(?:[:!]|\n|\Z)|[\w.]*(?:Error|Exception)\b:"
    r"|error\s+(?:code\s+)?\d+\b|(?:an\s+)?(?:error|exception)\s+(?:occurred|while|during|executing|running|calling|invoking)\b"
    r"|traceback \(most recent|fatal:|failed\s*(?:[:!]|to\b|\n|\.?\Z)|exception in\b|invalid `"
    r"|\{['\"]error['\"]\s*:(?!\s*(?:None|null|false|False|\"\"|''|\{\}|\[\]|0)\s*[,}]))"
    r"[^\n]*",
    re.IGNORECASE,
)
_NEXT_LINE = re.compile(r"\s{0,80}[^\s][^\n]*")
_EDITED = re.compile(
    r"(?:the file [^\n]{1,400}? has been (?:edited|created|modified|updated|overwritten)"
    r"|(?:new )?file (?:created|edited|updated|written) successfully"
    r"|successfully (?:wrote|created|edited|updated|saved)|content successfully saved"
    r"|last edit to [^\n]{1,400}? undone)[^\n]*",
    re.IGNORECASE,
)
_DELETED = re.compile(
    r"(?:(?:the )?(?:file|folder|directory) [^\n]{0,400}?(?:deleted|removed)|successfully (?:deleted|removed)"
    r"|(?:deleted|removed) (?:file|folder|directory)\b)[^\n]*",
    re.IGNORECASE,
)
_OVERWRITTEN = re.compile(r"\b(?:updated|overwritten|overwrote|replaced|appended|modified)\b", re.IGNORECASE)
_READ = re.compile(
    r"(?:here's the (?:result of running|files and directories|content of)"
    r"|<NOTE>this file is too large to display)[^\n]*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Receipt:
    """A form of a receipt, and what it confirms.

    `changes` are (object, property, value, before): each a literal or "{group}", a named group of the pattern.
    """

    pattern: re.Pattern[str]
    outcome: Outcome = Outcome.SUCCESS
    changes: tuple[tuple[str, str, str, str], ...] = ()


def _told(form: str, *changes: tuple[str, str, str, str]) -> Receipt:
    return Receipt(re.compile(rf"{form}\.", re.IGNORECASE), changes=changes)


_X, _Y = r"the (?P<x>[^.\n]+?)", r"the (?P<y>[^.\n]+?)"
HOUSEHOLD: tuple[Receipt, ...] = (
    _told(rf"you (?:pick up|take) {_X} from {_Y}", ("{x}", "location", "inventory", "{y}")),
    _told(rf"you (?:move|put|place) {_X} (?:to|in/on|in|on|into|onto) {_Y}", ("{x}", "location", "{y}", "inventory")),
    _told(rf"you open {_X}", ("{x}", "state", "open", "")),
    _told(rf"you close {_X}", ("{x}", "state", "closed", "")),
    _told(rf"you turn on {_X}", ("{x}", "power", "on", "")),
    _told(rf"you turn off {_X}", ("{x}", "power", "off", "")),
    _told(rf"you clean {_X} using {_Y}", ("{x}", "state", "clean", "")),
    _told(rf"you heat {_X} using {_Y}", ("{x}", "state", "hot", "")),
    _told(rf"you cool {_X} using {_Y}", ("{x}", "state", "cool", "")),
    _told(r"you arrive at [^.\n]+"),
    _told(r"you are (?:facing|carrying)[^.\n]+"),
)
"""Receipts of text-based household environments (ALFWorld and its kin)."""


@dataclass(slots=True)
class ReceiptReader:
    """Reads steps in order; it remembers what holds, so that a change to what already holds is none."""

    receipts: tuple[Receipt, ...] = HOUSEHOLD
    _state: dict[tuple[str, str], str] = field(default_factory=dict)

    def read(self, step: Step, call: Call) -> tuple[Outcome, str, tuple[Change, ...], int | None]:
        """Return outcome, quote, changes and exit code of the next step."""
        code = exit_code(step.observation) if call.shell or runs_commands(call.tool) else None
        outcome, quote = _general(step, call, code)
        if outcome is not Outcome.UNKNOWN:
            return outcome, quote, _edits(call.effect, call.targets) if outcome is Outcome.SUCCESS else (), code
        head = step.observation.lstrip()
        for receipt in self.receipts:
            if match := receipt.pattern.match(head):
                return receipt.outcome, match[0][:_QUOTE], tuple(self._changes(receipt, match)), code
        return Outcome.UNKNOWN, "", (), code

    def replay(self, row: Row) -> None:
        """Take in what the row of the next step says, as if the step had been read."""
        if row.changes == _edits(row.effect, row.targets):
            return  # told each time, whatever was done to the file before
        for change in row.changes:
            self._state[change.object.casefold(), change.property] = change.value.casefold()

    def _changes(self, receipt: Receipt, match: re.Match[str]) -> Iterator[Change]:
        groups = match.groupdict()
        for thing, kind, value, before in receipt.changes:
            yield from self._change(thing.format(**groups), kind, value.format(**groups), before.format(**groups))

    def _change(self, thing: str, kind: str, value: str, before: str) -> Iterator[Change]:
        held = self._state.get((thing.casefold(), kind))
        if held == value.casefold():
            return
        self._state[thing.casefold(), kind] = value.casefold()
        yield Change(thing, kind, value, before or held or "")


def says_overwritten(observation: str) -> bool:
    """Whether the first line of what a tool said tells that it wrote to a file that was there."""
    return _OVERWRITTEN.search(_line(observation.lstrip())) is not None


def _general(step: Step, call: Call, code: int | None) -> tuple[Outcome, str]:
    text = step.observation
    head = text.lstrip()
    if step.observed is Observed.ERROR:
        return Outcome.FAILURE, _line(head)
    if step.observed is not Observed.TEXT:
        return Outcome.UNKNOWN, ""
    if match := _REFUSED.match(head):
        return Outcome.NO_EFFECT, match[0][:_QUOTE]
    if code is not None and call.shell:
        return _by_exit_code(text, call, code)
    if match := _FAILED.match(head):
        return Outcome.FAILURE, _error_text(match)
    if call.effect is None:
        return Outcome.UNKNOWN, ""
    start = preamble.end() if (preamble := _PREAMBLE.match(text)) else 0
    if match := _NOT_DONE.match(text, start) or _FAILED.match(text, start):
        return Outcome.FAILURE, _error_text(match)
    receipt = {Effect.READ: _READ, Effect.DELETE: _DELETED}.get(call.effect, _EDITED)
    if match := receipt.match(text, start):
        return Outcome.SUCCESS, match[0][:_QUOTE]
    return Outcome.UNKNOWN, ""


_DONE = {Effect.CREATE: "created", Effect.EDIT: "edited", Effect.DELETE: "deleted"}


def _edits(effect: Effect | None, targets: Sequence[str]) -> tuple[Change, ...]:
    done = None if effect is None else _DONE.get(effect)
    return (Change(targets[0], "content", done),) if done and targets else ()


def _by_exit_code(text: str, call: Call, code: int) -> tuple[Outcome, str]:
    quote = exit_quote(text)
    if code == 0:
        return Outcome.SUCCESS, quote
    if code == 1 and _ASKING.intersection(call.act.split()):
        return Outcome.NO_EFFECT, quote
    return Outcome.FAILURE, last_said(text)[:_QUOTE] or quote  # the code has a field of its own


def _error_text(match: re.Match[str]) -> str:
    """Return the line of an error; where it is a label alone ("ERROR:"), with the next line that says something."""
    line = match[0].rstrip()
    if line.endswith((":", "!")) and (more := _NEXT_LINE.match(match.string, match.end())):
        return match.string[match.start() : more.end()][:_QUOTE].rstrip()
    return line[:_QUOTE]


def _line(text: str) -> str:
    return text[:_QUOTE].split("\n", 1)[0].strip()
