"""Reads a repository's history: its commits from the oldest on, and a row for each file that a commit changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memory_evidence.errors import HostError
from memory_evidence.tallymem.commits.assignments import read_patches
from memory_evidence.tallymem.commits.git import DIFF, Repository, fields, lines
from memory_evidence.tallymem.rows import Change, Effect, Outcome, Row

KINDS = {"A": "add", "D": "delete", "M": "modify", "R": "rename", "C": "copy", "T": "retype"}
"""What git's letters say was done to a file."""

MOST_VALUES = 2_000
"""Assignment lines kept of one file in one commit; a file that adds more was written by a program."""


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of a history."""

    number: int
    """1 for the oldest."""
    id: str
    """The full hash."""
    parents: tuple[str, ...]
    time: int
    """Seconds since 1970, as the committer's clock had it; the order is that of the history, never this."""
    subject: str
    resolved: tuple[str, ...] = ()
    """Of a merge: the files in which it differs from every one of its parents. It has no rows of them."""


def read_history(repository: Repository, start: str, *, first_parent: bool) -> Iterator[tuple[Commit, list[Row]]]:
    """Yield every commit that `start` goes back to, with a row for each file it changed.

    Parents come before their children, and otherwise the older commit first. A merge has no rows of its own: what it
    brings was changed by the commits that it merges, and `Commit.resolved` names the files in which it may have changed
    something itself. With `first_parent` only the main line is followed, and a merge changes what differs from its
    first parent.

    Raises:
        HostError: Git failed, or wrote what no version of it is known to write.
    """
    line = ("--first-parent", "--diff-merges=first-parent") if first_parent else ()
    walk = ("log", "--reverse", "--date-order", *line)
    told_of_merges, shown_of_merges = ((), ()) if first_parent else (("--diff-merges=combined",), ("--no-diff-merges",))
    raw = (*walk, *told_of_merges, *DIFF, "-z", "--raw", "--no-abbrev", "--format=tformat:%H%x00%P%x00%ct%x00%s")
    patch = (*walk, *shown_of_merges, *DIFF, "--patch", "--unified=0", "--full-index", "--format=tformat:%x00%H")
    with repository.stream(*raw, start, "--") as told, repository.stream(*patch, start, "--") as shown:
        assigned = _by_commit(read_patches(lines(shown)))
        waiting = next(assigned, None)
        for commit, changes in _commits(fields(told)):
            values: dict[bytes, list[tuple[str, str]]] = {}
            if waiting is not None and waiting[0] == commit.id.encode():
                values, waiting = waiting[1], next(assigned, None)
            yield commit, [_row(commit, kind, paths, values.get(paths[-1], [])) for kind, paths in changes]
        if waiting is not None:
            raise HostError("git log", "its two readings of the history do not agree; was it rewritten meanwhile?")


def path_of(name: bytes) -> str:
    """Return a path as text, different for different names; bytes that are no UTF-8 become lone surrogates."""
    return name.decode("utf-8", "surrogateescape")


_Changes = list[tuple[str, tuple[bytes, ...]]]


def _commits(parts: Iterator[bytes]) -> Iterator[tuple[Commit, _Changes]]:
    number = 0
    part = next(parts, None)
    while part is not None:
        number += 1
        try:
            id, parents, time, subject = part, next(parts), next(parts), next(parts)
            above, seconds = tuple(parents.decode("ascii").split()), int(time)
            changes: _Changes = []
            resolved: list[str] = []
            while (part := next(parts, None)) is not None and (entry := part.lstrip(b"\n"))[:1] in (b"", b":"):
                if not entry:  # what stands between the head of a merge and its files
                    continue
                if entry.startswith(b"::"):
                    resolved.append(path_of(next(parts)))
                    continue
                kind = KINDS[entry.rsplit(b" ", 1)[1][:1].decode("ascii")]
                changes.append((kind, tuple(next(parts) for _ in range(2 if kind in ("rename", "copy") else 1))))
        except (StopIteration, RuntimeError, ValueError, KeyError, IndexError) as error:
            raise HostError("git log", f"the entry of commit {number} cannot be read") from error
        yield Commit(number, id.decode("ascii"), above, seconds, _text(subject), tuple(resolved)), changes


def _row(commit: Commit, kind: str, paths: tuple[bytes, ...], values: list[tuple[str, str]]) -> Row:
    names = tuple(map(path_of, paths))
    return Row(
        step=commit.number,
        tool=kind,
        act=kind,
        action=f"{kind} {' -> '.join(names)}",
        targets=names,
        outcome=Outcome.SUCCESS,
        changes=tuple(Change(name, "value", value) for name, value in values),
        effect=Effect.CREATE if kind in ("add", "copy") else Effect.EDIT,
    )


_Values = dict[bytes, list[tuple[str, str]]]


def _by_commit(found: Iterator[tuple[bytes, bytes, str, str]]) -> Iterator[tuple[bytes, _Values]]:
    """Gather the assignments of each commit by path; one more than the most of a file shows that there were more."""
    last, values = b"", {}  # type: tuple[bytes, _Values]
    for commit, path, name, value in found:
        if commit != last and values:
            yield last, values
            values = {}
        last = commit
        kept = values.setdefault(path, [])
        if len(kept) <= MOST_VALUES:
            kept.append((name, value))
    if values:
        yield last, values


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")
