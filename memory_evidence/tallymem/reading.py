"""Makes the row of each step, in order: what the program reads in action and observation, without a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory_evidence.tallymem.actions import Call, read_action
from memory_evidence.tallymem.receipts import HOUSEHOLD, Receipt, ReceiptReader, says_overwritten
from memory_evidence.tallymem.rows import Effect, Outcome, Row
from memory_evidence.tallymem.trajectory import Step

READING = 6
"""The version of the reading: it goes up whenever a step is read in another way, so that what a store keeps is read
again. A test pins it to the rows of a fixed set of steps."""

_DIFFERENCE = 200


class RowReader:
    """Reads steps one after another; a row depends on the steps before it."""

    def __init__(self, receipts: Sequence[Receipt] = HOUSEHOLD, prefixes: Sequence[str] = ()) -> None:
        """Begin before the first step.

        Args:
            receipts: Forms of the sentences with which tools confirm what they did; tried in order.
            prefixes: What is cut off the front of tool names.
        """
        self._receipts = ReceiptReader(tuple(receipts))
        self._prefixes = tuple(prefixes)
        self._last_calls: dict[tuple[str, str], Call | Step] = {}
        self._files: set[str] = set()

    def read(self, step: Step) -> Row:
        """Return the row of the next step."""
        call = read_action(step, self._prefixes)
        if call.overwrites and (call.targets[0] in self._files or says_overwritten(step.observation)):
            call = replace(call, effect=Effect.EDIT)
        outcome, quote, changes, code = self._receipts.read(step, call)
        row = Row(
            step=step.id,
            tool=call.tool,
            act=call.act,
            action=step.action,
            targets=call.targets,
            outcome=outcome,
            quote=quote,
            changes=changes,
            difference=self._difference(call),
            exit_code=code,
            effect=call.effect,
            untold=call.untold,
        )
        self._remember(row)
        return row

    def replay(self, step: Step, row: Row) -> None:
        """Take in the row that `read` once made of the next step; later ones are read as they would have been."""
        self._receipts.replay(row)
        self._remember(row)
        # Its arguments are read when a later action with the same tool and path is compared to it.
        self._last_calls[row.tool, row.targets[0] if row.targets else ""] = step

    def _remember(self, row: Row) -> None:
        """Keep in mind which files there are: one that is written to once more is not created by that."""
        if row.effect is None or row.outcome in (Outcome.FAILURE, Outcome.NO_EFFECT):
            return
        if row.effect is Effect.DELETE:
            self._files.difference_update(row.targets)
        else:
            self._files.update(row.targets[:1])

    def _difference(self, call: Call) -> str:
        """Return how the arguments differ from those of the last action with the same tool and path."""
        key = call.tool, call.targets[0] if call.targets else ""
        last = self._last_calls.get(key)
        self._last_calls[key] = call
        if isinstance(last, Step):
            last = read_action(last, self._prefixes)
        if last is None or last.arguments is None or call.arguments is None:
            return ""
        changed = [
            f"{name}: {_short(last.arguments.get(name))} -> {_short(call.arguments.get(name))}"
            for name in dict.fromkeys([*last.arguments, *call.arguments])
            if last.arguments.get(name) != call.arguments.get(name)
        ]
        return "; ".join(changed)


def _short(value: object) -> str:
    text = " ".join(str(value).split()) if value is not None else "none"
    return text if len(text) <= _DIFFERENCE else text[:_DIFFERENCE] + "..."
