"""Pairs calls with their answers: one step for each executed call, in the order of the calls."""

from __future__ import annotations

from dataclasses import dataclass

from memory_evidence.errors import InputError
from memory_evidence.tallymem.importers.sources import as_json
from memory_evidence.tallymem.steps import Observed, Step


@dataclass(slots=True)
class _Call:
    name: str
    arguments: str
    call_id: str | None
    valid: bool
    answer: tuple[str | None, bool] | None = None


class Calls:
    """Collects the calls of a message log.

    A call without an answer was cut off: its observation is missing. A call that its own source calls invalid (its
    arguments did not parse) counts as executed only if it was answered. Arguments are kept as they are, parsed or not.
    """

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._waiting: list[_Call] = []
        self._ids: set[str] = set()

    def call(self, name: object, arguments: object, call_id: object, *, valid: bool = True) -> None:
        """Take the next call; one that waits for its answer under the same id is not another.

        Raises:
            InputError: It has no name.
        """
        if not isinstance(name, str) or not name:
            raise InputError("the tool name of a call", name, "a non-empty string")
        if not isinstance(arguments, str):
            arguments = "" if arguments is None else as_json(arguments)
        given = call_id if isinstance(call_id, str) and call_id else None
        if given and any((c.call_id, c.name, c.arguments) == (given, name, arguments) for c in self._waiting):
            return  # the same call once more, in a message that was sent again
        self._calls.append(_Call(name, arguments, given, valid))
        self._waiting.append(self._calls[-1])
        if given:
            self._ids.add(given)

    def waits(self, call_id: object) -> bool:
        """Whether a call with this id still waits for its answer."""
        return any(each.call_id == call_id for each in self._waiting)

    def answer(self, call_id: object, text: str | None, *, error: bool = False) -> None:
        """Take the answer to the last call of this id that has none; without an id, to the first call that has none.

        Raises:
            InputError: There is no such call, so that the log does not hold every call that was made.
        """
        if isinstance(call_id, str) and call_id:
            found = next((each for each in reversed(self._waiting) if each.call_id == call_id), None)
        else:
            found = next(iter(self._waiting), None)
        if found is None:
            need = "answered once" if call_id in self._ids else "that of a call in the same messages (pass all of them)"
            raise InputError("the call id of an answer", call_id, need)
        found.answer = (text, error)
        self._waiting.remove(found)

    def steps(self, first: int) -> tuple[Step, ...]:
        """Return the executed calls as steps numbered from `first`; an action reads `tool: arguments`."""
        executed = (c for c in self._calls if c.valid or c.answer is not None)
        return tuple(_step(number, call) for number, call in enumerate(executed, first))


def _step(number: int, call: _Call) -> Step:
    text, error = call.answer or (None, False)
    observed = Observed.ERROR if error else Observed.MISSING if text is None else Observed.TEXT
    action = f"{call.name}: {call.arguments}" if call.arguments else call.name
    return Step(number, action, text or "", observed, call.name, call.arguments, call.call_id)
