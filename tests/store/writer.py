"""Run as a program by the tests: append batches to a log and print each batch's positions once acknowledged."""

from __future__ import annotations

import sys
from itertools import count

from memory_evidence.records import Draft
from memory_evidence.store import open_log

SCOPE = ("acme", "shared")


def main() -> None:
    url, name, batches, size = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    log = open_log(url)
    for number in range(batches) if batches else count():
        positions = log.append(SCOPE, [Draft(f"{name} {number} {i}") for i in range(size)])
        sys.stdout.write(f"{positions[0]} {positions[-1]}\n")
        sys.stdout.flush()
    log.close()


if __name__ == "__main__":
    main()
