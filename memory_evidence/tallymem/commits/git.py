"""Runs git for reading, as a stream: no shell, no program that a repository's own configuration or attributes name."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO

from memory_evidence.errors import HostError, InputError

_BLOCK = 1 << 16
LONGEST_LINE = 1 << 16
"""Bytes of a line that are looked at; the rest of it is passed over."""

LARGEST = 1 << 24
"""Bytes of a file that are read to see what it holds; of a larger one it is not known."""

# Whatever a repository's configuration says of these, nothing is run: file system monitors, hooks, pagers, drivers of
# diffs, signature checks. The protocol keeps a partial clone from fetching what it lacks.
_SAFE = (
    *("--no-pager", "--literal-pathspecs"),
    *("-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null", "-c", "diff.external=", "-c", "protocol.allow=never"),
    *("-c", "log.showSignature=false", "-c", "core.quotePath=true", "-c", "log.mailmap=false"),
)
DIFF = (
    *("--no-ext-diff", "--no-textconv", "--no-color", "--no-relative", "--submodule=short", "--ignore-submodules=none"),
    *("--find-renames=50%", "-l1000", "--diff-algorithm=myers", "--no-indent-heuristic", "--root", "--encoding=UTF-8"),
    *(
        "--src-prefix=a/",
        "--dst-prefix=b/",
        "--inter-hunk-context=0",
        "--no-notes",
        "--no-show-signature",
        "-O/dev/null",
    ),
)
"""How commits are compared, whatever is configured."""


class Repository:
    """A repository on this machine, for reading.

    Args:
        path: The folder that holds `.git`, or a bare repository; a folder further down is not taken for its repository.

    Raises:
        InputError: There is no repository at `path`, or git refuses to read it.
        HostError: The program git is not there.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            self._path = os.path.realpath(path)
        except (TypeError, ValueError) as error:
            raise InputError("the repository", path, "the path of a folder") from error
        if not os.path.isdir(self._path):
            raise InputError("the repository", os.fspath(path), "an existing folder")
        self.shallow = self._ask("rev-parse", "--is-shallow-repository") == "true"

    def commit(self, revision: str) -> str | None:
        """Return the id of the commit that `revision` names; None where it names none."""
        arguments = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        done = self._run(arguments)
        return done.stdout.decode("ascii", "replace").strip() if done.returncode == 0 else None

    @property
    def empty(self) -> bool:
        """Whether there is no commit at all."""
        return not self._ask("rev-list", "--max-count=1", "--all")

    def contents(self, files: Sequence[tuple[str, str]]) -> Iterator[bytes | None]:
        """Yield what each file held, given as (commit id, path): nothing where there was none, None where it is unread.

        Not read are very large files, and those with a line end in their path.

        Raises:
            HostError: Git failed.
        """
        asked = [f"{commit}:{path}".encode("utf-8", "surrogateescape") for commit, path in files]
        told = [name for name in asked if b"\n" not in name]
        with tempfile.TemporaryFile() as names:
            names.writelines(name + b"\n" for name in told)
            names.seek(0)
            with self.stream("cat-file", "--batch", names=names) as found:
                for name in asked:
                    yield _content(found, name) if b"\n" not in name else None

    @contextmanager
    def stream(self, *arguments: str, names: IO[bytes] | int = subprocess.DEVNULL) -> Iterator[IO[bytes]]:
        """Yield what git writes, to be read to its end.

        Raises:
            HostError: Git failed; what was read so far is not all.
        """
        with tempfile.TemporaryFile() as errors, self._start(arguments, errors, names) as program:
            assert program.stdout is not None
            try:
                yield program.stdout
            except BaseException:
                program.kill()
                raise
            if program.stdout.read(1):
                program.kill()
                return
            if program.wait():
                errors.seek(0)
                raise HostError(f"git {arguments[0]}", _words(errors.read(2_000)))

    def _ask(self, *arguments: str) -> str:
        done = self._run(arguments)
        if done.returncode:
            need = f"a git repository that may be read (the folder that holds .git); git says: {_words(done.stderr)}"
            raise InputError("the repository", self._path, need)
        return done.stdout.decode("ascii", "replace").strip()

    def _run(self, arguments: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
        with self._start(arguments, subprocess.PIPE) as program:
            output, errors = program.communicate()
        return subprocess.CompletedProcess(program.args, program.returncode, output, errors)

    def _start(
        self, arguments: Sequence[str], errors: IO[bytes] | int, names: IO[bytes] | int = subprocess.DEVNULL
    ) -> subprocess.Popen[bytes]:
        # Nothing of another repository that this process was started in, such as GIT_DIR inside a hook.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environment |= {
            "GIT_CEILING_DIRECTORIES": os.path.dirname(self._path),
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": "none",
            "LC_ALL": "C",
        }
        command = ["git", *_SAFE, "-C", self._path, *arguments]
        try:
            return subprocess.Popen(command, stdin=names, stdout=subprocess.PIPE, stderr=errors, env=environment)
        except FileNotFoundError as error:
            raise HostError("git", "the program `git` is not on the PATH; install it") from error


def fields(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the parts of a stream that NUL ends, a block of it in memory at a time."""
    rest = b""
    while block := stream.read(_BLOCK):
        *whole, rest = (rest + block).split(b"\0")
        yield from whole
    if rest:
        yield rest


def lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a stream without their ends; of one that is too long, its beginning."""
    while line := stream.readline(LONGEST_LINE):
        yield line.rstrip(b"\n") if line.endswith(b"\n") else line
        while not line.endswith(b"\n") and (line := stream.readline(LONGEST_LINE)):
            pass


def _content(found: IO[bytes], name: bytes) -> bytes | None:
    """Read one answer of `git cat-file --batch`."""
    head = found.readline()
    if head in (name + b" missing\n", name + b" ambiguous\n"):
        return b""
    try:
        kind, size = head.split()[-2], int(head.split()[-1])
    except (IndexError, ValueError) as error:
        raise HostError("git cat-file", f"its answer cannot be read: {_words(head[:200])}") from error
    kept = kind == b"blob" and size <= LARGEST
    content, left = [], size + 1
    while left > 0:
        part = found.read(min(left, _BLOCK))
        if not part:
            raise HostError("git cat-file", "its answer ends early")
        left -= len(part)
        content += [part] if kept else []
    return b"".join(content)[:-1] if kept else None


def _words(text: bytes) -> str:
    return " ".join(text.decode("utf-8", "replace").split()) or "no reason given"
