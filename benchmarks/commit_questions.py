"""Questions about a git history with the answers that git itself gives, by other commands than the ledger reads with.

The ledger reads one walk of `git log`, with renames. Here a file's commits come from `git rev-list -- FILE`, order from
`git rev-list`, kinds of changes and renames from `git diff-tree --stdin`, and assigned lines from the patch of each
single commit, whose values must stand in the file as `git cat-file` has it, without what the commit only moved; what
is current is what the file holds at the end. A name that a file gives several values at a time has no last one, and is
not asked for one; nor is one asked for whose value goes on over several lines. Nothing of the engine is imported.
"""

from __future__ import annotations

import random
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import PurePosixPath

Answer = int | str | None | tuple[object, ...] | dict[str, int]

_RENAMES = ("-r", "--root", "-M50%", "-l1000", "--no-ext-diff", "--no-textconv")
_PLAIN = re.compile(r"([A-Za-z_]\w*)\s*=(?![=~>])\s*(.*)", re.DOTALL)
_ASSIGNED = re.compile(r"[ \t]*([A-Z][A-Z0-9_]{2,}|__[a-z]+__|version)[ \t]*=[ \t]*[^=\s].*")
_TEXT = re.compile(r"(?<!\")\"(?:[^\"\\]|\\.)*\"(?!\")|(?<!')'(?:[^'\\]|\\.)*'(?!')")
_MOST_COMMITS = 60
"""Commits of a file beyond which its values are not asked for: each is a process of git."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the value that answers it, and the full ids of the commits that it rests on, in order."""

    family: str
    text: str
    answer: Answer
    commits: tuple[str, ...]


class Git:
    """What git says about one repository."""

    def __init__(self, path: str, revision: str = "HEAD") -> None:
        self._path, self._revision = path, revision

    def run(self, *arguments: str, stdin: str = "") -> bytes:
        """Return what a command of git writes."""
        command = [
            "git",
            "--no-pager",
            "-c",
            "core.quotePath=true",
            "--literal-pathspecs",
            "-C",
            self._path,
            *arguments,
        ]
        return subprocess.run(command, input=stdin.encode(), stdout=subprocess.PIPE, check=True).stdout

    @cached_property
    def order(self) -> dict[str, int]:
        """Every commit with its number, 1 for the oldest."""
        listed = self.run("rev-list", "--date-order", self._revision).decode().split()
        return {id: number for number, id in enumerate(reversed(listed), 1)}

    @cached_property
    def single(self) -> list[str]:
        """The commits that are no merges, in order."""
        return self._sorted(self.run("rev-list", "--no-merges", self._revision).decode().split())

    @cached_property
    def kinds(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """(commit, letter, paths) of every changed file, renames told from adding and deleting."""
        found = []
        told = self.run(
            "diff-tree", "--stdin", *_RENAMES, "--name-status", "-z", stdin="".join(f"{id}\n" for id in self.single)
        )
        parts = iter(told.split(b"\0"))
        commit = ""
        for part in parts:
            if re.fullmatch(rb"[0-9a-f]{40,64}", part):
                commit = part.decode()
            elif part:
                names = [next(parts) for _ in range(2 if part[:1] in b"RC" else 1)]
                paths = tuple(name.decode("utf-8", "surrogateescape") for name in names)
                found.append((commit, part[:1].decode(), paths))
        return sorted(found, key=lambda change: self.order[change[0]])

    @cached_property
    def files(self) -> list[tuple[str, str, str]]:
        """(commit, letter, file) of every changed file, under the last name that it went by."""
        last: dict[str, str] = {}
        found = []
        for commit, kind, paths in reversed(self.kinds):
            if kind == "D":  # what comes later under this name is another file
                last[paths[0]] = paths[0]
            file = last.get(paths[-1], paths[-1])
            if kind == "R":
                last[paths[0]] = file
            found.append((commit, kind, file))
        return found[::-1]

    def touching(self, path: str) -> tuple[str, ...]:
        """Return the commits that changed a path, in order."""
        arguments = ("rev-list", "--no-merges", "--full-history", self._revision, "--", path)
        return tuple(self._sorted(self.run(*arguments).decode().split()))

    def lines(self, commit: str, path: str, sign: str) -> list[str]:
        """Return the lines that a commit adds to a file ("+"), or takes from it ("-")."""
        patch = self.run("diff-tree", "-p", "--unified=0", "--no-commit-id", "--no-color", *_RENAMES, commit)
        lines: list[str] = []
        for section in re.split(rb"^diff --git ", patch, flags=re.MULTILINE):
            head, hunk, body = section.partition(b"\n@@ ")
            named = re.search(rb"^\+\+\+ (?:b/(.*?)|\"b/(.*)\")\t?$", head, flags=re.MULTILINE)
            if hunk and named and (named[1] or named[2] or b"") == path.encode("utf-8", "surrogateescape"):
                lines += [
                    line[1:].decode("utf-8", "replace") for line in body.split(b"\n") if line.startswith(sign.encode())
                ]
        return lines

    def text(self, commit: str, path: str) -> str:
        """Return a file as it is after a commit; "" where there is none."""
        if not self.run("ls-tree", "-z", commit, "--", path):
            return ""
        return self.run("cat-file", "blob", f"{commit}:{path}").decode("utf-8", "replace")

    def _sorted(self, ids: list[str]) -> list[str]:
        return sorted(ids, key=self.order.__getitem__)


def value_of(line: str, name: str, path: str) -> str | None:
    """Return the value that a line assigns to `name`: `name = value`, with words before or a type behind the name."""
    if PurePosixPath(path).suffix in (".py", ".pyi") and line.split("#")[0].rstrip().endswith(","):
        return None  # an argument
    head, sign, value = line.partition("=")
    if not sign or value[:1] in ("=", "~", ">") or head[-1:] in tuple("!<>+-*/%|&^~"):
        return None
    left = head.rstrip().rstrip(":").removesuffix("?").strip()
    if re.match(r"(if|elif|else|while|for|return|yield|assert|case|with|not|and|or|in|is|print|import|from)\b", left):
        return None
    if "," in re.sub(r"[<\[].*?[>\]]", "", left.partition(name)[0]):
        return None
    match = re.fullmatch(rf"(?:[A-Za-z_][\w<>\[\],*&]*\s+){{0,3}}{re.escape(name)}\s*(?::\s*[^=:].*)?", left)
    return value.strip().rstrip(";,").rstrip() if match else None


def questions(git: Git, seed: int, most: int) -> Iterator[Question]:
    """Yield at most `most` questions of each family."""
    draw = random.Random(seed)
    touched: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for commit, _, changed in git.kinds:
        for path in changed:
            touched[path][commit] = None
    # What was a folder as well is both to git when it is asked by path.
    folders = {str(folder) for path in touched for folder in PurePosixPath(path).parents}
    paths = sorted(path for path in touched.keys() - folders if not set('\n"`') & set(path) and _encodable(path))
    if not paths:
        return
    yield from _changes(git, draw, paths, most)
    yield from _orders(git, draw, paths, most)
    yield from _values(git, draw, sorted(paths), most)
    yield from _renames(git, draw, most)
    yield from _whole(git)


def _changes(git: Git, draw: random.Random, paths: list[str], most: int) -> Iterator[Question]:
    ids = list(git.order)
    for path in draw.sample(paths, min(most, len(paths))):
        commits = git.touching(path)
        bound = draw.choice(ids)
        until = tuple(commit for commit in commits if git.order[commit] <= git.order[bound])
        yield Question("changes", f"How often was `{path}` changed?", len(commits), commits)
        text = f"In how many commits was `{path}` touched up to commit {bound[:16]}?"
        yield Question("changes", text, len(until), until)
        edited = tuple(commit for commit, kind, changed in git.kinds if kind == "M" and path in changed)
        yield Question("changes", f"How often was `{path}` modified?", len(edited), edited)
        ends = (commits[:1], commits[-1:])
        for word, end in zip(("first", "last"), ends, strict=True):
            yield Question("changes", f"Which commit {word} changed `{path}`?", git.order[end[0]], end)
        numbers = tuple(git.order[commit] for commit in commits)
        yield Question("changes", f"Which commits touched `{path}`?", numbers, commits)


def _orders(git: Git, draw: random.Random, paths: list[str], most: int) -> Iterator[Question]:
    for _ in range(most if len(paths) > 2 else 0):
        chosen = draw.sample(paths, draw.randint(2, min(4, len(paths))))
        first = {path: git.touching(path)[0] for path in chosen}
        if len({git.order[commit] for commit in first.values()}) < len(chosen):
            continue  # two came with one commit: neither is before the other
        ordered = sorted(chosen, key=lambda path: git.order[first[path]])
        named = ", ".join(f"`{path}`" for path in chosen[:-1]) + f" and `{chosen[-1]}`"
        commits = tuple(first[path] for path in ordered)
        yield Question("order", f"In which order did {named} first appear?", tuple(ordered), commits)


def _values(git: Git, draw: random.Random, paths: list[str], most: int) -> Iterator[Question]:
    draw.shuffle(paths)
    asked = 0
    for path in paths:
        if asked >= most:
            return
        commits = git.touching(path)
        if len(commits) > _MOST_COMMITS:
            continue
        added = [(commit, line) for commit in commits for line in git.lines(commit, path, "+")]
        names = sorted({match[1] for _, line in added if (match := _ASSIGNED.fullmatch(line))})
        for name in draw.sample(names, min(3, len(names))):
            told = _given(git, added, name, path)
            lines = [line for _, line in added if (match := _ASSIGNED.fullmatch(line)) and match[1] == name]
            if any(map(_goes_on, lines)):
                continue
            if not told or any(len(value) > 150 or value not in git.text(commit, path) for commit, value in told):
                continue
            values = tuple(value for value, _ in groupby(value for _, value in told))
            where = tuple(dict.fromkeys(commit for commit, _ in told))
            asked += 1
            yield Question("values", f"What is the value history of `{name}` in `{path}`?", values, where)
            end = list(git.order)[-1]
            held, then = (_held(git.text(commit, path), name, path) for commit in (end, where[-1]))
            if len(held) == 1:
                (value,) = held
                yield Question("values", f"What is the current value of `{name}` in `{path}`?", value, (end,))
            if len(then) == 1 and told[-1][1] in held:
                yield Question("values", f"What is the last value of `{name}` in `{path}`?", told[-1][1], where[-1:])


def _given(git: Git, added: list[tuple[str, str]], name: str, path: str) -> list[tuple[str, str]]:
    """Return (commit, value) of the added lines, less those that their commit took from elsewhere in the file."""
    told = []
    for commit, lines in groupby(added, key=lambda pair: pair[0]):
        new = [value for _, line in lines if (value := value_of(line, name, path)) is not None]
        taken = Counter(value_of(line, name, path) for line in git.lines(commit, path, "-")) if new else Counter()
        for value in new:
            if taken[value] > 0:
                taken[value] -= 1
            else:
                told.append((commit, value))
    return told


def _goes_on(line: str) -> bool:
    """Whether a line that assigns leaves a bracket or a text open, or ends in a backslash."""
    code = _TEXT.sub("", line).split("#")[0].rstrip()
    opened, closed = (sum(map(code.count, signs)) for signs in ("([{", ")]}"))
    return opened > closed or code.endswith("\\") or '"' in code or "'" in code


def _held(text: str, name: str, path: str) -> set[str]:
    return {value for line in text.split("\n") if (value := value_of(line, name, path)) is not None}


def _renames(git: Git, draw: random.Random, most: int) -> Iterator[Question]:
    renames = [(commit, paths) for commit, kind, paths in git.kinds if kind == "R"]
    commits = tuple(dict.fromkeys(commit for commit, _ in renames))
    numbers = tuple(git.order[commit] for commit in commits)
    yield Question("renames", "Which files were renamed?", numbers, commits)
    named = Counter(path for _, paths in renames for path in paths)
    made = Counter(path for _, kind, paths in git.kinds if kind == "A" for path in paths)
    # Names that one file alone ever had, so that it is plain which file is meant.
    plain = [
        (commit, old, new)
        for commit, (old, new) in renames
        if named[old] == named[new] == 1 and made[old] <= 1 and not made[new] and _encodable(old + new)
    ]
    for commit, old, new in draw.sample(plain, min(most, len(plain))):
        yield Question("renames", f"What was `{old}` renamed to?", (git.order[commit],), (commit,))
        yield Question("renames", f"What was `{new}` called before?", (git.order[commit],), (commit,))


def _whole(git: Git) -> Iterator[Question]:
    touched: defaultdict[str, set[str]] = defaultdict(set)
    for commit, _, file in git.files:
        touched[file].add(commit)
    counts = {file: len(commits) for file, commits in touched.items()}
    extreme = max(counts.values())
    winners = tuple(path for path, count in counts.items() if count == extreme)
    every = tuple(dict.fromkeys(commit for commit, _, _ in git.kinds))
    yield Question("whole", "How many commits are there?", len(git.order), tuple(git.order))
    yield Question("whole", "Which file was changed most often?", winners, every)
    yield Question("whole", "How often was each file changed?", counts, every)
    for verb, letter in (("added", "A"), ("deleted", "D"), ("edited", "M"), ("renamed", "R")):
        of_kind = [(commit, file) for commit, kind, file in git.files if kind == letter]
        where = tuple(dict.fromkeys(commit for commit, _ in of_kind))
        yield Question("whole", f"How many different files were {verb}?", len({p for _, p in of_kind}), where)


def _encodable(path: str) -> bool:
    return path.encode("utf-8", "replace").decode() == path
