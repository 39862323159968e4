"""What the commits of a history changed, found by file, by kind of change and by assigned name."""

from __future__ import annotations

import os
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from memory_evidence.tallymem.commits.history import MOST_VALUES, Commit
from memory_evidence.tallymem.commits.versions import Versions
from memory_evidence.tallymem.grouping import within
from memory_evidence.tallymem.rows import Row

_ODD = re.compile(r"[^\w./@+-]")


class History:
    """Commits with the rows of what they changed; a row is addressed by its place in the list of all rows."""

    def __init__(
        self, entries: Iterable[tuple[Commit, Sequence[Row]]] = (), *, versions: Versions | None = None
    ) -> None:
        self.versions = versions
        """The files themselves, where the repository is at hand."""
        self.commits: list[Commit] = []
        self.rows: list[Row] = []
        self.by_kind: dict[str, array[int]] = {}
        self.by_path: dict[str, array[int]] = {}
        self.by_name: dict[str, array[int]] = {}
        self.cut: list[int] = []
        """Places of the rows that assign more names than are kept."""
        self.resolved: dict[str, array[int]] = {}
        """Files with the numbers of the merges that differ in them from all their parents."""
        self._starts = array("q", [0])
        self._endings: dict[str, list[str]] = {}
        self._stems: dict[str, list[str]] = {}
        """Files by their names without folder and ending, in lower case."""
        self.odd_paths: list[str] = []
        """Files whose names a question can only hold as they are: with spaces, quotes or the like."""
        self._ids: list[tuple[str, int]] | None = None
        for commit, rows in entries:
            self.commits.append(commit)
            for path in commit.resolved:
                self.resolved.setdefault(path, array("q")).append(commit.number)
            for row in rows:
                self._add(row)
            self._starts.append(len(self.rows))

    def places(self, low: int | None, high: int | None) -> range:
        """Return the places of the rows of the commits numbered `low` to `high`, both included; None is open."""
        last = len(self.commits)
        start = min(max((low or 1) - 1, 0), last)
        return range(self._starts[start], self._starts[max(start, min(last if high is None else max(high, 0), last))])

    def resolving(self, paths: Iterable[str] | None, low: int, high: int) -> list[int]:
        """Return the merges numbered `low` to `high` that differ from all their parents in `paths`; None: in any."""
        chosen = self.resolved.values() if paths is None else [self.resolved.get(path, ()) for path in paths]
        return sorted({number for numbers in chosen for number in numbers if low <= number <= high})

    def unknown(self, name: str) -> str:
        """Say of a file that no row is about it, and whether a merge is."""
        end = name.removeprefix("./").strip("/")
        if found := next((path for path in self.resolved if path == end or path.endswith(f"/{end}")), None):
            return f"only merges are seen to change {found!r} (commit {self.resolved[found][0]}), which are not read"
        return f"the history knows no file {name!r}"

    def heads(self, high: int) -> list[int]:
        """Return which of the commits 1 to `high` none of the others goes back to: one, where history has one state."""
        above = {parent for commit in self.commits[:high] for parent in commit.parents}
        return [commit.number for commit in self.commits[:high] if commit.id not in above]

    def assigning(self, name: str, low: int | None, high: int | None) -> list[list[str]]:
        """Return the files in which commits `low` to `high` assign `name`: all names that each of them went by there.

        The last of a file's names is the one at the end. What was deleted and came back is one file.
        """
        scope = self.places(low, high)
        files: dict[str, dict[str, None]] = {}
        for at in within(self.by_name.get(name, ()), scope):
            files.setdefault(self.renamed_to(at, scope.stop - 1), {})[self.rows[at].targets[-1]] = None
        return [[*(path for path in paths if path != last), last] for last, paths in files.items()]

    def found(self, id: str) -> list[Commit]:
        """Return the commits whose id begins with `id`."""
        if self._ids is None:
            self._ids = sorted((commit.id, commit.number) for commit in self.commits)
        at = bisect_left(self._ids, (id, 0))
        matching: list[Commit] = []
        while at < len(self._ids) and self._ids[at][0].startswith(id):
            matching.append(self.commits[self._ids[at][1] - 1])
            at += 1
        return matching

    def named(self, name: str) -> Sequence[str]:
        """Return the files that `name` may stand for: the one of exactly this path, or all whose paths end with it."""
        if name in self.by_path:
            return (name,)
        end = name.removeprefix("./").strip("/")
        return [
            path for path in self._endings.get(end.rsplit("/", 1)[-1], ()) if path == end or path.endswith(f"/{end}")
        ]

    def called(self, word: str) -> list[str]:
        """Return the files that people may call `word`: by name, or by its stem, which may be said in lower case."""
        stems = self._stems.get(word.lower(), ())
        plain = [path for path in stems if word.islower() or os.path.splitext(path.rsplit("/", 1)[-1])[0] == word]
        return list(dict.fromkeys((*self.named(word), *plain)))

    def lineage(self, path: str) -> list[str]:
        """Return the names that the file last known as `path` went by, oldest first, as far as renames tell."""
        return [*reversed(list(self._earlier(path))), path, *self._later(path)]

    def renamed_to(self, at: int, end: int) -> str:
        """Return the last name, up to the row at `end`, of the file that the row at `at` is about."""
        path = self.rows[at].targets[-1]
        if self.rows[at].tool == "delete":  # a file that comes later is another
            return path
        while True:
            places = self.by_path[path]
            for later in places[bisect_right(places, at) : bisect_right(places, end)]:
                row = self.rows[later]
                if row.tool == "delete":
                    return path
                if row.tool == "rename" and row.targets[0] == path:
                    path, at = row.targets[1], later
                    break
            else:
                return path

    def _earlier(self, path: str) -> Iterator[str]:
        before = len(self.rows)
        while True:
            places = self.by_path.get(path, ())
            # Back to where the name came from: a row before that is of another file that had the same name.
            for at in reversed(places[: bisect_left(places, before)]):
                row = self.rows[at]
                if row.targets[-1] == path and row.tool in ("add", "copy", "rename"):
                    break
            else:
                return
            if row.tool != "rename":
                return
            yield (path := row.targets[0])
            before = at

    def _later(self, path: str) -> Iterator[str]:
        after = -1
        while True:
            places = [at for at in self.by_path.get(path, ()) if at > after]
            if not places:
                return
            row = self.rows[places[-1]]
            if row.tool != "rename" or row.targets[0] != path:
                return
            yield (path := row.targets[1])
            after = places[-1]

    def _add(self, row: Row) -> None:
        at = len(self.rows)
        self.rows.append(row)
        self.by_kind.setdefault(row.tool, array("q")).append(at)
        for path in dict.fromkeys(row.targets):
            if path not in self.by_path:
                self.by_path[path] = array("q")
                if _ODD.search(path):
                    self.odd_paths.append(path)
                base = path.rsplit("/", 1)[-1]
                self._endings.setdefault(base, []).append(path)
                self._stems.setdefault(os.path.splitext(base)[0].lower(), []).append(path)
            self.by_path[path].append(at)
        for name in dict.fromkeys(change.object for change in row.changes[:MOST_VALUES]):
            self.by_name.setdefault(name, array("q")).append(at)
        if len(row.changes) > MOST_VALUES:
            self.cut.append(at)
