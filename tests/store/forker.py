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
    log = open_log(sys.argv[1])
    log.append(SCOPE, [Draft("before")])
    before = log.version(SCOPE)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            write(log, "child")
            log.close()
            code = 0
        finally:
            os._exit(code)
    write(log, "parent")
    _, status = os.waitpid(child, 0)
    assert status == 0, status
    assert log.version(SCOPE) != before
    for record in log.records(SCOPE):
        sys.stdout.write(f"{record.position} {record.text}\n")
    log.close()


if __name__ == "__main__":
    main()
