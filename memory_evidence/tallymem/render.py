"""Writes results as text for a reader: operation, filters, matched steps, values, supporting step ids (figure 10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memory_evidence.blocks import safe_line
from memory_evidence.tallymem.ledger import Ledger
from memory_evidence.tallymem.results import UNTOLD, Result
from memory_evidence.tallymem.rows import Outcome, Row

BUDGET = 6_000
"""The paper's budget of computed evidence, in characters."""

_NAME = 160
_NO_ROOM = "{}. no room for this result\n"
# A list this long is read as ids; its actions would only take the place of what is asked.
_MOST_ACTIONS = 60


def render(ledger: Ledger, results: Sequence[Result], *, budget: int = BUDGET) -> str:
    """Return the results in plan order within `budget` characters; what does not fit is said to be left out.

    Every result gets an equal share, and what one leaves unused goes to those after it. A line that says a value or
    what it was computed of is never cut.
    """
    parts: list[str] = []
    left = budget
    for place, result in enumerate(results):
        share = max((left - (len(results) - place)) // (len(results) - place), 0)
        part = _result(ledger, result, place + 1, share)
        if len(part) > left - len(_NO_ROOM) * (len(results) - place - 1):
            part = _NO_ROOM.format(place + 1).rstrip()
        parts.append(part)
        left -= len(part) + 1
    return "\n".join(parts)


def ranges(steps: Iterable[int]) -> Iterator[str]:
    """Yield ascending step ids as compressed ranges: 3, 5-8."""
    for first, last in spans(steps):
        yield str(first) if first == last else f"{first}-{last}"


def spans(steps: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last id of each run of consecutive ids; ascending."""
    first = last = None
    for step in steps:
        if first is None or last is None:
            first = step
        elif step != last + 1:
            yield first, last
            first = step
        last = step
    if first is not None and last is not None:
        yield first, last


def _result(ledger: Ledger, result: Result, number: int, budget: int) -> str:
    lines = [f"{number}. {_headline(result)}", f"   {_conditions(result)}"]
    used = sum(map(len, lines)) + 1
    for line in _details(ledger, result, budget - used):
        if used + len(line) + 1 > budget:
            break
        lines.append(line)
        used += len(line) + 1
    return "\n".join(lines)


def _headline(result: Result) -> str:
    query, value = result.query, result.value
    name = query.operation
    if result.verified_zero and not result.relaxed:
        zero = {"count": "0", "distinct": "0"}.get(name, "none")
        return f"{name} = {zero} (verified: all {result.scanned} steps in scope were looked at, and none matches)"
    by = f" by {query.by}" if query.by else ""
    if name in ("most", "least") and isinstance(value, tuple):
        size = len(result.groups[str(value[0])]) if value else 0
        tie = f" (a tie of {len(value)})" if len(value) > 1 else ""
        names = ", ".join(shortened(str(part)) for part in value[:20])
        return f"{name} frequent{by} = {names}{tie}, {size} of {len(result.steps)} steps"
    if name == "order" and isinstance(value, tuple):
        names = ", ".join(shortened(str(part)) for part in value[:20])
        more = f", and {len(value) - 20} more" if len(value) > 20 else ""
        return f"order{by} of first occurrence = {names}{more} ({len(result.steps)} matched steps)"
    if name in ("group", "breakdown"):
        return f"count{by or ' by target'}: {len(result.groups)} different, {len(result.steps)} matched steps"
    if name in ("difference", "ratio"):
        first, second = (len(result.groups[side]) for side in ("first", "second"))
        sign = "-" if name == "difference" else "/"
        shown = "undefined (the second count is 0)" if value is None else value
        return f"{name} = {first} {sign} {second} = {shown}"
    if name in ("list", "timeline"):
        return f"{name}: {len(result.steps)} matched steps"
    if name in ("first", "last"):
        return f"{name} = step {value}"
    return f"{name}{by} = {value} ({len(result.steps)} matched steps)"


def _conditions(result: Result) -> str:
    low, high = result.scope
    where = " and ".join(shortened(str(part)) for part in result.query.where) or "every step"
    scope = shortened(str(result.query.scope), 400)
    text = f"filters: {where}; scope: {scope}; looked at steps {low}-{high} ({result.scanned})"
    if result.query.versus:
        text += "; against: " + " and ".join(shortened(str(part)) for part in result.query.versus)
    if result.unsure:
        excluded = any(part.field == "outcome" and part.exclude for part in (*result.query.where, *result.query.versus))
        text += f"; the outcome of {result.unsure} {'of these' if excluded else 'more such'} steps is unknown"
    if result.commands:
        text += f"; not counted: {result.commands} steps that {UNTOLD}, may have done it too"
    if result.edge:
        text += f"; the scope's event may come earlier: {result.edge} steps before it may be such an event"
    if result.refused and result.operation not in ("list", "timeline"):
        text += f"; {result.refused} of these failed or had no effect"
    if result.relaxed:
        text += "; RELAXED: no step matches all filters, these match tool, action and target alone"
    return text


def _details(ledger: Ledger, result: Result, budget: int) -> Iterator[str]:
    if result.query.operation in ("list", "timeline", "first", "last"):
        yield from _rows(ledger, result, budget)
        return
    if result.groups:
        yield from _counted(result.groups, budget)
        return
    if result.steps:
        line = _ids("   steps: ", result.steps, budget)
        yield line
        yield from _errors(ledger, result, budget - len(line) - 1)


def _rows(ledger: Ledger, result: Result, budget: int) -> Iterator[str]:
    if len(result.steps) > _MOST_ACTIONS and result.query.operation == "list":
        line = _ids("   steps: ", result.steps, budget)
        yield line
        yield from _errors(ledger, result, budget - len(line) - 1)
        return
    if result.query.operation == "list" and result.steps:
        line = _ids("   steps: ", result.steps, budget)
        budget -= len(line) + 1
        yield line
    full = result.query.operation == "timeline"
    for done, step in enumerate(result.steps):
        line = _row(ledger.row(step), full=full)
        rest = len(result.steps) - done
        if len(line) + (60 if rest > 1 else 0) > budget:
            yield _ids(f"   {rest} more steps, not shown in full: ", result.steps[done:], budget)
            return
        budget -= len(line) + 1
        yield line


def _row(row: Row, *, full: bool) -> str:
    # What is read of a step stands in front of what the log holds, which so cannot pass for it.
    text = f"   step {row.step}"
    if row.outcome in (Outcome.FAILURE, Outcome.NO_EFFECT) or (full and row.outcome is Outcome.SUCCESS):
        text += f", {row.outcome.value}"
    if row.exit_code:
        text += f", exit code {row.exit_code}"
    text += f": {shortened(row.action)}"
    if full and row.changes:
        text += " | " + "; ".join(shortened(str(change)) for change in row.changes)
    if row.outcome in (Outcome.FAILURE, Outcome.NO_EFFECT):
        text += f" | {shortened(row.quote)}"
    return text


def _errors(ledger: Ledger, result: Result, budget: int) -> Iterator[str]:
    """Yield what the matched steps came back with, where failures are asked for and their own lines are not shown."""
    asked = (*result.query.where, *result.query.versus)
    if not any(part.field in ("outcome", "exit_code") and not part.exclude for part in asked):
        return
    texts: dict[str, list[int]] = {}
    for step in result.steps:
        row = ledger.row(step)
        if row.outcome in (Outcome.FAILURE, Outcome.NO_EFFECT) and row.quote:
            texts.setdefault(" ".join(row.quote.split()), []).append(step)
    ordered = sorted(texts.items(), key=lambda item: (-len(item[1]), item[1]))
    if ordered:
        yield "   by error text:"
        yield from _counted({text: tuple(steps) for text, steps in ordered}, budget - 20)


def _counted(groups: Mapping[str, tuple[int, ...]], budget: int) -> Iterator[str]:
    """Yield a line for each group; step ids give way to counts, and counts of small groups to a note."""
    counts = {name: f"   {shortened(name)}: {len(ids)}" for name, ids in groups.items()}
    spare = budget - sum(len(line) + 1 for line in counts.values())
    for done, (name, ids) in enumerate(groups.items()):
        line = counts[name]
        rest = len(counts) - done
        if len(line) + (50 if rest > 1 else 0) > budget:
            yield f"   {rest} more groups are not shown"
            return
        room = spare if spare > 0 else 0
        if room > 20 and ids:
            line = _ids(f"{line} (steps ", ids, len(counts[name]) + room, end=")")
            spare -= len(line) - len(counts[name])
        budget -= len(line) + 1
        yield line


def _ids(start: str, steps: Sequence[int], budget: int, *, end: str = "") -> str:
    """Return step ids as ranges, as many as fit."""
    text, shown = start, 0
    for first, last in spans(steps):
        part = str(first) if first == last else f"{first}-{last}"
        piece = part if text == start else f", {part}"
        size = last - first + 1
        more = f", and {len(steps) - shown} more" if shown + size < len(steps) else ""
        if len(text) + len(piece) + max(len(more), 20) + len(end) > budget and shown + size < len(steps):
            return f"{text}{', ' if shown else ''}{len(steps) - shown} more{end}"
        text += piece
        shown += size
    return text + end


def shortened(text: str, limit: int = _NAME) -> str:
    """Return `text` on one line of at most `limit` characters, as it may stand in a block."""
    one = " ".join(text.split())
    return safe_line(one if len(one) <= limit else one[: limit - 3] + "...")
