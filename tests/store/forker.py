"""Run as a program by the tests: fork with an open log, write from both sides, print what the log then holds."""

from __future__ import annotations

import os
import sys

from memory_evidence.records import Draft
from memory_evidence.store import Log, open_log

SCOPE = ("acme", "forked")


def write(log: Log, name: str) -> None:
    for number in range(20):
        log.append(SCOPE, [Draft(f"{name} {number}")])
        log.version(SCOPE)


def main() -> None:
    url = sys.argv[1]
    log = open_log(url)
    log.append(SCOPE, [Draft("before")])
    before = log.version(SCOPE)
    child_wrote, tell_parent = os.pipe()
    parent_closed, tell_child = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            write(log, "child")
            os.write(tell_parent, b".")
            # The parent's closing must not take files away from under the child.
            os.read(parent_closed, 1)
            log.append(SCOPE, [Draft("child 20")])
            code = 0
        finally:
            os._exit(code)
    write(log, "parent")
    os.read(child_wrote, 1)
    assert log.version(SCOPE) != before
    log.close()
    os.write(tell_child, b".")
    _, status = os.waitpid(child, 0)
    assert status == 0, status
    with open_log(url) as log:
        for record in log.records(SCOPE):
            sys.stdout.write(f"{record.position} {record.text}\n")


if __name__ == "__main__":
    main()
